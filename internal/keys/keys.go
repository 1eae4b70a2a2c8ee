// Package keys is what the keys of a terminal send, by their names.
package keys

import (
	"fmt"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"omniexpect/internal/spell"
)

// key is what a named key sends on an xterm: a text, a letter after ESC [ (or ESC O), or a number before ~.
type key struct {
	text   string
	letter byte
	ss3    bool // ESC O without modifiers, whatever the mode (F1 to F4)
	number int
}

// named returns the named keys.
func named() map[string]key {
	t := map[string]key{
		"tab": {text: "\t"}, "esc": {text: "\x1b"}, "escape": {text: "\x1b"}, "space": {text: " "},
		"backspace": {text: "\x7f"},
		"up":        {letter: 'A'}, "down": {letter: 'B'}, "right": {letter: 'C'}, "left": {letter: 'D'},
		"home": {letter: 'H'}, "end": {letter: 'F'},
		"insert": {number: 2}, "delete": {number: 3}, "pageup": {number: 5}, "pagedown": {number: 6},
	}
	t["ins"], t["del"], t["pgup"], t["pgdn"] = t["insert"], t["delete"], t["pageup"], t["pagedown"]
	for i, c := range "PQRS" {
		t[fmt.Sprintf("f%d", i+1)] = key{letter: byte(c), ss3: true}
	}
	for i, n := range []int{15, 17, 18, 19, 20, 21, 23, 24, 25, 26, 28, 29, 31, 32, 33, 34} {
		t[fmt.Sprintf("f%d", i+5)] = key{number: n}
	}
	return t
}

// The modifiers, as xterm numbers them.
const (
	modShift = 1
	modAlt   = 2
	modCtrl  = 4
)

// Bytes returns what a key like "ctrl-c", "alt-left" or "x" sends. The Enter key sends enter; application is the mode in which
// the arrow keys send something else.
func Bytes(name, enter string, application bool) (string, error) {
	rest, mods := name, 0
	for {
		prefix, after, ok := strings.Cut(rest, "-")
		if !ok || after == "" {
			break
		}
		m := map[string]int{"shift": modShift, "s": modShift, "alt": modAlt, "meta": modAlt, "m": modAlt, "ctrl": modCtrl,
			"control": modCtrl, "c": modCtrl}[strings.ToLower(prefix)]
		if m == 0 {
			break
		}
		mods |= m
		rest = after
	}
	if utf8.RuneCountInString(rest) == 1 {
		return charKey(name, rest, mods)
	}
	low := strings.ToLower(rest)
	table := named()
	table["enter"], table["return"] = key{text: enter}, key{text: enter}
	k, known := table[low]
	switch {
	case !known:
		return "", unknownKey(name, rest, table)
	case k.text != "":
		return textKey(k.text, low, mods), nil
	case k.number > 0 && mods == 0:
		return fmt.Sprintf("\x1b[%d~", k.number), nil
	case k.number > 0:
		return fmt.Sprintf("\x1b[%d;%d~", k.number, mods+1), nil
	case mods > 0:
		return fmt.Sprintf("\x1b[1;%d%c", mods+1, k.letter), nil
	case k.ss3 || application:
		return "\x1bO" + string(k.letter), nil
	}
	return "\x1b[" + string(k.letter), nil
}

// charKey is a key of one character.
func charKey(name, char string, mods int) (string, error) {
	if mods&modShift != 0 {
		char = strings.ToUpper(char)
	}
	if mods&modCtrl != 0 {
		c := strings.ToUpper(char)[0]
		switch {
		case len(char) == 1 && c >= '@' && c <= '_':
			char = string(rune(c & 0x1f))
		case char == "?":
			char = "\x7f"
		case char == "/" || char == "-":
			char = "\x1f"
		default:
			return "", fmt.Errorf("%q: a terminal has no such key: Ctrl goes with letters and with @ [ \\ ] ^ _ ? /", name)
		}
	}
	if mods&modAlt != 0 {
		char = "\x1b" + char
	}
	return char, nil
}

