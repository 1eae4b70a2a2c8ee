package builtins

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
)

// yamlKeyLimit is how long a key may be that stands in front of its colon. YAML's own bound is 1024.
const yamlKeyLimit = 1000

// yamlWriter writes a value so that every reader finds the same one again: texts that a reader of YAML 1.1 or 1.2 could take
// for something else are quoted.
type yamlWriter struct {
	st   *State
	pace *dsl.Pace
	out  strings.Builder
}

// write adds a value. It begins where the line has come to; what follows on further lines is indented. A collection that is
// not empty begins on the next line if the value has a key.
func (w *yamlWriter) write(v starlark.Value, indent int, keyed bool) error {
	if err := w.pace.Step(2); err != nil {
		return err
	}
	switch v := v.(type) {
	case *starlark.Dict:
		if v.Len() == 0 {
			w.put(keyed, "{}\n")
			return nil
		}
		if keyed {
			w.out.WriteByte('\n')
			indent += 2
			w.indent(indent)
		}
		return w.mapping(v, indent)
	case *starlark.List, starlark.Tuple:
		list := v.(starlark.Indexable)
		if list.Len() == 0 {
			w.put(keyed, "[]\n")
			return nil
		}
		if keyed {
			w.out.WriteByte('\n')
			w.indent(indent)
		}
		for i := range list.Len() {
			if i > 0 {
				w.indent(indent)
			}
			w.out.WriteString("- ")
			if err := w.write(list.Index(i), indent+2, false); err != nil {
				return err
			}
		}
		return nil
	}
	text, err := w.scalar(v, indent, true)
	if err == nil {
		w.put(keyed, text+"\n")
	}
	return err
}

// put adds what stands on the line of its key.
func (w *yamlWriter) put(keyed bool, text string) {
	if keyed {
		w.out.WriteByte(' ')
	}
	w.out.WriteString(text)
}

func (w *yamlWriter) indent(n int) {
	for range n {
		w.out.WriteByte(' ')
	}
}

func (w *yamlWriter) mapping(d *starlark.Dict, indent int) error {
	first := true
	for k, v := range d.Entries() {
		if !first {
			w.indent(indent)
		}
		first = false
		if err := w.key(k, indent); err != nil {
			return err
		}
		if err := w.write(v, indent, true); err != nil {
			return err
		}
	}
	return nil
}

// key adds a key and its colon.
func (w *yamlWriter) key(k starlark.Value, indent int) error {
	if t, ok := k.(starlark.Tuple); !ok || len(t) == 0 {
		text := "[]"
		var err error
		if !ok {
			text, err = w.scalar(k, indent, false)
		}
		if err != nil {
			return err
		}
		if utf8.RuneCountInString(text) <= yamlKeyLimit {
			w.out.WriteString(text + ":")
			return nil
		}
	}
	w.out.WriteString("? ")
	if err := w.write(k, indent+2, false); err != nil {
		return err
	}
	w.indent(indent)
	w.out.WriteByte(':')
	return nil
}

// scalar returns how a value is written that holds no others; a text as a block of lines only where that may be.
func (w *yamlWriter) scalar(v starlark.Value, indent int, block bool) (string, error) {
	switch v := v.(type) {
	case starlark.NoneType:
		return "null", nil
	case starlark.Bool:
		return strconv.FormatBool(bool(v)), nil
	case starlark.Int:
		return v.String(), nil
	case starlark.Float:
		return yamlFloatText(float64(v)), nil
	case secretValue:
		return w.text(v.placeholder, indent, block)
	case starlark.String:
		return w.text(string(v), indent, block)
	}
	return "", fmt.Errorf("%s cannot be written: want None, bool, numbers, texts, lists and dicts", v.Type())
}

