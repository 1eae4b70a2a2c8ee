package screen

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// stringState is a string that is being read.
type stringState struct {
	kind  byte   // its introducer
	what  string // of a DCS: the intermediate and final bytes
	text  []byte
	param int
}

func (s *Screen) startString(kind byte) {
	s.str.kind, s.str.what, s.str.text = kind, "", s.str.text[:0]
	if kind == 'P' {
		s.str.what = s.parser.Intermediates() + string(s.parser.Final())
	}
}

// endString obeys a string that is complete.
func (s *Screen) endString(cancelled bool) {
	text := s.str.text
	if cap(text) > maxTitle {
		s.str.text = nil
	}
	if cancelled {
		return
	}
	switch {
	case s.str.kind == ']':
		s.command(text)
	case s.str.kind == 'P' && s.str.what == "$q":
		s.requestSetting(string(text))
	case s.str.kind == 'P' && s.str.what == "+q":
		s.capabilities(string(text))
	}
}

// command obeys an OSC.
func (s *Screen) command(text []byte) {
	head, rest, _ := bytes.Cut(text, []byte{';'})
	n, err := strconv.Atoi(string(head))
	if err != nil {
		if len(head) == 0 || head[0] != 'l' && head[0] != 'L' {
			return
		}
		n = map[byte]int{'l': 2, 'L': 1}[head[0]]
	}
	value := string(rest)
	switch {
	case n <= 2:
		s.setTitle(n, value)
	case n == 4 || n == 5:
		s.setColours(n, value)
	case n == 7:
		s.facts.cwd = bounded(clean(value))
	case n == 8:
		s.hyperlink(value)
	case n == 9:
		s.progressOrNotice(value)
	case n >= 10 && n <= 19:
		s.dynamicColours(n, value)
	case n == 52:
		s.clipboard(value)
	case n == 104 || n == 105:
		s.resetColours(n, value)
	case n >= 110 && n <= 119:
		s.colours.resetDynamic(n - 110)
	case n == 133:
		s.shellMark(value)
	case n == 777:
		s.notify777(value)
	case n == 7501:
		s.facts.agent = bounded(clean(value))
	}
}

// clean drops control characters and bytes that are not UTF-8.
func clean(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 || r == utf8.RuneError }) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
}

// bounded cuts a text to what is kept of one.
func bounded(text string) string {
	if len(text) <= maxTitle {
		return text
	}
	cut := maxTitle
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut]
}

// hyperlink obeys OSC 8: what is printed from now on is a link, or is not.
func (s *Screen) hyperlink(value string) {
	params, uri, ok := strings.Cut(value, ";")
	if !ok {
		return
	}
	link := Link{URI: clean(uri)}
	if len(link.URI) > maxTitle {
		link.URI = ""
	}
	if link.URI != "" {
		for p := range strings.SplitSeq(params, ":") {
			if id, ok := strings.CutPrefix(p, "id="); ok && len(id) <= 250 {
				link.ID = clean(id)
			}
		}
	}
	if s.links.full() {
		s.collectTexts()
	}
	s.pen.link = s.links.intern(link)
	s.penKnown = false
}
