package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestChecks compares the list with what it depends on: the scripts, the width of a line, and a log folder for each.
func TestChecks(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range groups() {
		for _, c := range g.checks {
			if seen[c.name] {
				t.Errorf("%s: two checks have that name, and would share their logs", c.name)
			}
			seen[c.name] = true
			if len(c.name) > 22 {
				t.Errorf("%s: the name is longer than its column", c.name)
			}
			if _, err := os.Stat(filepath.Join("../../scripts", c.script)); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			if c.want != 0 && c.says == "" {
				t.Errorf("%s: it is to end with %d, but any reason for that would do", c.name, c.want)
			}
		}
	}
}

// TestManual compares the table of README.md with the list, and the counts with its length.
func TestManual(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{} // from the name of a check to the rest of its row
	_, table, _ := strings.Cut(string(text), "| check |")
	table, _, _ = strings.Cut(table, "\n\n")
	for _, row := range strings.Split(table, "\n")[2:] {
		names, rest, _ := strings.Cut(strings.TrimPrefix(row, "| "), " | ")
		for name := range strings.SplitSeq(names, ", ") {
			rows[name] = rest
		}
	}
	count := 0
	for _, g := range groups() {
		for _, c := range g.checks {
			count++
			rest, ok := rows[c.name]
			delete(rows, c.name)
			// A red control's row tells in words that it runs the script of another.
			script := strings.Contains(rest, "`"+c.script+"`") || c.want != 0
			if !ok || !script || !regexp.MustCompile(fmt.Sprintf(`\| %d\b`, c.want)).MatchString(rest) {
				t.Errorf("README.md has no row with %s, %s and %d", c.name, c.script, c.want)
			}
		}
	}
	if len(rows) > 0 {
		t.Errorf("README.md has checks that there are not: %s", strings.Join(slices.Sorted(maps.Keys(rows)), ", "))
	}
	for _, want := range []string{fmt.Sprintf("`%d passed, 0 failed, 0 skipped in ", count), fmt.Sprintf("| all %d |", count)} {
		if !strings.Contains(string(text), want) {
			t.Errorf("README.md does not say %q", want)
		}
	}
}
