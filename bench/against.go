package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The players of a comparison: the old binary twice, so that its distance from itself is known.
const oldTool, oldAgain, newTool = "old", "old again", "new"

// worseBy is the share of CPU time that a row may always grow by: below it nobody feels a difference, and machines are
// not steadier than that from one hour to the next.
const worseBy = 0.03

// against compares the program under test with the one that a commit makes.
func against(ctx context.Context, c config, list []Workload) error {
	p, err := find()
	if err != nil {
		return err
	}
	g, err := ready(ctx, p, c.cap)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "preparing %s\n", c.against)
	before, commit, err := prepareCommit(ctx, p, c.against)
	if err != nil {
		return err
	}
	now, err := prepareOurs(ctx, p)
	if err != nil {
		return err
	}
	for _, one := range []struct {
		name    string
		command []string
	}{{oldTool, before}, {oldAgain, before}, {newTool, now}} {
		g.tools = append(g.tools, Tool{Name: one.name, Ours: true})
		g.commands[one.name] = one.command
	}
	for i := range list {
		list[i].Only = nil
	}
	rows := g.play(ctx, list, c.repeat)
	result := compare(rows, list)
	// What looks worse is looked at once more before it is said: twelve rows have twelve chances of a bad minute.
	if again := suspects(result, list); len(again) > 0 && ctx.Err() == nil {
		more := g.play(ctx, again, c.repeat)
		for i := range more {
			more[i].Repeat += c.repeat
		}
		rows = append(rows, more...)
		result = compare(rows, list)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	fmt.Print(againstText(result, c.against, commit, rows))
	if c.out != "" {
		r := &Report{Machine: machine(rows), Repeats: c.repeat, Scale: c.scale, Tools: []string{oldTool, oldAgain, newTool}, Rows: rows}
		if err := save(c.out, r); err != nil {
			return err
		}
	}
	if worse := suspects(result, list); len(worse) > 0 {
		var names []string
		for _, w := range worse {
			names = append(names, w.Name)
		}
		return fmt.Errorf("worse than %s: %s", c.against, strings.Join(names, ", "))
	}
	return nil
}

// prepareCommit builds the program as it was at a commit, and says which commit that is.
func prepareCommit(ctx context.Context, p places, commit string) (command []string, hash string, err error) {
	hash, err = output(ctx, p.root, "git", "rev-parse", "--verify", "--quiet", "--short=12", commit+"^{commit}")
	if err != nil {
		return nil, "", fmt.Errorf("-against: %q is no commit of this repository", commit)
	}
	exe := p.bin(mainTool + "-" + hash)
	command = []string{exe, "run", p.bench("omniexpect.star")}
	if _, err := os.Stat(exe); err == nil {
		return command, hash, nil // a commit does not change
	}
	dir, err := os.MkdirTemp("", "omniexpect-against-")
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(dir)
	files := filepath.Join(dir, "files.tar")
	if err := do(ctx, p.root, nil, "git", "archive", "-o", files, hash); err != nil {
		return nil, "", err
	}
	if err := do(ctx, dir, nil, "tar", "-xf", files); err != nil {
		return nil, "", err
	}
	return command, hash, build(ctx, dir, exe)
}

// Compared is what a workload came to.
type Compared struct {
	Workload string
	Turns    int     // in which all three had a result
	New      float64 // CPU time of new/old, the median over the turns
	Old      float64 // the spread of old/old: by so much does the old program differ from itself
	Time     float64 // the clock's new/old, for the reader alone
	Memory   float64 // the peak's, for the reader alone
	Verdict  string  // same, better, WORSE, or not compared
	Why      string
}

func (c Compared) worse() bool { return c.Verdict == "WORSE" }

