package interp_test

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"go.starlark.net/starlark"
	"go.uber.org/goleak"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/interp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// toy is a run with a vocabulary of its own.
type toy struct {
	*interp.Run
	lib      *interp.Library
	waiting  chan struct{} // gets a value when pause() waits
	wake     chan struct{}
	printed  []string
	reported []error
}

type failArgs struct {
	Kind string `star:"kind" doc:"its kind"`
	Msg  string `star:"msg" doc:"its message"`
}

type fnArgs struct {
	Fn starlark.Callable `star:"fn" doc:"a function"`
}

type fnsArgs struct {
	Fns *starlark.List `star:"fns" doc:"functions"`
}

func newToy(t *testing.T, modules map[string]string) *toy {
	t.Helper()
	y := &toy{waiting: make(chan struct{}, 100), wake: make(chan struct{})}
	vocabulary := &dsl.Vocabulary{Funcs: []*dsl.Func{
		dsl.Define("oops", "", "Fail.", "", failArgs{}, func(_ *dsl.Call, a failArgs) (starlark.Value, error) {
			return nil, fault.New(fault.Kind(a.Kind), "%s", a.Msg)
		}),
		dsl.Define("pause", "None", "Wait.", "", dsl.None{}, func(c *dsl.Call, _ dsl.None) (starlark.Value, error) {
			return nil, c.Wait(func(ctx context.Context) error {
				y.waiting <- struct{}{}
				select {
				case <-y.wake:
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			})
		}),
		dsl.Define("breathe", "None", "Give the lock up once.", "", dsl.None{}, func(c *dsl.Call, _ dsl.None) (starlark.Value, error) {
			return nil, c.Wait(func(context.Context) error { return nil })
		}),
		dsl.Define("later", "None", "Defer.", "", fnArgs{}, func(c *dsl.Call, a fnArgs) (starlark.Value, error) {
			c.Host.Defer(dsl.Deferred{Fn: a.Fn, Pos: c.Pos()})
			return nil, nil
		}),
		dsl.Define("broken", "", "Panic.", "", dsl.None{}, func(*dsl.Call, dsl.None) (starlark.Value, error) {
			var m map[string]int
			m["x"]++
			return nil, nil
		}),
		dsl.Define("leave", "", "Exit.", "", dsl.None{}, func(*dsl.Call, dsl.None) (starlark.Value, error) {
			return nil, &dsl.Exit{Code: 4}
		}),
		dsl.Define("mod.twice", "int", "In a module.", "", struct {
			N int `star:"n" doc:"a number"`
		}{}, func(_ *dsl.Call, a struct {
			N int `star:"n" doc:"a number"`
		}) (starlark.Value, error) {
			return starlark.MakeInt(2 * a.N), nil
		}),
		dsl.Define("branches", "None", "Run functions at the same time.", "", fnsArgs{}, branches),
	}}
	predeclared := interp.Predeclare(vocabulary)
	var names []string
	for n := range predeclared {
		names = append(names, n)
	}
	files := fstest.MapFS{}
	for name, text := range modules {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	y.lib = interp.NewLibrary(map[string]fs.FS{"@lib": files}, names)
	y.Run = interp.New(y.lib, predeclared)
	y.Host.Print = func(s string) { y.printed = append(y.printed, s) }
	y.Report = func(err error) { y.reported = append(y.reported, err) }
	return y
}

func branches(c *dsl.Call, a fnsArgs) (starlark.Value, error) {
	errs := make([]error, a.Fns.Len())
	err := c.Wait(func(ctx context.Context) error {
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() {
				s := c.Branch(ctx, "branch")
				defer s.Done()
				errs[i] = s.Run(func(t *starlark.Thread) error {
					_, err := starlark.Call(t, a.Fns.Index(i), nil, nil)
					return err
				})
			})
		}
		wg.Wait()
		return nil
	})
	return nil, dsl.Elsewhere(errors.Join(append(errs, err)...))
}

// do runs a text.
func (y *toy) do(ctx context.Context, text string) error {
	src, err := y.lib.Parse("main.star", text)
	if err != nil {
		return err
	}
	return y.Do(ctx, src)
}

