package builtins

import (
	"net/url"
	"strings"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/lazy"
)

type serverArgs struct {
	URL string `star:"url?" doc:"base URL; without it the current server is returned"`
}

func (st *State) omnigentServer(_ *dsl.Call, a serverArgs) (starlark.Value, error) {
	if a.URL != "" {
		u, err := url.Parse(a.URL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fault.New(fault.Usage, "omnigent_server: got %q, want a URL like http://127.0.0.1:6767", a.URL)
		}
		st.server = strings.TrimRight(a.URL, "/")
	}
	return starlark.String(st.serverURL()), nil
}

// serverURL is the server that omnigent_server named, or the script's --server.
func (st *State) serverURL() string {
	if st.server != "" {
		return st.server
	}
	return strings.TrimRight(st.Params["server"], "/")
}

// conversationID is what ids of conversations look like in all versions of the product.
var conversationID = lazy.Regexp(`^(?:conv_)?[0-9a-f]{20,}$|^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

type injectArgs struct {
	Conversation string       `star:"conversation" doc:"the conversation's id"`
	Text         string       `star:"text" doc:"the user's message"`
	Server       string       `star:"server?,kw" doc:"base URL; the current server by default"`
	Timeout      dsl.Duration `star:"timeout?,kw" doc:"deadline"`
}

func (st *State) inject(c *dsl.Call, a injectArgs) (starlark.Value, error) {
	server := strings.TrimRight(a.Server, "/")
	if server == "" {
		server = st.serverURL()
	}
	switch {
	case server == "":
		return nil, fault.New(fault.Usage, "inject: no server: call omnigent_server(url), or give server=")
	case !conversationID().MatchString(a.Conversation):
		return nil, fault.New(fault.Usage, "inject: conversation %q: want an id of 20 or more hex digits, with or without conv_", a.Conversation)
	case a.Text == "":
		return nil, fault.New(fault.Usage, "inject: the text is empty")
	}
	content := starlark.NewDict(2)
	content.SetKey(starlark.String("type"), starlark.String("input_text"))
	content.SetKey(starlark.String("text"), starlark.String(a.Text))
	data := starlark.NewDict(2)
	data.SetKey(starlark.String("role"), starlark.String("user"))
	data.SetKey(starlark.String("content"), starlark.NewList([]starlark.Value{content}))
	body := starlark.NewDict(2)
	body.SetKey(starlark.String("type"), starlark.String("message"))
	body.SetKey(starlark.String("data"), data)
	args := httpDefaults()
	args.URL, args.JSON, args.Timeout = server+"/v1/sessions/"+a.Conversation+"/events", body, a.Timeout
	r, err := st.httpDo(c, "POST", args)
	if err != nil {
		return nil, err
	}
	if err := r.RaiseForStatus(); err != nil {
		return nil, err
	}
	return st.responseJSON(c, r, dsl.None{})
}

func (st *State) omnigentFuncs() []*dsl.Func {
	return dsl.In("omnigent",
		dsl.Define("inject", "dict", `Send a user's message into a conversation through the server, as the web page does. Any HTTP error is a failure. Returns the server's answer, which has pending_id or item_id.`,
			`assert.fails(inject, "0123456789abcdef0123456789abcdef", "hello", server = "http://127.0.0.1:1", kind = "env")`,
			injectArgs{Timeout: dsl.Seconds(30)}, st.inject),
		dsl.Define("omnigent_server", "str", `Set the omnigent server that inject() talks to, or return it. The script's --server is the default.`,
			`omnigent_server("http://127.0.0.1:6767")
assert.eq(omnigent_server(), "http://127.0.0.1:6767")`, serverArgs{}, st.omnigentServer),
	)
}
