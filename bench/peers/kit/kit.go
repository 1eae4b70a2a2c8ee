// Package kit is what the Go drivers of the peer benchmark have in common.
//
// A driver is a Tool: it starts a program and hands back a Session that knows how to wait with that tool. The workloads
// are written here once, against these two interfaces, so that the Go peers differ in nothing but the tool. A driver
// prints one line of JSON, a Result, and times itself with the monotonic clock; what it costs (CPU, memory, threads) is
// measured by the runner from outside.
//
// Drivers in other languages follow the same protocol: `driver --workload NAME --target PATH [--n N] [--bytes N]
// [--patterns N] [--sessions N] [--budget SECONDS] [--timeout SECONDS]`.
package kit

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"
)

// Tool is an expect tool under test.
type Tool interface {
	// Compile takes the patterns that Marker will wait for, before the clock runs.
	Compile(patterns []string)
	// Start runs a program on a terminal of its own.
	Start(argv ...string) (Session, error)
}

// Session is one program that a tool drives. Waits are bounded by the timeout the tool was made with.
type Session interface {
	// Ready waits for the line READY.
	Ready() error
	// Ping sends the number as a line and returns the number that comes back after "re:".
	Ping(number string) (string, error)
	// Marker waits for one of the compiled patterns: which one it was, and its first group.
	Marker() (index int, group string, err error)
	// Never waits for a text that does not come, and reports whether the wait ended by its timeout.
	Never() bool
	// LastWords waits for the text "last words", which the program leaves behind as it ends.
	LastWords() error
	// Exit waits for the end of the output and of the program, and reports whether its status was 0.
	Exit() bool
	// Close gives up what the session holds.
	Close()
}

// Options are a driver's parameters.
type Options struct {
	Workload string
	Target   string        // path of the child program
	N        int           // operations, at most
	Bytes    int           // size of the output
	Patterns int           // how many patterns to wait for; the last one matches
	Sessions int           // sessions at once
	Budget   time.Duration // no new operation starts after this
	Timeout  time.Duration // of one wait
}

// Result is what a driver prints.
type Result struct {
	Seconds float64 `json:"seconds"`
	Count   int     `json:"count"`
	Wrong   int     `json:"wrong"` // answers that were not the right ones
	Lost    int     `json:"lost"`  // output that never came
	P50     float64 `json:"p50_us,omitempty"`
	P99     float64 `json:"p99_us,omitempty"`
	Setup   float64 `json:"setup_s,omitempty"`
	Note    string  `json:"note,omitempty"`
}

// Parse reads the command line of a driver.
func Parse() Options {
	var o Options
	budget := flag.Float64("budget", 60, "`seconds` after which no new operation starts")
	timeout := flag.Float64("timeout", 10, "`seconds` that one wait may take")
	flag.StringVar(&o.Workload, "workload", "", "what to do")
	flag.StringVar(&o.Target, "target", "", "`path` of the child program")
	flag.IntVar(&o.N, "n", 1, "operations, at most")
	flag.IntVar(&o.Bytes, "bytes", 0, "size of the output")
	flag.IntVar(&o.Patterns, "patterns", 1, "patterns to wait for")
	flag.IntVar(&o.Sessions, "sessions", 1, "sessions at once")
	flag.Parse()
	o.Budget = time.Duration(*budget * float64(time.Second))
	o.Timeout = time.Duration(*timeout * float64(time.Second))
	return o
}

// Run does the workload with the tool and prints its result.
func Run(o Options, tool Tool) {
	if o.Workload == "startup" {
		return
	}
	res, err := measure(o, tool)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	line, err := json.Marshal(res)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(string(line))
}

