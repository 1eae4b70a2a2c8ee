package repl

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"omniexpect/internal/usertty"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// desk is an editor on a terminal, and the person at it.
type desk struct {
	*editor
	t       *testing.T
	picture *picture
	master  *os.File
	fd      int // of the terminal
	lines   chan string
	errs    chan error
}

func newDesk(t *testing.T, width int) *desk {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	pty.Setsize(slave, &pty.Winsize{Rows: 24, Cols: uint16(width)})
	in, err := usertty.New(int(slave.Fd()), int(slave.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, fd: int(slave.Fd()), picture: newVT(width), master: master, lines: make(chan string, 1), errs: make(chan error, 1)}
	d.editor = &editor{tty: in, screen: newScreen(slave, slave), names: sequences(), history: newHistory("", func(string) bool { return false })}
	read := make(chan struct{})
	go func() {
		defer close(read)
		io.Copy(d.picture, master)
	}()
	t.Cleanup(func() {
		in.Close()
		slave.Close()
		master.Close()
		<-read
	})
	return d
}

func (d *desk) open(ctx context.Context, prompt string) {
	go func() {
		line, err := d.readLine(ctx, prompt)
		d.lines <- line
		d.errs <- err
	}()
	d.picture.see(d.t, "no prompt", func() bool { return strings.HasSuffix(d.picture.text(), strings.TrimRight(prompt, " ")) })
}

func (d *desk) enter() string {
	d.master.WriteString("\r")
	line := <-d.lines
	if err := <-d.errs; err != nil {
		d.t.Errorf("readLine: %v", err)
	}
	return line
}

// TestEditing types at random, while output arrives, and compares the line, the screen and the cursor with a model.
func TestEditing(t *testing.T) {
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		alphabet := []rune("abc_ (\"x")
		if seed%2 == 1 {
			alphabet = []rune("ab 本é語x🙂")
		}
		d := newDesk(t, 40)
		d.open(t.Context(), "> ")
		var line []rune
		at, news, did := 0, 0, ""
		for range 60 + 140*(1-int(seed%2)) { // long enough to go over the margin
			insert := func(text string) {
				line = append(line[:at:at], append([]rune(text), line[at:]...)...)
				at += len([]rune(text))
			}
			keys := ""
			switch k := rnd.IntN(12); {
			case k < 6:
				if seed%2 == 1 && len(line) > 15 {
					continue // a wide character at the margin is another matter
				}
				keys = string(alphabet[rnd.IntN(len(alphabet))])
				insert(keys)
			case k == 6 && at > 0:
				keys = "\x1b[D"
				at--
			case k == 7 && at < len(line):
				keys = "\x1b[C"
				at++
			case k == 8 && at > 0:
				keys = "\x7f"
				line = append(line[:at-1:at-1], line[at:]...)
				at--
			case k == 9 && at < len(line):
				keys = "\x1b[3~"
				line = append(line[:at:at], line[at+1:]...)
			case k == 10:
				keys = []string{"\x01", "\x1b[F"}[k%2]
				at = []int{0, len(line)}[k%2]
			case k == 11:
				news++
				screenWriter{d.screen, d.screen.out, true}.Write(fmt.Appendf(nil, "news %d\n", news))
			}
			did += fmt.Sprintf("%q ", keys)
			d.master.WriteString(keys)
		}
		want := layout("> "+string(line), 40)
		x, up := place2(string(line[:at]), string(line), 40)
		d.picture.see(t, fmt.Sprintf("seed %d: want\n%s\ncursor %d, %d up, after %s", seed, want, x, up, did), func() bool {
			text := d.picture.text()
			gotX, gotUp := d.picture.cursor()
			return strings.HasSuffix("\n"+text, "\n"+want) && (news == 0 || strings.Contains(text, fmt.Sprintf("news %d\n", news))) && gotX == x && (gotUp == up || strings.TrimSpace(string(line)) == "" || seed%2 == 0)
		})
		for i := range news {
			if n := strings.Count(d.picture.text(), fmt.Sprintf("news %d\n", i+1)); n != 1 {
				t.Errorf("seed %d: news %d is there %d times:\n%s", seed, i+1, n, d.picture.text())
			}
		}
		if got := d.enter(); got != string(line) {
			t.Errorf("seed %d: the line is %q, want %q", seed, got, string(line))
		}
	}
}

// layout breaks a text of narrow and wide characters at the margin, as a terminal does.
func layout(text string, width int) string {
	v := newVT(width)
	v.Write([]byte(text))
	return v.text()
}

func place2(before, line string, width int) (x, up int) {
	v := newVT(width)
	v.Write([]byte("> " + before))
	x, y := v.x, v.y
	if v.wrap {
		x, y = 0, y+1
	}
	v.Write([]byte(line[len(before):]))
	return x, len(v.rows) - 1 - y
}

// TestInterruptedLine ends reading by the context, and by Ctrl-C: the terminal has its modes back, without the echo until
// the prompt is left.
func TestInterruptedLine(t *testing.T) {
	d := newDesk(t, 80)
	fd := d.fd
	before, _ := usertty.Modes(fd)
	same := func() {
		t.Helper()
		after, _ := usertty.Modes(fd)
		if after.Lflag&unix.ECHO != 0 {
			t.Error("the terminal shows what is typed while a statement runs")
		}
		after.Lflag |= unix.ECHO
		if *after != *before {
			t.Error("the terminal has other modes than before")
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	d.open(ctx, "> ")
	d.master.WriteString("half")
	d.picture.see(t, "no half", func() bool { return strings.HasSuffix(d.picture.text(), "> half") })
	if raw, _ := usertty.Modes(fd); *raw == *before {
		t.Error("the terminal is not raw while a line is edited")
	}
	cancel(io.ErrClosedPipe)
	if line, err := <-d.lines, <-d.errs; err != io.ErrClosedPipe {
		t.Errorf("got %q, %v", line, err)
	}
	same()
	d.open(t.Context(), ">> ")
	d.master.WriteString("abc\x1b[D\x03")
	if line, err := <-d.lines, <-d.errs; line != "abc" || err != errInterrupt {
		t.Errorf("got %q, %v", line, err)
	}
	same()
	d.open(t.Context(), ">>> ")
	d.master.WriteString("\x04")
	if line, err := <-d.lines, <-d.errs; line != "" || err != io.EOF {
		t.Errorf("got %q, %v", line, err)
	}
	same()
	d.tty.Restore()
	if after, _ := usertty.Modes(fd); *after != *before {
		t.Error("the terminal has other modes than before when the prompt is left")
	}
}

// TestCluster edits what is more than one character and one column.
func TestCluster(t *testing.T) {
	for keys, want := range map[string]string{
		"e\u0301x\x7f": "e\u0301", "e\u0301\x7f": "", "👩\u200d👩\u200d👧a\x1b[D\x7f": "a", "🇩🇪🇫🇷\x7f": "🇩🇪",
		"本語\x1b[D\x1b[3~": "本", "本é\x17x": "x", "a\tb": "a\tb", "\x1b[200~x\ny\x1b[201~": "x\ny", "a\x1b\rb": "a\nb",
		"ab\x1b[1;5D\x0b": "", "\U00100000": "", "a\x1b[5~b": "ab",
	} {
		d := newDesk(t, 80)
		d.complete = func(before, _ string) (string, []string) { return "\t", nil }
		d.open(t.Context(), "> ")
		d.master.WriteString(keys)
		if got := d.enter(); got != want {
			t.Errorf("%q: got %q, want %q", keys, got, want)
		}
	}
}
