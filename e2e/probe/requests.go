package main

import "strings"

// A request is one question to a server. In a path, SESSION stands for the path of the probed conversation, and NOBODY for
// an id that nothing has.
type request struct {
	name   string
	method string
	path   string
	body   string // JSON, or what is not JSON
	kind   string // content type of the body, application/json when empty
	depth  int    // how deep the answer is compared; 0 is all
}

func get(name, path string) request { return request{name: name, method: "GET", path: path} }
func post(name, path, body string) request {
	return request{name: name, method: "POST", path: path, body: body}
}
func patch(name, body string) request {
	return request{name: name, method: "PATCH", path: "SESSION", body: body}
}

// event is a POST to the conversation's events.
func event(name, body string) request { return post("event: "+name, "SESSION/events", body) }

func message(name, role, content string) request {
	return event(name, `{"type":"message","data":{"role":"`+role+`","content":`+content+`}}`)
}

func approval(name, fields string) request {
	return event(name, `{"type":"approval","data":{`+fields+`}}`)
}

// live are the requests while the conversation's terminal runs.
func live() []request {
	var all []request
	for _, part := range [][]request{service(), sessions(), items(), resources(), questions(), events(), changes()} {
		all = append(all, part...)
	}
	return all
}

func service() []request {
	return []request{
		get("health", "/health"), get("health of a session", "/health?session_id=ID"), get("version", "/api/version"),
		get("version under v1", "/v1/version"), get("me", "/v1/me"), get("the web page", "/"), get("the page of a conversation", "/c/ID"),
		{name: "openapi", method: "GET", path: "/openapi.json", depth: 1}, get("docs", "/docs"),
		get("an unknown path under v1", "/v1/nowhere"), get("an unknown page", "/nowhere"), get("an unknown file", "/assets/nowhere.js"),
		post("health by POST", "/health", `{}`), get("agents", "/v1/agents"), get("hosts", "/v1/hosts"), get("the host", "/v1/hosts/HOST"),
		get("an unknown host", "/v1/hosts/NOBODY"), get("runners", "/v1/runners"), get("the runner", "/v1/runners/RUNNER/status"),
		get("an unknown runner", "/v1/runners/NOBODY/status"), get("models", "/v1/models"), get("harnesses", "/v1/harnesses"),
		get("settings", "/v1/settings"), get("metrics", "/metrics"),
		post("a runner on an unknown host", "/v1/hosts/NOBODY/runners", `{"session_id":"ID"}`),
		post("a runner on an unknown host for a workspace", "/v1/hosts/NOBODY/runners", `{"session_id":"ID","workspace":"/tmp"}`),
	}
}

func sessions() []request {
	upper := request{name: "the id in upper case", method: "GET", path: "/v1/sessions/UPPER"}
	return []request{
		get("sessions", "/v1/sessions"), get("one session", "/v1/sessions?limit=1"), get("1000 sessions", "/v1/sessions?limit=1000"),
		get("1001 sessions", "/v1/sessions?limit=1001"), get("no sessions", "/v1/sessions?limit=0"), get("x sessions", "/v1/sessions?limit=x"),
		get("sessions sideways", "/v1/sessions?order=sideways"), get("sessions by status", "/v1/sessions?status=running"),
		get("session", "SESSION"), {name: "session by HEAD", method: "HEAD", path: "SESSION"},
		get("the id with dashes", "/v1/sessions/DASHED"), get("the id with conv_", "/v1/sessions/conv_ID"), upper,
		get("an unknown id", "/v1/sessions/NOBODY"), get("no id", "/v1/sessions/junk"), get("a short id", "/v1/sessions/abc123"),
		get("the session's path with a slash", "SESSION/"), {name: "session by PUT", method: "PUT", path: "SESSION", body: `{}`},
		post("create without anything", "/v1/sessions", `{}`), post("create with an unknown field", "/v1/sessions", `{"agent":"nope"}`),
		post("create with an unknown agent", "/v1/sessions", `{"agent_id":"NOBODY"}`), post("create without JSON", "/v1/sessions", `{`),
		{name: "delete an unknown id", method: "DELETE", path: "/v1/sessions/NOBODY"},
		{name: "delete no id", method: "DELETE", path: "/v1/sessions/junk"},
		get("the stream of an unknown id", "/v1/sessions/NOBODY/stream"), get("the stream of no id", "/v1/sessions/junk/stream"),
		get("child sessions", "SESSION/child_sessions"), get("usage", "SESSION/usage"), get("owner", "SESSION/owner"),
		get("permissions", "SESSION/permissions"), get("comments", "SESSION/comments"), get("labels", "SESSION/labels"),
		get("fork by GET", "SESSION/fork"), get("events by GET", "SESSION/events"),
	}
}

