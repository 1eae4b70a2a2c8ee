package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
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

// schemaProblem is one thing that is wrong with a request: what, where, and what was wanted.
type schemaProblem struct {
	Type  string         `json:"type"`
	Loc   []any          `json:"loc"`
	Msg   string         `json:"msg"`
	Input any            `json:"input"`
	Ctx   map[string]any `json:"ctx,omitempty"`
	URL   string         `json:"url,omitempty"`
}

func schemaErrs(problems ...schemaProblem) error { return &apiError{422, "", problems} }

// problemsOf returns what a schema error found, nil of any other error.
func problemsOf(err error) []schemaProblem {
	var e *apiError
	if !errors.As(err, &e) {
		return nil
	}
	problems, _ := e.detail.([]schemaProblem)
	return problems
}

// schemaErr is a request that does not fit the schema: 422 with what is wrong where.
func schemaErr(kind, msg string, input any, loc ...any) error {
	return schemaErrs(schemaProblem{Type: kind, Msg: msg, Input: input, Loc: loc})
}

// boundErr is schemaErr for a value that is outside what ctx says.
func boundErr(kind, msg string, input any, ctx map[string]any, loc ...any) error {
	return schemaErrs(schemaProblem{Type: kind, Msg: msg, Input: input, Loc: loc, Ctx: ctx})
}

// route is a handler that returns its answer.
type route func(r *http.Request) (status int, body any, err error)

func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	routes := map[string]route{
		"GET /health":       s.health,
		"GET /api/version":  s.version,
		"GET /sim":          s.describe,
		"GET /v1/me":        s.me,
		"GET /v1/agents":    s.agents,
		"GET /v1/harnesses": s.harnesses,

		"POST /v1/sessions":                                             s.createSession,
		"GET /v1/sessions":                                              s.listSessions,
		"GET /v1/sessions/{id}":                                         s.getSession,
		"PATCH /v1/sessions/{id}":                                       s.patchSession,
		"DELETE /v1/sessions/{id}":                                      s.deleteSession,
		"GET /v1/sessions/{id}/items":                                   s.listItems,
		"GET /v1/sessions/{id}/child_sessions":                          s.childSessions,
		"GET /v1/sessions/{id}/owner":                                   s.owner(),
		"GET /v1/sessions/{id}/permissions":                             s.permissions(),
		"GET /v1/sessions/{id}/comments":                                s.comments(),
		"GET /v1/sessions/{id}/labels":                                  s.labels(),
		"POST /v1/sessions/{id}/events":                                 s.postEvents,
		"GET /v1/sessions/{id}/resources":                               s.listResources,
		"GET /v1/sessions/{id}/resources/environments":                  s.resourcesOf("environment"),
		"GET /v1/sessions/{id}/resources/environments/{env}/filesystem": s.workingDirectory,
		"GET /v1/sessions/{id}/resources/files":                         s.resourcesOf("file"),
		"GET /v1/sessions/{id}/resources/terminals":                     s.resourcesOf("terminal"),
		"POST /v1/sessions/{id}/resources/terminals":                    s.ensureTerminal,
		"GET /v1/sessions/{id}/resources/terminals/{tid}":               s.getTerminal,
		"DELETE /v1/sessions/{id}/resources/terminals/{tid}":            s.deleteTerminal,
		"POST /v1/sessions/{id}/resources/terminals/{tid}/attach":       s.attachInput,
		"GET /v1/sessions/{id}/elicitations/{eid}":                      s.getElicitation,
		"POST /v1/sessions/{id}/elicitations/{eid}/resolve":             s.resolveElicitation,

		"GET /v1/hosts":               s.hosts,
		"GET /v1/hosts/{id}":          s.getHost,
		"POST /v1/hosts/{id}/runners": s.launchRunner,
		"GET /v1/runners":             s.runners,
		"GET /v1/runners/{id}/status": s.runnerStatus,
	}
	api := openAPI(slices.Sorted(maps.Keys(routes)))
	routes["GET /openapi.json"] = func(*http.Request) (int, any, error) { return 200, api, nil }
	for pattern, h := range routes {
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
		_, pattern := mux.Handler(r)
		if pattern == "" || r.Method == http.MethodHead { // which takes a GET's route, but not on the product
			unrouted(w, r, pattern != "" || methodsOf(mux, r))
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// methodsOf reports whether a path is there for another method.
func methodsOf(mux *http.ServeMux, r *http.Request) bool {
	for _, method := range []string{"GET", "POST", "PATCH", "DELETE"} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := mux.Handler(other); pattern != "" {
			return true
		}
	}
	return false
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
	data, err := io.ReadAll(io.LimitReader(r.Body, 16<<20))
	if err != nil {
		return apiErr(400, "invalid_input", "the body cannot be read")
	}
	if ct := r.Header.Get("Content-Type"); ct != "" {
		if kind, _, err := mime.ParseMediaType(ct); err != nil || kind != "application/json" {
			return schemaErr(notAnObject, "Input should be a valid dictionary or object to extract fields from", string(data), "body")
		}
	}
	if len(data) == 0 {
		return schemaErr("missing", "Field required", nil, "body")
	}
	return decodeJSON(data, into)
}

// decodeJSON decodes a body, and says as the product does what is wrong with it.
func decodeJSON(data []byte, into any) error {
	if err := json.Unmarshal(data, into); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			return schemaErr("type_error", "Input should be a valid "+wrong.Type.String(), wrong.Value, "body", wrong.Field)
		}
		return boundErr("json_invalid", "JSON decode error", map[string]any{}, map[string]any{"error": err.Error()}, "body", offset(err))
	}
	return nil
}

// offset is where a text ceased to be JSON.
func offset(err error) int64 {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return max(0, syntax.Offset-1)
	}
	return 0
}

// notAnObject is the schema's word for what is not JSON object.
const notAnObject = "model_attributes_type"

// noEvents reports that a body is neither an event nor a list of them.
func noEvents(input any) error {
	return schemaErrs(
		schemaProblem{Type: notAnObject, Loc: []any{"body", "SessionEventInput"},
			Msg: "Input should be a valid dictionary or object to extract fields from", Input: input},
		schemaProblem{Type: "list_type", Loc: []any{"body", "list[SessionEventInput]"}, Msg: "Input should be a valid list", Input: input})
}
