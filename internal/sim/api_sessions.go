package sim

import (
	"cmp"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

func (s *server) health(r *http.Request) (int, any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body := map[string]any{"status": "ok"}
	one := func(id string) map[string]any {
		ses, err := s.find(id)
		if err != nil || !ses.online() {
			return map[string]any{"id": id, "runner_online": false, "host_online": err == nil && ses.HostID != "", "host_version": nil}
		}
		return map[string]any{"id": ses.ID, "runner_online": true, "host_online": true, "host_version": versionOf(s.era)}
	}
	if id := r.URL.Query().Get("session_id"); id != "" {
		body["session"] = one(id)
	}
	if ids := r.URL.Query().Get("session_ids"); ids != "" {
		all := map[string]any{}
		for id := range strings.SplitSeq(ids, ",") {
			all[id] = one(id)
		}
		body["sessions"] = all
	}
	return 200, body, nil
}

func (s *server) version(*http.Request) (int, any, error) {
	return 200, map[string]any{"version": versionOf(s.era)}, nil
}

// simInfo describes the simulator to its own command line.
type simInfo struct {
	Simulator string   `json:"simulator"`
	Era       string   `json:"era"`
	Bugs      []string `json:"bugs"`
}

func (s *server) describe(*http.Request) (int, any, error) {
	for _, bug := range []string{bugHintWrongID, bugOneshotHangs, bugCLICrashes} { // the command line's, which has no log
		s.seeded(bug)
	}
	return 200, simInfo{"omniexpect", s.era, s.bugs.names()}, nil
}

func (s *server) me(*http.Request) (int, any, error) {
	return 200, map[string]any{"user_id": "local", "is_admin": true}, nil
}

func (s *server) agents(*http.Request) (int, any, error) {
	return 200, wholePage(builtinAgents(s.era), func(a agentInfo) string { return a.ID }), nil
}

// sessionRequest is what both ways of creating a session take.
type sessionRequest struct {
	AgentID            string            `json:"agent_id"`
	Title              string            `json:"title"`
	Labels             map[string]string `json:"labels"`
	HostID             string            `json:"host_id"`
	Workspace          string            `json:"workspace"`
	TerminalLaunchArgs []string          `json:"terminal_launch_args"`
	ReasoningEffort    string            `json:"reasoning_effort"`
	ParentSessionID    string            `json:"parent_session_id"`
	InitialItems       []struct {
		itemBody
		Data *itemBody `json:"data"`
	} `json:"initial_items"`
}

func (s *server) createSession(r *http.Request) (int, any, error) {
	if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
		return s.createFromBundle(r)
	}
	var raw json.RawMessage
	var req sessionRequest
	if err := readJSON(r, &raw); err != nil {
		for i := range problemsOf(err) {
			problemsOf(err)[i].Ctx = nil // the product reads this body itself, and tells less
		}
		return 0, nil, err
	}
	if err := decodeJSON(raw, &req); err != nil {
		return 0, nil, err
	}
	if req.AgentID == "" {
		return 0, nil, schemaErrs(schemaProblem{Type: "missing", Loc: []any{"agent_id"}, Msg: "Field required", Input: raw,
			URL: "https://errors.pydantic.dev/2.14/v/missing"})
	}
	i := slices.IndexFunc(builtinAgents(s.era), func(a agentInfo) bool { return idKey(a.ID) == idKey(req.AgentID) })
	if i < 0 {
		return 0, nil, apiErr(404, "not_found", "Agent not found: '"+req.AgentID+"'")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ses := s.newSession(builtinAgents(s.era)[i], req)
	for _, it := range req.InitialItems {
		body := it.itemBody
		if it.Data != nil {
			body = *it.Data
		}
		if body.Role == "user" {
			ses.waiting = append(ses.waiting, input{text: item{itemBody: body}.text(), content: body.Content})
		}
	}
	return 201, ses.object(true), nil
}

// createFromBundle is how the command line creates a session: metadata and the agent's files. The files are not looked at.
func (s *server) createFromBundle(r *http.Request) (int, any, error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return 0, nil, apiErr(400, "invalid_input", "bad multipart body")
	}
	var req sessionRequest
	seen := map[string]bool{}
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, nil, apiErr(400, "invalid_input", "bad multipart body")
		}
		seen[part.FormName()] = true
		if part.FormName() == "metadata" {
			if err := json.NewDecoder(part).Decode(&req); err != nil {
				return 0, nil, apiErr(400, "invalid_input", "metadata is not valid JSON")
			}
		}
	}
	for _, name := range []string{"metadata", "bundle"} {
		if !seen[name] {
			return 0, nil, schemaErr("missing", "Field required", nil, "body", name)
		}
	}
	agents := builtinAgents(s.era)
	i := max(0, slices.IndexFunc(agents, func(a agentInfo) bool { return a.wrapper == req.Labels["omnigent.wrapper"] }))
	s.mu.Lock()
	defer s.mu.Unlock()
	ses := s.newSession(agents[i], req)
	return 201, map[string]any{"session_id": ses.ID, "agent_id": ses.AgentID, "agent_name": ses.AgentName}, nil
}

