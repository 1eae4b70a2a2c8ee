package echo

import (
	"strings"
	"testing"
)

// drawn is what programs wrote after the prompt and a line, on a terminal of 20 columns, with the answer to it.
var drawn = map[string]struct{ prompt, sent, echo, answer string }{
	"terminal":               {"prompt> ", "echo x\r", "echo x\r\n", "x\r\nprompt> "},
	"terminal, full row":     {"prompt> ", "echo abcdefg\r", "echo abcdefg\r\n", "abcdefg\r\nprompt> "},
	"terminal, control":      {"> ", "a\x03b\r", "a^Cb\r\n", "> "},
	"terminal, tab":          {"> ", "a\tb\r", "a\tb\r\n", "> "},
	"readline, full row":     {"prompt> ", "echo abcdefg\r", "echo abcdefg \r\x1b[A" + strings.Repeat("\x1b[C", 19) + "\x1b[Kg\r\n", "\x1b[?2004l\rabcdefg\r\n"},
	"readline, two full":     {"prompt> ", "echo " + k27 + "\r", "echo " + k27 + " \r\x1b[A" + strings.Repeat("\x1b[C", 19) + "\x1b[Kk\r\n", "\x1b[?2004l\r" + k27 + "\r\n"},
	"readline, wide folded":  {"prompt> ", "echo 日本語日\r", "echo 日本語 \x1b[K日\r\n", "\x1b[?2004l\r日本語日\r\n"},
	"readline, scrolled":     {"prompt> ", "echo abcdefgh\r", "\r<ho abcdefgh\r\n", "abcdefgh\r\n"},
	"zsh":                    {"prompt> ", "echo x\r", "e\becho x\x1b[?2004l\r\r\n", "x\r\n\x1b[1m\x1b[7m#\x1b[27m                   \r \r\r\x1b[Jprompt> "},
	"zsh, full row":          {"prompt> ", "echo abcdefg\r", "e\becho abcdefg \r\x1b[K\x1b[K\x1b[?2004l\r\r\n", "abcdefg\r\n"},
	"zsh, wide folded":       {"prompt> ", "echo 日本語日\r", "e\becho 日本語\x1b[7m \x1b[27m日\x1b[K\x1b[?2004l\r\r\n", "日本語日\r\n"},
	"zsh, rest of a row":     {"prompt> \x1b[K\x1b[10CR\x1b[11D", "echo x\r", "e\becho x\x1b[?2004l\r\r\n", "x\r\n"},
	"busybox, folded":        {"prompt> ", "echo abcdefgh\r", "echo abcdefg\r\r\nh\r\n", "abcdefgh\r\n"},
	"mksh, scrolled":         {"prompt# ", "echo abcdefg\r", "echo abcde\rcho abcde         <" + strings.Repeat("\b", 10) + "fg\r\r\n", "abcdefg\r\n"},
	"libedit, full row":      {"el> ", "echo abcdefghijk\r", "echo abcdefghijk \b\r\n", "abcdefghijk\r\n"},
	"python, drawn anew":     {">>> ", "1+1\r", "\x1b[4D\x1b[1;35m>>> \x1b[0m1\x1b[5D\x1b[5C\x1b[5D>>> 1+\x1b[6D\x1b[6C\x1b[6D>>> 1+1\x1b[7D\n", "\r2\r\n"},
	"python, mark of a fold": {">>> ", "'kkkkkkkkkkkkkkk'\r", "'kkkkkkkkkkkkkk\x1b[19D\n\x1b[1A>>> 'kkkkkkkkkkkkkk\\\x1b[20D\x1b[1B\x1b[1@k\x1b[1@'\x1b[2D\n", "\r'kkk'\r\n"},
	"prompt_toolkit":         {">>> ", "print(1)\r", "\x1b[?25l\x1b[?7l\x1b[4D\x1b[0m\x1b[J\x1b[0m>>> print(1)\x1b[12D\x1b[0m\r\r\n", "\x1b[J\x1b[?7h1\r\n"},
	"character deleted":      {"> ", "abd\r", "abcd\b\b\x1b[P\r\n", "> "},
	"no end was sent":        {"> ", "abc", "abc", "def"},
}

var k27 = strings.Repeat("k", 27)

