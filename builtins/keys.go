package builtins

import (
	"math/rand/v2"
	"strings"
	"time"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/keys"
)

type keysArgs struct {
	Keys    starlark.Tuple `star:"*keys" doc:"names of keys: \"ctrl-c\", \"up\", \"alt-x\", \"f5\", \"shift-tab\", \"enter\", \"q\""`
	Delay   dsl.Duration   `star:"delay?,kw" doc:"pause between keys. After esc it is at least 100 ms, or programs read Alt; after ctrl-… at least 20 ms, or tmux reads a paste"`
	Timeout dsl.Duration   `star:"timeout?,kw" doc:"how long the program may take to read them"`
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
		b, err := keys.Bytes(name, s.LineEnd(), application)
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
		gap = keys.Gap(b)
		gaps[last] = max(gap, st.scaled(a.Delay.D))
	}
	for i, w := range writes {
		if i > 0 {
			if err := st.pauseFor(c, "keys: the pause between two keys", gaps[i-1], false); err != nil {
				return nil, err
			}
		}
		if err := s.send(c, w, a.Timeout, true); err != nil {
			return nil, err
		}
	}
	s.keyUntil = s.st.Clock.Now().Add(gap)
	return starlark.None, nil
}

type typeArgs struct {
	Text    Text         `star:"text" doc:"what to type; a line ending in it presses Enter"`
	Delay   dsl.Duration `star:"delay?" doc:"the average pause between two keys; each is 50 % to 150 % of it"`
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
	text := strings.NewReplacer("\r\n", s.LineEnd(), "\n", s.LineEnd()).Replace(st.Mask.Resolve(shown))
	at := s.Out.End(false)
	for rest := text; rest != ""; {
		_, n := utf8.DecodeRuneInString(rest) // a byte that is not text is a key of its own
		key := rest[:n]
		if rest = rest[n:]; len(rest)+n < len(text) {
			gap := time.Duration(float64(st.scaled(a.Delay.D)) * (0.5 + rand.Float64()))
			if err := st.pauseFor(c, "type_text: the pause between two keys", gap, false); err != nil {
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
	Text Text `star:"text" doc:"what to paste"`
	typingArgs
}

// paste sends text as a terminal does from its clipboard: line ends as the Enter key sends them, between brackets where
// the program asked for that, and without the closing bracket inside, which would let the rest pass for typing.
func (st *State) paste(c *dsl.Call, s *Session, a pasteArgs) (starlark.Value, error) {
	if err := s.usable("paste"); err != nil {
		return nil, err
	}
	text := textOf(a.Text.v)
	if s.LineEnd() == "\r" {
		text = strings.NewReplacer("\r\n", "\r", "\n", "\r").Replace(text)
	}
	return starlark.None, s.send(c, s.bracketed(text), a.Timeout, a.Force)
}

func (st *State) keyMethods() []*dsl.Func {
	return []*dsl.Func{
		dsl.Method("Session", "keys", "None", `Press keys by name, as an xterm sends them: ctrl-c, alt-x, shift-tab, up, pagedown, f5, enter, esc, or a single character. Arrow keys follow the mode the program has set.`,
			`s = spawn("cat")
s.keys("h", "i", "x", "backspace", "enter")
s.expect("\nhi\n")
s.keys("ctrl-c")
assert.eq(s.wait().signal, "SIGINT")`, keysArgs{Timeout: sessionTimeout(), Delay: dsl.Seconds(0)}, st.keys).As(dsl.Current),
		dsl.Method("Session", "type_text", "None", `Type a text key by key with pauses, as a person does. A line ending in it presses Enter.`,
			`s = spawn("cat")
s.type_text("hi\n", 0.01)
s.expect("hi\nhi\n")`, typeArgs{Delay: dsl.Seconds(0.05), Timeout: sessionTimeout()}, st.typeText).As(dsl.Current),
		dsl.Method("Session", "paste", "None", `Paste a text, in brackets if the program asked for bracketed paste. Enter is not pressed after it.`,
			`s = spawn("cat", echo = False)
s.paste("one\ntwo\n")
s.expect("one\ntwo\n")`, pasteArgs{typingArgs: typingArgs{Timeout: sessionTimeout()}}, st.paste).As(dsl.Current),
		st.sendFileMethod(),
	}
}
