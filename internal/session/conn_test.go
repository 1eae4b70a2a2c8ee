package session

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"omniexpect/internal/event"
	"omniexpect/internal/match"
)

// parrot is a toy transport: it says again what it is told, line by line, and goodbye when its input ends.
type parrot struct {
	*match.Pushed
	held []byte
	once sync.Once
}

func newParrot() *parrot { return &parrot{Pushed: match.NewPushed()} }

func (p *parrot) WriteAll(_ context.Context, b []byte, _ time.Duration) (int, error) {
	p.held = append(p.held, b...)
	for {
		line, rest, whole := bytes.Cut(p.held, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		if _, err := p.Write(append([]byte("you said "), append(line, '\n')...)); err != nil {
			return 0, err
		}
		p.held = rest
	}
}

func (p *parrot) CloseWrite() error {
	p.once.Do(func() { p.Write([]byte("goodbye\n")); p.End() })
	return nil
}

// screened is a parrot on a terminal that takes single keys.
type screened struct {
	*parrot
	rows, cols int
}

func (s *screened) Resize(rows, cols int) error { s.rows, s.cols = rows, cols; return nil }
func (s *screened) Modes() (echo, lines bool)   { return false, false }
func (s *screened) LineKeys() LineKeys          { return LineKeys{End: '\r', EOF: ctrlD} }

// housed is a parrot that ends with a status.
type housed struct {
	*parrot
	exit   chan struct{}
	status Status
}

func (h *housed) Status() (Status, bool) {
	select {
	case <-h.exit:
		return h.status, true
	default:
		return Status{}, false
	}
}
func (h *housed) Exit() <-chan struct{} { return h.exit }
func (h *housed) Signal(sig syscall.Signal) error {
	h.status = Status{Code: -1, Signal: sig}
	h.Pushed.End()
	close(h.exit)
	return nil
}

func waitFor(t *testing.T, s *Session, want string) match.Result {
	t.Helper()
	set, err := match.Compile([]match.Pattern{{Kind: match.Regexp, Source: want}}, false)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Out.Wait(t.Context(), match.Want{Set: set, Deadline: time.Now().Add(time.Minute)})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func send(t *testing.T, s *Session, text string) {
	t.Helper()
	if err := s.Send(t.Context(), []byte(text), time.Minute, false); err != nil {
		t.Fatal(err)
	}
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

// A connection that is neither a terminal nor a process is a session all the same.
func TestOpenConnection(t *testing.T) {
	var log event.Log
	var kinds []string
	log.Add(event.Func(func(e event.Event) { kinds = append(kinds, e.Body.Kind().String()) }), event.KindSpawn, event.KindExit, event.KindClose)
	s := Open(newParrot(), Config{Name: "parrot", Rows: 24, Cols: 80, Log: &log})
	send(t, s, "hello"+s.LineEnd())
	if r := waitFor(t, s, "said (.*)\n"); r.Why != match.Matched || r.Groups[0] != "hello" {
		t.Errorf("got %+v", r)
	}
	if _, over := s.Status(); over || s.HasTerminal() || s.MayEcho() {
		t.Error("it is over, or has a terminal")
	}
	wantError(t, s.Resize(10, 10), "session parrot has no terminal")
	wantError(t, s.Signal(syscall.SIGTERM), "signal parrot: it is a connection, not a process")
	wantError(t, s.SignalForeground(syscall.SIGTERM), "it is a connection, not a process")
	if _, ok := s.Plan(); ok || s.Holders() != nil {
		t.Error("there is a program")
	}
	if err := s.SendEOF(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	if r := waitFor(t, s, "never"); r.Why != match.AtEOF || r.Before.String() != "goodbye\n" {
		t.Errorf("got %v, before it %q", r.Why, r.Before.String())
	}
	st, err := s.Wait(t.Context())
	if err != nil || !st.Unknown || st.OK() || st.Sentence() != "has closed the connection" {
		t.Errorf("ended with %+v, %v", st, err)
	}
	wantError(t, s.Send(t.Context(), []byte("x"), time.Minute, false), "send to parrot: the program has closed the connection")
	if left := s.Close(t.Context()); left != nil {
		t.Errorf("left %v", left)
	}
	if got := strings.Join(kinds, " "); got != "spawn close" {
		t.Errorf("events: %s", got)
	}
}

// One that is closed while somebody waits ends the wait.
func TestOpenConnectionClosed(t *testing.T) {
	s := Open(newParrot(), Config{Name: "parrot", Rows: 24, Cols: 80})
	done := make(chan match.Result)
	go func() { done <- waitFor(t, s, "never") }()
	s.Close(t.Context())
	if r := <-done; r.Why != match.AtEOF {
		t.Errorf("got %v", r.Why)
	}
	wantError(t, s.Send(t.Context(), []byte("x"), time.Minute, false), "session parrot is closed")
}

func TestOpenTerminal(t *testing.T) {
	conn := &screened{parrot: newParrot()}
	s := Open(conn, Config{Name: "parrot", Rows: 24, Cols: 80})
	defer s.Close(t.Context())
	if !s.HasTerminal() || !s.MayEcho() || s.LineEnd() != "\r" {
		t.Error("it has no terminal")
	}
	if err := s.Resize(10, 20); err != nil || conn.rows != 10 || conn.cols != 20 || s.Rows != 10 {
		t.Errorf("resized to %d x %d: %v", conn.rows, conn.cols, err)
	}
	if err := s.SendEOF(t.Context(), time.Minute); err != nil || string(conn.held) != "\x04" {
		t.Errorf("sent %q, %v", conn.held, err)
	}
}

// What is written before the process ends is there, and its status is the session's.
func TestOpenProcess(t *testing.T) {
	var log event.Log
	ended := make(chan *event.Exit, 1)
	log.Add(event.Func(func(e event.Event) { ended <- e.Body.(*event.Exit) }), event.KindExit)
	s := Open(&housed{parrot: newParrot(), exit: make(chan struct{})}, Config{Name: "parrot", Rows: 24, Cols: 80, Log: &log})
	send(t, s, "last words\n")
	if err := s.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if st, err := s.Wait(t.Context()); err != nil || st.Signal != syscall.SIGTERM {
		t.Errorf("ended with %v, %v", st, err)
	}
	if r := waitFor(t, s, "last words\n"); r.Why != match.Matched {
		t.Errorf("got %v", r.Why)
	}
	if e := <-ended; e.Signal != "SIGTERM" {
		t.Errorf("event %+v", e)
	}
	s.Close(t.Context())
}
