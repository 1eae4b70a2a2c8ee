package main

import (
	"os"
	"strings"
	"testing"
)

// TestGoalsInTheDocs compares the goals that the docs show with those of the report.
func TestGoalsInTheDocs(t *testing.T) {
	var tables [2]string
	for i, file := range []string{"results.md", "../docs/benchmarks.md"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, ok := strings.Cut(string(text), "| workload | goal ")
		table, _, ended := strings.Cut(rest, "\n\n")
		if !ok || !ended {
			t.Fatalf("%s has no table of goals", file)
		}
		tables[i] = table
	}
	if tables[0] != tables[1] {
		t.Errorf("docs/benchmarks.md has other goals than bench/results.md: copy the table\n%s\nwant\n%s", tables[1], tables[0])
	}
}
