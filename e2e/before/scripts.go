package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"omniexpect/internal/lazy"
)

// script is one that is run: a file, or a text out of a page.
type script struct{ name, path, text string }

// outcome is what counts of a run.
type outcome struct {
	status  int
	kind    string
	printed string
}

func (o outcome) String() string {
	text := fmt.Sprintf("status %d", o.status)
	if o.kind != "" {
		text += " (" + o.kind + ")"
	}
	return fmt.Sprintf("%s, printed %q", text, o.printed)
}

// scripts lists all of a tree. A script in a page is named by the page, the heading above it and its place below that: these
// outlive what is written elsewhere in the page.
func scripts(tree string) ([]script, error) {
	files, err := filepath.Glob(filepath.Join(tree, "scripts", "*.star"))
	if err != nil {
		return nil, err
	}
	var list []script
	for _, f := range files {
		list = append(list, script{name: "scripts/" + filepath.Base(f), path: f})
	}
	var pages []string
	for _, pattern := range []string{"*.md", "*/*.md"} {
		found, err := filepath.Glob(filepath.Join(tree, "docs", filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		pages = append(pages, found...)
	}
	for _, f := range append(pages, filepath.Join(tree, "README.md")) {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		name, err := filepath.Rel(tree, f)
		if err != nil {
			return nil, err
		}
		list = append(list, inPage(filepath.ToSlash(name), string(text))...)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no scripts in %s", tree)
	}
	return list, nil
}

// inPage finds the scripts between ```python and ```.
func inPage(page, text string) (list []script) {
	heading, count, inside := "", 0, false
	var block strings.Builder
	for line := range strings.Lines(text) {
		switch {
		case inside && strings.HasPrefix(line, "```"):
			inside = false
			// A signature is not a script.
			if !strings.Contains(block.String(), " → ") {
				count++
				list = append(list, script{name: fmt.Sprintf("%s: %s, %d", page, heading, count), text: block.String()})
			}
		case inside:
			block.WriteString(line)
		case strings.HasPrefix(line, "```python"):
			inside = true
			block.Reset()
		case strings.HasPrefix(line, "#"):
			heading, count = strings.ReplaceAll(strings.TrimSpace(strings.TrimLeft(line, "# ")), "`", ""), 0
		}
	}
	return list
}

var checkFinding = lazy.Regexp(`(?m)^\S+:\d+:\d+: ([a-z]+): `)

// kind is the kind of failure that an error output names in its first located line.
func kind(stderr string) string {
	if m := checkFinding().FindStringSubmatch(stderr); m != nil {
		return m[1]
	}
	return ""
}

var longID = lazy.Regexp(`\b[0-9a-fA-F-]*[0-9][0-9a-fA-F-]{7,}\b`)

var digits = lazy.Regexp(`[0-9]+`)

// steady takes out of an output what is another in each run: the folder, identifiers and numbers.
func steady(out, dir string) string {
	out = strings.ReplaceAll(out, dir, "DIR")
	out = longID().ReplaceAllString(out, "ID")
	return digits().ReplaceAllString(out, "0")
}

// named reports whether a line that the changelog has gained names a script in backticks.
func named(diff, name string) bool {
	for line := range strings.Lines(diff) {
		if strings.HasPrefix(line, "+") && strings.Contains(line, "`"+name+"`") {
			return true
		}
	}
	return false
}
