package interp

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"

	"omniexpect/internal/lazy"
)

// idiom is something that Python, or another tool, has and Starlark lacks: how the line looks, and what to write instead.
type idiom struct {
	line func() *regexp.Regexp
	hint string
}

// message is something that the parser says: pieces that tell it from others, what to say in its place, and what to write.
type message struct {
	pieces     []string
	said, hint string
}

// phrasebook is what syntax.txt has, in its order.
type phrasebook struct {
	idioms   []idiom
	messages []message
}

//go:embed syntax.txt
var phraseText string

var phrases = sync.OnceValue(func() phrasebook {
	var book phrasebook
	section := ""
	for line := range strings.Lines(phraseText) {
		line = strings.TrimSuffix(line, "\n")
		key, hint, ok := strings.Cut(line, ": ")
		switch {
		case line == "[idiom]", line == "[message]":
			section = line
		case !ok || line[0] == '#':
		case section == "[idiom]":
			book.idioms = append(book.idioms, idiom{lazy.Regexp(key), hint})
		default:
			said, rest, both := strings.Cut(hint, " =>")
			if !both {
				said, rest = "", hint
			}
			book.messages = append(book.messages, message{strings.Split(key, " | "), said, strings.TrimSpace(rest)})
		}
	}
	return book
})
