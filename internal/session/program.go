package session

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"omniexpect/internal/fault"
	"omniexpect/internal/proc"
	"omniexpect/internal/rawio"
)

// program is a Conn to a program that runs on this machine: on a terminal of its own, or on three pipes.
//
//	state    pidfd   begun    exit     who finds the end out
//	started  open    open     open     nobody yet
//	read     open    closed   open     the reader, between reads (reap)
//	watched  open    closed   open     a goroutine (watch): nobody reads, or somebody needs to be told
//	reaped   closed  closed   closed   –
type program struct {
	*rawio.File // what it writes
	pid         int
	start       uint64      // the process's start time, as proc has it
	in          *rawio.File // what it reads; the same on a terminal
	err         *rawio.File // its standard error, if it has pipes
	tty         string      // path of the terminal's other side
	pipes       []string    // names of the pipes that it writes to, if it has no terminal

	ending    func(Status)  // called with the status, before Exit is closed
	ended     func()        // and after it
	begun     chan struct{} // closed once both are set
	exit      chan struct{} // closed once status is known
	status    Status
	pidfd     *rawio.File // nil where the system has none
	watchOnce sync.Once
	reapMu    sync.Mutex
}

// startProgram runs a program.
func startProgram(cmd *exec.Cmd, c Config) (*program, error) {
	p := &program{exit: make(chan struct{}), begun: make(chan struct{})}
	proc.CatchIgnored()
	keepInherited()
	var err error
	if c.Pipes {
		err = p.startPipes(cmd)
	} else {
		err = p.startPTY(cmd, c)
	}
	if err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// run starts the program with its files in place.
func (p *program) run(cmd *exec.Cmd) error {
	prepareWatch(cmd)
	back := cleanSignals()
	before := proc.Now()
	err := cmd.Start()
	back()
	if err != nil {
		return err
	}
	p.pid = cmd.Process.Pid
	p.start = before
	if before == 0 || before != proc.Now() { // else it can only have been then
		p.start, _ = proc.StartOf(p.pid)
	}
	p.pidfd = takeWatch(cmd)
	return nil
}

// begin sets what is called when the program ends.
func (p *program) begin(ending func(Status), ended func()) {
	p.ending, p.ended = ending, ended
	close(p.begun)
	if p.pidfd == nil {
		p.watch()
	}
}

// WriteAll writes to the program's terminal, or its standard input.
func (p *program) WriteAll(ctx context.Context, b []byte, timeout time.Duration) (int, error) {
	return p.in.WriteAll(ctx, b, timeout)
}

// CloseWrite ends the standard input of a program on pipes.
func (p *program) CloseWrite() error {
	p.in.Close()
	return nil
}

// Close gives all descriptors back.
func (p *program) Close() {
	for _, f := range []*rawio.File{p.in, p.File, p.err} {
		if f != nil {
			f.Close()
		}
	}
}

// release gives back what the program reads and writes, but its standard error.
func (p *program) release() {
	p.File.Close()
	p.in.Close()
}

// watch makes sure that the exit is noticed without a call of Status. A reader of the output looks for it too; once there is
// none, or a caller waits for Exit, a goroutine does.
func (p *program) watch() {
	if _, over := p.known(); over {
		return
	}
	p.watchOnce.Do(func() {
		if p.pidfd != nil {
			p.pidfd.Poll()
		}
		go p.await()
	})
}

// await waits for the exit: in Go's poller, or in a thread of its own where the system offers nothing better.
func (p *program) await() {
	<-p.begun
	if p.pidfd == nil {
		for !p.reap(0) {
		}
		return
	}
	for !p.reap(syscall.WNOHANG) {
		if p.pidfd.WaitNews() != nil {
			rawio.Await(lookAgain, p.pidfd) // it cannot be polled
		}
	}
}

// reap looks whether the program has ended, and takes its status if so.
func (p *program) reap(options int) bool {
	p.reapMu.Lock()
	defer p.reapMu.Unlock()
	if _, over := p.known(); over {
		return true
	}
	var ws syscall.WaitStatus
	pid, err := syscall.Wait4(p.pid, &ws, options, nil)
	if pid != p.pid && (err == nil || err == syscall.EINTR) {
		return false
	}
	p.status = statusOf(ws)
	p.ending(p.status)
	close(p.exit)
	p.ended()
	if p.pidfd != nil {
		p.pidfd.Close()
	}
	return true
}

// known returns how the program ended, as far as that was found out.
func (p *program) known() (Status, bool) {
	select {
	case <-p.exit:
		return p.status, true
	default:
		return Status{}, false
	}
}

// Status returns how the program ended, and whether it did.
func (p *program) Status() (Status, bool) {
	if p.pidfd != nil {
		p.reap(syscall.WNOHANG)
	}
	return p.known()
}

// Exit is closed when the program has ended.
func (p *program) Exit() <-chan struct{} {
	p.watch()
	return p.exit
}

// lead waits a moment for the exit on the caller's goroutine, which saves the start of another one.
func (p *program) lead(turn *sync.Mutex) {
	if p.pidfd != nil && turn != nil && turn.TryLock() {
		rawio.Await(lookAgain, p.pidfd)
		turn.Unlock()
	}
}

// Signal sends a signal to the program. The error of one that has ended is os.ErrProcessDone.
func (p *program) Signal(sig syscall.Signal) error {
	p.Status()          // which asks
	if p.pidfd != nil { // until it is reaped its number is given to nobody else
		p.reapMu.Lock()
		defer p.reapMu.Unlock()
	}
	if _, over := p.known(); over {
		return os.ErrProcessDone
	}
	return syscall.Kill(p.pid, sig)
}

// holders names the processes that still have the terminal open, or what is read of its pipes, although the program is gone.
func (p *program) holders() []proc.Process {
	return proc.HoldersOf(append([]string{p.tty}, p.pipes...)...)
}

// stopped returns the program, or what it has in the foreground of its terminal, if that is stopped and cannot go on by itself.
func (p *program) stopped() (proc.Process, bool) {
	if _, over := p.Status(); over {
		return proc.Process{}, false
	}
	for _, pid := range []int{p.pid, p.foreground()} {
		if q, stopped := proc.Stopped(pid); stopped {
			return q, true
		}
	}
	return proc.Process{}, false
}

// end ends the program and what its strength covers, and waits for all of it. It returns what could not be ended.
func (p *program) end(ctx context.Context, plan proc.Plan) []proc.Process {
	left := proc.End(ctx, plan, p.Exit())
	if len(left) > 0 {
		// A program of another user, such as sudo, takes no signal of ours, but hears that its terminal is gone.
		p.Close()
		left = proc.Remaining(context.WithoutCancel(ctx), left, hangupLasts)
	}
	select { // the program itself has had its SIGKILL
	case <-p.exit:
	case <-time.After(2 * time.Second): // stuck in the kernel; proc.End has named it as left
	}
	return left
}

// hangupLasts is how long is waited for what ends with its terminal only.
const hangupLasts = 500 * time.Millisecond

// errSignal is the error of a signal that was not sent.
func errSignal(who string, st Status, err error) error {
	if err == os.ErrProcessDone {
		return fault.New(fault.EOF, "signal %s: the program %s already", who, st.Sentence())
	}
	return fault.New(fault.Env, "signal %s: %w", who, err)
}
