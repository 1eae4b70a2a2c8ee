package builtins

import (
	"context"
	"fmt"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/httpc"
)

// httpArgs are the parameters that all HTTP calls share.
type httpArgs struct {
	URL            string         `star:"url" type:"url" doc:"absolute URL, or a path for a client with base=; unix:///run/x.sock:/path reaches a unix socket"`
	Params         starlark.Value `star:"params?" type:"dict" doc:"query parameters, added to those of the URL; a list of pairs or lists as values repeat a name"`
	Headers        starlark.Value `star:"headers?" type:"dict" doc:"request headers; lists as values repeat one"`
	JSON           starlark.Value `star:"json?,kw" type:"any" doc:"a value to send as JSON"`
	Form           starlark.Value `star:"form?,kw" type:"dict" doc:"fields to send as a form"`
	Files          *starlark.Dict `star:"files?,kw" type:"dict" doc:"files of a multipart form: from field to path, or to a dict with path or content, name and type"`
	Body           Text           `star:"body?,kw" doc:"the body, sent unchanged"`
	BodyFile       string         `star:"body_file?,kw" doc:"path of a file to send as the body"`
	Cookies        starlark.Value `star:"cookies?,kw" type:"dict" doc:"cookies to send in addition to the client's"`
	Auth           starlark.Value `star:"auth?,kw" type:"any" doc:"(user, password), (user, password, \"digest\"), or a bearer token; () for none"`
	Netrc          starlark.Value `star:"netrc?,kw" type:"bool or str" doc:"True: take user and password from $NETRC or ~/.netrc unless auth is given; a path names another file"`
	Timeout        dsl.Duration   `star:"timeout?,kw" doc:"deadline for the whole call"`
	ConnectTimeout dsl.Duration   `star:"connect_timeout?,kw" doc:"deadline for making a connection"`
	MaxBody        starlark.Value `star:"max_body?,kw" type:"int" doc:"how many bytes a body may have; more is a failure. By default 64 MiB, and no limit for a file of save_to"`
	Status         starlark.Value `star:"status?,kw" type:"int or list" doc:"the wanted status or statuses; any other is a failure"`
	Follow         starlark.Value `star:"follow?,kw" type:"bool" doc:"whether to follow redirects; by default as the client does, else True"`
	Fresh          bool           `star:"fresh?,kw" doc:"use a new connection, not one that an earlier call left open"`
	SaveTo         string         `star:"save_to?,kw" doc:"path of a file for the body of a response below 400, written when all of it has arrived"`
	Progress       starlark.Value `star:"progress?,kw" type:"function" doc:"called with the bytes saved and the total, None if the total is not known"`
	trustArgs
	Cert  starlark.Value `star:"cert?,kw" type:"str or tuple" doc:"PEM file of the client's certificate and key, or a pair of files"`
	Proxy string         `star:"proxy?,kw" doc:"URL of a proxy, \"none\" for none; by default from the environment"`
}

// trustArgs say which servers a call trusts.
type trustArgs struct {
	Verify starlark.Value `star:"verify?,kw" type:"bool" doc:"False: accept any TLS certificate"`
	CAFile string         `star:"ca_file?,kw" doc:"PEM file of an authority to trust in addition to the system's"`
}

func httpDefaults() httpArgs {
	return httpArgs{Timeout: dsl.Duration{Doc: "30"}, ConnectTimeout: dsl.Duration{Doc: "10"}}
}

// httpCall returns the builtin's function for one method.
func (st *State) httpCall(method string) func(*dsl.Call, httpArgs) (starlark.Value, error) {
	return func(c *dsl.Call, a httpArgs) (starlark.Value, error) {
		r, err := st.httpDo(c, method, a)
		if err != nil {
			return nil, err
		}
		return r, nil
	}
}

// httpDo makes one call without cookies of earlier ones.
func (st *State) httpDo(c *dsl.Call, method string, a httpArgs) (*responseValue, error) {
	return st.httpDoAs(c, nil, method, a)
}

// httpDoAs makes one call as a client, if there is one.
func (st *State) httpDoAs(c *dsl.Call, cl *clientValue, method string, a httpArgs) (*responseValue, error) {
	if cl != nil {
		a = cl.complete(a)
	}
	req, err := st.request(c, method, a)
	if err != nil {
		return nil, err
	}
	client, err := st.clientFor(cl, a)
	if err != nil {
		return nil, err
	}
	var want []int
	if a.Status != nil && a.Status != starlark.None {
		if want, err = statuses(a.Status); err != nil {
			return nil, fault.New(fault.Usage, "%s: status: %w", c.Func.Name, err)
		}
	}
	if a.Progress != nil && a.Progress != starlark.None {
		if req.Progress, err = progressOf(c, a.Progress); err != nil {
			return nil, err
		}
	}
	began := st.Clock.Now()
	done := st.watch(c, method+" "+a.URL, began, time.Time{})
	var resp *httpc.Response
	err = c.Wait(func(ctx context.Context) (err error) {
		resp, err = client.Do(ctx, req)
		return err
	})
	done()
	st.emitHTTP(c, method, a.URL, began, resp, err)
	if err == nil && want != nil {
		err = httpc.Check(resp, httpc.Want{Status: want})
	}
	if resp != nil {
		st.tellRefused(append(resp.History, resp)...)
	}
	if err != nil {
		return nil, err
	}
	return st.responseValue(resp), nil
}

// tellRefused notes the cookies that answers set and that are not kept, each once.
func (st *State) tellRefused(responses ...*httpc.Response) {
	for _, r := range responses {
		for _, c := range r.Refused {
			name, _, _ := strings.Cut(c.Line, "=")
			text := fmt.Sprintf("%s %s: the cookie %q is not kept: %s", r.Method, r.URL, st.short(name, 60), c.Reason)
			if st.told == nil {
				st.told = map[string]bool{}
			}
			if !st.told[text] {
				st.told[text] = true
				st.note(text)
			}
		}
	}
}

