package builtins

import (
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"omniexpect/internal/testneed"
)

// showsAllBeforeItActs: what the program wrote before a pattern stands there before the function runs, with no more shown
// than once, also by mirror; and every match is served, however many come at once.
func showsAllBeforeItActs(t *testing.T, program string) {
	for range 5 {
		p := sitDown(t, program, catSession+`s.mirror()
s.interact(on = {"abc": lambda m: s.close()})`)
		p.see("ready")
		p.typing("abc\r")
		p.leaves(0)
		if n := strings.Count(p.screen(), "abc"); n < 1 || n > 2 {
			t.Errorf("what the pattern matched was shown %d times: %q", n, p.screen())
		}
	}
	p := sitDown(t, program, `s = spawn(["sh", "-c", "stty -echo; echo go; read l; seq -f q%g 0 999; n=0; while [ $n -lt 1000 ]; do read y; n=$((n+1)); done; echo GOT $n; read z"])
print("END", s.interact(on = {r"q[0-9]+\n": "y\n", "GOT [0-9]+": lambda m: m.text}))`)
	p.see("go")
	p.typing("\r")
	p.see("END GOT 1000")
	p.leaves(0)
}

// refusesEmptyMatches: a pattern that is everywhere would be served without end.
func refusesEmptyMatches(t *testing.T, program string) {
	p := sitDown(t, program, catSession+`interact(on = {"x*": "y"})`)
	p.see("may match the empty text")
	p.leaves(2)
}

// takesTheKeyInAnyForm: programs switch how a terminal reports its keys.
func takesTheKeyInAnyForm(t *testing.T, program string) {
	for until, typed := range map[string]string{"ctrl-]": "\x1b[93;5u", "up": "\x1bOA", "alt-x": "\x1b[120;131u"} {
		p := sitDown(t, program, catSession+fmt.Sprintf("s.interact(until = %q)\nprint(\"END\")", until))
		p.see("ready")
		p.typing(typed)
		p.see("END")
		p.leaves(0)
	}
}

// sitDownInShell has a shell, which can stop it, run a script that hands the terminal over to what spawn starts. That names
// its parent: pid.
func sitDownInShell(t *testing.T, program, spawn, ready string) (p *person, pid int) {
	t.Helper()
	shell := exec.Command("bash", "--norc", "--noprofile", "--noediting", "-i")
	shell.Env = append(os.Environ(), "HISTFILE=")
	p = sitDownAs(t, shell)
	p.typing(program + ` run -q -c 's = ` + spawn + `; s.interact()'` + "\r")
	p.see(ready)
	shown := p.screen()
	if fmt.Sscanf(shown[strings.LastIndex(shown, "pid ")+4:], "%d", &pid); pid == 0 {
		t.Fatalf("no process is named: %q", shown)
	}
	return p, pid
}

// stopsWithTheTerminal: who is stopped gives the terminal back meanwhile, and takes it again.
func stopsWithTheTerminal(t *testing.T, program string) {
	for _, sig := range []syscall.Signal{syscall.SIGTSTP, syscall.SIGSTOP} {
		p, pid := sitDownInShell(t, program, `spawn(["sh", "-c", "echo pid $PPID.; exec cat"])`, ".\r\n")
		p.handedOver()
		syscall.Kill(pid, sig)
		p.see("Stopped")
		p.typing("echo an''swer\r")
		p.see("answer")
		if !reflect.DeepEqual(p.state(), p.before) {
			t.Errorf("%s: the terminal was not given back", sig)
		}
		p.typing("fg\r")
		late := time.Now().Add(20 * time.Second)
		for reflect.DeepEqual(p.state(), p.before) {
			if time.Now().After(late) {
				t.Fatalf("%s: the terminal was not taken again: %q", sig, p.last())
			}
			time.Sleep(10 * time.Millisecond)
		}
		p.typing("again\r")
		p.see("again\r\nagain\r\n")
		p.typing("\x1d")
		for !reflect.DeepEqual(p.state(), p.before) && time.Now().Before(late) {
			time.Sleep(10 * time.Millisecond)
		}
		p.typing("exit 7\r")
		p.leaves(7)
	}
}

// drawsAgain: a program is asked to draw its screen again when we go on after a stop, and has its size then.
func drawsAgain(t *testing.T, program string) {
	testneed.Programs(t, "python3")
	for _, sig := range []syscall.Signal{syscall.SIGTSTP, syscall.SIGSTOP} {
		p, pid := sitDownInShell(t, program, `spawn(["python3", "testdata/redraw.py"])`, "ready.\r\n")
		syscall.Kill(pid, sig)
		p.see("Stopped")
		n := len(p.screen())
		p.typing("fg\r")
		for late := time.Now().Add(20 * time.Second); !strings.Contains(p.screen()[n:], "drawn 30x100\r\n"); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(late) {
				t.Fatalf("%s: nothing was drawn: %q", sig, p.last())
			}
		}
		p.typing("\x1d")
		for late := time.Now().Add(20 * time.Second); !reflect.DeepEqual(p.state(), p.before) && time.Now().Before(late); {
			time.Sleep(10 * time.Millisecond)
		}
		p.typing("exit 7\r")
		p.leaves(7)
	}
}
