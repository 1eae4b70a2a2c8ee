package sim

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"
)

// attachEnd is how an attachment ended.
type attachEnd struct {
	code     int
	vendorID string
}

const (
	enterScreen = "\x1b[?1049h\x1b[22;0;0t\x1b[?1h\x1b=\x1b[H\x1b[2J\x1b[?12l\x1b[?25h\x1b[?1000l\x1b[?1002l\x1b[?1006l" +
		"\x1b[>c\x1b[>q\x1b[?1006h\x1b[?1000h\x1b[?1002h\x1b[?2004h\x1b[?1004h"
	leaveScreen = "\x1b(B\x1b[m\x1b[?1l\x1b>\x1b[H\x1b[2J\x1b[?12l\x1b[?25h\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1005l" +
		"\x1b[?2004l\x1b[?1004l\x1b[?1049l\x1b[23;0;0t"
	ctrlCTime = 2 * time.Second
)

// tui is the attachment on a terminal: the agent's full screen above tmux's status line.
type tui struct {
	*cli
	screen
	frames <-chan attachFrame
	input  <-chan []byte

	turns    []turn
	status   string
	question *attachFrame
	composer string
	notice   string
	ctrlC    time.Time
	tick     int
	keys     keyReader
}

// attach shows the terminal until the agent ends.
func (c *cli) attach(ctx context.Context) (attachEnd, error) {
	ctx, cancel := context.WithCancel(ctx)
	frames := make(chan attachFrame)
	failed := make(chan error, 1)
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		defer close(frames)
		failed <- c.follow(ctx, frames)
	}()
	defer func() {
		cancel()
		for range frames {
		}
		<-followed
	}()
	var end attachEnd
	var err error
	if isTerminal(c.stdout) {
		end, err = c.fullScreen(ctx, frames)
	} else {
		end, err = c.plain(ctx, frames)
	}
	if err == errLost {
		if err = <-failed; err == nil {
			err = ctx.Err()
		}
	}
	return end, err
}