func (s *server) newSession(agent agentInfo, req sessionRequest) *session {
	now := time.Now().Unix()
	ses := &session{ID: newID(s.era, "conv"), AgentID: agent.ID, AgentName: agent.Name, Harness: agent.harness, Title: req.Title,
		Labels: map[string]string{}, Status: "idle", CreatedAt: now, UpdatedAt: now, HostID: req.HostID, Workspace: req.Workspace,
		LaunchArgs: req.TerminalLaunchArgs, Effort: req.ReasoningEffort, ParentID: req.ParentSessionID,
		Home: os.Getenv("HOME"), TmpDir: os.TempDir()}
	for k, v := range req.Labels {
		ses.Labels[k] = v
	}
	if ses.Labels["omnigent.wrapper"] == "" {
		ses.Labels["omnigent.wrapper"] = agent.wrapper
	}
	s.add(ses)
	s.changed()
	return ses
}

func (s *server) listSessions(r *http.Request) (int, any, error) {
	q, err := parsePage(r, 20, "desc")
	if err != nil {
		return 0, nil, err
	}
	get := r.URL.Query().Get
	s.mu.Lock()
	defer s.mu.Unlock()
	var rows []sessionRow
	for _, key := range s.order {
		ses := s.sessions[key]
		archived := get("include_archived") == "true" || get("visibility") == "archived"
		switch {
		case ses.Archived && !archived,
			get("agent_id") != "" && idKey(get("agent_id")) != idKey(ses.AgentID),
			get("agent_name") != "" && get("agent_name") != ses.AgentName,
			get("search_query") != "" && !strings.Contains(strings.ToLower(ses.Title), strings.ToLower(get("search_query"))):
			continue
		}
		rows = append(rows, ses.row())
	}
	if get("sort_by") == "updated_at" {
		slices.SortStableFunc(rows, func(a, b sessionRow) int { return cmp.Compare(a.UpdatedAt, b.UpdatedAt) })
	}
	p, err := page(rows, func(row sessionRow) string { return row.ID }, q)
	return 200, p, err
}

func (s *server) childSessions(r *http.Request) (int, any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.find(r.PathValue("id"))
	return 200, wholePage([]sessionRow{}, func(row sessionRow) string { return row.ID }), err
}

func (s *server) getSession(r *http.Request) (int, any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ses, err := s.exact(r.PathValue("id"))
	if err != nil {
		return 0, nil, err
	}
	o := ses.object(r.URL.Query().Get("include_items") != "false")
	if ses.ExternalID != "" && s.seeded(bugExtIDOverwritten) {
		if ses.extReads++; ses.extReads == 1 {
			ses.ExternalID = uuid.NewString()
		}
	}
	return 200, o, nil
}

// sessionFields are the fields of a session that PATCH takes; not all of them have an effect here.
var sessionFields = []string{
	"approval_mode", "archived", "collaboration_mode", "cost_control_mode_override", "delete_worktree", "external_session_id", "labels",
	"model_override", "permission_mode", "project_id", "reasoning_effort", "runner_id", "share_workspace_files", "silent",
	"subagent_routing_override", "terminal_launch_args", "title",
}

func (s *server) patchSession(r *http.Request) (int, any, error) {
	var req map[string]json.RawMessage
	if err := readJSON(r, &req); err != nil {
		return 0, nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(req)) {
		if !slices.Contains(sessionFields, name) {
			return 0, nil, schemaErr("extra_forbidden", "Extra inputs are not permitted", req[name], "body", name)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ses, err := s.exact(r.PathValue("id"))
	if err != nil {
		return 0, nil, err
	}
	if raw, ok := req["external_session_id"]; ok {
		var id string
		if json.Unmarshal(raw, &id) != nil || id == "" {
			return 0, nil, schemaErr("string_type", "Input should be a valid string", raw, "body", "external_session_id")
		}
		if err := s.setExternalID(ses, id); err != nil {
			return 0, nil, err
		}
	}
	fields := map[string]any{"runner_id": &ses.RunnerID, "title": &ses.Title, "terminal_launch_args": &ses.LaunchArgs,
		"model_override": &ses.Model, "reasoning_effort": &ses.Effort, "archived": &ses.Archived}
	for name, into := range fields {
		if raw, ok := req[name]; ok && json.Unmarshal(raw, into) != nil {
			return 0, nil, schemaErr("type_error", "Input has the wrong type", raw, "body", name)
		}
	}
	if raw, ok := req["labels"]; ok && string(raw) != "null" {
		if json.Unmarshal(raw, &ses.Labels) != nil { // adds to what is there
			return 0, nil, schemaErr("dict_type", "Input should be a valid dictionary", raw, "body", "labels")
		}
	}
	ses.touch()
	s.changed()
	return 200, ses.object(true), nil
}

func (s *server) deleteSession(r *http.Request) (int, any, error) {
	s.mu.Lock()
	ses, err := s.find(r.PathValue("id"))
	if err != nil {
		s.mu.Unlock()
		return 0, nil, err
	}
	delete(s.sessions, idKey(ses.ID))
	s.order = slices.DeleteFunc(s.order, func(key string) bool { return key == idKey(ses.ID) })
	s.changed()
	a := ses.agent
	s.mu.Unlock()
	if a != nil {
		a.stop()
		<-a.done
	}
	ses.events.close()
	return 200, map[string]any{"id": ses.ID, "object": "conversation.deleted", "deleted": true}, nil
}

func (s *server) listItems(r *http.Request) (int, any, error) {
	q, err := parsePage(r, 100, "asc")
	if err != nil {
		return 0, nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ses, err := s.find(r.PathValue("id"))
	if err != nil {
		return 0, nil, err
	}
	p, err := page(ses.Items, func(i item) string { return i.ID }, q)
	return 200, p, err
}
