package assist_test

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"omniexpect/builtins"
	"omniexpect/internal/assist"
	"omniexpect/internal/interp"
	"omniexpect/internal/mask"
	"omniexpect/lib"
	"omniexpect/scripts"
)

const tools = `"""Tools for tests."""

# A greeting.
limit = 5

def greet(who, loud = False):
    """Greets somebody.

    More about it.
    """
    return struct(text = "hello " + who, code = 0)

def start():
    return spawn("cat")

_hidden = 1
`

func guide(t testing.TB) *assist.Guide {
	t.Helper()
	v := (&builtins.State{Marker: "none", Mask: mask.New()}).Vocabulary()
	values := interp.Predeclare(v)
	return assist.New(v, values, func() *interp.Library {
		l := interp.NewLibrary(map[string]fs.FS{"@lib": lib.Files, "@scripts": scripts.Files}, values.Keys())
		l.ReadFile = func(name string) ([]byte, error) {
			text, ok := map[string]string{"/dir/tools.star": tools,
				"/dir/one.star": "load(\"two.star\", \"x\")\n", "/dir/two.star": "load(\"one.star\", \"x\")\n"}[name]
			if !ok {
				return nil, os.ErrNotExist
			}
			return []byte(text), nil
		}
		return l
	})
}

// at takes the place out of a text, which is marked with ‸.
func at(t testing.TB, text string) (string, int) {
	t.Helper()
	i := strings.Index(text, "‸")
	if i < 0 {
		t.Fatalf("no place in %q", text)
	}
	return strings.Replace(text, "‸", "", 1), i
}

func labels(c assist.Completion) []string {
	var out []string
	for _, it := range c.Items {
		out = append(out, it.Label)
	}
	return out
}

func files(prefix string) []assist.Item { return []assist.Item{{Label: "files of " + prefix}} }