// textKey applies modifiers to a key that sends a character.
func textKey(text, name string, mods int) string {
	switch {
	case name == "tab" && mods&modShift != 0:
		text = "\x1b[Z"
	case name == "space" && mods&modCtrl != 0:
		text = "\x00"
	case name == "backspace" && mods&modCtrl != 0:
		text = "\x08"
	}
	if mods&modAlt != 0 {
		text = "\x1b" + text
	}
	return text
}

func unknownKey(name, rest string, table map[string]key) error {
	names := make([]string, 0, len(table))
	for n := range table {
		names = append(names, n)
	}
	sort.Strings(names)
	meant := respelled(name)
	if near := spell.Nearest(rest, names); meant == "" && near != "" {
		meant = strings.TrimSuffix(name, rest) + near
	}
	if meant != "" {
		return fmt.Errorf("unknown key %q; did you mean %q?", name, meant)
	}
	return fmt.Errorf("unknown key %q; there are enter, tab, esc, space, backspace, up, down, left, right, home, end, insert, delete, "+
		"pageup, pagedown, f1 to f20 and single characters, with ctrl-, alt- and shift- before them", name)
}

// respelled is a key that is written as elsewhere, like "<ctrl+c>" or "^C", in the way it is written here. It is "" for
// what is not a key there either.
func respelled(name string) string {
	plain := strings.NewReplacer("+", "-", "^", "ctrl-").Replace(strings.Trim(name, "<>"))
	if plain == name {
		return ""
	}
	if _, err := Bytes(plain, "", false); err != nil {
		return ""
	}
	return strings.ToLower(plain)
}

// The pauses after keys that nobody follows up at once: by that of Esc programs tell it from the beginning of another key,
// by that of a Control key, which may be a prefix, tmux tells a command from a paste.
const (
	afterEsc     = 100 * time.Millisecond
	afterControl = 20 * time.Millisecond
)

// Gap returns the pause between a key, by what it sends, and what comes next.
func Gap(key string) time.Duration {
	switch {
	case key == "\x1b":
		return afterEsc
	case len(key) == 1 && key[0] < ' ' && key[0] != '\r' && key[0] != '\n' && key[0] != '\t':
		return afterControl
	}
	return 0
}

// Forms returns what a terminal may send for a key: programs switch how the arrow keys are reported, and in some
// terminals also how the others are, where CapsLock and NumLock count as modifiers.
func Forms(name string) ([]string, error) {
	plain, err := Bytes(name, "\r", false)
	if err != nil {
		return nil, err
	}
	forms := []string{plain}
	if application, _ := Bytes(name, "\r", true); application != plain {
		forms = append(forms, application)
	}
	code, mods := int(plain[len(plain)-1]), 0
	switch rest := strings.TrimPrefix(plain, "\x1b"); {
	case len(rest) > 1:
		return forms, nil
	case rest != plain && rest != "":
		mods |= modAlt
	}
	switch c := plain[len(plain)-1]; {
	case c == '\r' || c == '\t' || c == 0x1b || c == 0x7f:
	case c == 0:
		code, mods = ' ', mods|modCtrl
	case c < 0x1b:
		code, mods = int(c|0x60), mods|modCtrl
	case c < ' ':
		code, mods = int(c|0x40), mods|modCtrl
	case mods == 0: // a character that is typed is never reported in another way
		return forms, nil
	}
	const capsLock, numLock = 64, 128
	for _, locks := range []int{0, capsLock, numLock, capsLock | numLock} {
		forms = append(forms, fmt.Sprintf("\x1b[%d;%du", code, mods+locks+1), fmt.Sprintf("\x1b[%d;%d:1u", code, mods+locks+1))
	}
	if mods == 0 {
		forms = append(forms, fmt.Sprintf("\x1b[%du", code))
	}
	return append(forms, fmt.Sprintf("\x1b[27;%d;%d~", mods+1, code)), nil
}
