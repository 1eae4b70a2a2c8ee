package builtins

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"

	"omniexpect/internal/testbin"
	"omniexpect/internal/testneed"
)

// TestInteract runs the program in terminals of its own, as a person would.
func TestInteract(t *testing.T) {
	testneed.Programs(t, "bash", "sh", "cat", "sleep", "stty")
	program := testbin.Program(t)
	t.Run("gives the terminal back", func(t *testing.T) { givesTheTerminalBack(t, program) })
	t.Run("patterns", func(t *testing.T) { servesPatterns(t, program) })
	t.Run("window", func(t *testing.T) { followsTheWindow(t, program) })
	t.Run("secrets", func(t *testing.T) { hidesSecrets(t, program) })
	t.Run("screen", func(t *testing.T) { putsTheScreenBack(t, program) })
	t.Run("actions", func(t *testing.T) { showsAllBeforeItActs(t, program) })
	t.Run("refuses empty matches", func(t *testing.T) { refusesEmptyMatches(t, program) })
	t.Run("forms of keys", func(t *testing.T) { takesTheKeyInAnyForm(t, program) })
	t.Run("stopped", func(t *testing.T) { stopsWithTheTerminal(t, program) })
	t.Run("drawn again", func(t *testing.T) { drawsAgain(t, program) })
	t.Run("no terminal", func(t *testing.T) { needsTerminal(t, program) })
}

// person is somebody at a terminal in which omniexpect runs a script.
type person struct {
	t      *testing.T
	master *os.File
	tty    *os.File
	cmd    *exec.Cmd
	before *term.State

	mu   sync.Mutex
	seen bytes.Buffer
	more chan struct{}
}

func sitDown(t *testing.T, program, script string) *person {
	t.Helper()
	return sitDownAs(t, exec.Command(program, "run", "-q", "-c", script))
}

func sitDownAs(t *testing.T, cmd *exec.Cmd) *person {
	t.Helper()
	p := &person{t: t, more: make(chan struct{}, 1)}
	var err error
	if p.master, p.tty, err = pty.Open(); err != nil {
		t.Fatal(err)
	}
	pty.Setsize(p.master, &pty.Winsize{Rows: 30, Cols: 100})
	if p.before, err = term.GetState(int(p.tty.Fd())); err != nil {
		t.Fatal(err)
	}
	p.cmd = cmd
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = p.tty, p.tty, p.tty
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		buf := make([]byte, 4096)
		for {
			n, err := p.master.Read(buf)
			if err != nil {
				return
			}
			p.mu.Lock()
			p.seen.Write(buf[:n])
			p.mu.Unlock()
			select {
			case p.more <- struct{}{}:
			default:
			}
		}
	}()
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		p.tty.Close()
		p.master.Close()
		<-read
	})
	return p
}

func (p *person) screen() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen.String()
}

// last is the end of what stands on the screen, for messages.
func (p *person) last() string {
	s := p.screen()
	return s[max(0, len(s)-500):]
}

// see waits until something stands on the screen.
func (p *person) see(text string) {
	p.t.Helper()
	late := time.After(30 * time.Second)
	for !strings.Contains(p.screen(), text) {
		select {
		case <-p.more:
		case <-late:
			p.t.Fatalf("%q never came; on the screen is %q", text, p.last())
		}
	}
}

func (p *person) typing(keys string) { p.master.WriteString(keys) }

func (p *person) state() *term.State {
	s, err := term.GetState(int(p.tty.Fd()))
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

// handedOver checks that the terminal is raw, and leaves checks that it has its modes back at the end, and the status.
func (p *person) handedOver() {
	p.t.Helper()
	if reflect.DeepEqual(p.state(), p.before) {
		p.t.Error("the terminal is not raw while the session has it")
	}
}

func (p *person) leaves(code int) {
	p.t.Helper()
	p.cmd.Wait()
	p.tty.WriteString(leftMark)
	p.see(leftMark) // then all that was written before it has been read
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		p.t.Errorf("exit status %d, want %d; on the screen is %q", got, code, p.last())
	}
	if !reflect.DeepEqual(p.state(), p.before) {
		p.t.Error("the terminal was not given its modes back")
	}
}

