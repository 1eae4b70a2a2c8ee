package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"time"
)

// tclTool is the peer that a start is measured with.
const tclTool = "expect"

// startSlack is what a start may take of Tcl Expect's: as much, and as much more as the ratio of the same two programs moves
// within an hour on one machine (0.93 to 1.13 of CPU times of 3 ms).
const startSlack = 1.15

// guardSlack is how much more CPU time, in multiples of the floor, a workload may take than when the ratios were recorded.
// Another machine has other caches and another kernel: what is smaller than this is a matter for -against.
const guardSlack = 1.25

// Baseline is what the ratios were on a machine when they were recorded. A file has one for each machine that was asked.
type Baseline struct {
	Date    string             `json:"date"`
	Commit  string             `json:"commit"`
	Machine string             `json:"machine"`
	CPUX    map[string]float64 `json:"cpu_over_raw"` // by workload
}

// highest is the ratio to hold in a workload: processors differ more than a busy and a quiet hour, so the machine where the
// ratio was the highest sets it.
func highest(file []Baseline, workload string) float64 {
	var most float64
	for _, b := range file {
		most = max(most, b.CPUX[workload])
	}
	return most
}

// guarded are the workloads of the guard and who takes part in each.
func guarded() []Workload {
	only := map[string][]string{
		"startup": {mainTool, tclTool}, "last": {mainTool},
		"pingpong": {floorTool, mainTool}, "bulk": {floorTool, mainTool}, "oneline": {floorTool, mainTool},
	}
	// Long enough for CPU times of a few tenths of a second.
	longer := map[string]float64{"pingpong": 4, "bulk": 4, "oneline": 8}
	var list []Workload
	for _, w := range workloads() {
		if names, ok := only[w.Name]; ok {
			w.Only = names
			if by := longer[w.Name]; by > 0 {
				w.rescale(by)
			}
			list = append(list, w)
		}
	}
	return list
}