// yamlFloatText is a float that readers of YAML 1.1, who want a point and the exponent's sign, take for one too.
func yamlFloatText(f float64) string {
	switch {
	case math.IsNaN(f):
		return ".nan"
	case math.IsInf(f, 0):
		return strings.TrimPrefix(fmt.Sprintf("%+.0f", f)[:1]+".inf", "+")
	}
	text := strconv.FormatFloat(f, 'g', -1, 64)
	number, exponent, scaled := strings.Cut(text, "e")
	if !strings.Contains(number, ".") {
		number += ".0"
	}
	if scaled {
		number += "e" + exponent
	}
	return number
}

// text returns how a text is written. One with a secret in it is quoted, and so is the secret.
func (w *yamlWriter) text(s string, indent int, block bool) (string, error) {
	whole := w.st.Mask.Resolve(s)
	if err := w.pace.Step(1 + len(whole)/16); err != nil {
		return "", err
	}
	if !utf8.ValidString(whole) {
		return "", fmt.Errorf("a text that is not UTF-8, and YAML has nothing else: base64.encode keeps bytes")
	}
	switch {
	case whole != s:
		return `"` + w.st.Mask.Spelled(s, yamlEscaped) + `"`, nil
	case yamlPlain(s):
		return s, nil
	case block && yamlBlock(s):
		return yamlLines(s, indent), nil
	}
	return yamlQuoted(s), nil
}

// yamlWords are read as something else than texts, in any case, by readers of one of the versions.
const yamlWords = " ~ null true false yes no on off y n .inf .nan << = "

// yamlPlain reports whether a text is one without quotes, for all readers.
func yamlPlain(s string) bool {
	if s == "" || strings.Contains(yamlWords, " "+strings.ToLower(s)+" ") || !yamlPrintable(s) || strings.ContainsAny(s, "\t\n") {
		return false
	}
	if strings.HasPrefix(s, " ") || strings.HasSuffix(s, " ") || strings.HasSuffix(s, ":") || strings.Contains(s, ": ") || strings.Contains(s, " #") {
		return false
	}
	first, _ := utf8.DecodeRuneInString(s)
	switch {
	case unicode.IsLetter(first), strings.ContainsRune("_/$(<", first), strings.HasPrefix(s, "./"), strings.HasPrefix(s, "../"):
		return true
	case '0' <= first && first <= '9':
		// Numbers in every base, with exponents, of several places, dates and times have these only.
		return strings.Trim(s, "0123456789abcdefABCDEFxXoO+-_.,:tTzZ ") != ""
	}
	return false
}

// yamlPrintable reports whether a text has printable characters, tabs and line feeds only.
func yamlPrintable(s string) bool {
	for _, r := range s {
		if r != '\t' && r != '\n' && (!unicode.IsPrint(r) || r == utf8.RuneError) {
			return false
		}
	}
	return true
}

// yamlBlock reports whether a text can be written as lines: there are some, and none begins or ends so that a reader would
// have to guess.
func yamlBlock(s string) bool {
	if !strings.Contains(s, "\n") || strings.Trim(s, "\n") == "" || strings.HasPrefix(s, "\n") || !yamlPrintable(s) {
		return false
	}
	for line := range strings.SplitSeq(s, "\n") {
		if line != "" && strings.Trim(line, " \t") == "" {
			return false
		}
	}
	return s[0] != ' ' && s[0] != '\t'
}

// yamlLines is a text as a block of lines, in a value that is indented.
func yamlLines(s string, indent int) string {
	head := "|-"
	if strings.HasSuffix(s, "\n\n") {
		head = "|+"
	} else if strings.HasSuffix(s, "\n") {
		head = "|"
	}
	var b strings.Builder
	b.WriteString(head)
	margin := strings.Repeat(" ", indent+2)
	for line := range strings.SplitSeq(strings.TrimSuffix(s, "\n"), "\n") {
		b.WriteByte('\n')
		if line != "" {
			b.WriteString(margin + line)
		}
	}
	return b.String()
}

// yamlQuoted is a text in double quotes.
func yamlQuoted(s string) string { return `"` + yamlEscaped(s) + `"` }

// yamlEscaped is a text as it stands between double quotes.
func yamlEscaped(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}