// compare judges each workload from the rows of the three.
func compare(rows []Row, list []Workload) []Compared {
	var out []Compared
	for _, w := range list {
		turns := map[string]map[int]Row{oldTool: {}, oldAgain: {}, newTool: {}}
		bad := map[string]string{}
		faults := map[string]int{}
		for _, r := range rows {
			if r.Workload != w.Name {
				continue
			}
			if r.Error != "" {
				bad[r.Tool] = r.Error
				continue
			}
			turns[r.Tool][r.Repeat] = r
			faults[r.Tool] += r.Wrong + r.Lost
		}
		c := ratios(w, turns)
		c.Workload = w.Name
		c.judge(bad, faults)
		out = append(out, c)
	}
	return out
}

// ratios takes together the turns in which all three did the same amount of work.
func ratios(w Workload, turns map[string]map[int]Row) Compared {
	var fresh, same, times, memory []float64
	for i, n := range turns[newTool] {
		a, okA := turns[oldTool][i]
		b, okB := turns[oldAgain][i]
		if !okA || !okB || a.Bytes != n.Bytes || b.Bytes != n.Bytes {
			continue
		}
		_, timeN := figure(w.Unit, n)
		for _, old := range []Row{a, b} {
			_, timeOld := figure(w.Unit, old)
			fresh = append(fresh, cost(w.Unit, n)/cost(w.Unit, old))
			times = append(times, timeN/timeOld)
			if old.RSS > 0 {
				memory = append(memory, n.RSS/old.RSS)
			}
		}
		// Which of the two is called the old one again is chance, so each counts in both directions.
		between := cost(w.Unit, b) / cost(w.Unit, a)
		same = append(same, between, 1/between)
	}
	return Compared{Turns: len(fresh) / 2, New: median(fresh), Old: max(1, quantile(same, 0.9)), Time: median(times), Memory: median(memory)}
}

// judge decides. A row is worse by what it does wrong, or by CPU time: beyond the spread and beyond worseBy.
func (c *Compared) judge(bad map[string]string, faults map[string]int) {
	old := max(faults[oldTool], faults[oldAgain])
	switch {
	case bad[newTool] != "" && bad[oldTool] == "" && bad[oldAgain] == "":
		c.Verdict, c.Why = "WORSE", "fails: "+bad[newTool]
	case faults[newTool] > old:
		c.Verdict, c.Why = "WORSE", fmt.Sprintf("%d wrong or lost answers, the old one has %d", faults[newTool], old)
	case c.Turns == 0 || math.IsNaN(c.New) || math.IsInf(c.New, 0):
		c.Verdict, c.Why = "not compared", firstOf(bad[oldTool], bad[oldAgain], bad[newTool], "no turn that all had a result in")
	case c.New > c.Old && c.New > 1+worseBy:
		c.Verdict = "WORSE"
	case c.New < 1/c.Old && c.New < 1/(1+worseBy):
		c.Verdict = "better"
	default:
		c.Verdict = "same"
	}
}

func firstOf(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

// quantile is the value that the share of all is not above, between two neighbours where it falls between them.
func quantile(values []float64, share float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	at := share * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

// suspects are the workloads whose rows are worse.
func suspects(result []Compared, list []Workload) []Workload {
	var out []Workload
	for i, c := range result {
		if c.worse() {
			out = append(out, list[i])
		}
	}
	return out
}

func againstText(result []Compared, name, hash string, rows []Row) string {
	cells := [][]string{{"workload", "CPU new/old", "old/old up to", "time new/old", "memory new/old", "turns", "verdict"}}
	for _, c := range result {
		verdict := strings.TrimSuffix(c.Verdict+": "+c.Why, ": ")
		if c.Turns == 0 {
			cells = append(cells, []string{c.Workload, "–", "–", "–", "–", "0", verdict})
			continue
		}
		cells = append(cells, []string{c.Workload, share(c.New), share(c.Old), share(c.Time), share(c.Memory), fmt.Sprint(c.Turns), verdict})
	}
	return fmt.Sprintf("Against %s (%s) on %s.\n\n%s", name, hash, machine(rows), table(cells))
}

// share shows a ratio near 1 with the digits in which it differs.
func share(x float64) string {
	if x == 0 {
		return "–"
	}
	return fmt.Sprintf("%.3f", x)
}
