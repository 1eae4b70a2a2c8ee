package builtins_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"go.starlark.net/starlark"

	"omniexpect/internal/report"
	"omniexpect/internal/testneed"
)

// pongEnv makes the test binary a program that answers lines.
const pongEnv = "OMNIEXPECT_TEST_PONG"

// pong answers each line with the same line after "re:".
func pong(in io.Reader, out io.Writer) {
	fmt.Fprintln(out, "READY")
	for lines := bufio.NewScanner(in); lines.Scan(); {
		fmt.Fprintf(out, "re:%s\n", lines.Text())
	}
}

// BenchmarkCall measures what single calls of a script cost: a trip to a program and back, and calls that need none.
func BenchmarkCall(b *testing.B) {
	const program = "s = spawn([PROGRAM], env={PONG: \"1\"}, echo=False)\ns.expect(\"READY\\n\")\n"
	const hanging = "s = spawn([\"sh\", \"-c\", \"echo READY; exec sleep 1000\"])\ns.peek(\"READY\\n\")\n"
	for _, bench := range []struct{ name, before, loop string }{
		{"loop", "", "pass"},
		{"now", "", "now()"},
		{"str", "", "str(i)"},
		{"keyword", "", `exact("a", ignore_case=True)`},
		{"attribute", hanging, `s.send`},
		{"send nothing", hanging, `s.send("")`},
		{"peek", hanging, `s.peek("READY\n", timeout=0)`},
		{"peek waiting", hanging, `s.peek("READY\n", timeout=10)`},
		{"group", hanging + "m = s.peek(r\"R(E)ADY\\n\")\n", `m[1]`},
		{"trip", program, `s.send("%d\n" % i); s.expect(r"re:(\d+)\n", timeout=10)[1]`},
	} {
		b.Run(strings.ReplaceAll(bench.name, " ", "-"), func(b *testing.B) {
			b.ReportAllocs()
			benchLoop(b, bench.before, bench.loop)
		})
	}
}

// TestAllocations keeps the memory that single calls take, where nobody listens to what happens, at what it is.
func TestAllocations(t *testing.T) {
	if testneed.Watched {
		t.Skip("the race detector allocates too: CI measures without it")
	}
	const rounds = 500
	const program = "s = spawn([PROGRAM], env={PONG: \"1\"}, echo=False)\ns.expect(\"READY\\n\")\n"
	for _, c := range []struct {
		name, before, loop string
		most               float64
	}{
		{"a line sent and its answer expected", program, `s.send("%d\n" % i); s.expect(r"re:(\d+)\n", timeout=10)[1]`, 45.5},
		{"nothing sent", program, `s.send("")`, 5},
		{"a peek", program + "s.send(\"x\\n\"); s.peek(\"re:x\\n\")\n", `s.peek("re:x\n", timeout=0)`, 29.5},
		{"a read", program + "s.send(\"x\" * 3000 + \"\\n\"); s.peek(\"x\\n\")\n", `s.read(1)`, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			var from, to runtime.MemStats
			err := runLoop(t.Context(), rounds, c.before, c.loop, func() { runtime.ReadMemStats(&from) }, func() { runtime.ReadMemStats(&to) })
			if err != nil {
				t.Fatal(err)
			}
			if n := float64(to.Mallocs-from.Mallocs) / rounds; n > c.most {
				t.Errorf("takes %.1f allocations, want up to %.1f", n, c.most)
			} else {
				t.Logf("%.1f allocations", n)
			}
		})
	}
}

// benchLoop runs a statement b.N times in a function, after others.
func benchLoop(b *testing.B, before, loop string) {
	if err := runLoop(b.Context(), b.N, before, loop, b.ResetTimer, b.StopTimer); err != nil {
		b.Fatal(err)
	}
}

// runLoop runs a statement n times in a function, after others, and calls begin and end around it.
func runLoop(ctx context.Context, n int, before, loop string, begin, end func()) error {
	builtin := func(f func()) starlark.Value {
		return starlark.NewBuiltin("f", func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			f()
			return starlark.None, nil
		})
	}
	s := newScript(starlark.StringDict{"begin": builtin(begin), "end": builtin(end), "N": starlark.MakeInt(n),
		"PROGRAM": starlark.String(os.Args[0]), "PONG": starlark.String(pongEnv)})
	report.New(io.Discard, io.Discard).Listen(s.Events)
	return s.do(ctx, before+"def loop():\n    for i in range(N):\n        "+loop+"\nbegin()\nloop()\nend()\n")
}
