package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"omniexpect/internal/fault"
	"omniexpect/internal/usertty"
)

// errInterrupt is the error of a line that Ctrl-C has ended; the line is what was typed of it.
var errInterrupt = errors.New("interrupted")

// editor reads lines from a terminal with escape sequences.
type editor struct {
	tty      *usertty.TTY
	screen   *screen
	names    map[string]string // of keys
	complete func(before, after string) (insert string, list []string)
	history  *history

	cells       encoding
	term        *term.Terminal
	ctx         context.Context
	typed       []byte // read and not looked at
	hand        []byte // for the Terminal, a key at a time
	alone       bool   // nobody else may write
	early       bool   // the next key was pressed before the prompt came, when the kernel keeps a NUL of Ctrl-D
	pending     key    // what the callback decides
	before      rune   // a ZWJ if the key before was one
	last        string // the name of the key before
	interrupted bool
	killed      string
	find        search
}

// search is where going through the history stands.
type search struct {
	at     int // entries from the newest, -1 is the line itself
	part   string
	inside bool // not only at the beginning
	line   string
}

// nudge is a key that the Terminal knows nothing of, so that its callback is called and the key dropped.
const nudge = 0x1e

// readLine reads a line, which may hold line ends from a paste or from the history. It gives the terminal back in the
// modes it had but for the echo, whatever happens; tty.Restore brings that back.
func (e *editor) readLine(ctx context.Context, prompt string) (line string, err error) {
	if err = e.tty.Raw(); err != nil {
		return "", err
	}
	defer e.tty.Quiet()
	e.ctx, e.interrupted, e.find = ctx, false, search{at: -1}
	e.early = e.tty.Pending()
	e.term = term.NewTerminal(e, prompt)
	e.term.AutoCompleteCallback = e.callback
	e.resize()
	winch := make(chan os.Signal, 1)
	signal.Notify(winch, syscall.SIGWINCH)
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-winch:
				e.resize()
			case <-done:
				return
			}
		}
	}()
	io.WriteString(e.screen.out, "\x1b[?2004h")
	e.screen.enter(e.term)
	line, err = e.term.ReadLine()
	e.together()
	e.screen.leave()
	tail := "\x1b[?2004l"
	if err != nil {
		tail += "\r\n"
		e.typed, e.hand = nil, nil
	}
	io.WriteString(e.screen.out, tail)
	signal.Stop(winch)
	close(done)
	<-stopped
	line = e.cells.decode(line)
	if e.interrupted {
		line, err = strings.TrimSuffix(line, "^C"), errInterrupt
	}
	return line, err
}

func (e *editor) resize() {
	e.screen.mu.Lock()
	defer e.screen.mu.Unlock()
	if w, h, err := term.GetSize(int(e.screen.out.Fd())); err == nil && w > 0 {
		e.term.SetSize(w, h)
	}
}

// escPatience is how long what looks like the beginning of a key's sequence may take to go on.
const escPatience = 50 * time.Millisecond

// Read hands the Terminal one key.
func (e *editor) Read(p []byte) (int, error) {
	if len(e.hand) == 0 {
		e.together()
	}
	var buf [1]byte // what follows the line belongs to the next reader
	for len(e.hand) == 0 {
		more := len(e.typed) == 0
		if !more {
			var k key
			if k, e.typed, more = nextKey(e.typed, e.names, false); !more {
				e.take(k)
				continue
			}
		}
		patience := time.Duration(0)
		if len(e.typed) > 0 && !strings.HasPrefix(string(e.typed), "\x1b[200~") {
			patience = escPatience
		}
		n, err := e.tty.ReadContext(e.ctx, buf[:], patience)
		if err == usertty.ErrQuiet {
			var k key
			k, e.typed, _ = nextKey(e.typed, e.names, true)
			e.take(k)
			continue
		}
		if err != nil {
			return 0, err
		}
		if e.early && buf[0] == 0 {
			buf[0] = 0x04
		}
		e.early = false
		e.typed = append(e.typed, buf[:n]...)
	}
	n := 1
	if e.hand[0] == 0x1b {
		n = max(sequenceLen(e.hand), 1)
	} else {
		for n < len(e.hand) && e.hand[n]&0xc0 == 0x80 {
			n++
		}
	}
	copy(p, e.hand[:n])
	e.hand = e.hand[n:]
	return n, nil
}