// TestKinds is the table of failures and exit codes.
func TestKinds(t *testing.T) {
	for kind, code := range map[string]int{"timeout": 1, "eof": 1, "exit": 1, "http": 1, "assert": 1, "fail": 1, "usage": 2,
		"script": 2, "env": 3} {
		err := newToy(t, nil).do(t.Context(), `oops("`+kind+`", "why")`)
		if got := fault.KindOf(err); string(got) != kind || got.ExitCode() != code {
			t.Errorf("%s: kind %q, exit code %d, want %d", kind, got, got.ExitCode(), code)
		}
	}
	for text, kind := range map[string]fault.Kind{
		"1 // 0":                          fault.Script,
		"x = [][1]":                       fault.Script,
		"pause(1)":                        fault.Usage,
		"pause(nosuch=1)":                 fault.Usage,
		"oops('fail')":                    fault.Usage,
		"x = nosuch":                      fault.Script,
		"x = (":                           fault.Script,
		"def f(): return f()\nf()":        fault.Script,
		"load('no.star', 'x')":            fault.Script,
		"load('@no//lib.star', 'x')":      fault.Script,
		"load('@lib//no.star', 'x')":      fault.Script,
		"broken()":                        fault.Script,
		"later(lambda: oops('env', 'x'))": fault.Env,
	} {
		if err := newToy(t, nil).do(t.Context(), text); fault.KindOf(err) != kind || err == nil {
			t.Errorf("%q: %v (%s), want %s", text, err, fault.KindOf(err), kind)
		}
	}
}

// TestDialect runs what the language has beyond plain Starlark.
func TestDialect(t *testing.T) {
	y := newToy(t, nil)
	err := y.do(t.Context(), `
n = 0
while n < 3:
    n += 1
for i in range(2):
    n += i
if n == 4:
    print(n, len(set([1, 1, 2])), mod.twice(4), json.encode({"a": struct(b = 1).b}), math.pow(2, 3))
exact = 1
print(exact)
`)
	if err != nil || !slices.Equal(y.printed, []string{`4 2 8 {"a":1} 8.0`, "1"}) {
		t.Errorf("%v, printed %q", err, y.printed)
	}
}

// TestOneLock runs branches that count in shared values: no update is lost, and no value needs freezing.
func TestOneLock(t *testing.T) {
	y := newToy(t, nil)
	err := y.do(t.Context(), `
state = {"n": 0, "list": []}
def count():
    for i in range(300):
        state["n"] += 1
        state["list"].append(i)
        breathe()
branches([count for i in range(8)])
print(state["n"], len(state["list"]))
`)
	if err != nil || !slices.Equal(y.printed, []string{"2400 2400"}) {
		t.Errorf("%v, printed %q", err, y.printed)
	}
}

// TestWaitsGiveTheLockUp lets one branch wait while another goes on.
func TestWaitsGiveTheLockUp(t *testing.T) {
	y := newToy(t, nil)
	go func() {
		<-y.waiting
		// The first branch waits; the lock is free.
		y.Host.Lock.Lock()
		close(y.wake)
		y.Host.Lock.Unlock()
	}()
	if err := y.do(t.Context(), "branches([pause, lambda: print('other')])"); err != nil || !slices.Equal(y.printed, []string{"other"}) {
		t.Errorf("%v, printed %q", err, y.printed)
	}
}

// TestInterrupt ends a wait and a loop that calls nothing; what was deferred is done with globals that still change.
func TestInterrupt(t *testing.T) {
	for _, body := range []string{"pause()", "pause()\nwhile True: pass", "branches([pause, pause])", "later(lambda: print('more'))\npause()"} {
		y := newToy(t, nil)
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			<-y.waiting
			cancel(fault.New(fault.Interrupt, "interrupted by a test"))
		}()
		err := y.do(ctx, `
log = []
def clean():
    log.append("cleaned")
    breathe()
    print(log)
later(clean)
def body():
`+"    "+strings.ReplaceAll(body, "\n", "\n    ")+`
body()
print("not reached")
`)
		if fault.KindOf(err) != fault.Interrupt || err.Error() != "interrupted by a test" {
			t.Errorf("%q: %v (%s)", body, err, fault.KindOf(err))
		}
		if len(y.printed) == 0 || y.printed[len(y.printed)-1] != `["cleaned"]` || slices.Contains(y.printed, "not reached") {
			t.Errorf("%q: printed %q", body, y.printed)
		}
		if chain := interp.Chain(err); len(chain) < 2 || chain[len(chain)-1].Name != "<toplevel>" {
			t.Errorf("%q: chain %v", body, chain)
		}
	}
}

