package httpc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"omniexpect/internal/fault"
	"omniexpect/internal/mask"
)

const hidden = "Zq7Xw9Kv3JpYt5Mb"

// leaked returns a piece of the secret that a text shows.
func leaked(text string) string {
	for i := range len(hidden) - 3 {
		if strings.Contains(text, hidden[i:i+4]) {
			return hidden[i : i+4]
		}
	}
	return ""
}

func concealing() Conceal {
	m := mask.New()
	m.Add(hidden)
	return func(text string, more bool) string {
		if !more {
			return m.Mask(text)
		}
		var out strings.Builder
		m.Writer(&out).Write([]byte(text))
		return out.String()
	}
}

func everything(err error) string {
	var f *fault.Error
	if !errors.As(err, &f) {
		return fmt.Sprint(err)
	}
	return f.Msg + "\n" + f.Detail + "\n" + strings.Join(f.Hints, "\n")
}

// TestSecretsAtCuts puts a secret at every place where a message cuts what it shows.
func TestSecretsAtCuts(t *testing.T) {
	conceal := concealing()
	for _, limit := range []int{0, 60, 200, 300, 1000, 2000, 3000} {
		for at := max(limit-len(hidden)-90, 0); at <= limit+2; at++ {
			body := strings.Repeat("a", at) + hidden + strings.Repeat("b", 4000-at)
			plain := &Response{Method: "GET", URL: "http://h/", Status: 500, Body: []byte(body), conceal: conceal}
			value := &Response{Method: "GET", URL: "http://h/", Status: 500, Body: []byte(jsonText(map[string]string{"k": body})), conceal: conceal}
			_, plainJSON := plain.JSON()
			for what, err := range map[string]error{
				"status":   Check(plain, Want{Status: []int{200}}),
				"near":     Check(plain, Want{Contains: []string{"B" + strings.Repeat("b", 900)}}),
				"raise":    plain.RaiseForStatus(),
				"json":     plainJSON,
				"jsonpath": Check(value, Want{JSONPath: []PathWant{{Path: "$.k", Value: "none"}, {Path: "$.k", Value: body}}}),
				"message":  Check(value, Want{Status: []int{200}, Contains: []string{body[:min(at+len(hidden), 290)]}}),
			} {
				if err == nil {
					t.Fatalf("%s: no error", what)
				}
				if piece := leaked(everything(err)); piece != "" {
					t.Fatalf("%s, secret at %d of the body: %q is seen in\n%s", what, at, piece, everything(err))
				}
			}
		}
	}
}

// TestSecretAcrossThePlace has what is wrong with a JSON body in the middle of a secret.
func TestSecretAcrossThePlace(t *testing.T) {
	conceal := concealing()
	for at := range len(hidden) + 1 {
		for _, before := range []int{0, 40, 55, 60, 70} {
			text := strings.Repeat("x", before) + hidden + strings.Repeat("y", 70)
			shown := conceal.pointAt(text, before+at)
			if piece := leaked(shown); piece != "" {
				t.Errorf("at %d, %d before: %q is seen in\n%s", at, before, piece, shown)
			}
			line, caret, _ := strings.Cut(strings.ReplaceAll(shown, "…", "."), "\n")
			if strings.Index(line, "***") > len(caret) || !strings.Contains(line, "***") {
				t.Errorf("at %d, %d before: the mark is misplaced:\n%s", at, before, shown)
			}
		}
	}
}

// meter closes a channel when as many bytes have come as it waits for.
type meter struct {
	left int
	full chan struct{}
}

func (m *meter) Write(p []byte) (int, error) {
	if m.left > 0 && m.left <= len(p) {
		close(m.full)
	}
	m.left -= len(p)
	return len(p), nil
}

// TestSecretsAtStreamCuts lets waits on streams fail that show the end of what came.
func TestSecretsAtStreamCuts(t *testing.T) {
	client, err := New(Options{Conceal: concealing()})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for at := 1970; at <= 2010; at += 3 {
		// The secret stands where the last 2,000 bytes begin, and another one is only half there.
		body := "data: " + strings.Repeat("a", 50) + hidden + strings.Repeat("b", at-len(hidden)/2) + hidden[:len(hidden)/2]
		s, err := Serve([]Route{
			{Pattern: "/events", Answer: Answer{Headers: []Pair{{"Content-Type", "text/event-stream"}}, Chunks: []Chunk{{Data: []byte(body)}, {Data: []byte("x"), Delay: time.Hour}}}},
			{Pattern: "/no", Answer: Answer{Status: 500, Text: strings.Repeat("a", at) + hidden + strings.Repeat("b", 100)}},
			{Pattern: "/short", Answer: Answer{Status: 500, Text: strings.Repeat("a", at-970) + hidden + strings.Repeat("b", 100)}},
		}, ServeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		one, two := &meter{left: len(body), full: make(chan struct{})}, &meter{left: len(body), full: make(chan struct{})}
		stream, err := client.OpenStream(t.Context(), Request{URL: s.URL + "/events"}, StreamOptions{Tee: one})
		if err != nil {
			t.Fatal(err)
		}
		lines, err := client.OpenLines(t.Context(), Request{URL: s.URL + "/events"}, two)
		if err != nil {
			t.Fatal(err)
		}
		<-one.full
		<-two.full
		_, streamErr := stream.Next(context.Background(), 0, "")
		_, linesErr := lines.Next(context.Background(), 0, "")
		_, noStream := client.OpenStream(t.Context(), Request{URL: s.URL + "/no"}, StreamOptions{})
		_, noSocket := client.OpenSocket(t.Context(), Request{URL: s.URL + "/short"})
		for what, err := range map[string]error{"stream": streamErr, "lines": linesErr, "no stream": noStream, "no socket": noSocket} {
			if err == nil {
				t.Fatalf("%s: no error", what)
			}
			if piece := leaked(everything(err)); piece != "" {
				t.Errorf("%s, %d: %q is seen in\n%s", what, at, piece, everything(err))
			}
		}
		stream.Close()
		lines.Close()
		if err := s.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}
