package event

import (
	"strconv"
	"time"
)

// Kind names a kind of event.
type Kind uint8

// The kinds, by the place where they happen.
const (
	KindSpawn  Kind = iota // a program was started
	KindOut                // a session wrote
	KindIn                 // something was sent to a session
	KindResize             // a terminal has another size
	KindSignal             // a signal was sent to a program
	KindExit               // a program has ended
	KindClose              // a session was closed
	KindWait               // a wait began
	KindTry                // patterns were tried against output
	KindGot                // a wait ended
	KindHTTP               // a request was answered, or was not
	KindCall               // a builtin was called
	KindRet                // a builtin returned
	KindStep               // the script named a step
	KindNote               // something that the user should see
	KindPrint              // the script printed
	KindFail               // something failed for good
	KindGap                // a sink could not keep up
	KindEnd                // the run is over
	kinds
)

var names = [kinds]string{"spawn", "out", "in", "resize", "signal", "exit", "close", "wait", "try", "got", "http", "call", "ret",
	"step", "note", "print", "fail", "gap", "end"}

// String returns the kind's name, as a trace's lines have it.
func (k Kind) String() string { return names[k] }

// Event is one thing that happened.
type Event struct {
	Seq    uint64        // order of emission, from 1
	At     time.Duration // since the run began, by the run's clock
	Strand string        // "main", "branch 2", "route GET /x"; empty for what no strand did
	Pos    Pos           // the call in the script that it belongs to, if any
	Body   Body
}

// Pos is a place in a script. Line and column count from 1; a zero line is not a place.
type Pos struct {
	File string `json:"file"`
	Line int32  `json:"line,omitempty"`
	Col  int32  `json:"col,omitempty"`
}

// String returns "file:line:col".
func (p Pos) String() string {
	if p.Line == 0 {
		return p.File
	}
	return p.File + ":" + strconv.Itoa(int(p.Line)) + ":" + strconv.Itoa(int(p.Col))
}

// Body is what happened. Each kind has one type.
type Body interface {
	Kind() Kind
}

// Spawn is a program that was started.
type Spawn struct {
	Session string   `json:"s"`
	Argv    []string `json:"argv"`
	Dir     string   `json:"cwd,omitempty"`
	Rows    int      `json:"rows"`
	Cols    int      `json:"cols"`
	PTY     bool     `json:"pty"`
	PID     int      `json:"pid"`
}

// Out is output of a session, as it was read.
type Out struct {
	Session string `json:"s"`
	Stream  Stream `json:"v,omitempty"`
	Off     int64  `json:"at"` // where Data begins in all that the stream wrote
	Data    []byte `json:"d"`  // valid until Take returns; a sink that keeps it copies it
	Handed  bool   `json:"-"`  // interact() shows it on the person's terminal
}

// Stream is one of the outputs of a program.
type Stream string

// The streams of a session.
const (
	Terminal Stream = ""    // the terminal, or standard output through a pipe
	Stderr   Stream = "err" // standard error, of a session without a terminal
)

// In is what was sent to a session. Text has placeholders where the script sent secrets.
type In struct {
	Session string `json:"s"`
	Text    string `json:"d"`
	Secret  bool   `json:"secret,omitempty"`
	EOF     bool   `json:"eof,omitempty"` // the end of the input, by send_eof()
	By      string `json:"by,omitempty"`  // "person" at interact(); a script or an action of always() if empty
}

// Resize is a new size of a session's terminal.
type Resize struct {
	Session string `json:"s"`
	Rows    int    `json:"rows"`
	Cols    int    `json:"cols"`
}

// Signal is a signal that a script sent.
type Signal struct {
	Session string `json:"s"`
	Name    string `json:"sig"`
}

// Exit is the end of a program.
type Exit struct {
	Session string `json:"s"`
	Code    int    `json:"code"`          // -1 if a signal ended it
	Signal  string `json:"sig,omitempty"` // the signal that ended it
}

// Close is the end of a session.
type Close struct {
	Session string   `json:"s"`
	Left    []string `json:"left,omitempty"` // processes that could not be ended
}

// Wait is the beginning of a wait. A place that waits makes one with NewWait.
type Wait struct {
	ID       uint64    `json:"c"`
	Who      string    `json:"who"`         // the builtin
	Session  string    `json:"s,omitempty"` // of a wait on one session
	What     Described `json:"-"`
	Began    time.Time `json:"-"`
	Deadline time.Time `json:"-"` // zero if the wait has none
}

