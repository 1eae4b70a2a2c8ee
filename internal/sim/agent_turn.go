package sim

import (
	"context"
	"slices"
)

// exchange is one turn under way.
type exchange struct {
	*agent
	ctx    context.Context // ends on interrupt
	turnID string          // codex: all items of a turn share it
}

// responseID is what an item's response_id holds: claude's forwarder makes one for each record, codex has turns.
func (x *exchange) responseID() string {
	if x.harness == harnessCodex {
		return "codex_" + x.turnID
	}
	return "resp_claude_" + randomHex(32)
}

// turn takes a message to its end.
func (a *agent) turn(in input) {
	ctx, cancel := context.WithCancel(a.ctx)
	defer cancel()
	x := &exchange{agent: a, ctx: ctx, turnID: newV7()}
	s := a.srv
	s.mu.Lock()
	a.interrupt = cancel
	a.turns++
	number := a.turns
	a.ses.lastError = nil
	a.said = append(a.said, turn{"user", in.text})
	a.view.publish("turn", map[string]any{"role": "user", "text": in.text})
	s.setStatus(a.ses, "running", "")
	s.mu.Unlock()

	response := x.responseID()
	a.log(a.file.user(response, in.text))
	x.forwardUser(in, response)
	sleep(ctx, s.delay/2)
	if text, ok := x.answer(in.text, response); ok {
		x.say(text)
	}
	if ctx.Err() != nil && a.ctx.Err() == nil {
		a.later(0, func() { a.ses.events.publish("session.interrupted", map[string]any{"conversation_id": a.ses.ID}) })
	}
	a.later(s.delay/4, func() {
		a.ses.finishTurn()
		if a.ses.Status == "running" && a.turns == number {
			s.setStatus(a.ses, "idle", response)
		}
	})
}

func (a *agent) log(err error) {
	if err != nil {
		a.srv.log.Printf("the transcript cannot be written: %v", err)
	}
}

// answer is the model's part: what it says, or false when it says nothing.
func (x *exchange) answer(prompt, response string) (string, bool) {
	s := x.srv
	history := x.history
	x.history = append(x.history, turn{"user", prompt})
	p := think(history, prompt)
	switch {
	case s.seeded(bugExit0OnError):
		p = plan{fail: "Harness stream connection error."}
	case x.resumed && s.seeded(bugStalePage):
		return "", false
	case x.resumed && s.seeded(bugEchoMarker):
		p = plan{say: prompt}
	}
	switch {
	case x.ctx.Err() != nil:
		return "", false
	case p.fail != "":
		x.fail(p.fail)
		return "", false
	case p.read != "":
		content, ok := readFile(x.cwd, p.read)
		if !ok {
			content = "I could not read " + p.read + "."
		}
		x.use(toolCall{x.toolName("Read"), map[string]string{"file_path": p.read}, content}, response)
		return content, true
	case p.run != "":
		return x.permittedRun(p.run, response), true
	}
	return p.say, true
}

// toolName is the vendor's word for a tool.
func (x *exchange) toolName(claude string) string {
	if x.harness == harnessCodex {
		return "shell"
	}
	return claude
}

// permittedRun asks first; only an accepted command has an effect.
func (x *exchange) permittedRun(command, response string) string {
	switch x.ask(command) {
	case "accept":
		output := runCommand(x.cwd, command)
		x.use(toolCall{x.toolName("Bash"), map[string]string{"command": command}, output}, response)
		if output != "" {
			return "The command was permitted: " + output
		}
		return "The command has run: " + command
	case "decline":
		return "The command was declined and has not run."
	}
	return "The command was cancelled and has not run."
}

// say is the model's reply on its way into transcript, screen and items.
func (x *exchange) say(text string) {
	s := x.srv
	x.history = append(x.history, turn{"assistant", text})
	response := x.responseID()
	x.agent.log(x.file.assistant(response, text))
	s.mu.Lock()
	x.said = append(x.said, turn{"assistant", text})
	x.view.publish("turn", map[string]any{"role": "assistant", "text": text})
	s.mu.Unlock()
	body := assistantBody(text, x.model)
	messageID := "msg_" + randomHex(24)
	if x.harness == harnessCodex {
		body.StreamMessageID = "codex:" + x.vendorID + ":" + x.turnID + ":agentMessage:" + messageID
	}
	x.later(0, func() {
		for i, chunk := range chunks(text) {
			x.ses.events.publish("response.output_text.delta", map[string]any{"delta": chunk, "message_id": messageID, "index": i,
				"final": false})
		}
		x.storeMessage(response, body, "response.output_item.done", nil)
	})
}

// chunks cuts a reply as a model streams it.
func chunks(text string) []string {
	var out []string
	for part := range slices.Chunk([]rune(text), 8) {
		out = append(out, string(part))
	}
	return out
}

// storeMessage stores a message item and announces it; the caller holds the lock.
func (a *agent) storeMessage(response string, body itemBody, announce string, pendingID *string) {
	s := a.srv
	times := 1
	if s.seeded(bugDuplicateItems) {
		times = 2
	}
	for range times {
		i := s.appendItem(a.ses, "", response, "message", body)
		if announce == "session.input.consumed" {
			a.ses.events.publish(announce, map[string]any{"data": map[string]any{"item_id": i.ID, "type": i.Type, "data": nested(i).Data,
				"created_by": nil, "cleared_pending_id": pendingID}})
		} else {
			a.ses.events.publish(announce, map[string]any{"item": i})
		}
	}
}

func (x *exchange) forwardUser(in input, response string) {
	body := userBody(in.text)
	if len(in.content) > 0 {
		body.Content = in.content
	}
	x.later(0, func() {
		x.ses.pending = slices.DeleteFunc(x.ses.pending, func(p pendingInput) bool { return p.PendingID == in.pendingID })
		x.storeMessage(response, body, "session.input.consumed", orNull(in.pendingID))
	})
}

// use records a tool's use in transcript and items.
func (x *exchange) use(call toolCall, response string) {
	callID := "call_" + randomHex(24)
	x.agent.log(x.file.tool(response, call, callID))
	x.later(0, func() {
		x.srv.appendItem(x.ses, "", response, "function_call", itemBody{Name: call.name, Arguments: call.arguments(), CallID: callID,
			Model: x.model})
		x.srv.appendItem(x.ses, "", response, "function_call_output", itemBody{CallID: callID, Output: &call.output})
	})
}

// fail ends the turn with an error item and a failed session.
func (x *exchange) fail(message string) {
	x.failed = !x.srv.bugs[bugExit0OnError]
	x.later(0, func() {
		s := x.srv
		i := s.appendItem(x.ses, "", x.responseID(), "error", itemBody{Source: "harness", Code: "connection_error", Message: message, Level: "error"})
		x.ses.lastError = map[string]any{"code": i.Code, "message": message, "item_id": i.ID, "agent_name": x.model}
		x.ses.Labels["omnigent.last_task_error_code"] = i.Code
		x.ses.Labels["omnigent.last_task_error_message"] = message
		x.ses.events.publish("response.output_item.done", map[string]any{"item": i})
		s.setStatus(x.ses, "failed", "")
		x.view.publish("turn", map[string]any{"role": "error", "text": message})
	})
}
