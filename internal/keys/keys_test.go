package keys_test

import (
	"slices"
	"strings"
	"testing"

	"omniexpect/internal/keys"
)

// TestBytes: keys are what an xterm sends for them, also those whose meaning depends on the mode.
func TestBytes(t *testing.T) {
	for name, want := range map[string][2]string{ // in the normal mode, in the application's
		"a": {"a", "a"}, "shift-a": {"A", "A"}, "\u00e4": {"\u00e4", "\u00e4"}, "-": {"-", "-"}, "ctrl--": {"\x1f", "\x1f"},
		"ctrl-c": {"\x03", "\x03"}, "C-c": {"\x03", "\x03"}, "ctrl-?": {"\x7f", "\x7f"}, "alt-x": {"\x1bx", "\x1bx"},
		"ctrl-alt-a": {"\x1b\x01", "\x1b\x01"}, "enter": {"\r", "\r"}, "alt-enter": {"\x1b\r", "\x1b\r"},
		"tab": {"\t", "\t"}, "shift-tab": {"\x1b[Z", "\x1b[Z"}, "ctrl-space": {"\x00", "\x00"}, "ctrl-backspace": {"\x08", "\x08"},
		"up": {"\x1b[A", "\x1bOA"}, "ctrl-up": {"\x1b[1;5A", "\x1b[1;5A"}, "Home": {"\x1b[H", "\x1bOH"},
		"f1": {"\x1bOP", "\x1bOP"}, "shift-f1": {"\x1b[1;2P", "\x1b[1;2P"}, "f5": {"\x1b[15~", "\x1b[15~"}, "f20": {"\x1b[34~", "\x1b[34~"},
		"pgdn": {"\x1b[6~", "\x1b[6~"}, "alt-delete": {"\x1b[3;3~", "\x1b[3;3~"},
	} {
		for i, application := range []bool{false, true} {
			if got, err := keys.Bytes(name, "\r", application); got != want[i] || err != nil {
				t.Errorf("%s, application %v: %q, %v, want %q", name, application, got, err, want[i])
			}
		}
	}
}

// TestUnknownKeys: what is not a key is refused with what was meant, as far as that can be told.
func TestUnknownKeys(t *testing.T) {
	for name, want := range map[string]string{
		"ctrl-upp": `unknown key "ctrl-upp"; did you mean "ctrl-up"?`, "pagdown": `did you mean "pagedown"?`, "Entr": `did you mean "enter"?`,
		"ctrl+c": `did you mean "ctrl-c"?`, "^C": `did you mean "ctrl-c"?`, "<alt+up>": `did you mean "alt-up"?`,
		"hello world": "there are enter, tab, esc", "ctrl-1": "a terminal has no such key", "f21": `did you mean "f2`,
	} {
		if got, err := keys.Bytes(name, "\r", false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v, want %s", name, got, err, want)
		}
	}
}

// TestForms: a key is known however the terminal reports it.
func TestForms(t *testing.T) {
	for name, want := range map[string][]string{
		"ctrl-]": {"\x1d", "\x1b[93;5u", "\x1b[27;5;93~"}, "up": {"\x1b[A", "\x1bOA"}, "alt-x": {"\x1bx", "\x1b[120;3u", "\x1b[120;131u"},
		"esc": {"\x1b", "\x1b[27u"}, "ctrl-space": {"\x00", "\x1b[32;5u"}, "q": {"q"},
	} {
		got, err := keys.Forms(name)
		for _, w := range want {
			if !slices.Contains(got, w) || err != nil {
				t.Errorf("%s: %q, %v, want %q among them", name, got, err, w)
			}
		}
	}
	if got, _ := keys.Forms("q"); len(got) != 1 {
		t.Errorf("a character is never reported in another way: %q", got)
	}
}

// TestGap: programs tell Esc and a prefix from what follows by a pause.
func TestGap(t *testing.T) {
	for sent, pauses := range map[string]bool{"\x1b": true, "\x02": true, "\r": false, "\t": false, "a": false, "\x1b[A": false} {
		if (keys.Gap(sent) > 0) != pauses {
			t.Errorf("%q: a pause of %s", sent, keys.Gap(sent))
		}
	}
}
