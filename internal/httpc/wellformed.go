package httpc

import "strings"

// wellFormed makes a URL out of what people and servers write: what RFC 3986 has no place for (blanks, other letters,
// quotes, bars) becomes %XX, as browsers, curl and requests send it. What is a URL stays byte for byte, so that %2F is not
// taken for a slash.
func wellFormed(raw string) string {
	if isPlain(raw) {
		return raw
	}
	rest, fragment, hasFragment := strings.Cut(raw, "#")
	rest, query, hasQuery := strings.Cut(rest, "?")
	start := authorityEnd(rest)
	var b strings.Builder
	b.WriteString(rest[:start])
	encodeRest(&b, rest[start:])
	if hasQuery {
		b.WriteByte('?')
		encodeRest(&b, query)
	}
	if hasFragment {
		b.WriteByte('#')
		encodeRest(&b, fragment)
	}
	return b.String()
}

// fromServer makes a URL of a Location header. A server is not at hand to mend it, so that a percent sign without two
// digits stands for itself, and a tab or a line end is nothing, as in browsers.
func fromServer(raw string) string {
	raw = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(strings.Trim(raw, " "))
	var b strings.Builder
	start := authorityEnd(beforeAny(raw, "?#"))
	b.WriteString(raw[:start])
	inQuery := false // which may have a bare percent sign
	for i := start; i < len(raw); i++ {
		c := raw[i]
		inQuery = c == '?' || inQuery && c != '#'
		switch {
		case c == '%' && !inQuery && !isEscape(raw[i:]):
			b.WriteString("%25")
		case c < ' ' || c == 0x7f:
			writeEscape(&b, c)
		default:
			b.WriteByte(c)
		}
	}
	return wellFormed(b.String())
}

// isPlain reports whether nothing in a URL has to be encoded, so that nearly all of them cost nothing.
func isPlain(raw string) bool {
	for i := range len(raw) {
		if mustEncode(raw[i]) {
			return false
		}
	}
	return true
}

// authorityEnd is where the path begins.
func authorityEnd(s string) int {
	i := strings.Index(s, "//")
	if i < 0 || i > 0 && (s[i-1] != ':' || strings.ContainsAny(s[:i-1], "/:")) {
		return 0
	}
	if slash := strings.IndexByte(s[i+2:], '/'); slash >= 0 {
		return i + 2 + slash
	}
	return len(s)
}

func encodeRest(b *strings.Builder, s string) {
	for i := range len(s) {
		if c := s[i]; mustEncode(c) || c == '#' {
			writeEscape(b, c)
		} else {
			b.WriteByte(c)
		}
	}
}

func writeEscape(b *strings.Builder, c byte) {
	const digits = "0123456789ABCDEF"
	b.Write([]byte{'%', digits[c>>4], digits[c&15]})
}

// mustEncode reports whether a byte has no place in a path, a query or a fragment. Brackets have none either, but
// everybody sends a[]=1. A control character in a script's URL is a mistake that url.Parse finds.
func mustEncode(c byte) bool {
	return c == ' ' || c >= 0x80 || strings.IndexByte("\"<>\\^`{|}", c) >= 0
}

func isEscape(s string) bool { return len(s) > 2 && isHex(s[1]) && isHex(s[2]) }

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
