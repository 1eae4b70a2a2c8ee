package builtins

import (
	"crypto/rand"
	"errors"
	"strings"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/match"
	"omniexpect/internal/shell"
)

// pieces cuts a line of a command, but no secret in it.
func (st *State) pieces(line string) []string { return shell.Pieces(line, st.Mask.Spans(line)) }

// shellState is what a session of shell() has to run commands.
type shellState struct {
	dialect shell.Dialect
	word    string
	id      int

	errexit    bool // a command may have set that option
	restricted bool // it redirects nothing any more
	bare       bool // its last command has left the terminal without lines, and nothing was sent since
}

func (st *State) shell(c *dsl.Call, a spawnArgs) (starlark.Value, error) {
	if !a.Pty || a.Raw {
		return nil, fault.New(fault.Usage, "shell: a shell needs a terminal: leave out pty=False and raw=True")
	}
	argv, err := argvOf("shell", a.Argv)
	if err != nil {
		return nil, err
	}
	d, err := shell.DialectOf(argv[0])
	if err != nil {
		return nil, fault.New(fault.Usage, "shell: %w", err)
	}
	sh := &shellState{dialect: d, word: "ox" + strings.ToLower(rand.Text()[:10])}
	setup := d.Setup(sh.word)
	a.Argv = stringList(d.Command(argv, setup))
	if a.Env, err = shellEnv(a.Env, d); err != nil {
		return nil, err
	}
	if a.Name == "" {
		a.Name = d.Name
	}
	s, err := st.start(c, a)
	if err != nil {
		return nil, err
	}
	if !d.Python {
		if err := s.send(c, setup+"\n", a.Timeout, false); err != nil {
			return nil, err
		}
	}
	s.shell = sh
	s.prompt = shell.AnyPrompt(sh.word)
	w, err := s.waiting(c, "shell", []match.Pattern{{Source: shell.Prompt(sh.word, "0")}}, a.Timeout, viewArgs{})
	if err != nil {
		return nil, err
	}
	res, err := w.do(c)
	if err != nil {
		var f *fault.Error
		if errors.As(err, &f) {
			f.Msg = "shell: " + s.Name + " never reached its prompt: " + f.Msg
		}
		return nil, err
	}
	if res.Groups[1] != "" {
		return nil, fault.New(fault.Usage, "shell: %s %s", s.Name, shell.CannotRedirect)
	}
	s.lastSent = ""
	if c.InMainFile() {
		c.Current = s
	}
	return s, nil
}

// shellEnv removes what would make a shell read files of the user's, unless the script sets it.
func shellEnv(given *starlark.Dict, d shell.Dialect) (*starlark.Dict, error) {
	env := starlark.NewDict(32)
	for _, name := range shell.UserFiles() {
		env.SetKey(starlark.String(name), starlark.None)
	}
	for k, v := range d.Env {
		env.SetKey(starlark.String(k), starlark.String(v))
	}
	set, err := unattended(given)
	if err != nil {
		return nil, err
	}
	for _, kv := range set.Items() {
		if err := env.SetKey(kv[0], kv[1]); err != nil {
			return nil, err
		}
	}
	return env, nil
}

func (st *State) shellFuncs() []*dsl.Func {
	st.declare(commandType())
	return dsl.In("sessions",
		dsl.Define("shell", "Session", `Start a shell, "bash", "sh", "zsh" or "python3", with its own prompt, which occurs in no output, and without startup files, history, pagers, line editor and job control. None of the user's files are read or written, and what is typed reaches no history file. PAGER, HISTFILE and similar variables are set as for run(). cmd() runs its commands. Bash prints the number of a job that a command starts in the background, as it does for a person.`,
			`sh = shell("sh")
r = sh.cmd("echo hello; false")
assert.eq(r.output, "hello")
assert.eq(r.code, 1)`, spawnDefaults(), st.shell).As(dsl.Starts),
	)
}
