package session

import (
	"context"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"omniexpect/internal/clock"
	"omniexpect/internal/event"
	"omniexpect/internal/fault"
	"omniexpect/internal/match"
	"omniexpect/internal/proc"
	"omniexpect/internal/rawio"
)

// Config says what to run and how.
type Config struct {
	Argv       []string
	Env        []string // the whole environment
	Dir        string
	Name       string // what messages call the session; the program's name if empty
	Rows, Cols int
	NoEcho     bool // switch the terminal's echo off
	Raw        bool // switch all of the terminal's processing off
	Pipes      bool // no terminal: three pipes
	Kill       proc.Strength
	Marker     string      // the session's marker, which Env carries
	Table      *proc.Table // shared by sessions that end at the same time; may be nil
	Limit      int         // see match.Config
	History    int
	KeepNUL    bool
	HangupOnly bool
	Piecemeal  bool
	Lead       *sync.Mutex // see match.Config
	Clock      clock.Clock // of the run; the system's if nil
	Log        *event.Log  // gets what happens to the session; may be nil
}

// Session is a program and its terminal.
type Session struct {
	Config
	PID   int
	Began time.Time
	Out   *match.Stream // what the program writes: on a terminal everything, through pipes its standard output
	Err   *match.Stream // its standard error, if it has pipes; else nil

	clock clock.Clock
	start uint64      // the process's start time, as proc has it
	in    *rawio.File // what it reads
	out   *rawio.File
	err   *rawio.File
	tty   string   // path of the terminal's other side
	pipes []string // names of the pipes that the program writes to, if it has no terminal

	Handed atomic.Bool // interact() shows the output on the person's terminal

	exit      chan struct{} // closed once status is known
	status    Status
	pidfd     *rawio.File   // nil where the system has none
	begun     chan struct{} // closed once Out and Err are there
	watchOnce sync.Once
	reapMu    sync.Mutex

	sending chan struct{} // full while somebody sends
	line    int           // bytes of an unfinished line that were sent in canonical mode; for who sends

	inputEnded bool // by SendEOF, through a pipe

	closeOnce sync.Once
	closed    atomic.Bool
	left      []proc.Process
}

// Start runs a program. The error is of kind env and names what is wrong.
func Start(c Config) (*Session, error) {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return nil, fault.New(fault.Usage, "spawn: no program to run: give a command line or a list of words")
	}
	path, err := lookup(c)
	if err != nil {
		return nil, err
	}
	if c.Name == "" {
		c.Name = c.Argv[0][strings.LastIndexByte(c.Argv[0], '/')+1:]
	}
	s := &Session{Config: c, exit: make(chan struct{}), begun: make(chan struct{}),
		sending: make(chan struct{}, 1), clock: clock.Or(c.Clock)}
	s.Began = s.clock.Now()
	cmd := &exec.Cmd{Path: path, Args: c.Argv, Env: c.Env, Dir: c.Dir}
	proc.CatchIgnored()
	keepInherited()
	if c.Pipes {
		err = s.startPipes(cmd)
	} else {
		err = s.startPTY(cmd)
	}
	if err != nil {
		s.closeFiles()
		return nil, startError(c.Argv[0], path, err)
	}
	return s, nil
}

// begin is called with the program running and its files in place.
func (s *Session) begin(cmd *exec.Cmd) {
	s.PID = cmd.Process.Pid
	if s.Log.Wants(event.KindSpawn) {
		s.emit(&event.Spawn{Session: s.Name, Argv: s.Argv, Dir: s.Dir, Rows: s.Rows, Cols: s.Cols, PTY: !s.Pipes, PID: s.PID})
	}
	s.pidfd = takeWatch(cmd)
	cfg := match.Config{Source: s.out, Rows: s.Rows, Cols: s.Cols, Limit: s.Limit, History: s.History, KeepNUL: s.KeepNUL,
		HangupOnly: s.HangupOnly, Piecemeal: s.Piecemeal, Lead: s.Lead, Exit: s.pidfd, Clock: s.clock, Log: s.Log, Name: s.Name, Handed: &s.Handed, Ended: s.release,
		Reap: func() { s.reap(syscall.WNOHANG) }, Draining: s.watch}
	s.Out = match.New(cfg)
	if s.err != nil {
		cfg.Source, cfg.Stream = s.err, event.Stderr
		cfg.Ended = func() { s.err.Close() }
		s.Err = match.New(cfg)
	}
	close(s.begun)
	if s.pidfd == nil {
		s.watch()
	}
}

