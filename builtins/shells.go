package builtins

import (
	"crypto/rand"
	"errors"
	"strings"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/match"
)

// dialect is how a kind of shell is started, set up, and told to run a command.
//
// The prompt is "word:number:status> " with a random word, and the number of the command that it follows. Each command is
// preceded by the line "word<number>", which the shell prints itself: what stands between is the command's output, however
// its echo looked. No text that is sent or that the shell's variables hold has these in one piece.
type dialect struct {
	name string
	args []string
	env  map[string]string
	init func(half1, half2 string) string
	line func(id int, text string, pieces piecer, spell bool) string // spell: with the numbers of control characters

	edits  bool // it may edit its lines itself
	spells bool // it takes control characters for keys, also quoted ones
}

// dialectOf returns the dialect of a program, by its name.
func dialectOf(program string) (dialect, error) {
	base := program[strings.LastIndexByte(program, '/')+1:]
	posix := dialect{name: base, init: posixInit, line: posixLine}
	switch {
	case base == "bash":
		posix.args = []string{"--norc", "--noprofile", "--noediting", "-i"}
		posix.init = bashInit
	case base == "zsh":
		posix.args = []string{"-f", "-o", "no_zle", "-i"}
		posix.init = zshInit
	case base == "sh" || base == "dash" || base == "ash" || base == "ksh" || base == "mksh":
		posix.args = []string{"-i"}
		posix.edits = base == "ash" // it has no option for that
		posix.spells = base == "ash" || base == "ksh"
	case strings.HasPrefix(base, "python"):
		return dialect{name: base, edits: true, env: map[string]string{"PYTHON_BASIC_REPL": "1"}, init: pythonInit, line: pythonLine}, nil
	default:
		return posix, fault.New(fault.Usage, "shell: %q: want bash, sh, zsh or python3; for another program use spawn and cmd(…, prompt=…)", program)
	}
	return posix, nil
}

// piecer cuts a line of a command into pieces.
type piecer func(line string) []string

// pieces cuts a line of a command. A secret comes back as an echo, in which nobody would know it if it were cut; only one
// that is longer than a terminal's line is cut all the same.
func (st *State) pieces(line string) (list []string) {
	secrets := st.Mask.Spans(line)
	for len(line) > pieceLength {
		cut := pieceLength
		for _, at := range secrets {
			switch {
			case at[0] >= cut || at[1] <= cut:
			case at[0] > 0:
				cut = at[0]
			case at[1] <= pieceMost:
				cut = at[1]
			}
		}
		cut = runeCut(line, cut)
		list, line = append(list, line[:cut]), line[cut:]
		for i := range secrets {
			secrets[i][0], secrets[i][1] = max(0, secrets[i][0]-cut), secrets[i][1]-cut
		}
	}
	return append(list, line)
}

func runeCut(s string, n int) int {
	for n > 0 && n < len(s) && s[n]&0xc0 == 0x80 {
		n--
	}
	return n
}

// shellState is what a session of shell() has to run commands.
type shellState struct {
	dialect dialect
	word    string
	id      int

	errexit    bool // a command may have set that option
	restricted bool // it redirects nothing any more
	bare       bool // its last command has left the terminal without lines, and nothing was sent since
}

// promptOf and beginOf are what comes after a command and before it; their second group is what comes instead where the
// shell cannot redirect its output.
func (sh *shellState) promptOf(id string) string {
	return sh.word + "(?::" + id + ":(\\d+)> |(!)\n)"
}

func (sh *shellState) beginOf(id string) string { return sh.word + "(?:(<)" + id + ">|(!))\n" }

const cannotRedirect = "redirects no output, as restricted shells do not (set -r) and those that may open no more files, and so it cannot " +
	"tell where a command begins and ends: use spawn and cmd(…, prompt=…)"

func (st *State) shell(c *dsl.Call, a spawnArgs) (starlark.Value, error) {
	if !a.Pty || a.Raw {
		return nil, fault.New(fault.Usage, "shell: a shell needs a terminal: leave pty=False and raw=True away")
	}
	argv, err := argvOf("shell", a.Argv)
	if err != nil {
		return nil, err
	}
	d, err := dialectOf(argv[0])
	if err != nil {
		return nil, err
	}
	word := "ox" + strings.ToLower(rand.Text()[:10])
	sh := &shellState{dialect: d, word: word}
	setup := d.init(word[:6], word[6:])
	words := append([]string{argv[0]}, d.args...)
	if strings.HasPrefix(d.name, "python") {
		words = append(words, argv[1:]...)
		words = append(words, "-q", "-i", "-c", setup)
	} else {
		words = append(words, argv[1:]...)
	}
	a.Argv = stringList(words)
	if a.Env, err = shellEnv(a.Env, d); err != nil {
		return nil, err
	}
	if a.Name == "" {
		a.Name = d.name
	}
	s, err := st.start(c, a)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(d.name, "python") {
		if err := s.send(c, setup+"\n", a.Timeout, false); err != nil {
			return nil, err
		}
	}
	s.shell = sh
	s.prompt = sh.word + `:\d+:\d+> `
	w, err := s.waiting(c, "shell", []match.Pattern{{Source: sh.promptOf("0")}}, expectArgs{Timeout: a.Timeout})
	if err != nil {
		return nil, err
	}
	res, err := w.do(c)
	if err != nil {
		var f *fault.Error
		if errors.As(err, &f) {
			f.Msg = "shell: " + s.Name + " did not come to its prompt: " + f.Msg
		}
		return nil, err
	}
	if res.Groups[1] != "" {
		return nil, fault.New(fault.Usage, "shell: %s %s", s.Name, cannotRedirect)
	}
	s.lastSent = ""
	if c.InMainFile() {
		c.Current = s
	}
	return s, nil
}

// shellEnv removes what would make a shell read files of the user's, unless the script sets it.
func shellEnv(given *starlark.Dict, d dialect) (*starlark.Dict, error) {
	env := starlark.NewDict(32)
	for _, name := range []string{"ENV", "BASH_ENV", "PROMPT_COMMAND", "PS0", "PS1", "PS2", "PYTHONSTARTUP", "PYTHONINSPECT"} {
		env.SetKey(starlark.String(name), starlark.None)
	}
	for k, v := range d.env {
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
		dsl.Define("shell", "Session", `Start a shell, "bash", "sh", "zsh" or "python3", with a prompt of its own that occurs in no output, and without startup files, history, pagers, line editor and job control: nothing of the person's is read or written, and what is typed reaches no history file. Takes what spawn takes; PAGER, HISTFILE and their kin are what they are for run(). Its commands are run by cmd(). Bash writes the number of a job that a command starts in the background, as it does for a person.`,
			`sh = shell("sh")
r = sh.cmd("echo hello; false")
assert.eq(r.output, "hello")
assert.eq(r.code, 1)`, spawnDefaults(), st.shell),
	)
}
