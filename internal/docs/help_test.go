package docs_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"omniexpect/internal/docs"
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

// TestHelpFitsTerminals has no prose that a terminal of 80 columns would cut in the middle of a word.
func TestHelpFitsTerminals(t *testing.T) {
	v := vocabulary()
	texts := []string{docs.Overview(v)}
	for _, f := range v.Funcs {
		prose, _, _ := strings.Cut(docs.FuncText(f), "\nexample:\n")
		_, prose, _ = strings.Cut(prose, "\n") // the signature is one line, to be read and copied as a whole
		texts = append(texts, prose)
	}
	for _, text := range texts {
		for _, line := range strings.Split(text, "\n") {
			if n := utf8.RuneCountInString(line); n > 79 && strings.HasPrefix(line, "  ") {
				t.Errorf("%d characters: %s", n, line)
			}
		}
	}
}

// TestSharedParameters has the many parameters of HTTP calls once in the reference, and all of them in each help.
func TestSharedParameters(t *testing.T) {
	v := vocabulary()
	page := docs.Markdown(v)
	if n := strings.Count(page, "\n| `connect_timeout` |"); n != 2 { // of http_get, and of http, which has others
		t.Errorf("%d tables have connect_timeout, want 2", n)
	}
	for _, name := range []string{"http_post", "Client.get"} {
		_, section, _ := strings.Cut(page, "# "+name+"\n")
		section, _, _ = strings.Cut(section, "\n#")
		if !strings.Contains(section, "\nParameters: those of [http_get](#http_get).\n") {
			t.Errorf("%s names no table:%s", name, section)
		}
		if text := docs.Text(v, docs.Find(v, name)[0]); !strings.Contains(text, "\n  connect_timeout: duration") {
			t.Errorf("help for %s is not complete:\n%s", name, text)
		}
	}
}