func TestComplete(t *testing.T) {
	g := guide(t)
	for _, c := range []struct {
		text string
		with string // labels that have to be there
		no   string // labels that must not
	}{
		// names
		{"sp‸", "spawn env run len json assert EOF for", "sendcontrol"},
		{"‸", "spawn", "timeout="},
		{"x = 1\ny = ‸", "x spawn", ""},
		{"x = 1\ndef f(a, *b, **c):\n    d = 2\n    ‸\n    for e in a:\n        pass\ng = 1", "x a b c d e g f", ""},
		{"def f(a):\n    pass\n‸", "f", "a"},
		{"def f(a):\n    x = 1\n    if a:\n        y = 2\n    elif ‸\n", "a x y", ""},
		{"def f(a):\n    x = 1\n    if a:\n        y = 2\n    else:\n        ‸\n", "a x y", ""},
		{"def f(a):\n    if a:\n        ‸", "a", ""},
		{"load(\"tools.star\", hi = \"greet\")\n‸", "hi", "greet"},
		{"y = foo(1, ‸", "y", ""},
		{"y = foo(1, s.x, [‸\nz = 1", "y z", ""},
		{"for item in foo(‸\n    pass", "item", ""},
		{"load(\"one.star\", \"x\")\nx.‸", "expect", ""}, // modules that load each other
		{"def ‸", "", "spawn"},
		{"# sp‸", "", "spawn"},
		{"x = \"sp‸\"", "", "spawn"},
		{"x = 12‸", "", "spawn"},
		// attributes
		{"s = spawn(\"cat\")\ns.‸", "expect send close pid", "status_code"},
		{"s = spawn(\"cat\")\ns.ex‸", "expect", ""},
		{"spawn(\"cat\").‸", "expect", "split"},
		{"s = spawn(\"cat\")\nm = s.expect(\"x\")\nprint(m.‸", "text before groups", "expect"},
		{"s = spawn(\"cat\")\nm = s.expect(\"x\")\nprint(m.‸)\nx = 1", "text before", "expect"},
		{"s = spawn(\"cat\")\nif s.‸\nx = 1", "expect", ""},
		{"s = spawn(\"cat\")\nfor x in s.‸\n    print(x)\n", "expect", ""},
		{"def f():\n    s = spawn(\"cat\")\n    if s.‸:\n        pass\n", "expect", ""},
		{"r = http_get(\"http://x\")\nr.‸", "status text json", "expect"},
		{"json.‸", "encode decode", "expect"},
		{"assert.‸", "eq true", "expect"},
		{"st = struct(a = 1, bb = \"x\")\nst.‸", "a bb", "expect"},
		{"st = struct(a = 1, bb = \"x\")\nst.bb.‸", "split strip", "expect"},
		{"\"abc\".‸", "split strip", "expect"},
		{"x = [1]\nx.‸", "append", "expect"},
		{"load(\"tools.star\", \"start\", \"greet\")\nstart().‸", "expect", "split"},
		{"load(\"tools.star\", \"start\", \"greet\")\ngreet(1).‸", "text code", "expect"},
		{"load(\"@lib//omnigent.star\", \"omnigent\")\nomnigent.‸", "start", "expect"},
		{"def f(s):\n    s.‸", "expect status text", ""},
		{"x = 1\nx.‸", "", "expect"},
		{"foo(\n    spawn(\"cat\").‸\n)", "expect", ""},
		// keyword arguments
		{"expect(‸", "timeout= pattern= spawn", "argv="},
		{"expect(\"x\", ‸", "timeout= spawn", ""},
		{"expect(\"x\", ti‸", "timeout=", ""},
		{"expect(\"x\", timeout = ‸", "spawn", "timeout="},
		{"expect(\"x\", timeout = 3, ‸", "spawn", "timeout="},
		{"expect(\"x\", ‸, timeout = 3)", "spawn", "timeout="},
		{"s = spawn(\"cat\")\ns.expect(\"x\", ‸)\n", "timeout=", "argv="},
		{"print(len(‸", "spawn", "timeout="},
		{"def f(aa, bb = 1):\n    pass\nf(‸", "aa= bb=", ""},
		{"expect(spawn(‸", "argv= env=", "timeout2="},
		{"expect([‸", "spawn", "timeout="},
		// load
		{"load(\"‸", "files of ", "spawn"},
		{"load(\"to‸", "files of to", "spawn"},
		{"load(\"to‸\", \"x\")", "files of to", "spawn"},
		{"load(\"tools.star\", \"‸", "greet start limit", "_hidden"},
		{"load(\"tools.star\", \"gr‸\")\nx = 1", "greet", "spawn"},
		{"load(\"tools.star\", \"greet\", \"‸\")\nx = 1", "start", "greet"},
		{"load(\"tools.star\", ‸)", "greet", "spawn"},
		{"load(‸", "files of ", "spawn"},
		// broken elsewhere as well
		{"x = = 1\ndef g(:\n    return 5\ns = spawn(\"cat\")\nif foo(\ns.‸\nfor in y:\n  z = 1\n", "expect", ""},
		{"s = spawn(\"cat\")\nwhile True\n    s.‸\nq = 2", "expect", ""},
		{"s = spawn(\"cat\")\n\"\"\"open\ns.‸", "", "expect"},
		{"s = spawn(\"cat\")\n  x = 1\n    s.‸\n y = 2", "expect", ""},
		{"try:\n    s = spawn(\"cat\")\n    s.‸\nexcept:\n    pass\n", "expect", ""},
		{"s = spawn(\"käse\") # ünï\ns.‸ # ö", "expect", ""},
		{"s = spawn(\"cat\")\r\ns.‸\r\nx = 1\r\n", "expect", ""},
	} {
		text, i := at(t, c.text)
		got := labels(g.Complete("/dir/a.star", text, i, files))
		for _, w := range words(c.with) {
			if !slices.Contains(got, w) {
				t.Errorf("%q: no %q in %d items %.200q", c.text, w, len(got), got)
			}
		}
		for _, w := range words(c.no) {
			if slices.Contains(got, w) {
				t.Errorf("%q: %q is there", c.text, w)
			}
		}
	}
}

// words splits a list; "files of" and what follows is one word.
func words(s string) []string {
	if strings.HasPrefix(s, "files of") {
		return []string{s}
	}
	return strings.Fields(s)
}

