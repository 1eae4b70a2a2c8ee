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

// Config describes what to run and how.
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

// Session is a conversation with a program, or with whatever else a Conn leads to.
type Session struct {
	Config
	PID   int // 0 without a program on this machine
	Began time.Time
	Out   *match.Stream // what the program writes: on a terminal everything, through pipes its standard output
	Err   *match.Stream // its standard error, if it has pipes; else nil

	clock   clock.Clock
	conn    Conn
	term    Terminal // nil where conn leads to none
	process Process  // nil where conn leads to none
	program *program // conn, if that is a program on this machine

	Handed atomic.Bool // interact() shows the output on the person's terminal

	sending    chan struct{} // full while somebody sends
	line       int           // bytes of an unfinished line that were sent in canonical mode; for the sender
	inputEnded bool          // by SendEOF, without a terminal

	over      chan struct{} // closed once nothing more can be read
	closing   chan struct{} // closed by Close
	followed  sync.WaitGroup
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
	s := newSession(c)
	p, err := startProgram(&exec.Cmd{Path: path, Args: c.Argv, Env: c.Env, Dir: c.Dir}, c)
	if err != nil {
		return nil, startError(c.Argv[0], path, err)
	}
	s.PID, s.conn, s.process, s.program = p.pid, p, p, p
	if !c.Pipes {
		s.term = p
	}
	s.listen(p.File, match.Config{Exit: p.pidfd, Reap: func() { p.reap(syscall.WNOHANG) }, Draining: p.watch}, p.err)
	p.begin(s.exited, s.outputExited)
	return s, nil
}

// listen makes the streams of what the other end writes.
func (s *Session) listen(from match.Source, cfg match.Config, err *rawio.File) {
	if s.Log.Wants(event.KindSpawn) {
		s.emit(&event.Spawn{Session: s.Name, Argv: s.Argv, Dir: s.Dir, Rows: s.Rows, Cols: s.Cols, PTY: s.term != nil, PID: s.PID})
	}
	cfg.Source, cfg.Ended = from, s.ended
	cfg.Rows, cfg.Cols, cfg.Limit, cfg.History, cfg.KeepNUL = s.Rows, s.Cols, s.Limit, s.History, s.KeepNUL
	cfg.HangupOnly, cfg.Piecemeal, cfg.Lead = s.HangupOnly, s.Piecemeal, s.Lead
	cfg.Clock, cfg.Log, cfg.Name, cfg.Handed = s.clock, s.Log, s.Name, &s.Handed
	s.Out = match.New(cfg)
	if err != nil {
		cfg.Source, cfg.Stream = err, event.Stderr
		cfg.Ended = err.Close
		s.Err = match.New(cfg)
	}
}

// outputExited tells the streams that the program has ended.
func (s *Session) outputExited() {
	s.Out.Exited()
	if s.Err != nil {
		s.Err.Exited()
	}
}

// ended gives the descriptors back once nothing can come any more.
func (s *Session) ended() {
	if s.program != nil {
		s.program.release()
	} else {
		s.conn.Close()
	}
	close(s.over)
}

// emit passes on what happens to the session.
func (s *Session) emit(b event.Body) { s.Log.Emit("", event.Pos{}, b) }

// Closed reports whether Close was called.
func (s *Session) Closed() bool { return s.closed.Load() }

// Holders names the processes that still have the terminal open, or what is read of its pipes, although the program is gone.
func (s *Session) Holders() []proc.Process {
	if s.program == nil {
		return nil
	}
	return s.program.holders()
}

// Signal sends a signal to the program.
func (s *Session) Signal(sig syscall.Signal) error {
	if s.process == nil {
		return fault.New(fault.Usage, "signal %s: it is a connection, not a process", s.Name)
	}
	if err := s.process.Signal(sig); err != nil {
		st, _ := s.Status()
		return errSignal(s.Name, st, err)
	}
	s.signalled(sig)
	return nil
}

// SignalForeground sends a signal to the terminal's foreground process group, as its control characters would.
func (s *Session) SignalForeground(sig syscall.Signal) error {
	pgrp := 0
	if s.program != nil {
		pgrp = s.program.foreground()
	}
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
	if s.program == nil {
		return proc.Process{}, false
	}
	return s.program.stopped()
}

// InForeground reports whether the program itself, and no other that it started, is in the foreground of its terminal.
func (s *Session) InForeground() bool {
	if s.program == nil {
		return true
	}
	pgrp := s.program.foreground()
	return pgrp <= 0 || pgrp == s.PID
}

// Close ends the program and what its Kill strength covers, and waits for all of it, or closes the connection. It returns
// what could not be ended. A cancelled context goes straight to SIGKILL.
func (s *Session) Close(ctx context.Context) []proc.Process {
	s.closeOnce.Do(func() {
		s.closed.Store(true)
		close(s.closing)
		if s.program != nil {
			plan, _ := s.Plan()
			s.left = s.program.end(ctx, plan)
		}
		s.Out.End(false) // what was written and nobody waited for: a sink shows it
		if s.Err != nil {
			s.Err.End(false)
		}
		s.Out.Close()
		if s.Err != nil {
			s.Err.Close()
		}
		s.conn.Close()
		s.followed.Wait()
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

// Ended reports whether the program is gone, nobody holds its terminal, and its descriptors are given back.
func (s *Session) Ended() bool { return s.Out.Gone() && (s.Err == nil || s.Err.Gone()) }

// Plan returns what ends what is left of a program that ended by itself, and whether there is a program.
func (s *Session) Plan() (proc.Plan, bool) {
	if s.program == nil {
		return proc.Plan{}, false
	}
	return proc.Plan{PID: s.PID, Start: s.program.start, Marker: s.Marker, Strength: s.Kill, Table: s.Table}, true
}
