package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestNobodyReadsVerbose has a deadline hold, and a wait find what is there, while nobody reads what -v and -d show. What
// they showed in the end is all of it, standard error of a program without a terminal too.
func TestNobodyReadsVerbose(t *testing.T) {
	script := filepath.Join(t.TempDir(), "x.star")
	if err := os.WriteFile(script, []byte(`
s = spawn(["sh", "-c", "seq 1 60000; sleep 600"], timeout = 20)
s.expect("\n60000\n")
r = catch(s.expect, "never", timeout = 0.1)
http_post(ARGS[0], body = r.kind)
p = spawn(["sh", "-c", "echo to standard error >&2; echo done"], pty = False)
p.expect("done")
p.expect("error\n", stream = "stderr")
`), 0o600); err != nil {
		t.Fatal(err)
	}
	for flag, want := range map[string]string{"-v": "to standard error", "-d": "debug: sh"} {
		over := make(chan string, 1)
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			kind, _ := io.ReadAll(r.Body)
			over <- string(kind)
		}))
		defer server.Close()
		cmd := exec.CommandContext(t.Context(), "omniexpect", "run", flag, script, server.URL)
		errs, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if kind := <-over; kind != "timeout" { // nobody has read anything so far
			t.Errorf("%s: the wait ended with %q", flag, kind)
		}
		shown, _ := io.ReadAll(errs)
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", flag, err)
		}
		if !strings.Contains(string(shown), want) {
			t.Errorf("%s: no %q in %d bytes, … %q", flag, want, len(shown), shown[max(0, len(shown)-200):])
		}
	}
}
