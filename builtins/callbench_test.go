package builtins_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"go.starlark.net/starlark"

	"omniexpect/internal/report"
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

// benchLoop runs a statement b.N times in a function, after others.
func benchLoop(b *testing.B, before, loop string) {
	begin := starlark.NewBuiltin("begin", func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
		b.ResetTimer()
		return starlark.None, nil
	})
	end := starlark.NewBuiltin("end", func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
		b.StopTimer()
		return starlark.None, nil
	})
	s := newScript(starlark.StringDict{"begin": begin, "end": end, "N": starlark.MakeInt(b.N),
		"PROGRAM": starlark.String(os.Args[0]), "PONG": starlark.String(pongEnv)})
	report.New(io.Discard, io.Discard).Listen(s.Events)
	text := before + "def loop():\n    for i in range(N):\n        " + loop + "\nbegin()\nloop()\nend()\n"
	if err := s.do(b.Context(), text); err != nil {
		b.Fatal(err)
	}
}
