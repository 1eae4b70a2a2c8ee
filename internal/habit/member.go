package habit

// Module is what to write for a function that a module has elsewhere.
func Module(module, name string) string {
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

// Member is what to write for an attribute of a value of some type.
func Member(kind, name string) string {
	if kind == "Session" {
		return ofSession(name)
	}
	return map[string]string{
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
