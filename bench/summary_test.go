package main

import (
	"strings"
	"testing"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		in   []float64
		want float64
	}{{nil, 0}, {[]float64{4}, 4}, {[]float64{9, 1, 5}, 5}, {[]float64{4, 1, 3, 2}, 2.5}} {
		if got := median(c.in); got != c.want {
			t.Errorf("median of %v is %v, want %v", c.in, got, c.want)
		}
	}
}

func pick(t *testing.T, names string) []Workload {
	t.Helper()
	list, err := choose(workloads(), names, func(w Workload) string { return w.Name })
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestSummary(t *testing.T) {
	rows := []Row{
		{Tool: "raw", Workload: "bulk", Bytes: 50e6, Seconds: 1, CPU: 0.4, Count: 1},
		{Tool: "raw", Workload: "bulk", Bytes: 50e6, Seconds: 3, CPU: 0.6, Count: 1},
		{Tool: "raw", Workload: "bulk", Bytes: 50e6, Seconds: 2, CPU: 0.5, Count: 1},
		{Tool: "slow", Workload: "bulk", Bytes: 50e6, Error: "not done after 30s", Capped: true},
		{Tool: "slow", Workload: "bulk", Bytes: 50e6, Seconds: 500, CPU: 400, Count: 1}, // before it was stopped once
		{Tool: "slow", Workload: "bulk", Bytes: 5e6, Seconds: 2, CPU: 1, Count: 1, RSS: 40},
		{Tool: "omniexpect", Workload: "bulk", Bytes: 50e6, Seconds: 2.2, CPU: 0.6, Count: 1, RSS: 12},
		{Tool: "omniexpect", Workload: "colour", Bytes: 50e6, Seconds: 2.2, CPU: 1.5, Count: 1, RSS: 12},
		{Tool: "raw", Workload: "pingpong", Seconds: 2, Count: 1000, CPU: 0.1},
		{Tool: "omniexpect", Workload: "pingpong", Seconds: 1, Count: 400, CPU: 0.1, Wrong: 1},
		{Tool: "omniexpect", Workload: "last", Seconds: 1, Count: 500},
		{Tool: "omniexpect", Workload: "last", Seconds: 1, Count: 500, Lost: 1},
		{Tool: "omniexpect", Workload: "chatty", Seconds: 2.03, Count: 1},
		{Tool: "omniexpect", Workload: "chatty", Seconds: 1.95, Count: 1},
	}
	list := pick(t, "bulk,colour,pingpong,last,chatty,many")
	all := summarise(rows, list)
	if s := all[key{"raw", "bulk"}]; s.Figure != 25 || s.Min != 50.0/3 || s.Max != 50 || s.TimeX != 1 || s.CPU != 10000 {
		t.Errorf("the floor: %+v", s)
	}
	if s := all[key{"slow", "bulk"}]; s.TimeX != 10 || s.CPUX != 20 || s.Bytes != 5e6 || !strings.Contains(s.Notes, "at 50 MB") {
		t.Errorf("a tool that came down to a tenth: %+v", s)
	}
	want := map[string]string{
		"bulk CPU at most 1.3x the floor":              "pass",
		"bulk peak memory under 30 MB":                 "pass",
		"colour CPU at most 2x its own for plain text": "MISS",
		"pingpong time at most 1.2x the floor":         "MISS (wrong or lost answers)",
		"last nothing lost":                            "MISS",
		"chatty within 2% of the deadline":             "MISS",
		"many CPU at most 1.5x the floor":              "not measured",
	}
	for _, v := range judge(all, list) {
		name := v.Workload + " " + v.Goal
		if want[name] != v.Result {
			t.Errorf("%s: %s (%v), want %s", name, v.Result, v.Got, want[name])
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("not judged: %v", want)
	}
}

func TestSessionGoals(t *testing.T) {
	list := pick(t, "sessions")
	for _, c := range []struct {
		fds, threads int
		want         string
	}{{120, 9, "pass pass"}, {316, 9, "MISS pass"}, {210, 130, "pass MISS"}} {
		rows := []Row{{Tool: mainTool, Workload: "sessions", Seconds: 1, Count: 5000, FDs: c.fds, Threads: c.threads}}
		got := judge(summarise(rows, list), list)
		if r := got[1].Result + " " + got[2].Result; r != c.want {
			t.Errorf("%d descriptors, %d threads: %s, want %s", c.fds, c.threads, r, c.want)
		}
	}
}

func TestChoose(t *testing.T) {
	if list := pick(t, "last, bulk"); len(list) != 2 || list[0].Name != "bulk" {
		t.Errorf("got %v", list)
	}
	if _, err := choose(workloads(), "bulk,bulc", func(w Workload) string { return w.Name }); err == nil ||
		!strings.Contains(err.Error(), `"bulc"`) || !strings.Contains(err.Error(), "trickle") {
		t.Errorf("an unknown name: %v", err)
	}
}

func TestFlags(t *testing.T) {
	w := pick(t, "many")[0]
	got := strings.Join(w.flags("target", w.Args), " ")
	if want := "--workload bulk --target target --bytes 5000000 --patterns 50"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	w.rescale(1e-3)
	if w.Args["bytes"] != 5000 || w.Args["patterns"] != 50 {
		t.Errorf("scaled to %v", w.Args)
	}
}

func TestTable(t *testing.T) {
	got := table([][]string{{"tool", "x"}, {"a|b", "1.00x"}, {"–", "two\nlines"}})
	want := "| tool | x         |\n| ---- | --------- |\n| a\\|b | 1.00x     |\n| –    | two lines |\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.0123: "0.012", 1.234: "1.23", 9.999: "10.0", 99.96: "100", 12345.6: "12346"} {
		if got := number(v); got != want {
			t.Errorf("%v is shown as %s, want %s", v, got, want)
		}
	}
}

func TestMarkdown(t *testing.T) {
	list := pick(t, "bulk")
	rows := []Row{
		{Tool: "raw", Workload: "bulk", Bytes: 50e6, Seconds: 1, CPU: 0.5, Count: 1},
		{Tool: "omniexpect", Workload: "bulk", Bytes: 50e6, Seconds: 1.5, CPU: 0.6, Count: 1, RSS: 12},
	}
	all := summarise(rows, list)
	r := &Report{Machine: "a machine", Repeats: 1, Scale: 1, Verdicts: judge(all, list), Missing: map[string]string{"expect": "not installed"}}
	text := r.markdown(all, list, tools())
	for _, want := range []string{"a machine", "1.20", "pass", "33.3 (1.50x, 1.20x)", "- expect: not installed\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}
