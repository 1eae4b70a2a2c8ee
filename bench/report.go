package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"
)

// Report is everything that one run yields; it is what the JSON file holds.
type Report struct {
	Date      time.Time         `json:"date"`
	Machine   string            `json:"machine"`
	Repeats   int               `json:"repeats"`
	Scale     float64           `json:"scale"`
	Tools     []string          `json:"tools"`
	Versions  map[string]string `json:"versions"`
	Missing   map[string]string `json:"missing,omitempty"` // tools that could not be made ready, and why
	Verdicts  []Verdict         `json:"verdicts"`
	Summaries []Summary         `json:"summaries"`
	Rows      []Row             `json:"rows"`
}

// markdown is the report for people, in the order of the workloads and tools.
func (r *Report) markdown(all Summaries, list []Workload, toolset []Tool) string {
	var b strings.Builder
	b.WriteString("# Peer benchmark\n\n")
	fmt.Fprintf(&b, "Measured on %s: %s. Median of %d runs, the tools taking turns in one run.\n", r.Date.Format("2006-01-02"), r.Machine, r.Repeats)
	if r.Scale != 1 {
		fmt.Fprintf(&b, "\nSizes and counts are scaled by %g: this was a trial, its figures mean little.\n", r.Scale)
	}
	b.WriteString("\n\"time x\" and \"CPU x\" are multiples of what the floor (`raw`: a terminal read without any expect engine) took for\n" +
		"the same unit of work in this run. CPU and memory are the tool's own, without the programs it drives. `bench/README.md`\n" +
		"says how it is measured and what is not level.\n")
	b.WriteString("\n## Goals\n\n")
	b.WriteString(table(goalRows(r.Verdicts)))
	b.WriteString("\n## All in one table\n\nThe main figure; in parentheses time x, then CPU x.\n\n")
	b.WriteString(table(matrix(all, list, toolset)))
	for _, w := range list {
		fmt.Fprintf(&b, "\n## %s: %s\n\n", w.Name, w.Title)
		b.WriteString(table(workloadRows(w, all, toolset)))
	}
	b.WriteString("\n## Versions\n\n")
	for _, t := range toolset {
		if why := r.Missing[t.Name]; why != "" {
			fmt.Fprintf(&b, "- %s: %s\n", t.Name, why)
		} else {
			fmt.Fprintf(&b, "- %s: %s (%s)\n", t.Name, r.Versions[t.Name], t.About)
		}
	}
	return b.String()
}

func goalRows(verdicts []Verdict) [][]string {
	rows := [][]string{{"workload", "goal", "measured", "result"}}
	for _, v := range verdicts {
		got := "–"
		if v.Result != "not measured" {
			got = number(v.Got)
		}
		rows = append(rows, []string{v.Workload, v.Goal, got, v.Result})
	}
	return rows
}

func matrix(all Summaries, list []Workload, toolset []Tool) [][]string {
	head := []string{"tool"}
	for _, w := range list {
		head = append(head, w.Name+" "+w.Unit)
	}
	rows := [][]string{head}
	for _, t := range toolset {
		row := []string{t.Name}
		for _, w := range list {
			s := all[key{t.Name, w.Name}]
			if s.Runs == 0 {
				row = append(row, "–")
				continue
			}
			cell := number(s.Figure)
			if s.Bytes > 0 && s.Bytes < w.Args["bytes"] {
				cell += "*"
			}
			row = append(row, fmt.Sprintf("%s (%s, %s)", cell, ratio(s.TimeX), ratio(s.CPUX)))
		}
		rows = append(rows, row)
	}
	return rows
}

func workloadRows(w Workload, all Summaries, toolset []Tool) [][]string {
	cpu := map[string]string{"MB/s": "CPU µs/MB", "s": "CPU µs", "ms": "CPU µs"}[w.Unit]
	if cpu == "" {
		cpu = "CPU µs/op"
	}
	rows := [][]string{{"tool", w.Unit, "range", "time x", "CPU x", cpu, "p50 µs", "p99 µs", "peak MB", "threads", "FDs", "notes"}}
	for _, t := range toolset {
		s, ok := all[key{t.Name, w.Name}]
		if !ok {
			continue
		}
		if s.Runs == 0 {
			rows = append(rows, []string{t.Name, "–", "–", "–", "–", "–", "–", "–", "–", "–", "–", s.Notes})
			continue
		}
		notes := s.Notes
		switch {
		case w.Unit == "lost":
			notes = strings.TrimSuffix(fmt.Sprintf("of %d; %s", s.Count, notes), "; ")
		case s.Bytes > 0 && s.Bytes < w.Args["bytes"]:
			notes = strings.TrimSuffix(fmt.Sprintf("figures are for %s; %s", megabytes(s.Bytes), notes), "; ")
		}
		rows = append(rows, []string{t.Name, number(s.Figure), number(s.Min) + " to " + number(s.Max), ratio(s.TimeX), ratio(s.CPUX),
			number(s.CPU), number(s.P50), number(s.P99), number(s.RSS), number(s.Threads), number(s.FDs), notes})
	}
	return rows
}

// table lays rows out as a Markdown table, padded so that it can be read as it is. The first row is the head.
func table(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(escape(cell)), 3)
		}
	}
	var b strings.Builder
	for n, row := range rows {
		for i, cell := range row {
			cell = escape(cell)
			b.WriteString("| " + cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+1))
		}
		b.WriteString("|\n")
		if n == 0 {
			for _, w := range widths {
				b.WriteString("| " + strings.Repeat("-", w) + " ")
			}
			b.WriteString("|\n")
		}
	}
	return b.String()
}

func escape(cell string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(cell, "|", `\|`)), " ")
}

func ratio(x float64) string {
	if x == 0 {
		return "–"
	}
	return number(x) + "x"
}

// number shows three digits that count, and no decimals from a hundred on.
func number(v float64) string {
	switch a := math.Abs(v); {
	case v == 0:
		return "0"
	case a >= 99.95:
		return fmt.Sprintf("%.0f", v)
	case a >= 9.995:
		return fmt.Sprintf("%.1f", v)
	case a >= 0.1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.2g", v)
}

func megabytes(bytes float64) string { return fmt.Sprintf("%g MB", bytes/1e6) }

// machine describes where the run took place, with the load it began and ended under.
func machine(rows []Row) string {
	text := fmt.Sprintf("%d cores, %s/%s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
	if model := cpuModel(); model != "" {
		text = fmt.Sprintf("%d cores (%s), %s/%s", runtime.NumCPU(), model, runtime.GOOS, runtime.GOARCH)
	}
	if kernel, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		version, _, _ := strings.Cut(strings.TrimSpace(string(kernel)), "-")
		text += " " + version
	}
	text += ", " + runtime.Version()
	if len(rows) > 0 {
		low, high := rows[0].Load, rows[0].Load
		for _, r := range rows {
			low, high = min(low, r.Load), max(high, r.Load)
		}
		text += fmt.Sprintf(", load %.1f to %.1f", low, high)
	}
	return text
}

func cpuModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
