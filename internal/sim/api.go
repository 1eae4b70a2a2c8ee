package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// apiError is an answer that is not the wanted one. With a code it has the product's own form, without one the form of
// its web framework.
type apiError struct {
	status int
	code   string
	detail any // the message, or the framework's detail
}

func (e *apiError) Error() string { return fmt.Sprint(e.detail) }

func apiErr(status int, code, message string) error { return &apiError{status, code, message} }

// schemaErr is a request that does not fit the schema: 422 with what is wrong where.
func schemaErr(kind, msg string, input any, loc ...any) error {
	return &apiError{422, "", []any{map[string]any{"type": kind, "loc": loc, "msg": msg, "input": input}}}
}

// route is a handler that returns its answer.
type route func(r *http.Request) (status int, body any, err error)

func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, h := range map[string]route{
		"GET /health":      s.health,
		"GET /api/version": s.version,
		"GET /sim":         s.describe,
		"GET /v1/me":       s.me,
		"GET /v1/agents":   s.agents,

		"POST /v1/sessions":                                       s.createSession,
		"GET /v1/sessions":                                        s.listSessions,
		"GET /v1/sessions/{id}":                                   s.getSession,
		"PATCH /v1/sessions/{id}":                                 s.patchSession,
		"DELETE /v1/sessions/{id}":                                s.deleteSession,
		"GET /v1/sessions/{id}/items":                             s.listItems,
		"GET /v1/sessions/{id}/child_sessions":                    s.childSessions,
		"POST /v1/sessions/{id}/events":                           s.postEvents,
		"GET /v1/sessions/{id}/resources":                         s.listResources,
		"POST /v1/sessions/{id}/resources/terminals":              s.ensureTerminal,
		"GET /v1/sessions/{id}/resources/terminals/{tid}":         s.getTerminal,
		"DELETE /v1/sessions/{id}/resources/terminals/{tid}":      s.deleteTerminal,
		"POST /v1/sessions/{id}/resources/terminals/{tid}/attach": s.attachInput,
		"GET /v1/sessions/{id}/elicitations/{eid}":                s.getElicitation,
		"POST /v1/sessions/{id}/elicitations/{eid}/resolve":       s.resolveElicitation,

		"GET /v1/hosts":               s.hosts,
		"GET /v1/hosts/{id}":          s.getHost,
		"POST /v1/hosts/{id}/runners": s.launchRunner,
		"GET /v1/runners":             s.runners,
		"GET /v1/runners/{id}/status": s.runnerStatus,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			status, body, err := h(r)
			if err != nil {
				writeError(w, err)
				return
			}
			writeJSON(w, status, body)
		})
	}
	mux.HandleFunc("GET /v1/sessions/{id}/stream", s.stream)
	mux.HandleFunc("GET /v1/sessions/{id}/resources/terminals/{tid}/attach", s.attach)
	return guard(mux)
}

// guard keeps web pages out (they would reach a loopback server through the browser), and gives the framework's answers
// to unknown paths and methods.
func guard(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !localHost(r.Host) {
			writeError(w, apiErr(403, "forbidden", "Host not allowed"))
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" {
			if u, err := url.Parse(origin); err != nil || !localHost(u.Host) {
				writeError(w, apiErr(403, "forbidden", "Origin not allowed"))
				return
			}
		}
		if _, pattern := mux.Handler(r); pattern == "" {
			unrouted(w, r, mux)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func unrouted(w http.ResponseWriter, r *http.Request, mux *http.ServeMux) {
	for _, method := range []string{"GET", "POST", "PATCH", "DELETE"} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := mux.Handler(other); pattern != "" {
			writeError(w, &apiError{405, "", "Method Not Allowed"})
			return
		}
	}
	writeError(w, &apiError{404, "", "Not Found"})
}

func localHost(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.Trim(hostport, "[]")
	}
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	data, err := json.Marshal(body)
	if err != nil {
		status, data = 500, []byte(`{"error":{"code":"internal_error","message":"answer cannot be encoded"}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(data)
}

func writeError(w http.ResponseWriter, err error) {
	var e *apiError
	if !errors.As(err, &e) {
		e = &apiError{500, "internal_error", err.Error()}
	}
	if e.code == "" {
		writeJSON(w, e.status, map[string]any{"detail": e.detail})
		return
	}
	writeJSON(w, e.status, map[string]any{"error": map[string]any{"code": e.code, "message": e.detail}})
}

// readJSON decodes a request's body.
func readJSON(r *http.Request, into any) error {
	if ct := r.Header.Get("Content-Type"); ct != "" {
		if kind, _, err := mime.ParseMediaType(ct); err != nil || kind != "application/json" {
			return &apiError{415, "", "Unsupported Media Type: want application/json"}
		}
	}
	data, err := io.ReadAll(io.LimitReader(r.Body, 16<<20))
	if err != nil {
		return apiErr(400, "invalid_input", "the body cannot be read")
	}
	if err := json.Unmarshal(data, into); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			return schemaErr("type_error", "Input should be a valid "+wrong.Type.String(), wrong.Value, "body", wrong.Field)
		}
		return schemaErr("json_invalid", "JSON decode error", map[string]any{}, "body", 0)
	}
	return nil
}