// emit passes on what happens to the session.
func (s *Session) emit(b event.Body) { s.Log.Emit("", event.Pos{}, b) }

// release gives the descriptors back once nothing can come any more.
func (s *Session) release() {
	s.out.Close()
	s.in.Close() // the same on a terminal
}

// Closed reports whether Close was called.
func (s *Session) Closed() bool { return s.closed.Load() }

// Holders names who still has the terminal open, or what is read of its pipes, although the program is gone.
func (s *Session) Holders() []proc.Process {
	return proc.HoldersOf(append([]string{s.tty}, s.pipes...)...)
}

// Signal sends a signal to the program.
func (s *Session) Signal(sig syscall.Signal) error {
	s.Status()          // which asks
	if s.pidfd != nil { // until it is reaped its number is given to nobody else
		s.reapMu.Lock()
		defer s.reapMu.Unlock()
	}
	if st, over := s.known(); over {
		return fault.New(fault.EOF, "signal %s: the program %s already", s.Name, st.Sentence())
	}
	if err := syscall.Kill(s.PID, sig); err != nil {
		return fault.New(fault.Env, "signal %s: %w", s.Name, err)
	}
	s.signalled(sig)
	return nil
}

// SignalForeground sends a signal to the terminal's foreground process group, as its control characters would.
func (s *Session) SignalForeground(sig syscall.Signal) error {
	pgrp := s.foreground()
	if pgrp <= 1 {
		return s.Signal(sig)
	}
	if err := syscall.Kill(-pgrp, sig); err != nil {
		return fault.New(fault.Env, "signal the foreground of %s: %w", s.Name, err)
	}
	s.signalled(sig)
	return nil
}

func (s *Session) signalled(sig syscall.Signal) {
	if s.Log.Wants(event.KindSignal) {
		s.emit(&event.Signal{Session: s.Name, Name: unix.SignalName(sig)})
	}
}

// Stopped returns the program, or what it has in the foreground of its terminal, if that is stopped and cannot go on by itself.
func (s *Session) Stopped() (proc.Process, bool) {
	if _, over := s.Status(); over {
		return proc.Process{}, false
	}
	for _, pid := range []int{s.PID, s.foreground()} {
		if p, stopped := proc.Stopped(pid); stopped {
			return p, true
		}
	}
	return proc.Process{}, false
}

// Close ends the program and what its Kill strength covers, and waits for all of it. It returns what could not be
// ended. A cancelled context goes straight to SIGKILL.
func (s *Session) Close(ctx context.Context) []proc.Process {
	s.closeOnce.Do(func() {
		s.closed.Store(true)
		s.left = proc.End(ctx, s.Plan(), s.Exit())
		if len(s.left) > 0 {
			// A program of another user, such as sudo, takes no signal of ours, but hears that its terminal is gone.
			s.closeFiles()
			s.left = proc.Remaining(context.WithoutCancel(ctx), s.left, hangupLasts)
		}
		s.bury()
		s.Out.End(false) // what was written and nobody waited for: a sink shows it
		if s.Err != nil {
			s.Err.End(false)
		}
		s.Out.Close()
		if s.Err != nil {
			s.Err.Close()
		}
		s.closeFiles()
		if s.Log.Wants(event.KindClose) {
			closed := &event.Close{Session: s.Name}
			for _, p := range s.left {
				closed.Left = append(closed.Left, p.String())
			}
			s.emit(closed)
		}
	})
	return s.left
}

// hangupLasts is how long is waited for what ends with its terminal only.
const hangupLasts = 500 * time.Millisecond

// bury waits for the program itself, which has had its SIGKILL.
func (s *Session) bury() {
	select {
	case <-s.exit:
	case <-time.After(2 * time.Second): // stuck in the kernel; proc.End has named it as left
	}
}

// Ended reports whether the program is gone, nobody holds its terminal, and its descriptors are given back.
func (s *Session) Ended() bool { return s.Out.Gone() && (s.Err == nil || s.Err.Gone()) }

// Plan is what ends what is left of a program that ended by itself.
func (s *Session) Plan() proc.Plan {
	return proc.Plan{PID: s.PID, Start: s.start, Marker: s.Marker, Strength: s.Kill, Table: s.Table}
}
