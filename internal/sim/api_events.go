package sim

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// eventTypes are the types that POST …/events takes.
var eventTypes = []string{
	"approval", "external_assistant_message", "external_conversation_item", "external_elicitation_resolved",
	"external_model_change", "external_output_text_delta", "external_session_interrupted", "external_session_status",
	"external_session_usage", "function_call_output", "interrupt", "message", "retry_session", "stop_session",
}

type eventRequest struct {
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

// eventData has the fields of all types.
type eventData struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`

	ElicitationID string `json:"elicitation_id"`
	Action        string `json:"action"`

	CallID string  `json:"call_id"`
	Output *string `json:"output"`

	SourceID   string   `json:"source_id"`
	ItemType   string   `json:"item_type"`
	ItemData   itemBody `json:"item_data"`
	ResponseID string   `json:"response_id"`
	Status     string   `json:"status"`
	Text       string   `json:"text"`
	Delta      string   `json:"delta"`
}

func (s *server) postEvents(r *http.Request) (int, any, error) {
	var raw json.RawMessage
	if err := readJSON(r, &raw); err != nil {
		if problems := problemsOf(err); len(problems) > 0 && problems[0].Type == notAnObject {
			err = noEvents(problems[0].Input)
		}
		return 0, nil, err
	}
	if !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
		var one eventRequest
		if err := json.Unmarshal(raw, &one); err != nil {
			return 0, nil, noEvents(raw)
		}
		if one.Type == "" {
			return 0, nil, schemaErrs(
				schemaProblem{Type: "missing", Loc: []any{"body", "SessionEventInput", "type"}, Msg: "Field required", Input: raw},
				schemaProblem{Type: "list_type", Loc: []any{"body", "list[SessionEventInput]"}, Msg: "Input should be a valid list", Input: raw})
		}
		answer, err := s.postEvent(r.PathValue("id"), one)
		return 202, answer, err
	}
	var many []eventRequest
	if err := json.Unmarshal(raw, &many); err != nil {
		return 0, nil, noEvents(raw)
	}
	if len(many) == 0 || len(many) > 100 {
		return 0, nil, apiErr(400, "invalid_input", "a batch holds 1 to 100 events")
	}
	answers := []any{}
	for _, one := range many { // not atomic: what came before a bad one has happened
		answer, err := s.postEvent(r.PathValue("id"), one)
		if err != nil {
			return 0, nil, err
		}
		answers = append(answers, answer)
	}
	return 202, answers, nil
}

func (s *server) postEvent(id string, req eventRequest) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ses, err := s.find(id)
	if err != nil {
		return nil, err
	}
	if req.Type == "" {
		return nil, schemaErr("missing", "Field required", req, "body", "type")
	}
	if !slices.Contains(eventTypes, req.Type) {
		return nil, apiErr(400, "invalid_input", "Unknown event type: '"+req.Type+"'. Allowed types: ['"+strings.Join(eventTypes, "', '")+"']")
	}
	var data eventData
	if len(req.Data) > 0 {
		if err := json.Unmarshal(req.Data, &data); err != nil {
			return nil, apiErr(400, "invalid_input", "bad data for event type '"+req.Type+"'")
		}
	}
	switch req.Type {
	case "message":
		return s.postMessage(ses, data)
	case "function_call_output":
		s.appendItem(ses, "", ses.ID, req.Type, itemBody{CallID: data.CallID, Output: data.Output})
		return map[string]any{"queued": true, "item_id": data.CallID}, nil
	case "approval":
		if isVerdict(data.Action) { // anything else is taken, and does nothing
			s.resolve(ses, data.ElicitationID, data.Action)
		}
	case "interrupt":
		if a := ses.agent; a != nil && a.interrupt != nil {
			a.interrupt()
		}
	case "stop_session":
		return map[string]any{"queued": false}, s.stopSession(ses)
	case "retry_session":
		return map[string]any{"queued": false, "recovered": false, "recovery": nil}, nil
	default:
		return s.postExternal(ses, req.Type, data)
	}
	return map[string]any{"queued": false}, nil
}

// stopSession ends a session's agent and its runner. Claude's stop goes by its terminal: where none runs any more, it fails
// and the runner stays, on the product too. The caller holds the lock.
func (s *server) stopSession(ses *session) error {
	switch a := ses.agent; {
	case !ses.online():
		return nil
	case a != nil:
		a.stop()
	case ses.Harness == harnessClaude:
		return apiErr(503, "runner_unavailable", "Runner failed to stop session '"+ses.ID+`' (status 503): {"error":"claude_native_stop_failed"}`)
	}
	ses.Stopped = true
	s.changed()
	return nil
}

