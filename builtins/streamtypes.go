package builtins

import (
	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
)

// streamFields are what event streams and line streams have in common.
func streamFields(more ...dsl.Field) []dsl.Field {
	return append([]dsl.Field{
		dsl.Attr("url", "str", "the URL that was requested", func(s *streamValue) starlark.Value { return starlark.String(s.url) }),
		dsl.Attr("status", "int", "the status code", func(s *streamValue) starlark.Value { return starlark.MakeInt(s.response().Status) }),
		dsl.Attr("headers", "headers", "the headers by name, in any case", func(s *streamValue) starlark.Value { return headersValue{s.response().Header} }),
		dsl.Attr("open", "bool", "whether more can arrive", func(s *streamValue) starlark.Value { return starlark.Bool(s.open()) }),
	}, more...)
}

func (st *State) streamType() *dsl.Type {
	t := &dsl.Type{Name: "EventStream", Doc: "An open stream of server-sent events, from sse(). It is read all the time, so nothing is missed, and closed when the script ends.",
		Fields: streamFields(
			dsl.AttrErr("events", "list", "all events so far, read or not; "+keptDoc, (*streamValue).allEvents),
			dsl.Attr("lost", "int", lostDoc("events"), (*streamValue).lost),
			dsl.Attr("heartbeats", "int", "how many comment lines have arrived", func(s *streamValue) starlark.Value { return starlark.MakeInt(s.sse.State().Comments) }),
			dsl.Attr("reconnects", "int", "how many times it has connected again", func(s *streamValue) starlark.Value { return starlark.MakeInt(s.sse.State().Reconnects) }),
			dsl.Attr("last_id", "str", "the last id from the server", func(s *streamValue) starlark.Value { return starlark.String(s.sse.State().LastID) }))}
	t.Methods = dsl.In("http",
		dsl.Method("EventStream", "next_event", "Event", `Wait for the next event that next_event has not returned yet. A wait that fails consumes no event. After the end of the stream it fails with kind eof.`,
			`s = http_serve({"/events": {"events": ["one", {"event": "done", "data": {"n": 2}}]}})
es = sse(s.url + "/events")
assert.eq(es.next_event().data, "one")
assert.eq(es.next_event("done", timeout = 5).json()["n"], 2)`, nextEventArgs{deadlineArgs: streamDeadline()}, st.nextEvent),
		dsl.Method("EventStream", "expect", "Match", `Wait for a pattern in the text of the stream, as expect of a session does. next_event is not affected.`,
			`s = http_serve({"/events": {"events": [{"event": "state", "data": "ready 42"}]}})
m = sse(s.url + "/events").expect(r"ready (\d+)\n")
assert.eq(m[1], "42")`, tapArgs{deadlineArgs: streamDeadline()}, st.streamExpect),
		dsl.Method("EventStream", "close", "None", `End the connection. Events that are unread can still be read.`,
			`s = http_serve({"/events": {"events": ["one"]}})
es = sse(s.url + "/events")
es.close()
assert.eq(es.open, False)`, dsl.None{}, st.closeStream),
	)
	return t
}

func (st *State) linesType() *dsl.Type {
	t := &dsl.Type{Name: "LineStream", Doc: "A body that is read line by line as it arrives, from http_lines(). It is closed when the script ends.",
		Fields: streamFields(dsl.AttrErr("lines", "list", "all lines so far, read or not; "+keptDoc, (*streamValue).allLines),
			dsl.Attr("lost", "int", lostDoc("lines"), (*streamValue).lost))}
	t.Methods = dsl.In("http",
		dsl.Method("LineStream", "next_line", "str", `Wait for the next line that next_line has not returned yet.`,
			`s = http_serve({"/log": {"chunks": ["a\nb", ("c\n", 0.01)]}})
log = http_lines(s.url + "/log")
assert.eq(log.next_line(), "a")
assert.eq(log.next_line(contains = "c"), "bc")`, nextLineArgs{deadlineArgs: streamDeadline()}, st.nextLine),
		dsl.Method("LineStream", "expect", "Match", `Wait for a pattern in the body, as expect of a session does. next_line is not affected.`,
			`s = http_serve({"/log": {"chunks": ["step 1\n", "done in 3s\n"]}})
assert.eq(http_lines(s.url + "/log").expect(r"done in (\d+)s")[1], "3")`, tapArgs{deadlineArgs: streamDeadline()}, st.streamExpect),
		dsl.Method("LineStream", "close", "None", `End the connection. Lines that are unread can still be read.`,
			`s = http_serve({"/log": {"chunks": ["a\n"]}})
http_lines(s.url + "/log").close()`, dsl.None{}, st.closeStream),
	)
	return t
}

func (st *State) eventType() *dsl.Type {
	t := &dsl.Type{Name: "Event", Doc: "One server-sent event.", Fields: []dsl.Field{
		dsl.Attr("type", "str", "its type, \"message\" if the server names none", func(e *eventValue) starlark.Value { return starlark.String(e.Event.Type) }),
		dsl.Attr("data", "str", "its data, lines joined by line feeds", func(e *eventValue) starlark.Value { return starlark.String(e.Data) }),
		dsl.Attr("id", "str", "the last id from the server", func(e *eventValue) starlark.Value { return starlark.String(e.ID) }),
		dsl.Attr("index", "int", "its number in the stream, from 0", func(e *eventValue) starlark.Value { return starlark.MakeInt(e.Index) }),
		dsl.Attr("time", "float", "when it came, on the clock of now(); a Match has one too", func(e *eventValue) starlark.Value { return e.st.clock(e.Time) }),
	}}
	t.Methods = dsl.In("http", dsl.Method("Event", "json", "any", `The data decoded from JSON.`,
		`s = http_serve({"/events": {"events": [{"data": {"n": 1}}]}})
assert.eq(sse(s.url + "/events").next_event().json(), {"n": 1})`, dsl.None{}, st.eventJSON))
	return t
}

func (st *State) streamFuncs() []*dsl.Func {
	st.declare(st.streamType(), st.linesType(), st.eventType())
	return dsl.In("http",
		dsl.Define("sse", "EventStream", `Open a stream of server-sent events. It returns when the headers have arrived, so no event caused by what the script does next is missed.`,
			`s = http_serve({"/events": {"events": [{"event": "tick", "data": "1", "id": "a"}]}})
es = sse(s.url + "/events")
e = es.next_event("tick")
assert.eq((e.data, e.id), ("1", "a"))`, streamDefaults(), func(c *dsl.Call, a streamArgs) (starlark.Value, error) {
				return st.openStream(c, a, true)
			}),
		dsl.Define("http_lines", "LineStream", `Make a call and read its body line by line as it arrives: chunks, a long poll, JSON lines.`,
			`s = http_serve({"/log": {"chunks": ["{\"n\": 1}\n", "{\"n\": 2}\n"]}})
log = http_lines(s.url + "/log")
assert.eq(json.decode(log.next_line())["n"], 1)`, streamDefaults(), func(c *dsl.Call, a streamArgs) (starlark.Value, error) {
				return st.openStream(c, a, false)
			}),
	)
}
