package main

import (
	"strings"
	"testing"
)

// run makes samples of a round trip of ten: what is held in between, and peaks on top.
func run(n int, grow func(i int, s *Sample)) []Sample {
	var list []Sample
	for i := range n {
		s := Sample{Seconds: float64(i), RSS: 20 + float64(i%10), Threads: 8, FDs: 10 + float64(i%10), Children: 1 + float64(i%10)}
		grow(i, &s)
		list = append(list, s)
	}
	return list
}

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		name, want string
		grow       func(i int, s *Sample)
	}{
		{"flat", "", func(int, *Sample) {}},
		{"warming up", "", func(i int, s *Sample) { s.RSS += float64(min(i, 50)); s.Threads += float64(min(i, 50)) / 10 }},
		{"peaks late", "", func(i int, s *Sample) { s.FDs += float64(i / 250 * (i % 2) * 90) }},
		{"memory", "memory MB", func(i int, s *Sample) { s.RSS += float64(i) / 10 }},
		{"threads", "threads", func(i int, s *Sample) { s.Threads += float64(i / 20) }},
		{"descriptors", "FDs", func(i int, s *Sample) { s.FDs += float64(i / 20) }},
		{"children", "children", func(i int, s *Sample) { s.Children += float64(i / 20) }},
	} {
		drifts, err := compare(run(300, c.grow))
		if err != nil {
			t.Fatal(err)
		}
		var grown []string
		for _, d := range drifts {
			if d.Grown() {
				grown = append(grown, d.What)
			}
		}
		if got := strings.Join(grown, " "); got != c.want {
			t.Errorf("%s: %q has grown, want %q: %v", c.name, got, c.want, drifts)
		}
	}
}

func TestVerdict(t *testing.T) {
	flat := run(30, func(int, *Sample) {})
	for _, c := range []struct {
		samples []Sample
		said    string
		left    int
		want    string
	}{
		{flat, `{"rounds": 3, "wrong": 0}`, 0, ""},
		{flat, `{"rounds": 3, "wrong": 2}`, 0, "2 answers were wrong"},
		{flat, `{"rounds": 3, "wrong": 0}`, 1, "1 programs were left behind"},
		{flat, `{"rounds": 0, "wrong": 0}`, 0, "no round"},
		{flat, `nothing`, 0, "no tally"},
		{flat[:5], `{"rounds": 3, "wrong": 0}`, 0, "too few"},
	} {
		err := verdict(c.samples, c.said, c.left)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q, %d left: %v, want %q", c.said, c.left, err, c.want)
		}
	}
}
