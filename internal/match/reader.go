package match

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"omniexpect/internal/clock"
	"omniexpect/internal/event"
	"omniexpect/internal/rawio"
)

// driver is the goroutine that reads the source and looks for what is waited for.
//
//	driver   on                                                        becomes
//	nobody   a wait comes that may read itself (mayLead)               direct    lead
//	         another wait, a watcher, linger over without a wait       drainer   attend, Always, relieve → startDrain
//	         somebody looks at the output                              direct    refresh, and back at once
//	direct   its wait is answered, cancelled or called to the drain;   nobody    rest, or at once drainer where a
//	         nothing has come for linger                                         watcher or a wait is left
//	drainer  it has answered a wait, or one needed no reading soon     nobody    retire, drain → rest, if mayRest
//	         after another (retiring)
//	any      the end is read and the program gone, or Close            nobody    finished, for good
//
// Only descriptors are read directly; other sources have a drain from the first moment to the last. What needs the reader to
// look around calls wake: a direct read notices within linger (called), a drain at once (kick, a deadline that is past).
type driver uint8

const (
	nobody  driver = iota // for the moment: the next wait will, or after linger the drain
	direct                // the waiter reads, on its own goroutine: it sleeps in the system call
	drainer               // a goroutine of the stream's own, in Go's poller
)

// linger is how long a wait reads the terminal itself while nothing comes, and how long after one the next may come to
// do the same, until the drain takes over. Most answers of a program come sooner, and cost no wake-up of a goroutine then.
const linger = 20 * time.Millisecond

// reopenPoll is how often a terminal that everybody has closed is looked at again while its program lives on: it may
// open it anew.
const reopenPoll = 20 * time.Millisecond

// leads reports whether waits may read the terminal themselves, asleep in a system call.
func (s *Stream) leads() bool { return rawio.CanAwait && s.cfg.Lead != nil && s.descriptor() }

// descriptor reports whether the source is a descriptor, which knows the stream's clock.
func (s *Stream) descriptor() bool { return s.file != nil && s.real }

// rest leaves the reading to the next wait, or after a while to the drain.
func (s *Stream) rest() {
	s.driver = nobody
	if s.finished() {
		return
	}
	if !s.mayRest() {
		s.startDrain()
		return
	}
	s.restAt = s.clock.Now()
	if s.ticking {
		return
	}
	s.ticking = true
	if s.timer == nil {
		s.timer = s.clock.AfterFunc(linger, s.relieve)
	} else {
		s.timer.Reset(linger)
	}
}

// relieve starts the drain if nobody has waited for a while.
func (s *Stream) relieve() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ticking = false
	if s.driver != nobody || s.finished() {
		return
	}
	if left := linger - clock.Since(s.clock, s.restAt); left > 0 {
		s.ticking = true
		s.timer.Reset(left)
		return
	}
	s.startDrain()
}

// startDrain starts the goroutine that reads until the output ends, or until it has answered a wait and the next one may
// read itself.
func (s *Stream) startDrain() {
	s.driver = drainer
	if s.file != nil {
		s.file.Poll()
	}
	s.lookAt(time.Time{})
	if s.cfg.Draining != nil {
		s.cfg.Draining()
	}
	s.readers.Go(s.drain)
}

// drain serves the waiter and the watchers, and reads what comes.
func (s *Stream) drain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		waited := s.waiter != nil
		if s.step() {
			s.retiring = s.retiring || waited && s.waiter == nil
			continue
		}
		s.trim()
		if s.retiring && s.mayRest() && s.file.Unpoll() {
			s.retiring = false
			s.rest()
			return
		}
		s.retiring = false
		if s.finished() {
			s.driver = nobody
			return
		}
		s.fill()
	}
}

// mayRest reports whether the reading can be left to the waits that come.
func (s *Stream) mayRest() bool { return s.waiter == nil && s.leads() && len(s.watchers) == 0 }

// retire ends the drain after a wait that needed no reading, if they come one after the other: the next one can do it.
func (s *Stream) retire(w Want) {
	if s.driver == nobody {
		s.finished() // goexpect was needed once more
	}
	if s.driver != drainer || !w.Here || !s.mayRest() {
		return
	}
	now := s.clock.Now()
	if now.Sub(s.restAt) < linger {
		s.retiring = true
		s.wake()
	}
	s.restAt = now
}

