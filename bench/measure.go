package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"omniexpect/bench/internal/proc"
)

// Row is one run of one tool: what its driver said, and what was seen from outside.
type Row struct {
	Tool     string  `json:"tool"`
	Workload string  `json:"workload"`
	Repeat   int     `json:"repeat"`
	Bytes    float64 `json:"bytes,omitempty"`
	Seconds  float64 `json:"seconds"`
	Count    int     `json:"count"`
	Wrong    int     `json:"wrong"`
	Lost     int     `json:"lost"`
	P50      float64 `json:"p50_us,omitempty"`
	P99      float64 `json:"p99_us,omitempty"`
	Setup    float64 `json:"setup_s,omitempty"`
	Note     string  `json:"note,omitempty"`
	CPU      float64 `json:"cpu_s"`
	RSS      float64 `json:"rss_mb"`
	Threads  int     `json:"threads"`
	FDs      int     `json:"fds"`
	Left     int     `json:"left,omitempty"` // children still running a second after the driver's end
	Load     float64 `json:"load"`
	Error    string  `json:"error,omitempty"`
	Capped   bool    `json:"capped,omitempty"`
}

const sampleEvery = 20 * time.Millisecond

// measure runs a driver to its end, or to the limit, and watches it.
func measure(ctx context.Context, argv, env []string, limit time.Duration) Row {
	var row Row
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	// A group of its own, so that stopping it reaches what it started and nothing else.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// A child that survives the driver may hold its output; the wait for that is bounded.
	cmd.WaitDelay = 2 * time.Second
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return Row{Error: err.Error()}
	}
	pid := cmd.Process.Pid
	ended := make(chan error, 1)
	go func() { ended <- proc.WaitEnd(pid) }()
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	ticks := time.NewTicker(sampleEvery)
	defer ticks.Stop()
	for running := true; running; {
		row.sample(pid)
		select {
		case <-ended:
			running = false
		case <-ticks.C:
		case <-deadline.C:
			row.Capped, row.Error = true, fmt.Sprintf("not done after %v", limit)
			syscall.Kill(-pid, syscall.SIGKILL)
		case <-ctx.Done():
			row.Error = "interrupted"
			syscall.Kill(-pid, syscall.SIGKILL)
			ctx = context.Background()
		}
	}
	wall := time.Since(start)
	row.CPU = proc.CPU(pid).Seconds()
	err := cmd.Wait()
	if row.Error != "" {
		return row
	}
	if err != nil {
		row.Error = strings.TrimSpace(err.Error() + ": " + lastLine(stderr.Bytes()))
		return row
	}
	row.Seconds = wall.Seconds()
	if err := json.Unmarshal([]byte(lastLine(stdout.Bytes())), &row); err != nil {
		row.Error = "no result: " + err.Error()
	}
	return row
}

func (r *Row) sample(pid int) {
	u, ok := proc.Sample(pid)
	if !ok {
		return
	}
	r.RSS = max(r.RSS, float64(u.Peak)/1e6)
	r.Threads = max(r.Threads, u.Threads)
	r.FDs = max(r.FDs, u.FDs)
}

// startup runs an empty script many times, and takes the median of the time from exec to exit.
func startup(ctx context.Context, argv, env []string, runs int) Row {
	var times, cpus []float64
	for range runs {
		if ctx.Err() != nil {
			return Row{Error: "interrupted"}
		}
		start := time.Now()
		p, err := os.StartProcess(argv[0], argv, &os.ProcAttr{Env: append(os.Environ(), env...), Files: []*os.File{nil, nil, os.Stderr}})
		if err != nil {
			return Row{Error: err.Error()}
		}
		proc.WaitEnd(p.Pid)
		took := time.Since(start)
		cpus = append(cpus, proc.CPU(p.Pid).Seconds())
		st, err := p.Wait()
		if err != nil || !st.Success() {
			return Row{Error: fmt.Sprintf("an empty script ended with %v %v", st, err)}
		}
		times = append(times, took.Seconds())
	}
	slices.Sort(cpus)
	// A busy machine adds to the CPU time of a start, up to a quarter, and takes little from it.
	return Row{Seconds: median(times), CPU: cpus[len(cpus)/4], Count: 1}
}

// settle waits until no child of the last driver runs any more, for a second at most, and says how many are left: a tool
// that leaves children behind would disturb the next one.
func settle(target string) int {
	left := 0
	for end := time.Now().Add(time.Second); time.Now().Before(end); time.Sleep(sampleEvery) {
		if left = len(proc.Running(target)); left == 0 {
			return 0
		}
	}
	return left
}

func loadAverage() float64 {
	var load float64
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		fmt.Sscan(string(text), &load)
	}
	return load
}
