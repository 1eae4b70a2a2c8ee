package mask

import "strings"

// pieces replaces what is left of placeholders that a script has cut: an index, a slice or a split of a text may do that,
// and nobody wants to read the rest. A piece is known by one of its two runes, or by the whole of the run's mark.
func (m *Masker) pieces(text string) string {
	body := strings.TrimPrefix(m.head, opening) // secret.MARK.
	id := strings.TrimPrefix(body, "secret.")
	if !strings.Contains(text, opening) && !strings.Contains(text, closing) && !strings.Contains(text, id) {
		return text
	}
	var b strings.Builder
	for text != "" {
		from, to := piece(text, m.head, id)
		if from < 0 {
			break
		}
		b.WriteString(text[:from] + Mark)
		text = text[to:]
	}
	return b.String() + text
}

// piece finds the first piece of a placeholder.
func piece(text, head, id string) (from, to int) {
	from = -1
	at := func(i int) bool { return i >= 0 && (from < 0 || i < from) }
	if i := strings.Index(text, opening); at(i) {
		from, to = i, i+common(text[i:], head)
	}
	if i := strings.Index(text, id); at(i) {
		from = i - commonEnd(text[:i], strings.TrimSuffix(head, id))
		to = i + len(id)
		to += len(digits(text[to:]))
		to += common(text[to:], closing)
	}
	if i := strings.Index(text, closing); at(i) {
		from, to = i, i+len(closing)
		for from > 0 && text[from-1] >= '0' && text[from-1] <= '9' {
			from--
		}
		from -= commonEnd(text[:from], head)
	}
	return from, to
}

func digits(s string) string { return s[:len(s)-len(strings.TrimLeft(s, "0123456789"))] }

// common is the length of what two texts begin with alike, commonEnd of what they end with.
func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func commonEnd(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
