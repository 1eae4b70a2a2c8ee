package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// manuals returns the pages that people read, as paths from here.
func manuals(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "bench/*.md", "e2e/*.md"} {
		found, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, found...)
	}
	return out
}

// TestLinks follows each link of the pages that leads to a file of ours, and to a heading in it.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	code := regexp.MustCompile("(?s)\n```.*?\n```|`[^`\n]+`")
	anchors := map[string]map[string]bool{}
	seen := 0
	for _, file := range manuals(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(string(text), ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			seen++
			path, heading, _ := strings.Cut(m[1], "#")
			target := file
			if path != "" {
				target = filepath.Join(filepath.Dir(file), filepath.FromSlash(path))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: the link %s leads nowhere: %v", file, m[1], err)
				continue
			}
			if heading == "" {
				continue
			}
			if anchors[target] == nil {
				anchors[target] = headings(t, target)
			}
			if !anchors[target][heading] {
				t.Errorf("%s: the link %s leads to no heading of %s", file, m[1], target)
			}
		}
	}
	if seen < 40 {
		t.Errorf("%d links, want at least 40", seen)
	}
}

// headings returns the anchors that a page has, as GitHub makes them.
func headings(t *testing.T, file string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dropped := regexp.MustCompile(`[^\p{L}\p{N}\s_-]`)
	out, fenced := map[string]bool{}, false
	for _, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		title := strings.TrimLeft(line, "#")
		if fenced || title == line || !strings.HasPrefix(title, " ") {
			continue
		}
		out[strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), ""), " ", "-")] = true
	}
	return out
}

// TestPagesAreLinked looks for pages that no other page leads to.
func TestPagesAreLinked(t *testing.T) {
	pages := manuals(t)
	texts := map[string]string{}
	for _, file := range pages {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = string(text)
	}
	for _, file := range pages {
		if filepath.Dir(file) == filepath.Join("..", "..") && filepath.Base(file) == "README.md" {
			continue
		}
		linked := false
		for from, text := range texts {
			to, err := filepath.Rel(filepath.Dir(from), file)
			if err != nil {
				t.Fatal(err)
			}
			to = filepath.ToSlash(to)
			linked = linked || from != file && (strings.Contains(text, "]("+to+")") || strings.Contains(text, "]("+to+"#"))
		}
		if !linked {
			t.Errorf("no page leads to %s", file)
		}
	}
}
