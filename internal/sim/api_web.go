package sim

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// What the product answers every path with that is no API's: its web app finds out in the browser what is meant.
const webPage = `<!doctype html>
<html lang="en">
  <head><meta charset="UTF-8" /><title>Omnigent</title></head>
  <body><div id="root"></div><p>The simulator has no web app.</p></body>
</html>
`

const docsPage = `<!DOCTYPE html>
<html>
  <head><title>Omnigent Server - Swagger UI</title></head>
  <body><div id="swagger-ui"></div><p>The simulator has no documentation of its API: see /openapi.json for the paths.</p></body>
</html>
`

// apiPaths are the beginnings of the paths that are not the web app's.
var apiPaths = []string{"/v1/", "/api/", "/auth/", "/assets/", "/sim/"}

// unrouted answers what no route takes: a page where a browser may have asked for one, else the product's 404.
func unrouted(w http.ResponseWriter, r *http.Request, known bool) {
	page := webPage
	if r.URL.Path == "/docs" {
		page = docsPage
	}
	isAPI := known || slices.ContainsFunc(apiPaths, func(p string) bool { return strings.HasPrefix(r.URL.Path+"/", p) })
	if isAPI || r.Method != "GET" && r.Method != "HEAD" {
		writeError(w, apiErr(404, "not_found", "Not found"))
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(200)
	if r.Method == "GET" {
		io.WriteString(w, page)
	}
}

// openAPI lists the simulator's paths. The product's document has their schemas as well.
func openAPI(patterns []string) map[string]any {
	paths := map[string]map[string]any{}
	for _, pattern := range patterns {
		method, path, _ := strings.Cut(pattern, " ")
		if paths[path] == nil {
			paths[path] = map[string]any{}
		}
		paths[path][strings.ToLower(method)] = map[string]any{"summary": fmt.Sprintf("%s %s", method, path), "responses": map[string]any{}}
	}
	return map[string]any{"openapi": "3.1.0", "info": map[string]any{"title": "Omnigent Server", "version": "0.1.0"},
		"paths": paths, "components": map[string]any{"schemas": map[string]any{}}}
}

// harnesses lists the two agents that there are.
func (s *server) harnesses(*http.Request) (int, any, error) {
	var rows []any
	for _, a := range builtinAgents(s.era) {
		family := map[string]string{harnessClaude: "claude", harnessCodex: "gpt"}[a.harness]
		rows = append(rows, map[string]any{"id": a.Harness, "label": launch{harness: a.harness}.display(), "setup_steps": []any{map[string]any{
			"kind": "install", "title": "Set up on the host", "detail": "The simulator brings its agents along.", "action": "setup",
			"command": "omni setup", "status_key": nil,
		}}, "capabilities": map[string]any{
			"integration_mode": "native-tui", "elicitation": "permission", "resume": "warm-and-cold", "effort": "none",
			"model_family": family, "auth": "own-auth", "subagents": false, "interrupt": true, "streaming": true, "steering": nil,
			"live_queue": nil, "images": nil, "compaction": nil, "fork_history": "none", "shell_tool_name": nil,
			"shell_tool_prompt": nil, "instruction_delivery": "composed-per-turn",
		}})
	}
	return 200, map[string]any{"data": rows, "setup_steps": map[string]any{}}, nil
}