// postMessage types a message into the terminal: nothing is stored now, the forwarder stores it later.
func (s *server) postMessage(ses *session, data eventData) (any, error) {
	var content []block
	if json.Unmarshal(data.Content, &content) != nil || content == nil {
		return nil, apiErr(400, "invalid_input", "message needs content: a list of blocks")
	}
	if data.Role != "user" {
		return nil, apiErr(400, "invalid_input", "message role must be 'user'")
	}
	if len(content) == 0 {
		return map[string]any{"queued": true}, nil
	}
	body := itemBody{Role: "user", Content: content}
	if ses.agent == nil && ses.online() { // a message starts the terminal that was left
		s.startAgent(ses, false)
	}
	if ses.agent == nil {
		i := s.appendItem(ses, "", "turn_"+randomHex(32), "message", body)
		s.appendItem(ses, "", i.ResponseID, "error", itemBody{Source: "execution", Code: "runner_failed_to_start",
			Message: "No running terminal: resume the session to start one.", Level: "error"})
		return map[string]any{"queued": true, "item_id": i.ID}, nil
	}
	in := input{text: item{itemBody: body}.text(), content: content, pendingID: "pending_" + randomHex(32)}
	if !slices.ContainsFunc(content, block.typed) {
		return map[string]any{"queued": true, "pending_id": in.pendingID}, nil // the agent's screen gets nothing to type
	}
	ses.pending = append(ses.pending, pendingInput{in.pendingID, content})
	ses.agent.deliver(in)
	return map[string]any{"queued": true, "pending_id": in.pendingID}, nil
}

// postExternal is what a forwarder of the product sends.
func (s *server) postExternal(ses *session, kind string, data eventData) (any, error) {
	answer := map[string]any{"queued": false}
	switch kind {
	case "external_conversation_item":
		if data.SourceID == "" || data.ItemType == "" {
			return nil, apiErr(400, "invalid_input", kind+" needs source_id and item_type")
		}
		id := derivedID(s.era, itemPrefix(data.ItemType), ses.ID, data.SourceID)
		answer["item_id"] = s.appendItem(ses, id, data.ResponseID, data.ItemType, data.ItemData).ID
	case "external_assistant_message":
		answer["item_id"] = s.appendItem(ses, "", data.ResponseID, "message", assistantBody(data.Text, ses.AgentName)).ID
	case "external_session_status":
		if !slices.Contains([]string{"idle", "running", "waiting", "failed"}, data.Status) {
			return nil, apiErr(400, "invalid_input", "unknown status '"+data.Status+"'")
		}
		s.setStatus(ses, data.Status, data.ResponseID)
	case "external_output_text_delta":
		ses.events.publish("response.output_text.delta", map[string]any{"delta": data.Delta, "message_id": nil, "index": 0, "final": false})
	case "external_session_interrupted":
		ses.events.publish("session.interrupted", map[string]any{"conversation_id": ses.ID})
	case "external_elicitation_resolved":
		s.resolve(ses, data.ElicitationID, "cancel")
	}
	return answer, nil
}

func (s *server) getElicitation(r *http.Request) (int, any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ses, err := s.find(r.PathValue("id"))
	if err != nil {
		return 0, nil, err
	}
	for _, q := range ses.questions {
		if q.id == r.PathValue("eid") {
			return 200, map[string]any{"status": "pending", "message": q.params.Message, "phase": q.params.Phase,
				"policy_name": q.params.PolicyName, "content_preview": q.params.ContentPreview}, nil
		}
	}
	return 200, map[string]any{"status": "resolved"}, nil
}

func (s *server) resolveElicitation(r *http.Request) (int, any, error) {
	var req struct {
		Action string `json:"action"`
	}
	if err := readJSON(r, &req); err != nil {
		return 0, nil, err
	}
	if req.Action == "" {
		return 0, nil, schemaErr("missing", "Field required", map[string]any{}, "body", "action")
	}
	if !isVerdict(req.Action) {
		const wanted = "'accept', 'decline' or 'cancel'"
		return 0, nil, boundErr("literal_error", "Input should be "+wanted, req.Action, map[string]any{"expected": wanted}, "body", "action")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ses, err := s.find(r.PathValue("id"))
	if err == nil {
		s.resolve(ses, r.PathValue("eid"), req.Action)
	}
	return 202, map[string]any{"queued": false}, err
}
