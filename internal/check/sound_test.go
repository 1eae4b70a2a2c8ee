package check_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSoundScriptsAreSilent has for each warning scripts that look like its mistake and do what was meant.
func TestSoundScriptsAreSilent(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"acts.star": "\"\"\"Sets up.\"\"\"\n\nready = True\nprint(\"set up\")\n", "if.star": "x = 1\nif x:\n    print(x)\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for rule, texts := range map[string][]string{
		"line end": {
			`s = spawn(["nc", "localhost", "25"], pty = False)` + "\n" + `s.send("HELO me\r\n")` + "\n" + `s.sendline("QUIT\r")`,
			`s = spawn("cat", raw = True)` + "\n" + `s.send("a\r\n")`,
			`spawn("cat", pty = False)` + "\n" + `send("a\r\n")`,
			"opts = {\"pty\": False}\n" + `s = spawn("cat", **opts)` + "\n" + `s.send("a\r\n")`,
		},
		"raw": {
			`spawn("cat", keep_nul = True)` + "\n" + `expect("a\0b")`,
			`spawn("cat")` + "\n" + `expect(["\\d+\n", "\a", "x\f", "y\v", "\\$ z", "\b \b"])`,
			`spawn("cat")` + "\n" + `expect("a\1")`,
			`re.findall("\\w+\\b", "a b")`,
		},
		"text view": {
			`spawn("cat")` + "\n" + `expect(r"[^\r\n]+\n")`, `spawn("cat")` + "\n" + `expect(r"(\r\n|\n)")`, `spawn("cat")` + "\n" + `expect(r"a\r?\n")`,
			`spawn("cat")` + "\n" + `expect(r"(?:\x1b\[m)?ok\n")`, `spawn("cat")` + "\n" + `expect(r"[^\x1b]\n")`,
			`spawn("cat")` + "\n" + `expect([b"x\n", "a\r\n"])`, `spawn("cat", **{"view": "raw"})` + "\n" + `expect("a\r\n")`,
		},
		"class":  {`spawn("cat")` + "\n" + `expect("[abc]")` + "\n" + `expect("[YyNn]")` + "\n" + `expect("[aeiou]")` + "\n" + `expect("[qxz]")`},
		"empty":  {`spawn("cat")` + "\n" + `expect(r"(?s).*", settle = 0.3)`},
		"repeat": {`spawn("cat")` + "\n" + `expect([regex("ok\n", ignore_case = False), regex("OK\n", ignore_case = True)])`},
		"shell": {
			`run("find . -name *.go")`, `run("curl http://h/?a=1;b=2&c=$x*")`, `run("expr 2 - 1")`, `run("echo a;b")`, `run("echo R&D")`,
			`run("grep 'a|b' file")`,
		},
		"unused": {
			`load("acts.star", "ready")`, `load("if.star", "x")`,
			`server = spawn(["python3", "-m", "http.server"])` + "\n" + `http_get("http://127.0.0.1:8000/")`,
			`server = spawn("true")` + "\n" + `poll_until(lambda: fs.exists("/tmp/x"))`,
		},
		"shadowed": {"def step(n):\n    return n + 1\n\nprint(step(1))", "def run(a, b):\n    return spawn([a, b])\n\nrun(\"ls\", \"-l\").wait()"},
	} {
		for _, text := range texts {
			for _, f := range findings(t, filepath.Join(dir, "sound.star"), text+"\n") {
				t.Errorf("%s: %s", rule, f)
			}
		}
	}
}

// TestAllAtOnce: modules that are not there are told together with the other mistakes.
func TestAllAtOnce(t *testing.T) {
	for text, want := range map[string][]string{
		"load(\"no.star\", \"a\")\nload(\"nor.star\", \"b\")\nexpect(\"x\", tmout = 3)\na(b)\n": {"no.star", "nor.star", `no parameter "tmout"`},
		"load(\"no.star\", \"a\")\nexpct(\"x\")\na()\n":                                         {"no.star", `undefined name "expct"`},
		"load(\"@lib//nothing.star\", \"a\")\na()\nspawn(\"\")\n":                               {"nothing.star", "no program is named"},
	} {
		found := findings(t, filepath.Join(t.TempDir(), "main.star"), text)
		if len(found) != len(want) {
			t.Errorf("%q: %d findings, want %d: %v", text, len(found), len(want), found)
			continue
		}
		for i, f := range found {
			if f.Warning || !strings.Contains(f.Msg, want[i]) {
				t.Errorf("%q: finding %d is %s, want %q", text, i, f, want[i])
			}
		}
	}
}
