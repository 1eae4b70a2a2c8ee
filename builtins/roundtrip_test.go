package builtins_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"omniexpect/builtins"
	"omniexpect/internal/clock"
	"omniexpect/internal/dsl"
	"omniexpect/internal/interp"
	"omniexpect/internal/mask"
	"omniexpect/internal/testneed"
)

// coder calls builtins without a script.
type coder struct {
	words  starlark.StringDict
	strand *dsl.Strand
}

func newCoder(t testing.TB) *coder {
	st := &builtins.State{Marker: "none", Mask: mask.New()}
	host := &dsl.Host{Clock: clock.System{}}
	s := host.NewStrand(context.Background(), "main")
	t.Cleanup(s.Done)
	return &coder{interp.Predeclare(st.Vocabulary()), s}
}

// call calls a builtin such as "yaml.encode" with named arguments behind the value: name, value, name, value.
func (c *coder) call(name string, v starlark.Value, named ...starlark.Value) (starlark.Value, error) {
	module, member, _ := strings.Cut(name, ".")
	fn, err := c.words[module].(starlark.HasAttrs).Attr(member)
	if err != nil {
		return nil, err
	}
	var kwargs []starlark.Tuple
	for i := 0; i < len(named); i += 2 {
		kwargs = append(kwargs, starlark.Tuple{named[i], named[i+1]})
	}
	var out starlark.Value
	err = c.strand.Run(func(t *starlark.Thread) error {
		out, err = starlark.Call(t, fn, starlark.Tuple{v}, kwargs)
		return err
	})
	return out, err
}

// back encodes and decodes a value, and fails unless it is the same one again.
func (c *coder) back(t *testing.T, module string, v starlark.Value, named ...starlark.Value) {
	t.Helper()
	text, err := c.call(module+".encode", v)
	if err != nil {
		if utf8.ValidString(v.String()) && !strings.Contains(v.String(), `\x`) {
			t.Fatalf("%s.encode(%s): %v", module, v, err)
		}
		return
	}
	got, err := c.call(module+".decode", text, named...)
	if err != nil {
		t.Fatalf("%s.decode(%s): %v, of %s", module, text, err, v)
	}
	if !alike(got, v) {
		t.Fatalf("%s.encode(%s) is %s, which is %s", module, v, text, got)
	}
}

// alike reports whether two values are equal and of the same types: 1 is not 1.0, and NaN is NaN.
func alike(a, b starlark.Value) bool {
	if ka, ok := a.(*starlark.List); ok {
		kb, ok := b.(*starlark.List)
		if !ok || ka.Len() != kb.Len() {
			return false
		}
		for i := range ka.Len() {
			if !alike(ka.Index(i), kb.Index(i)) {
				return false
			}
		}
		return true
	}
	if ka, ok := a.(*starlark.Dict); ok {
		kb, ok := b.(*starlark.Dict)
		if !ok || ka.Len() != kb.Len() {
			return false
		}
		for k, v := range ka.Entries() {
			w, has, _ := kb.Get(k)
			if !has || !alike(v, w) {
				return false
			}
		}
		return true
	}
	if fa, ok := a.(starlark.Float); ok {
		fb, ok := b.(starlark.Float)
		return ok && (math.Float64bits(float64(fa)) == math.Float64bits(float64(fb)) || fa != fa && fb != fb)
	}
	return a.Type() == b.Type() && a.String() == b.String()
}

// pieces are what texts are made of that readers take for something else.
var pieces = []string{"a", "\r\n", "\r", "\n", "\t", " ", ":", ": ", " #", "#", "-", "- ", "---", "...", "?", "? ", "<<", "=", "|", ">", "*", "&", "!", "%", "@", "`",
	"'", "\"", "\\", "{", "}", "[", "]", ",", "~", "null", "True", "no", "Off", "y", ".nan", "-.INF", "0", "1", "9", "0x", "0o7", "017", "1e", "1:30", ".", "+", "_", "2001-12-14",
	"T", "Z", "\u0085", "\u2028", "\u2029", "\ufeff", "\u00a0", "\x7f", "\x00", "\x1b[2J", "é", "\U0001f600", "e\u0301", "\u200b", "\ufffd", "\ufffe", "/", ";", "<", "(", "$", "日本"}

