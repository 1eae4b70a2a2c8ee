package builtins

import (
	"strings"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/explain"
	"omniexpect/internal/match"
)

// explain returns why patterns may not have matched, as far as that can be told.
func (s *Session) explain(out *match.Stream, patterns []match.Pattern, raw bool) []string {
	e := explain.Gather(out, raw)
	e.Sent, e.Cols, e.Limit = strings.TrimRight(s.st.Mask.Resolve(s.lastSent), "\r\n"), s.Cols, s.Limit
	if e.Sent != "" && out == s.Out {
		from, to, _ := s.echoSpan()
		e.Echoed = from < to && from >= s.Out.End(false)-int64(len(e.Text))
	}
	return e.Patterns(patterns, s.st.patternName)
}

type explainArgs struct {
	Pattern Patterns `star:"pattern" doc:"the pattern that does not match"`
	viewArgs
}

func (st *State) explainCall(_ *dsl.Call, s *Session, a explainArgs) (starlark.Value, error) {
	raw, err := s.viewFor("explain", a.View, a.Pattern.list)
	if err != nil {
		return nil, err
	}
	out, err := s.streamOf("explain", a.Stream)
	if err != nil {
		return nil, err
	}
	set, err := s.compile(a.Pattern.list, raw, a.Stream)
	if err != nil {
		return nil, err
	}
	raw = set.Raw()
	unread, lost := out.Unread(raw)
	lines := s.explain(out, a.Pattern.list, raw)
	for _, p := range a.Pattern.list {
		if explain.Found(p, unread) {
			lines = append(lines, st.patternName(p)+": it is in the unread output")
		}
	}
	if len(lines) == 0 {
		lines = []string{"nothing like " + st.patternNames(a.Pattern.list) + " has been seen"}
	}
	return starlark.String(strings.Join(append(lines, s.st.seenOf(out, unread, raw, lost)), "\n")), nil
}

func (st *State) explainMethods() []*dsl.Func {
	return []*dsl.Func{
		dsl.Method("Session", "explain", "str", `Return why a pattern does not match, as a failed wait reports it: another case, special characters, line endings, text already consumed, the echo of what was sent. The unread output follows.`,
			`s = spawn("echo Ready")
s.wait_idle(0.1)
assert.contains(s.explain("ready"), "other case")`, explainArgs{}, st.explainCall).As(dsl.Current),
	}
}
