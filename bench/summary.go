package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

type key struct{ tool, workload string }

// Summary is what the repeats of one tool in one workload come to: medians, unless said otherwise.
type Summary struct {
	Tool     string  `json:"tool"`
	Workload string  `json:"workload"`
	Runs     int     `json:"runs"`   // that ended with a result
	Figure   float64 `json:"figure"` // in the workload's unit
	Min      float64 `json:"min"`
	Max      float64 `json:"max"`
	TimeX    float64 `json:"time_x"` // time per unit of work, as a multiple of the floor's
	CPUX     float64 `json:"cpu_x"`
	CPU      float64 `json:"cpu"` // per megabyte, operation or run, in microseconds
	RSS      float64 `json:"rss_mb"`
	Threads  float64 `json:"threads"`
	FDs      float64 `json:"fds"`
	P50      float64 `json:"p50_us,omitempty"`
	P99      float64 `json:"p99_us,omitempty"`
	Bytes    float64 `json:"bytes,omitempty"` // that the figures are for
	Count    int     `json:"count"`           // operations in all repeats
	Wrong    int     `json:"wrong"`           // in all repeats
	Lost     int     `json:"lost"`            // in all repeats
	Notes    string  `json:"notes,omitempty"`
}

// Summaries are all of a run.
type Summaries map[key]Summary

// figure is the main figure of a row, and the time per unit of work that it stands for.
func figure(unit string, r Row) (fig, per float64) {
	work := math.Max(float64(r.Count), 1)
	switch unit {
	case "ms":
		return r.Seconds * 1e3, r.Seconds
	case "MB/s":
		return r.Bytes / 1e6 / r.Seconds, r.Seconds / r.Bytes
	case "s":
		return r.Seconds, r.Seconds
	case "lost":
		return float64(r.Lost), r.Seconds / work
	}
	return work / r.Seconds, r.Seconds / work
}

// cost is the CPU time of a row per megabyte or operation, in microseconds.
func cost(unit string, r Row) float64 {
	if unit == "MB/s" {
		return r.CPU * 1e6 / (r.Bytes / 1e6)
	}
	return r.CPU * 1e6 / math.Max(float64(r.Count), 1)
}

// summarise takes the rows of a run together. Ratios are medians over the floor's medians.
func summarise(rows []Row, list []Workload) Summaries {
	all := Summaries{}
	for _, w := range list {
		byTool := map[string][]Row{}
		for _, r := range rows {
			if r.Workload == w.Name {
				byTool[r.Tool] = append(byTool[r.Tool], r)
			}
		}
		floorTime, floorCPU := perWork(w.Unit, good(byTool[floorTool]))
		for tool, mine := range byTool {
			s := digest(w, mine)
			s.Tool, s.Workload = tool, w.Name
			time, cpu := perWork(w.Unit, good(mine))
			if floorTime > 0 {
				s.TimeX = time / floorTime
			}
			if floorCPU > 0 {
				s.CPUX = cpu / floorCPU
			}
			all[key{tool, w.Name}] = s
		}
	}
	return all
}

// good are the rows with a result; where a size was too much for the tool, only those of the size it came down to.
func good(rows []Row) []Row {
	var list []Row
	smallest := math.Inf(1)
	for _, r := range rows {
		if r.Error == "" {
			smallest = min(smallest, r.Bytes)
		}
	}
	for _, r := range rows {
		if r.Error == "" && r.Bytes == smallest {
			list = append(list, r)
		}
	}
	return list
}

func perWork(unit string, rows []Row) (time, cpu float64) {
	return medianOf(rows, func(r Row) float64 { _, per := figure(unit, r); return per }),
		medianOf(rows, func(r Row) float64 { return cost(unit, r) })
}

func digest(w Workload, rows []Row) Summary {
	list := good(rows)
	var s Summary
	var notes []string
	figures := make([]float64, 0, len(list))
	for _, r := range list {
		fig, _ := figure(w.Unit, r)
		figures = append(figures, fig)
		s.Count += r.Count
		s.Wrong += r.Wrong
		s.Lost += r.Lost
		s.RSS = max(s.RSS, r.RSS)
		if r.Left > 0 {
			notes = append(notes, fmt.Sprintf("%d children left behind", r.Left))
		}
		if r.Note != "" {
			notes = append(notes, r.Note)
		}
	}
	for _, r := range rows {
		switch {
		case r.Capped && r.Bytes > 0:
			notes = append(notes, fmt.Sprintf("%s at %s", r.Error, megabytes(r.Bytes)))
		case r.Error != "":
			notes = append(notes, r.Error)
		}
	}
	s.Runs = len(list)
	if s.Runs > 0 {
		s.Figure, s.Min, s.Max = median(figures), slices.Min(figures), slices.Max(figures)
		s.Bytes = list[0].Bytes
	}
	if w.Unit == "lost" {
		s.Figure = float64(s.Lost)
	}
	_, s.CPU = perWork(w.Unit, list)
	s.Threads = medianOf(list, func(r Row) float64 { return float64(r.Threads) })
	s.FDs = medianOf(list, func(r Row) float64 { return float64(r.FDs) })
	s.P50 = medianOf(list, func(r Row) float64 { return r.P50 })
	s.P99 = medianOf(list, func(r Row) float64 { return r.P99 })
	if s.Wrong > 0 {
		notes = append(notes, fmt.Sprintf("%d wrong", s.Wrong))
	}
	if s.Lost > 0 && w.Unit != "lost" {
		notes = append(notes, fmt.Sprintf("%d lost", s.Lost))
	}
	s.Notes = strings.Join(distinct(notes), "; ")
	return s
}

func distinct(list []string) []string {
	var out []string
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func medianOf(rows []Row, of func(Row) float64) float64 {
	values := make([]float64, 0, len(rows))
	for _, r := range rows {
		values = append(values, of(r))
	}
	return median(values)
}

// median is the middle value, or the mean of the two in the middle; 0 of none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	mid := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[mid]
	}
	return (sorted[mid-1] + sorted[mid]) / 2
}

// Verdict is a goal and how it came out.
type Verdict struct {
	Workload string  `json:"workload"`
	Goal     string  `json:"goal"`
	Got      float64 `json:"got"`
	Result   string  `json:"result"` // pass, MISS, or not measured
}

func judge(all Summaries, list []Workload) []Verdict {
	var out []Verdict
	for _, w := range list {
		s, ok := all[key{mainTool, w.Name}]
		for _, g := range w.Goals {
			v := Verdict{Workload: w.Name, Goal: g.Text, Result: "not measured"}
			if ok && s.Runs > 0 {
				got, known := g.Of(s, all)
				switch {
				case s.Wrong > 0 || s.Lost > 0 && w.Unit != "lost":
					v.Got, v.Result = got, "MISS (wrong or lost answers)"
				case known && got <= g.Limit:
					v.Got, v.Result = got, "pass"
				case known:
					v.Got, v.Result = got, "MISS"
				}
			}
			out = append(out, v)
		}
	}
	return out
}