// finished reports whether nothing can be read and nobody waits, and gives back what is not needed any more.
func (s *Stream) finished() bool {
	over := s.closed || s.exited && s.hangup
	if over && !s.ended && s.cfg.Ended != nil {
		s.ended = true
		s.cfg.Ended()
	}
	if !over || s.waiter != nil {
		return false
	}
	s.uncouple()
	return true
}

// mayLead reports whether a wait may read the terminal itself. Only one of a run does at a time, so that many waits at once
// do not cost a thread each.
func (s *Stream) mayLead(w Want) bool {
	return w.Here && s.leads() && s.driver == nobody && len(s.watchers) == 0 && !s.hangup && !s.closed && s.cfg.Lead.TryLock()
}

// lead reads for a wait on its own goroutine, until it is answered or nothing has come for a while.
func (s *Stream) lead(ctx context.Context, q *search) {
	s.driver, s.called, s.first = direct, false, true
	s.readers.Add(1)
	defer s.readers.Done()
	for s.waiter == q {
		if s.step() {
			continue
		}
		s.trim()
		if s.called || s.closed || ctx.Err() != nil || !s.pull() {
			break
		}
	}
	s.cfg.Lead.Unlock()
	s.rest()
}

// pull reads once, sleeping in the system call if nothing is there. It reports whether there is more to be got that way.
func (s *Stream) pull() bool {
	now := s.clock.Now()
	s.patience = linger
	at := s.nextLook(now)
	due := !at.IsZero() && at.Sub(now) < linger
	if due {
		s.patience = at.Sub(now)
	}
	if s.wantQuiet() {
		due, s.patience = true, 0
	}
	if s.hangup {
		if s.exited || s.cfg.Exit == nil {
			return false
		}
		s.awaitExit()
		return s.exited || due
	}
	s.readHere()
	return s.readN > 0 || s.hangup || s.exited || due
}

// refresh takes in what the program has written, if nobody else does at the moment. The lock is held.
func (s *Stream) refresh() {
	if s.driver != nobody || s.hangup || s.closed {
		return
	}
	s.driver, s.patience = direct, 0
	s.readers.Add(1)
	defer s.readers.Done()
	for n := 0; n < finalBudget && !s.hangup && !s.closed && s.waiter == nil; n += s.readN {
		if s.readHere(); s.readN <= 0 {
			break
		}
	}
	if s.waiter == nil { // one that has come meanwhile looks first at what is to be dropped
		s.trim()
	}
	since := s.restAt
	s.rest()
	s.restAt = since // the drain is not put off by who only looks
}

// readHere reads once on the caller's goroutine. If nothing is there it waits for as long as patience, for output
// and for the end of the program.
func (s *Stream) readHere() {
	source, file, exit, patience, first := s.cfg.Source, s.file, s.cfg.Exit, s.patience, s.first
	s.first = false
	if s.exited {
		exit = nil
	}
	s.read(func(p []byte) (int, error) {
		began := time.Now()
		if try, d := s.pace.tries(first); try || patience <= 0 {
			n, err := readFor(source, p, began, min(d, patience))
			if err != syscall.EAGAIN || patience <= 0 {
				return n, err
			}
			s.pace.missed()
			began = time.Now()
		}
		if !rawio.Await(patience, file, exit) {
			return 0, syscall.EAGAIN
		}
		s.pace.slept(time.Since(began), first)
		n, err := source.Read(p)
		if err == syscall.EAGAIN && exit != nil {
			s.cfg.Reap()
		}
		return n, err
	})
}

// readFor tries to read once, and on until something is there or the time since began is over.
func readFor(source Source, p []byte, began time.Time, d time.Duration) (int, error) {
	for {
		n, err := source.Read(p)
		if err != syscall.EAGAIN || time.Since(began) >= d {
			return n, err
		}
	}
}

// awaitExit waits for the end of a program whose terminal nobody holds any more, for as long as patience.
func (s *Stream) awaitExit() {
	s.mu.Unlock()
	if rawio.Await(s.patience, s.cfg.Exit) {
		s.cfg.Reap()
	}
	s.mu.Lock()
	s.readN, s.emptyAt = 0, s.clock.Now()
}

