package sim

import "time"

// tellTurn tells listeners that a turn has begun, and with the first one what kind of agent it is. The product's response
// is over at once: it only hands the message to the terminal. The caller holds the server's lock.
func (s *session) tellTurn(number int) {
	response := map[string]any{"id": "resp_" + randomHex(24), "object": "response", "model": s.AgentName, "created_at": time.Now().Unix(),
		"output": []any{}, "background": false, "store": true}
	for _, name := range []string{"completed_at", "usage", "previous_response_id", "conversation", "instructions", "reasoning", "error",
		"incomplete_details"} {
		response[name] = nil
	}
	for i, status := range []string{"in_progress", "completed"} {
		response["status"] = status
		s.events.publish("response."+status, map[string]any{"sequence_number": i + 1, "response": response})
	}
	s.events.publish("session.terminal.activity", map[string]any{"session_id": s.ID, "terminal_id": s.terminalID()})
	if number == 1 {
		s.tellAgent()
	}
}

func (s *session) tellAgent() {
	tell := func(kind string, fields map[string]any) {
		fields["conversation_id"] = s.ID
		s.events.publish(kind, fields)
	}
	if s.Harness == harnessCodex {
		tell("session.model", map[string]any{"model": "gpt-5"})
		tell("session.codex_approval_mode", map[string]any{"approval_mode": "approve-for-me"})
		tell("session.mcp_startup", map[string]any{"servers": map[string]any{"omnigent": map[string]any{"status": "ready", "error": nil}}})
		return
	}
	tell("session.model_options", map[string]any{})
	tell("session.model", map[string]any{"model": "claude-sonnet-4-5"})
	tell("session.permission_mode", map[string]any{"permission_mode": "default"})
}

// tellUsage tells listeners what the session has used; the caller holds the server's lock.
func (s *session) tellUsage() {
	o := s.object(false)
	s.events.publish("session.usage", map[string]any{"conversation_id": s.ID, "context_tokens": o.LastTotalTokens,
		"context_window": o.ContextWindow, "total_cost_usd": o.TotalCostUSD, "usage_by_model": o.UsageByModel})
}
