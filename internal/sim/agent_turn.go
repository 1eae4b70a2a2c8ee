package sim

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"omniexpect/internal/lazy"
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
	a.ses.tellTurn(number)
	s.mu.Unlock()

	response := x.responseID()
	a.log(a.file.user(response, in.text))
	x.forwardUser(in, response)
	x.think()
	if text, ok := x.answer(in.text, response); ok {
		x.say(text)
	}
	if ctx.Err() != nil && a.ctx.Err() == nil {
		a.later(0, func() { a.ses.events.publish("session.interrupted", map[string]any{"conversation_id": a.ses.ID}) })
	}
	a.later(s.delay/4, func() {
		a.ses.finishTurn()
		a.ses.tellUsage()
		if a.ses.Status == "running" && a.turns == number {
			s.setStatus(a.ses, "idle", response)
		}
	})
}

// think is the time before an answer. Claude's session is idle for a moment in the middle of it, as on the product: whoever
// waits for the first idle is too early.
func (x *exchange) think() {
	s := x.srv
	if x.harness != harnessClaude || s.delay == 0 {
		sleep(x.ctx, s.delay/2)
		return
	}
	for _, status := range []string{"idle", "running"} {
		sleep(x.ctx, s.delay/4)
		s.mu.Lock()
		x.ses.Status = status
		s.tellStatus(x.ses, "")
		s.mu.Unlock()
	}
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
	case s.seeded(bugModelRefuses):
		p = plan{refuse: "API Error: 400 the model refuses this request"}
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
	case p.refuse != "":
		x.refuse(p.refuse)
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
	if s.bugs[bugDecorated] && passphraseAlone().MatchString(p.say) {
		s.seeded(bugDecorated)
		return decorated(p.say), true
	}
	return p.say, true
}

var passphraseAlone = lazy.Regexp(`^[A-Z]+-[0-9A-F]{8}$`)

// decorated writes a passphrase as models do: bold, as code, with a hyphen that does not break, in two pieces.
func decorated(passphrase string) string {
	word, digits, _ := strings.Cut(passphrase, "-")
	return "Sure! It is `" + word + "`\u2011**\x1b[1m" + digits[:4] + "\x1b[0m\n" + strings.ToLower(digits[4:]) + "**."
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
	messageID := uuid.NewString()
	if x.harness == harnessCodex {
		messageID = "codex:" + x.vendorID + ":" + x.turnID + ":agentMessage:msg_" + randomHex(24)
	}
	x.history = append(x.history, turn{"assistant", text})
	response := x.responseID()
	x.agent.log(x.file.assistant(response, text))
	s.mu.Lock()
	x.said = append(x.said, turn{"assistant", text})
	x.view.publish("turn", map[string]any{"role": "assistant", "text": text})
	delta := map[string]any{"delta": text, "message_id": messageID, "index": 0, "final": x.harness == harnessClaude}
	if x.harness == harnessClaude { // whose hooks are quicker than the forwarder: the answer is published before the message
		x.ses.events.publish(deltaEvent, delta)
	}
	s.mu.Unlock()
	body := assistantBody(text, x.model)
	if x.harness == harnessCodex {
		body.StreamMessageID = messageID
	}
	x.later(0, func() {
		if x.harness == harnessCodex {
			x.ses.events.publish(deltaEvent, delta)
		}
		x.storeMessage(response, body, "response.output_item.done", nil)
	})
}

const deltaEvent = "response.output_text.delta"

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
			a.ses.events.publish(announce, map[string]any{"data": map[string]any{"item_id": i.ID, "type": i.Type,
				"data":       map[string]any{"role": i.Role, "content": i.Content, "agent": nil, "stream_message_id": nil},
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

// refuse ends the turn with the model's refusal as the answer, and a failed session that names no error.
func (x *exchange) refuse(message string) {
	x.failed = true
	x.say(message)
	x.later(0, func() { x.srv.setStatus(x.ses, "failed", "") })
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