// readInput hands on what is typed. The goroutine is left behind in its read when the command line ends, as a read of a
// terminal cannot be called off.
func readInput(ctx context.Context, f *os.File) <-chan []byte {
	ch := make(chan []byte)
	go func() {
		defer close(ch)
		for {
			buf := make([]byte, 4096)
			n, err := f.Read(buf)
			if n > 0 {
				select {
				case ch <- buf[:n]:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return ch
}

func (c *cli) fullScreen(ctx context.Context, frames <-chan attachFrame) (end attachEnd, err error) {
	t := &tui{cli: c, frames: frames, input: readInput(ctx, c.stdin)}
	if in := int(c.stdin.Fd()); term.IsTerminal(in) {
		old, err := term.MakeRaw(in)
		if err != nil {
			return end, fmt.Errorf("the terminal cannot be put into raw mode: %w", err)
		}
		defer term.Restore(in, old)
	}
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	defer signal.Stop(resized)
	t.put(enterScreen)
	t.repaint()
	end, err = t.loop(ctx, resized)
	if err != nil {
		t.put(leaveScreen)
		if ctx.Err() != nil {
			t.put("[lost tty]\r\n")
		}
		return end, err
	}
	t.farewell(end)
	if c.bugs[bugOneshotHangs] {
		<-ctx.Done()
		t.put(leaveScreen)
		return end, ctx.Err()
	}
	t.put(leaveScreen + "[detached (from session main)]\r\n")
	return end, nil
}

func (t *tui) put(text string) { io.WriteString(t.stdout, text) }

// farewell is what the agent leaves in its pane, and tmux under it.
func (t *tui) farewell(end attachEnd) {
	text := fmt.Sprintf("\x1b[%d;1H\x1b[0m", max(1, t.rows-3))
	if t.launch.harness == harnessClaude {
		text += "\x1b[2m\r\nResume this session with:\x1b(B\x1b[m\x1b[K\x1b[2m\r\nclaude --resume " + end.vendorID + "\x1b(B\x1b[m\x1b[K"
	} else {
		text += "\r\nTo continue this session, run:\x1b[K\r\n\x1b[36mcodex resume " + end.vendorID + "\x1b[39m\x1b[K"
	}
	t.put(text + fmt.Sprintf("\r\nPane is dead (status %d, %s)\x1b[K\r", end.code, time.Now().Format("Mon Jan _2 15:04:05 2006")))
}

func (t *tui) loop(ctx context.Context, resized <-chan os.Signal) (attachEnd, error) {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case f, ok := <-t.frames:
			if !ok {
				return attachEnd{}, errLost
			}
			if f.Type == "exit" {
				code, _ := f.Status.(float64)
				return attachEnd{int(code), f.VendorID}, nil
			}
			t.take1(f)
		case data, ok := <-t.input:
			if !ok { // the terminal is gone: what runs goes on without us
				return attachEnd{}, exitError(129)
			}
			for _, k := range t.keys.feed(data) {
				t.press(ctx, k)
			}
		case <-resized:
			t.put("\x1b[H\x1b[2J")
			t.repaint()
			continue
		case <-ticker.C:
			t.tick++
			for _, k := range t.keys.flush() {
				t.press(ctx, k)
			}
			if t.notice != "" && time.Since(t.ctrlC) > ctrlCTime {
				t.notice = ""
			}
		case <-ctx.Done():
			return attachEnd{}, ctx.Err()
		}
		t.refresh()
	}
}

func (t *tui) take1(f attachFrame) {
	switch f.Type {
	case "hello":
		t.turns, t.question = f.Turns, nil
		t.status, _ = f.Status.(string)
	case "turn":
		t.turns = append(t.turns, turn{f.Role, f.Text})
	case "status":
		t.status, _ = f.Status.(string)
	case "question":
		t.question = &f
	case "answered":
		t.question = nil
	}
}

// press is one key in the composer or on a question.
func (t *tui) press(ctx context.Context, k key) {
	if t.question != nil && k.kind == keyText {
		if action, ok := map[string]string{"1": "accept", "y": "accept", "2": "decline", "n": "decline"}[k.text]; ok {
			t.send(ctx, attachKeys{Type: "answer", Action: action})
		}
		return
	}
	switch k.kind {
	case keyText, keyPaste:
		t.composer += k.text
	case keyNewline:
		t.composer += "\n"
	case keyBackspace:
		if r := []rune(t.composer); len(r) > 0 {
			t.composer = string(r[:len(r)-1])
		}
	case keyClear:
		t.composer = ""
	case keyEscape:
		t.send(ctx, attachKeys{Type: "interrupt"})
	case keyCtrlC:
		t.pressCtrlC(ctx)
	case keyCtrlD:
		if t.composer == "" {
			t.send(ctx, attachKeys{Type: "quit"})
		}
	case keyEnter:
		text := strings.TrimSpace(t.composer)
		t.composer = ""
		switch text {
		case "":
		case "/exit", "/quit":
			t.send(ctx, attachKeys{Type: "quit"})
		default:
			t.send(ctx, attachKeys{Type: "message", Text: text})
		}
	}
}

// pressCtrlC clears the composer or interrupts a turn first; claude then wants a second one before it ends.
func (t *tui) pressCtrlC(ctx context.Context) {
	switch {
	case t.composer != "":
		t.composer = ""
	case t.launch.harness == harnessCodex || time.Since(t.ctrlC) < ctrlCTime:
		t.send(ctx, attachKeys{Type: "quit"})
		return
	case t.status == "running":
		t.send(ctx, attachKeys{Type: "interrupt"})
	}
	t.ctrlC, t.notice = time.Now(), "Press Ctrl-C again to exit"
}

func (t *tui) send(ctx context.Context, keys attachKeys) {
	status, message, err := t.api.call(ctx, "POST", t.terminalPath()+"/attach", keys, nil)
	if err != nil {
		t.notice, t.ctrlC = err.Error(), time.Now()
	} else if status != 202 {
		t.notice, t.ctrlC = message, time.Now()
	}
}
