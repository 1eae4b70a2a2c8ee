package builtins

import (
	"slices"

	"omniexpect/internal/dsl"
)

// sessionMethods declares what a session can do.
func (st *State) sessionMethods() []*dsl.Func {
	return dsl.In("sessions", slices.Concat(st.waitMethods(), st.keyMethods(), st.passwordMethods(), st.promptMethods(), st.interactMethods(), st.explainMethods())...)
}

func (st *State) waitMethods() []*dsl.Func {
	return []*dsl.Func{
		dsl.Method("Session", "expect", "Match", `Wait until the output matches. Only the text up to the end of the match is consumed; a timeout consumes nothing. Of several patterns the one that is complete first in the output wins, then the first listed. A dict maps patterns to actions: a text is sent and ends the wait, a function gets the match, CONTINUE goes on. With pty=False, stream="stderr" waits for standard error, which has a position of its own.`,
			`s = spawn("sh -c 'echo name: bob; echo done'")
m = s.expect(r"name: (\w+)")
assert.eq(m[1], "bob")
m = s.expect(["failed", "done"])
assert.eq(m.index, 1)`, expectDefaults(), st.expect),
		dsl.Method("Session", "expect_eof", "str", `Wait until the program has ended and its output is read. Returns the text that was still unread.`,
			`s = spawn("echo bye")
assert.eq(s.expect_eof(), "bye\n")`, eofArgs{Timeout: sessionTimeout()}, st.expectEOF),
		dsl.Method("Session", "peek", "Match", `Like expect, but nothing is consumed: the same text can be expected afterwards.`,
			`s = spawn("echo alpha beta")
s.peek("beta")
s.expect("alpha")`, expectDefaults(), st.peek),
		dsl.Method("Session", "expect_not", "None", `Fail as soon as the output matches, and pass after a time without it, or when the program has ended without it. Nothing is consumed.`,
			`s = spawn("echo fine")
s.expect_not("ERROR", within = 0.2)`, notArgs{}, st.expectNot),
		dsl.Method("Session", "expect_all", "list", `Wait until all patterns have come, in any order. Text up to the end of the last match is consumed.`,
			`s = spawn("echo alpha beta gamma")
s.expect_all("gamma", "alpha")`, allArgs{Timeout: sessionTimeout()}, st.expectAll),
		dsl.Method("Session", "wait_idle", "str", `Wait until nothing was written for a while, and return the unread text, which stays unread.`,
			`s = spawn("echo ready")
assert.contains(s.wait_idle(0.1), "ready")`, idleArgs{Timeout: sessionTimeout()}, st.waitIdle),
		dsl.Method("Session", "read", "str", `Read a number of characters. At the end of the output it may be fewer.`,
			`s = spawn("printf abcdef")
assert.eq(s.read(3), "abc")`, readArgs{Timeout: sessionTimeout()}, st.read),
		dsl.Method("Session", "readline", "str", `Read the next line, without its end.`,
			`s = spawn("echo one")
assert.eq(s.readline(), "one")`, readlineArgs{Timeout: sessionTimeout()}, st.readline),
		dsl.Method("Session", "always", "function", `Serve a pattern whenever it shows up from now on, also while the script waits for something else. The action is a text to send, or a function that gets the match. Nothing is consumed. Matches of one pattern, or of a list given together, are served in the order of the output; patterns that were set apart do not wait for each other. exit() in the function ends the run. Returns a function that ends it and tells how often it was served.`,
			`s = spawn(["sh", "-c", "echo 'Press any key'; read x; echo done"])
stop = s.always("any key", "\r")
s.expect("done")
assert.eq(stop(), 1)`, alwaysArgs{Limit: 1000}, st.alwaysDo),
		dsl.Method("Session", "send", "None", `Send exactly this text. Use sendline for a line with Enter.`,
			`s = spawn("cat")
s.send("hi\r")
s.expect("hi\nhi\n")`, sendArgs{Timeout: sessionTimeout()}, st.send),
		dsl.Method("Session", "sendline", "None", `Send a line and press Enter. On a terminal that is CR, with raw=True or pty=False LF.`,
			`s = spawn("cat")
s.sendline("hi")
s.expect("hi\nhi\n")`, sendlineArgs{Timeout: sessionTimeout()}, st.sendline),
		dsl.Method("Session", "submit", "None", `Type a text into a full-screen program and press Enter as a key of its own. Text and Enter in one write are taken for a paste by many such programs; submit brackets the text where the program asked for that, waits until the output is quiet, presses Enter, and once more if nothing happened. A program that shows nothing of what is typed gets one Enter, and whether it took that is not known.`,
			`s = spawn("cat")
s.submit("hello")
s.expect("hello\nhello\n")`, submitArgs{Timeout: sessionTimeout(), Quiet: dsl.Seconds(0.2)}, st.submit),
		dsl.Method("Session", "send_eof", "None", `Tell the program that its input ends. On a terminal that is Ctrl-D, twice after an unfinished line; pipes are closed.`,
			`s = spawn("cat")
s.send_eof()
s.wait()`, sendEOFArgs{Timeout: sessionTimeout()}, st.sendEOF),
		dsl.Method("Session", "wait", "Status", `Wait until the program has ended, whatever still holds its terminal. Output stays readable.`,
			`s = spawn("sh -c 'exit 3'")
assert.eq(s.wait().code, 3)`, waitArgs{Timeout: sessionTimeout()}, st.wait),
		dsl.Method("Session", "output", "str", `All output so far, read or unread, as text or as the exact bytes. It is bounded by spawn's history.`,
			`s = spawn("echo hi")
s.wait()
s.expect_eof()
assert.contains(s.output(), "hi")`, outputArgs{}, st.output),
		dsl.Method("Session", "close", "Status", `End the program and what it started, and wait for that. HUP, TERM and KILL in turn; may be called again; never fails.`,
			`s = spawn("sleep 100")
s.close()
assert.eq(s.alive, False)`, dsl.None{}, st.closeSession),
		dsl.Method("Session", "terminate", "Status", `The same as close.`,
			`s = spawn("sleep 100")
s.terminate()`, dsl.None{}, st.closeSession),
		dsl.Method("Session", "resize", "None", `Give the terminal another size. The program gets SIGWINCH.`,
			`s = spawn("sh")
s.resize(50, 132)
s.sendline("stty size")
s.expect("50 132")`, resizeArgs{}, st.resize),
		dsl.Method("Session", "signal", "None", `Send a signal to the program.`,
			`s = spawn("sleep 100")
s.signal("TERM")
assert.eq(s.wait().signal, "SIGTERM")`, signalArgs{}, st.signal),
	}
}

