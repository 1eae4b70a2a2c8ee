package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"omniexpect/internal/testneed"
)

// planted are the rows of a comparison in one workload: the CPU seconds of each tool, turn by turn.
func planted(workload string, size float64, cpu map[string][]float64) []Row {
	var rows []Row
	for tool, list := range cpu {
		for turn, seconds := range list {
			rows = append(rows, Row{Tool: tool, Workload: workload, Repeat: turn, Bytes: size, Seconds: 2 * seconds, Count: 1, CPU: seconds, RSS: 20})
		}
	}
	return rows
}

func TestVerdictOfPlantedSamples(t *testing.T) {
	steady := []float64{1, 1.01, 0.99, 1, 1.01, 0.99, 1}
	noisy := []float64{1, 1.3, 0.8, 1.1, 0.9, 1.25, 1}
	times := func(list []float64, by float64) []float64 {
		var out []float64
		for _, v := range list {
			out = append(out, v*by)
		}
		return out
	}
	turned := func(list []float64) []float64 { return append(append([]float64{}, list[3:]...), list[:3]...) }
	for _, c := range []struct {
		name         string
		old, b, next []float64
		want         string
	}{
		{"the same program", steady, turned(steady), steady, "same"},
		{"a tenth more on a steady machine", steady, turned(steady), times(steady, 1.1), "WORSE"},
		{"beyond the spread, but under 3 %", []float64{1, 1, 1, 1, 1}, []float64{1, 1, 1, 1, 1}, times(steady[:5], 1.025), "same"},
		{"just above 3 %", []float64{1, 1, 1, 1, 1}, []float64{1, 1, 1, 1, 1}, []float64{1.035, 1.035, 1.035, 1.035, 1.035}, "WORSE"},
		{"a tenth more within the spread", noisy, turned(noisy), times(noisy, 1.1), "same"},
		{"half as much again beyond a wide spread", noisy, turned(noisy), times(noisy, 1.6), "WORSE"},
		{"one bad turn of the new one", steady, turned(steady), []float64{1, 1, 5, 1, 1, 1, 1}, "same"},
		{"one bad turn of the old one hides nothing", steady, []float64{1, 4, 1, 1, 1, 1, 1}, times(steady, 1.1), "WORSE"},
		{"less", steady, turned(steady), times(steady, 0.8), "better"},
	} {
		list := pick(t, "bulk")
		rows := planted("bulk", 50e6, map[string][]float64{oldTool: c.old, oldAgain: c.b, newTool: c.next})
		if got := compare(rows, list)[0]; got.Verdict != c.want {
			t.Errorf("%s: %+v, want %s", c.name, got, c.want)
		}
	}
}

// Work that is done within a budget is compared by operation and not by run.
func TestVerdictCountsWork(t *testing.T) {
	rows := []Row{
		{Tool: oldTool, Workload: "pingpong", Count: 5000, CPU: 1, Seconds: 5},
		{Tool: oldAgain, Workload: "pingpong", Count: 5000, CPU: 1, Seconds: 5},
		{Tool: newTool, Workload: "pingpong", Count: 2500, CPU: 0.9, Seconds: 5},
	}
	if got := compare(rows, pick(t, "pingpong"))[0]; !got.worse() || got.New != 1.8 {
		t.Errorf("%+v", got)
	}
}

func TestVerdictOfFailures(t *testing.T) {
	fine := map[string][]float64{oldTool: {1, 1}, oldAgain: {1, 1}, newTool: {1, 1}}
	for _, c := range []struct {
		name string
		spot Row
		want string
	}{
		{"the new one fails", Row{Tool: newTool, Error: "exit status 1: boom"}, "WORSE: fails: exit status 1: boom"},
		{"the new one is not done in time", Row{Tool: newTool, Error: "not done after 30s", Capped: true}, "WORSE: fails: not done after 30s"},
		{"the old one is slower and fails", Row{Tool: oldTool, Error: "no such builtin"}, "same"},
		{"the new one loses what the old one has", Row{Tool: newTool, Repeat: 7, Bytes: 5e6, Seconds: 1, CPU: 1, Lost: 2}, "WORSE: 2 wrong or lost answers, the old one has 0"},
		{"the new one is wrong where the old one is right", Row{Tool: newTool, Repeat: 7, Bytes: 5e6, Seconds: 1, CPU: 1, Wrong: 1}, "WORSE: 1 wrong or lost answers, the old one has 0"},
		{"both lose as much", Row{Tool: oldAgain, Repeat: 7, Bytes: 5e6, Seconds: 1, CPU: 1, Lost: 2}, "same"},
	} {
		c.spot.Workload = "oneline"
		got := compare(append(planted("oneline", 5e6, fine), c.spot), pick(t, "oneline"))[0]
		if text := strings.TrimSuffix(got.Verdict+": "+got.Why, ": "); text != c.want {
			t.Errorf("%s: %s, want %s", c.name, text, c.want)
		}
	}
	only := []Row{{Tool: newTool, Workload: "oneline", Bytes: 5e6, Seconds: 1, CPU: 1}, {Tool: oldTool, Workload: "oneline", Error: "no such builtin"}}
	if got := compare(only, pick(t, "oneline"))[0]; got.Verdict != "not compared" || got.Why != "no such builtin" || got.worse() {
		t.Errorf("nothing to compare with: %+v", got)
	}
	// A tenth of the output is another workload.
	smaller := append(planted("oneline", 5e6, map[string][]float64{oldTool: {1}, oldAgain: {1}}), planted("oneline", 5e5, map[string][]float64{newTool: {1}})...)
	if got := compare(smaller, pick(t, "oneline"))[0]; got.Verdict != "not compared" {
		t.Errorf("another size: %+v", got)
	}
}

func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		in    []float64
		share float64
		want  float64
	}{{nil, 0.9, 0}, {[]float64{3}, 0.9, 3}, {[]float64{2, 1}, 0.5, 1.5}, {[]float64{5, 1, 2, 3, 4}, 1, 5}, {[]float64{5, 1, 2, 3, 4}, 0, 1}} {
		if got := quantile(c.in, c.share); got != c.want {
			t.Errorf("%v of %v is %v, want %v", c.share, c.in, got, c.want)
		}
	}
}

func TestAgainstText(t *testing.T) {
	list := pick(t, "bulk,oneline")
	rows := planted("bulk", 50e6, map[string][]float64{oldTool: {1, 1}, oldAgain: {1, 1}, newTool: {1.2, 1.2}})
	text := againstText(compare(rows, list), "main", "0123456789ab", rows)
	for _, want := range []string{"Against main (0123456789ab)", "| bulk     | 1.200", "| WORSE", "not compared: no turn that all had a result in"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

func TestAgainstWantsACommit(t *testing.T) {
	testneed.Programs(t, "git")
	dir := t.TempDir()
	p := places{root: dir, peers: filepath.Join(dir, "peers")}
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, out)
	}
	for _, name := range []string{"no-such-branch", "0123456789", "--help"} {
		if _, _, err := prepareCommit(context.Background(), p, name); err == nil || !strings.Contains(err.Error(), "is no commit of this repository") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(p.peers); err == nil {
		t.Error("something was built")
	}
}
