package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// errInterrupt is the error of a line that Ctrl-C has ended; the line is what was typed of it.
var errInterrupt = errors.New("interrupted")

// editor reads lines from a terminal with escape sequences.
type editor struct {
	tty      *tty
	screen   *screen
	names    map[string]string // of keys
	complete func(before, after string) (insert string, list []string)
	history  *history

	cells       cells
	term        *term.Terminal
	ctx         context.Context
	saved       *term.State
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
// modes it had, whatever happens.
func (e *editor) readLine(ctx context.Context, prompt string) (line string, err error) {
	fd := int(e.tty.in.Fd())
	if e.saved, err = term.MakeRaw(fd); err != nil {
		return "", err
	}
	defer term.Restore(fd, e.saved)
	e.ctx, e.interrupted, e.find = ctx, false, search{at: -1}
	e.early = e.tty.pending()
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
	var buf [1]byte // what follows the line belongs to whoever reads next
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
		n, err := e.tty.read(e.ctx, buf[:], patience)
		if err == errQuiet {
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
		e.signals()
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

// signals makes Ctrl-C a signal again before the end of the line shows: whoever sees that may press it at once.
func (e *editor) signals() {
	fd := int(e.tty.in.Fd())
	if mode, err := unix.IoctlGetTermios(fd, getTermios); err == nil {
		mode.Lflag |= unix.ISIG
		unix.IoctlSetTermios(fd, setTermios, mode)
	}
}

// suspend stops the whole job, as Ctrl-Z does elsewhere, and draws the line again when it goes on.
func (e *editor) suspend() {
	fd := int(e.tty.in.Fd())
	term.Restore(fd, e.saved)
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
	term.MakeRaw(fd)
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
			e.term.Write(fmt.Appendf(nil, "internal error of omniexpect, please report it: %v\n", p))
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

// edit does what a key asks for. Both parts of the line are encoded.
func (e *editor) edit(k key, before, after string) (b, a string, changed bool) {
	left, right := []rune(before), []rune(after)
	switch k.name {
	case "", "paste":
		text := strings.TrimRight(k.text, "\r\n")
		if k.name == "" {
			text = k.text
		}
		return e.insert(before, text), after, true
	case "left":
		e.times(clusterBefore(left), "\x1b[D")
	case "right":
		e.times(clusterAfter(right), "\x1b[C")
	case "backspace":
		e.times(clusterBefore(left), "\x7f")
	case "delete":
		e.delete(clusterAfter(right))
	case "word-left":
		e.times(wordBefore(left, false), "\x1b[D")
	case "word-right":
		e.times(wordAfter(right), "\x1b[C")
	case "kill-word", "kill-word-part":
		n := wordBefore(left, k.name == "kill-word")
		e.killed = string(left[len(left)-n:])
		return string(left[:len(left)-n]), after, true
	case "kill-right-word":
		n := wordAfter(right)
		e.killed = string(right[:n])
		return before, string(right[n:]), true
	case "kill":
		e.killed = after
		return before, "", true
	case "kill-left":
		e.killed = before
		return "", after, true
	case "yank":
		return before + e.killed, after, true
	case "newline":
		return e.insert(before, "\n"), after, true
	case "transpose":
		if len(left) > 0 && len(left)+len(right) > 1 && !strings.ContainsRune(before+after, filler) {
			e.native(1, "\x14")
		}
	case "ctrl-c":
		e.interrupted = true
		e.native(4, "\x05^C\r")
	case "ctrl-d":
		if before+after == "" {
			e.native(1, "\x04")
		} else {
			e.delete(clusterAfter(right))
		}
	case "up", "down", "search":
		return e.recall(k.name, before, after)
	case "tab":
		return e.tab(before, after)
	}
	return "", "", false
}

// insert puts a text behind another one, to whose last character it may belong.
func (e *editor) insert(before, text string) string {
	if r := []rune(text); len(r) == 1 && before != "" {
		left := []rune(before)
		n := clusterBefore(left)
		last := []rune(e.cells.decode(string(left[len(left)-n:])))
		if last[len(last)-1] >= ' ' && joins(last[len(last)-1], r[0]) && !(flag(r[0]) && len(last) > 1) {
			return string(left[:len(left)-n]) + e.cells.encode(string(last)+text)
		}
	}
	return before + e.cells.encode(text)
}

func clusterBefore(left []rune) int {
	n := len(left)
	if n > 1 && left[n-1] == filler {
		return 2
	}
	return min(n, 1)
}

func clusterAfter(right []rune) int {
	if len(right) > 1 && right[1] == filler {
		return 2
	}
	return min(len(right), 1)
}

func inWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || isPrivate(r)
}

// wordBefore returns how many characters lie between the end and where the last word begins.
func wordBefore(left []rune, blanks bool) int {
	in := inWord
	if blanks {
		in = func(r rune) bool { return r != ' ' }
	}
	i := len(left)
	for i > 0 && !in(left[i-1]) {
		i--
	}
	for i > 0 && in(left[i-1]) {
		i--
	}
	return len(left) - i
}

func wordAfter(right []rune) int {
	i := 0
	for i < len(right) && !inWord(right[i]) {
		i++
	}
	for i < len(right) && inWord(right[i]) {
		i++
	}
	return i
}

// recall goes through the history: up and down through what begins like the part of the line in front of the cursor,
// search upwards through what has it anywhere.
func (e *editor) recall(name, before, after string) (b, a string, changed bool) {
	f := &e.find
	again := e.last == "up" || e.last == "down" || e.last == "search"
	if !again || (name == "search") != f.inside {
		part := e.cells.decode(before)
		if again {
			part = f.part
		}
		*f = search{at: -1, part: part, inside: name == "search", line: e.cells.decode(before + after)}
	}
	step := 1
	if name == "down" {
		step = -1
	}
	for at := f.at + step; at >= -1; at += step {
		if at == -1 {
			f.at = -1
			return e.cells.encode(f.line), "", true
		}
		entry, ok := e.history.at(at)
		if !ok {
			break
		}
		if entry == e.cells.decode(before+after) || !f.inside && !strings.HasPrefix(entry, f.part) || !strings.Contains(entry, f.part) {
			continue
		}
		f.at = at
		return e.cells.encode(entry), "", true
	}
	e.bell()
	return "", "", false
}

func (e *editor) bell() { io.WriteString(e.screen.out, "\a") }

// tab completes. When there is nothing to insert and more than one way to go on, the ways are listed above the line.
func (e *editor) tab(before, after string) (b, a string, changed bool) {
	text := e.cells.decode(before)
	if strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:]) == "" && e.complete != nil && (text != "" || e.indents()) {
		return before + "    ", after, true
	}
	insert, list := e.complete(text, e.cells.decode(after))
	switch {
	case insert != "":
		return e.insert(before, insert), after, true
	case len(list) > 0:
		width, _, err := term.GetSize(int(e.screen.out.Fd()))
		if err != nil {
			width = 80
		}
		e.term.Write([]byte(columns(list, width)))
	default:
		e.bell()
	}
	return "", "", false
}

// indents says whether Tab on an empty line indents.
func (e *editor) indents() bool { return e.screen.continued }

// maxListed is how many completions are listed.
const maxListed = 120

// columns lays a list out below each other first, as ls does.
func columns(list []string, width int) string {
	left := 0
	if len(list) > maxListed {
		left = len(list) - maxListed
		list = list[:maxListed]
	}
	widest := 0
	for _, s := range list {
		widest = max(widest, len([]rune(s))+2)
	}
	perRow := max(1, (width-1)/widest)
	rows := (len(list) + perRow - 1) / perRow
	var b strings.Builder
	for r := range rows {
		line := ""
		for i := r; i < len(list); i += rows {
			line += list[i] + strings.Repeat(" ", widest-len([]rune(list[i])))
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	if left > 0 {
		b.WriteString("… and " + strconv.Itoa(left) + " more\n")
	}
	return b.String()
}