// leftMark is what stands on the screen behind the program's last words.
const leftMark = "[left]"

const catSession = `s = spawn(["sh", "-c", "echo ready; exec cat"])
`

func givesTheTerminalBack(t *testing.T, program string) {
	for _, test := range []struct {
		name, script string
		do           func(*person)
		code         int
	}{
		{"key", `interact()
print("after")`, func(p *person) { p.typing("abc\x1d"); p.see("after") }, 0},
		{"other key", `interact(until="f10")
print("after")`, func(p *person) { p.typing("x\x1b[21~"); p.see("after") }, 0},
		{"program ends", `interact()
assert.eq(s.wait().code, 0)`, func(p *person) { p.typing("\x04") }, 0},
		{"error", `interact(on={"boom": lambda m: fail("no")})`, func(p *person) { p.typing("boom\r") }, 1},
		{"exit", `catch(interact, on={"boom": lambda m: exit(7)})`, func(p *person) { p.typing("boom\r") }, 7},
		{"term", `interact()`, func(p *person) { p.cmd.Process.Signal(syscall.SIGTERM) }, 143},
		{"hup", `interact()`, func(p *person) { p.cmd.Process.Signal(syscall.SIGHUP) }, 129},
		{"int", `interact()`, func(p *person) { p.cmd.Process.Signal(syscall.SIGINT) }, 130},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := sitDown(t, program, catSession+test.script)
			p.see("ready")
			p.handedOver()
			test.do(p)
			p.leaves(test.code)
		})
	}
}

func servesPatterns(t *testing.T, program string) {
	p := sitDown(t, program, catSession+`
def typed(m):
    print("typed <%s>" % m.text)
def saw(m):
    print("saw <%s>" % m[1])
    return m[1]
v = interact(on={r"colour (\w+)\n": saw, "question": "42\r"}, on_input={"~h": typed, r"let me (\w+)\n": typed})
print("value", v)
`)
	p.see("ready")
	p.typing("~h")
	p.see("typed <~h>")
	p.typing("~x\r")
	p.see("~x\r\n~x\r\n")
	p.typing("let me out\r")
	p.see("typed <let me out\r\n>")
	p.typing("question\r")
	p.see("42\r\n42\r\n")
	p.typing("colour blue\r")
	p.see("saw <blue>\r\n")
	p.see("value blue\r\n")
	p.leaves(0)
	if strings.Contains(p.screen(), "\n~h") {
		t.Errorf("the program got what was for us: %q", p.screen())
	}
}

func followsTheWindow(t *testing.T, program string) {
	p := sitDown(t, program, `
s = spawn(["sh", "-c", "echo ready; while read l; do echo size $(stty size); done"])
interact()
sendline("x")
expect("size 24 80")
`)
	p.see("ready")
	p.typing("\r")
	p.see("size 30 100")
	pty.Setsize(p.master, &pty.Winsize{Rows: 50, Cols: 132})
	late := time.Now().Add(20 * time.Second)
	for n := 1; !strings.Contains(p.screen(), "size 50 132"); n++ {
		if time.Now().After(late) {
			t.Fatalf("the session did not follow: %q", p.last())
		}
		p.typing("\r")
		for strings.Count(p.screen(), "size") <= n && time.Now().Before(late) {
			<-p.more
		}
	}
	p.typing("\x1d")
	p.leaves(0)
}

func hidesSecrets(t *testing.T, program string) {
	p := sitDown(t, program, catSession+`
secret("hunter2")
interact()
`)
	p.see("ready")
	p.typing("hunter2 hun\r")
	p.see("hun\r\n*** hun\r\n")
	p.typing("\x1d")
	p.leaves(0)
}

func needsTerminal(t *testing.T, program string) {
	cmd := exec.Command(program, "run", "-q", "-c", catSession+"interact()")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, _ := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 3 || !strings.Contains(string(out), "there is no terminal") {
		t.Errorf("exit status %d, %q", cmd.ProcessState.ExitCode(), out)
	}
}

