package session

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"omniexpect/internal/match"
	"omniexpect/internal/proc"
	"omniexpect/internal/testhome"
)

const roleEnv = "OMNIEXPECT_TEST_ROLE"

// TestMain lets the test binary be the program in the terminal.
func TestMain(m *testing.M) {
	if role := os.Getenv(roleEnv); role != "" {
		play(role)
	}
	goleak.VerifyTestMain(testhome.Tests{M: m})
}

// play is what the program in the terminal does.
func play(role string) {
	role, name, named := strings.Cut(role, " ")
	if named {
		playMember(role, name)
	}
	switch role {
	case "family":
		raise()
	case "user":
		playUser()
		os.Exit(0)
	case "root":
		playRoot()
	case "status":
		os.Exit(7)
	case "killed":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "place":
		ws, err := unix.IoctlGetWinsize(0, unix.TIOCGWINSZ)
		dir, _ := os.Getwd()
		fmt.Println(ws.Row, ws.Col, dir, err)
		os.Exit(0)
	case "stubborn":
		signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
		fmt.Println("up")
	case "parent": // ends at once, and leaves a child that holds the terminal
		signal.Ignore(syscall.SIGHUP)
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), roleEnv+"=stubborn")
		child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
		child.Start()
		os.Exit(5)
	case "daemon", "job": // has a child in a session or process group of its own
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), roleEnv+"=stubborn")
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: role == "daemon", Setpgid: role == "job"}
		out, _ := child.StdoutPipe()
		child.Start()
		out.Read(make([]byte, 1))
		fmt.Println("up")
		if role == "daemon" {
			os.Exit(0) // the child is an orphan now
		}
	}
	time.Sleep(time.Minute)
	os.Exit(0)
}

// start runs the test binary in a role, marked by the test's name.
func start(t *testing.T, role string, kill proc.Strength, change func(*Config)) *Session {
	t.Helper()
	marker := fmt.Sprintf("%s-%d", strings.ReplaceAll(t.Name(), "/", "-"), os.Getpid())
	c := Config{Argv: []string{os.Args[0]}, Rows: 24, Cols: 80, Kill: kill, Marker: marker,
		Env: append(os.Environ(), roleEnv+"="+role, proc.MarkerEnv+"="+marker)}
	if change != nil {
		change(&c)
	}
	s, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close(context.Background())
		proc.End(context.Background(), proc.Plan{Marker: marker, Strength: proc.KillAll}, nil)
		if left := proc.Marked(marker); len(left) > 0 {
			t.Errorf("left running: %s", proc.Names(left))
		}
	})
	return s
}

// see waits for a text.
func see(t *testing.T, s *Session, kind match.Kind, text string) match.Result {
	t.Helper()
	set, err := match.Compile([]match.Pattern{{Kind: kind, Source: text}}, false)
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.Out.Wait(t.Context(), match.Want{Set: set, Deadline: time.Now().Add(time.Minute)})
	if err != nil || res.Index < 0 {
		t.Fatalf("%q: %v, %+v", text, err, res)
	}
	return res
}

func TestStatus(t *testing.T) {
	for role, want := range map[string]string{"status": "exited with status 7", "killed": "killed by signal 9 (killed)"} {
		for _, pipes := range []bool{false, true} {
			s := start(t, role, proc.KillTree, func(c *Config) { c.Pipes = pipes })
			if st, err := s.Wait(t.Context()); err != nil || st.String() != want || st.OK() {
				t.Errorf("%s, pipes %v: %v, %v", role, pipes, st, err)
			}
		}
	}
}

// TestPlace looks at size and directory with the program's first instructions.
func TestPlace(t *testing.T) {
	dir := t.TempDir()
	s := start(t, "place", proc.KillTree, func(c *Config) { c.Rows, c.Cols, c.Dir = 50, 132, dir })
	if res := see(t, s, match.EOF, ""); res.Before.String() != "50 132 "+dir+" <nil>\n" {
		t.Errorf("got %q", res.Before.String())
	}
}

// TestExitBeforeHangup sees the exit at once, although a child still holds the terminal.
func TestExitBeforeHangup(t *testing.T) {
	// The child may take longer to write than a terminal has to be quiet for the end.
	s := start(t, "parent", proc.KillTree, func(c *Config) { c.HangupOnly = true })
	if st, err := s.Wait(t.Context()); err != nil || st.Code != 5 {
		t.Fatalf("%v, %v", st, err)
	}
	see(t, s, match.Exact, "up")
	if s.Ended() {
		t.Error("the terminal is said to be closed, but a child holds it")
	}
}

// TestClose ends a program that ignores signals, within a bound, and again.
func TestClose(t *testing.T) {
	s := start(t, "stubborn", proc.KillTree, nil)
	see(t, s, match.Exact, "up")
	began := time.Now()
	for range 2 {
		if left := s.Close(t.Context()); len(left) > 0 {
			t.Errorf("left %s", proc.Names(left))
		}
	}
	if d := time.Since(began); d > 30*time.Second {
		t.Errorf("took %s", d)
	}
	if st, over := s.Status(); !over || st.Signal != syscall.SIGKILL {
		t.Errorf("status %v, over %v", st, over)
	}
}

// TestKillStrengths says what goes down with a program that has a job of its own, or left a daemon.
func TestKillStrengths(t *testing.T) {
	for _, c := range []struct {
		role string
		kill proc.Strength
		left bool
	}{
		{"job", proc.KillTree, false}, {"job", proc.KillAll, false},
		{"daemon", proc.KillTree, true}, {"daemon", proc.KillAll, false},
	} {
		t.Run(c.role+"-"+string(c.kill), func(t *testing.T) {
			s := start(t, c.role, c.kill, nil)
			see(t, s, match.Exact, "up")
			if c.role == "daemon" { // an orphan only then
				s.Wait(t.Context())
			}
			s.Close(t.Context())
			if left := proc.Marked(s.Marker); (len(left) > 0) != c.left {
				t.Errorf("left: %q, want some: %v", proc.Names(left), c.left)
			}
		})
	}
}

// TestCheapSessions bounds descriptors and threads of many sessions.
func TestCheapSessions(t *testing.T) {
	descriptors := func() int {
		list, _ := filepath.Glob("/proc/self/fd/*")
		return len(list)
	}
	if descriptors() == 0 {
		t.Skip("no /proc to count descriptors in")
	}
	threads := func() int { return pprof.Lookup("threadcreate").Count() }
	const n = 100 // their descriptors fit into a limit of 256
	fds, ths := descriptors(), threads()
	for range n {
		start(t, "none", proc.KillTree, func(c *Config) {
			c.Argv, c.Table = []string{"/bin/cat"}, nil
		})
	}
	if more := descriptors() - fds; more > 2*n+8 {
		t.Errorf("%d descriptors for %d sessions", more, n)
	}
	if more := threads() - ths; more > 30 {
		t.Errorf("%d threads for %d sessions", more, n)
	}
}
