// The soak: omniexpect runs mixed sessions for a long time, and what it holds must not grow.
//
//	go run ./bench/soak -for 10m
//	go run ./bench/soak -for 10m -omniexpect path/to/omniexpect -o samples.json
//
// It runs bench/soak.star, looks at the process from outside at each tick (memory, threads, file descriptors,
// descendants) and compares the last third of the run with the one before it. It fails when one of them has grown beyond
// its margin, when an answer was wrong, or when a program was left behind. Goroutines cannot be seen from outside; one
// that leaks shows as memory, and one that waits for a program as a descriptor or a descendant.
//
// Only Linux shows what is needed.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"omniexpect/bench/internal/proc"
)

func main() {
	length := flag.Duration("for", 10*time.Minute, "how long to run")
	every := flag.Duration("every", time.Second, "time between two samples")
	binary := flag.String("omniexpect", os.Getenv("OMNIEXPECT"), "`path` of omniexpect (default: built from cmd/omniexpect)")
	script := flag.String("script", filepath.Join("bench", "soak.star"), "`path` of the script")
	out := flag.String("o", "", "write the samples to this JSON `file`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := soak(ctx, *length, *every, *binary, *script, *out); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func soak(ctx context.Context, length, every time.Duration, binary, script, out string) error {
	if runtime.GOOS != "linux" {
		return errors.New("only Linux shows what is needed")
	}
	if length < 10*every {
		return fmt.Errorf("-for %v: want at least ten samples, %v", length, 10*every)
	}
	dir, err := os.MkdirTemp("", "soak")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	target := filepath.Join(dir, "target")
	if err := build(ctx, target, "./bench/target"); err != nil {
		return err
	}
	if binary == "" {
		binary = filepath.Join(dir, "omniexpect")
		if err := build(ctx, binary, "./cmd/omniexpect"); err != nil {
			return err
		}
	}
	if binary, err = exec.LookPath(binary); err != nil {
		return err
	}
	samples, said, err := watch(ctx, every, binary, "run", script, "--target", target, "--seconds", fmt.Sprint(length.Seconds()))
	if out != "" {
		text, _ := json.MarshalIndent(samples, "", " ")
		err = errors.Join(err, os.WriteFile(out, append(text, '\n'), 0o644))
	}
	if err != nil {
		return err
	}
	fmt.Println(said)
	return verdict(samples, said, leftBehind(target))
}

func build(ctx context.Context, out, pkg string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w: %s", pkg, err, bytes.TrimSpace(text))
	}
	return nil
}

// watch runs a command to its end and samples it; said is the last line of its output.
func watch(ctx context.Context, every time.Duration, argv ...string) (samples []Sample, said string, err error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		return nil, "", err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	interrupt := ctx.Done()
	for start := time.Now(); ; {
		select {
		case err := <-ended:
			if err != nil {
				err = fmt.Errorf("%s: %w: %s", filepath.Base(argv[0]), err, bytes.TrimSpace(stderr.Bytes()))
			}
			return samples, lastLine(stdout.String()), errors.Join(err, ctx.Err())
		case <-ticks.C:
			if u, ok := proc.Sample(cmd.Process.Pid); ok {
				samples = append(samples, Sample{
					Seconds: time.Since(start).Seconds(), RSS: float64(u.RSS) / 1e6, Threads: float64(u.Threads),
					FDs: float64(u.FDs), Children: float64(len(proc.Descendants(cmd.Process.Pid))),
				})
			}
		case <-interrupt:
			interrupt = nil
			cmd.Process.Signal(os.Interrupt)
		}
	}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// leftBehind counts the programs that still run a while after the end.
func leftBehind(target string) int {
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		left := len(proc.Running(target))
		if left == 0 || time.Now().After(end) {
			return left
		}
	}
}

// verdict describes what the samples show, and is an error when something grew or went wrong.
func verdict(samples []Sample, said string, left int) error {
	var tally struct{ Rounds, Wrong int }
	if err := json.Unmarshal([]byte(said), &tally); err != nil {
		return fmt.Errorf("the script's last line is no tally: %q", said)
	}
	drifts, err := compare(samples)
	if err != nil {
		return err
	}
	var problems []string
	for _, d := range drifts {
		fmt.Println(d)
		if d.Grown() {
			problems = append(problems, d.What+" has grown")
		}
	}
	if tally.Rounds == 0 {
		problems = append(problems, "no round was done")
	}
	if tally.Wrong > 0 {
		problems = append(problems, fmt.Sprintf("%d answers were wrong", tally.Wrong))
	}
	if left > 0 {
		problems = append(problems, fmt.Sprintf("%d programs were left behind", left))
	}
	if len(problems) > 0 {
		return errors.New(strings.Join(problems, "; "))
	}
	return nil
}
