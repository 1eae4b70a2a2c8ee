package lsp

import "encoding/json"

// message is what comes: a request, a notification or a response.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result"`
}

type failure struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   *rpcError       `json:"error"`
}

type notification struct {
	Version string `json:"jsonrpc"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
}

// The codes of errors.
const (
	parseError     = -32700
	invalidRequest = -32600
	methodNotFound = -32601
	invalidParams  = -32602
	internalError  = -32603
	notInitialized = -32002
	cancelled      = -32800
)

// rpcError is an error that the other side gets.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error returns the message.
func (e *rpcError) Error() string { return e.Message }

type position struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
}

// span is a range of a text.
type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type location struct {
	URI   string `json:"uri"`
	Range span   `json:"range"`
}

type initializeParams struct {
	ProcessID    *int `json:"processId"`
	Capabilities struct {
		General struct {
			PositionEncodings []string `json:"positionEncodings"`
		} `json:"general"`
		TextDocument struct {
			Hover struct {
				ContentFormat []string `json:"contentFormat"`
			} `json:"hover"`
			Completion struct {
				CompletionItem struct {
					DocumentationFormat []string `json:"documentationFormat"`
				} `json:"completionItem"`
			} `json:"completion"`
			SignatureHelp struct {
				SignatureInformation struct {
					DocumentationFormat  []string `json:"documentationFormat"`
					ParameterInformation struct {
						LabelOffsetSupport bool `json:"labelOffsetSupport"`
					} `json:"parameterInformation"`
				} `json:"signatureInformation"`
			} `json:"signatureHelp"`
			DocumentSymbol struct {
				Hierarchical bool `json:"hierarchicalDocumentSymbolSupport"`
			} `json:"documentSymbol"`
			PublishDiagnostics struct {
				RelatedInformation bool `json:"relatedInformation"`
			} `json:"publishDiagnostics"`
		} `json:"textDocument"`
	} `json:"capabilities"`
}

type textDocument struct {
	URI     string `json:"uri"`
	Version *int   `json:"version"`
	Text    string `json:"text"`
}

type openParams struct {
	TextDocument textDocument `json:"textDocument"`
}

type change struct {
	Range *span  `json:"range"`
	Text  string `json:"text"`
}

type changeParams struct {
	TextDocument   textDocument `json:"textDocument"`
	ContentChanges []change     `json:"contentChanges"`
}

// placeParams is a document, and mostly a position in it.
type placeParams struct {
	TextDocument textDocument `json:"textDocument"`
	Position     position     `json:"position"`
}

type diagnostic struct {
	Range    span      `json:"range"`
	Severity int       `json:"severity"` // 1 error, 2 warning
	Code     string    `json:"code,omitempty"`
	Source   string    `json:"source"`
	Message  string    `json:"message"`
	Tags     []int     `json:"tags,omitempty"` // 1 unnecessary
	Related  []related `json:"relatedInformation,omitempty"`
}

type related struct {
	Location location `json:"location"`
	Message  string   `json:"message"`
}

type diagnosticsParams struct {
	URI         string       `json:"uri"`
	Version     *int         `json:"version,omitempty"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

type hover struct {
	Contents markup `json:"contents"`
	Range    span   `json:"range"`
}

type textEdit struct {
	Range   span   `json:"range"`
	NewText string `json:"newText"`
}

type completionItem struct {
	Label         string   `json:"label"`
	Kind          int      `json:"kind"`
	Detail        string   `json:"detail,omitempty"`
	Documentation *markup  `json:"documentation,omitempty"`
	SortText      string   `json:"sortText"`
	TextEdit      textEdit `json:"textEdit"`
}

type completionList struct {
	IsIncomplete bool             `json:"isIncomplete"`
	Items        []completionItem `json:"items"`
}

type parameter struct {
	Label         any     `json:"label"` // a text, or where it stands in the signature
	Documentation *markup `json:"documentation,omitempty"`
}

type signature struct {
	Label         string      `json:"label"`
	Documentation *markup     `json:"documentation,omitempty"`
	Parameters    []parameter `json:"parameters"`
}

type signatureHelp struct {
	Signatures      []signature `json:"signatures"`
	ActiveSignature int         `json:"activeSignature"`
	ActiveParameter int         `json:"activeParameter"`
}

type documentSymbol struct {
	Name           string           `json:"name"`
	Kind           int              `json:"kind"`
	Range          span             `json:"range"`
	SelectionRange span             `json:"selectionRange"`
	Children       []documentSymbol `json:"children,omitempty"`
}

type symbolInformation struct {
	Name     string   `json:"name"`
	Kind     int      `json:"kind"`
	Location location `json:"location"`
}

// capabilities is what the server can do.
func (s *server) capabilities() any {
	type object = map[string]any
	encoding := "utf-16"
	if s.bytes {
		encoding = "utf-8"
	}
	return object{
		"capabilities": object{
			"positionEncoding":           encoding,
			"textDocumentSync":           object{"openClose": true, "change": 2, "save": object{"includeText": false}},
			"completionProvider":         object{"triggerCharacters": []string{".", `"`, "'", "/", "@"}},
			"signatureHelpProvider":      object{"triggerCharacters": []string{"(", ","}, "retriggerCharacters": []string{"=", " "}},
			"hoverProvider":              true,
			"definitionProvider":         true,
			"documentSymbolProvider":     true,
			"documentFormattingProvider": true,
		},
		"serverInfo": object{"name": "omniexpect", "version": s.Version},
	}
}
