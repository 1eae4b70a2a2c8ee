// Package mask keeps secrets out of everything that is shown.
//
// A script never handles a secret's value: Add gives it a placeholder, a text that survives formatting, and Resolve puts
// the values back in the last moment before something is sent. Mask turns placeholders into "***", and also the values
// themselves wherever a program or a server echoes them.
//
// What Mask finds of a value, besides the value itself, with any mixture of these from one character to the next:
//
//	base64        standard and URL alphabet, padded or not, whole or inside a longer text at any alignment, as the
//	              password in a Basic authorization
//	URL           any bytes as %XX, a blank as "+"
//	HTML, XML     any characters as &#N; and &#xN;, with their names in HTML; their & escaped once more, by HTML or JSON
//	mail          any bytes as =XX, soft line ends between
//	JSON, Python  any characters as \uXXXX, \UXXXXXXXX, \u{X}, any bytes as \xXX, or as a short escape; quoted again and
//	              again, with any number of backslashes
//	shell, SQL    any of the characters that mean something to a shell behind a backslash, a quote as '\'' or '"'"', as
//	              shells write a word when they trace a command or are asked to quote one; a quote doubled
//	controls      as ^X, also quoted with Ctrl-V, as terminals echo them; as \xXX, \OOO and \e
//	hexadecimal   in either case, the bytes joined or apart as in dumps
//	UTF-16        of either byte order; Latin 1
//	lines         of a value with several lines (a PEM key) each line of 8 characters or more; a line end is LF, CRLF or
//	              CR
//
// Between any two characters of all these may stand what is not seen there: escape and control sequences and control
// strings, as internal/vt reads them, also quoted ones (\x1b[1m); what terminals swallow, as NUL; characters without a
// width; backspaces with the character once more; and up to four pieces of what is written at the right margin, each a
// CR, an LF, a blank and CR, or the next character and CR (it comes again on the next row). An occurrence that is drawn
// with more than 32 KiB of that is given up.
//
// Values shorter than 4 characters would mask half of every text: only their placeholders are masked. Not found are
// values that were compressed, encrypted, encoded twice in other ways, cut in two by other text, or written in another case.
//
// All bytes that belong to any occurrence are masked: overlapping ones become a single "***". A stream gives the same
// through a Writer, however it is chopped.
package mask

import (
	"crypto/rand"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// Mark is what a secret looks like.
const Mark = "***"

// The runes around a placeholder, from a private use area.
const (
	opening = "\uE0F0"
	closing = "\uE0F1"
)

// MinValue is how many characters a value has at least that is masked where it stands by itself, without white space
// around it; minLine is the same for a line of a value.
const (
	MinValue = 4
	minLine  = 8
)

// Hides reports whether a secret's value is masked where others write it, and not only its placeholder.
func Hides(value string) bool { return utf8.RuneCountInString(strings.TrimSpace(value)) >= MinValue }

// Masker holds the secrets of one run. It is safe for concurrent use.
type Masker struct {
	head string                // how every placeholder of this run begins; made with the first secret
	set  atomic.Pointer[forms] // nil without secrets

	mu     sync.Mutex
	values []string       // by number
	number map[string]int // of a value
	spelt  map[spelling]int
	origin map[int]string // of a spelling: the placeholder whose value it spells
}

// spelling is how an encoder writes the value of a placeholder.
type spelling struct{ text, of string }

// New returns a masker without secrets.
func New() *Masker {
	return &Masker{number: map[string]int{}}
}

// Add makes a value a secret and returns its placeholder, which is the same for the same value. What was written before
// is not masked afterwards.
func (m *Masker) Add(value string) (placeholder string) {
	value = m.Resolve(value)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.head == "" {
		m.head = opening + "secret." + rand.Text()[:12] + "."
	}
	n, known := m.number[value]
	if !known {
		n = m.keep(value)
		m.number[value] = n
	}
	return m.placeholder(n)
}

// keep gives a value a number, and hides it from now on.
func (m *Masker) keep(value string) (n int) {
	n = len(m.values)
	m.values = append(m.values, value)
	m.set.Store(m.set.Load().with(m.placeholder(n), value))
	return n
}

func (m *Masker) placeholder(n int) string { return m.head + strconv.Itoa(n) + closing }

// Spelled returns a text as an encoder writes it, which spells it character by character. A secret in it whose value is
// spelled otherwise gets a placeholder for that; Original turns it back. Their number does not grow with the texts.
func (m *Masker) Spelled(text string, spell func(string) string) string {
	return m.replace(text, spell, func(n int) (string, bool) {
		if spelled := spell(m.values[n]); spelled != m.values[n] {
			n = m.spelling(spelling{spelled, m.placeholder(n)})
		}
		return m.placeholder(n), true
	})
}

// spelling returns the number of a spelling. The lock is held.
func (m *Masker) spelling(key spelling) (n int) {
	n, known := m.spelt[key]
	if known {
		return n
	}
	if n = m.keep(key.text); m.spelt == nil {
		m.spelt, m.origin = map[spelling]int{}, map[int]string{}
	}
	m.spelt[key], m.origin[n] = n, key.of
	return n
}

// Original replaces every placeholder that Spelled has made by the one whose value it spells.
func (m *Masker) Original(text string) string {
	return m.replace(text, same, func(n int) (string, bool) { of, ok := m.origin[n]; return of, ok })
}

func same(text string) string { return text }

// Active reports whether there is any secret; without one, Mask returns its argument.
func (m *Masker) Active() bool { return m.set.Load() != nil }

// Resolve replaces every placeholder of this run by its value.
func (m *Masker) Resolve(text string) string {
	return m.replace(text, same, func(n int) (string, bool) { return m.values[n], true })
}

// replace replaces the placeholders for which by knows something, and what stands between placeholders by what between makes
// of it.
func (m *Masker) replace(text string, between func(string) string, by func(n int) (string, bool)) string {
	if !m.Active() || !strings.Contains(text, m.head) {
		return between(text)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, m.head)
		b.WriteString(between(before))
		if !found {
			return b.String()
		}
		number, after, closed := strings.Cut(rest, closing)
		n, err := strconv.Atoi(number)
		with, ok := "", false
		if closed && err == nil && n >= 0 && n < len(m.values) {
			with, ok = by(n)
		}
		if !ok {
			b.WriteString(between(m.head))
			text = rest
			continue
		}
		b.WriteString(with)
		text = after
	}
}

