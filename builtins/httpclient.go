package builtins

import (
	"context"
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/httpc"
)

// clientValue is what http() returns.
type clientValue struct {
	handle
	client *httpc.Client
	args   clientArgs
}

func (cl *clientValue) String() string { return fmt.Sprintf("<http %s>", cl.args.Base) }

// Attr returns a field or a method.
func (cl *clientValue) Attr(name string) (starlark.Value, error) { return cl.typ.Attr(cl, name) }

type clientArgs struct {
	Base           string         `star:"base?" doc:"base URL; URLs without a scheme are appended to it"`
	Headers        starlark.Value `star:"headers?" type:"dict" doc:"headers for every request that does not set them itself"`
	Timeout        dsl.Duration   `star:"timeout?" doc:"deadline of a call without timeout="`
	ConnectTimeout dsl.Duration   `star:"connect_timeout?,kw" doc:"deadline for making a connection"`
	MaxBody        starlark.Value `star:"max_body?,kw" type:"int" doc:"how many bytes a body may have, for calls without max_body=; 64 MiB by default. It does not limit files of save_to"`
	Auth           starlark.Value `star:"auth?,kw" type:"any" doc:"(user, password), (user, password, \"digest\"), or a bearer token"`
	Netrc          starlark.Value `star:"netrc?,kw" type:"bool or str" doc:"True: take user and password from $NETRC or ~/.netrc unless auth is given; a path names another file"`
	Cookies        *starlark.Dict `star:"cookies?,kw" type:"dict" doc:"initial cookies of the jar, for the server of base"`
	Follow         bool           `star:"follow?,kw" doc:"follow redirects"`
	Verify         bool           `star:"verify?,kw" doc:"False: accept any TLS certificate"`
	CAFile         string         `star:"ca_file?,kw" doc:"PEM file of an authority to trust in addition to the system's"`
	Cert           starlark.Value `star:"cert?,kw" type:"str or tuple" doc:"PEM file of the client's certificate and key, or a pair of files"`
	Proxy          string         `star:"proxy?,kw" doc:"URL of a proxy, \"none\" for none; by default from the environment"`
	Socket         string         `star:"socket?,kw" doc:"path of a unix socket for all connections"`
}

func (st *State) httpClient(c *dsl.Call, a clientArgs) (starlark.Value, error) {
	opts := httpc.Options{Base: st.Mask.Resolve(a.Base), Clock: st.Clock, SecretHeaders: st.secretNames(a.Headers),
		Socket: a.Socket, Conceal: st.maskOf}
	var err error
	if opts.MaxBody, err = maxBody(a.MaxBody); err != nil {
		return nil, err
	}
	if a.Socket != "" && a.Proxy != "" && a.Proxy != "none" {
		return nil, fault.New(fault.Usage, "http: socket and proxy are given: every connection goes to the socket, want one of them")
	}
	if opts.Headers, err = st.pairs("headers", a.Headers); err != nil {
		return nil, err
	}
	if opts.Auth, err = st.auth(a.Auth); err != nil {
		return nil, err
	}
	if opts.Netrc, err = st.netrc(a.Netrc); err != nil {
		return nil, err
	}
	if err = security(&opts, starlark.Bool(a.Verify), a.CAFile, a.Cert, st.Mask.Resolve(a.Proxy)); err != nil {
		return nil, err
	}
	client, err := httpc.New(opts)
	if err != nil {
		return nil, err
	}
	st.AtEnd(func(context.Context) { client.Close() })
	if a.Cookies != nil {
		if err := st.fillJar(client, a); err != nil {
			return nil, err
		}
	}
	return &clientValue{st.handle("Client"), client, a}, nil
}

func (st *State) fillJar(client *httpc.Client, a clientArgs) error {
	if a.Base == "" {
		return fault.New(fault.Usage, "http: cookies= without base=: give base=, the server that they belong to")
	}
	pairs, err := st.pairs("cookies", a.Cookies)
	if err != nil {
		return err
	}
	var cookies []httpc.Cookie
	for _, p := range pairs {
		cookies = append(cookies, httpc.Cookie(p))
	}
	return client.SetCookies(st.Mask.Resolve(a.Base), cookies)
}

// complete gives a call the client's defaults for what the call does not set.
func (cl *clientValue) complete(a httpArgs) httpArgs {
	if !a.Timeout.Set && !a.Timeout.Forever {
		a.Timeout = cl.args.Timeout
	}
	if !a.ConnectTimeout.Set && !a.ConnectTimeout.Forever {
		a.ConnectTimeout = cl.args.ConnectTimeout
	}
	if a.Follow == nil || a.Follow == starlark.None {
		a.Follow = starlark.Bool(cl.args.Follow)
	}
	return a
}

