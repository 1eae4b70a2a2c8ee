package lsp

import (
	"fmt"
	"strings"
)

// document is a text that is open in the editor.
type document struct {
	text
	uri     string
	name    string // as its library knows it
	version *int
	stale   bool   // not checked since it changed
	changed bool   // what was published is about another text
	told    string // what was published
}

func (s *server) document(uri string) (*document, error) {
	d := s.documents[uri]
	if d == nil {
		return nil, &rpcError{invalidParams, fmt.Sprintf("the document %q is not open", uri)}
	}
	return d, nil
}

func (s *server) didOpen(p openParams) (any, error) {
	d := p.TextDocument
	s.documents[d.URI] = &document{text: newText(d.Text, s.bytes), uri: d.URI, name: s.nameOf(d.URI), version: d.Version,
		stale: true, changed: true}
	return nil, s.recheck(d.URI)
}

func (s *server) didChange(p changeParams) (any, error) {
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	for _, c := range p.ContentChanges {
		d.text = d.edit(c)
	}
	d.version, d.stale, d.changed = p.TextDocument.Version, true, true
	return nil, s.recheck(d.uri)
}

func (s *server) didSave(placeParams) (any, error) { return nil, s.recheck("") }

func (s *server) didClose(p placeParams) (any, error) {
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	delete(s.documents, d.uri)
	if err := s.recheck(d.uri); err != nil {
		return nil, err
	}
	return nil, s.publish(d.uri, nil, []diagnostic{})
}

// recheck has the documents checked again that may load another one, which has changed.
func (s *server) recheck(except string) error {
	for _, d := range s.documents {
		if d.uri != except && strings.Contains(d.body, "load") {
			d.stale = true
		}
	}
	return nil
}
