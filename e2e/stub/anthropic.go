package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// claudeShell is the tool with which Claude Code runs a command.
const claudeShell = "Bash"

// A messagesRequest is what the rules need of a request to the Messages API.
type messagesRequest struct {
	Model    string          `json:"model"`
	Stream   bool            `json:"stream"`
	Messages []claudeMessage `json:"messages"`
	Tools    []struct {
		Name string `json:"name"`
	} `json:"tools"`
	OutputConfig struct {
		Format outputFormat `json:"format"`
	} `json:"output_config"`
	OutputFormat outputFormat `json:"output_format"` // its older place
}

type outputFormat struct {
	Type   string         `json:"type"`
	Schema map[string]any `json:"schema"`
}

type claudeMessage struct {
	Role    string `json:"role"`
	Content blocks `json:"content"`
}

type block struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Content blocks `json:"content"` // of a tool_result
	IsError bool   `json:"is_error"`
}

// blocks is content: a list of blocks, or a text that stands for one.
type blocks []block

// UnmarshalJSON reads both forms.
func (b *blocks) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*b = blocks{{Type: "text", Text: text}}
		return nil
	}
	return json.Unmarshal(data, (*[]block)(b))
}

func (b blocks) text() string {
	var texts []string
	for _, b := range b {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func (q messagesRequest) turns() []turn {
	var turns []turn
	for _, m := range q.Messages {
		if m.Role != user && m.Role != assistant {
			continue
		}
		for _, b := range m.Content {
			if b.Type == "tool_result" {
				turns = addResult(turns, b.Content.text(), b.IsError && notAllowed().MatchString(b.Content.text()))
			}
		}
		turns = add(turns, m.Role, m.Content.text())
	}
	return turns
}

func (q messagesRequest) tools() []string {
	var names []string
	for _, tool := range q.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// schema returns the JSON schema that the answer must fit, for a side request such as that for a title.
func (q messagesRequest) schema() map[string]any {
	if q.OutputConfig.Format.Schema != nil {
		return q.OutputConfig.Format.Schema
	}
	return q.OutputFormat.Schema
}

func (h *handler) countTokens(w http.ResponseWriter, r *http.Request) {
	h.note(begin(r))
	writeJSON(w, http.StatusOK, map[string]any{"input_tokens": 10})
}

func (h *handler) messages(w http.ResponseWriter, r *http.Request) {
	e := begin(r)
	var request messagesRequest
	if err := decode(r, &request); err != nil {
		h.fail(w, e, http.StatusBadRequest, err.Error())
		return
	}
	turns, tools := request.turns(), request.tools()
	var answer reply
	if schema := request.schema(); schema != nil {
		answer.text = fillText(schema)
	} else {
		answer = h.model.answer(turns)
		if answer.command != "" && !slices.Contains(tools, claudeShell) {
			answer = reply{text: "I have no shell to run that in."}
		}
	}
	e.Stream = request.Stream
	e.record(turns, tools, answer)
	h.note(e)

	message := claudeAnswer{id: h.next(), model: request.Model, reply: answer}
	if request.Stream {
		message.stream(startEvents(w, false))
	} else {
		writeJSON(w, http.StatusOK, message.whole())
	}
}

// A claudeAnswer is a reply in the Messages API's form.
type claudeAnswer struct {
	id    int
	model string
	reply reply
}

func (a claudeAnswer) stopReason() string {
	if a.reply.command != "" {
		return "tool_use"
	}
	return "end_turn"
}

func (a claudeAnswer) input() map[string]any {
	return map[string]any{"command": a.reply.command, "description": "Run the command that was asked for"}
}

func (a claudeAnswer) message(content []any, stop any) map[string]any {
	return map[string]any{
		"id": fmt.Sprintf("msg_stub%08d", a.id), "type": "message", "role": assistant, "model": a.model,
		"content": content, "stop_reason": stop, "stop_sequence": nil,
		"usage": map[string]any{
			"input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
		},
	}
}

func (a claudeAnswer) toolUse(input any) map[string]any {
	return map[string]any{"type": "tool_use", "id": fmt.Sprintf("toolu_stub%08d", a.id), "name": claudeShell, "input": input}
}

func (a claudeAnswer) whole() map[string]any {
	if a.reply.command != "" {
		return a.message([]any{a.toolUse(a.input())}, a.stopReason())
	}
	return a.message([]any{map[string]any{"type": "text", "text": a.reply.text}}, a.stopReason())
}

func (a claudeAnswer) stream(s *events) {
	block, delta, key, text := map[string]any{"type": "text", "text": ""}, "text_delta", "text", a.reply.text
	if a.reply.command != "" {
		input, err := json.Marshal(a.input())
		if err != nil {
			return // cannot happen: the input is two texts
		}
		block, delta, key, text = a.toolUse(map[string]any{}), "input_json_delta", "partial_json", string(input)
	}
	s.send("message_start", map[string]any{"message": a.message([]any{}, nil)})
	s.send("content_block_start", map[string]any{"index": 0, "content_block": block})
	for _, piece := range pieces(text) {
		s.send("content_block_delta", map[string]any{"index": 0, "delta": map[string]any{"type": delta, key: piece}})
	}
	s.send("content_block_stop", map[string]any{"index": 0})
	s.send("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": a.stopReason(), "stop_sequence": nil},
		"usage": map[string]any{"output_tokens": 5},
	})
	s.send("message_stop", map[string]any{})
}