func items() []request {
	return []request{
		get("items", "SESSION/items"), get("the first item", "SESSION/items?limit=1&order=asc"), get("no items", "SESSION/items?limit=0"),
		get("less than no items", "SESSION/items?limit=-1"), get("100 items", "SESSION/items?limit=100"), get("101 items", "SESSION/items?limit=101"),
		get("1001 items", "SESSION/items?limit=1001"), get("x items", "SESSION/items?limit=x"), get("items sideways", "SESSION/items?order=sideways"),
		get("items after the first", "SESSION/items?order=asc&after=ITEM"), get("items after an unknown one", "SESSION/items?order=asc&after=NOBODY"),
		get("items after no id", "SESSION/items?order=asc&after=junk"), get("items before the first", "SESSION/items?order=asc&before=ITEM"),
		get("items of a type", "SESSION/items?type=message"), get("items of an unknown id", "/v1/sessions/NOBODY/items"),
		get("one item", "SESSION/items/ITEM"),
	}
}

func resources() []request {
	return []request{
		get("resources", "SESSION/resources"), get("terminals by type", "SESSION/resources?type=terminal"),
		get("resources of an unknown id", "/v1/sessions/NOBODY/resources"), get("terminals", "SESSION/resources/terminals"),
		get("the terminal", "SESSION/resources/terminals/terminal_HARNESS_main"), get("an unknown terminal", "SESSION/resources/terminals/terminal_x_main"),
		{name: "delete an unknown terminal", method: "DELETE", path: "SESSION/resources/terminals/terminal_x_main"},
		get("environments", "SESSION/resources/environments"), get("files", "SESSION/resources/files"),
		get("the working directory", "SESSION/resources/environments/default/filesystem"),
		post("an undeclared terminal", "SESSION/resources/terminals", `{"terminal":"nope","session_key":"main"}`),
		post("no terminal", "SESSION/resources/terminals", `{}`),
		post("the terminal again", "SESSION/resources/terminals", `{"terminal":"HARNESS","session_key":"main","ensure_native_terminal":true}`),
	}
}

func questions() []request {
	const path = "SESSION/elicitations/elicit_x"
	return []request{
		get("an unknown question", path), post("resolve an unknown question", path+"/resolve", `{"action":"accept"}`),
		post("resolve with another word", path+"/resolve", `{"action":"maybe"}`), post("resolve without a word", path+"/resolve", `{}`),
		approval("approval without an id", `"action":"accept"`), approval("approval with another word", `"elicitation_id":"elicit_x","action":"maybe"`),
		approval("approval of an unknown question", `"elicitation_id":"elicit_x","action":"accept"`),
	}
}

func events() []request {
	return []request{
		event("nothing", ``), event("no JSON", `{`), event("no type", `{}`), event("no events", `[]`), event("a text", `"x"`),
		event("unknown type", `{"type":"nonsense","data":{}}`), event("message without data", `{"type":"message"}`),
		event("message with empty data", `{"type":"message","data":{}}`), message("message of a text", "user", `"hi"`),
		message("message without blocks", "user", `[]`), message("message of the assistant", "assistant", `[{"type":"input_text","text":"hi"}]`),
		message("message of an unknown block", "user", `[{"type":"nope","text":"x"}]`),
		message("message of an output block", "user", `[{"type":"output_text","text":"x"}]`),
		message("message of an empty text", "user", `[{"type":"input_text","text":""}]`),
		{name: "event: as text", method: "POST", path: "SESSION/events", body: `{"type":"nonsense"}`, kind: "text/plain"},
		event("interrupt of nothing", `{"type":"interrupt","data":{}}`),
		post("a message to an unknown id", "/v1/sessions/NOBODY/events", `{"type":"message","data":{"role":"user","content":[{"type":"input_text","text":"hi"}]}}`),
		post("a message to no id", "/v1/sessions/junk/events", `{"type":"message","data":{"role":"user","content":[{"type":"input_text","text":"hi"}]}}`),
		event("of 2 MB", `{"type":"nonsense","data":{"x":"`+strings.Repeat("y", 2_000_000)+`"}}`),
	}
}

func changes() []request {
	return []request{
		patch("a title", `{"title":"New title"}`), patch("no change", `{}`), patch("an unknown field", `{"nonsense":1}`),
		patch("a title that is a number", `{"title":5}`), patch("a label", `{"labels":{"a":"b"}}`),
		{name: "a title for an unknown id", method: "PATCH", path: "/v1/sessions/NOBODY", body: `{"title":"x"}`},
	}
}

// left are the requests after the agent was left by its own command, in this order.
func left() []request {
	terminal := "SESSION/resources/terminals/terminal_HARNESS_main"
	return []request{
		get("after the exit: resources", "SESSION/resources"),
		{name: "after the exit: delete the terminal", method: "DELETE", path: terminal},
		post("after the exit: stop_session", "SESSION/events", `{"type":"stop_session","data":{}}`),
		post("after the exit: stop_session again", "SESSION/events", `{"type":"stop_session","data":{}}`),
		get("after the stop: resources", "SESSION/resources"),
		{name: "after the stop: delete the terminal", method: "DELETE", path: terminal},
		get("after the stop: session", "SESSION"),
	}
}
