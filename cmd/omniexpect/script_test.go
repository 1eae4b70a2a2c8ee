package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"omniexpect/internal/proc"
	"omniexpect/internal/testhome"
)

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) != "omniexpect" {
		// What is ignored here, as under nohup, the programs that tests start would ignore as well.
		proc.CatchIgnored()
	}
	testscript.Main(testhome.Tests{M: m}, map[string]func(){"omniexpect": func() { os.Exit(dispatch(os.Args)) }})
}

// TestScripts runs testdata/script: the command as its users run it.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"unmarked": unmarked,
		},
	})
}

// unmarked fails if a process of a run that was started below $WORK is left.
func unmarked(ts *testscript.TestScript, neg bool, _ []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err == nil && bytes.Contains(b, []byte("OMNIEXPECT_RUN=")) && bytes.Contains(b, []byte("WORK="+ts.Getenv("WORK"))) {
			cmdline, _ := os.ReadFile(filepath.Join(filepath.Dir(f), "cmdline"))
			ts.Fatalf("left running: %s", strings.ReplaceAll(string(cmdline), "\x00", " "))
		}
	}
}
