package habit

// ofTools has names of pexpect and Tcl Expect that are no methods of a session's.
func ofTools(name string) string {
	if h := pexpect()[name]; h != "" {
		return h
	}
	return tclExpect()[name]
}

const (
	askUser   = `ask_user("…") takes a line from the person at the terminal, secret = True hides it`
	noPicture = "there is no picture of the screen here: s.wait_idle(0.2) returns the text that was written, s.output() all of it"
	noNumbers = `sessions have no descriptors: for a line or a socket spawn what has it, as in spawn(["socat", "-,raw,echo=0", "/dev/ttyS0"], raw = True)`
)

func pexpect() map[string]string {
	return map[string]string{
		"pexpect":     "the builtins need no module: spawn(…), expect(…), EOF, TIMEOUT; omniexpect docs knows pexpect's names",
		"pxssh":       `write spawn(["ssh", host]), send_secret(…), and cmd(…, prompt = …); the recipes have a whole login`,
		"replwrap":    `write sh = shell("bash"), "sh", "zsh" or "python3", then sh.cmd("…").output; for other programs cmd(…, prompt = …)`,
		"REPLWrapper": `write s = spawn(…), then s.cmd("…", prompt = …).output`,
		"fdpexpect":   noNumbers, "fdspawn": noNumbers, "socket_pexpect": noNumbers, "SocketSpawn": noNumbers, "serial": noNumbers,
		"popen_spawn": "write spawn(…, pty = False)", "PopenSpawn": "write spawn(…, pty = False)",
		"ANSI": noPicture, "pyte": noPicture, "FSM": "write a dict of patterns with functions as actions, and CONTINUE to stay: the functions keep the state in a dict", "run_async": "write parallel([fn, …])", "runu": "write run(…)", "spawnu": "write spawn(…)",
		"split_command_line": "not needed: spawn takes a text or a list", "ptyprocess": "write spawn(…)", "which": `write run(["sh", "-c", "command -v NAME"]).ok`,
		"is_executable_file": `write run(["test", "-x", path]).ok`, "ExceptionPexpect": "catch(fn, …) returns a Result with .ok .error .kind",
		"EOFError": `catch(fn, …) returns a Result; its .kind is "eof" then`, "TimeoutError": `catch(fn, …) returns a Result; its .kind is "timeout" then`,
		"KeyboardInterrupt": "Ctrl-C ends the script, and defer(fn) runs all the same",
		"input":             askUser + `; param("name") takes a value from the command line`, "raw_input": askUser, "getpass": askUser,
		"getopt": `write name = param("name", default = "…", help = "…")`, "optparse": `write name = param("name", default = "…", help = "…")`,
		"click": `write name = param("name", default = "…", help = "…")`, "sys": "exit(3) ends with a status, ARGS has the arguments, print writes to standard output",
		"termios": "spawn(…, echo = False, raw = True, rows = …, cols = …) sets the terminal's modes, resize its size", "fcntl": "resize(rows, cols) sets the size of a session's terminal",
		"signal":    `defer(fn) runs at the end, also after Ctrl-C and SIGTERM; s.signal("INT") sends one`,
		"traceback": "a failure tells where it happened and who called", "select": "write expect_any({a: pattern, b: pattern})",
		"telnetlib": `write spawn(["telnet", host, port]), or spawn(["nc", host, port], pty = False)`, "socket": `write spawn(["nc", host, port], pty = False)`,
		"paramiko": `write spawn(["ssh", host])`, "ftplib": `write spawn(["ftp", host])`, "smtplib": `write spawn(["nc", host, "25"], pty = False)`,
		"platform": `write run("uname -s").output`, "unittest": "write assert.eq(got, want), assert.true(x)", "pytest": "write assert.eq(got, want), assert.true(x)",
		"asyncio": "write parallel([fn, …])", "unicode": "a text is text already; bytes become text with str(b)", "pdb": "pause() opens the interactive prompt in the middle of the script",
	}
}

