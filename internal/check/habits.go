package check

import (
	"fmt"

	"go.starlark.net/syntax"
)

// ofLanguage checks calls of Starlark's own functions that are something else in Python.
func (u *unit) ofLanguage(n *syntax.CallExpr) {
	switch fn := n.Fn.(type) {
	case *syntax.Ident:
		if fn.Name != "print" || u.variable(fn) != nil {
			return
		}
		for _, a := range n.Args {
			if id, _ := named(a); id != nil && id.Name != "sep" {
				u.error(id, "arguments", fmt.Sprintf("print has no parameter %q", id.Name), map[string]string{
					"file":  `print writes to standard output; step("…") says on standard error what happens`,
					"end":   "print ends its line: put together first what shall stand in one",
					"flush": "leave it out: what is printed is written at once",
				}[id.Name])
			}
		}
	case *syntax.DotExpr:
		if fn.Name.Name == "time" && len(n.Args) == 0 && u.infer(fn.X).module == "time" {
			u.error(fn.Name, "arguments", "time.time makes a date of what it is given, and gets nothing", moduleHabit("time", "time"))
		}
	}
}

// moduleHabit is what to write for a function that a module has elsewhere.
func moduleHabit(module, name string) string {
	return map[string]string{
		"json.loads": "write json.decode(text)", "json.load": "write json.decode(text)", "json.dumps": "write json.encode(x)", "json.dump": "write json.encode(x)",
		"time.sleep": "write sleep(1)", "time.time": "write now(), in seconds, to measure with; time.now() is the date",
		"time.monotonic": "write now(), in seconds", "time.perf_counter": "write now(), in seconds", "path.exists": "write fs.exists(path)",
		"re.compile": "not needed: give the pattern to re.search, re.findall and the others", "re.fullmatch": `write re.match(r"…$", text)`,
		"re.finditer": "write re.findall(…)", "random.randint": "write random.int(…)", "random.random": "write random.float()",
		"assert.equal": "write assert.eq(got, want)", "assert.equals": "write assert.eq(got, want)", "assert.is_true": "write assert.true(x)",
		"assert.false": "write assert.true(not x)", "assert.raises": "write assert.fails(fn, …)",
	}[module+"."+name]
}

// habit is what to write for an attribute that other tools have.
func habit(kind, name string) string {
	return map[string]string{
		"Session.sendcontrol": `write s.keys("ctrl-c")`, "Session.sendeof": "write s.send_eof()", "Session.isalive": "write s.alive, without ()",
		"Session.expect_exact": `write s.expect(exact("…"))`, "Session.before": "the match has it: m = s.expect(…), then m.before", "Session.after": "the match has it: m = s.expect(…), then m.text",
		"Session.match": "expect returns the match: m = s.expect(…), then m[1]", "Session.exitstatus": "write s.wait().code", "Session.signalstatus": "write s.wait().signal",
		"Session.kill": `write s.signal("KILL"), or s.close()`, "Session.setwinsize": "write s.resize(rows, cols)", "Session.expect_list": "s.expect takes a list",
		"Session.write": "write s.send(…)", "Session.read_nonblocking": "write s.output(), or s.wait_idle(0.1)",
		"Session.logfile": "run with -v to see it, or take s.output()", "Session.send_line": "write s.sendline(…)", "Session.delaybeforesend": "not needed here",
		"Match.group": "write m[1], or m[\"name\"]", "Match.after": "write m.text", "Match.match": "write m[1]", "Match.start": "take len(m.before)",
		"Response.status_code": "write r.status", "Response.content": "write r.bytes", "Response.body": "write r.text", "Response.code": "write r.status",
		"string.decode": "a text is text already; bytes become text with str(b)", "string.encode": "write bytes(text)", "string.isnumeric": "write s.isdigit()",
		"string.zfill": `write "0" * (n - len(s)) + s`, "string.ljust": `write s + " " * (n - len(s))`, "string.rjust": `write " " * (n - len(s)) + s`,
		"string.center": `write " " * ((n - len(s)) // 2) + s`,
		"list.sort":     "write sorted(list), which returns a new one", "list.reverse": "write list[::-1]", "list.copy": "write list(x)", "list.count": "write len([x for x in list if …])",
		"dict.has_key": "write key in dict", "dict.iteritems": "write dict.items()", "dict.copy": "write dict(d)",
		"Finished.returncode": "write r.code", "Finished.exit_code": "write r.code", "Finished.text": "write r.output",
		"Status.exitstatus": "write .code", "Result.err": "write .error", "Result.message": "write .error", "Result.success": "write .ok",
	}[kind+"."+name]
}

// paramHabit is what people write, as other tools have it, for parameters that are called otherwise here.
func paramHabit(name string) string {
	return map[string]string{
		"data": "body=\"text\", form={…} or json={…}", "stdin": "input=…, or send() and send_eof()", "stdout": "the result's .output",
		"shell": "[\"sh\", \"-c\", \"command | other\"] as argv", "dimensions": "rows=…, cols=…",
		"encoding": "nothing: text is UTF-8, and invalid bytes become U+FFFD", "logfile": "nothing: omniexpect run -v shows what sessions write, and output() returns it",
		"searchwindowsize": "nothing: matching is fast without it", "maxread": "buffer=…", "allow_redirects": "follow=False",
		"environment": "env={…}", "directory": "cwd=…", "dir": "cwd=…", "codec_errors": "nothing: invalid bytes become U+FFFD",
		"auth_token": "auth=\"token\"", "withexitstatus": "run(…).code", "events": "expect({pattern: action})", "seconds": "a plain number",
	}[name]
}
