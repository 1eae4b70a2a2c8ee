package builtins

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
)

// key is what a named key sends on an xterm: a text, a letter after ESC [ (or ESC O), or a number before ~.
type key struct {
	text   string
	letter byte
	ss3    bool // ESC O without modifiers, whatever the mode (F1 to F4)
	number int
}

// keyTable returns the named keys.
func keyTable() map[string]key {
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

// keyBytes returns what a key like "ctrl-c", "alt-left" or "x" sends.
func keyBytes(name, enter string, application bool) (string, error) {
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
	table := keyTable()
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
	if near := nearest(strings.ToLower(rest), names); meant == "" && near != "" {
		meant = strings.TrimSuffix(name, rest) + near
	}
	if meant != "" {
		return fmt.Errorf("%q is no key; did you mean %q?", name, meant)
	}
	return fmt.Errorf("%q is no key; there are enter, tab, esc, space, backspace, up, down, left, right, home, end, insert, delete, "+
		"pageup, pagedown, f1 to f20 and single characters, with ctrl-, alt- and shift- before them", name)
}

// respelled is a key that is written as elsewhere, like "<ctrl+c>" or "^C", in the way it is written here; "" if it is none.
func respelled(name string) string {
	plain := strings.NewReplacer("+", "-", "^", "ctrl-").Replace(strings.Trim(name, "<>"))
	if plain == name {
		return ""
	}
	if _, err := keyBytes(plain, "", false); err != nil {
		return ""
	}
	return strings.ToLower(plain)
}

// nearest returns the name with the fewest edits, if they are few.
func nearest(name string, names []string) string {
	best, least := "", max(2, len(name)/3)+1
	for _, n := range names {
		if d := edits(name, n); d < least && d < len(n) {
			best, least = n, d
		}
	}
	return best
}

// edits is the edit distance of two names.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			next := min(row[j]+1, row[j+1]+1, diagonal)
			if a[i] != b[j] {
				next = min(row[j]+1, row[j+1]+1, diagonal+1)
			}
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}

type keysArgs struct {
	Keys    starlark.Tuple `star:"*keys" doc:"names of keys: \"ctrl-c\", \"up\", \"alt-x\", \"f5\", \"shift-tab\", \"enter\", \"q\""`
	Delay   dsl.Duration   `star:"delay?,kw" doc:"pause between keys; after esc there is one of 100 ms at least, or programs take it for Alt, after ctrl-… one of 20 ms, or tmux takes what follows for a paste"`
	Timeout dsl.Duration   `star:"timeout?,kw" doc:"how long the program may take to read them"`
}

// The pauses after keys that nobody follows up at once: by that of Esc programs tell it from the beginning of another key,
// by that of a Control key, which may be a prefix, tmux tells a command from a paste.
const (
	afterEsc     = 100 * time.Millisecond
	afterControl = 20 * time.Millisecond
)

// afterKey is the pause between a key and what comes next.
func afterKey(key string) time.Duration {
	switch {
	case key == "\x1b":
		return afterEsc
	case len(key) == 1 && key[0] < ' ' && key[0] != '\r' && key[0] != '\n' && key[0] != '\t':
		return afterControl
	}
	return 0
}

func (st *State) keys(c *dsl.Call, s *Session, a keysArgs) (starlark.Value, error) {
	if err := s.usable("keys"); err != nil {
		return nil, err
	}
	if len(a.Keys) == 0 {
		return nil, fault.New(fault.Usage, `keys: no keys: say for example keys("ctrl-c")`)
	}
	if a.Delay.Forever {
		return nil, fault.New(fault.Usage, "keys: delay=None would never end")
	}
	application := s.Out.ApplicationCursor()
	var writes []string      // what goes out in one write
	var gaps []time.Duration // the pause after each
	var gap time.Duration
	for i, v := range a.Keys {
		name, ok := starlark.AsString(v)
		if !ok || name == "" {
			return nil, fault.New(fault.Usage, `keys: key %d is %s, want a name like "ctrl-c"`, i, v)
		}
		b, err := keyBytes(name, s.lineEnd(), application)
		if err != nil {
			e := fault.New(fault.Usage, "keys: %w", err)
			e.Hints = []string{"sendline() sends text, type_text() as if it were typed"}
			return nil, e
		}
		last := len(writes) - 1
		if i == 0 || gap > 0 || a.Delay.D > 0 {
			writes, gaps = append(writes, b), append(gaps, 0)
			last++
		} else {
			writes[last] += b
		}
		gap = afterKey(b)
		gaps[last] = max(gap, st.scaled(a.Delay.D))
	}
	for i, w := range writes {
		if i > 0 {
			if err := c.Wait(func(ctx context.Context) error { return pause(ctx, gaps[i-1], false) }); err != nil {
				return nil, err
			}
		}
		if err := s.send(c, w, a.Timeout, true); err != nil {
			return nil, err
		}
	}
	s.keyUntil = time.Now().Add(gap)
	return starlark.None, nil
}

