package httpc

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"omniexpect/internal/fault"
)

func TestMain(m *testing.M) {
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY", "NO_PROXY", "no_proxy"} {
		os.Unsetenv(name)
	}
	log.SetOutput(io.Discard) // net/http writes there of answers that nobody asked for
	goleak.VerifyTestMain(m)
}

// patience is for what must happen; no test waits for it in vain.
const patience = 30 * time.Second

func newClient(t *testing.T, opts Options) *Client {
	t.Helper()
	c, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// socketPath returns a path for a unix socket, which must be short: that of t.TempDir, below $TMPDIR, need not be.
func socketPath(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "s")
}

func do(t *testing.T, c *Client, r Request) *Response {
	t.Helper()
	resp, err := c.Do(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// overtime has a call time out where it is to: a busy machine may take all of a short timeout for what comes before, and
// then it gets a longer one. The message has to name what was missing.
func overtime(t *testing.T, missing string, call func(timeout time.Duration) error) (err error, timeout time.Duration) {
	t.Helper()
	for timeout = 50 * time.Millisecond; ; timeout *= 2 {
		err = call(timeout)
		if err == nil {
			t.Fatal("no error")
		}
		if strings.Contains(err.Error(), missing) || timeout >= patience {
			wantFault(t, err, fault.Timeout, missing)
			return err, timeout
		}
	}
}

// wantFault checks the kind of an error, the parts of its message, and that it is one line without a password.
func wantFault(t *testing.T, err error, kind fault.Kind, parts ...string) {
	t.Helper()
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		t.Fatalf("error %v (%T): no *fault.Error", err, err)
	}
	if f.Kind != kind {
		t.Errorf("kind %s, want %s: %v", f.Kind, kind, err)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("message %q lacks %q", err, part)
		}
	}
	if strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("message %q: more than one line, or shows a password", err)
	}
}
