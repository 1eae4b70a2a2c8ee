package builtins

import (
	"fmt"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// What a YAML document may have. Its parser needs memory for each level times the levels around it, and copies what an
// alias stands for.
const (
	yamlDeepest = 1000
	yamlMost    = 5_000_000
)

// yamlTooMuch returns where a document goes beyond what it may have, and in what.
func yamlTooMuch(text string) (at *token.Position, why string) {
	tokens := lexer.Tokenize(text)
	if len(tokens) > yamlMost {
		return tokens[yamlMost].Position, fmt.Sprintf("more than %d tokens", yamlMost)
	}
	flow, inRow, row, aliases := 0, 0, 0, false
	for _, t := range tokens {
		if t.Position.Line != row {
			row, inRow = t.Position.Line, 0
		}
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow--
		case token.SequenceEntryType, token.MappingKeyType, token.AnchorType, token.TagType:
			if flow == 0 {
				inRow++ // "- - - x" goes down a level with each
			}
		case token.AliasType:
			aliases = true
		}
		if flow > yamlDeepest || inRow > yamlDeepest {
			return t.Position, fmt.Sprintf("nested more than %d levels deep", yamlDeepest)
		}
	}
	if !aliases {
		return nil, ""
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		return nil, "" // whoever decodes it says so
	}
	e := expansion{anchors: map[string]int{}}
	for _, doc := range file.Docs {
		if doc.Body != nil {
			e.size(doc.Body)
		}
	}
	if e.at != nil {
		return e.at, fmt.Sprintf("more than %d values, once each alias stands for its own", yamlMost)
	}
	return nil, ""
}

// expansion counts the values of a document whose aliases are replaced by what they stand for.
type expansion struct {
	anchors map[string]int
	at      *token.Position // where there are too many
}

func (e *expansion) size(n ast.Node) int {
	total := 1
	add := func(n ast.Node) {
		if n == nil || e.at != nil {
			return
		}
		if total += e.size(n); total > yamlMost && e.at == nil {
			e.at = n.GetToken().Position
		}
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		for _, v := range n.Values {
			add(v)
		}
	case *ast.MappingValueNode:
		add(n.Key)
		add(n.Value)
	case *ast.SequenceNode:
		for _, v := range n.Values {
			add(v)
		}
	case *ast.TagNode:
		add(n.Value)
	case *ast.AnchorNode:
		add(n.Value)
		e.anchors[n.Name.GetToken().Value] = total
	case *ast.AliasNode:
		total = max(1, e.anchors[n.Value.GetToken().Value])
	}
	return total
}
