package builtins

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/google/shlex"
	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/match"
	"omniexpect/internal/proc"
	"omniexpect/internal/session"
)

// Session is a session as scripts see it.
type Session struct {
	*session.Session
	st      *State
	timeout dsl.Duration
	raw     bool // the raw view is this session's default
	sets    map[string]*match.Set

	lastSent    string // the newest line that was sent, for hints and for the echo
	sentAt      int64  // where the text stood before it
	interruptAt int64  // where it stood before the last Ctrl-C, if no command was run since; else -1
	secretEnd   int64  // where it stood when the last secret was sent
	prompt      string // the prompt of a shell() session, as a regular expression
	shell       *shellState
	always      []*standing
	waitMu      sync.Mutex
	endWait     map[*waiting]context.CancelFunc // ends the waits that are under way
	mirrored    bool
	show        func(session string, p []byte) // gets what it writes
	handed      atomic.Int64                   // where the text stood when interact() showed it last
}

func (s *Session) String() string {
	state := "running"
	if st, over := s.Status(); over {
		state = st.String()
	}
	return fmt.Sprintf("<session %s: %s>", s.Name, state)
}

// Type, Freeze, Truth and Hash make Session a Starlark value.
func (s *Session) Type() string          { return "Session" }
func (s *Session) Freeze()               {}
func (s *Session) Truth() starlark.Bool  { return true }
func (s *Session) Hash() (uint32, error) { return starlark.String(s.Name).Hash() }

// AttrNames lists fields and methods.
func (s *Session) AttrNames() []string { return s.st.types.session.AttrNames() }

// Attr returns a field or a method.
func (s *Session) Attr(name string) (starlark.Value, error) {
	if m := s.st.types.session.Method(name); m != nil {
		return m.Builtin(s), nil
	}
	switch name {
	case "pid":
		return starlark.MakeInt(s.PID), nil
	case "name":
		return starlark.String(s.Name), nil
	case "rows":
		return starlark.MakeInt(s.Rows), nil
	case "cols":
		return starlark.MakeInt(s.Cols), nil
	case "prompt":
		if s.prompt == "" {
			return starlark.None, nil
		}
		return pattern{match.Pattern{Source: s.prompt}}, nil
	case "alive":
		_, over := s.Status()
		return starlark.Bool(!over), nil
	case "status":
		if st, over := s.Status(); over {
			return statusValue{st, s.st}, nil
		}
		return starlark.None, nil
	}
	return nil, nil
}

func (st *State) sessionType() *dsl.Type {
	t := &dsl.Type{Name: "Session", Doc: "A running program and its terminal, from spawn().", Fields: []dsl.Field{
		{Name: "pid", Type: "int", Doc: "the process id"},
		{Name: "name", Type: "str", Doc: "what messages call it"},
		{Name: "rows", Type: "int", Doc: "height of the terminal"},
		{Name: "cols", Type: "int", Doc: "width of the terminal"},
		{Name: "prompt", Type: "pattern", Doc: "the prompt of a session of shell(), else None"},
		{Name: "alive", Type: "bool", Doc: "whether the program still runs"},
		{Name: "status", Type: "Status", Doc: "how it ended, None while it runs"},
	}}
	t.Methods = st.sessionMethods()
	return t
}

// spawnArgs are the parameters of spawn and, in part, of run and shell.
type spawnArgs struct {
	Argv     starlark.Value `star:"argv" type:"list or str" doc:"the program and its arguments; a text is split into words as a shell would, without a shell"`
	Env      *starlark.Dict `star:"env?" type:"dict" doc:"variables to set; None removes one"`
	StripEnv *starlark.List `star:"strip_env?,kw" type:"list" doc:"variables not to inherit"`
	CleanEnv bool           `star:"clean_env?,kw" doc:"inherit nothing but PATH, HOME, USER, LANG and TERM"`
	Cwd      string         `star:"cwd?,kw" doc:"working directory"`
	Rows     int            `star:"rows?,kw" doc:"height of the terminal, 24 if neither this nor LINES in env says otherwise"`
	Cols     int            `star:"cols?,kw" doc:"width of the terminal, 80 likewise"`
	Echo     bool           `star:"echo?,kw" doc:"whether the terminal repeats what is sent"`
	Raw      bool           `star:"raw?,kw" doc:"switch the terminal's processing off: bytes pass as they are"`
	Pty      bool           `star:"pty?,kw" doc:"False: no terminal but three pipes, standard error apart"`
	Timeout  dsl.Duration   `star:"timeout?,kw" doc:"default deadline of every wait on this session"`
	Kill     string         `star:"kill?,kw" doc:"what goes down with it: \"group\", \"tree\" or \"all\""`
	Name     string         `star:"name?,kw" doc:"what messages call it"`
	View     string         `star:"view?,kw" doc:"\"text\", or \"raw\" to match the exact bytes by default"`
	KeepNUL  bool           `star:"keep_nul?,kw" doc:"keep NUL characters in the text view"`
	EOF      string         `star:"eof?,kw" doc:"\"quiet\": the output has ended when the program has and nothing comes for 100 ms; \"hangup\": when everybody has closed the terminal"`
	Buffer   int            `star:"buffer?,kw" doc:"most unread bytes that are kept"`
	History  int            `star:"history?,kw" doc:"most bytes that output() can return"`
}

