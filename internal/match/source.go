package match

import (
	"os"
	"sync"
	"syscall"
	"time"
)

// Source is where the bytes of a stream come from: a *rawio.File, or a *Pushed.
//
// A stream reads on one goroutine at a time. Only descriptors are put into Go's poller, read on the goroutine of a wait, and
// given deadlines that have not come yet: for other sources the stream sets a timer of its clock and interrupts the read.
type Source interface {
	// Read reads what is there, or fails with EAGAIN. 0 bytes are the end.
	Read(p []byte) (int, error)
	// ReadPolled is Read, but with wait it waits for something to read, until the deadline.
	ReadPolled(p []byte, wait bool) (int, error)
	// SetReadDeadline makes a ReadPolled that waits after a time fail with os.ErrDeadlineExceeded. The zero time sets none.
	SetReadDeadline(at time.Time)
}

// pushedRoom is how much that nobody has read a Pushed takes, as much as a pipe.
const pushedRoom = 64 << 10

// Pushed is a source without a descriptor: what is written to it is what the stream reads. It is safe for concurrent use.
type Pushed struct {
	mu          sync.Mutex
	news        sync.Cond // for readers: bytes, an end or an interruption; for writers: room
	buf         []byte
	from        int // where unread bytes begin in buf
	ended       bool
	closed      bool
	interrupted bool
}

// NewPushed returns a source to which nothing has been written.
func NewPushed() *Pushed {
	p := &Pushed{}
	p.news.L = &p.mu
	return p
}

// Write hands bytes over. It waits while the source holds as much unread as a pipe would.
func (p *Pushed) Write(b []byte) (n int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for n < len(b) {
		room := pushedRoom - (len(p.buf) - p.from)
		switch {
		case p.ended || p.closed:
			return n, os.ErrClosed
		case room == 0:
			p.news.Wait()
			continue
		}
		if p.from > 0 && len(p.buf) == cap(p.buf) {
			p.buf = p.buf[:copy(p.buf, p.buf[p.from:])]
			p.from = 0
		}
		more := b[n:min(n+room, len(b))]
		p.buf = append(p.buf, more...)
		n += len(more)
		p.news.Broadcast()
	}
	return n, nil
}

// End ends the output: once all of it is read, a read returns 0 bytes.
func (p *Pushed) End() { p.set(&p.ended, true) }

// Close ends reads and writes that wait, and all later ones, with os.ErrClosed.
func (p *Pushed) Close() { p.set(&p.closed, true) }

// SetReadDeadline interrupts a ReadPolled that waits, or with the zero time lets it wait.
func (p *Pushed) SetReadDeadline(at time.Time) { p.set(&p.interrupted, !at.IsZero()) }

func (p *Pushed) set(flag *bool, to bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	*flag = to
	p.news.Broadcast()
}

// Read reads what is there, or fails with EAGAIN.
func (p *Pushed) Read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.read(b)
}

func (p *Pushed) read(b []byte) (int, error) {
	switch {
	case p.closed:
		return 0, os.ErrClosed
	case p.from < len(p.buf):
		n := copy(b, p.buf[p.from:])
		if p.from += n; p.from == len(p.buf) {
			p.buf, p.from = p.buf[:0], 0
		}
		p.news.Broadcast()
		return n, nil
	case p.ended:
		return 0, nil
	}
	return 0, syscall.EAGAIN
}

// ReadPolled reads like Read; with wait it waits for something until it is interrupted.
func (p *Pushed) ReadPolled(b []byte, wait bool) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if p.interrupted && !p.closed {
			return 0, os.ErrDeadlineExceeded // before anything is read, as the poller has it
		}
		n, err := p.read(b)
		if err != syscall.EAGAIN || !wait {
			return n, err
		}
		p.news.Wait()
	}
}