// fill reads once in Go's poller, waiting until there is something to read or somebody wants the drain's attention.
func (s *Stream) fill() {
	now := s.clock.Now()
	at := s.nextLook(now)
	if s.hangup || s.closed {
		s.pause(now, at)
		if !s.closed && !s.exited {
			s.hangup = false // look whether it was opened again
		}
		if s.hangup || s.closed {
			return
		}
	}
	select {
	case <-s.kick:
	default:
	}
	if !s.armed.IsZero() && !s.armed.After(now) {
		s.armed = time.Time{}
		if at.IsZero() {
			s.lookAt(at)
		}
	}
	if !at.IsZero() && (s.armed.IsZero() || at.Before(s.armed)) {
		s.lookAt(at)
	}
	wait := !s.wantQuiet()
	s.read(func(p []byte) (int, error) { return s.cfg.Source.ReadPolled(p, wait) })
}

// read reads once with how, and digests the outcome. The lock is not held meanwhile.
func (s *Stream) read(how func([]byte) (int, error)) {
	if s.buf == nil {
		s.buf = make([]byte, matchBuffer)
		if s.cfg.Piecemeal {
			s.buf = s.buf[:1]
		}
	}
	s.dry = false
	s.mu.Unlock()
	n, err := how(s.buf)
	if n > 0 && s.cfg.Log.Wants(event.KindOut) {
		s.emit(s.buf[:n])
	}
	s.mu.Lock()
	s.readN = n
	s.took(n, err)
}

// took digests the outcome of a read.
func (s *Stream) took(n int, err error) {
	q := s.waiter
	_, told := err.(syscall.Errno)
	switch {
	case n > 0:
		s.ingest(s.buf[:n])
		s.dry = s.cfg.Piecemeal
		if q != nil && q.final {
			q.budget -= n
		}
	case err == syscall.EAGAIN:
		s.dry, s.emptyAt = true, s.clock.Now()
		if q != nil && q.final {
			q.drained = true
		}
	case err == nil || told: // 0 bytes on a pipe, EIO on a terminal
		s.dec.flush(s)
		s.hangup = true
	case !errors.Is(err, os.ErrDeadlineExceeded):
		s.closed = true
	}
}

// pause waits for a wake-up where there is nothing to read.
func (s *Stream) pause(now, at time.Time) {
	if !s.exited {
		if poll := now.Add(reopenPoll); at.IsZero() || poll.Before(at) {
			at = poll
		}
	}
	var timer <-chan time.Time
	if !at.IsZero() {
		t := s.clock.NewTimer(at.Sub(now))
		defer t.Stop()
		timer = t.C()
	}
	s.mu.Unlock()
	select {
	case <-s.kick:
	case <-timer:
	}
	s.mu.Lock()
	s.emptyAt = s.clock.Now()
}

// wake makes the reader look around, whatever it waits for. The lock is held.
func (s *Stream) wake() {
	switch s.driver {
	case direct:
		s.called = true
	case drainer:
		select {
		case s.kick <- struct{}{}:
		default:
		}
		s.armed = past()
		s.cfg.Source.SetReadDeadline(past())
	}
}

// past returns a deadline that is over.
func past() time.Time { return time.Unix(1, 0) }

// lookAt ends the drain's read at a time; the zero time does not. The lock is held.
func (s *Stream) lookAt(at time.Time) {
	s.armed = at
	if s.descriptor() {
		s.cfg.Source.SetReadDeadline(at)
		return
	}
	s.cfg.Source.SetReadDeadline(time.Time{})
	switch left := clock.Until(s.clock, at); {
	case at.IsZero() && s.look != nil:
		s.look.Stop()
	case at.IsZero():
	case s.look == nil:
		s.look = s.clock.AfterFunc(left, s.lookNow)
	default:
		s.look.Reset(left)
	}
}

// lookNow ends the drain's read where the time for that has come by the clock.
func (s *Stream) lookNow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.armed.IsZero() && !s.armed.After(s.clock.Now()) {
		s.cfg.Source.SetReadDeadline(past())
	}
}

// arm makes the drain look around at a time; one that has still to begin will do so by itself. The lock is held.
func (s *Stream) arm(at time.Time) {
	if s.driver != drainer || at.IsZero() || !s.armed.IsZero() && !at.Before(s.armed) {
		return
	}
	s.lookAt(at)
	if s.hangup {
		s.wake()
	}
}
