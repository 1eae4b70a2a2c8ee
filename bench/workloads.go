package main

import (
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Workload is one thing that every tool is asked to do.
type Workload struct {
	Name  string
	Does  string             // the driver's name for it, where it differs
	Title string             // for people
	Unit  string             // of the main figure: ms, spawns/s, trips/s, MB/s, s, lost
	Args  map[string]float64 // the driver's parameters
	Cap   float64            // seconds a driver may take, where the -cap flag is not to decide
	Only  []string           // tools that take part; empty for all
	Goals []Goal
}

// Goal is what omniexpect has to reach in a workload.
type Goal struct {
	Text  string
	Limit float64
	Of    func(s Summary, all Summaries) (float64, bool) // the figure that must not exceed the limit
}

const mainTool, floorTool = "omniexpect", "raw"

func workloads() []Workload {
	ours := []string{floorTool, mainTool}
	args := func(kv ...any) map[string]float64 {
		m := map[string]float64{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i].(string)] = kv[i+1].(float64)
		}
		return m
	}
	return []Workload{
		{Name: "startup", Title: "from exec to exit of an empty script", Unit: "ms",
			Goals: []Goal{tclGoal()}},
		{Name: "spawn", Title: "spawn `true`, wait for the end of output and the exit status", Unit: "spawns/s",
			Args: args("n", 300.0, "budget", 6.0), Goals: []Goal{timeGoal(1.15)}},
		{Name: "pingpong", Title: "send a line, expect its answer by a regular expression", Unit: "trips/s",
			Args: args("n", 5000.0, "budget", 6.0), Goals: []Goal{timeGoal(1.2)}},
		{Name: "bulk", Title: "50 MB of 80-column lines, then the marker", Unit: "MB/s",
			Args: args("bytes", 50e6), Goals: []Goal{cpuGoal(1.3), memoryGoal(30)}},
		{Name: "bulk16", Does: "bulk", Title: "16 MB of 80-column lines, then the marker", Unit: "MB/s", Only: ours,
			Args: args("bytes", 16e6), Goals: []Goal{cpuGoal(1.5)}},
		{Name: "five16", Does: "bulk", Title: "five patterns over 16 MB, the last one matches at the end", Unit: "MB/s", Only: ours,
			Args: args("bytes", 16e6, "patterns", 5.0), Goals: []Goal{cpuGoal(1.5)}},
		{Name: "five50", Does: "bulk", Title: "five patterns over 50 MB, the last one matches at the end", Unit: "MB/s", Only: ours,
			Args: args("bytes", 50e6, "patterns", 5.0), Goals: []Goal{cpuGoal(1.5)}},
		{Name: "oneline", Title: "5 MB without a line end, then the marker", Unit: "MB/s",
			Args: args("bytes", 5e6), Goals: []Goal{cpuGoal(1.3), memoryGoal(30)}},
		{Name: "colour", Title: "50 MB of the same lines, coloured, with CRLF, then the marker", Unit: "MB/s",
			Args: args("bytes", 50e6), Goals: []Goal{plainGoal(2)}},
		{Name: "many", Does: "bulk", Title: "50 patterns over 5 MB, the last one matches at the end", Unit: "MB/s",
			Args: args("bytes", 5e6, "patterns", 50.0), Goals: []Goal{cpuGoal(1.5)}},
		{Name: "trickle", Title: "200 kB in writes of one byte, then the marker", Unit: "MB/s",
			Args: args("bytes", 200e3), Goals: []Goal{timeGoal(1.1)}},
		{Name: "chatty", Title: "a spinner every 20 ms, expect what never comes with a timeout of 2 s", Unit: "s",
			Args: args("timeout", 2.0), Cap: 15, Goals: []Goal{deadlineGoal(2, 0.02)}},
		{Name: "sessions", Title: "100 sessions at once, 50 round trips each", Unit: "trips/s",
			Args: args("sessions", 100.0, "n", 50.0, "budget", 6.0), Goals: []Goal{timeGoal(1.1), fdGoal(100, 2), threadGoal(100)}},
		{Name: "last", Title: "the child prints `last words` and ends at once", Unit: "lost",
			Args: args("n", 500.0, "budget", 15.0, "timeout", 2.0), Goals: []Goal{lossGoal()}},
	}
}

