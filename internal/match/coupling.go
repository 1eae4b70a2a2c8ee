package match

import (
	"io"
	"iter"
	"regexp"
	"time"

	expect "github.com/google/goexpect"

	"omniexpect/internal/lazy"
)

// coupling is the goexpect session that decides matches.
//
// goexpect takes text only on a goroutine of its own, which calls Read for more. That goroutine is run as a coroutine of
// the goroutine that has text for it: turn lets it take what Read returns and comes back once it asks again. So giving goexpect text
// is a function call, without a wake-up of another thread on the way there and back.
type coupling struct {
	gexp   *expect.GExpect
	turn   func() (struct{}, bool) // lets goexpect's goroutine run until it asks for more
	over   chan struct{}           // closed to end it
	joined <-chan error            // goexpect's goroutines are gone
	idle   []byte                  // goexpect's buffer, which holds nothing while it waits for more

	held  span // what goexpect has in its store
	cases [2]expect.Caser
	asked *regexp.Regexp // in cases[0]
}

// matchBuffer is the size of goexpect's buffer.
const matchBuffer = 8 << 10

// always is the case that ends a pass of goexpect in which nothing matched. It leaves everything in its store.
var always = lazy.Regexp(`\A`)

// nowhere is the writer of a goexpect session: sessions write to their terminal directly.
type nowhere struct{ io.Writer }

func (nowhere) Close() error { return nil }

// couple begins a goexpect session for the stream, which then waits for its first text. The lock is held.
func (s *Stream) couple() {
	over, lend := make(chan struct{}), make(chan func(struct{}) bool, 1)
	turn, _ := iter.Pull(func(yield func(struct{}) bool) {
		lend <- yield
		<-over
	})
	gexp, joined, err := expect.SpawnGeneric(&expect.GenOptions{
		In:    nowhere{io.Discard},
		Out:   &supply{s: s, lend: lend},
		Wait:  func() error { <-over; return nil },
		Close: func() error { return nil },
		Check: func() bool { return true },
	}, time.Hour, expect.PartialMatch(true), expect.BufferSize(matchBuffer))
	if err != nil {
		panic(err) // an option is missing
	}
	s.coupling = coupling{gexp: gexp, turn: turn, over: over, joined: joined}
	s.cases[1] = &expect.Case{R: always()}
	turn()
}

// uncouple ends the goexpect session, if there is one, and waits until its goroutines are gone. The lock is held.
func (s *Stream) uncouple() {
	if s.gexp == nil {
		return
	}
	close(s.over)
	<-s.joined
	s.coupling = coupling{}
}

// supply is what goexpect reads from.
type supply struct {
	s     *Stream
	lend  chan func(struct{}) bool
	yield func(struct{}) bool // goes on with the caller of turn
}

// Read returns the next part of the window. It is called on goexpect's goroutine, and the goroutine that runs it holds
// the lock.
func (f *supply) Read(p []byte) (int, error) {
	if f.yield == nil {
		f.yield = <-f.lend
	}
	f.s.idle = p
	if !f.yield(struct{}{}) {
		return 0, io.EOF
	}
	return f.s.feed(p), nil
}
