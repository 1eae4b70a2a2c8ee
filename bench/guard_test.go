package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func recorded() []Baseline {
	return []Baseline{
		{Date: "2026-01-02", Commit: "abc", Machine: "a machine", CPUX: map[string]float64{"pingpong": 2, "bulk": 1, "oneline": 1.5}},
		{Date: "2026-01-03", Commit: "abc", Machine: "another", CPUX: map[string]float64{"pingpong": 1, "bulk": 1, "oneline": 1.6}},
	}
}

// passing are rows with which the guard has nothing to say.
func passing() []Row {
	var rows []Row
	for turn := range 3 {
		for _, w := range guarded() {
			for _, tool := range w.Only {
				r := Row{Tool: tool, Workload: w.Name, Repeat: turn, Bytes: w.Args["bytes"], Count: 100, Seconds: 1, CPU: 1}
				if tool == mainTool && w.Name != "startup" {
					r.CPU = highest(recorded(), w.Name) * 1.2
				}
				rows = append(rows, r)
			}
		}
	}
	return rows
}

func results(checks []Check) string {
	var list []string
	for _, c := range checks {
		list = append(list, c.Workload+" "+c.result())
	}
	return strings.Join(list, "; ")
}

func TestGuard(t *testing.T) {
	const fine = "startup pass; pingpong pass; bulk pass; oneline pass; last pass"
	change := func(tool, workload string, by func(*Row)) func([]Row) []Row {
		return func(rows []Row) []Row {
			for i := range rows {
				if rows[i].Tool == tool && rows[i].Workload == workload {
					by(&rows[i])
				}
			}
			return rows
		}
	}
	for _, c := range []struct {
		name string
		with func([]Row) []Row
		want string
	}{
		{"as it was", func(rows []Row) []Row { return rows }, fine},
		{"a slow start", change(mainTool, "startup", func(r *Row) { r.CPU = 1.2 }), strings.Replace(fine, "startup pass", "startup FAIL", 1)},
		{"a third more CPU", change(mainTool, "bulk", func(r *Row) { r.CPU = 1.33 }), strings.Replace(fine, "bulk pass", "bulk FAIL", 1)},
		{"the same with a slower floor", func(rows []Row) []Row {
			rows = change(mainTool, "bulk", func(r *Row) { r.CPU = 2.66 })(rows)
			return change(floorTool, "bulk", func(r *Row) { r.CPU = 2.2 })(rows)
		}, fine},
		{"one bad turn", change(mainTool, "pingpong", func(r *Row) {
			if r.Repeat == 1 {
				r.CPU *= 10
			}
		}), fine},
		{"two bad turns of three", change(mainTool, "pingpong", func(r *Row) {
			if r.Repeat > 0 {
				r.CPU *= 10
			}
		}), fine},
		{"one lost of all", change(mainTool, "last", func(r *Row) {
			if r.Repeat == 2 {
				r.Lost = 1
			}
		}), strings.Replace(fine, "last pass", "last FAIL", 1)},
		{"wrong answers at full speed", change(mainTool, "oneline", func(r *Row) { r.Wrong = 1 }),
			strings.Replace(fine, "oneline pass", "oneline FAIL: 1 wrong and 0 lost answers", 1)},
		{"a driver that fails", change(mainTool, "pingpong", func(r *Row) { *r = Row{Tool: mainTool, Workload: "pingpong", Error: "exit status 2"} }),
			strings.Replace(fine, "pingpong pass", "pingpong FAIL: omniexpect: exit status 2", 1)},
		{"no Tcl", func(rows []Row) []Row {
			var out []Row
			for _, r := range rows {
				if r.Tool != tclTool {
					out = append(out, r)
				}
			}
			return out
		}, strings.Replace(fine, "startup pass", "startup not measured", 1)},
	} {
		checks := inspect(c.with(passing()), recorded())
		if got := results(checks); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
		if fails := len(failing(checks, guarded())) > 0; fails != strings.Contains(c.want, "FAIL") {
			t.Errorf("%s: fails %v", c.name, fails)
		}
	}
	text := guardText(inspect(passing(), recorded()), recorded(), nil)
	if !strings.Contains(text, "1.25 times the highest of\n- abc, 2026-01-02: a machine\n- abc, 2026-01-03: another\n") || !strings.Contains(text, "| 2.50    | pass") {
		t.Error(text)
	}
}

func TestBaselineIsComplete(t *testing.T) {
	base, err := loadBaseline("guard.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range base {
		if b.Date == "" || b.Commit == "" || b.Machine == "" {
			t.Errorf("%+v", b)
		}
	}
	file := filepath.Join(t.TempDir(), "half.json")
	if err := os.WriteFile(file, []byte(`[{"cpu_over_raw": {"bulk": 1}}]`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := loadBaseline(file); err == nil || !strings.Contains(err.Error(), "no ratio of pingpong") {
		t.Errorf("half a baseline: %v", err)
	}
}
