package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// The test program itself plays the driver.
const role = "BENCH_TEST_DRIVER"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "":
		os.Exit(m.Run())
	case "good":
		// A child that costs much more than the driver: it must not be counted, although it is waited for.
		exec.Command("sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done").Run()
		fmt.Println("a line before")
		fmt.Println(`{"seconds": 0.5, "count": 7, "wrong": 1, "p50_us": 12.5, "note": "so"}`)
	case "mute":
	case "failed":
		fmt.Fprintln(os.Stderr, "first\nthe reason")
		os.Exit(3)
	case "hung":
		time.Sleep(time.Hour)
	}
}

func drive(t *testing.T, as string, limit time.Duration) Row {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return measure(context.Background(), []string{exe}, []string{role + "=" + as}, limit)
}

func TestMeasure(t *testing.T) {
	r := drive(t, "good", time.Minute)
	if r.Error != "" || r.Seconds != 0.5 || r.Count != 7 || r.Wrong != 1 || r.P50 != 12.5 || r.Note != "so" {
		t.Fatalf("%+v", r)
	}
	if runtime.GOOS == "linux" && (r.RSS < 1 || r.Threads < 1 || r.FDs < 3 || r.CPU <= 0) {
		t.Errorf("seen from outside: %+v", r)
	}
}

func TestChildrenAreNotCounted(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells them apart")
	}
	with, without := drive(t, "good", time.Minute), drive(t, "mute", time.Minute)
	// The child's loop takes several times what a driver needs to start and end.
	if with.CPU > 5*without.CPU+0.02 {
		t.Errorf("a driver with a busy child took %v s of CPU, one without %v s", with.CPU, without.CPU)
	}
}

func TestMeasureFailures(t *testing.T) {
	if r := drive(t, "failed", time.Minute); !strings.Contains(r.Error, "exit status 3") || !strings.Contains(r.Error, "the reason") {
		t.Errorf("failed: %+v", r)
	}
	if r := drive(t, "mute", time.Minute); !strings.Contains(r.Error, "no result") {
		t.Errorf("mute: %+v", r)
	}
	if r := drive(t, "hung", 50*time.Millisecond); !r.Capped || r.Error != "not done after 50ms" {
		t.Errorf("hung: %+v", r)
	}
	if r := measure(context.Background(), []string{"/no/such/driver"}, nil, time.Minute); r.Error == "" {
		t.Errorf("no driver: %+v", r)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	exe, _ := os.Executable()
	if r := measure(ctx, []string{exe}, []string{role + "=hung"}, time.Minute); r.Error != "interrupted" {
		t.Errorf("interrupted: %+v", r)
	}
}

func TestTurnShrinks(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tool := Tool{Name: "slow", Env: []string{role + "=hung"}}
	g := &game{tools: []Tool{tool}, commands: map[string][]string{"slow": {exe}}, target: "/no/target", cap: 0.02,
		shrunk: map[key]float64{}, given: map[key]bool{}}
	rows := g.play(context.Background(), pick(t, "bulk"), 2)
	var sizes []float64
	for _, r := range rows {
		sizes = append(sizes, r.Bytes)
	}
	if got := fmt.Sprint(sizes); got != "[5e+07 5e+06 500000 50000]" {
		t.Errorf("tried with %s", got)
	}
}

func TestStartup(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if r := startup(context.Background(), []string{exe}, []string{role + "=mute"}, 3); r.Error != "" || r.Seconds <= 0 {
		t.Errorf("%+v", r)
	}
	if r := startup(context.Background(), []string{exe}, []string{role + "=failed"}, 3); r.Error == "" {
		t.Errorf("a failing driver: %+v", r)
	}
}
