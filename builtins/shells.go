package builtins

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
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
	line func(id int, text string, pieces piecer) string

	edits bool // it may edit its lines itself
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
	case strings.HasPrefix(base, "python"):
		return dialect{name: base, edits: true, env: map[string]string{"PYTHON_BASIC_REPL": "1"}, init: pythonInit, line: pythonLine}, nil
	default:
		return posix, fault.New(fault.Usage, "shell: %q: want bash, sh, zsh or python3; for another program use spawn and cmd(…, prompt=…)", program)
	}
	return posix, nil
}

// posixInit switches off what would get between: job messages, mail, in bash also history, expansion of "!", and
// commands before the prompt.
func posixInit(half1, half2 string) string {
	return "unset MAIL MAILPATH; set +m" + functions(half1, half2, "$?", "command", "")
}

// bashInit also has an empty command run after each: where a quote of a command was not closed, bash would show the prompt
// before the last one again, and take the next line for the rest of something else.
func bashInit(half1, half2 string) string {
	return "unset PROMPT_COMMAND PS0 HISTFILE MAIL MAILPATH; set +o history; set +H; set +m" +
		functions(half1, half2, "$?", "builtin", "eval ''; unset PROMPT_COMMAND PS0 || :; shopt -s promptvars; ")
}

func zshInit(half1, half2 string) string {
	return "unset HISTFILE; setopt prompt_subst no_prompt_cr no_prompt_sp no_bang_hist no_monitor no_notify; RPS1=" +
		functions(half1, half2, "%?", "builtin", "setopt prompt_subst no_prompt_cr no_prompt_sp; unset -f precmd || :; precmd_functions=(); RPS1=; ")
}

// functions defines what precedes and what follows each command. _ox prints the number, _oz makes the prompt what it was,
// which a command may have changed, as those do that activate an environment, and _ow gives the status back. Shells write
// their prompt to standard error: where a command has that go elsewhere for good, _oz prints the prompt itself, as it does
// where a command has made the prompt read-only: assigning to it would end the rest of the line, so a subshell tries first.
// None writes anything else where the shell traces its commands, or runs what the script has named like a command of the
// shell's own. The status is the one that was noted, or else the shell's: errors end the line before it can be noted.
func functions(half1, half2, status, own, reset string) string {
	prompt := half1 + half2 + ":$_oi:${_os:-" + status + "}> "
	return fmt.Sprintf("\n"+`_ox() { _oi=$1 _os=; %[4]s printf '%%s%%s<%%s>\n' %[1]s %[2]s "$1" >/dev/tty; return $2; }`+"\n"+
		`_oy() { %[4]s printf '%%s%%s:%%s:%%s> ' %[1]s %[2]s "$_oi" "$_os" >/dev/tty; }`+"\n"+
		`_oz() { %[5]scase "${PS2-x}" in '') ;; *) (PS2=) 2>/dev/null && PS2=;; esac; `+
		`if %[4]s [ -t 3 ]; then case "${PS1-}" in '%[3]s') ;; *) if (PS1=) 2>/dev/null; then PS1='%[3]s'; else _oy; fi;; esac; `+
		`else (PS1=) 2>/dev/null && PS1=; _oy; fi; return 0; }`+"\n"+
		`_ow() { return $_os; }; _ox 0 0; _os=0; _oz 3>&2`,
		half1, half2, prompt, own, reset)
}

// pieceLength is the longest piece of a command that goes into one line: terminals take lines of 1,024 bytes at least.
// A piece may be longer if it is a secret.
const (
	pieceLength = 400
	pieceMost   = 900
)

// posixLine quotes a command for eval, so that it is read as a whole before any of it runs: broken off commands, several
// lines and syntax errors all come back to the prompt. Long lines are continued. The line begins with a blank, because bash
// loses the first byte that it reads after a Ctrl-C at its prompt.
func posixLine(id int, text string, pieces piecer) string {
	var b strings.Builder
	fmt.Fprintf(&b, ` { _ox %d $? && :; } 2>/dev/null; \eval `, id)
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteString("\"\n\"\\\n") // a quote after the last one would be part of the text in zsh with rc_quotes
		}
		for j, piece := range pieces(line) {
			if j > 0 {
				b.WriteString("\\\n")
			}
			b.WriteString("'" + strings.ReplaceAll(piece, "'", `'\''`) + "'")
		}
	}
	return b.String() + "; { _os=$?; } 2>/dev/null; { _oz; } 3>&2 2>/dev/null || { _oz; } 3>/dev/null 2>/dev/null; { _ow && :; } 2>/dev/null"
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