func spawnDefaults() spawnArgs {
	return spawnArgs{Echo: true, Pty: true, Timeout: dsl.Seconds(30), Kill: "tree", View: "text", EOF: "quiet",
		Buffer: match.DefaultLimit, History: match.DefaultLimit}
}

func (st *State) spawn(c *dsl.Call, a spawnArgs) (starlark.Value, error) {
	s, err := st.start(c, a)
	if err != nil {
		return nil, err
	}
	if c.InMainFile() {
		c.Current = s
	}
	return s, nil
}

// start runs a program as spawn says.
func (st *State) start(c *dsl.Call, a spawnArgs) (*Session, error) {
	cfg, err := st.config(a)
	if err != nil {
		return nil, err
	}
	s := &Session{st: st, interruptAt: -1, timeout: a.Timeout, raw: a.View == "raw", sets: map[string]*match.Set{}}
	if st.Debug != nil {
		cfg.Trace = func(line string) { st.Debug(cfg.Name + ": " + line) }
		cfg.Redact = st.conceal
	}
	s.show = st.Output
	cfg.Tee = st.tee(cfg.Name, s.show)
	err = c.Wait(func(context.Context) (err error) {
		s.Session, err = session.Start(cfg)
		return err
	})
	if s.Session != nil {
		st.sessions = append(st.sessions, s)
	}
	if err != nil {
		return nil, err
	}
	st.forgetEnded()
	return s, nil
}

func (st *State) config(a spawnArgs) (session.Config, error) {
	var cfg session.Config
	argv, err := argvOf("spawn", a.Argv)
	if err != nil {
		return cfg, err
	}
	for i, w := range argv {
		argv[i] = st.Mask.Resolve(w)
	}
	kill := proc.Strength(a.Kill)
	switch {
	case kill != proc.KillGroup && kill != proc.KillTree && kill != proc.KillAll:
		return cfg, fault.New(fault.Usage, "spawn: kill=%q: want \"group\", \"tree\" or \"all\"", a.Kill)
	case a.View != "text" && a.View != "raw":
		return cfg, fault.New(fault.Usage, "spawn: view=%q: want \"text\" or \"raw\"", a.View)
	case a.EOF != "quiet" && a.EOF != "hangup":
		return cfg, fault.New(fault.Usage, "spawn: eof=%q: want \"quiet\" or \"hangup\"", a.EOF)
	case a.Rows < 0 || a.Cols < 0 || a.Rows > 65535 || a.Cols > 65535:
		return cfg, fault.New(fault.Usage, "spawn: rows=%d, cols=%d: want sizes from 1 to 65535", a.Rows, a.Cols)
	case a.Buffer < 4096 || a.History < 0:
		return cfg, fault.New(fault.Usage, "spawn: buffer=%d, history=%d: want at least 4096 and 0", a.Buffer, a.History)
	}
	cfg = session.Config{Argv: argv, Dir: a.Cwd, Rows: a.Rows, Cols: a.Cols, NoEcho: !a.Echo, Raw: a.Raw, Pipes: !a.Pty,
		Kill: kill, Marker: st.Marker, Table: &st.table, KeepNUL: a.KeepNUL, HangupOnly: a.EOF == "hangup", Limit: a.Buffer,
		History: max(a.History, 1)}
	if err := st.environ(&cfg, a); err != nil {
		return cfg, err
	}
	cfg.Name = st.unique(a.Name, argv)
	return cfg, nil
}

