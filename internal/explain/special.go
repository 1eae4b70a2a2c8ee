package explain

import (
	"fmt"
	"strings"

	"omniexpect/internal/lazy"
	"omniexpect/internal/match"
)

// bracketed matches a character class that looks like a word in brackets.
var bracketed = lazy.Regexp(`\[([A-Za-z][A-Za-z0-9 _-]+)\]`)

// repeated matches a sign of repetition after a letter or a digit.
var repeated = lazy.Regexp(`([A-Za-z0-9])([*+?])`)

// special looks for characters that the writer meant as they stand.
func (e Evidence) special(p match.Pattern) string {
	if p.Kind != match.Regexp && p.Kind != match.Glob {
		return ""
	}
	there := Found(match.Pattern{Kind: match.Exact, Source: p.Source}, e.Unread)
	if p.Kind == match.Glob {
		if there {
			return fmt.Sprintf("the output has this text literally, but * ? and [ ] are wildcards in a glob: write exact(%q)", p.Source)
		}
		return ""
	}
	if there {
		return fmt.Sprintf("the output has this text literally, but [ ] ( ) $ . * + ? are special in a regular expression: write exact(%q)", p.Source)
	}
	if strings.Contains(p.Source, `\\`) {
		return ""
	}
	meant := meanings()
	for _, a := range meant {
		if e.as(p, a.literal) {
			return a.what
		}
	}
	for i, a := range meant {
		for _, b := range meant[i+1:] {
			if a.what != b.what && e.as(p, func(s string) string { return b.literal(a.literal(s)) }) {
				return a.what + "; " + b.what
			}
		}
	}
	return ""
}

// as reports whether a pattern would be there if some of its characters stood for themselves.
func (e Evidence) as(p match.Pattern, literal func(string) string) bool {
	q := p
	q.Source = literal(p.Source)
	return q.Source != p.Source && Found(q, e.Unread)
}

// meaning is a kind of characters that writers take for themselves: how to write them so, and what they are else.
type meaning struct {
	literal func(string) string
	what    string
}

func meanings() []meaning {
	const dollar = "$ is the end of the text: write \\$ for the character"
	return []meaning{
		{func(s string) string { return bracketed().ReplaceAllString(s, `\[$1\]`) }, "[…] is a class of characters: write \\[ and \\] for the brackets themselves"},
		{func(s string) string { return strings.ReplaceAll(s, "$", `\$`) }, dollar},
		{func(s string) string { // the last one is meant as the end
			body, end := strings.CutSuffix(s, "$")
			if body = strings.ReplaceAll(body, "$", `\$`); end {
				body += "$"
			}
			return body
		}, dollar},
		{func(s string) string { return strings.NewReplacer("(", `\(`, ")", `\)`).Replace(s) }, "( ) make a group: write \\( and \\) for the characters"},
		{func(s string) string { return repeated().ReplaceAllString(s, `$1\$2`) }, "* + ? repeat what is before them: write \\* \\+ \\? for the characters"},
	}
}
