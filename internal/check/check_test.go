package check_test

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"omniexpect/builtins"
	"omniexpect/internal/check"
	"omniexpect/internal/dsl"
	"omniexpect/internal/interp"
	"omniexpect/internal/mask"
	"omniexpect/lib"
	"omniexpect/scripts"
)

func vocabulary() *dsl.Vocabulary {
	return (&builtins.State{Marker: "none", Mask: mask.New()}).Vocabulary()
}

func library(v *dsl.Vocabulary) *interp.Library {
	var names []string
	for n := range interp.Predeclare(v) {
		names = append(names, n)
	}
	return interp.NewLibrary(map[string]fs.FS{"@lib": lib.Files, "@scripts": scripts.Files}, names)
}

func findings(t *testing.T, name, text string) []check.Finding {
	t.Helper()
	v := vocabulary()
	found, err := check.Text(v, library(v), name, text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return found
}

// TestMistakes compares what is said about the scripts of testdata/mistakes.txtar with what stands there. After a change
// of messages, `go test ./internal/check -run Mistakes -update` writes it; read the difference as a user would.
func TestMistakes(t *testing.T) {
	const file = "testdata/mistakes.txtar"
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out txtar.Archive
	out.Comment = archive.Comment
	want := map[string]string{}
	for _, f := range archive.Files {
		if strings.HasSuffix(f.Name, ".txt") {
			want[f.Name] = string(f.Data)
		}
	}
	n := 0
	for _, f := range archive.Files {
		if !strings.HasSuffix(f.Name, ".star") {
			continue
		}
		n++
		var got strings.Builder
		for _, one := range findings(t, f.Name, string(f.Data)) {
			got.WriteString(one.String() + "\n")
		}
		name := strings.TrimSuffix(f.Name, ".star") + ".txt"
		out.Files = append(out.Files, f, txtar.File{Name: name, Data: []byte(got.String())})
		if got.Len() == 0 {
			t.Errorf("%s: no message", f.Name)
		}
		if diff := cmp.Diff(want[name], got.String()); diff != "" && !*update {
			t.Errorf("%s (-want +got):\n%s", f.Name, diff)
		}
	}
	if n < 40 {
		t.Errorf("%d mistakes, want at least 40", n)
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(&out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

var update = flag.Bool("update", false, "write testdata/mistakes.txtar")

// TestOwnScriptsHaveNoFindings is the other half: what works gets no message.
func TestOwnScriptsHaveNoFindings(t *testing.T) {
	v := vocabulary()
	for _, pattern := range []string{"scripts/*.star", "lib/*.star", "bench/*.star", "builtins/testdata/*.star", "docs/*.star"} {
		files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			// The tests of builtins have several scripts in a file. Where one has to fail, it says how after ###; an open
			// tail in a test of open tails is meant.
			for _, one := range strings.Split(string(text), "\n---\n") {
				tests := strings.HasPrefix(pattern, "builtins/")
				if tests && strings.Contains(one, "###") {
					continue
				}
				for _, f := range findings(t, file, one+"\n") {
					if !f.Warning || !tests {
						t.Errorf("%s", f)
					}
				}
			}
		}
	}
	for _, f := range v.Funcs {
		example(t, f.Name, f)
	}
	for _, typ := range v.Types {
		for _, m := range typ.Methods {
			example(t, typ.Name+"."+m.Name, m)
		}
	}
}

func example(t *testing.T, name string, f *dsl.Func) {
	t.Helper()
	for _, found := range findings(t, name, f.Example+"\n") {
		if !found.Warning {
			t.Errorf("example of %s", found)
		}
	}
}

// TestBranchThatNeverRuns is a mistake in code that a run would not reach: it has to be found before.
func TestBranchThatNeverRuns(t *testing.T) {
	found := findings(t, "r54.star", `spawn(["sh", "-c", "echo a; sleep 5"])
m = expect([r"a\n", TIMEOUT])
if m.index == 1:
    cleanup_al()

def cleanup_all():
    pass
`)
	if len(found) != 1 || found[0].Warning || found[0].Pos.Line != 4 || !strings.Contains(found[0].Msg, "did you mean cleanup_all?") {
		t.Errorf("got %v, want one error in line 4 that names cleanup_all", found)
	}
}

// TestWhatWorksGetsNoMessage has code that looks like mistakes and is none.
func TestWhatWorksGetsNoMessage(t *testing.T) {
	for _, text := range []string{
		"later = lambda: value\nvalue = 3\nprint(later())\n",
		"def f():\n    return value\n\nvalue = 3\nprint(f())\n",
		"output = run([\"true\"]).output\nprint(output.strip())\n",
		"wait = spawn(\"true\").wait()\nprint(wait.code)\n",
		"for expect in [1, 2]:\n    print(expect)\n",
		"def f(spawn, run = None):\n    return spawn(run)\n\nf(print)\n",
		"s = None\nif len(ARGS) > 0:\n    s = spawn(\"true\")\nif s != None:\n    s.expect(EOF)\n",
		"def f(s):\n    s.expect(1, 2, 3, tries = 4)\n\nf(struct(expect = lambda *a, **k: None))\n",
		"spawn((\"printf\", \"%d\", 42))\nexpect(\"42\")\n",
		"print(fs.glob(\"*.star\"))\n",
		"def f():\n    for i in range(3):\n        if i > 0:\n            print(last)\n        last = i\n\nf()\n",
		"print(\"%s %d%% %r\" % (\"a\", 3, None))\n",
		"spawn(\"sh -c 'ls | wc -l; echo $HOME > /dev/null'\")\nexpect_eof()\n",
		"spawn(\"cat\")\nexpect([\"Password:\", \"Username:\", r\"\\$ $\", EOF, TIMEOUT], timeout = 0)\n",
		"spawn(\"cat\", view = \"raw\")\nexpect(\"a\\r\\n\")\n",
		"a, b = spawn(\"true\"), spawn(\"true\")\na.wait()\nb.wait()\n",
		"s = spawn(\"true\")\nsendline(\"hi\")\n",
	} {
		for _, f := range findings(t, "works.star", text) {
			t.Errorf("%s", f)
		}
	}
}

// TestModules finds mistakes across load.
func TestModules(t *testing.T) {
	dir := t.TempDir()
	module := filepath.Join(dir, "m.star")
	if err := os.WriteFile(module, []byte("def _go(to, fast = False):\n    return expect(to, tmout = 3)\n\nm = struct(go = _go)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	v := vocabulary()
	found, err := check.Text(v, library(v), filepath.Join(dir, "main.star"), "load(\"m.star\", \"m\")\nm.go(\"x\", fats = True)\nm.og(\"x\")\n")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		got = append(got, strings.TrimPrefix(f.Pos.String(), dir+string(filepath.Separator))+" "+f.Msg)
	}
	want := []string{
		`main.star:2:11 _go has no parameter "fats" (did you mean fast?)`,
		`main.star:3:3 this struct has no .og (did you mean go?)`,
		`m.star:2:23 expect has no parameter "tmout" (did you mean timeout?)`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestBeforeARunIsFast guards the promise that a check costs next to nothing, with much room for a loaded machine.
func TestBeforeARunIsFast(t *testing.T) {
	v := vocabulary()
	l := library(v)
	src, err := l.Open("@scripts//claude_resume.star")
	if err != nil {
		t.Fatal(err)
	}
	const limit = 50 * time.Millisecond
	best := time.Hour
	for tries := 0; best > limit && tries < 100; tries++ { // one of them has the machine for itself
		began := time.Now()
		if err := check.New(v, interp.Predeclare(v)).Errors(src); err != nil {
			t.Fatal(err)
		}
		best = min(best, time.Since(began))
	}
	t.Logf("a check takes %s", best)
	if best > limit {
		t.Errorf("the check before a run takes %s, want a few milliseconds", best)
	}
}
