package builtins

import (
	"regexp"
	"strings"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
)

type pauseArgs struct {
	Message starlark.Tuple `star:"*message" doc:"what to show to the person at the prompt; texts and values, joined by spaces"`
}

func (st *State) pauseScript(c *dsl.Call, a pauseArgs) (starlark.Value, error) {
	if st.Pause == nil {
		return nil, fault.New(fault.Env, "pause: nobody to ask: neither a terminal nor a pipe to read commands from")
	}
	return starlark.None, st.Pause(c, joined(a.Message))
}

func (st *State) pauseFuncs() []*dsl.Func {
	return dsl.In("control",
		dsl.Define("pause", "None", `Open the interactive prompt here, with the variables of the function and of the script, and go on with the script after .continue or Ctrl-D; .quit ends it. A list or dict that is changed there in place is changed for the script; a name that is set there exists in the prompt only. Without a terminal the commands are read from standard input, if that is a pipe and not the script; otherwise pause fails with kind "env".`,
			`def look():
    pause("before the login")

assert.eq(type(look), "function")`, pauseArgs{}, st.pauseScript).As(dsl.Prompts),
	)
}

// Sessions returns the sessions of the run. Its lock is held.
func (st *State) Sessions() []*Session { return append([]*Session(nil), st.sessions...) }

// Brief says in a word or two that a session does not run: "exit 0", "SIGTERM", "closed"; "" if it does.
func (s *Session) Brief() string {
	status, over := s.Status()
	switch {
	case s.Closed():
		return "closed"
	case !over:
		return ""
	case status.Signal != 0:
		return signalName(status.Signal)
	}
	return "exit " + starlark.MakeInt(status.Code).String()
}

// News returns the text that a session wrote after an offset, and the offset where that ends. What interact() has shown
// and what cmd() took for its result is not the result.
func (s *Session) News(from int64) (text string, end int64) {
	from = max(from, s.handed.Load())
	end = s.Out.End(false)
	if s.shell != nil {
		unread, _ := s.Out.Unread(false)
		from = max(from, end-int64(len(unread)))
	}
	if from >= end {
		return "", end
	}
	all, at := s.Out.Since(from)
	end = max(end, at+int64(len(all)))
	if s.shell != nil { // its marks are for cmd() and not for a person
		all = regexp.MustCompile(s.prompt+"|"+s.shell.word+`<\d+>\n`).ReplaceAll(all, nil)
	}
	return strings.ToValidUTF8(string(all), "\uFFFD"), end
}
