package match

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"omniexpect/internal/event"
)

// An event of an attempt says what was looked for, where, and why it is not there, also where goexpect was not asked.
func TestAttemptsSayWhyNot(t *testing.T) {
	once(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var mu sync.Mutex
	var lines []string
	log := &event.Log{}
	log.Add(event.Func(func(e event.Event) {
		mu.Lock()
		defer mu.Unlock()
		b := e.Body.(*event.Try)
		lines = append(lines, fmt.Sprintf("%s %v %s needs %q text %q again %v %d-%d tail %q", b.Session, b.Patterns, b.Verdict, b.Needs,
			b.Text, b.Again, b.From, b.To, b.Tail))
	}), event.KindTry)
	s := newStream(t, Config{Source: take(t, r), Rows: 24, Cols: 80, Log: log, Name: "sh"})
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
	for _, want := range []string{
		`sh [r"world \d"] none needs ["world "] text "" again false 0-15 tail "hello\nhow, so\nx"`,
		`[r"h.llo"] match needs`, `text "hello" again false`,
		`[r"how, (.*)\n"] no needs`, `text "" again true`} {
		if !strings.Contains(all, want) {
			t.Errorf("no %s in\n%s", want, all)
		}
	}
}

// TestOutputComesBeforeItsMatch has a sink see the bytes before the attempt that finds them.
func TestOutputComesBeforeItsMatch(t *testing.T) {
	var mu sync.Mutex
	var order []string
	log := &event.Log{}
	log.Add(event.Func(func(e event.Event) {
		mu.Lock()
		defer mu.Unlock()
		switch b := e.Body.(type) {
		case *event.Out:
			order = append(order, fmt.Sprintf("out %d %q", b.Off, b.Data))
		case *event.Try:
			order = append(order, string(b.Verdict))
		}
	}), event.KindOut, event.KindTry)
	f := newFeed(t, Config{Log: log})
	f.write("one ")
	f.expect(time.Minute, "one")
	f.write("two")
	f.expect(time.Minute, "two")
	mu.Lock()
	defer mu.Unlock()
	all := strings.Join(order, ", ")
	one, two := strings.Index(all, `out 0 "one "`), strings.Index(all, `out 4 "two"`)
	if one < 0 || two < one || !strings.Contains(all[one:two], "match") || !strings.Contains(all[two:], "match") {
		t.Error(all)
	}
}