// TestFind cuts what came at every byte: at the end the echo is found, and before that nothing else is taken for it.
func TestFind(t *testing.T) {
	for name, d := range drawn {
		t.Run(name, func(t *testing.T) {
			in := Input{Before: []byte("welcome\r\n" + d.prompt), Width: 20, Sent: d.sent}
			for cut := range len(d.echo + d.answer) {
				in.After = []byte(d.echo + d.answer)[:cut+1]
				got := Find(in)
				switch {
				case cut+1 < len(d.echo) && got.Whole && got.To > 0:
					t.Fatalf("after %q the echo is over at %d", in.After, got.To)
				case cut+1 >= len(d.echo) && got != (Span{From: 0, To: len(d.echo), Whole: true}):
					t.Fatalf("after %q: %+v, want the end %d", in.After, got, len(d.echo))
				}
			}
		})
	}
}

// TestFindElsewhere has the echo come later than where the cursor was, or not at all.
func TestFindElsewhere(t *testing.T) {
	for _, c := range []struct {
		name, before, after, sent string
		want                      Span
	}{
		{"behind other output", "> ", "working\r\n> ls\r\nfile\r\n", "ls\r", Span{From: 11, To: 15, Whole: true}},
		{"none", "> ", "answer\r\n> ", "ls\r", Span{Whole: true}},
		{"a part of a word is none", "> ", "also false\r\n> ", "ls\r", Span{Whole: true}},
		{"begun", "> ", "l", "ls\r", Span{From: 0, To: 1}},
		{"whole, and not entered", "> ", "ls", "ls\r", Span{From: 0, To: 2}},
		{"nothing came", "> ", "", "ls\r", Span{Whole: true}},
		{"an empty line", "> ", "\r\n> ", "\r", Span{Whole: true}},
		{"the line was there before", "ls\r\n> ", "file\r\n> ", "ls\r", Span{Whole: true}},
	} {
		if got := Find(Input{Before: []byte(c.before), After: []byte(c.after), Width: 80, Sent: c.sent}); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
	// An editor whose prompt does not begin a row believes that it does.
	after := "printf ab \r\x1b[A" + strings.Repeat("\x1b[C", 10) + "\x1b[Kb\r\n"
	in := Input{Before: []byte("xyz> "), After: []byte(after), Width: 11, Sent: "printf ab\r", Prompt: "> "}
	if got := Find(in); got.To != len(after) || !got.Whole {
		t.Errorf("prompt within a row: %+v, want the end %d", got, len(after))
	}
}

func TestGap(t *testing.T) {
	for _, c := range []struct {
		after string
		n     int
		known bool
	}{
		{"abc", 0, true},
		{"abc\r\n", 1, true},
		{"abc\r\n\r\n\r\n", 3, true},
		{"\r\n\r\n", 2, true},
		{"", 0, true},
		{"1\r\n\x1b[?2004h\x1b[1A\n", 1, true},
		{"1\r\n#" + strings.Repeat(" ", 19) + "\r \r\r", 1, true},
		{"a\x1b[2J\x1b[H", 0, false},
	} {
		if n, known := Gap([]byte("> x\r\n"), []byte(c.after), 20); n != c.n || known != c.known {
			t.Errorf("%q: got %d, %v, want %d, %v", c.after, n, known, c.n, c.known)
		}
	}
}

// TestFindIsBounded has an output of which nothing is the echo of a long line.
func TestFindIsBounded(t *testing.T) {
	after := []byte(strings.Repeat("e\r\nec\r\n", 100000))
	if got := Find(Input{After: after, Width: 20, Sent: "echo " + strings.Repeat("x", 50000) + "\r"}); got.To != 0 || !got.Whole {
		t.Errorf("got %+v", got)
	}
}

func FuzzFind(f *testing.F) {
	for _, d := range drawn {
		f.Add(d.prompt, d.echo+d.answer, d.sent, 20)
	}
	f.Fuzz(func(t *testing.T, before, after, sent string, width int) {
		got := Find(Input{Before: []byte(before), After: []byte(after), Width: width % 200, Sent: sent})
		if got.From < 0 || got.From > got.To || got.To > len(after) {
			t.Errorf("%+v of %d bytes", got, len(after))
		}
		Gap([]byte(before), []byte(after), width%200)
	})
}
