package lsp

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"go.starlark.net/syntax"

	"omniexpect/internal/assist"
	"omniexpect/internal/check"
	"omniexpect/internal/interp"
)

// unchecked returns a document that has to be checked, one that has changed before those that only load it, or nil.
func (s *server) unchecked() *document {
	var found *document
	for _, d := range s.documents {
		if d.stale && (found == nil || d.changed && !found.changed || d.changed == found.changed && d.uri < found.uri) {
			found = d
		}
	}
	return found
}

// check publishes what is wrong in a document.
func (s *server) check(d *document) error {
	d.stale = false
	found := s.diagnostics(d)
	text, err := json.Marshal(found)
	if err != nil {
		return nil
	}
	if !d.changed && string(text) == d.told {
		return nil
	}
	d.changed, d.told = false, string(text)
	return s.publish(d.uri, d.version, found)
}

func (s *server) publish(uri string, version *int, found []diagnostic) error {
	return write(s.out, notification{"2.0", "textDocument/publishDiagnostics", diagnosticsParams{uri, version, found}})
}

// diagnostics returns what is wrong in a document; a panic is a thing that is wrong.
func (s *server) diagnostics(d *document) (out []diagnostic) {
	defer func() {
		if p := recover(); p != nil {
			s.logf("%v\n%s", p, debug.Stack())
			out = []diagnostic{{Severity: 2, Source: "omniexpect", Message: fmt.Sprintf("not checked: a defect of omniexpect: %v", p)}}
		}
	}()
	out = []diagnostic{}
	if !assist.Readable(d.body) {
		return append(out, diagnostic{Severity: 2, Source: "omniexpect", Message: "not checked: the script is huge, or nested too deeply"})
	}
	findings, err := check.Text(s.Vocabulary, s.library(), d.name, d.body)
	if err != nil {
		return append(out, diagnostic{Severity: 1, Source: "omniexpect", Message: err.Error()})
	}
	for _, f := range findings {
		out = append(out, s.diagnostic(d, f))
	}
	return out
}

// diagnostic is a finding as editors show it.
func (s *server) diagnostic(d *document, f check.Finding) diagnostic {
	g := diagnostic{Severity: 1, Code: f.Rule, Source: "omniexpect", Message: f.Msg}
	if f.Hint != "" {
		g.Message += "\nhint: " + f.Hint
	}
	if f.Warning {
		g.Severity = 2
	}
	if f.Rule == "unused" {
		g.Tags = []int{1}
	}
	if f.Pos.Filename() == d.name {
		g.Range = d.marked(f.Pos)
		return g
	}
	// It is in a module: the place is where that is loaded.
	g.Message = fmt.Sprintf("%s: %s", f.Pos, g.Message)
	g.Range = s.loading(d, f.Pos.Filename())
	if s.client.Capabilities.TextDocument.PublishDiagnostics.RelatedInformation {
		if uri, err := s.uriOf(f.Pos.Filename()); err == nil {
			if body, err := s.library().Read(f.Pos.Filename()); err == nil {
				m := document{text: newText(body, s.bytes)}
				g.Related = []related{{location{uri, m.marked(f.Pos)}, f.Msg}}
			}
		}
	}
	return g
}

// marked returns what stands at a position: a word, a sign, a text up to the end of its line.
func (d *document) marked(p syntax.Position) span {
	from := assist.Offset(d.body, p)
	end := d.lineEnd(int(d.position(from).Line))
	to := min(assist.TokenEnd(d.body, from), end)
	if to <= from && from > 0 && strings.IndexByte("\r\n", d.body[from-1]) < 0 {
		from-- // at the end of a line: what is before it
		for from > 0 && d.body[from]&0xC0 == 0x80 {
			from--
		}
	}
	return d.span(from, max(from, to))
}

// loading returns where a document loads a module, directly or by way of another one.
func (s *server) loading(d *document, module string) span {
	library := s.library()
	f, err := interp.Options().Parse(d.name, d.body, 0)
	if err != nil {
		return span{}
	}
	var first, way *syntax.LoadStmt
	for _, stmt := range f.Stmts {
		load, ok := stmt.(*syntax.LoadStmt)
		if !ok {
			continue
		}
		name, err := library.Resolve(d.name, load.ModuleName())
		switch {
		case err != nil:
		case name == module:
			return d.marked(load.Module.TokenPos)
		case way == nil && s.leads(library, name, module, nil):
			way = load
		}
		if first == nil {
			first = load
		}
	}
	if way == nil {
		way = first
	}
	if way == nil {
		return span{}
	}
	return d.marked(way.Module.TokenPos)
}

// leads reports whether a module loads another one, in the end.
func (s *server) leads(l *interp.Library, from, to string, seen []string) bool {
	if from == to {
		return true
	}
	if slices.Contains(seen, from) {
		return false
	}
	body, err := l.Read(from)
	if err != nil {
		return false
	}
	f, err := interp.Options().Parse(from, body, 0)
	if err != nil {
		return false
	}
	for _, stmt := range f.Stmts {
		if load, ok := stmt.(*syntax.LoadStmt); ok {
			if name, err := l.Resolve(from, load.ModuleName()); err == nil && s.leads(l, name, to, append(seen, from)) {
				return true
			}
		}
	}
	return false
}
