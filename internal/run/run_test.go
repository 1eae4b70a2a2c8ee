package run

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.starlark.net/starlark"
	"go.uber.org/goleak"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/proc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestNothingForNothing keeps what an empty script does not need out of its way, and only that.
func TestNothingForNothing(t *testing.T) {
	for _, tt := range []struct {
		code                 string
		asked, interruptible bool
	}{
		{"", false, false},
		{"x = [1, 2]\nif x:\n    y = x + [3]", false, false},
		{"while 1:\n    pass", false, true},
		{"[x for x in [1, 2]]", false, true},
		{"print(1)", true, true},
		{"f = len", true, true},
		{"f = expect", true, true},
		{`load("@lib//omnigent.star", "omnigent")`, true, true},
	} {
		r := New(Options{})
		src, err := r.Parse("<code>", tt.code)
		if err != nil {
			t.Errorf("%q: %v", tt.code, err)
			continue
		}
		if r.asked != tt.asked || r.Interruptible(src) != tt.interruptible {
			t.Errorf("%q: asked %v, interruptible %v; want %v, %v", tt.code, r.asked, r.Interruptible(src), tt.asked, tt.interruptible)
		}
		if done := r.Interp.Closers != nil; done != tt.asked {
			t.Errorf("%q: closes sessions: %v, want %v", tt.code, done, tt.asked)
		}
	}
}

// script writes a script into a file.
func script(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "script.star")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestOutcomes has each way to end come out as data.
func TestOutcomes(t *testing.T) {
	for _, tt := range []struct {
		code    string
		status  int
		kind    fault.Kind // of the failure; empty if there is none
		skipped bool
		reason  string
		says    string // a part of what is said about the run
	}{
		{code: `step("one")`, says: "] one\n"},
		{code: `skip("no such luck")`, skipped: true, reason: "no such luck", says: "script.star: skipped (no such luck)"},
		{code: `exit(7)`, status: 7},
		{code: `fail("it broke")`, status: 1, kind: fault.Fail, says: "script.star:1:5: fail: it broke"},
		{code: `spawn("no-such-program-anywhere")`, status: 3, kind: fault.Env},
		{code: `undefined_name`, status: 2, kind: fault.Script},
		{code: `defer(fail, "late")`, status: 1, kind: fault.Fail, says: "in the deferred call of fail"},
		{code: `param("host", required = True)`, status: 2, kind: fault.Usage, says: "--host is required"},
	} {
		var out, errs strings.Builder
		o := Do(t.Context(), Options{Stdout: &out, Stderr: &errs}, script(t, tt.code+"\n"), nil)
		kind := fault.Kind("")
		if o.Failure != nil {
			kind = o.Failure.Kind
		}
		if o.Status != tt.status || kind != tt.kind || o.Skipped != tt.skipped || o.Reason != tt.reason {
			t.Errorf("%s: got %+v", tt.code, o)
		}
		if !strings.Contains(errs.String(), tt.says) {
			t.Errorf("%s: said %q, want %q in it", tt.code, errs.String(), tt.says)
		}
		text, err := json.Marshal(o)
		var back Outcome
		if err != nil || json.Unmarshal(text, &back) != nil || back.Status != tt.status {
			t.Errorf("%s: %v: %s", tt.code, err, text)
		}
	}
}

// TestStepsHaveTimes keeps each step with when it began and how long it took.
func TestStepsHaveTimes(t *testing.T) {
	o := Do(t.Context(), Options{}, script(t, "step('a')\nsleep(0.05)\nstep('b')\n"), nil)
	if len(o.Steps) != 2 || o.Steps[0].Name != "a" || o.Steps[1].Name != "b" {
		t.Fatalf("steps: %+v", o.Steps)
	}
	if a, b := o.Steps[0], o.Steps[1]; a.Elapsed <= 0 || a.Began+a.Elapsed != b.Began {
		t.Errorf("steps: %+v", o.Steps)
	}
}

// TestManyRunsAtOnce shares nothing between runs.
func TestManyRunsAtOnce(t *testing.T) {
	name := script(t, "x = []\ns = spawn('cat', echo = False)\nfor i in range(20):\n    s.sendline('v%d' % i)\n    x.append(s.expect(r'v(\\d+)\\n')[1])\nprint(len(x))\n")
	errs := make(chan error)
	for range 8 {
		go func() {
			var out strings.Builder
			if o := Do(t.Context(), Options{Stdout: &out}, name, nil); o.Err != nil || out.String() != "20\n" {
				errs <- errors.Join(o.Err, errors.New("printed "+out.String()))
				return
			}
			errs <- nil
		}()
	}
	for range 8 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// TestScopeEndsByItself ends what a part of a run began, and nothing else.
func TestScopeEndsByItself(t *testing.T) {
	var out strings.Builder
	r := New(Options{Stdout: &out})
	src, err := r.Parse("x.star", `
outer = spawn("cat", name = "outer")
folders = []
def part(n):
    defer(print, "deferred", n)
    folders.append(fs.temp_dir())
    inner = spawn("cat", name = "inner")
    inner.sendline("hello")
    inner.expect("hello")
    print("part", n)
    if n == 2:
        fail("the second part")
def look():
    print([fs.exists(f) for f in folders], outer.alive)
`)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	var globals starlark.StringDict
	call := func(name string, args ...starlark.Value) error {
		return r.Call(ctx, name, func(s *dsl.Strand) error {
			return s.Run(func(t *starlark.Thread) error {
				_, err := starlark.Call(t, globals[name], args, nil)
				return err
			})
		})
	}
	if err := r.Call(ctx, "main", func(s *dsl.Strand) error {
		return s.Run(func(t *starlark.Thread) (err error) {
			globals, err = src.Program.Init(t, r.Interp.Predefined)
			return err
		})
	}); err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 2; n++ {
		var marker string
		err := r.Scope(ctx, func(context.Context) error {
			marker = r.State.ScopeMarker()
			return call("part", starlark.MakeInt(n))
		})
		if (err != nil) != (n == 2) {
			t.Errorf("part %d: %v", n, err)
		}
		if left := proc.Marked(marker); len(left) > 0 {
			t.Errorf("part %d left %s", n, proc.Names(left))
		}
	}
	if err := call("look"); err != nil {
		t.Fatal(err)
	}
	if err := r.Finish(ctx, nil); err != nil {
		t.Error(err)
	}
	r.Report.Close()
	if left := proc.Marked(r.State.Marker); len(left) > 0 {
		t.Errorf("the run left %s", proc.Names(left))
	}
	want := "part 1\ndeferred 1\npart 2\ndeferred 2\n[False, False] True\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
