package lsp

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"

	"go.starlark.net/syntax"

	"omniexpect/internal/assist"
	"omniexpect/internal/format"
)

// documentation returns a text in a form that the editor takes: Markdown if it says so.
func documentation(text string, formats []string) *markup {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	if slices.Contains(formats, "markdown") {
		return &markup{"markdown", text}
	}
	var lines []string
	for _, l := range strings.Split(text, "\n") {
		if !strings.HasPrefix(l, "```") {
			lines = append(lines, l)
		}
	}
	return &markup{"plaintext", strings.Join(lines, "\n")}
}

func (s *server) hover(p placeParams) (any, error) {
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	h, ok := s.guide.Hover(d.name, d.body, d.offset(p.Position))
	if !ok {
		return nil, nil
	}
	return hover{*documentation(h.Markdown, s.client.Capabilities.TextDocument.Hover.ContentFormat), d.span(h.From, h.To)}, nil
}

func (s *server) completion(p placeParams) (any, error) {
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	at := d.offset(p.Position)
	list := completionList{Items: []completionItem{}}
	c := s.guide.Complete(d.name, d.body, at, func(prefix string) []assist.Item {
		return append(s.filesFor(d, prefix), assist.Embedded(s.library())...)
	})
	formats := s.client.Capabilities.TextDocument.Completion.CompletionItem.DocumentationFormat
	place := d.span(c.From, c.To)
	for _, it := range c.Items {
		list.IsIncomplete = list.IsIncomplete || it.Kind == assist.Folder
		list.Items = append(list.Items, completionItem{Label: it.Label, Kind: itemKind(it.Kind), Detail: it.Detail,
			Documentation: documentation(it.Doc, formats), SortText: fmt.Sprintf("%d%s", it.Rank, it.Label),
			TextEdit: textEdit{place, it.Insert}})
	}
	return list, nil
}

// itemKind is the number that the protocol has for a kind of item.
func itemKind(k assist.ItemKind) int {
	return map[assist.ItemKind]int{assist.Method: 2, assist.Function: 3, assist.Argument: 5, assist.Variable: 6, assist.Module: 9,
		assist.Attribute: 10, assist.Keyword: 14, assist.File: 17, assist.Folder: 19, assist.Constant: 21}[k]
}

// maxFiles is how many files are offered.
const maxFiles = 500

// filesFor lists the scripts and folders that a text in load() can go on with.
func (s *server) filesFor(d *document, prefix string) []assist.Item {
	if strings.HasPrefix(prefix, "@") || strings.HasPrefix(d.name, "@") {
		return nil
	}
	dir := path.Dir(prefix + "x")
	base := dir
	if !filepath.IsAbs(dir) {
		base = filepath.Join(filepath.Dir(d.name), filepath.FromSlash(dir))
	}
	entries, err := os.ReadDir(base)
	if err != nil {
		return nil
	}
	var out []assist.Item
	for _, e := range entries {
		label := path.Join(dir, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "."), len(out) == maxFiles:
		case e.IsDir():
			out = append(out, assist.Item{Kind: assist.Folder, Label: label + "/", Insert: label + "/", Detail: "folder"})
		case strings.HasSuffix(e.Name(), ".star") && filepath.Join(base, e.Name()) != d.name:
			out = append(out, assist.Item{Kind: assist.File, Label: label, Insert: label, Detail: "module"})
		}
	}
	return out
}