func TestCompletionIsDescribed(t *testing.T) {
	g := guide(t)
	for _, text := range []string{"‸", "s = spawn(\"cat\")\ns.‸", "assert.‸", "math.‸", "\"\".‸", "expect(‸"} {
		text, i := at(t, text)
		for _, it := range g.Complete("a.star", text, i, files).Items {
			plain := it.Kind == assist.Keyword || it.Kind == assist.Constant || it.Kind == assist.Variable
			if !plain && (it.Detail == "" || it.Doc == "" && it.Kind != assist.Attribute) {
				t.Errorf("%q: %s: detail %q, doc %q", text, it.Label, it.Detail, it.Doc)
			}
		}
	}
	text, i := at(t, "x = ex‸pect")
	c := g.Complete("a.star", text, i, files)
	if c.From != 4 || c.To != 6 {
		t.Errorf("replaces %d to %d", c.From, c.To)
	}
	for text, want := range map[string]string{"expect(‸)": "timeout = ", "expect(ti‸ = 3)": "timeout", "expect(timeout‸=3)": "timeout", "expect(ti‸ == 3)": "timeout = "} {
		text, i := at(t, text)
		got := ""
		for _, it := range g.Complete("a.star", text, i, files).Items {
			if it.Label == "timeout=" {
				got = it.Insert
			}
		}
		if got != want {
			t.Errorf("%q: inserts %q, want %q", text, got, want)
		}
	}
}

func TestHover(t *testing.T) {
	g := guide(t)
	for _, c := range []struct{ text, want string }{
		{"sp‸awn(\"cat\")", "spawn(argv"},
		{"spawn‸(\"cat\")", "Run a program on its own terminal"},
		{"s = spawn(\"cat\")\ns.exp‸ect(\"x\")", "session.expect(pattern"},
		{"s = spawn(\"cat\")\nprint(‸s)", "s: Session"},
		{"s = spawn(\"cat\")\nprint(s.pi‸d)", "pid: int"},
		{"as‸sert.eq(1, 1)", "module assert"},
		{"assert.e‸q(1, 1)", "assert.eq(got"},
		{"js‸on.decode(x)", "Starlark's own module"},
		{"json.dec‸ode(x)", "json.decode(x, default=None)"},
		{"le‸n(x)", "The number of elements"},
		{"\"x\".spl‸it()", "split(sep=None"},
		{"expect(EO‸F)", "Pattern: the program has ended"},
		{"expect(\"x\", time‸out = 3)", "timeout: duration"},
		{"load(\"tools.star\", \"greet\")\ngre‸et(1)", "Greets somebody.\n\nMore about it."},
		{"load(\"tools.star\", \"greet\")\ngre‸et(1)", "From `tools.star`"},
		{"load(\"tools.star\", \"gre‸et\")\n", "greet(who, loud=False)"},
		{"load(\"tool‸s.star\", \"greet\")\n", "Tools for tests."},
		{"load(\"@lib//omni‸gent.star\", \"omnigent\")\n", "Helpers for flows"},
		{"load(\"@lib//omnigent.star\", \"omnigent\")\nomnigent.st‸art()", "Chooses what to run"},
		{"port = param(\"port\", 8080, \"the port\", choices = [8080, 2])\nprint(po‸rt)", "port: int = 8080"},
		{"port = param(\"port\", 8080, \"the port\", choices = [8080, 2])\nprint(po‸rt)", "`--port` on the command line"},
		{"def f‸(a, *, b = [1]):\n    \"\"\"Does it.\"\"\"\n", "f(a, *, b=[1])"},
		{"def f(a):\n    return ‸a\n", "\na\n"},
		{"def f(s):\n    s.sendl‸ine(\"x\")\n", "session.sendline("},
		{"x = [y‸ for y in [1]]", "\ny\n"},
		{"f(g‸, 1", ""},
		{"‸", ""},
		{"x ‸ = 1", ""},
		{"s = spawn(\"cat\")\nx = foo(\ns.exp‸ect(\"y\"", "session.expect(pattern"},
	} {
		text, i := at(t, c.text)
		h, ok := g.Hover("/dir/a.star", text, i)
		if !strings.Contains(h.Markdown, c.want) || ok != (c.want != "") {
			t.Errorf("%q: %v %q, want %q", c.text, ok, h.Markdown, c.want)
		}
	}
}

