package sim

import (
	"context"
	"slices"
	"time"
)

// agent is the vendor's program in a terminal: it takes messages one at a time, remembers through its transcript, and
// hands what happens to its forwarder. Its goroutine owns memory and transcript; the fields above the line are guarded by
// the server's lock.
type agent struct {
	ready     bool          // takes input, and is listed as a terminal
	inbox     []input       // messages to type, oldest first
	wake      chan struct{} // has room for one: the inbox changed
	said      []turn        // what the screen shows, for those who attach later
	interrupt func()        // ends the turn that runs
	deaf      bool          // ready-too-early: what comes now is lost
	dropNext  bool          // drop-first-message
	turns     int           // turns begun

	srv      *server
	ses      *session
	view     *hub // what attached command lines see
	socket   string
	ctx      context.Context
	stop     context.CancelFunc
	attached chan struct{} // closed when somebody has attached; guarded by the lock
	booted   chan struct{} // closed when it takes input or has ended
	done     chan struct{} // closed when it has ended and everything is forwarded
	ensured  bool          // started by POST …/terminals, which leaves the created event twice
	harness  string
	cwd      string
	model    string // the agent's name, which items call the model

	resumed  bool // a conversation with history
	oneshot  bool
	prompt   string
	vendorID string
	history  []turn
	file     transcript
	forward  chan parcel
	failed   bool
}

// parcel is something the forwarder tells the server when it is due.
type parcel struct {
	due time.Time
	do  func() // with the server's lock held
}

// startAgent starts the session's terminal unless it runs; the caller holds the lock.
func (s *server) startAgent(ses *session, ensured bool) *agent {
	if ses.agent != nil {
		return ses.agent
	}
	ctx, cancel := context.WithCancel(s.ctx)
	a := &agent{wake: make(chan struct{}, 1), srv: s, ses: ses, view: &hub{}, socket: randomHex(8), ctx: ctx, stop: cancel,
		attached: make(chan struct{}), booted: make(chan struct{}), done: make(chan struct{}), ensured: ensured, harness: ses.Harness, cwd: ses.Workspace, model: ses.AgentName,
		resumed: ses.ExternalID != "",
		forward: make(chan parcel, 1024)}
	a.prompt, a.oneshot = launchPrompt(ses.LaunchArgs)
	a.inbox, ses.waiting = ses.waiting, nil
	a.dropNext = a.resumed && s.bugs[bugDropFirst]
	if s.seeded(bugReadyTooEarly) {
		a.ready, a.deaf = true, true
	}
	ses.agent = a
	s.wg.Go(func() { a.run() })
	return a
}

// launchPrompt finds the first prompt among claude's launch arguments, and whether it is to end after one turn.
func launchPrompt(args []string) (prompt string, oneshot bool) {
	for i, arg := range args {
		if (arg == "-p" || arg == "--print") && i+1 < len(args) {
			return args[i+1], true
		}
	}
	n := len(args)
	if n == 0 || args[n-1] == "" || args[n-1][0] == '-' {
		return "", false
	}
	if n > 1 && len(args[n-2]) > 1 && args[n-2][0] == '-' {
		return "", false // the value of an option
	}
	return args[n-1], false
}

func (a *agent) run() {
	defer close(a.done)
	forwarded := make(chan struct{})
	go func() {
		defer close(forwarded)
		a.forwarder()
	}()
	if a.boot() {
		a.work()
	}
	close(a.forward)
	<-forwarded
	a.end()
}

// boot loads the memory and begins to take input.
func (a *agent) boot() bool {
	defer close(a.booted)
	wait := a.srv.delay
	if a.deaf {
		wait = time.Second
	}
	a.remember()
	if !sleep(a.ctx, wait) {
		return false
	}
	s := a.srv
	s.mu.Lock()
	defer s.mu.Unlock()
	a.ready, a.deaf = true, false
	times := 1
	if a.ensured {
		times = 2
	}
	for range times {
		s.appendItem(a.ses, "", a.ses.ID, "resource_event", itemBody{EventType: "session.resource.created",
			ResourceID: a.ses.terminalID(), ResourceType: "terminal", Resource: a.ses.terminal()})
	}
	a.ses.events.publish("session.resource.created", map[string]any{"resource": a.ses.terminal()})
	a.later(0, a.captureID)
	return true
}