func (s *server) signatureHelp(p placeParams) (any, error) {
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	call, ok := s.guide.Sign(d.name, d.body, d.offset(p.Position))
	if !ok {
		return nil, nil
	}
	can := s.client.Capabilities.TextDocument.SignatureHelp.SignatureInformation
	help := signatureHelp{ActiveParameter: call.Active}
	for _, c := range call.Callables {
		sig := signature{Label: c.Signature, Documentation: documentation(c.Doc, can.DocumentationFormat), Parameters: []parameter{}}
		for _, q := range c.Params {
			label := any(c.Signature[q.From:q.To])
			if can.ParameterInformation.LabelOffsetSupport {
				label = [2]int{units(c.Signature[:q.From]), units(c.Signature[:q.To])}
			}
			sig.Parameters = append(sig.Parameters, parameter{label, documentation(q.Doc, nil)})
		}
		help.Signatures = append(help.Signatures, sig)
	}
	if help.ActiveParameter < 0 {
		help.ActiveParameter = len(call.Callables[0].Params) // none of them
	}
	return help, nil
}

// units is the length of a text in UTF-16.
func units(text string) int { return len(utf16.Encode([]rune(text))) }

func (s *server) definition(p placeParams) (any, error) {
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	t, ok := s.guide.Define(d.name, d.body, d.offset(p.Position))
	if !ok {
		return nil, nil
	}
	if t.File == d.name {
		return location{d.uri, d.target(t)}, nil
	}
	body, err := s.library().Read(t.File)
	if err != nil {
		return nil, err
	}
	uri, err := s.uriOf(t.File)
	if err != nil {
		return nil, err
	}
	m := document{text: newText(body, s.bytes)}
	return location{uri, m.target(t)}, nil
}

// target returns where a name stands.
func (d *document) target(t assist.Target) span {
	p := syntax.MakePosition(&t.File, t.Line, t.Col)
	end := syntax.MakePosition(&t.File, t.Line, t.Col+int32(t.Len))
	return d.span(assist.Offset(d.body, p), assist.Offset(d.body, end))
}

func (s *server) documentSymbol(p placeParams) (any, error) {
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	list := s.guide.Outline(d.name, d.body)
	if s.client.Capabilities.TextDocument.DocumentSymbol.Hierarchical {
		return d.symbols(list), nil
	}
	out := []symbolInformation{}
	for _, sym := range d.symbols(list) {
		out = append(out, symbolInformation{sym.Name, sym.Kind, location{d.uri, sym.Range}})
	}
	return out, nil
}

func (d *document) symbols(list []assist.Symbol) []documentSymbol {
	out := []documentSymbol{}
	for _, sym := range list {
		kind := 13 // a variable
		if sym.Function {
			kind = 12
		}
		name := d.target(sym.Target)
		whole := span{position{Line: name.Start.Line}, name.End}
		if end := min(int(sym.End)-1, len(d.lines)-1); end >= int(name.End.Line) {
			whole.End = d.position(d.lineEnd(end))
		}
		one := documentSymbol{Name: sym.Name, Kind: kind, Range: whole, SelectionRange: name}
		if len(sym.Inner) > 0 {
			one.Children = d.symbols(sym.Inner)
		}
		out = append(out, one)
	}
	return out
}

// formatting returns the lines that change; none if the script does not parse.
func (s *server) formatting(p placeParams) (any, error) {
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	if !assist.Readable(d.body) {
		return nil, nil
	}
	out, err := format.Source(d.name, d.body)
	if err != nil {
		s.logf("%v", err)
		return nil, nil
	}
	edits := []textEdit{}
	if out == d.body {
		return edits, nil
	}
	from := common(d.body, out)
	old, fresh := d.body[from:], out[from:]
	tail := 0
	for tail < min(len(old), len(fresh)) && old[len(old)-1-tail] == fresh[len(fresh)-1-tail] {
		tail++
	}
	// Whole lines only: the rest begins where a line does.
	at := strings.IndexByte(old[len(old)-tail:], '\n')
	if at < 0 {
		tail = 0
	} else {
		tail -= at + 1
	}
	to := len(d.body) - tail
	return append(edits, textEdit{d.span(from, to), fresh[:len(fresh)-tail]}), nil
}

// common is the length of the lines that two texts begin with.
func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return strings.LastIndexByte(a[:n], '\n') + 1
}
