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
	type call struct {
		callee string
		nth    int
		given  []string
	}
	var stack []call
	for i := 0; i < len(before); {
		switch c := before[i]; {
		case c == '#':
			end := strings.IndexByte(before[i:], '\n')
			if end < 0 {
				return place{note: true}
			}
			i += end
		case c == '"' || c == '\'':
			quote := before[i : i+1]
			if strings.HasPrefix(before[i:], strings.Repeat(quote, 3)) {
				quote = strings.Repeat(quote, 3)
			}
			j := i + len(quote)
			for j < len(before) && !strings.HasPrefix(before[j:], quote) {
				if before[j] == '\\' {
					j++
				}
				j++
			}
			if j >= len(before) {
				p := place{quote: quote, text: before[min(i+len(quote), len(before)):]}
				if len(stack) > 0 {
					p.callee, p.nth, p.given = stack[len(stack)-1].callee, stack[len(stack)-1].nth, stack[len(stack)-1].given
				}
				return p
			}
			i = j + len(quote)
		case c == '(' || c == '[' || c == '{':
			callee := ""
			if c == '(' {
				callee = receiver(before[:i])
			}
			stack = append(stack, call{callee: callee})
			i++
		case c == ')' || c == ']' || c == '}':
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
			i++
		case c == ',':
			if len(stack) > 0 {
				stack[len(stack)-1].nth++
			}
			i++
		case c == '=' && len(stack) > 0:
			if m := regexp.MustCompile(`(\w+)\s*$`).FindStringSubmatch(before[:i]); m != nil && !strings.HasPrefix(before[i:], "==") {
				top := &stack[len(stack)-1]
				top.given = append(top.given, m[1])
			}
			i++
		default:
			i++
		}
	}
	if len(stack) == 0 {
		return place{}
	}
	top := stack[len(stack)-1]
	return place{callee: top.callee, nth: top.nth, given: top.given}
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
