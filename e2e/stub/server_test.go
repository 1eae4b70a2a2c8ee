package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// start serves a stub and returns its address and journal.
func start(t *testing.T, m model) (string, *bytes.Buffer) {
	t.Helper()
	journal := new(bytes.Buffer)
	server := httptest.NewServer(newHandler(m, journal))
	t.Cleanup(server.Close)
	return server.URL, journal
}

// post sends a body and returns the status and the answer.
func post(t *testing.T, url, encoding string, body []byte) (int, string) {
	t.Helper()
	request, err := http.NewRequest("POST", url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if encoding != "" {
		request.Header.Set("Content-Encoding", encoding)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(answer)
}

// data returns the data of a stream's events by type, in order.
func data(t *testing.T, stream string) (kinds []string, events []map[string]any) {
	t.Helper()
	lines := bufio.NewScanner(strings.NewReader(stream))
	for lines.Scan() {
		text, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var event map[string]any
		if err := json.Unmarshal([]byte(text), &event); err != nil {
			t.Fatalf("data %q: %v", text, err)
		}
		kinds, events = append(kinds, event["type"].(string)), append(events, event)
	}
	return kinds, events
}

// claudeHistory is a resumed conversation as Claude Code sends it.
const claudeHistory = `{"model": "m", "stream": %v, "tools": [{"name": "Bash"}], "messages": [
	{"role": "user", "content": [{"type": "text", "text": "<system-reminder>Repeat the passphrase</system-reminder>"},
		{"type": "text", "text": "Reply with ONLY this exact passphrase and nothing else: ZEPHYR-0A1B2C3D"}]},
	{"role": "assistant", "content": [{"type": "text", "text": "ZEPHYR-0A1B2C3D"}]},
	{"role": "user", "content": "Earlier in this conversation you gave me a passphrase. Repeat that exact passphrase."}]}`

func TestMessages(t *testing.T) {
	url, journal := start(t, model{})
	_, whole := post(t, url+"/v1/messages?beta=true", "", fmt.Appendf(nil, claudeHistory, false))
	if !strings.Contains(whole, `"text":"ZEPHYR-0A1B2C3D"`) || !strings.Contains(whole, `"stop_reason":"end_turn"`) {
		t.Errorf("whole answer: %s", whole)
	}
	_, stream := post(t, url+"/v1/messages?beta=true", "", fmt.Appendf(nil, claudeHistory, true))
	kinds, events := data(t, stream)
	var text string
	for i, kind := range kinds {
		if kind == "content_block_delta" {
			text += events[i]["delta"].(map[string]any)["text"].(string)
		}
	}
	if text != phrase || kinds[0] != "message_start" || kinds[len(kinds)-1] != "message_stop" {
		t.Errorf("streamed %q as %v", text, kinds)
	}
	if lines := strings.Count(journal.String(), `"reply":"ZEPHYR-0A1B2C3D"`); lines != 2 {
		t.Errorf("the journal has %d replies, want 2:\n%s", lines, journal)
	}
}

func TestMessagesForget(t *testing.T) {
	url, _ := start(t, model{amnesia: true})
	_, answer := post(t, url+"/v1/messages", "", fmt.Appendf(nil, claudeHistory, false))
	if !strings.Contains(answer, forgotten) || strings.Contains(answer, phrase) {
		t.Errorf("got %s", answer)
	}
}

func TestMessagesTool(t *testing.T) {
	url, _ := start(t, model{})
	const request = `{"stream": true, "tools": [%s], "messages": [{"role": "user", "content": "run touch marker"}]}`
	_, stream := post(t, url+"/v1/messages", "", fmt.Appendf(nil, request, `{"name": "Read"}, {"name": "Bash"}`))
	kinds, events := data(t, stream)
	var input, stop string
	for i, kind := range kinds {
		delta, _ := events[i]["delta"].(map[string]any)
		switch kind {
		case "content_block_delta":
			input += delta["partial_json"].(string)
		case "message_delta":
			stop = delta["stop_reason"].(string)
		}
	}
	if !strings.Contains(input, `"command":"touch marker"`) || stop != "tool_use" {
		t.Errorf("input %s, stop reason %s", input, stop)
	}
	if _, answer := post(t, url+"/v1/messages", "", fmt.Appendf(nil, request, "")); strings.Contains(answer, "tool_use") {
		t.Errorf("without a shell: %s", answer)
	}

	const after = `{"messages": [{"role": "user", "content": "run touch marker"},
		{"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "Bash", "input": {}}]},
		{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "is_error": %v, "content": [{"type": "text", "text": %q}]},
			{"type": "text", "text": "<system-reminder>x</system-reminder>"}]}]}`
	for _, test := range []struct {
		failed bool
		text   string
		want   string
	}{
		{true, "Permission denied by hook", "The command was not run."},
		{true, "Exit code 1\nno such file", `The command printed: Exit code 1\nno such file`},
		{false, "Permission denied by hook", "The command printed: Permission denied by hook"},
	} {
		if _, answer := post(t, url+"/v1/messages", "", fmt.Appendf(nil, after, test.failed, test.text)); !strings.Contains(answer, test.want) {
			t.Errorf("after %q (error %v): got %s", test.text, test.failed, answer)
		}
	}
}

func TestMessagesSchema(t *testing.T) {
	url, _ := start(t, model{})
	const format = `{"format": {"type": "json_schema", "schema": {"type": "object", "properties": {"title": {"type": "string"}}}}}`
	_, answer := post(t, url+"/v1/messages", "", []byte(`{"output_config": `+format+`, "messages": [{"role": "user", "content": "`+ask+`"}]}`))
	if !strings.Contains(answer, `{\"title\":\"Passphrase check\"}`) {
		t.Errorf("got %s", answer)
	}
}

// codexHistory is a resumed conversation as Codex sends it.
const codexHistory = `{"model": "m", "stream": %v, "tools": [{"type": "function", "name": "exec_command"}, {"type": "web_search"}], "input": [
	{"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "ZEPHYR-99999999"}]},
	{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<environment_context>x</environment_context>"}]},
	{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Say this passphrase: ZEPHYR-0A1B2C3D"}]},
	{"type": "reasoning", "summary": []},
	{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "ZEPHYR-0A1B2C3D"}]},
	{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Repeat your earlier passphrase."}]}]}`

func TestResponses(t *testing.T) {
	url, _ := start(t, model{})
	_, whole := post(t, url+"/v1/responses", "", fmt.Appendf(nil, codexHistory, false))
	if !strings.Contains(whole, `"text":"ZEPHYR-0A1B2C3D"`) {
		t.Errorf("whole answer: %s", whole)
	}
	_, stream := post(t, url+"/v1/responses", "", fmt.Appendf(nil, codexHistory, true))
	kinds, events := data(t, stream)
	var text string
	for i, kind := range kinds {
		if events[i]["sequence_number"] != float64(i) {
			t.Errorf("event %d has number %v", i, events[i]["sequence_number"])
		}
		if kind == "response.output_text.delta" {
			text += events[i]["delta"].(string)
		}
	}
	if text != phrase || kinds[len(kinds)-1] != "response.completed" {
		t.Errorf("streamed %q as %v", text, kinds)
	}
	url, _ = start(t, model{amnesia: true})
	if _, answer := post(t, url+"/v1/responses", "", fmt.Appendf(nil, codexHistory, false)); !strings.Contains(answer, forgotten) {
		t.Errorf("with amnesia: %s", answer)
	}
}

func TestResponsesTool(t *testing.T) {
	url, _ := start(t, model{})
	for _, test := range []struct{ tool, text, want, never string }{
		{"exec_command", "run touch marker", `\"cmd\":\"touch marker\"`, "printed"},
		{"exec_command", "run touch marker", `\"sandbox_permissions\":\"require_escalated\"`, "printed"},
		{"exec_command", "read marker", `\"cmd\":\"cat 'marker'\"`, "require_escalated"},
		{"shell_command", "run touch marker", `\"command\":\"touch marker\"`, "printed"},
		{"shell", "run touch marker", `\"command\":[\"sh\",\"-c\",\"touch marker\"]`, "printed"},
		{"web_search", "run touch marker", "I have no shell", "function_call"},
	} {
		body := fmt.Appendf(nil, `{"tools": [{"name": %q}], "input": %q}`, test.tool, test.text)
		_, answer := post(t, url+"/v1/responses", "", body)
		if !strings.Contains(answer, test.want) || strings.Contains(answer, test.never) {
			t.Errorf("%s, %s: got %s", test.tool, test.text, answer)
		}
	}

	_, stream := post(t, url+"/v1/responses", "", []byte(`{"stream": true, "tools": [{"name": "exec_command"}], "input": "run touch marker"}`))
	kinds, events := data(t, stream)
	last := events[len(events)-1]["response"].(map[string]any)["output"].([]any)[0].(map[string]any)
	if last["type"] != "function_call" || !strings.Contains(last["arguments"].(string), "touch marker") {
		t.Errorf("streamed %v, at last %v", kinds, last)
	}

	const after = `{"input": [{"role": "user", "content": "run date"}, {"type": "function_call", "name": "exec_command"},
		{"type": "function_call_output", "output": %s}]}`
	for output, want := range map[string]string{
		`"Chunk ID: 1\nProcess exited with code 0\nOutput:\nMonday\n"`: `"The command printed: Monday"`,
		`[{"type": "input_text", "text": "Monday"}]`:                   `"The command printed: Monday"`,
		`"exec_command failed: rejected by user"`:                      `"The command was not run."`,
		`"Process exited with code 0\nOutput:\n"`:                      `"The command printed nothing."`,
	} {
		if _, answer := post(t, url+"/v1/responses", "", fmt.Appendf(nil, after, output)); !strings.Contains(answer, want) {
			t.Errorf("after %s: got %s", output, answer)
		}
	}
}

func TestPackedBodies(t *testing.T) {
	url, _ := start(t, model{})
	plain := fmt.Appendf(nil, codexHistory, false)
	var gzipped, zstded bytes.Buffer
	gz := gzip.NewWriter(&gzipped)
	gz.Write(plain)
	gz.Close()
	zs, err := zstd.NewWriter(&zstded)
	if err != nil {
		t.Fatal(err)
	}
	zs.Write(plain)
	zs.Close()
	for _, test := range []struct {
		encoding string
		body     []byte
		status   int
		want     string
	}{
		{"gzip", gzipped.Bytes(), 200, phrase},
		{"zstd", zstded.Bytes(), 200, phrase},
		{"gzip", plain, 400, "the body is not gzip"},
		{"zstd", plain, 400, "the body is not"},
		{"br", plain, 400, `content encoding \"br\" is not known here`},
		{"", []byte("{"), 400, "the body is not the JSON that was expected"},
	} {
		if status, answer := post(t, url+"/v1/responses", test.encoding, test.body); status != test.status || !strings.Contains(answer, test.want) {
			t.Errorf("%q: got %d %s, want %d %s", test.encoding, status, answer, test.status, test.want)
		}
	}
}

func TestOtherEndpoints(t *testing.T) {
	url, journal := start(t, model{})
	for _, test := range []struct {
		method, path string
		status       int
		want         string
	}{
		{"HEAD", "/api/hello", 200, ""},
		{"GET", "/v1/models?client_version=1", 200, "claude-sonnet-4-5"},
		{"POST", "/v1/messages/count_tokens", 200, "input_tokens"},
		{"GET", "/v1/elsewhere", 404, "no such endpoint: GET /v1/elsewhere"},
	} {
		request, err := http.NewRequest(test.method, url+test.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != test.status || !strings.Contains(string(answer), test.want) {
			t.Errorf("%s %s: got %d %s (%v)", test.method, test.path, response.StatusCode, answer, err)
		}
	}
	if lines := strings.Count(journal.String(), "\n"); lines != 4 {
		t.Errorf("the journal has %d lines, want 4:\n%s", lines, journal)
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, listener, newHandler(model{}, io.Discard)) }()
	if status, _ := post(t, "http://"+listener.Addr().String()+"/v1/responses", "", []byte(`{"input": "hello"}`)); status != 200 {
		t.Errorf("status %d", status)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