// build makes a value of bytes: each says what comes next.
type build struct{ from []byte }

func (b *build) next() int {
	if len(b.from) == 0 {
		return 0
	}
	c := b.from[0]
	b.from = b.from[1:]
	return int(c)
}

func (b *build) text() starlark.String {
	var s strings.Builder
	for range b.next() % 6 {
		s.WriteString(pieces[b.next()%len(pieces)])
	}
	return starlark.String(s.String())
}

func (b *build) value(depth int, nan bool) starlark.Value {
	kind := b.next() % 9
	if depth == 0 {
		kind %= 6
	}
	switch kind {
	case 0:
		return starlark.None
	case 1:
		return starlark.Bool(b.next()%2 == 0)
	case 2:
		n := starlark.MakeInt(b.next() - 128)
		for range b.next() % 5 {
			n = n.Mul(starlark.MakeInt(1_000_003))
		}
		return n
	case 3:
		f := float64(b.next()-128) * math.Pow(10, float64(b.next()*2-256))
		if !nan && (math.IsNaN(f) || math.IsInf(f, 0)) {
			f = 0.1
		}
		return starlark.Float(f)
	case 6:
		d := starlark.NewDict(0)
		for range b.next() % 5 {
			d.SetKey(b.text(), b.value(depth-1, nan))
		}
		return d
	case 7, 8:
		list := make([]starlark.Value, b.next()%5)
		for i := range list {
			list[i] = b.value(depth-1, nan)
		}
		return starlark.NewList(list)
	}
	return b.text()
}

// FuzzValues encodes values and decodes them again.
func FuzzValues(f *testing.F) {
	for i := range pieces {
		f.Add([]byte{6, 2, 1, byte(i), 4, 1, byte(i), 2, byte(i), 0, 7, 3, 2, 40, 3, 3, 130, 150, 4, 2, byte(i), byte(i)})
		f.Add([]byte{4, 1, byte(i)})
	}
	c := newCoder(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		v := (&build{data}).value(4, true)
		c.back(t, "yaml", v)
		v = (&build{data}).value(4, false)
		c.back(t, "json", v)
		c.back(t, "jsonl", starlark.NewList([]starlark.Value{v, v}))
	})
}

// FuzzTexts passes one text through every encoder, and compares with Go's own packages where they have one.
func FuzzTexts(f *testing.F) {
	for i, p := range pieces {
		f.Add(p, pieces[(i*7+3)%len(pieces)]+p)
	}
	f.Add("\xff", "\xed\xa0\x80")
	c := newCoder(f)
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := starlark.String(a), starlark.String(b)
		d := starlark.NewDict(2)
		d.SetKey(x, starlark.NewList([]starlark.Value{y, x}))
		for _, module := range []string{"yaml", "json"} {
			for _, v := range []starlark.Value{x, y, d, starlark.NewList([]starlark.Value{d, starlark.NewList([]starlark.Value{y, d})})} {
				c.back(t, module, v)
			}
		}
		rows := starlark.NewList([]starlark.Value{starlark.NewList([]starlark.Value{x, y}), starlark.NewList([]starlark.Value{y, x})})
		c.back(t, "csv", rows)
		c.back(t, "csv", starlark.NewList([]starlark.Value{starlark.NewList([]starlark.Value{x}), starlark.NewList([]starlark.Value{y})}))
		if a != b {
			named := starlark.NewDict(2)
			named.SetKey(x, y)
			named.SetKey(y, x)
			c.back(t, "csv", starlark.NewList([]starlark.Value{named, named}), starlark.String("header"), starlark.True)
		}
		for _, query := range []starlark.Bool{false, true} {
			quoted, err := c.call("url.quote", x, starlark.String("query"), query)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := c.call("url.unquote", quoted, starlark.String("query"), query); err != nil || again != x {
				t.Fatalf("url.quote(%q, query=%v) is %s: %v, %v", a, query, quoted, again, err)
			}
			if strings.Trim(string(quoted.(starlark.String)), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%-._~$&+=:@") != "" {
				t.Fatalf("url.quote(%q) is %s", a, quoted)
			}
			coded, err := c.call("base64.encode", starlark.Bytes(a), starlark.String("url"), query)
			if err != nil {
				t.Fatal(err)
			}
			again, err := c.call("base64.decode", coded)
			if got, ok := again.(starlark.Bytes); err != nil || ok && string(got) != a || !ok && again != x {
				t.Fatalf("base64 of %q is %s: %v, %v", a, coded, again, err)
			}
			enc := base64.StdEncoding
			if query {
				enc = base64.URLEncoding
			}
			if want := enc.EncodeToString([]byte(a)); string(coded.(starlark.String)) != want {
				t.Fatalf("base64 of %q is %s, want %s", a, coded, want)
			}
		}
	})
}

