package builtins_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

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
			resp, err := client.Get(server.URL)
			if err != nil {
				b.Fatal(err)
			}
			io.ReadAll(resp.Body)
			resp.Body.Close()
		}
	})
	b.Run("script", func(b *testing.B) {
		var more starlark.Callable = starlark.NewBuiltin("more", func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			return starlark.Bool(b.Loop()), nil
		})
		s := newScript(starlark.StringDict{"more": more})
		if err := s.do(b.Context(), fmt.Sprintf("while more():\n    http_get(%q)\n", server.URL)); err != nil {
			b.Fatal(err)
		}
	})
}