func TestInteractPanicIsAnError(t *testing.T) {
	h := guarded(context.Background(), func(context.Context) handled { panic("oh") })
	if h.err == nil || !strings.Contains(h.err.Error(), "oh") {
		t.Errorf("got %v", h.err)
	}
}

// putsTheScreenBack: what the program has switched in the terminal goes at the end, however it comes, and is there from the
// beginning although the script has read it. One session has the terminal at a time.
func putsTheScreenBack(t *testing.T, program string) {
	const start = `s = spawn(["sh", "-c", "stty -echo; printf '\\033[?1049h\\033[?25l\\033[?1000;1006hup'; cat"])
s.expect("up")
`
	for name, end := range map[string]func(p *person){
		"key":    func(p *person) { p.typing("\x1d"); p.see("END"); p.leaves(0) },
		"signal": func(p *person) { p.cmd.Process.Signal(syscall.SIGTERM); p.leaves(143) },
	} {
		t.Run(name, func(t *testing.T) {
			p := sitDown(t, program, start+`s.interact()
print("END")`)
			p.see("\x1b[?1049h\x1b[?25l\x1b[?1000h\x1b[?1006h")
			p.typing("typed\r")
			p.see("typed")
			end(p)
			p.see("\x1b[?1006l\x1b[?1000l\x1b[?25h\x1b[?1049l\x1b[m")
		})
	}
	p := sitDown(t, program, `a, b = spawn(["sh", "-c", "echo ready; exec cat"]), spawn(["sh", "-c", "echo ready; exec cat"])
def sit(s):
    r = catch(s.interact)
    if not r.ok:
        print("refused", r.kind)
    return r.ok
print("END", sorted(parallel([lambda: sit(a), lambda: sit(b)])))`)
	p.see("ready")
	p.see("refused usage") // while the other one has the terminal
	p.typing("\x1d")
	p.see("END [False, True]")
	p.leaves(0)
}

func TestTTYModes(t *testing.T) {
	for output, want := range map[string]string{
		"plain text":                              "",
		"\x1b[31mred\x1b[m":                       "",
		"\x1b[?25l":                               "\x1b[?25h\x1b[m",
		"\x1b[?25l\x1b[?25h":                      "",
		"\x1b[?1049h\x1b[?25l\x1b[?1;2004h":       "\x1b[?2004l\x1b[?1l\x1b[?25h\x1b[?1049l\x1b[m",
		"\x1b[?1049h\x1b[?1049l":                  "",
		"\x1b[?1049h\x1bc":                        "",
		"\x1b[3;9r":                               "\x1b7\x1b[r\x1b8\x1b[m",
		"\x1b[?1049h\x1b[3;9r":                    "\x1b[r\x1b[?1049l\x1b[m",
		"\x1b[3;9r\x1b[r":                         "",
		"\x1b=":                                   "\x1b>\x1b[m",
		"\x1b=\x1b>":                              "",
		"\x1b[>1u\x1b[>3u\x1b[<u":                 "\x1b[<1u\x1b[m",
		"\x1b[?7777h\x1b[?12l\x1b[4h\x1b[?xh":     "",
		"\x1b[?10\x1b[?1000h":                     "\x1b[?1000l\x1b[m",
		"\x1b[?2\n5l":                             "\x1b[?25h\x1b[m",
		"\x1b[?2\x7f5l":                           "\x1b[?25h\x1b[m",
		"\x1b[?25\x18l\x1b(=":                     "",
		"\x1b]0;t\x1b[?25l":                       "\x1b[?25h\x1b[m",
		"\x1b[" + strings.Repeat("1;", 500) + "h": "",
	} {
		for _, size := range []int{1, 2, 3, len(output)} {
			m := ttyModes{to: io.Discard}
			for p := []byte(output); len(p) > 0; p = p[min(size, len(p)):] {
				m.Write(p[:min(size, len(p))])
			}
			if got := m.leave(); got != want {
				t.Errorf("after %q in pieces of %d: got %q, want %q", output, size, got, want)
			}
		}
	}
}
