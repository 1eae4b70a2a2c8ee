package repl

import (
	"regexp"
	"strings"
)

// place is where in a statement the cursor stands.
type place struct {
	quote  string // the quotes of the text it is in; "" outside of texts
	text   string // of that text, what stands in front of the cursor
	callee string // the innermost call around it, as it is written; ""
	nth    int    // which argument of that
	given  []string
	note   bool // a comment
}

// placeOf reads what stands in front of the cursor.
func placeOf(before string) place {
	around := []place{{}} // what is open, outermost first; the first is the statement itself
	for i := 0; i < len(before); {
		top := &around[len(around)-1]
		switch c := before[i]; {
		case c == '#':
			end := strings.IndexByte(before[i:], '\n')
			if end < 0 {
				return place{note: true}
			}
			i += end
			continue
		case c == '"' || c == '\'':
			quote, end := quoted(before[i:])
			if i+end >= len(before) {
				p := *top
				p.quote, p.text = quote, before[min(i+len(quote), len(before)):]
				return p
			}
			i += end + len(quote)
			continue
		case c == '(':
			around = append(around, place{callee: receiver(before[:i])})
		case c == '[' || c == '{':
			around = append(around, place{})
		case c == ')' || c == ']' || c == '}':
			around = around[:max(1, len(around)-1)]
		case c == ',':
			top.nth++
		case c == '=' && len(around) > 1 && !strings.HasPrefix(before[i:], "=="):
			if m := regexp.MustCompile(`(\w+)\s*$`).FindStringSubmatch(before[:i]); m != nil {
				top.given = append(top.given, m[1])
			}
		}
		i++
	}
	return around[len(around)-1]
}

// quoted returns the quotes that a text begins with, and where they stand again; its length, or more, if nowhere.
func quoted(text string) (quote string, end int) {
	quote = text[:1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(text, triple) {
		quote = triple
	}
	end = len(quote)
	for end < len(text) && !strings.HasPrefix(text[end:], quote) {
		if text[end] == '\\' {
			end++
		}
		end++
	}
	return quote, end
}

// receiver returns the expression that ends a text: names, dots, calls and indices of it.
func receiver(text string) string {
	i := len(text)
	for i > 0 {
		switch c := text[i-1]; {
		case c == ')' || c == ']':
			j := opening(text[:i])
			if j < 0 {
				return ""
			}
			i = j
		case c == '.' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			i--
		case c == '"' || c == '\'':
			j := strings.LastIndexByte(text[:i-1], c)
			if j < 0 {
				return ""
			}
			return text[j:]
		default:
			return text[i:]
		}
	}
	return text
}

// opening returns where the bracket begins that ends a text. Texts inside are taken as they come.
func opening(text string) int {
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