// topLevel are the methods that are builtins on the current session as well.
var topLevel = []string{"expect", "expect_eof", "peek", "expect_not", "expect_all", "wait_idle", "read", "readline", "always", "send", "sendline", "submit", "keys", "type_text", "paste", "send_file", "cmd", "wait_password", "send_secret", "interact", "mirror", "explain", "send_eof", "wait", "output"}

// sessionFuncs declares the methods that act on the current session.
func (st *State) sessionFuncs() []*dsl.Func {
	var out []*dsl.Func
	for _, name := range topLevel {
		out = append(out, st.types.session.Method(name).On(st.current))
	}
	return dsl.In("current session", out...)
}

// spawnFuncs declares what begins and chooses sessions.
func (st *State) spawnFuncs() []*dsl.Func {
	return dsl.In("sessions",
		dsl.Define("spawn", "Session", `Run a program on a terminal of its own. In the script itself the session becomes the current one, on which expect(), send() and the others act. It is ended when the script ends.`,
			`s = spawn(["sh", "-c", "echo $GREETING"], env = {"GREETING": "hello"}, rows = 50, cols = 132)
expect("hello")`, spawnDefaults(), st.spawn),
		dsl.Define("expect_any", "Match", `Wait on several sessions at once. The match says which it was in .session and .index. A session's end counts only when all have ended.`,
			`a = spawn("sleep 100")
b = spawn("echo two")
assert.eq(expect_any({a: "one", b: "two"}).session, b)`, anyArgs{}, st.expectAny),
		dsl.Define("use", "Session", `Make a session the current one.`,
			`a = spawn("echo one")
b = spawn("echo two")
use(a)
expect("one")`, useArgs{}, st.use),
	)
}
