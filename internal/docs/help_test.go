package docs_test

import (
	"strings"
	"testing"
)

func TestHelp(t *testing.T) {
	for code, want := range map[string][]string{
		"help()":                      {"current session\n", "  Session, Match"},
		"help(expect)":                {"expect(pattern,", "parameters:", "example:"},
		"help(\"Session.close\")":     {"session.close()", "End the program"},
		"help(assert)":                {"assert: a module", "assert.eq(got, want"},
		"help(assert.eq)":             {"Fail unless two values are equal"},
		"help(EOF)":                   {"pattern"},
		"help(catch(fail, \"x\"))":    {"Result", "attributes:"},
		"help(spawn(\"true\").close)": {"session.close()"},
		"help(time.now)":              {"time.now() → time"},
		"help(len)":                   {"len(x) → int", "The number of elements"},
		"help(\"x\".strip)":           {"strip(", "without"},
		"def f(a, b = 2, *c, **d):\n    \"\"\"Does it.\"\"\"\nhelp(f)":                {"f(a, b=2, *c, **d)", "help.star:1:1", "Does it."},
		"load(\"@lib//omnigent.star\", \"omnigent\")\nhelp(omnigent)":                 {"check_resume(", "items(conversation"},
		"r = catch(help, \"expcet\")\nassert.eq(r.kind, \"usage\")\nprint(r.error)":   {"nothing is called \"expcet\""},
		"r = catch(help, \"deadline\")\nassert.eq(r.kind, \"usage\")\nprint(r.error)": {"mentions it"},
	} {
		var out []string
		if err := runPrinting(t, "help.star", code+"\n", func(text string) { out = append(out, text) }); err != nil {
			t.Errorf("%s: %s", code, explained(err))
			continue
		}
		for _, w := range want {
			if !strings.Contains(strings.Join(out, "\n"), w) {
				t.Errorf("%s: no %q in:\n%s", code, w, strings.Join(out, "\n"))
			}
		}
	}
}
