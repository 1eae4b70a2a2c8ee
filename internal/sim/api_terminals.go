package sim

import (
	"net/http"
	"strings"

	"omniexpect/internal/lazy"
)

// hostRow is the host, which is this server.
func (s *server) hostRow() map[string]any {
	return map[string]any{"host_id": s.hostID, "name": "simulator", "owner": "local", "status": "online", "sandbox_provider": nil,
		"configured_harnesses": map[string]any{"claude-native": true, "codex-native": true},
		"gateway_inference":    map[string]any{"claude-native": false, "native-claude": false, "codex": false, "codex-native": false, "native-codex": false},
		"interactive_shells":   []string{"bash", "zsh", "fish"}}
}

func (s *server) hosts(*http.Request) (int, any, error) {
	return 200, map[string]any{"hosts": []any{s.hostRow()}}, nil
}

func (s *server) getHost(r *http.Request) (int, any, error) {
	if idKey(r.PathValue("id")) != idKey(s.hostID) {
		return 0, nil, &apiError{404, "", "host not found"}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	row := s.hostRow()
	row["runners"] = []any{}
	return 200, row, nil
}

// launchRequest asks for a runner. Sim is the simulator's own: where the command line runs.
type launchRequest struct {
	SessionID string `json:"session_id"`
	Workspace string `json:"workspace"`
	Sim       *struct {
		Home   string `json:"home"`
		TmpDir string `json:"tmp_dir"`
		Fresh  bool   `json:"fresh"` // claude's runner starts the terminal of a new session by itself
	} `json:"sim,omitempty"`
}

func (s *server) launchRunner(r *http.Request) (int, any, error) {
	var req launchRequest
	if err := readJSON(r, &req); err != nil {
		return 0, nil, err
	}
	if req.Workspace == "" {
		return 0, nil, schemaErr("missing", "Field required", map[string]any{"session_id": req.SessionID}, "body", "workspace")
	}
	if idKey(r.PathValue("id")) != idKey(s.hostID) {
		return 0, nil, &apiError{404, "", "host not found"}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ses, err := s.find(req.SessionID)
	if err != nil {
		return 0, nil, &apiError{404, "", "session not found"}
	}
	ses.HostID = s.hostID
	if !ses.online() {
		ses.RunnerID, ses.Stopped = "runner_token_"+randomHex(32), false
	}
	ses.Workspace = req.Workspace
	if req.Sim != nil {
		ses.Home, ses.TmpDir = req.Sim.Home, req.Sim.TmpDir
		if req.Sim.Fresh && ses.Harness == harnessClaude {
			s.startAgent(ses, false)
		}
	}
	s.changed()
	return 200, map[string]any{"runner_id": ses.RunnerID, "status": "launching"}, nil
}

func (s *server) runners(*http.Request) (int, any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := []any{}
	for _, key := range s.order {
		if id := s.sessions[key].RunnerID; s.sessions[key].online() {
			rows = append(rows, map[string]any{"runner_id": id, "online": true, "harnesses": []string{"claude-native", "codex-native"}})
		}
	}
	return 200, map[string]any{"data": rows}, nil
}

func (s *server) runnerStatus(r *http.Request) (int, any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := r.PathValue("id")
	online := false
	for _, ses := range s.sessions {
		online = online || ses.RunnerID == id && ses.online()
	}
	return 200, map[string]any{"runner_id": id, "online": online}, nil
}

// bound returns a session that has a runner; the caller holds the lock.
func (s *server) bound(r *http.Request) (*session, error) {
	ses, err := s.exact(r.PathValue("id"))
	if err == nil && ses.RunnerID == "" {
		err = apiErr(409, "conflict", "conversation '"+ses.ID+"' is not bound to a runner; resume the session to bind a registered runner")
	}
	if err == nil && !ses.online() {
		err = apiErr(503, "runner_unavailable", "runner '"+ses.RunnerID+"' is offline for conversation '"+ses.ID+"'")
	}
	return ses, err
}

func (s *server) listResources(r *http.Request) (int, any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ses, err := s.bound(r)
	if err != nil {
		return 0, nil, err
	}
	return 200, s.listed(ses, r.URL.Query().Get("type")), nil
}

type terminalRequest struct {
	Terminal             string `json:"terminal"`
	SessionKey           string `json:"session_key"`
	EnsureNativeTerminal bool   `json:"ensure_native_terminal"`
}

// ensureTerminal starts the session's terminal, or finds it running, and answers when it takes input.
func (s *server) ensureTerminal(r *http.Request) (int, any, error) {
	var req terminalRequest
	if err := readJSON(r, &req); err != nil {
		return 0, nil, err
	}
	s.mu.Lock()
	ses, err := s.bound(r)
	if err == nil && (!req.EnsureNativeTerminal || terminalID(req.Terminal, req.SessionKey) != ses.terminalID()) {
		err = apiErr(400, "invalid_input", "terminal '"+req.Terminal+"' is not declared by the agent")
	}
	if err != nil {
		s.mu.Unlock()
		return 0, nil, err
	}
	a := s.startAgent(ses, true)
	ready := a.ready
	s.mu.Unlock()
	if !ready {
		select {
		case <-a.booted:
		case <-r.Context().Done():
			return 0, nil, apiErr(499, "upstream_cancelled", "the client has gone")
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := ses.terminal()
	if t == nil {
		return 0, nil, apiErr(503, "runner_unavailable", "the terminal ended while it started")
	}
	return 200, t, nil
}

var notInTerminalID = lazy.Regexp(`[^A-Za-z0-9_.-]+`)

// terminalID is the resource id of a terminal's name and key.
func terminalID(name, key string) string {
	part := func(text string) string {
		text = strings.Trim(notInTerminalID().ReplaceAllString(strings.TrimSpace(text), "_"), "_")
		if text == "" {
			return "resource"
		}
		return text
	}
	return "terminal_" + part(name) + "_" + part(key)
}

// running returns the running terminal that a path names; the caller holds the lock.
func (s *server) running(r *http.Request) (*session, *resource, error) {
	ses, err := s.bound(r)
	if err != nil {
		return nil, nil, err
	}
	t := ses.terminal()
	if t == nil || t.ID != r.PathValue("tid") {
		return nil, nil, apiErr(404, "not_found", "Terminal '"+r.PathValue("tid")+"' not found")
	}
	return ses, t, nil
}

func (s *server) getTerminal(r *http.Request) (int, any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, t, err := s.running(r)
	return 200, t, err
}

func (s *server) deleteTerminal(r *http.Request) (int, any, error) {
	s.mu.Lock()
	ses, t, err := s.running(r)
	if err != nil {
		s.mu.Unlock()
		return 0, nil, err
	}
	a := ses.agent
	s.mu.Unlock()
	a.stop()
	select {
	case <-a.done:
	case <-r.Context().Done():
	}
	return 200, map[string]any{"id": t.ID, "object": "session.resource.deleted", "deleted": true}, nil
}