// Mask replaces every secret in a text by Mark.
func (m *Masker) Mask(text string) string {
	set := m.set.Load()
	if set == nil {
		return text
	}
	s := scanner{set: set}
	var out []byte
	out = s.scan(out, []byte(text))
	out = s.flush(out)
	if !s.found {
		return m.pieces(text)
	}
	return m.pieces(string(out))
}

// minExcerpt is how many characters of a secret make its beginning one at the end of an excerpt.
const minExcerpt = 3

// Excerpt masks a text that may go on, as the output of a program that still runs: what has several characters of a
// secret's beginning at the end is masked, too.
func (m *Masker) Excerpt(text string) string {
	return m.Behind("", text, true)
}

// Behind masks the text that came after another one, in which a secret may have begun. more says that it may go on, as for
// Excerpt.
func (m *Masker) Behind(before, text string, more bool) string {
	set := m.set.Load()
	if set == nil {
		return text
	}
	s := scanner{set: set, held: []byte(before + text)}
	s.read(s.held)
	if at := s.certain(minExcerpt); more && at < s.pos {
		s.mask(at, s.pos)
	}
	s.write(nil, len(before))
	var out []byte
	if s.covered > len(before) {
		out = append(out, Mark...)
	}
	return m.pieces(string(s.flush(out)))
}

// Spans returns where the secrets of a text begin and end.
func (m *Masker) Spans(text string) (list [][2]int) {
	set := m.set.Load()
	if set == nil {
		return nil
	}
	s := scanner{set: set}
	s.read([]byte(text))
	for _, at := range s.spans {
		list = append(list, [2]int{at.from, at.to})
	}
	return list
}

// with returns the forms together with those of one more secret.
func (f *forms) with(placeholder, value string) *forms {
	b := newBuilder(f)
	b.text(placeholder)
	seen := map[string]bool{}
	add := func(v string) {
		if utf8.RuneCountInString(v) < MinValue || seen[v] {
			return
		}
		seen[v] = true
		b.text(v)
		b.base64(v)
		b.hex(v)
		b.wide(v)
	}
	add(value)
	trimmed := strings.TrimSpace(value)
	add(trimmed) // read from a file, with its line end
	if strings.ContainsAny(trimmed, "\r\n") {
		for line := range strings.FieldsFuncSeq(trimmed, func(r rune) bool { return r == '\r' || r == '\n' }) {
			line = strings.TrimSpace(line)
			if utf8.RuneCountInString(line) >= minLine && !seen[line] {
				seen[line] = true
				b.text(line)
			}
		}
	}
	return b.done()
}
