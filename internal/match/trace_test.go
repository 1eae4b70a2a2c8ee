package match

import (
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// A trace says what was looked for, where, and why it is not there, also where goexpect was not asked.
func TestTraceSaysWhyNot(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var mu sync.Mutex
	var lines []string
	s := newStream(Config{File: take(t, r), Rows: 24, Cols: 80, Trace: func(line string) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, line)
	}})
	defer s.Close()
	w.WriteString("hello\nhow, so\nx")
	for _, expr := range []string{`world \d`, `h.llo`, `how, (.*)\n`} {
		set, err := Compile([]Pattern{{Source: expr}}, false)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Wait(t.Context(), Want{Set: set, Deadline: time.Now().Add(100 * time.Millisecond), Here: true}); err != nil {
			t.Fatal(err)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	all := strings.Join(lines, "\n")
	for _, want := range []string{`r"world \d": no "world " in it; looked at 15 bytes from 0: "hello\nhow, so\nx"`, `r"h.llo": matched "hello"`,
		`r"how, (.*)\n": less of it, to see where the match is complete: no match; looked at `} {
		if !strings.Contains(all, want) {
			t.Errorf("no %s in\n%s", want, all)
		}
	}
}

// TestTraceHides shows neither a secret nor parts of it, and says where the end of a text is kept back.
func TestTraceHides(t *testing.T) {
	hide := func(text string) string {
		return strings.TrimSuffix(strings.ReplaceAll(text, "hunter2secret", "***"), "h")
	}
	var mu sync.Mutex
	var lines []string
	f := newFeed(t, Config{Redact: hide, Trace: func(line string) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, line)
	}})
	f.write("with it\n")
	f.expect(0, "hunter2secret?z", Pattern{Kind: Timeout})
	f.expect(time.Minute, "with")
	mu.Lock()
	defer mu.Unlock()
	all := strings.Join(lines, "\n")
	if _, verdict, _ := strings.Cut(lines[0], ": "); strings.Contains(verdict, "secre") {
		t.Errorf("a part of the secret is shown: %s", all)
	}
	if !strings.Contains(all, `matched "wit"…`) {
		t.Errorf("the match is not marked as cut: %s", all)
	}
}
