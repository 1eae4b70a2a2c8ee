package habit

// ofSession is what to write for an attribute that sessions of other tools have.
func ofSession(name string) string {
	const (
		notNeeded = "not needed here"
		unread    = "write s.wait_idle(0.1), which returns the unread text and leaves it there; s.output() has all"
		atSpawn   = "write it to spawn: spawn(…, cwd = …, env = {…})"
		perWait   = "write spawn(…, timeout = 5) for all waits, s.expect(…, timeout = 5) for one"
		ended     = "write not s.alive; EOF is a pattern"
		prompts   = `shell("bash") has a prompt of its own, elsewhere say it: s.cmd("…", prompt = …)`
		keys      = `write s.keys("enter")`
		code      = "write s.wait().code"
		see       = "write s.mirror() to see what comes, s.output() to have it"
	)
	return map[string]string{
		"sendcontrol": `write s.keys("ctrl-c")`, "sendeof": "write s.send_eof()", "sendintr": `write s.keys("ctrl-c"), or s.signal("INT")`,
		"isalive": "write s.alive, without ()", "expect_exact": `write s.expect(exact("…"))`, "expect_list": "s.expect takes a list", "expect_loop": "s.expect takes a list",
		"expect_regex": "a text is a regular expression already: s.expect(…)", "ExpectString": `write s.expect(exact("…"))`, "compile_pattern_list": notNeeded + ": s.expect takes a list",
		"before": "the match has it: m = s.expect(…), then m.before", "after": "the match has it: m = s.expect(…), then m.text",
		"match": "expect returns the match: m = s.expect(…), then m[1]", "match_index": "expect returns the match: m = s.expect([…]), then m.index",
		"exitstatus": code, "signalstatus": "write s.wait().signal", "exit_code": code, "returncode": code, "code": code,
		"poll": "s.status is None while it runs", "kill": `write s.signal("KILL"), or s.close()`, "send_signal": `write s.signal("INT")`,
		"setwinsize": "write s.resize(rows, cols)", "getwinsize": "write s.rows, s.cols", "write": "write s.send(…)", "writelines": `write s.send("".join(list))`,
		"read_nonblocking": unread, "read_all": unread, "read_eager": unread, "read_very_eager": unread, "buffer": unread,
		"read_until": `write m = s.expect(exact("…")), then m.before`, "readlines": "write s.expect_eof().splitlines()",
		"logfile": see + "; omniexpect run -v shows all sessions", "logfile_read": see, "logfile_send": "the script knows what it sends: " + see,
		"log_user": "write s.mirror()", "log_file": `write fs.write(path, s.output())`, "send_line": "write s.sendline(…)",
		"delaybeforesend": notNeeded + ": s.send_secret waits until the echo is off, s.type_text types with pauses", "delayafterread": notNeeded,
		"delayafterclose": notNeeded, "delayafterterminate": notNeeded, "flush": notNeeded + ": what is sent is written at once",
		"searchwindowsize": notNeeded + ": matching is fast without it", "maxread": notNeeded + "; spawn(…, buffer = …) bounds the unread output",
		"ignorecase": `write regex("…", ignore_case = True), or (?i) in the pattern`, "ignore_sighup": `write spawn(["sh", "-c", "trap '' HUP; exec program"])`,
		"linesep": `s.sendline presses Enter; another end is sent by s.send("…\n")`, "waitnoecho": "write s.wait_password(), or s.send_secret(…), which waits too",
		"setecho": "write spawn(…, echo = False), or s.expect(…, skip_echo = True) where the echo is in the way",
		"getecho": "s.wait_password() waits until the echo is off", "isatty": "a session has a terminal unless it was spawned with pty = False",
		"eof": ended, "flag_eof": ended, "terminated": ended, "closed": ended, "fileno": noNumbers, "child_fd": noNumbers,
		"args": "keep what spawn was given; s.name is what messages call it", "argv": "keep what spawn was given; s.name is what messages call it",
		"command": "keep what spawn was given; s.name is what messages call it", "cwd": atSpawn, "env": atSpawn, "echo": "write spawn(…, echo = False)",
		"encoding": notNeeded + ": text is UTF-8", "timeout": perWait, "set_timeout": perWait, "login": `write spawn(["ssh", host]), then s.send_secret(…)`,
		"logout": `write s.sendline("exit"), s.wait()`, "set_unique_prompt": prompts, "sync_original_prompt": prompts, "PROMPT": prompts, "UNIQUE_PROMPT": prompts, "set_prompt": prompts,
		"run_command": `write s.cmd("…").output`, "SSH_OPTS": `write spawn(["ssh", "-o", "…", host])`, "options": `write spawn(["ssh", "-o", "…", host])`, "force_password": `write spawn(["ssh", "-o", "PubkeyAuthentication=no", host])`,
		"str_last_chars": notNeeded + ": a failed wait shows the end of what is unread, s.output() has all of it",
		"prompt":         "write s.cmd(\"…\", prompt = …); shell(…) has a prompt of its own",
		"child":          "the session is s itself", "proc": "the session is s itself", "ptyproc": "the session is s itself", "spawn_id": "the session is s itself",
		"stdin": "write s.send(…)", "stdout": "write s.expect(…)", "stderr": `write s.expect(…, stream = "stderr"), with pty = False`, "communicate": "write s.send(…), s.send_eof(), s.expect_eof()",
		"send_key": keys, "send_keys": keys, "press": keys, "screen": noPicture, "display": noPicture, "detach": "a program that shall outlive the script runs in tmux, or is started by setsid",
	}[name]
}

// Method is what to write for a method that only sessions of other tools have, whatever it is called on; "" for all others.
func Method(name string) string {
	switch name {
	case "sendintr", "sendcontrol", "sendeof", "setecho", "getecho", "waitnoecho", "isalive", "expect_exact", "expect_list", "setwinsize", "getwinsize",
		"read_nonblocking", "set_unique_prompt", "sync_original_prompt", "run_command":
		return ofSession(name)
	}
	return ""
}
