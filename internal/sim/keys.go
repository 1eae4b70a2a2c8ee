package sim

import (
	"strings"
	"unicode/utf8"
)

// keyKind is what a key press means to the composer.
type keyKind int

const (
	keyText keyKind = iota
	keyPaste
	keyEnter   // CR
	keyNewline // LF, which is a line break and never sends
	keyBackspace
	keyClear // Ctrl-U
	keyCtrlC
	keyCtrlD
	keyEscape
)

type key struct {
	kind keyKind
	text string
}

// keyReader turns bytes into keys. Sequences may be cut anywhere; what a terminal answers to queries is dropped.
type keyReader struct {
	pending []byte
	pasting bool
	pasted  []byte
}

const (
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

func (k *keyReader) feed(data []byte) []key {
	k.pending = append(k.pending, data...)
	var keys []key
	for len(k.pending) > 0 {
		if k.pasting {
			if !k.paste(&keys) {
				return keys
			}
			continue
		}
		n, one, ok := k.next()
		if n == 0 {
			return keys // incomplete
		}
		k.pending = k.pending[n:]
		if ok {
			keys = append(keys, one)
		}
	}
	return keys
}

// flush is called when nothing came for a while: a lone ESC then is the Escape key.
func (k *keyReader) flush() []key {
	if len(k.pending) == 1 && k.pending[0] == 0x1b && !k.pasting {
		k.pending = nil
		return []key{{kind: keyEscape}}
	}
	return nil
}

// paste collects up to the end mark; false means that the mark has not come yet.
func (k *keyReader) paste(keys *[]key) bool {
	text := string(k.pending)
	i := strings.Index(text, pasteEnd)
	if i < 0 {
		keep := min(len(text), len(pasteEnd)-1) // the mark may be cut
		k.pasted = append(k.pasted, text[:len(text)-keep]...)
		k.pending = k.pending[len(text)-keep:]
		return false
	}
	k.pasted = append(k.pasted, text[:i]...)
	k.pending = k.pending[i+len(pasteEnd):]
	*keys = append(*keys, key{keyPaste, strings.ReplaceAll(string(k.pasted), "\r", "\n")})
	k.pasting, k.pasted = false, nil
	return true
}

// next reads one key from what is pending: its length (0 if it is not complete) and whether it means anything.
func (k *keyReader) next() (n int, one key, ok bool) {
	b := k.pending
	switch b[0] {
	case '\r':
		return 1, key{kind: keyEnter}, true
	case '\n':
		return 1, key{kind: keyNewline}, true
	case 0x7f, 0x08:
		return 1, key{kind: keyBackspace}, true
	case 0x15:
		return 1, key{kind: keyClear}, true
	case 0x03:
		return 1, key{kind: keyCtrlC}, true
	case 0x04:
		return 1, key{kind: keyCtrlD}, true
	case 0x1b:
		return k.escape()
	}
	if b[0] < 0x20 && b[0] != '\t' {
		return 1, key{}, false
	}
	if !utf8.FullRune(b) {
		return 0, key{}, false
	}
	r, size := utf8.DecodeRune(b)
	return size, key{keyText, string(r)}, true
}

func (k *keyReader) escape() (n int, one key, ok bool) {
	b := k.pending
	if len(b) == 1 {
		return 0, key{}, false
	}
	switch b[1] {
	case '[':
		for i := 2; i < len(b); i++ {
			if b[i] >= 0x40 && b[i] <= 0x7e {
				k.pasting = string(b[:i+1]) == pasteStart
				return i + 1, key{}, false
			}
		}
		return 0, key{}, false
	case 'O':
		if len(b) < 3 {
			return 0, key{}, false
		}
		return 3, key{}, false
	case ']', 'P', '_', '^', 'X':
		for i := 2; i < len(b); i++ {
			if b[i] == 0x07 {
				return i + 1, key{}, false
			}
			if b[i] == '\\' && b[i-1] == 0x1b {
				return i + 1, key{}, false
			}
		}
		return 0, key{}, false
	case '\r': // Alt-Enter
		return 2, key{kind: keyNewline}, true
	}
	return 1, key{kind: keyEscape}, true
}
