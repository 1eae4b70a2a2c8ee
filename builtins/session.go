package builtins

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/match"
	"omniexpect/internal/session"
)

// Session is a session as scripts see it.
type Session struct {
	handle
	*session.Session
	st      *State
	timeout dsl.Duration
	raw     bool // the raw view is this session's default
	sets    map[string]*match.Set
	methods map[string]*starlark.Builtin // that the script has asked for

	lastSent    string    // the newest line that was sent, for hints and for the echo
	sentAt      int64     // where the text stood before it
	sentRaw     int64     // and the raw bytes
	atPrompt    string    // the prompt that the line was sent at, if cmd() sent it
	unfinished  bool      // what was sent last ends within a line
	interruptAt int64     // where it stood before the last Ctrl-C, if no command was run since; else -1
	keyUntil    time.Time // until then what is sent would be taken for one with the key that was pressed
	secretEnd   int64     // where it stood when the last secret was sent
	answeredAt  int64     // where it stood when the last line was sent
	prompt      string    // the prompt of a shell() session, as a regular expression
	shell       *shellState
	commanded   bool // a command of cmd's is under way
	always      []*watcher
	waitMu      sync.Mutex
	endWait     map[*context.CancelCauseFunc]bool // ends the waits that are under way
	shortened   bool                              // it was said that output() has not all
	lostSaid    bool                              // it was said that unread output was dropped
	handed      atomic.Int64                      // where the text stood when interact() showed it last
}

func (s *Session) String() string {
	state := "running"
	if st, over := s.Status(); over {
		state = st.String()
	}
	return fmt.Sprintf("<session %s: %s>", s.Name, state)
}

// Type names the type also for the nil pointer, with which a parameter that takes a session is declared.
func (s *Session) Type() string { return "Session" }

// Hash makes a session a key.
func (s *Session) Hash() (uint32, error) { return starlark.String(s.Name).Hash() }

// Attr returns a field or a method. A method is made once: a script asks for it at every call. The run's lock is held.
func (s *Session) Attr(name string) (starlark.Value, error) {
	if b := s.methods[name]; b != nil {
		return b, nil
	}
	v, err := s.typ.Attr(s, name)
	if b, ok := v.(*starlark.Builtin); ok {
		if s.methods == nil {
			s.methods = map[string]*starlark.Builtin{}
		}
		s.methods[name] = b
	}
	return v, err
}

// current returns the session that top-level functions act on.
func (st *State) current(c *dsl.Call) (any, error) {
	s, ok := c.Current.(*Session)
	if !ok {
		return nil, fault.New(fault.Usage, "%s: no session yet: spawn() a program first, or use(session)", c.Func.Name)
	}
	return s, nil
}

// usable returns an error for a session that was closed.
func (s *Session) usable(who string) error {
	if s.Closed() {
		return fault.New(fault.Usage, "%s: session %s is closed", who, s.Name)
	}
	return nil
}

func sessionTimeout() dsl.Duration { return dsl.Duration{Doc: "session's"} }

// deadline is the state's, with the session's own timeout where none is given.
func (s *Session) deadline(c *dsl.Call, d dsl.Duration, now time.Time) (at time.Time, limit time.Duration) {
	if !d.Set {
		d = s.timeout
	}
	return s.st.deadline(c, d, now)
}

// viewFor is viewOf for patterns, of which bytes are looked for in the raw view only.
func (s *Session) viewFor(who, view string, list []match.Pattern) (raw bool, err error) {
	if i := slices.IndexFunc(list, func(p match.Pattern) bool { return p.Kind == match.Bytes }); i >= 0 && view == "text" {
		return false, fault.New(fault.Usage, "%s: view=\"text\" with %s: bytes are looked for in the raw view: write a text, or leave view= out", who, list[i])
	}
	return s.viewOf(who, view)
}

// viewOf reads a view argument; "" is the session's own.
func (s *Session) viewOf(who, view string) (raw bool, err error) {
	switch view {
	case "":
		return s.raw, nil
	case "text":
		return false, nil
	case "raw":
		return true, nil
	}
	return false, fault.New(fault.Usage, "%s: view=%q: want \"text\" or \"raw\"", who, view)
}

func (s *Session) gone() bool {
	_, over := s.Status()
	return over
}

// canonical reports whether the terminal itself takes lines, so that nothing draws them.
func (s *Session) canonical() bool {
	_, lines := s.Modes()
	return lines
}

// stderrTimeout is how long an output is read whose end is near: standard error, for a failed wait to show it, when standard
// output has ended before it; and the last words of a program that has ended.
const stderrTimeout = 200 * time.Millisecond

// drain reads an output to its end, for a time at most. Nothing of it is consumed.
func (st *State) drain(ctx context.Context, out *match.Stream, most time.Duration) error {
	set, err := match.Compile([]match.Pattern{{Kind: match.EOF}}, false)
	if err != nil {
		return err
	}
	_, err = out.Wait(ctx, match.Want{Set: set, Deadline: st.Clock.Now().Add(most), Peek: true})
	if errors.Is(err, match.ErrBusy) {
		return nil // another wait reads it
	}
	return err
}