// progressOf calls a Starlark function from the goroutine that saves a file: the call waits, so its thread is free once
// the lock is there. The function's failure ends the call.
func progressOf(c *dsl.Call, fn starlark.Value) (func(done, total int64) error, error) {
	if _, ok := fn.(starlark.Callable); !ok {
		return nil, fault.New(fault.Usage, "progress: got %s, want a function of (done, total)", fn.Type())
	}
	return func(done, total int64) error {
		var all starlark.Value = starlark.None
		if total >= 0 {
			all = starlark.MakeInt64(total)
		}
		return c.Strand.Run(func(*starlark.Thread) error {
			_, err := c.Invoke(fn, starlark.MakeInt64(done), all)
			return err
		})
	}, nil
}

// request reads the parameters of a call. What a secret is part of does not follow a redirect to another origin.
func (st *State) request(c *dsl.Call, method string, a httpArgs) (httpc.Request, error) {
	req := httpc.Request{Method: method, URL: st.Mask.Resolve(a.URL), SaveTo: a.SaveTo, BodyFile: a.BodyFile,
		Fresh: a.Fresh}
	if method == "" {
		return req, fault.New(fault.Usage, "%s: the method is empty: want a word like GET or POST", c.Func.Name)
	}
	var err error
	if req.NoRedirect, err = noRedirect(a.Follow); err != nil {
		return req, err
	}
	if req.MaxBody, err = maxBody(a.MaxBody); err != nil {
		return req, err
	}
	req.Timeout = st.limit(c, a.Timeout, httpc.DefaultTimeout)
	req.ConnectTimeout = st.limit(c, a.ConnectTimeout, httpc.DefaultConnectTimeout)
	if req.Params, err = st.pairs("params", a.Params); err != nil {
		return req, err
	}
	if req.Form, err = st.pairs("form", a.Form); err != nil {
		return req, err
	}
	if req.Headers, err = st.pairs("headers", a.Headers); err != nil {
		return req, err
	}
	if req.Cookies, err = st.pairs("cookies", a.Cookies); err != nil {
		return req, err
	}
	if req.Files, err = st.files(a.Files); err != nil {
		return req, err
	}
	req.SecretHeaders = st.secretNames(a.Headers)
	if a.JSON != nil {
		if req.JSON, req.SecretBody, err = st.sentJSON(c, a.JSON); err != nil {
			return req, err
		}
	}
	if a.Body.v != nil {
		text, secret := st.resolved(a.Body)
		req.Body, req.SecretBody = []byte(text), req.SecretBody || secret
	}
	req.SecretBody = req.SecretBody || len(st.secretNames(a.Form)) > 0
	if req.Auth, err = st.auth(a.Auth); err != nil {
		return req, err
	}
	req.Netrc, err = st.netrc(a.Netrc)
	return req, err
}

// maxBody reads a limit of a body; 0 stands for none given.
func maxBody(v starlark.Value) (int64, error) {
	if v == nil || v == starlark.None {
		return 0, nil
	}
	n, ok := v.(starlark.Int)
	if !ok {
		return 0, fault.New(fault.Usage, "max_body: got %s, want a number of bytes", v.Type())
	}
	if i, ok := n.Int64(); ok && i > 0 {
		return i, nil
	}
	return 0, fault.New(fault.Usage, "max_body=%v: want a number of bytes above 0", v)
}

// noRedirect reads follow=; what is not given is left to the client.
func noRedirect(v starlark.Value) (bool, error) {
	switch v := v.(type) {
	case nil, starlark.NoneType:
		return false, nil
	case starlark.Bool:
		return !bool(v), nil
	}
	return false, fault.New(fault.Usage, "follow: got %s, want True or False", v.Type())
}

// httpMethods are the methods that have a builtin of their own.
var httpMethods = [...]string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}

type requestArgs struct {
	Method string           `star:"method" doc:"any method, like \"PURGE\""`
	Args   starlark.Tuple   `star:"*args" doc:"parameters of http_get"`
	Kwargs []starlark.Tuple `star:"**kwargs" doc:"parameters of http_get"`
}

func (st *State) httpRequest(c *dsl.Call, a requestArgs) (starlark.Value, error) {
	f := dsl.Define(c.Func.Name, "Response", "", "", httpDefaults(), st.httpCall(strings.ToUpper(a.Method)))
	return starlark.Call(c.Thread, f.Builtin(nil), a.Args, a.Kwargs)
}

func article(method string) string {
	if method == "OPTIONS" {
		return "an"
	}
	return "a"
}

func (st *State) httpFuncs() []*dsl.Func {
	st.declare(st.responseType())
	var out []*dsl.Func
	for _, m := range httpMethods {
		name := "http_" + strings.ToLower(m)
		doc := `Send ` + article(m) + ` ` + m + ` request. Any status is returned unless status= names the wanted ones. A failed connection is an error of kind env.`
		example := fmt.Sprintf(`s = http_serve({"/x": {"status": 201, "text": "made"}})
assert.eq(%s(s.url + "/x", status = 201).ok, True)`, name)
		out = append(out, dsl.Define(name, "Response", doc, example, httpDefaults(), st.httpCall(m)))
	}
	out = append(out, dsl.Define("http_request", "Response", `Send a request with any method.`,
		`s = http_serve({"PURGE /x": "purged"})
assert.eq(http_request("PURGE", s.url + "/x").text, "purged")`, requestArgs{}, st.httpRequest))
	return dsl.In("http", out...)
}