// Described is what a wait is for. It is asked on any goroutine, while the wait lasts: most waits are over before anybody
// wants to know.
type Described interface {
	String() string     // for a person
	Patterns() []string // as failures show them; none if the wait is for something else
}

// Text describes itself.
type Text string

// String returns the text.
func (t Text) String() string { return string(t) }

// Patterns returns none.
func (t Text) Patterns() []string { return nil }

// Try is one question to the engine: which patterns, over which part of the output, with what outcome.
type Try struct {
	Session  string   `json:"s"`
	Patterns []string `json:"patterns"`
	Raw      bool     `json:"raw,omitempty"` // the offsets are of raw bytes
	From     int64    `json:"from"`
	To       int64    `json:"to"`
	Verdict  Verdict  `json:"v"`
	Needs    []string `json:"needs,omitempty"` // texts one of which every match has, where the patterns have such
	Text     string   `json:"text,omitempty"`  // what matched
	Again    bool     `json:"again,omitempty"` // less is tried after a match, to see where it is complete
	Before   []byte   `json:"-"`               // what stands before Tail, for a sink that has to see a text that is cut there
	Tail     []byte   `json:"-"`               // the end of what was looked at
}

// Verdict is the outcome of a try.
type Verdict string

// The verdicts.
const (
	Absent  Verdict = "none"  // a text that every match has is not there
	NoMatch Verdict = "no"    // it was searched in vain
	Matched Verdict = "match" // found
	Grows   Verdict = "grows" // found, and more output may make it longer
)

// Got is the end of a wait.
type Got struct {
	ID      uint64        `json:"c"`
	Why     string        `json:"why"` // matched, timeout, idle, eof, full, held, interrupted, error
	Index   int           `json:"i"`   // of the pattern that matched, else -1
	Elapsed time.Duration `json:"dur"`
}

// HTTP is an exchange with a server, or a request to a stub server of the script.
type HTTP struct {
	Method  string        `json:"method"`
	URL     string        `json:"url"`
	Status  int           `json:"status,omitempty"`
	Elapsed time.Duration `json:"dur"`
	Served  bool          `json:"served,omitempty"` // it came to a stub server
	Err     string        `json:"err,omitempty"`
}

// Call is the beginning of a builtin's call.
type Call struct {
	ID   uint64 `json:"c"`
	Func string `json:"fn"`
}

// Ret is the end of a builtin's call.
type Ret struct {
	ID  uint64 `json:"c"`
	Err string `json:"err,omitempty"`
}

// Step is a step that the script named.
type Step struct {
	Name string `json:"name"`
}

// Note is a line for the user that is not a failure.
type Note struct {
	Text string `json:"text"`
}

// Print is what the script printed, without the line end.
type Print struct {
	Text string `json:"text"`
	Raw  bool   `json:"raw,omitempty"` // control characters are meant
}

// Fail is a failure that nothing caught. Failure is an interp.Failure, which is plain data.
type Fail struct {
	Failure any `json:"failure"`
}

// Gap is what a slow sink lost.
type Gap struct {
	Events int   `json:"events"`
	Bytes  int64 `json:"bytes"` // of output among them
}

// End is the end of the run.
type End struct {
	Status int `json:"status"`
}

// Kind returns the kind of each body.
func (*Spawn) Kind() Kind  { return KindSpawn }
func (*Out) Kind() Kind    { return KindOut }
func (*In) Kind() Kind     { return KindIn }
func (*Resize) Kind() Kind { return KindResize }
func (*Signal) Kind() Kind { return KindSignal }
func (*Exit) Kind() Kind   { return KindExit }
func (*Close) Kind() Kind  { return KindClose }
func (*Wait) Kind() Kind   { return KindWait }
func (*Try) Kind() Kind    { return KindTry }
func (*Got) Kind() Kind    { return KindGot }
func (*HTTP) Kind() Kind   { return KindHTTP }
func (*Call) Kind() Kind   { return KindCall }
func (*Ret) Kind() Kind    { return KindRet }
func (*Step) Kind() Kind   { return KindStep }
func (*Note) Kind() Kind   { return KindNote }
func (*Print) Kind() Kind  { return KindPrint }
func (*Fail) Kind() Kind   { return KindFail }
func (*Gap) Kind() Kind    { return KindGap }
func (*End) Kind() Kind    { return KindEnd }