// corpus is texts that readers of YAML take for something else, alone and together.
func corpus() (texts []string) {
	texts = append(texts, "", "1e16", "0777", "190:20:30", "1_000", "2001-12-14t21:59:43.10-05:00", "12:30", "Yes", "NO", "oN", "NULL", "0b11", "+1", "-1", "1.", ".5", "1.5e3", "=", "!!int 3", "&a", "*a", "a: b: c", "two\nlines",
		"a\r\nb", "x\r", "\n", "\r\n", "\n\n", "a\n\n", "\na", " a\nb", "a\n \nb", "a\n\tb\n", "a\n  b\n", "- a\n- b", "# no\ncomment", "a #b\nc: d\n---\n", strings.Repeat("k", 2000), strings.Repeat("é ", 700)+"\n"+"b")
	for i, p := range pieces {
		texts = append(texts, p, p+p, "a"+p, p+"a", "a"+p+"a")
		for j := range pieces {
			if (i+j)%3 == 0 {
				texts = append(texts, p+pieces[j])
			}
		}
	}
	return texts
}

// numbers are floats and integers as scripts have them.
func numbers() (out []starlark.Value) {
	for _, f := range []float64{0, math.Copysign(0, -1), 1, 1e6, 1e16, 1e-7, 123456789.5, -1e300, 5e-324, math.MaxFloat64, 0.1, math.Inf(1), math.Inf(-1), math.NaN()} {
		out = append(out, starlark.Float(f))
	}
	n := starlark.MakeInt(1)
	for range 40 {
		out = append(out, n, starlark.MakeInt(0).Sub(n))
		n = n.Mul(starlark.MakeInt(7919))
	}
	return out
}

// TestRoundTrip encodes and decodes texts and numbers in all places where a value can stand.
func TestRoundTrip(t *testing.T) {
	c := newCoder(t)
	values := numbers()
	for _, s := range corpus() {
		values = append(values, starlark.String(s))
	}
	for _, v := range values {
		for _, module := range []string{"yaml", "json"} {
			if f, ok := v.(starlark.Float); ok && module == "json" && (math.IsNaN(float64(f)) || math.IsInf(float64(f), 0)) {
				continue
			}
			list := starlark.NewList([]starlark.Value{v, starlark.NewList([]starlark.Value{v})})
			d := starlark.NewDict(2)
			key := v
			if module == "json" {
				key = starlark.String(v.String())
			}
			d.SetKey(starlark.String("k"), starlark.NewList([]starlark.Value{list, v}))
			if f, ok := v.(starlark.Float); !ok || f == f {
				d.SetKey(key, v)
			}
			for _, x := range []starlark.Value{v, list, d, starlark.NewList([]starlark.Value{d, d})} {
				c.back(t, module, x)
			}
		}
	}
}

