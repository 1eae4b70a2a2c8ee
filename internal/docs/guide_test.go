package docs_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"omniexpect/internal/fault"
	"omniexpect/internal/run"
	"omniexpect/internal/testneed"
)

// runScript runs a script as the command does: read, checked, executed, cleaned up. Output comes byte by byte: what a page
// shows must not depend on how a system cuts it.
func runScript(t *testing.T, name, code string) error {
	t.Helper()
	return runPrinting(t, name, code, func(text string) { t.Log(text) })
}

func runPrinting(t *testing.T, name, code string, show func(string)) error {
	t.Helper()
	testneed.Script(t, code)
	r := run.New(run.Options{Quiet: true})
	r.State.Piecemeal = true
	src, err := r.Parse(name, code)
	if err != nil {
		return err
	}
	r.Interp.Host.Print = show
	r.Interp.Report = func(err error) { t.Error(err) }
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	out := r.Do(ctx, src)
	if out.Skipped {
		testneed.Skipped(t, out.Reason)
	}
	if out.Failure == nil {
		return nil
	}
	return out.Err
}

func explained(err error) string {
	text := err.Error()
	var f *fault.Error
	if errors.As(err, &f) {
		text += "\n" + f.Detail + "\n" + strings.Join(f.Hints, "\n")
	}
	return text
}

func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// rows returns the first and the last cell of each row of the tables of a page, as text and as script.
func rows(text string) (out [][2]string) {
	line := regexp.MustCompile("^\\| (`.*`) \\| (`.*`) \\|$")
	for _, l := range strings.Split(text, "\n") {
		if m := line.FindStringSubmatch(l); m != nil {
			out = append(out, [2]string{script(m[1]), script(m[2])})
		}
	}
	return out
}

func script(cell string) string {
	var lines []string
	for _, l := range strings.Split(cell, "<br>") {
		lines = append(lines, strings.ReplaceAll(strings.Trim(l, "`"), `\|`, "|"))
	}
	return strings.Join(lines, "\n") + "\n"
}

func TestIdiomsRun(t *testing.T) {
	for _, name := range []string{"from-tcl-expect.md", "from-pexpect.md"} {
		t.Run(name, func(t *testing.T) {
			all := rows(page(t, name))
			if len(all) < 30 {
				t.Fatalf("%d idioms, want at least 30", len(all))
			}
			for _, row := range all {
				t.Run(strings.TrimSpace(row[0]), func(t *testing.T) {
					if err := runScript(t, "idiom.star", row[1]); err != nil {
						t.Errorf("%s\n%s", row[1], explained(err))
					}
				})
			}
		})
	}
}

// TestPagesRun runs what stands between ```python and ``` in the guide. A block that must fail says so in its first line:
// "# fails: kind".
func TestPagesRun(t *testing.T) {
	block := regexp.MustCompile("(?s)```python\n(.*?)```")
	for _, name := range []string{"tutorial.md", "common-problems.md", "http.md"} {
		t.Run(name, func(t *testing.T) {
			blocks := block.FindAllStringSubmatch(page(t, name), -1)
			if len(blocks) < 5 {
				t.Fatalf("%d scripts, want at least 5", len(blocks))
			}
			for _, b := range blocks {
				first, _, _ := strings.Cut(b[1], "\n")
				t.Run(first, func(t *testing.T) {
					err := runScript(t, "page.star", b[1])
					if want, ok := strings.CutPrefix(first, "# fails: "); ok {
						if err == nil || string(fault.KindOf(err)) != want {
							t.Errorf("got %v, want a failure of kind %s", err, want)
						}
						return
					}
					if err != nil {
						t.Errorf("%s\n%s", b[1], explained(err))
					}
				})
			}
		})
	}
}
