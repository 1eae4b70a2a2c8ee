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
	line func(id int, text string) string

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
	return "unset MAIL MAILPATH; set +m; " + function(half1, half2, "$?", "")
}

// bashInit also has an empty command run after each: where a quote of a command was not closed, bash would show the prompt
// before the last one again, and take the next line for the rest of something else.
func bashInit(half1, half2 string) string {
	return "unset PROMPT_COMMAND PS0 HISTFILE MAIL MAILPATH; set +o history; set +H; set +m; " +
		function(half1, half2, "$?", "eval ''; unset PROMPT_COMMAND PS0 || :; ")
}

func zshInit(half1, half2 string) string {
	return "unset HISTFILE; setopt prompt_subst no_prompt_cr no_prompt_sp no_bang_hist no_monitor no_notify; RPS1=; " +
		function(half1, half2, "%?", "setopt prompt_subst; unset -f precmd || :; precmd_functions=(); RPS1=; ")
}

// function defines what precedes and what follows each command. One prints the number, the other makes the prompt what it
// was, which a command may have changed, as those do that activate an environment. Shells write their prompt to standard
// error: where a command has that go elsewhere for good, the function prints the prompt itself. Both leave the status as it
// was, and write nothing else where the shell traces its commands.
func function(half1, half2, status, reset string) string {
	return fmt.Sprintf(`_ox() { _oi=$1; printf '%%s%%s<%%s>\n' %[1]s %[2]s "$1" >/dev/tty; return $2; }; `+
		`_oz() { %[3]sPS2=; if [ -t 3 ]; then PS1='%[1]s%[2]s:$_oi:%[4]s> '; else PS1=; printf '%%s%%s:%%s:%%s> ' %[1]s %[2]s "$_oi" "$1" >/dev/tty; fi; `+
		`return $1; }; _ox 0 0; _oz 0 3>&2`,
		half1, half2, reset, status)
}

// pieceLength is the longest piece of a command that goes into one line: terminals take lines of 1,024 bytes at least.
const pieceLength = 400

// posixLine quotes a command for eval, so that it is read as a whole before any of it runs: broken off commands, several
// lines and syntax errors all come back to the prompt. Long lines are continued. The line begins with a blank, because bash
// loses the first byte that it reads after a Ctrl-C at its prompt.
func posixLine(id int, text string) string {
	var b strings.Builder
	fmt.Fprintf(&b, " { _ox %d $?; } 2>/dev/null; eval ", id)
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteString("'\n'\\\n")
		}
		for {
			piece := line
			if len(line) > pieceLength {
				piece = line[:runeCut(line, pieceLength)]
			}
			b.WriteString("'" + strings.ReplaceAll(piece, "'", `'\''`) + "'")
			if line = line[len(piece):]; line == "" {
				break
			}
			b.WriteString("\\\n")
		}
	}
	return b.String() + "; { _oz $?; } 3>&2 2>/dev/null"
}

func runeCut(s string, n int) int {
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return n
}

// pythonInit makes a prompt object, and the function that runs a command as the interpreter would and notes whether it
// raised. A command that prints the prompt prints another one.
func pythonInit(half1, half2 string) string {
	return fmt.Sprintf(`
import builtins, sys
class Ox:
    n = s = busy = 0
    def __str__(self): return ">>> " if self.busy else "%s" "%s" + ":%%d:%%d> " %% (self.n, self.s)
    def flush(self):
        import sys
        for f in sys.stdout, sys.stderr:
            try: f.flush()
            except Exception: pass
    def __call__(self, n, text):
        import __main__, ast, sys, traceback
        self.flush()
        self.n, self.s, self.busy = n, 0, 1
        with open("/dev/tty", "w") as t: t.write("%s" "%s" + "<%%d>\n" %% n)
        try:
            exec(compile(ast.Interactive(ast.parse(text, "<cmd>").body), "<cmd>", "single"), __main__.__dict__)
        except SystemExit: raise
        except BaseException as e:
            self.s = 1
            tb = e.__traceback__.tb_next
            traceback.print_exception(type(e), e, None if isinstance(e, SyntaxError) else tb)
        finally: self.busy = 0
        self.flush()
        sys.ps1, sys.ps2 = self, ""
builtins._ox = sys.ps1 = Ox()
sys.ps2 = ""
if hasattr(sys, "__interactivehook__"): del sys.__interactivehook__
del builtins, sys, Ox
`, half1, half2, half1, half2)
}

func pythonLine(id int, text string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "_ox(%d", id)
	sep := ", "
	for {
		piece := text
		if len(text) > pieceLength {
			piece = text[:runeCut(text, pieceLength)]
		}
		quoted, _ := json.Marshal(piece)
		b.WriteString(sep + string(quoted))
		if text = text[len(piece):]; text == "" {
			return b.String() + ")"
		}
		sep = "\n"
	}
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
		dsl.Define("shell", "Session", `Start a shell, "bash", "sh", "zsh" or "python3", with a prompt of its own that occurs in no output, and without startup files, history, line editor and job control. Takes what spawn takes. Its commands are run by cmd().`,
			`sh = shell("sh")
r = sh.cmd("echo hello; false")
assert.eq(r.output, "hello")
assert.eq(r.code, 1)`, spawnDefaults(), st.shell),
	)
}