// guard is the short form of the benchmark that every change has to pass.
func guard(ctx context.Context, c config) error {
	list := guarded()
	p, err := find()
	if err != nil {
		return err
	}
	g, err := ready(ctx, p, c.cap)
	if err != nil {
		return err
	}
	commit := "HEAD"
	for _, t := range tools() {
		if !slices.Contains([]string{floorTool, mainTool, tclTool}, t.Name) {
			continue
		}
		command, err := t.Prepare(ctx, p)
		if t.Ours && c.against != "" {
			command, commit, err = prepareCommit(ctx, p, c.against)
		}
		switch {
		case err != nil && t.Name == tclTool:
			fmt.Fprintf(os.Stderr, "left out: %s: %v\n", t.Name, err)
			continue
		case err != nil:
			return err
		}
		g.commands[t.Name] = command
		g.tools = append(g.tools, t)
	}
	rows := g.play(ctx, list, c.repeat)
	if c.record {
		return record(ctx, p, c.guard, commit, rows)
	}
	base, err := loadBaseline(c.guard)
	if err != nil {
		return err
	}
	checks := inspect(rows, base)
	// A bad minute is not a fault: what fails is measured once more, and counts if it fails over all turns together.
	if again := failing(checks, list); len(again) > 0 && ctx.Err() == nil {
		rows = append(rows, g.play(ctx, again, c.repeat)...)
		checks = inspect(rows, base)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	fmt.Print(guardText(checks, base, rows))
	if bad := failing(checks, list); len(bad) > 0 {
		var names []string
		for _, w := range bad {
			names = append(names, w.Name)
		}
		return fmt.Errorf("the guard fails: %s", strings.Join(names, ", "))
	}
	return nil
}

// Check is one line of the guard.
type Check struct {
	Workload, What string
	Got, Limit     float64
	Known          bool   // there was something to measure with
	Why            string // a driver's failure, which fails the check
}

func (c Check) ok() bool { return c.Why == "" && (!c.Known || c.Got <= c.Limit) }

func (c Check) result() string {
	switch {
	case c.Why != "":
		return "FAIL: " + c.Why
	case !c.Known:
		return "not measured"
	case c.ok():
		return "pass"
	}
	return "FAIL"
}

// inspect turns the rows into the guard's answers.
func inspect(rows []Row, base []Baseline) []Check {
	var checks []Check
	for _, w := range guarded() {
		mine, fault := ofTool(rows, w.Name, mainTool)
		c := Check{Workload: w.Name, Why: fault}
		switch w.Name {
		case "startup":
			tcl, _ := ofTool(rows, w.Name, tclTool)
			c.What, c.Limit = "CPU of a start, of Tcl Expect's", startSlack
			_, c.Got, c.Known = cpuRatio(w.Unit, mine, tcl)
		case "last":
			c.What = "lost last words"
			c.Known = len(mine) > 0
		default:
			floor, floorFault := ofTool(rows, w.Name, floorTool)
			c.What, c.Limit = "CPU of the floor's", highest(base, w.Name)*guardSlack
			_, c.Got, c.Known = cpuRatio(w.Unit, mine, floor)
			c.Why = firstOf(c.Why, floorFault)
		}
		for _, r := range mine {
			if w.Name == "last" {
				c.Got += float64(r.Lost)
			} else if r.Wrong+r.Lost > 0 {
				c.Why = firstOf(c.Why, fmt.Sprintf("%d wrong and %d lost answers", r.Wrong, r.Lost))
			}
		}
		checks = append(checks, c)
	}
	return checks
}

// ofTool are the rows of a tool in a workload that have a result, and the first failure among the others.
func ofTool(rows []Row, workload, tool string) (list []Row, fault string) {
	for _, r := range rows {
		switch {
		case r.Workload != workload || r.Tool != tool:
		case r.Error != "":
			fault = firstOf(fault, tool+": "+r.Error)
		default:
			list = append(list, r)
		}
	}
	return list, fault
}

// cpuRatio is the CPU time per unit of work of one tool over another's: of the medians, which is what is recorded, and the
// lower of that and the ratio of the minima, which is what is judged. A busy machine adds to CPU time and takes nothing from
// it, and it does not always add to both.
func cpuRatio(unit string, rows, over []Row) (typical, lower float64, ok bool) {
	if len(rows) == 0 || len(over) == 0 {
		return 0, 0, false
	}
	costs := func(rows []Row) (low, middle float64) {
		var list []float64
		for _, r := range rows {
			list = append(list, cost(unit, r))
		}
		return slices.Min(list), median(list)
	}
	low, middle := costs(rows)
	lowOver, middleOver := costs(over)
	typical = middle / middleOver
	lower = min(low/lowOver, typical)
	return typical, lower, lower > 0 && !math.IsInf(typical, 0)
}

func failing(checks []Check, list []Workload) []Workload {
	var out []Workload
	for _, c := range checks {
		if c.ok() {
			continue
		}
		for _, w := range list {
			if w.Name == c.Workload {
				out = append(out, w)
			}
		}
	}
	return out
}

func guardText(checks []Check, base []Baseline, rows []Row) string {
	cells := [][]string{{"workload", "what", "measured", "at most", "result"}}
	for _, c := range checks {
		got := "–"
		if c.Known {
			got = number(c.Got)
		}
		cells = append(cells, []string{c.Workload, c.What, got, number(c.Limit), c.result()})
	}
	var from strings.Builder
	for _, b := range base {
		fmt.Fprintf(&from, "- %s, %s: %s\n", b.Commit, b.Date, b.Machine)
	}
	return fmt.Sprintf("Guard on %s.\nLimits over the floor are %g times the highest of\n%s\n%s", machine(rows), guardSlack, from.String(), table(cells))
}

func loadBaseline(path string) ([]Baseline, error) {
	var base []Baseline
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("-guard: %w", err)
	}
	if err := json.Unmarshal(text, &base); err != nil {
		return nil, fmt.Errorf("-guard: %s: %w", path, err)
	}
	for _, w := range guarded() {
		if slices.Contains(w.Only, floorTool) && highest(base, w.Name) <= 0 {
			return nil, fmt.Errorf("-guard: %s has no ratio of %s: add one with -record", path, w.Name)
		}
	}
	return base, nil
}

// record adds what the ratios are at a commit on this machine.
func record(ctx context.Context, p places, path, commit string, rows []Row) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	commit, err := output(ctx, p.root, "git", "rev-parse", "--short=12", commit)
	if err != nil {
		return fmt.Errorf("-record: which commit is this? git rev-parse: %w", err)
	}
	base := Baseline{Date: time.Now().Format(time.DateOnly), Commit: commit, Machine: machine(rows), CPUX: map[string]float64{}}
	for _, w := range guarded() {
		if !slices.Contains(w.Only, floorTool) {
			continue
		}
		mine, fault := ofTool(rows, w.Name, mainTool)
		floor, floorFault := ofTool(rows, w.Name, floorTool)
		got, _, ok := cpuRatio(w.Unit, mine, floor)
		if !ok {
			return fmt.Errorf("-record: %s has no figure: %s", w.Name, firstOf(fault, floorFault, "this machine does not tell CPU time"))
		}
		base.CPUX[w.Name] = math.Round(got*1000) / 1000
	}
	file, err := loadBaseline(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text, err := json.MarshalIndent(append(file, base), "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}
