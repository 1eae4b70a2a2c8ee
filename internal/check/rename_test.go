package check_test

import (
	"strings"
	"testing"

	"omniexpect/builtins"
	"omniexpect/internal/check"
	"omniexpect/internal/dsl"
	"omniexpect/internal/interp"
	"omniexpect/internal/mask"
)

// otherWords are other names for builtins, methods, constants and types.
func otherWords() *strings.Replacer {
	return strings.NewReplacer("expect_not", "refuse", "expect_all", "collect", "expect_any", "either", "expect", "until",
		"sendline", "enter", "send", "push", "spawn", "launch", "shell", "dialogue", "exact", "verbatim", "glob", "wild",
		"regex", "rexp", "EOF", "OVER", "readline", "one", "read", "fetch", "http_get", "obtain", "assert", "claim",
		"re.search", "text.seek", "use", "turn", "param", "option", "catch", "attempt")
}

// renamed is the vocabulary in other words, and without a word of documentation.
func renamed() *dsl.Vocabulary {
	words, types := otherWords(), strings.NewReplacer("Session", "Talk", "Match", "Hit")
	v := (&builtins.State{Marker: "none", Mask: mask.New()}).Vocabulary()
	again := func(f *dsl.Func) {
		f.Name, f.Recv, f.Returns = words.Replace(f.Name), types.Replace(f.Recv), types.Replace(f.Returns)
		f.Doc, f.Group = "…", "…"
		for i := range f.Params() {
			p := &f.Params()[i]
			p.Doc, p.Type = "…", types.Replace(p.Type)
		}
	}
	for _, f := range v.Funcs {
		again(f)
	}
	for _, t := range v.Types {
		for _, m := range t.Methods {
			again(m)
		}
	}
	out := &dsl.Vocabulary{Funcs: v.Funcs}
	for _, t := range v.Types {
		n := &dsl.Type{Name: types.Replace(t.Name), Doc: "…", Methods: t.Methods, Parts: t.Parts, Number: t.Number, Never: t.Never}
		for _, f := range t.Fields {
			n.Fields = append(n.Fields, dsl.Field{Name: f.Name, Type: types.Replace(f.Type), Doc: "…", Get: f.Get})
		}
		out.Types = append(out.Types, n)
	}
	for _, c := range v.Consts {
		out.Consts = append(out.Consts, dsl.Const{Name: words.Replace(c.Name), Value: c.Value, Doc: "…", Roles: c.Roles})
	}
	return out
}

// TestRulesKnowNoNames finds the same mistakes in a script and in its translation for a vocabulary of other words.
func TestRulesKnowNoNames(t *testing.T) {
	words := otherWords()
	plain := (&builtins.State{Marker: "none", Mask: mask.New()}).Vocabulary()
	other := renamed()
	for _, script := range []string{
		"s = spawn(\"x\")\ns.expect(\"a(\")\n",
		"s = spawn(\"x\")\ns.expect([\"ab\", \"abc\"])\ns.expect_all(\"ab\", \"abc\")\n",
		"s = spawn(\"x\")\ns.expect(exact(\"ab\", ignore_case = True))\ns.expect([exact(\"ab\"), \"abc\"])\n",
		"s = spawn(\"x\")\ns.expect([exact(\"ab\", ignore_case = False), \"abc\"])\n",
		"s = spawn(\"x\")\ns.expect([glob(\"a*\"), glob(\"a*\"), EOF, EOF])\n",
		"s = spawn(\"x\")\ns.expect_not(\"a*\", 1)\ns.expect(\"a*\")\n",
		"s = spawn(\"x\")\ns.expect(\"n (\\\\d+)\")\ns.expect_not(\"n (\\\\d+)\", 1)\n",
		"s = spawn(\"x\")\nexpect_any({s: [\"a(\"]})\n",
		"s = spawn(\"x\")\ns.sendline(\"a\\n\")\ns.send(\"a\\r\\n\")\n",
		"s = spawn(\"x\", pty = False)\ns.send(\"a\\r\\n\")\n",
		"s = shell(\"sh\", raw = True)\ns.send(\"a\\r\\n\")\n",
		"s = spawn(\"x\")\ns.read()\n",
		"s = spawn(\"x\")\n",
		"s = spawn(\"x\")\nassert.eq(1, 1)\n",
		"s = spawn(\"x\")\nexpect(\"a\")\n",
		"s = spawn(\"x\")\nif s.expect(\"a\") == None:\n    pass\nif s.expect(\"a\") == 1:\n    pass\nif s.expect(\"a\") + \"b\":\n    pass\n",
		"s = spawn(\"x\")\ns.prompt + \"a\"\ns.status.cod\ns.pid + \"a\"\n",
		"http_get(\"nowhere\")\nre.search(\"a(\", \"b\")\nassert.matches(\"a\", \"b(\")\n",
		"param(\"a\", default = x)\n",
		"sse(\"nowhere\")\nre.search(\"a\", \"b\").txt\nspawn(\"x\").status.cod\n",
	} {
		want := rulesBroken(t, plain, script)
		got := rulesBroken(t, other, words.Replace(script))
		if got != want {
			t.Errorf("%s\nfinds\n%s\nand in other words\n%s", script, want, got)
		}
	}
}

// rulesBroken are the places, rules and severities of what is found in a script.
func rulesBroken(t *testing.T, v *dsl.Vocabulary, script string) string {
	t.Helper()
	var names []string
	for _, f := range v.Funcs {
		name, _, _ := strings.Cut(f.Name, ".")
		names = append(names, name)
	}
	for _, c := range v.Consts {
		names = append(names, c.Name)
	}
	found, err := check.Text(v, interp.NewLibrary(nil, names), "a.star", script)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range found {
		line, _, _ := strings.Cut(f.Pos.String(), ": ")
		b.WriteString(strings.Split(line, ":")[1] + " " + f.Rule + " " + map[bool]string{true: "warning", false: "error"}[f.Warning] + "\n")
	}
	return b.String()
}

// TestPureBuiltins evaluates without a run what is declared to need none.
func TestPureBuiltins(t *testing.T) {
	for _, f := range (&builtins.State{Marker: "none", Mask: mask.New()}).Vocabulary().Funcs {
		if f.Is(dsl.Pure) {
			if _, err := f.Eval(nil, nil); err == nil {
				t.Errorf("%s without arguments is no error", f.Name)
			}
		}
	}
}
