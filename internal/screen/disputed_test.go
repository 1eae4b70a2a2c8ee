package screen_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestDisputed holds what the screen does where the references disagree against the table of docs/terminal.md, both ways.
func TestDisputed(t *testing.T) {
	page, err := os.ReadFile("../../docs/terminal.md")
	if err != nil {
		t.Fatal(err)
	}
	cases := readCases(t, "disputed.jsonl")
	for _, c := range cases {
		got := run(c, whole)
		var agree []string
		for _, a := range c.Answers {
			if compare(got, a.Lines, a.Cursor) == "" {
				agree = append(agree, strings.NewReplacer(" (unicode 11)", "", "xterm.js (graphemes)", "its clusters").Replace(a.By))
			}
		}
		who := strings.Join(agree, ", ")
		if who == "" {
			who = "nobody"
		}
		if row := fmt.Sprintf("| `%s` | %s |", c.Name, who); !strings.Contains(string(page), row) {
			t.Errorf("docs/terminal.md has no row %s", row)
		}
	}
	if n := strings.Count(string(page), "\n| `"); n != len(cases) {
		t.Errorf("docs/terminal.md has %d rows, there are %d cases", n, len(cases))
	}
}