func measure(o Options, tool Tool) (*Result, error) {
	switch o.Workload {
	case "spawn":
		return repeat(o, func(_ int, r *Result) error {
			s, err := tool.Start("true")
			if err != nil {
				return err
			}
			if !s.Exit() {
				r.Wrong++
			}
			s.Close()
			return nil
		})
	case "pingpong":
		s, err := pong(o, tool)
		if err != nil {
			return nil, err
		}
		return repeat(o, func(i int, r *Result) error {
			r.answer(ping(s, i))
			return nil
		})
	case "bulk", "oneline", "colour", "trickle":
		tool.Compile(Patterns(o.Patterns))
		return once(func(r *Result) error { return r.marker(o, tool) })
	case "chatty":
		return once(func(r *Result) error {
			s, err := tool.Start(o.Target, "spin")
			if err != nil {
				return err
			}
			if !s.Never() {
				r.Wrong++
			}
			return nil
		})
	case "sessions":
		return fleet(o, tool)
	case "last":
		return repeat(o, func(_ int, r *Result) error {
			s, err := tool.Start(o.Target, "last")
			if err != nil {
				return err
			}
			if err := s.LastWords(); err != nil {
				r.Lost++
				r.Note = err.Error()
			}
			s.Exit()
			s.Close()
			return nil
		})
	}
	return nil, fmt.Errorf("unknown workload %q", o.Workload)
}

// Patterns are n patterns of which only the last one ever matches; the others meet their first words in the output.
func Patterns(n int) []string {
	var list []string
	for i := range n - 1 {
		list = append(list, fmt.Sprintf(`(warn|error|fatal): code %02d at [a-z]+`, i))
	}
	return append(list, `DONE-(\d+)`)
}

// marker starts the child that the workload is named after, and waits for the marker that ends its output. The session
// stays open: closing it is not what is timed.
func (r *Result) marker(o Options, tool Tool) error {
	size := strconv.Itoa(o.Bytes)
	s, err := tool.Start(o.Target, o.Workload, size)
	if err != nil {
		return err
	}
	index, group, err := s.Marker()
	switch {
	case err != nil:
		r.Lost++
		r.Note = err.Error()
	case index != o.Patterns-1 || group != size:
		r.Wrong++
		r.Note = fmt.Sprintf("pattern %d matched %q", index, group)
	}
	return nil
}

func (r *Result) answer(err error) {
	if err != nil {
		r.Wrong++
		r.Note = err.Error()
	}
}

func pong(o Options, tool Tool) (Session, error) {
	s, err := tool.Start(o.Target, "pong")
	if err == nil {
		err = s.Ready()
	}
	return s, err
}

func ping(s Session, i int) error {
	number := strconv.Itoa(i)
	got, err := s.Ping(number)
	if err == nil && got != number {
		err = fmt.Errorf("sent %s, got %s", number, got)
	}
	return err
}

func once(op func(*Result) error) (*Result, error) {
	r := &Result{Count: 1}
	start := time.Now()
	err := op(r)
	r.Seconds = time.Since(start).Seconds()
	return r, err
}

func repeat(o Options, op func(int, *Result) error) (*Result, error) {
	r := &Result{}
	var each []time.Duration
	start := time.Now()
	for t := start; r.Count < o.N && t.Sub(start) < o.Budget; r.Count++ {
		if err := op(r.Count, r); err != nil {
			return nil, err
		}
		now := time.Now()
		each = append(each, now.Sub(t))
		t = now
	}
	r.Seconds = time.Since(start).Seconds()
	if len(each) > 0 {
		slices.Sort(each)
		r.P50 = float64(each[len(each)/2].Nanoseconds()) / 1e3
		r.P99 = float64(each[len(each)*99/100].Nanoseconds()) / 1e3
	}
	return r, nil
}

// fleet opens all sessions, then lets each of them ping on a goroutine of its own.
func fleet(o Options, tool Tool) (*Result, error) {
	r := &Result{}
	start := time.Now()
	sessions := make([]Session, o.Sessions)
	for i := range sessions {
		s, err := pong(o, tool)
		if err != nil {
			return nil, err
		}
		sessions[i] = s
	}
	r.Setup = time.Since(start).Seconds()
	type share struct {
		count int
		err   error
	}
	shares := make(chan share)
	start = time.Now()
	for _, s := range sessions {
		go func() {
			var sh share
			for sh.err == nil && sh.count < o.N && time.Since(start) < o.Budget {
				sh.err = ping(s, sh.count)
				sh.count++
			}
			shares <- sh
		}()
	}
	for range sessions {
		sh := <-shares
		r.Count += sh.count
		r.answer(sh.err)
	}
	r.Seconds = time.Since(start).Seconds()
	return r, nil
}
