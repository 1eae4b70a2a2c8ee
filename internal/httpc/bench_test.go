package httpc

import (
	"context"
	"io"
	"net/http"
	"testing"
)

// BenchmarkGet compares a call with what net/http takes for it.
func BenchmarkGet(b *testing.B) {
	s, err := Serve([]Route{{Pattern: "/", Answer: Answer{JSON: []byte(`{"state":"done"}`)}}}, ServeOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close(context.Background())
	b.Run("bare", func(b *testing.B) {
		c := &http.Client{Transport: &http.Transport{}}
		defer c.CloseIdleConnections()
		for b.Loop() {
			resp, err := c.Get(s.URL)
			if err != nil {
				b.Fatal(err)
			}
			io.ReadAll(resp.Body)
			resp.Body.Close()
		}
	})
	b.Run("httpc", func(b *testing.B) {
		c, err := New(Options{})
		if err != nil {
			b.Fatal(err)
		}
		defer c.Close()
		for b.Loop() {
			if _, err := c.Do(context.Background(), Request{URL: s.URL}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