type typeArgs struct {
	Text    Text         `star:"text" doc:"what to type; a line end in it is the Enter key"`
	Delay   dsl.Duration `star:"delay?" doc:"the pause between two keys, half as long to half as long again"`
	Timeout dsl.Duration `star:"timeout?,kw" doc:"how long the program may take to read each key"`
}

func (st *State) typeText(c *dsl.Call, s *Session, a typeArgs) (starlark.Value, error) {
	if err := s.usable("type_text"); err != nil {
		return nil, err
	}
	if a.Delay.Forever {
		return nil, fault.New(fault.Usage, "type_text: delay=None would never end")
	}
	shown := textOf(a.Text.v)
	text := strings.NewReplacer("\r\n", s.lineEnd(), "\n", s.lineEnd()).Replace(st.Mask.Resolve(shown))
	at := s.Out.End(false)
	for rest := text; rest != ""; {
		_, n := utf8.DecodeRuneInString(rest) // a byte that is no text is a key of its own
		key := rest[:n]
		if rest = rest[n:]; len(rest)+n < len(text) {
			gap := time.Duration(float64(st.scaled(a.Delay.D)) * (0.5 + rand.Float64()))
			if err := c.Wait(func(ctx context.Context) error { return pause(ctx, gap, false) }); err != nil {
				return nil, err
			}
		}
		if err := s.send(c, key, a.Timeout, false); err != nil {
			return nil, err
		}
	}
	s.lastSent, s.sentAt = shown, at
	return starlark.None, nil
}

type pasteArgs struct {
	Text    Text         `star:"text" doc:"what is pasted; nothing presses Enter after it"`
	Timeout dsl.Duration `star:"timeout?" doc:"how long the program may take to read it"`
	Force   bool         `star:"force?,kw" doc:"send a line that is longer than the terminal takes"`
}

// paste sends text as a terminal does from its clipboard: line ends as the Enter key sends them, between brackets where
// the program asked for that, and without the closing bracket inside, which would let the rest pass for typing.
func (st *State) paste(c *dsl.Call, s *Session, a pasteArgs) (starlark.Value, error) {
	if err := s.usable("paste"); err != nil {
		return nil, err
	}
	text := textOf(a.Text.v)
	if !s.Pipes && !s.Raw {
		text = strings.NewReplacer("\r\n", "\r", "\n", "\r").Replace(text)
	}
	return starlark.None, s.send(c, s.bracketed(text), a.Timeout, a.Force)
}

func (st *State) keyMethods() []*dsl.Func {
	return []*dsl.Func{
		dsl.Method("Session", "keys", "None", `Press keys by name, as an xterm sends them: ctrl-c, alt-x, shift-tab, up, pagedown, f5, enter, esc, or a single character. Arrow keys follow the mode that the program has chosen.`,
			`s = spawn("cat")
s.keys("h", "i", "x", "backspace", "enter")
s.expect("\nhi\n")
s.keys("ctrl-c")
assert.eq(s.wait().signal, "SIGINT")`, keysArgs{Timeout: sessionTimeout(), Delay: dsl.Seconds(0)}, st.keys),
		dsl.Method("Session", "type_text", "None", `Type a text key by key with pauses, as a person does. A line end in it is the Enter key.`,
			`s = spawn("cat")
s.type_text("hi\n", 0.01)
s.expect("hi\nhi\n")`, typeArgs{Delay: dsl.Seconds(0.05), Timeout: sessionTimeout()}, st.typeText),
		dsl.Method("Session", "paste", "None", `Paste a text, in brackets where the program asked for bracketed paste. Nothing presses Enter after it.`,
			`s = spawn("cat", echo = False)
s.paste("one\ntwo\n")
s.expect("one\ntwo\n")`, pasteArgs{Timeout: sessionTimeout()}, st.paste),
		st.sendFileMethod(),
	}
}
