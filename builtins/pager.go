package builtins

import (
	"fmt"
	"regexp"
	"strings"

	"omniexpect/internal/explain"
	"omniexpect/internal/match"
)

// pagerTail is how much of the end of an output is looked at for a pager's prompt.
const pagerTail = 200

// paged reports that a pager waits for a key, if the output ends as one's does.
func (s *Session) paged() []string {
	if s.gone() {
		return nil
	}
	text, _ := s.Out.Since(s.Out.End(false) - pagerTail)
	prompt := explain.PagerPrompt(string(match.Tail(text, pagerTail)))
	if prompt == "" {
		return nil
	}
	return []string{fmt.Sprintf("the output ends in %q, as that of a pager does that waits for a key: switch it off, with env = {\"PAGER\": \"cat\"}, "+
		"pty = False, or the program's own way (git --no-pager, terminal length 0); or answer it, expect({%q: [\" \", CONTINUE], …})",
		prompt, regexp.QuoteMeta(prompt))}
}

// tabbed reports that a tab was a key, if the newest line had one and the program edits its lines.
func (s *Session) tabbed() []string {
	if !strings.Contains(s.lastSent, "\t") || !s.HasTerminal() || s.canonical() || s.gone() {
		return nil
	}
	return []string{"what was sent has a tab in it, which is a key for a program that edits its lines, as Tab completes: paste(text) sends it as text " +
		"to programs that take pastes, and cmd() does"}
}
