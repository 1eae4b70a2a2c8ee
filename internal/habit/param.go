package habit

import "strings"

// Instead is what to write for a parameter that a function does not have, "" if nothing is known about it.
func Instead(function, name string) string {
	h := param(function, name)
	if why, ok := strings.CutPrefix(h, "nothing: "); ok {
		return "leave it out: " + why
	}
	if h != "" {
		h = "write " + h
	}
	return h
}

// param is what people write, as other tools have it, for a parameter that a builtin has under another name. What begins
// with "nothing: " says why it is left out.
func param(function, name string) string {
	if h := ofFunction(function + "." + name); h != "" {
		return h
	}
	return map[string]string{
		"data": "body=\"text\", form={…} or json={…}", "stdin": "input=…, or send() and send_eof()", "stdout": "the result's .output",
		"shell": "[\"sh\", \"-c\", \"command | other\"] as argv", "dimensions": "rows=…, cols=…",
		"encoding": "nothing: text is UTF-8, and invalid bytes become U+FFFD", "logfile": "nothing: mirror() and omniexpect run -v show what sessions write, and output() returns it",
		"searchwindowsize": "nothing: matching is fast without it", "maxread": "buffer=…", "allow_redirects": "follow=False",
		"environment": "env={…}", "directory": "cwd=…", "dir": "cwd=…", "codec_errors": "nothing: invalid bytes become U+FFFD",
		"auth_token": "auth=\"token\"", "withexitstatus": "run(…).code", "events": "s = spawn(…), then s.expect({pattern: [\"answer\r\", CONTINUE], EOF: None})", "seconds": "a plain number",
		"use_poll": "nothing: any number of descriptors will do", "preexec_fn": `["sh", "-c", "umask 077; exec program"] as argv`, "ignore_sighup": `["sh", "-c", "trap '' HUP; exec program"] as argv`,
		"args": "the program and its arguments as one list", "async_": "parallel([fn, …])", "async": "parallel([fn, …])", "linesep": `send("…\n") where another line end is wanted`,
		"capture_output": "nothing: the result has .output", "text": "nothing: the result's .output is text", "universal_newlines": "nothing: lines end in \\n",
		"stderr": "pty=False, then the result's .stderr", "extra_args": "lambda: fn(…)", "ignorecase": `regex("…", ignore_case = True) as the pattern`,
	}[name]
}

// ofFunction has parameters, and flags of Tcl Expect's commands, that mean something in one function only.
func ofFunction(name string) string {
	const (
		forced  = "nothing: it is ended whatever it does"
		own     = "it as a method of the session: s.expect(…), s.send(…)"
		several = "s.expect(…), or expect_any({a: pattern, b: pattern}) for several sessions"
		slowly  = "type_text(text, 0.1)"
		outside = `what has the descriptor as argv: ["socat", "-,raw,echo=0", "/dev/ttyS0"]`
		one     = "s.interact(), which joins one session with the terminal"
	)
	return map[string]string{
		"wait.nowait": "nothing: s.status is None while it runs, and the end of the script waits for all", "close.force": forced, "terminate.force": forced, "close.nowait": forced,
		"expect.i": several, "expect.re": "nothing: a text is a regular expression", "expect.gl": `glob("…") as the pattern`, "expect.ex": `exact("…") as the pattern`,
		"expect.exact": `exact("…") as the pattern`, "expect.nocase": `regex("…", ignore_case = True) as the pattern`, "expect.notransfer": "peek(…), which consumes nothing",
		"expect.indices": "nothing: len(m.before) is where a match begins", "send.i": own, "send.s": slowly, "send.h": slowly, "send.null": `"\x00" in the text`,
		"spawn.noecho": "nothing: sessions are silent unless mirror() or omniexpect run -v shows them", "spawn.nottycopy": "nothing: a terminal begins with the usual modes",
		"spawn.nottyinit": "nothing: a terminal begins with the usual modes", "spawn.ignore": `["sh", "-c", "trap '' HUP; exec program"] as argv`, "spawn.open": outside, "spawn.leaveopen": outside,
		"interact.escape_character": `until="ctrl-]"`, "interact.input_filter": "on_input={pattern: function}", "interact.output_filter": "on={pattern: function}",
		"interact.o": "on={pattern: action} for the output, on_input={…} for what is typed", "interact.input": one, "interact.output": one, "interact.i": one, "interact.u": one,
		"interact.echo": "nothing: the program gets no key that on_input matches", "interact.nobuffer": "nothing: what is typed is held only while it may match",
		"interact.reset":   "nothing: the terminal has its own modes while a function of on= runs",
		"interact.timeout": "parallel([lambda: s.interact(), lambda: …]) for what happens beside it",
		"shell.prompt":     "nothing: it has a prompt of its own, and cmd() waits for it; for another program spawn it and write cmd(…, prompt = …)",
	}[name]
}
