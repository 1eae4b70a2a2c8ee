package builtins

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"omniexpect/internal/match"
)

// tailLength is how much of what was seen a failure shows.
const tailLength = 2000

// human writes a duration as people do.
func human(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", d.Seconds()), ".0") + "s"
	}
	s := d.Round(time.Second).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// seen describes the unread output.
func seen(unread []byte, lost int64) string {
	if len(unread) == 0 {
		return "unread output: none"
	}
	tail := match.Tail(unread, tailLength)
	head := "unread output:"
	if len(tail) < len(unread) {
		head = fmt.Sprintf("unread output, the last %d of %d bytes:", len(tail), len(unread))
	}
	if lost > 0 {
		head += fmt.Sprintf(" (%d bytes before it were dropped: the buffer was full)", lost)
	}
	return head + "\n" + visible(string(tail))
}

// visible shows control characters and what is no text.
func visible(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\n', r == '\t':
			b.WriteRune(r)
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\r':
			b.WriteString(`\r`)
		case r == 0x1b:
			b.WriteString(`\e`)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// explain says why patterns may not have matched, as far as that can be told.
func (s *Session) explain(patterns []match.Pattern, raw bool) []string {
	text, _ := s.Out.Unread(raw)
	plain, _ := s.Out.Unread(false)
	all, _ := s.Out.Output(raw)
	var hints []string
	for _, p := range patterns {
		if h := s.explainOne(p, text, plain, all, raw); h != "" {
			hints = append(hints, h)
		}
	}
	if s.Out.InString() {
		hints = append(hints, "the output stands inside an unfinished control string (an OSC or DCS without its end), which hides what follows from the text view")
	}
	return hints
}

func (s *Session) explainOne(p match.Pattern, text, plain, all []byte, raw bool) string {
	if p.Kind >= match.EOF {
		return ""
	}
	name := p.String()
	literal := match.Pattern{Kind: match.Exact, Source: p.Source}
	folded := p
	folded.IgnoreCase = true
	unended := p
	unended.Source = strings.TrimSuffix(strings.TrimSuffix(p.Source, `\n`), "\n")
	uncarried := p
	uncarried.Source = strings.NewReplacer(`\r\n`, `\n`, "\r\n", "\n", `\r`, "", "\r", "").Replace(p.Source)
	switch {
	case p.Kind == match.Regexp && found(literal, text):
		return fmt.Sprintf("%s: the text is there as it stands, but its [ ] ( ) $ . * + ? are read as a regular expression: write exact(%q)", name, p.Source)
	case raw && found(p, plain):
		return fmt.Sprintf("%s: it is there in the text view; in the raw view colour codes or line ends stand between", name)
	case found(folded, text):
		return fmt.Sprintf("%s: it is there in other case: write regex(…, ignore_case=True)", name)
	case uncarried.Source != p.Source && !raw && found(uncarried, text):
		return fmt.Sprintf(`%s: the text view has \n for \r\n: leave the \r away, or use view="raw"`, name)
	case unended.Source != p.Source && found(unended, text):
		return fmt.Sprintf("%s: the text is there, but no line end after it", name)
	case s.lastSent != "" && found(p, []byte(s.lastSent)) && found(p, all):
		return fmt.Sprintf("%s: it was seen only in the echo of what was sent, which an earlier wait took", name)
	case found(p, all):
		return fmt.Sprintf("%s: it was in the output before, and an earlier wait consumed it", name)
	}
	return ""
}

// found says whether a pattern is in a text. It explains; it decides no match.
func found(p match.Pattern, text []byte) bool {
	expr := p.Source
	if p.Kind == match.Exact || p.Kind == match.Bytes {
		expr = regexp.QuoteMeta(expr)
	}
	if p.Kind == match.Glob || expr == "" {
		return false
	}
	if p.IgnoreCase {
		expr = "(?i)" + expr
	}
	re, err := regexp.Compile(expr)
	return err == nil && re.Match(text)
}