// Write passes on what the Terminal draws.
func (e *editor) Write(p []byte) (int, error) {
	if _, err := io.WriteString(e.screen.out, e.cells.shown(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// take gives a key to the Terminal if it is one that needs no more than that, and else to the callback.
func (e *editor) take(k key) {
	switch {
	case k.name == "" && (k.text == "" || !joins(e.before, []rune(k.text)[0]) && !flag([]rune(k.text)[0])):
		coded := e.cells.encode(k.text)
		e.native(utf8.RuneCountInString(coded), coded)
	case k.name == "enter":
		e.tty.Signals() // before the end of the line shows: a person who sees that may press Ctrl-C at once
		e.hand = append(e.hand, '\r')
	case k.name == "home":
		e.hand = append(e.hand, 0x01)
	case k.name == "end":
		e.hand = append(e.hand, 0x05)
	case k.name == "clear":
		e.hand = append(e.hand, 0x0c)
	case k.name == "suspend":
		e.suspend()
		return
	default:
		e.pending = k
		e.hand = append(e.hand, nudge)
		return
	}
	e.last, e.before = k.name, ' '
}

// suspend stops the whole job, as Ctrl-Z does elsewhere, and draws the line again when it goes on.
func (e *editor) suspend() {
	e.tty.Restore()
	back := make(chan os.Signal, 1)
	signal.Notify(back, syscall.SIGCONT)
	defer signal.Stop(back)
	if unix.Kill(0, unix.SIGTSTP) == nil {
		select {
		case <-back:
		case <-e.ctx.Done():
		case <-time.After(100 * time.Millisecond): // nobody is there who could continue it: it was not stopped
		}
	}
	e.tty.Raw()
	e.term.Write(nil)
}

// callback is called by the Terminal, unlocked, with each character that it would insert, and with nudge.
func (e *editor) callback(line string, pos int, r rune) (string, int, bool) {
	if r != nudge {
		return "", 0, false
	}
	k := e.pending
	before, after, changed := e.guarded(k, line[:pos], line[pos:])
	e.last, e.before = k.name, ' '
	if k.text == string(zwj) {
		e.before = zwj
	}
	if !changed {
		return "", 0, false
	}
	return before + after, len(before), true
}

// guarded keeps a panic from the Terminal, whose lock would not survive it.
func (e *editor) guarded(k key, before, after string) (b, a string, changed bool) {
	defer func() {
		if p := recover(); p != nil {
			e.term.Write(fmt.Appendln(nil, fault.Panicked(p)))
			changed = false
		}
	}()
	return e.edit(k, before, after)
}

// native gives the Terminal n keys that it knows. Nothing is written between them: the line may be out of step with what
// is on the screen until the last one.
func (e *editor) native(n int, keys string) {
	e.hand = append(e.hand, keys...)
	if n > 1 && !e.alone {
		e.alone = true
		e.screen.mu.Lock()
	}
}

func (e *editor) times(n int, key string) { e.native(n, strings.Repeat(key, n)) }

// delete removes n characters behind the cursor. Of a character and its filler the filler has to go first, as with
// Backspace, or the cursor would be out of step.
func (e *editor) delete(n int) {
	if n > 1 {
		e.times(n, "\x1b[C")
		e.times(n, "\x7f")
		return
	}
	e.times(n, "\x1b[3~")
}

// together ends what native began.
func (e *editor) together() {
	if e.alone {
		e.alone = false
		e.screen.mu.Unlock()
	}
}
