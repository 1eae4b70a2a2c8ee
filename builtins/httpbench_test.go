package builtins_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"go.starlark.net/starlark"
)

// BenchmarkHTTPGet compares http_get in a script with a bare client, on loopback and with a small JSON body.
func BenchmarkHTTPGet(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"state": "done", "items": [1, 2, 3]}`)
	}))
	defer server.Close()
	b.Run("bare", func(b *testing.B) {
		client := &http.Client{Transport: &http.Transport{}}
		defer client.CloseIdleConnections()
		for b.Loop() {
			if err := bareGet(b.Context(), client, server.URL); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("script", func(b *testing.B) {
		benchScript(b, server.URL, b.Loop)
	})
	// One call of each kind in turn, so that a busy machine slows both: the metric "x" is how much longer the script's take.
	b.Run("ratio", func(b *testing.B) {
		client := &http.Client{Transport: &http.Transport{}}
		defer client.CloseIdleConnections()
		var bare, script []time.Duration
		var began time.Time
		benchScript(b, server.URL, func() bool {
			now := time.Now()
			if !began.IsZero() {
				script = append(script, now.Sub(began))
			}
			if err := bareGet(b.Context(), client, server.URL); err != nil {
				b.Fatal(err)
			}
			bare = append(bare, time.Since(now))
			more := b.Loop()
			began = time.Now()
			return more
		})
		slices.Sort(bare)
		slices.Sort(script)
		b.ReportMetric(float64(script[len(script)/2])/float64(bare[len(bare)/2]), "x")
	})
}

// benchScript calls http_get in a script for as long as more says.
func benchScript(b *testing.B, url string, more func() bool) {
	var builtin starlark.Callable = starlark.NewBuiltin("more", func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
		return starlark.Bool(more()), nil
	})
	s := newScript(starlark.StringDict{"more": builtin})
	if err := s.do(b.Context(), fmt.Sprintf("while more():\n    http_get(%q)\n", url)); err != nil {
		b.Fatal(err)
	}
}

// bareGet is what a Go program does for a call with a deadline.
func bareGet(ctx context.Context, client *http.Client, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	return err
}