func timeGoal(limit float64) Goal {
	return Goal{fmt.Sprintf("time at most %gx the floor", limit), limit,
		func(s Summary, _ Summaries) (float64, bool) { return s.TimeX, s.TimeX > 0 }}
}

// tclGoal wants a start that is no slower than Tcl Expect's in the same run.
func tclGoal() Goal {
	return Goal{"no slower than Tcl Expect (1 or less)", 1,
		func(s Summary, all Summaries) (float64, bool) {
			tcl := all[key{tclTool, s.Workload}]
			return s.Figure / tcl.Figure, s.Figure > 0 && tcl.Figure > 0
		}}
}

func cpuGoal(limit float64) Goal {
	return Goal{fmt.Sprintf("CPU at most %gx the floor", limit), limit,
		func(s Summary, _ Summaries) (float64, bool) { return s.CPUX, s.CPUX > 0 }}
}

func memoryGoal(mb float64) Goal {
	return Goal{fmt.Sprintf("peak memory under %g MB", mb), mb,
		func(s Summary, _ Summaries) (float64, bool) { return s.RSS, s.RSS > 0 }}
}

// plainGoal compares with the same tool's plain output, each per megabyte of its own.
func plainGoal(limit float64) Goal {
	return Goal{fmt.Sprintf("CPU at most %gx its own for plain text", limit), limit,
		func(s Summary, all Summaries) (float64, bool) {
			plain := all[key{s.Tool, "bulk"}]
			return s.CPU / plain.CPU, s.CPU > 0 && plain.CPU > 0
		}}
}

func deadlineGoal(deadline, share float64) Goal {
	return Goal{fmt.Sprintf("within %g%% of the deadline", share*100), share * 100,
		func(s Summary, _ Summaries) (float64, bool) {
			off := max(math.Abs(s.Min-deadline), math.Abs(s.Max-deadline))
			return off / deadline * 100, true
		}}
}

// fdGoal allows the program 16 descriptors besides those of its sessions.
func fdGoal(sessions, each float64) Goal {
	return Goal{fmt.Sprintf("at most %g descriptors per session", each), each,
		func(s Summary, _ Summaries) (float64, bool) { return max(0, s.FDs-16) / sessions, s.FDs > 0 }}
}

// threadGoal wants fewer threads than a fifth of the sessions, or what the runtime has for the processors.
func threadGoal(sessions float64) Goal {
	limit := max(sessions/5, float64(4*runtime.NumCPU()))
	return Goal{fmt.Sprintf("no thread per session (at most %g in all)", limit), limit,
		func(s Summary, _ Summaries) (float64, bool) { return s.Threads, s.Threads > 0 }}
}

func lossGoal() Goal {
	return Goal{"nothing lost", 0, func(s Summary, _ Summaries) (float64, bool) { return float64(s.Lost), true }}
}

// ask is the name of the workload that a driver is given.
func (w Workload) ask() string {
	if w.Does != "" {
		return w.Does
	}
	return w.Name
}

// flags are a driver's arguments, in a fixed order.
func (w Workload) flags(target string, args map[string]float64) []string {
	list := []string{"--workload", w.ask(), "--target", target}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		list = append(list, "--"+name, strconv.FormatFloat(args[name], 'f', -1, 64))
	}
	return list
}

// choose picks the named ones out of a list, in the order of the list.
func choose[T any](list []T, names string, name func(T) string) ([]T, error) {
	if names == "" {
		return list, nil
	}
	want := map[string]bool{}
	for n := range strings.SplitSeq(names, ",") {
		want[strings.TrimSpace(n)] = true
	}
	var picked []T
	var known []string
	for _, item := range list {
		known = append(known, name(item))
		if want[name(item)] {
			picked = append(picked, item)
			delete(want, name(item))
		}
	}
	for n := range want {
		return nil, fmt.Errorf("%q is not known: want some of %s", n, strings.Join(known, ","))
	}
	return picked, nil
}
