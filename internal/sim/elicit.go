package sim

import (
	"encoding/json"
	"time"
)

// question is something the agent asks before it goes on.
type question struct {
	id      string
	params  elicitationParams
	verdict chan string // has room for one
}

type elicitationEvent struct {
	Type          string            `json:"type"`
	ElicitationID string            `json:"elicitation_id"`
	Method        string            `json:"method"`
	Params        elicitationParams `json:"params"`
}

type elicitationParams struct {
	Mode            string         `json:"mode"`
	Message         string         `json:"message"`
	RequestedSchema map[string]any `json:"requestedSchema"`
	URL             *string        `json:"url"`
	Phase           string         `json:"phase"`
	PolicyName      string         `json:"policy_name"`
	ContentPreview  string         `json:"content_preview"`
	TargetSessionID *string        `json:"target_session_id"`
	ToolName        string         `json:"tool_name,omitempty"`
	CWD             string         `json:"cwd,omitempty"`
	PermissionMode  string         `json:"permission_mode,omitempty"`
}

func (q *question) event() elicitationEvent {
	return elicitationEvent{"response.elicitation_request", q.id, "elicitation/create", q.params}
}

// verdict is an answer that came before its question, or that a bug remembers.
type verdict struct {
	action string
	at     time.Time
}

// verdictTime is how long an answer to an unknown question is kept.
const verdictTime = 300 * time.Second

// anyQuestion is the key under which elicit-stale-verdict remembers an answer.
const anyQuestion = "*"

func newQuestion(harness, command, cwd string) *question {
	id := randomHex(32)
	preview, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		preview = nil
	}
	q := &question{verdict: make(chan string, 1)}
	schema := map[string]any{"type": "object", "properties": map[string]any{}}
	if harness == harnessCodex {
		q.id = "elicit_codex_" + id
		q.params = elicitationParams{Mode: "form", Message: "Codex wants to run **" + command + "**", RequestedSchema: schema,
			Phase: "pre_tool_use", PolicyName: "codex_command_approval", ContentPreview: clip(string(preview), 1024)}
		return q
	}
	q.id = "elicit_claude_" + id
	q.params = elicitationParams{Mode: "form", Message: "Claude wants to call **Bash**", RequestedSchema: schema,
		Phase: "pre_tool_use", PolicyName: "claude_native_permission", ContentPreview: clip("Bash("+string(preview)+")", 1024),
		ToolName: "Bash", CWD: cwd, PermissionMode: "default"}
	return q
}

func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n])
	}
	return s
}

// ask parks a question until it is answered: by the API, on the screen, or by an interrupt, which cancels it.
func (x *exchange) ask(command string) string {
	q := newQuestion(x.harness, command, x.cwd)
	s, ses := x.srv, x.ses
	s.mu.Lock()
	early, answered := ses.verdicts[anyQuestion]
	if answered {
		s.seeded(bugElicitStale)
		q.verdict <- early.action
	}
	ses.questions = append(ses.questions, q)
	ses.events.publish("response.elicitation_request", map[string]any{"elicitation_id": q.id, "method": "elicitation/create",
		"params": q.params})
	x.view.publish("question", map[string]any{"elicitation_id": q.id, "message": q.params.Message, "preview": q.params.ContentPreview})
	s.mu.Unlock()

	action := "cancel"
	select {
	case action = <-q.verdict:
	case <-x.ctx.Done():
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	x.settle(q, action)
	return action
}

// settle takes a question off the session and tells listeners; the caller holds the lock.
func (x *exchange) settle(q *question, action string) {
	kept := x.ses.questions[:0:0]
	for _, other := range x.ses.questions {
		if other != q {
			kept = append(kept, other)
		}
	}
	x.ses.questions = kept
	x.ses.events.publish("response.elicitation_resolved", map[string]any{"elicitation_id": q.id, "action": action})
	x.view.publish("answered", map[string]any{"elicitation_id": q.id, "action": action})
}

// isVerdict reports whether an answer is one of the three that there are.
func isVerdict(action string) bool {
	return action == "accept" || action == "decline" || action == "cancel"
}

// resolve gives a verdict through the API; an unknown question is not an error, and is reported as answered. The caller holds the
// lock.
func (s *server) resolve(ses *session, id, action string) {
	if s.bugs[bugElicitStale] {
		if _, known := ses.verdicts[anyQuestion]; !known {
			ses.verdicts[anyQuestion] = verdict{action, time.Now()}
		}
	}
	for _, q := range ses.questions {
		if q.id != id {
			continue
		}
		if s.seeded(bugElicitNotWoken) {
			return
		}
		select {
		case q.verdict <- action:
		default: // answered already, and about to be settled
		}
		return
	}
	ses.events.publish("response.elicitation_resolved", map[string]any{"elicitation_id": id, "action": action})
	for old, v := range ses.verdicts {
		if old != anyQuestion && time.Since(v.at) > verdictTime {
			delete(ses.verdicts, old)
		}
	}
	if s.bugs[bugElicitStale] {
		return
	}
	ses.verdicts[id] = verdict{action, time.Now()}
}
