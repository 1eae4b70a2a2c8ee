package habit

import "strings"

// Tcl is what to write for a command of Tcl Expect, with its first flag, where a line with it is no Starlark.
func Tcl(command, flag, line string) string {
	if h := flagged(command + " " + flag); flag != "" && h != "" {
		return h
	}
	switch command {
	case "set":
		return assignment(line)
	case "if", "while", "for", "else", "return", "exit":
		rest := strings.TrimSpace(strings.TrimPrefix(line, command))
		braced := strings.HasPrefix(rest, "{") || strings.HasPrefix(rest, "[") && strings.HasSuffix(rest, "{") || substituted(rest)
		if !strings.Contains(line, "$") && !braced {
			return "" // a line of Starlark, or nearly
		}
	}
	return map[string]string{
		"spawn": `write spawn(["ssh", host])`, "send": `write send("…\r"), or sendline("…")`, "expect": `write expect("…"); several patterns are a list, with actions a dict: expect({"yes": "y\r", EOF: None})`,
		"interact": `write interact(), interact(on = {pattern: action}), interact(on_input = {…})`, "sleep": "write sleep(1)", "exit": "write exit(3)",
		"wait": "write wait().code", "catch": "write r = catch(fn, args…)", "return": "write return x", "eval": "write the call itself: a list of words is spawn(words)",
		"expr": "write the expression itself: x + 1", "if": "write if x == 1:, with the block indented below", "while": "write while x < 3:, with the block indented below",
		"for": "write for i in range(3):, with the block indented below", "else": "write else:, in the column of its if", "after": "write sleep(1)", "puts": "write print(…)",
		"send_user": "write print(…)", "log_user": Name("log_user"), "log_file": Name("log_file"), "match_max": Name("match_max"), "exp_internal": Name("exp_internal"),
		"stty": Name("stty"), "trap": Name("trap"), "proc": Name("proc"), "foreach": Name("foreach"), "switch": Name("switch"), "incr": Name("incr"),
		"expect_before": Name("expect_before"), "expect_after": Name("expect_after"), "expect_background": Name("expect_background"), "expect_user": askUser, "expect_tty": askUser,
		"send_error": Name("send_error"), "send_tty": Name("send_tty"), "exec": Name("exec"), "system": Name("system"), "lassign": Name("lassign"), "lappend": Name("lappend"),
		"source": Name("source"), "package": "leave it out", "unset": "leave it out", "parity": Name("parity"), "remove_nulls": Name("remove_nulls"),
		"timeout": "write TIMEOUT: lambda: … in a dict of patterns", "eof": "write EOF: lambda: … in a dict of patterns", "default": "write TIMEOUT and EOF in a dict of patterns",
		"elseif": "write elif x == 1:", "exp_continue": Name("exp_continue"), "close": Name("close"), "overlay": Name("overlay"), "disconnect": Name("disconnect"), "append": "write s += …",
	}[command]
}

// substituted reports whether a line begins with a command in brackets, whose words have blanks between them.
func substituted(rest string) bool {
	inner, bracket := strings.CutPrefix(rest, "[")
	words := strings.Fields(inner)
	return bracket && len(words) > 1 && !strings.ContainsAny(words[0], ",]+-*()") && words[1] != "for" && !strings.ContainsAny(words[1][:1], "+-*/%<>=,!&|")
}

func flagged(command string) string {
	return map[string]string{
		"send -s": `write type_text("…\n", 0.1)`, "send -h": `write type_text("…\n"), which types as a person does`, "send -i": "write s.send(…), with s = spawn(…)",
		"expect -re": `write expect(r"…"): a text is a regular expression`, "expect -ex": `write expect(exact("…"))`, "expect -exact": `write expect(exact("…"))`,
		"expect -gl": `write expect(glob("…"))`, "expect -nocase": `write expect(regex("…", ignore_case = True))`, "expect -i": "write s.expect(…), or expect_any({a: pattern, b: pattern})",
		"expect -timeout": `write expect("…", timeout = 5)`, "interact -o": "write interact(on = {pattern: action}): on= is about the output, on_input= about what is typed",
		"interact -i": "write s.interact()", "interact -reset": "write interact(on_input = {pattern: function})", "interact -echo": "write interact(on_input = {pattern: function})",
		"spawn -noecho": `write spawn(["ssh", host]): sessions are silent unless mirror() or omniexpect run -v shows them`, "spawn -open": noNumbers, "spawn -leaveopen": noNumbers,
		"spawn -ignore": `write spawn(["sh", "-c", "trap '' HUP; exec program"])`, "puts -nonewline": "print ends its line: put together first what shall stand in one", "wait -nowait": "leave it out: s.status is None while it runs",
	}[command]
}

// assignment is what to write for the set command.
func assignment(line string) string {
	words := strings.Fields(line)
	if len(words) < 2 {
		return ""
	}
	switch name := words[1]; {
	case name == "timeout":
		return "write spawn(…, timeout = 10) for all waits, expect(…, timeout = 10) for one, timeout = None for ever"
	case name == "spawn_id":
		return "write use(s), or s.expect(…)"
	case name == "send_slow", name == "send_human":
		return "write type_text(text, 0.1)"
	case strings.HasPrefix(name, "env("):
		return `write spawn(…, env = {"NAME": "value"})`
	case name == "stty_init":
		return "write spawn(…, echo = False, raw = True, rows = …, cols = …)"
	}
	return "a variable is set by name = value"
}
