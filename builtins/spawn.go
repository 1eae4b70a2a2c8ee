package builtins

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/google/shlex"
	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/match"
	"omniexpect/internal/nest"
	"omniexpect/internal/proc"
	"omniexpect/internal/session"
)

// programArgs are the parameters of whatever runs a program.
type programArgs struct {
	Argv     starlark.Value `star:"argv" type:"list or str" doc:"the program and its arguments; a text is split into words as a shell would, without a shell"`
	Env      *starlark.Dict `star:"env?" type:"dict" doc:"variables to set; None removes one"`
	StripEnv *starlark.List `star:"strip_env?,kw" type:"list" doc:"variables not to inherit"`
	CleanEnv bool           `star:"clean_env?,kw" doc:"inherit nothing but PATH, HOME, USER, LANG and TERM"`
	Cwd      string         `star:"cwd?,kw" doc:"working directory"`
	Rows     int            `star:"rows?,kw" doc:"height of the terminal, 24 if neither this nor LINES in env says otherwise"`
	Cols     int            `star:"cols?,kw" doc:"width of the terminal, 80 likewise"`
	Kill     string         `star:"kill?,kw" doc:"what is killed with it: \"group\", its process group and its terminal's foreground group; \"tree\", its session and all descendants; \"all\", daemons too"`
	Name     string         `star:"name?,kw" doc:"its name in messages"`
}

// spawnArgs are the parameters of spawn and, in part, of shell.
type spawnArgs struct {
	programArgs
	Echo    bool         `star:"echo?,kw" doc:"whether the terminal repeats what is sent"`
	Raw     bool         `star:"raw?,kw" doc:"turn the terminal's processing off: bytes pass unchanged"`
	Pty     bool         `star:"pty?,kw" doc:"False: three pipes instead of a terminal, with standard error separate; then nothing is echoed and bytes pass unchanged, whatever echo= and raw= are"`
	Timeout dsl.Duration `star:"timeout?,kw" doc:"default deadline of every wait on this session"`
	View    string       `star:"view?,kw" doc:"\"text\", or \"raw\" to match the exact bytes by default"`
	KeepNUL bool         `star:"keep_nul?,kw" doc:"keep NUL characters in the text view"`
	EOF     string       `star:"eof?,kw" doc:"\"quiet\": the output ends when the program has exited and nothing was written for 100 ms; \"hangup\": when every process has closed the terminal"`
	Buffer  int          `star:"buffer?,kw" doc:"how many unread bytes are kept at most"`
	History int          `star:"history?,kw" doc:"how many bytes output() can return at most"`
}

func spawnDefaults() spawnArgs {
	return spawnArgs{programArgs: programArgs{Kill: "tree"}, Echo: true, Pty: true, Timeout: dsl.Seconds(30), View: "text", EOF: "quiet",
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
	cfg, err := st.config(c.Func.Name, a)
	if err != nil {
		return nil, err
	}
	s := &Session{handle: st.handle("Session"), st: st, interruptAt: -1, timeout: a.Timeout, raw: a.View == "raw", sets: map[string]*match.Set{}}
	cfg.Log = st.Events
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

func (st *State) config(who string, a spawnArgs) (session.Config, error) {
	var cfg session.Config
	argv, err := argvOf(who, a.Argv)
	if err != nil {
		return cfg, err
	}
	for i, w := range argv {
		if argv[i] = st.Mask.Resolve(w); strings.IndexByte(argv[i], 0) >= 0 {
			return cfg, fault.New(fault.Usage, "%s: argument %d contains NUL, which cannot be passed to a program", who, i)
		}
	}
	if strings.ContainsFunc(a.Name, unicode.IsControl) {
		return cfg, fault.New(fault.Usage, "%s: name=%q: want a name without control characters", who, a.Name)
	}
	kill := proc.Strength(a.Kill)
	switch {
	case kill != proc.KillGroup && kill != proc.KillTree && kill != proc.KillAll:
		return cfg, fault.New(fault.Usage, "%s: kill=%q: want \"group\", \"tree\" or \"all\"", who, a.Kill)
	case a.View != "text" && a.View != "raw":
		return cfg, fault.New(fault.Usage, "%s: view=%q: want \"text\" or \"raw\"", who, a.View)
	case a.EOF != "quiet" && a.EOF != "hangup":
		return cfg, fault.New(fault.Usage, "%s: eof=%q: want \"quiet\" or \"hangup\"", who, a.EOF)
	case a.Rows < 0 || a.Cols < 0 || a.Rows > 65535 || a.Cols > 65535:
		return cfg, fault.New(fault.Usage, "%s: rows=%d, cols=%d: want sizes from 1 to 65535", who, a.Rows, a.Cols)
	case !a.Pty && (a.Rows > 0 || a.Cols > 0):
		return cfg, fault.New(fault.Usage, "%s: rows=%d, cols=%d: with pty=False there is no terminal that could have a size: give LINES and COLUMNS in env", who, a.Rows, a.Cols)
	case a.Buffer < 4096 || a.History < 0:
		return cfg, fault.New(fault.Usage, "%s: buffer=%d, history=%d: want at least 4096 and 0", who, a.Buffer, a.History)
	}
	cfg = session.Config{Argv: argv, Dir: a.Cwd, Rows: a.Rows, Cols: a.Cols, NoEcho: !a.Echo, Raw: a.Raw, Pipes: !a.Pty,
		Kill: kill, Table: &st.table, Lead: &st.lead, Clock: st.Clock, Piecemeal: st.Piecemeal, KeepNUL: a.KeepNUL, HangupOnly: a.EOF == "hangup", Limit: a.Buffer,
		History: a.History}
	if a.History == 0 {
		cfg.History = -1 // none, where 0 is the default
	}
	if err := st.environ(who, &cfg, a); err != nil {
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
	return nest.String(v)
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
	for n := st.names[name]; n > 1; n++ {
		numbered := fmt.Sprintf("%s#%d", name, n)
		if st.names[numbered] == 0 {
			st.names[name], st.names[numbered] = n, 1
			return numbered
		}
	}
	return name
}

// spawnFuncs declares what begins and chooses sessions.
func (st *State) spawnFuncs() []*dsl.Func {
	return dsl.In("sessions",
		dsl.Define("spawn", "Session", `Run a program on its own terminal. In the script itself the session becomes the current one, on which expect(), send() and the others act. The program is ended when the script ends.`,
			`s = spawn(["sh", "-c", "echo $GREETING"], env = {"GREETING": "hello"}, rows = 50, cols = 132)
expect("hello")`, spawnDefaults(), st.spawn).As(dsl.Starts),
		dsl.Define("expect_any", "Match", `Wait on several sessions at once. The match has the session that matched in .session and the pattern's number in .index. EOF matches only when all sessions have ended.`,
			`a = spawn("sleep 100")
b = spawn("echo two")
assert.eq(expect_any({a: "one", b: "two"}).session, b)`, anyArgs{deadlineArgs: sessionDeadline()}, st.expectAny),
		dsl.Define("use", "Session", `Make a session the current one.`,
			`a = spawn("echo one")
b = spawn("echo two")
use(a)
expect("one")`, useArgs{}, st.use),
	)
}