// argvOf takes a list of words, or a text that is split into words.
func argvOf(who string, v starlark.Value) ([]string, error) {
	switch v := v.(type) {
	case starlark.String:
		words, err := shlex.Split(string(v))
		if err != nil {
			return nil, fault.New(fault.Usage, "%s %q: %w; give a list of words to avoid quoting", who, string(v), err)
		}
		if len(words) == 0 {
			return nil, fault.New(fault.Usage, "%s: no program to run: got %s", who, v)
		}
		return words, nil
	case *starlark.List, starlark.Tuple:
		var words []string
		for i := range v.(starlark.Indexable).Len() {
			switch w := v.(starlark.Indexable).Index(i).(type) {
			case starlark.String:
				words = append(words, string(w))
			case starlark.Int:
				words = append(words, w.String())
			case secretValue:
				words = append(words, w.placeholder)
			default:
				return nil, fault.New(fault.Usage, "%s: argument %d is %s, want text", who, i, w.Type())
			}
		}
		if len(words) == 0 {
			return nil, fault.New(fault.Usage, "%s: no program to run: the list is empty", who)
		}
		return words, nil
	}
	return nil, fault.New(fault.Usage, "%s: got %s, want a list of words or a command line", who, v.Type())
}

// plain is a value as a text: what print would show.
func plain(v starlark.Value) string {
	if s, ok := starlark.AsString(v); ok {
		return s
	}
	return v.String()
}

// unique gives sessions of one program different names.
func (st *State) unique(name string, argv []string) string {
	if name == "" {
		name = argv[0][strings.LastIndexByte(argv[0], '/')+1:]
	}
	if st.names == nil {
		st.names = map[string]int{}
	}
	st.names[name]++
	if n := st.names[name]; n > 1 {
		return fmt.Sprintf("%s#%d", name, n)
	}
	return name
}

// forgetEnded drops sessions that ended by themselves and hold nothing, so that a script can spawn without end. What
// they may have left behind is looked for at the end of the run.
func (st *State) forgetEnded() {
	if len(st.sessions) < 64 {
		return
	}
	kept := st.sessions[:0]
	for _, s := range st.sessions {
		if s.Closed() {
			continue
		}
		if _, over := s.Status(); over && s.Ended() {
			st.ended = append(st.ended, s.Plan())
			continue
		}
		kept = append(kept, s)
	}
	clear(st.sessions[len(kept):])
	st.sessions = kept
}

// closeSessions ends all sessions at the same time, and names what could not be ended or was meant to stay.
func (st *State) closeSessions(ctx context.Context) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	left := map[int]proc.Process{}
	keep := func(list []proc.Process) {
		mu.Lock()
		defer mu.Unlock()
		for _, p := range list {
			left[p.PID] = p
		}
	}
	all := false
	for _, s := range st.sessions {
		all = all || s.Kill == proc.KillAll
		s.stopAlways()
		wg.Go(func() {
			s.joinAlways()
			st.lateFailure(s)
			keep(s.Close(ctx))
		})
	}
	wg.Wait()
	marked := []proc.Process(nil)
	if len(st.sessions)+len(st.ended) > 0 {
		marked = proc.Marked(st.Marker)
	}
	if len(marked) > 0 {
		for _, plan := range st.ended {
			keep(proc.End(ctx, plan, nil))
		}
		keep(proc.Marked(st.Marker))
	}
	st.sessions, st.ended = nil, nil
	var list []proc.Process
	for _, p := range left {
		if q, lives := proc.Lookup(p.PID); lives && q.Same(p) {
			list = append(list, p)
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].PID < list[j].PID })
	if len(list) > 0 {
		st.note("left running: " + proc.Names(list) + "; spawn with kill=\"all\" ends daemons too")
	}
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

type useArgs struct {
	Session *Session `star:"session" type:"Session" doc:"the session that expect(), send() and the others act on from now on"`
}

func (st *State) use(c *dsl.Call, a useArgs) (starlark.Value, error) {
	c.Current = a.Session
	return a.Session, nil
}

func (st *State) closeSession(c *dsl.Call, s *Session, _ dsl.None) (starlark.Value, error) {
	s.stopAlways()
	err := c.Wait(func(ctx context.Context) error {
		s.joinAlways()
		st.lateFailure(s)
		if left := s.Close(ctx); len(left) > 0 {
			st.note("left running by " + s.Name + ": " + proc.Names(left))
		}
		return nil
	})
	if status, over := s.Status(); over && err == nil {
		return statusValue{status, st}, nil
	}
	return starlark.None, err
}

