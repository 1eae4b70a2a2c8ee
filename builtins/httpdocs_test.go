package builtins_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestHTTPTableNamesTests holds the last column of the table in docs/http.md against the tests that there are.
func TestHTTPTableNamesTests(t *testing.T) {
	text, err := os.ReadFile("../docs/http.md")
	if err != nil {
		t.Fatal(err)
	}
	var sources strings.Builder
	for _, glob := range []string{"*_test.go", "../internal/httpc/*_test.go", "testdata/*.star"} {
		files, _ := filepath.Glob(glob)
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			sources.Write(b)
		}
	}
	rows, have := 0, sources.String()
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 7 || strings.Contains(line, "---") || strings.Contains(line, "shown by") {
			continue
		}
		rows++
		ours, shown := strings.TrimSpace(cells[4]), cells[5]
		names := regexp.MustCompile(`Test\w+`).FindAllString(shown, -1)
		for _, name := range names {
			if !strings.Contains(have, "func "+name+"(") {
				t.Errorf("%s: there is no test %s", cells[1], name)
			}
		}
		for _, quoted := range regexp.MustCompile(`"[^"]+"`).FindAllString(shown, -1) {
			if !strings.Contains(have, "# "+strings.Trim(quoted, `"`)) {
				t.Errorf("%s: no chunk begins with %s", cells[1], quoted)
			}
		}
		for _, file := range regexp.MustCompile("`(http_\\w+|\\w+\\.star)`").FindAllStringSubmatch(shown, -1) {
			in := "testdata/" + file[1] + ".star"
			if strings.HasSuffix(file[1], ".star") {
				in = "../scripts/" + file[1]
			}
			if _, err := os.Stat(in); err != nil {
				t.Errorf("%s: %v", cells[1], err)
			}
		}
		if ours != "no" && !strings.HasPrefix(ours, "no:") && strings.TrimSpace(shown) == "" {
			t.Errorf("%s: nothing shows it", cells[1])
		}
	}
	if rows < 25 {
		t.Errorf("%d rows were read, want the whole table", rows)
	}
}
