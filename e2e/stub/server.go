package main

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
)

// maxBody bounds a request, packed and unpacked.
const maxBody = 64 << 20

// A handler answers the endpoints that the agents use and notes every request in its journal.
type handler struct {
	model   model
	mu      sync.Mutex // guards journal and count
	journal io.Writer
	count   int
}

// An entry is one line of the journal.
type entry struct {
	Time     time.Time `json:"time"`
	Method   string    `json:"method"`
	Path     string    `json:"path"`
	Encoding string    `json:"encoding,omitempty"`
	Agent    string    `json:"agent,omitempty"`
	Stream   bool      `json:"stream,omitempty"`
	Tools    []string  `json:"tools,omitempty"`
	Turns    []string  `json:"turns,omitempty"`
	Reply    string    `json:"reply,omitempty"`
	Error    string    `json:"error,omitempty"`
}

func newHandler(m model, journal io.Writer) http.Handler {
	h := &handler{model: m, journal: journal}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/hello", h.hello)
	mux.HandleFunc("GET /v1/models", h.models)
	mux.HandleFunc("POST /v1/messages", h.messages)
	mux.HandleFunc("POST /v1/messages/count_tokens", h.countTokens)
	mux.HandleFunc("POST /v1/responses", h.responses)
	mux.HandleFunc("/", h.unknown)
	return mux
}

func (h *handler) hello(w http.ResponseWriter, r *http.Request) {
	h.note(begin(r))
	writeJSON(w, http.StatusOK, map[string]any{"message": "hello"})
}

// models serves both APIs' lists in one: each reader ignores the other's keys.
func (h *handler) models(w http.ResponseWriter, r *http.Request) {
	h.note(begin(r))
	writeJSON(w, http.StatusOK, map[string]any{
		"object": "list", "has_more": false, "models": []any{},
		"data": []any{
			map[string]any{"id": "claude-sonnet-4-5", "type": "model", "display_name": "Claude Sonnet 4.5"},
			map[string]any{"id": "gpt-5", "object": "model"},
		},
	})
}

func (h *handler) unknown(w http.ResponseWriter, r *http.Request) {
	e := begin(r)
	h.fail(w, e, http.StatusNotFound, "no such endpoint: "+r.Method+" "+r.URL.Path)
}

func begin(r *http.Request) *entry {
	return &entry{
		Time: time.Now(), Method: r.Method, Path: r.URL.RequestURI(),
		Encoding: r.Header.Get("Content-Encoding"), Agent: r.UserAgent(),
	}
}

// record adds a conversation and its answer to the entry, each turn cut to what a person needs for recognizing it.
func (e *entry) record(turns []turn, tools []string, r reply) {
	for _, t := range turns {
		text := []rune(t.text)
		if len(text) > 200 {
			text = append(text[:200], '…')
		}
		e.Turns = append(e.Turns, t.role+": "+string(text))
	}
	e.Tools = tools
	e.Reply = r.text
	if r.command != "" {
		e.Reply = "run " + r.command
	}
}

func (h *handler) note(e *entry) {
	line, err := json.Marshal(e)
	if err != nil {
		return // cannot happen: an entry holds plain values only
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	fmt.Fprintf(h.journal, "%s\n", line)
}

// next numbers what needs an id.
func (h *handler) next() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.count++
	return h.count
}

// fail answers with an error in the shape that both APIs' clients read.
func (h *handler) fail(w http.ResponseWriter, e *entry, status int, message string) {
	e.Error = message
	h.note(e)
	kind := "invalid_request_error"
	if status == http.StatusNotFound {
		kind = "not_found_error"
	}
	writeJSON(w, status, map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": "stub: " + message}})
}

// decode reads a JSON body, plain, gzip or zstd.
func decode(r *http.Request, into any) error {
	body, err := unpack(r)
	if err != nil {
		return err
	}
	if err := json.NewDecoder(io.LimitReader(body, maxBody)).Decode(into); err != nil {
		return fmt.Errorf("the body is not the JSON that was expected: %w", err)
	}
	return nil
}

func unpack(r *http.Request) (io.Reader, error) {
	packed := io.LimitReader(r.Body, maxBody)
	switch encoding := r.Header.Get("Content-Encoding"); encoding {
	case "", "identity":
		return packed, nil
	case "gzip":
		unpacked, err := gzip.NewReader(packed)
		if err != nil {
			return nil, fmt.Errorf("the body is not gzip: %w", err)
		}
		return unpacked, nil
	case "zstd":
		// One goroutine less to own: a synchronous reader needs no Close to end its workers.
		unpacked, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBody))
		if err != nil {
			return nil, fmt.Errorf("the body is not zstd: %w", err)
		}
		return unpacked, nil
	default:
		return nil, fmt.Errorf("content encoding %q is not known here, only gzip and zstd are", encoding)
	}
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(value)
}

// events writes server-sent events.
type events struct {
	w        http.ResponseWriter
	numbered bool // the Responses API numbers its events
	count    int
}

func startEvents(w http.ResponseWriter, numbered bool) *events {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	return &events{w: w, numbered: numbered}
}

// send writes one event of a type; the type is repeated in its data, as both APIs do.
func (s *events) send(kind string, data map[string]any) {
	data["type"] = kind
	if s.numbered {
		data["sequence_number"] = s.count
		s.count++
	}
	text, err := json.Marshal(data)
	if err != nil {
		return // cannot happen: the data are plain values
	}
	fmt.Fprintf(s.w, "event: %s\ndata: %s\n\n", kind, text)
	http.NewResponseController(s.w).Flush()
}

// pieces cuts text as a model's stream does, so that a passphrase never comes whole.
func pieces(text string) []string {
	const size = 5
	var cut []string
	runes := []rune(text)
	for len(runes) > size {
		cut = append(cut, string(runes[:size]))
		runes = runes[size:]
	}
	return append(cut, string(runes))
}