// security reads the parameters about TLS and the proxy.
func security(opts *httpc.Options, verify starlark.Value, ca string, cert starlark.Value, proxy string) error {
	opts.Insecure = verify == starlark.False
	opts.CAFile = ca
	switch v := cert.(type) {
	case nil, starlark.NoneType:
	case starlark.String:
		opts.CertFile = string(v)
	case starlark.Tuple:
		if len(v) != 2 {
			return fault.New(fault.Usage, "cert: got %d files, want one, or (certificate, key)", len(v))
		}
		opts.CertFile, opts.KeyFile = plain(v[0]), plain(v[1])
	default:
		return fault.New(fault.Usage, "cert: got %s, want a path, or (certificate, key)", v.Type())
	}
	if opts.NoProxy = proxy == "none"; !opts.NoProxy {
		opts.Proxy = proxy
	}
	return nil
}

// clientFor returns the engine's client for a call: that of http(), or one without cookies, which calls of the same TLS
// and proxy options share.
func (st *State) clientFor(cl *clientValue, a httpArgs) (*httpc.Client, error) {
	if cl != nil {
		if a.Verify != nil || a.CAFile != "" || a.Cert != nil || a.Proxy != "" {
			return nil, fault.New(fault.Usage, "verify, ca_file, cert and proxy belong to the client: give them to http()")
		}
		return cl.client, nil
	}
	opts := httpc.Options{Conceal: st.maskOf, Clock: st.Clock}
	if err := security(&opts, a.Verify, a.CAFile, a.Cert, st.Mask.Resolve(a.Proxy)); err != nil {
		return nil, err
	}
	key := opts.Key()
	client := st.clients[key]
	if client == nil {
		var err error
		if client, err = httpc.New(opts); err != nil {
			return nil, err
		}
		if st.clients == nil {
			st.clients = map[httpc.Key]*httpc.Client{}
		}
		st.clients[key] = client
		st.AtEnd(func(context.Context) { client.Close() })
	}
	return client.Fresh(), nil
}

type cookiesArgs struct {
	URL string `star:"url?" doc:"the URL they would be sent to; base by default"`
}

func (st *State) clientCookies(_ *dsl.Call, cl *clientValue, a cookiesArgs) (starlark.Value, error) {
	cookies, err := cl.client.Cookies(st.Mask.Resolve(a.URL))
	if err != nil {
		return nil, err
	}
	return cookieDict(cookies), nil
}

func (st *State) clientRequest(c *dsl.Call, cl *clientValue, a requestArgs) (starlark.Value, error) {
	m := st.clientMethod(strings.ToUpper(a.Method), c.Func.Name)
	return starlark.Call(c.Thread, m.Builtin(cl), a.Args, a.Kwargs)
}

func (st *State) clientMethod(method, name string) *dsl.Func {
	return dsl.Method("Client", name, "Response", `Send `+article(method)+` `+method+` request with the client's headers and cookies.`,
		fmt.Sprintf(`s = http_serve({"/x": "ok"})
api = http(base = s.url)
assert.eq(api.%s("/x").status, 200)`, name), httpDefaults(),
		func(c *dsl.Call, cl *clientValue, a httpArgs) (starlark.Value, error) {
			r, err := st.httpDoAs(c, cl, method, a)
			if err != nil {
				return nil, err
			}
			return r, nil
		})
}

func (st *State) clientType() *dsl.Type {
	t := &dsl.Type{Name: "Client", Doc: "An HTTP client with a base URL, headers and cookies of its own, from http().", Fields: []dsl.Field{
		dsl.Attr("base", "str", "the base URL", func(cl *clientValue) starlark.Value { return starlark.String(cl.args.Base) }),
	}}
	for _, m := range httpMethods {
		t.Methods = append(t.Methods, st.clientMethod(m, strings.ToLower(m)))
	}
	t.Methods = dsl.In("http", append(t.Methods,
		dsl.Method("Client", "request", "Response", `Send a request with any method.`,
			`s = http_serve({"PURGE /x": "purged"})
assert.eq(http(base = s.url).request("PURGE", "/x").text, "purged")`, requestArgs{}, st.clientRequest),
		dsl.Method("Client", "cookies", "dict", `The cookies that the client would send.`,
			`api = http(base = "http://127.0.0.1:1", cookies = {"a": "1"})
assert.eq(api.cookies("/x"), {"a": "1"})`, cookiesArgs{}, st.clientCookies),
	)...)
	return t
}

func (st *State) clientFuncs() []*dsl.Func {
	st.declare(st.clientType())
	return dsl.In("http",
		dsl.Define("http", "Client", `Make a client: a base URL, headers, a timeout and a cookie jar that its calls share.`,
			`s = http_serve({"/in": {"text": "hi", "headers": {"Set-Cookie": "id=7"}}, "/me": lambda r: r.cookies["id"]})
api = http(base = s.url, headers = {"X-Test": "1"}, timeout = 5)
api.get("/in")
assert.eq(api.get("/me").text, "7")`, clientArgs{Timeout: dsl.Duration{Doc: "30"}, ConnectTimeout: dsl.Duration{Doc: "10"},
				Follow: true, Verify: true}, st.httpClient),
	)
}