type waitArgs struct {
	Timeout dsl.Duration `star:"timeout?" doc:"deadline; the session's by default"`
}

func sessionTimeout() dsl.Duration { return dsl.Duration{Doc: "session's"} }

// deadline turns a timeout into a time, the zero time meaning never.
func (s *Session) deadline(c *dsl.Call, d dsl.Duration, now time.Time) (at time.Time, limit time.Duration) {
	if !d.Set {
		d = s.timeout
	}
	if !d.Forever {
		limit = s.st.scaled(d.D)
		at = now.Add(limit)
	}
	if outer := c.Deadline; !outer.IsZero() && (at.IsZero() || outer.Before(at)) {
		return outer, max(outer.Sub(now), 0)
	}
	return at, limit
}

func (st *State) wait(c *dsl.Call, s *Session, a waitArgs) (starlark.Value, error) {
	began := time.Now()
	at, limit := s.deadline(c, a.Timeout, began)
	done := st.watch("exit of "+s.Name, began, at)
	defer done()
	var status session.Status
	err := c.Wait(func(ctx context.Context) (err error) {
		if !at.IsZero() {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, at)
			defer cancel()
		}
		status, err = s.Wait(ctx)
		return err
	})
	if err == context.DeadlineExceeded {
		return nil, s.failure(fault.Timeout, fmt.Sprintf("wait for %s: still running after %s", s.Name, human(limit)), nil, match.Result{})
	}
	if err != nil {
		return nil, err
	}
	return statusValue{status, st}, nil
}

type outputArgs struct {
	View   string `star:"view?" doc:"\"text\", or \"raw\" for the exact bytes"`
	Stderr bool   `star:"stderr?,kw" doc:"standard error instead, of a session with pty=False"`
}

func (st *State) output(_ *dsl.Call, s *Session, a outputArgs) (starlark.Value, error) {
	raw, err := s.viewOf("output", a.View)
	if err != nil {
		return nil, err
	}
	from := s.Out
	if a.Stderr {
		if s.Err == nil {
			return nil, s.mixed("output")
		}
		from = s.Err
	}
	all, _ := from.Output(raw)
	if raw {
		return starlark.Bytes(all), nil
	}
	return starlark.String(all), nil
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

type resizeArgs struct {
	Rows int `star:"rows" doc:"height"`
	Cols int `star:"cols" doc:"width"`
}

func (st *State) resize(_ *dsl.Call, s *Session, a resizeArgs) (starlark.Value, error) {
	if a.Rows < 1 || a.Cols < 1 || a.Rows > 65535 || a.Cols > 65535 {
		return nil, fault.New(fault.Usage, "resize: got %d rows, %d cols, want 1 to 65535", a.Rows, a.Cols)
	}
	return starlark.None, s.Resize(a.Rows, a.Cols)
}

type signalArgs struct {
	Signal     starlark.Value `star:"signal" type:"str or int" doc:"\"INT\", \"SIGTERM\", 9 …"`
	Foreground bool           `star:"foreground?,kw" doc:"to the terminal's foreground process group instead of the program"`
}

func (st *State) signal(_ *dsl.Call, s *Session, a signalArgs) (starlark.Value, error) {
	sig, err := signalOf(a.Signal)
	if err != nil {
		return nil, err
	}
	if sig == syscall.SIGINT {
		s.interruptAt = s.Out.End(false)
	}
	if a.Foreground {
		return starlark.None, s.SignalForeground(sig)
	}
	return starlark.None, s.Signal(sig)
}

func signalOf(v starlark.Value) (syscall.Signal, error) {
	if n, err := starlark.AsInt32(v); err == nil && n > 0 && n < 65 {
		return syscall.Signal(n), nil
	}
	name, _ := starlark.AsString(v)
	want := "SIG" + strings.TrimPrefix(strings.ToUpper(name), "SIG")
	for n := syscall.Signal(1); n < 32; n++ {
		if signalName(n) == want {
			return n, nil
		}
	}
	return 0, fault.New(fault.Usage, "signal: got %s, want a name like \"INT\" or a number from 1 to 64", v)
}
