package report_test

import (
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"omniexpect/internal/event"
	"omniexpect/internal/report"
)

// TestAttemptsAreShown writes what -d shows, without a secret or parts of it.
func TestAttemptsAreShown(t *testing.T) {
	var errs written
	r := report.New(io.Discard, &errs)
	r.Debug = true
	r.Conceal = func(s string) string {
		return strings.TrimSuffix(strings.ReplaceAll(s, "hunter2secret", "***"), "h")
	}
	r.Mask = func(s string) string { return strings.ReplaceAll(s, "hunter2secret", "***") }
	var log event.Log
	r.Listen(&log)
	for _, b := range []*event.Try{
		{Session: "sh", Patterns: []string{`r"world"`}, Verdict: event.Absent, Needs: []string{"world"}, To: 15, Tail: []byte("hello\nhow, so\nx")},
		{Session: "sh", Patterns: []string{`r"h.llo"`}, Verdict: event.Matched, Text: "hello", To: 1, Tail: []byte("o")},
		{Session: "sh", Patterns: []string{`r"how"`}, Verdict: event.NoMatch, Again: true},
		{Session: "sh", Patterns: []string{`r"hunter2secret?z"`}, Verdict: event.Absent, Needs: []string{"hunter2secre"}},
		{Session: "sh", Patterns: []string{`r"w"`}, Verdict: event.Matched, Text: "with", To: 400, Before: []byte("hunter2se"), Tail: []byte("cret z")},
	} {
		log.Emit("main", event.Pos{}, b)
	}
	r.Close()
	want := `debug: sh: r"world": no "world" in it; looked at 15 bytes from 0: "hello\nhow, so\nx"
debug: sh: r"h.llo": matched "hello"; looked at 1 byte from 0: "o"
debug: sh: r"how": less of it, to see where the match is complete: no match; looked at 0 bytes from 0: ""
debug: sh: r"***?z": no match in it; looked at 0 bytes from 0: ""
debug: sh: r"w": matched "wit"…; looked at 400 bytes from 0: …"*** z"
`
	if errs.String() != want {
		t.Errorf("got\n%s\nwant\n%s", errs.String(), want)
	}
}

// TestLongAttemptsAreShort has patterns, what they need and what matched in a line that a person can read, hidden before
// they are cut.
func TestLongAttemptsAreShort(t *testing.T) {
	long := strings.Repeat("x", 100_000) + "hunter2secret" + strings.Repeat("x", 90)
	for _, b := range []*event.Try{
		{Patterns: []string{long}, Verdict: event.NoMatch},
		{Patterns: []string{"a", long}, Verdict: event.NoMatch, Needs: []string{long}},
		{Patterns: []string{strings.Repeat("y", 1000)}, Verdict: event.Absent, Needs: []string{strings.Repeat("y", 1000)}},
		{Patterns: []string{"z"}, Verdict: event.Absent, Needs: []string{strings.Repeat("y", 1000), "b"}},
		{Patterns: []string{"x+"}, Verdict: event.Matched, Text: long},
		{Patterns: []string{"x+"}, Verdict: event.Matched, Text: long, Again: true},
	} {
		var errs written
		r := report.New(io.Discard, &errs)
		r.Debug = true
		r.Mask = func(s string) string { return strings.ReplaceAll(s, "hunter2secret", "***") }
		r.Conceal = r.Mask
		var log event.Log
		r.Listen(&log)
		log.Emit("main", event.Pos{}, b)
		r.Close()
		if got := errs.String(); len(got) > 1200 || !strings.Contains(got, " characters)…") || strings.Contains(got, "hunter") || strings.Contains(got, "secret") {
			t.Errorf("%d bytes: %.300q", len(got), got)
		}
	}
}

// stuck is a terminal that nobody reads until it is let go.
type stuck struct {
	once             sync.Once
	entered, release chan struct{}
	written
}

func (s *stuck) Write(p []byte) (int, error) {
	s.once.Do(func() { close(s.entered) })
	<-s.release
	return s.written.Write(p)
}

// TestNobodyReadsStandardError has events go on while what shows them hangs in a write; what is not shown is said.
func TestNobodyReadsStandardError(t *testing.T) {
	errs := &stuck{entered: make(chan struct{}), release: make(chan struct{})}
	r := report.New(io.Discard, errs)
	r.Verbose = true
	var log event.Log
	r.Listen(&log)
	log.Emit("", event.Pos{}, &event.Out{Session: "sh", Data: []byte("begin\n")})
	<-errs.entered
	line := []byte(strings.Repeat("x", 1<<16-1) + "\n")
	for range 200 { // 12.5 MB
		log.Emit("", event.Pos{}, &event.Out{Session: "sh", Data: line})
	}
	log.Emit("", event.Pos{}, &event.Wait{ID: 1, What: event.Text("rain"), Began: time.Now()})
	log.Emit("", event.Pos{}, &event.Got{ID: 1})
	close(errs.release)
	r.Close()
	text := errs.String()
	if !strings.HasPrefix(text, "begin\nxxx") || !strings.Contains(text, "note: 4718592 bytes of output are not shown here") {
		t.Errorf("%d bytes, %.50q … %q", len(text), text, text[max(0, len(text)-120):])
	}
}

// TestMirror shows the sessions that were asked for, and of a session that interact() shows nothing twice.
func TestMirror(t *testing.T) {
	var errs written
	r := report.New(io.Discard, &errs)
	r.TTY = true
	var log event.Log
	r.Listen(&log)
	out := func(session, text string, handed bool) {
		log.Emit("", event.Pos{}, &event.Out{Session: session, Data: []byte(text), Handed: handed})
	}
	out("a", "1", false)
	r.Mirror("a", true)
	out("a", "2", false)
	out("b", "3", false)
	out("a", "4", true)
	r.Mirror("b", true)
	out("b", "5", false)
	r.Flush()
	r.Mirror("a", false)
	out("a", "6", false)
	log.Emit("", event.Pos{}, &event.Out{Session: "b", Stream: event.Stderr, Data: []byte("7")})
	r.Close()
	if errs.String() != "257" {
		t.Errorf("shown: %q", errs.String())
	}
}
