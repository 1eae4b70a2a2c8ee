package terminals_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"omniexpect/internal/testneed"
)

// tmuxPrograms is how many programs of 60 steps tmux judges.
const tmuxPrograms = 60

// tmux draws a program, and returns the text and where the cursor is. It is finished when it has the title that ends it.
func tmux(t *testing.T, m mixture) (lines []string, cursor string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "out")
	var all strings.Builder
	for _, s := range m.steps {
		all.WriteString(s.Write)
	}
	if err := os.WriteFile(file, []byte(all.String()+"\x1b]2;finished\x1b\\"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		out, err := exec.Command("tmux", append([]string{"-S", filepath.Join(dir, "s"), "-f", "/dev/null"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %q: %v: %s", args, err, out)
		}
		return strings.TrimSuffix(string(out), "\n")
	}
	run("new-session", "-d", "-x", fmt.Sprint(m.cols), "-y", fmt.Sprint(m.rows), "-e", "LC_ALL=C.UTF-8",
		"stty raw -echo; cat "+file+"; exec sleep 60", ";", "set", "status", "off")
	defer run("kill-server")
	for end := time.Now().Add(20 * time.Second); run("display-message", "-p", "#{pane_title}") != "finished"; {
		if time.Now().After(end) {
			t.Fatalf("tmux does not finish: %v", m)
		}
		time.Sleep(10 * time.Millisecond)
	}
	return strings.Split(run("capture-pane", "-p"), "\n"), run("display-message", "-p", "#{cursor_x},#{cursor_y}")
}

// tmuxKnows reports whether tmux does a step as the others do: it has other opinions of those that docs/terminal.md lists.
func tmuxKnows(text string) bool {
	for _, not := range []string{"I", "L", "M", "\b", "D", "r", "@", "\x1b[2b", "\x1b[!p", "\x1b(0", "\x1b[4h", "漢", "한", "😀", "?1049", "\x1b[g", "\x1b[3g", "\x1bH", "\x1b[Z"} {
		if strings.HasSuffix(text, not) && text != "\r" || strings.Contains(text, not) && len(not) > 1 {
			return false
		}
	}
	return true
}

func TestMixturesAgainstTmux(t *testing.T) {
	testneed.Programs(t, "tmux", "stty")
	for seed := range uint64(tmuxPrograms) {
		r := rand.New(rand.NewPCG(seed, 2))
		m := mix(r, 60, false)
		var known []step
		for _, s := range m.steps {
			if tmuxKnows(s.Write) {
				known = append(known, s)
			}
		}
		m.steps = known
		got := ours(m)
		lines, cursor := tmux(t, m)
		for y, line := range lines {
			if mine := got.Line(y); mine != strings.TrimRight(line, " ") {
				t.Errorf("seed %d row %d: %q, tmux %q\n%v", seed, y, mine, line, m)
				break
			}
		}
		if at := fmt.Sprintf("%d,%d", got.CursorCol, got.CursorRow); at != cursor && cursor != fmt.Sprintf("%d,%d", m.cols, got.CursorRow) {
			t.Errorf("seed %d: cursor %s, tmux %s\n%v", seed, at, cursor, m)
		}
	}
}