// TestDefers keeps the order, goes on after a failure, and makes calls that deferred calls defer.
func TestDefers(t *testing.T) {
	y := newToy(t, nil)
	y.Closers = append(y.Closers, func(context.Context) { y.printed = append(y.printed, "closed") })
	err := y.do(t.Context(), `
state = {}
def first():
    state["x"] = 1
    print("first", state)
later(first)
later(lambda: oops("env", "second"))
later(lambda: oops("fail", "third"))
later(lambda: broken())
later(lambda: leave())
later(lambda: later(lambda: print("nested")))
print("body")
`)
	if !slices.Equal(y.printed, []string{"body", `first {"x": 1}`, "nested", "closed"}) {
		t.Errorf("printed %q", y.printed)
	}
	if fault.KindOf(err) != fault.Script || len(y.reported) != 2 || fault.KindOf(y.reported[0]) != fault.Fail ||
		fault.KindOf(y.reported[1]) != fault.Env {
		t.Errorf("got %v, reported %v", err, y.reported)
	}
	var d *interp.Deferred
	if !errors.As(err, &d) || d.Call.Pos.Line != 9 {
		t.Errorf("got %#v, want the deferred call of line 9", err)
	}
}

// TestDefersAfterFailure makes the deferred calls after a failure, which stays the run's error.
func TestDefersAfterFailure(t *testing.T) {
	y := newToy(t, nil)
	err := y.do(t.Context(), `
log = []
def clean():
    log.append(1)
    print(log)
later(clean)
later(lambda: oops("env", "late"))
oops("timeout", "early")
`)
	if fault.KindOf(err) != fault.Timeout || !slices.Equal(y.printed, []string{"[1]"}) || len(y.reported) != 1 {
		t.Errorf("%v, printed %q, reported %v", err, y.printed, y.reported)
	}
}

// TestExit ends a run without a failure, with its deferred calls.
func TestExit(t *testing.T) {
	y := newToy(t, nil)
	err := y.do(t.Context(), "later(lambda: print('deferred'))\nleave()\nprint('not reached')")
	var exit *dsl.Exit
	if !errors.As(err, &exit) || exit.Code != 4 || !slices.Equal(y.printed, []string{"deferred"}) {
		t.Errorf("%v, printed %q", err, y.printed)
	}
}

// TestExitWithFailingDefer does not hide what failed after an exit that says all is well.
func TestExitWithFailingDefer(t *testing.T) {
	y := newToy(t, nil)
	y.Closers = append(y.Closers, func(context.Context) {})
	if err := y.do(t.Context(), "later(lambda: oops('env', 'late'))\nleave()"); fault.KindOf(err) != fault.Script || len(y.reported) != 1 {
		t.Errorf("exit(4): %v, reported %v", err, y.reported)
	}
}

// TestPanics keeps panics of builtins from the user, wherever they happen.
func TestPanics(t *testing.T) {
	for _, text := range []string{"broken()", "def f(): broken()\nf()", "later(broken)"} {
		err := newToy(t, nil).do(t.Context(), text)
		if err == nil || !strings.Contains(err.Error(), "please report") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestUndefined names all undefined names of a text, with the nearest one, before anything runs.
func TestUndefined(t *testing.T) {
	y := newToy(t, nil)
	err := y.do(t.Context(), "print('ran')\ndef never():\n    puase()\nx = brekfast\nlog = 1\nlgo")
	var several interp.Several
	if !errors.As(err, &several) || len(several) != 3 || len(y.printed) > 0 {
		t.Fatalf("got %v, printed %q", err, y.printed)
	}
	for _, want := range []string{`main.star:3:5: undefined name "puase" (did you mean pause?)`, `main.star:4:5: undefined name "brekfast"`,
		`main.star:6:1: undefined name "lgo" (did you mean log?)`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got\n%v\nwant %s", err, want)
		}
	}
}

// TestRecursion is refused, quickly and in words.
func TestRecursion(t *testing.T) {
	err := newToy(t, nil).do(t.Context(), "def f(n):\n    return f(n + 1)\nf(0)")
	if err == nil || !strings.Contains(err.Error(), "recursive") {
		t.Errorf("got %v", err)
	}
	err = newToy(t, nil).do(t.Context(), "def f():\n    g()\ndef g():\n    f()\nf()")
	if err == nil || !strings.Contains(err.Error(), "recursive") {
		t.Errorf("got %v", err)
	}
}
