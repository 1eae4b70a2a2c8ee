package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// A responsesRequest is what the rules need of a request to the Responses API.
type responsesRequest struct {
	Model  string     `json:"model"`
	Stream bool       `json:"stream"`
	Input  codexItems `json:"input"`
	Tools  []struct {
		Name string `json:"name"`
		Type string `json:"type"`
	} `json:"tools"`
	Text struct {
		Format outputFormat `json:"format"`
	} `json:"text"`
}

type codexItem struct {
	Type    string      `json:"type"` // "" is a message
	Role    string      `json:"role"`
	Content blocks      `json:"content"` // blocks of input_text and output_text, or a text
	Output  codexOutput `json:"output"`  // of a function_call_output
}

// codexItems is the input: a list of items, or a text that stands for one user message.
type codexItems []codexItem

// UnmarshalJSON reads both forms.
func (i *codexItems) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*i = codexItems{{Role: user, Content: blocks{{Type: "input_text", Text: text}}}}
		return nil
	}
	return json.Unmarshal(data, (*[]codexItem)(i))
}

// codexOutput is what a tool returned: a text, or blocks with texts.
type codexOutput string

// UnmarshalJSON reads both forms.
func (o *codexOutput) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*o = codexOutput(text)
		return nil
	}
	var list []block
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	var texts []string
	for _, b := range list {
		texts = append(texts, b.Text)
	}
	*o = codexOutput(strings.Join(texts, "\n"))
	return nil
}

func (q responsesRequest) turns() []turn {
	var turns []turn
	for _, item := range q.Input {
		switch item.Type {
		case "", "message":
			if item.Role != user && item.Role != assistant {
				continue
			}
			var texts []string
			for _, b := range item.Content {
				texts = append(texts, b.Text)
			}
			turns = add(turns, item.Role, strings.Join(texts, "\n"))
		case "function_call_output":
			output := string(item.Output)
			turns = addResult(turns, printed(output), notAllowed().MatchString(output))
		}
	}
	return turns
}

// printed returns what the command itself printed: Codex puts a few lines about its run before that.
func printed(output string) string {
	if _, after, ok := strings.Cut(output, "\nOutput:\n"); ok {
		return after
	}
	return output
}

func (q responsesRequest) tools() []string {
	var names []string
	for _, tool := range q.Tools {
		if tool.Name != "" {
			names = append(names, tool.Name)
		} else {
			names = append(names, tool.Type)
		}
	}
	return names
}

func (h *handler) responses(w http.ResponseWriter, r *http.Request) {
	e := begin(r)
	var request responsesRequest
	if err := decode(r, &request); err != nil {
		h.fail(w, e, http.StatusBadRequest, err.Error())
		return
	}
	turns, tools := request.turns(), request.tools()
	var answer reply
	var shell codexCall
	switch {
	case request.Text.Format.Schema != nil:
		answer.text = fillText(request.Text.Format.Schema)
	default:
		answer = h.model.answer(turns)
		if answer.command == "" {
			break
		}
		call, ok := shellCall(tools, answer)
		if !ok {
			answer = reply{text: "I have no shell to run that in."}
		}
		shell = call
	}
	e.Stream = request.Stream
	e.record(turns, tools, answer)
	h.note(e)

	response := codexAnswer{id: h.next(), model: request.Model, text: answer.text, call: shell}
	if request.Stream {
		response.stream(startEvents(w, true))
	} else {
		writeJSON(w, http.StatusOK, response.response("completed", response.item("completed")))
	}
}

// A codexCall is a call of a tool; without a name there is none.
type codexCall struct {
	name      string
	arguments string
}

// shellCall asks for a command in the form of the shell tool that this Codex offers. A command that does more than read
// asks to leave the sandbox: that is what makes Codex ask for approval.
func shellCall(tools []string, r reply) (codexCall, bool) {
	for _, name := range tools {
		arguments := map[string]any{}
		switch name {
		case "exec_command":
			arguments["cmd"] = r.command
		case "shell_command":
			arguments["command"] = r.command
		case "shell":
			arguments["command"] = []string{"sh", "-c", r.command}
		default:
			continue
		}
		if !r.harmless {
			arguments["sandbox_permissions"] = "require_escalated"
			arguments["justification"] = "The user asked for this command."
		}
		text, err := json.Marshal(arguments)
		return codexCall{name: name, arguments: string(text)}, err == nil
	}
	return codexCall{}, false
}

// A codexAnswer is a reply in the Responses API's form.
type codexAnswer struct {
	id    int
	model string
	text  string
	call  codexCall
}

func (a codexAnswer) itemID() string {
	if a.call.name != "" {
		return fmt.Sprintf("fc_stub%08d", a.id)
	}
	return fmt.Sprintf("msg_stub%08d", a.id)
}

// item is the one output item, empty while it is in progress.
func (a codexAnswer) item(status string) map[string]any {
	complete := status == "completed"
	item := map[string]any{"id": a.itemID(), "status": status}
	if a.call.name != "" {
		item["type"], item["name"], item["call_id"] = "function_call", a.call.name, fmt.Sprintf("call_stub%08d", a.id)
		item["arguments"] = ""
		if complete {
			item["arguments"] = a.call.arguments
		}
		return item
	}
	item["type"], item["role"], item["content"] = "message", assistant, []any{}
	if complete {
		item["content"] = []any{a.part(a.text)}
	}
	return item
}

func (a codexAnswer) part(text string) map[string]any {
	return map[string]any{"type": "output_text", "text": text, "annotations": []any{}}
}

func (a codexAnswer) response(status string, output ...any) map[string]any {
	response := map[string]any{
		"id": fmt.Sprintf("resp_stub%08d", a.id), "object": "response", "created_at": 1700000000,
		"model": a.model, "status": status, "output": append([]any{}, output...), "usage": nil,
	}
	if status == "completed" {
		response["usage"] = map[string]any{
			"input_tokens": 10, "input_tokens_details": map[string]any{"cached_tokens": 0},
			"output_tokens": 5, "output_tokens_details": map[string]any{"reasoning_tokens": 0}, "total_tokens": 15,
		}
	}
	return response
}

func (a codexAnswer) stream(s *events) {
	at := func(more map[string]any) map[string]any {
		more["output_index"], more["item_id"] = 0, a.itemID()
		return more
	}
	s.send("response.created", map[string]any{"response": a.response("in_progress")})
	s.send("response.output_item.added", map[string]any{"output_index": 0, "item": a.item("in_progress")})
	if a.call.name != "" {
		for _, piece := range pieces(a.call.arguments) {
			s.send("response.function_call_arguments.delta", at(map[string]any{"delta": piece}))
		}
		s.send("response.function_call_arguments.done", at(map[string]any{"arguments": a.call.arguments}))
	} else {
		s.send("response.content_part.added", at(map[string]any{"content_index": 0, "part": a.part("")}))
		for _, piece := range pieces(a.text) {
			s.send("response.output_text.delta", at(map[string]any{"content_index": 0, "delta": piece}))
		}
		s.send("response.output_text.done", at(map[string]any{"content_index": 0, "text": a.text}))
		s.send("response.content_part.done", at(map[string]any{"content_index": 0, "part": a.part(a.text)}))
	}
	s.send("response.output_item.done", map[string]any{"output_index": 0, "item": a.item("completed")})
	s.send("response.completed", map[string]any{"response": a.response("completed", a.item("completed"))})
}
