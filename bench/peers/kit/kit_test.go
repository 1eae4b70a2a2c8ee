package kit

import (
	"errors"
	"testing"
	"time"
)

type fake struct{ answer func(string) (string, error) }

func (fake) Compile([]string)                   {}
func (f fake) Start(...string) (Session, error) { return f, nil }
func (fake) Ready() error                       { return nil }
func (f fake) Ping(n string) (string, error)    { return f.answer(n) }
func (f fake) Marker() (int, string, error) {
	g, err := f.answer("10")
	return 0, g, err
}
func (fake) Never() bool      { return true }
func (fake) LastWords() error { return errors.New("gone") }
func (fake) Exit() bool       { return false }
func (fake) Close()           {}

func echo(n string) (string, error)  { return n, nil }
func short(n string) (string, error) { return n[:1], nil }
func fail(string) (string, error)    { return "", errors.New("gone") }

func TestResults(t *testing.T) {
	for _, c := range []struct {
		workload           string
		answer             func(string) (string, error)
		count, wrong, lost int
	}{
		{"pingpong", echo, 20, 0, 0},
		{"pingpong", short, 20, 10, 0}, // the one-digit numbers are right by accident
		{"sessions", echo, 60, 0, 0},
		{"sessions", fail, 3, 3, 0}, // a session gives up at its first error
		{"bulk", echo, 1, 0, 0},
		{"bulk", short, 1, 1, 0},
		{"bulk", fail, 1, 0, 1},
		{"chatty", echo, 1, 0, 0},
		{"spawn", echo, 20, 20, 0},
		{"last", echo, 20, 0, 20},
	} {
		o := Options{Workload: c.workload, N: 20, Bytes: 10, Patterns: 1, Sessions: 3, Budget: time.Hour}
		r, err := measure(o, fake{c.answer})
		if err != nil {
			t.Fatal(err)
		}
		if r.Count != c.count || r.Wrong != c.wrong || r.Lost != c.lost {
			t.Errorf("%s: count %d, wrong %d, lost %d; want %d, %d, %d",
				c.workload, r.Count, r.Wrong, r.Lost, c.count, c.wrong, c.lost)
		}
	}
}

func TestBudget(t *testing.T) {
	r, err := measure(Options{Workload: "pingpong", N: 20}, fake{echo})
	if err != nil || r.Count != 0 {
		t.Errorf("with no budget: %d operations, %v; want none", r.Count, err)
	}
	if _, err := measure(Options{Workload: "nothing"}, fake{echo}); err == nil {
		t.Error("an unknown workload is no error")
	}
}

func TestPatterns(t *testing.T) {
	list := Patterns(50)
	if len(list) != 50 || list[49] != `DONE-(\d+)` || list[0] == list[1] {
		t.Errorf("got %q", list)
	}
}