// TestYAMLElsewhere lets other programs read what yaml.encode writes: one that knows YAML 1.1 and one that knows 1.2.
func TestYAMLElsewhere(t *testing.T) {
	const script = `
import json, sys, math
def load(text):
    %s
def same(a, b):
    if isinstance(b, dict) and set(b) == {"float"}:
        return type(a) is float and (a == float(b["float"]) or a != a and b["float"] == "nan")
    if isinstance(b, dict) and set(b) == {"int"}:
        return type(a) is int and a == int(b["int"])
    return type(a) is str and a == b
bad = 0
for line in sys.stdin:
    want, text = json.loads(line)
    try:
        got = load(text)
        ok = isinstance(got, list) and len(got) == 3 and same(got[0], want) and list(got[1]) == ["k", "l"] and same(got[1]["k"], want) and list(got[2].values()) == [None]
        if ok and isinstance(want, str):
            ok = list(got[2]) == [want]
    except Exception as e:
        got, ok = e, False
    if not ok:
        bad += 1
        print(repr(want)[:80], repr(text)[:200], repr(got)[:200])
print("bad", bad)
`
	c := newCoder(t)
	var input bytes.Buffer
	values := numbers()
	for _, s := range corpus() {
		values = append(values, starlark.String(s))
	}
	for _, v := range values {
		var want any
		switch v := v.(type) {
		case starlark.Float:
			want = map[string]string{"float": strings.ToLower(strconv.FormatFloat(float64(v), 'g', -1, 64))}
		case starlark.Int:
			want = map[string]string{"int": v.String()}
		case starlark.String:
			want = string(v)
		}
		inner, key := starlark.NewDict(2), starlark.NewDict(1)
		inner.SetKey(starlark.String("k"), v)
		inner.SetKey(starlark.String("l"), starlark.NewList([]starlark.Value{v}))
		if f, ok := v.(starlark.Float); !ok || f == f {
			key.SetKey(v, starlark.None)
		} else {
			key.SetKey(starlark.String("nan"), starlark.None)
		}
		text, err := c.call("yaml.encode", starlark.NewList([]starlark.Value{v, inner, key}))
		if err != nil {
			t.Fatal(err)
		}
		line, err := json.Marshal([]any{want, string(text.(starlark.String))})
		if err != nil {
			t.Fatal(err)
		}
		input.Write(append(line, '\n'))
	}
	for module, load := range map[string]string{
		"yaml":        "import yaml; return yaml.safe_load(text)",
		"ruamel.yaml": "import ruamel.yaml; return ruamel.yaml.YAML(typ='safe', pure=True).load(text)",
	} {
		t.Run(module, func(t *testing.T) {
			testneed.Programs(t, "python3")
			if exec.Command("python3", "-c", "import "+module).Run() != nil {
				t.Skipf("python3 with its module %s is not installed", module)
			}
			cmd := exec.CommandContext(t.Context(), "python3", "-c", fmt.Sprintf(script, load))
			cmd.Stdin = bytes.NewReader(input.Bytes())
			out, err := cmd.CombinedOutput()
			if err != nil || string(out) != "bad 0\n" {
				t.Errorf("%v: %.4000s", err, out)
			}
		})
	}
}

// TestDigestsElsewhere compares digests with those of openssl.
func TestDigestsElsewhere(t *testing.T) {
	testneed.Programs(t, "openssl")
	c := newCoder(t)
	for _, data := range []string{"", "abc", strings.Repeat("\x00\xff", 100_000), "é\r\n"} {
		for _, sum := range []string{"md5", "sha1", "sha256", "sha512"} {
			got, err := c.call("digest."+sum, starlark.Bytes(data))
			if err != nil || hexOf(got) != openssl(t, data, "-"+sum) {
				t.Errorf("digest.%s of %.10q: %v, %v", sum, data, got, err)
			}
		}
		for _, sum := range []string{"sha1", "sha256", "sha512"} {
			got, err := c.call("digest.hmac", starlark.String("a key"), starlark.String("data"), starlark.Bytes(data), starlark.String("hash"), starlark.String(sum))
			if err != nil || hexOf(got) != openssl(t, data, "-"+sum, "-hmac", "a key") {
				t.Errorf("digest.hmac with %s of %.10q: %v, %v", sum, data, got, err)
			}
		}
	}
}

func hexOf(v starlark.Value) string {
	s, _ := starlark.AsString(v)
	return s
}

func openssl(t *testing.T, data string, args ...string) string {
	cmd := exec.CommandContext(t.Context(), "openssl", append(append([]string{"dgst"}, args...), "-binary")...)
	cmd.Stdin = strings.NewReader(data)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(out)
}