func TestSign(t *testing.T) {
	g := guide(t)
	for _, c := range []struct{ text, want string }{ // name of the callable and of the parameter
		{"expect(‸", "expect pattern"},
		{"expect(\"x\", ‸)", "expect timeout"},
		{"expect(\"x\", timeout = ‸)", "expect timeout"},
		{"expect(timeout = 3, pattern = ‸)", "expect pattern"},
		{"expect([1, 2, ‸", "expect pattern"},
		{"expect(\"x\", 3, ‸", "expect "}, // the others are given by name only
		{"expect(spawn(\"x\"), ‸", "expect timeout"},
		{"print(expect(\"x‸", "expect pattern"},
		{"print(expect(\"x\"), ‸", "print args"},
		{"s = spawn(\"cat\")\ns.send(‸", "send text"},
		{"def f(a, b = 1, *c, d, **e):\n    pass\nf(1, ‸", "f b"},
		{"def f(a, b = 1, *c, d, **e):\n    pass\nf(1, 2, 3, 4‸", "f c"},
		{"def f(a, b = 1, *c, d, **e):\n    pass\nf(1, d = ‸", "f d"},
		{"def f(a, b = 1, *c, d, **e):\n    pass\nf(1, q = ‸", "f e"},
		{"load(\"tools.star\", \"greet\")\ngreet(\"x\", ‸\nx = 1", "greet loud"},
		{"load(\"@lib//omnigent.star\", \"omnigent\")\nomnigent.start(server = ‸", "start server"},
		{"\"x\".split(‸", "string.split sep"},
		{"range(1, ‸", "range stop"},
		{"sorted(x, key = lambda a, b: ‸", "sorted key"},
		{"spawn(\n    [\"a\", \"b\"],\n    cwd = ‸\n)\n", "spawn cwd"},
		{"unknown(‸", ""},
		{"def f(‸", ""},
		{"x = (‸", ""},
		{"expect(\"x\") ‸", ""},
	} {
		text, i := at(t, c.text)
		call, ok := g.Sign("/dir/a.star", text, i)
		got := ""
		if ok {
			got = call.Callables[0].Name + " "
			if call.Active >= 0 {
				p := call.Callables[0].Params[call.Active]
				got += p.Name
				if in := call.Callables[0].Signature[p.From:p.To]; !strings.HasPrefix(strings.TrimLeft(in, "*"), p.Name) {
					t.Errorf("%q: parameter %q stands at %q", c.text, p.Name, in)
				}
			}
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestDefine(t *testing.T) {
	g := guide(t)
	for _, c := range []struct{ text, want string }{
		{"x = 1\nprint(‸x)", "/dir/a.star:1:1"},
		{"def f(a):\n    b = a\n    return b‸\n", "/dir/a.star:2:5"},
		{"def f(a):\n    b = ‸a\n", "/dir/a.star:1:7"},
		{"def f(aa):\n    pass\nf(aa‸ = 1)", "/dir/a.star:1:7"},
		{"def f(aa):\n    pass\n‸f(aa = 1)", "/dir/a.star:1:5"},
		{"x = [y for y in [1] if ‸y]", "/dir/a.star:1:12"},
		{"load(\"tools.star\", \"greet\")\n‸greet(1)", "/dir/tools.star:6:5"},
		{"load(\"tools.star\", \"gr‸eet\")\n", "/dir/tools.star:6:5"},
		{"load(\"too‸ls.star\", \"greet\")\n", "/dir/tools.star:1:1"},
		{"load(\"@lib//omnigent.star\", \"omnigent\")\n‸omnigent", "@lib//omnigent.star"},
		{"load(\"@lib//omnigent.star\", \"omnigent\")\nomnigent.‸start()", "@lib//omnigent.star"},
		{"‸spawn(\"x\")", ""},
		{"a = 1\nx = foo(\na‸, ", "/dir/a.star:1:1"},
		{"x = = 2\nüü = 1\nprint(‸üü", "/dir/a.star:2:1"},
	} {
		text, i := at(t, c.text)
		got := ""
		if d, ok := g.Define("/dir/a.star", text, i); ok {
			got = d.File + ":" + strings.Join(strings.Fields(strings.Trim(fmt.Sprint(d.Line, d.Col), "[]")), ":")
		}
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