// pythonInit makes a prompt object, which also runs a command as the interpreter would and notes whether it raised. It is
// given its commands by assignment, of which the interpreter shows no value, and needs no name that a command may change or
// that a file in the working directory may have. A command that prints the prompt prints another one.
func pythonInit(half1, half2 string) string {
	return fmt.Sprintf(`
def _ox():
    import builtins, sys
    path, sys.path = sys.path, [p for p in sys.path if p]
    try: import __main__, ast, io, traceback
    finally: sys.path = path
    compile, exec, open, type = builtins.compile, builtins.exec, io.open, builtins.type
    Exit, Raised, Wrong = SystemExit, BaseException, SyntaxError
    class Ox:
        n = s = busy = 0
        def __str__(self): return ">>> " if self.busy else "%[1]s" "%[2]s" + ":%%d:%%d> " %% (self.n, self.s)
        def flush(self):
            for f in sys.stdout, sys.stderr:
                try: f.flush()
                except Raised: pass
        def __setitem__(self, n, text):
            self.flush()
            self.n, self.s, self.busy = n, 0, 1
            with open("/dev/tty", "w") as t: t.write("%[1]s" "%[2]s" + "<%%d>\n" %% n)
            try:
                exec(compile(ast.Interactive(ast.parse(text, "<cmd>").body), "<cmd>", "single"), __main__.__dict__)
            except Exit: raise
            except Raised as e:
                self.s = 1
                traceback.print_exception(type(e), e, None if isinstance(e, Wrong) else e.__traceback__.tb_next)
            finally: self.busy = 0
            self.flush()
            sys.ps1, sys.ps2 = self, ""
    builtins._ox = sys.ps1 = Ox()
    sys.ps2 = ""
    if hasattr(sys, "__interactivehook__"): del sys.__interactivehook__
_ox()
del _ox
`, half1, half2)
}

func pythonLine(id int, text string, pieces piecer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "_ox[%d] = (", id)
	for i, piece := range pieces(text) {
		if i > 0 {
			b.WriteByte('\n')
		}
		quoted, _ := json.Marshal(piece)
		b.Write(quoted)
	}
	return b.String() + ")"
}

// shellState is what a session of shell() has to run commands.
type shellState struct {
	dialect dialect
	word    string
	id      int
}

func (sh *shellState) promptOf(id string) string { return sh.word + ":" + id + ":(\\d+)> " }

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
		if err := s.send(c, setup+"\r", a.Timeout, false); err != nil {
			return nil, err
		}
	}
	s.shell = sh
	s.prompt = sh.word + `:\d+:\d+> `
	w, err := s.waiting(c, "shell", []match.Pattern{{Source: sh.promptOf("0")}}, expectArgs{Timeout: a.Timeout})
	if err != nil {
		return nil, err
	}
	if _, err := w.do(c); err != nil {
		var f *fault.Error
		if errors.As(err, &f) {
			f.Msg = "shell: " + s.Name + " did not come to its prompt: " + f.Msg
		}
		return nil, err
	}
	s.lastSent = ""
	if c.InMainFile() {
		c.Current = s
	}
	return s, nil
}

// shellEnv removes what would make a shell read files of the user's, unless the script sets it.
func shellEnv(given *starlark.Dict, d dialect) (*starlark.Dict, error) {
	env := starlark.NewDict(8)
	for _, name := range []string{"ENV", "BASH_ENV", "PROMPT_COMMAND", "PS0", "PS1", "PS2", "PYTHONSTARTUP", "PYTHONINSPECT"} {
		env.SetKey(starlark.String(name), starlark.None)
	}
	for k, v := range d.env {
		env.SetKey(starlark.String(k), starlark.String(v))
	}
	if given != nil {
		for _, kv := range given.Items() {
			if err := env.SetKey(kv[0], kv[1]); err != nil {
				return nil, err
			}
		}
	}
	return env, nil
}

func (st *State) shellFuncs() []*dsl.Func {
	return dsl.In("sessions",
		dsl.Define("shell", "Session", `Start a shell, "bash", "sh", "zsh" or "python3", with a prompt of its own that occurs in no output, and without startup files, history, line editor and job control. Takes what spawn takes. Its commands are run by cmd(). Bash writes the number of a job that a command starts in the background, as it does for a person.`,
			`sh = shell("sh")
r = sh.cmd("echo hello; false")
assert.eq(r.output, "hello")
assert.eq(r.code, 1)`, spawnDefaults(), st.shell),
	)
}