// captureID is the forwarder learning the vendor's session id.
func (a *agent) captureID() {
	if a.srv.seeded(bugExtIDNever) {
		return
	}
	if err := a.srv.setExternalID(a.ses, a.vendorID); err != nil {
		a.srv.log.Printf("the vendor's session %s is not recorded: %v", a.vendorID, err)
	}
}

// work takes messages until the agent has to end.
func (a *agent) work() {
	if a.prompt != "" {
		if a.resumed {
			a.srv.log.Printf("the launch prompt is sent again")
		}
		a.turn(input{text: a.prompt})
	}
	if a.oneshot {
		a.linger()
		return
	}
	for {
		in, ok := a.next()
		if !ok {
			return
		}
		a.turn(in)
	}
}

// lingerTime bounds how long the pane of an agent that has ended waits to be seen.
const lingerTime = 10 * time.Second

// linger keeps the pane of an agent that was too quick for its command line until that has attached.
func (a *agent) linger() {
	ctx, cancel := context.WithTimeout(a.ctx, lingerTime)
	defer cancel()
	select {
	case <-a.attached:
	case <-ctx.Done():
	}
}

// next waits for a message.
func (a *agent) next() (input, bool) {
	for {
		a.srv.mu.Lock()
		if len(a.inbox) > 0 {
			in := a.inbox[0]
			a.inbox = a.inbox[1:]
			a.srv.mu.Unlock()
			return in, a.ctx.Err() == nil
		}
		a.srv.mu.Unlock()
		select {
		case <-a.wake:
		case <-a.ctx.Done():
			return input{}, false
		}
	}
}

// deliver puts a message before the agent; the caller holds the lock.
func (a *agent) deliver(in input) {
	lost := ""
	if a.deaf {
		lost = bugReadyTooEarly
	} else if a.dropNext && in.pendingID != "" {
		a.dropNext, lost = false, bugDropFirst
	}
	if lost != "" {
		a.srv.seeded(lost)
		a.ses.pending = slices.DeleteFunc(a.ses.pending, func(p pendingInput) bool { return p.PendingID == in.pendingID })
		return
	}
	a.inbox = append(a.inbox, in)
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// later hands something to the forwarder, which is the delay and some more behind.
func (a *agent) later(more time.Duration, do func()) {
	a.forward <- parcel{time.Now().Add(a.srv.delay + more), do}
}

// forwarder keeps the order of what it is given. What is left when the agent ends still arrives; when the server ends,
// it does not.
func (a *agent) forwarder() {
	for p := range a.forward {
		if !sleep(a.srv.ctx, time.Until(p.due)) {
			continue
		}
		a.srv.mu.Lock()
		p.do()
		a.srv.mu.Unlock()
	}
}

// end takes the terminal off the session and notifies the attached clients.
func (a *agent) end() {
	a.stop()
	s := a.srv
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() == nil {
		code := 0
		if a.failed && a.oneshot {
			code = 1
		}
		if a.ready {
			s.appendItem(a.ses, "", a.ses.ID, "resource_event", itemBody{EventType: "session.resource.deleted",
				ResourceID: a.ses.terminalID(), ResourceType: "terminal"})
			a.ses.events.publish("session.resource.deleted", map[string]any{"session_id": a.ses.ID,
				"resource_id": a.ses.terminalID(), "resource_type": "terminal"})
		}
		if a.ses.Status == "running" {
			s.setStatus(a.ses, "idle", "")
		}
		a.view.publish("exit", map[string]any{"status": code, "vendor_id": a.vendorID})
	}
	a.ready = false
	a.ses.agent = nil
	a.view.close()
}
