// Package habit knows what people write who come from Python, pexpect or Tcl Expect, and what it is called here. The check
// before a run, the failure of a run and the help say it where a name, an attribute, a parameter or a command is not there.
package habit

import "strings"

// Name is what to write in place of a name, "" if nothing is known about it.
func Name(name string) string {
	if h := ofPython(name); h != "" {
		return h
	}
	if h := ofTools(name); h != "" {
		return h
	}
	if ordinary(name) {
		return ""
	}
	if h := ofSession(name); h != "" {
		return h
	}
	if rest, ok := strings.CutPrefix(name, "exp_"); ok && rest != "" {
		if h := Name(rest); h != "" {
			return h
		}
	}
	return ""
}

// Known is Name, or the same for the attribute of a session, as in "s.sendintr" or "logfile_read".
func Known(name string) string {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		name = name[i+1:]
	}
	name = strings.TrimLeft(name, "-") // a flag of Tcl Expect
	if h := Name(name); h != "" {
		return h
	}
	if h := ofSession(name); h != "" {
		return h
	}
	return Instead("", name)
}

// ofPython has names of Python and of its modules.
func ofPython(name string) string {
	return map[string]string{
		"open":       "write fs.read(path), fs.write(path, text)",
		"os":         "write env(\"HOME\") for variables, fs.… for files, run([…]) for commands",
		"subprocess": "write run([…])", "Exception": "catch(fn, …) returns a Result with .ok .error .kind", "ValueError": "catch(fn, …) returns a Result with .ok .error .kind; fail(\"why\") fails",
		"isinstance": "write type(x) == \"int\"; the types are string, int, float, bool, list, dict, tuple", "sum": "add up in a for loop", "round": "write math.round(x)",
		"map": "write [f(x) for x in list]", "filter": "write [x for x in list if f(x)]", "pow": "write math.pow(a, b)",
		"true": "write True", "false": "write False", "null": "write None", "nil": "write None", "undefined": "write None", "self": "there are no classes: a function gets what it needs as a parameter", "requests": "write http_get(url), http_post(url, json={…})", "subprocess.run": "write run([…])", "__name__": "a script has no __name__: leave the condition out", "__file__": "paths of load() begin at the script's own folder",
		"delay": "write sleep(1)", "wait_for": "write expect(…) for output, poll_until(fn) for a condition", "curl": "write http_get(url)", "format": `write "… %s" % x`, "object": "write struct(a=1)",
		"raise": "write fail(\"why\")", "quit": "write exit()", "die": "write fail(\"why\")", "datetime": "write time.now()", "threading": "write parallel([fn, …])",
		"uuid": "write uuid4()", "argparse": `write name = param("name", default = "…", help = "…")`, "logging": `write step("…") for what goes on, print(…)`,
		"pathlib": "write fs.… for files, path.… for their names", "shutil": "write fs.… for files, run([…]) for commands", "tempfile": "write fs.temp_dir()",
		"urllib":   "write http_get(url); url.parse, url.join and url.quote are there",
		"sleep_ms": "write sleep(\"250ms\")", "next": "write list[0]", "iter": "a for loop goes through lists, dicts and texts' .elems()", "lower": "write text.lower()", "strip": "write text.strip()",
	}[name]
}
