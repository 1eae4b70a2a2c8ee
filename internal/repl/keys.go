package repl

import (
	"bytes"
	"unicode/utf8"
)

// key is one key, or a paste.
type key struct {
	name string // "" for text
	text string
}

// The keys by what terminals send for them.
func sequences() map[string]string {
	return map[string]string{
		"\x01": "home", "\x02": "left", "\x03": "ctrl-c", "\x04": "ctrl-d", "\x05": "end", "\x06": "right", "\x08": "backspace",
		"\x09": "tab", "\x0a": "enter", "\x0b": "kill", "\x0c": "clear", "\x0d": "enter", "\x0e": "down", "\x10": "up",
		"\x12": "search", "\x14": "transpose", "\x15": "kill-left", "\x17": "kill-word", "\x19": "yank", "\x1a": "suspend", "\x7f": "backspace",
		"\x1b[A": "up", "\x1b[B": "down", "\x1b[C": "right", "\x1b[D": "left", "\x1bOA": "up", "\x1bOB": "down", "\x1bOC": "right", "\x1bOD": "left",
		"\x1b[H": "home", "\x1b[F": "end", "\x1bOH": "home", "\x1bOF": "end", "\x1b[1~": "home", "\x1b[4~": "end", "\x1b[7~": "home", "\x1b[8~": "end",
		"\x1b[3~": "delete", "\x1b[1;5C": "word-right", "\x1b[1;5D": "word-left", "\x1b[1;3C": "word-right", "\x1b[1;3D": "word-left",
		"\x1bf": "word-right", "\x1bb": "word-left", "\x1bd": "kill-right-word", "\x1b\x7f": "kill-word-part", "\x1b\x08": "kill-word-part",
		"\x1b\r": "newline", "\x1b\n": "newline", "\x1b[200~": "paste",
	}
}

const pasteEnd = "\x1b[201~"

// nextKey takes a key off what was typed. more says that the rest of it has yet to come; last that nothing more will.
func nextKey(in []byte, names map[string]string, last bool) (k key, rest []byte, more bool) {
	if in[0] != 0x1b {
		if in[0] < ' ' || in[0] == 0x7f {
			return key{name: named(names, in[:1])}, in[1:], false
		}
		if !utf8.FullRune(in) && !last {
			return key{}, in, true
		}
		_, n := utf8.DecodeRune(in)
		return key{text: string(bytes.ToValidUTF8(in[:n], nil))}, in[n:], false
	}
	n := sequenceLen(in)
	if n == 0 {
		if last {
			return key{name: "unknown"}, in[1:], false // the Esc key by itself
		}
		return key{}, in, true
	}
	name := named(names, in[:n])
	if name != "paste" {
		return key{name: name}, in[n:], false
	}
	end := bytes.Index(in, []byte(pasteEnd))
	if end < 0 {
		return key{}, in, !last
	}
	return key{name: "paste", text: string(in[n:end])}, in[end+len(pasteEnd):], false
}

func named(names map[string]string, seq []byte) string {
	if n := names[string(seq)]; n != "" {
		return n
	}
	return "unknown"
}

// sequenceLen returns how long the sequence is that Esc begins, 0 if its end has yet to come.
func sequenceLen(in []byte) int {
	if len(in) < 2 {
		return 0
	}
	switch in[1] {
	case '[':
		for i := 2; i < len(in); i++ {
			if in[i] >= 0x40 && in[i] <= 0x7e {
				return i + 1
			}
		}
		return 0
	case 'O':
		if len(in) < 3 {
			return 0
		}
		return 3
	}
	return 2
}