func tclExpect() map[string]string {
	const always = "write always(pattern, action), which serves it during every wait"
	const shared = "write s.interact() to join a session with this terminal; for a program that several people see, or that goes on without one, drive tmux: spawn([\"tmux\", …])"
	const prompt = "pause() opens the interactive prompt in the middle of the script"
	const parallel = "write parallel([fn, …]); a program that shall outlive the script runs in tmux, or is started by setsid"
	return map[string]string{
		"exp_continue":   "write CONTINUE, as in expect({pattern: [\"answer\\r\", CONTINUE], other: None}): the deadline goes on, as with -continue_timer; idle = … begins anew with output",
		"continue_timer": "write CONTINUE, as in expect({pattern: [\"answer\\r\", CONTINUE], other: None}): the deadline goes on",
		"send_slow":      "write type_text(text, 0.1)", "send_human": "write type_text(text), which types as a person does",
		"exp_version": "leave it out: omniexpect version says which one this is", "getpid": "write s.pid for a session's program; a script does not know its own",
		"autoexpect": "omniexpect repl is the way to try and keep: .save FILE writes what worked as a script", "dislocate": shared, "kibitz": shared, "xkibitz": shared,
		"expect_out": "expect returns the match: m = expect(…), then m[1], m.text, m.before", "timeout": "write TIMEOUT as a pattern, timeout=… as an argument",
		"eof": "write EOF", "full_buffer": "write FULL", "spawn_id": "spawn returns the session: s = spawn(…), then s.expect(…)",
		"any_spawn_id": "write expect_any({a: pattern, b: pattern})", "user_spawn_id": askUser + "; interact(on_input = {…}) has patterns of what is typed",
		"tty_spawn_id": askUser, "error_spawn_id": `step("…") writes to standard error`, "spawn_out": "spawn(…, echo = False, raw = True, rows = …) sets the terminal's modes",
		"expect_before": always, "expect_after": always, "expect_background": always, "expect_user": askUser, "expect_tty": askUser, "gets": askUser,
		"interact_out": "the function of an action gets the match: interact(on = {pattern: lambda m: m[1]})", "send_user": "write print(…)",
		"send_tty": "write print(…)", "send_error": `write step("…"), which goes to standard error`, "send_log": "write print(…); output() has what a session wrote", "puts": "write print(…)",
		"log_user": "sessions are silent: mirror() shows one as it comes, the -v flag of omniexpect run all of them", "log_file": "write fs.write(path, s.output()) at the end, or defer it; s.output(\"raw\") has the exact bytes",
		"exp_internal": "omniexpect run -d shows each attempt to match, explain(pattern) says why one does not", "match_max": "write spawn(…, buffer = 100000)",
		"remove_nulls": "NUL characters are left out; spawn(…, keep_nul = True) keeps them", "parity": "leave it out: bytes pass as they are",
		"stty": "spawn(…, echo = False, raw = True, rows = …, cols = …) sets the terminal's modes, resize its size; ask_user(…, secret = True) hides what is typed here",
		"trap": "write defer(fn), which runs at the end, also after Ctrl-C and SIGTERM", "fork": parallel, "disconnect": parallel,
		"overlay": "write exit(run([…]).code) at the end", "system": "write run([…])", "exec": "write run([…]).output", "timestamp": "write time.now(), time.now().format(…)",
		"strace": prompt, "debug": prompt, "interpreter": prompt, "prompt1": prompt, "prompt2": prompt, "inter_return": "an action of interact ends it by returning something",
		"exp_send": "write send(…)", "exp_spawn": "write spawn(…)", "exp_wait": "write wait().code", "exp_interact": "write interact()", "exp_sleep": "write sleep(1)",
		"terminate": "write s.close(), with s = spawn(…)", "append": "write list.append(x), or s += …", "split": "write text.split(…)", "join": `write ", ".join(list)`,
		"exp_open": noNumbers, "exp_pid": "write s.pid", "exp_exit": "write exit(3)", "default": "write EOF, TIMEOUT and EOF are patterns of a list", "argv": "ARGS has the arguments; name = param(\"name\") declares one",
		"argc": "write len(ARGS)", "argv0": "a script does not know its own name", "close": "write s.close(), with s = spawn(…)", "vwait": "write poll_until(fn)",
		"proc": "write def name(a, b):", "foreach": "write for x in list:", "switch": "write if …: and elif …:", "incr": "write n += 1", "lindex": "write list[0]", "llength": "write len(list)",
		"lappend": "write list.append(x)", "lassign": "write a, b = list", "lrange": "write list[1:3]", "lsort": "write sorted(list)", "regexp": "write re.search(pattern, text), then m[1]", "regsub": "write re.sub(pattern, by, text)",
		"source": `write load("module.star", "name")`, "uplevel": "keep state in a dict: functions can change it", "upvar": "keep state in a dict: functions can change it",
		"elseif": "write elif", "unset": "leave it out", "clock": "write now(), or time.now()", "package": "leave it out", "concat": "write a + b",
	}
}

// ordinary reports whether a name that pexpect has at a session is as likely a variable that is missing.
func ordinary(name string) bool {
	switch name {
	case "name", "args", "argv", "command", "code", "login", "logout", "options", "display", "screen", "child", "poll", "env", "echo", "cwd", "closed",
		"status", "prompt", "press", "encoding", "proc", "detach", "stdin", "stdout", "stderr", "match", "buffer", "write", "pid":
		return true
	}
	return false
}
