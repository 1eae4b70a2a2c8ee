package builtins_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.starlark.net/starlark"

	"omniexpect/internal/run"
	"omniexpect/internal/testneed"
)

// canary is a secret that each encoding writes in another way.
const canary = `Kq7Zx9"Wv4&<Jt3Rn\Yp5Gé Mb8Tc`

// canarySpellings are the ways in which programs and servers write it.
func canarySpellings(t *testing.T) []string {
	t.Helper()
	var quoted strings.Builder
	enc := json.NewEncoder(&quoted)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(canary); err != nil {
		t.Fatal(err)
	}
	const cut = len(canary) / 2
	return []string{
		canary,
		base64.StdEncoding.EncodeToString([]byte(canary)),
		hex.EncodeToString([]byte(canary)),
		url.QueryEscape(canary),
		url.PathEscape(canary),
		strings.Trim(strings.TrimSpace(quoted.String()), `"`),
		html.EscapeString(canary),
		canary[:cut] + "\x1b[38;2;249;38;114m" + canary[cut:],
	}
}

// seenOf returns a piece of the canary in any spelling that a text shows. Up to 4 characters are none: an excerpt of a
// stream may end with 2 of them.
func seenOf(spellings []string, text string) string {
	for _, s := range spellings {
		most := 8
		if strings.ContainsAny(s, `"&`) || strings.Contains(s, "Wv4") {
			most = 5
		}
		r := []rune(s)
		for i := range len(r) - most + 1 {
			if piece := string(r[i : i+most]); strings.Contains(text, piece) && piece != "8;2;2" {
				return piece
			}
		}
	}
	return ""
}

// exits are the ways by which a text leaves a run. ALL has every spelling of the secret, and A and B are its two halves,
// cut in the last of them.
var exits = []struct {
	name, script string
	options      run.Options
	few          bool // it takes long: one order of the spellings will do
}{
	{name: "print", script: `print(ALL, [ALL], {ALL: ALL}, (ALL,))`},
	{name: "print raw", script: `print(ALL, raw=True)`},
	{name: "repr", script: `print(repr(ALL), "%r %s" % (ALL, ALL))`},
	{name: "message", script: `fail(ALL)`},
	{name: "message of the language", script: `{}[ALL]`},
	{name: "number", script: `int(ALL)`},
	{name: "no such name", script: `getattr(1, ALL)`},
	{name: "comparison", script: `assert.eq(ALL, "x")`},
	{name: "long comparison", script: `assert.eq([ALL] * 20, ["x"] + [ALL] * 19)`},
	{name: "containment", script: `assert.contains(ALL, "not there")`},
	{name: "caught", script: `
r = catch(lambda: catch(fail, ALL).value or fail(ALL))
print(r.error, r.detail, r.trace, r)`},
	{name: "caught detail", script: `
s = http_serve({"/": {"status": 403, "text": ALL}})
r = catch(http_get, s.url, status = 200)
print(r.error, r.detail, r)`},
	{name: "retried", script: `retry(lambda: fail(ALL), times = 2, interval = 0)`},
	{name: "polled", script: `poll_until(lambda: fail(ALL), timeout = 0)`},
	{name: "parallel", script: `parallel([lambda: fail(ALL), lambda: fail(ALL)])`},
	{name: "deferred", script: `defer(fail, ALL)
fail(ALL)`},
	{name: "skip", script: `skip(ALL)`},
	{name: "steps", script: `step(ALL)
step(ALL + " again")`},
	{name: "verbose", script: stream, options: run.Options{Verbose: true}},
	{name: "verbose, in pieces", script: inPieces, options: run.Options{Verbose: true}},
	{name: "verbose, of standard error", options: run.Options{Verbose: true},
		script: `spawn(["sh", "-c", "printf %s \"$1\" >&2; printf %s \"$2\" >&2", "sh", A, B], pty=False).expect_eof(stream = "stderr")`},
	{name: "debug", script: inPieces, options: run.Options{Debug: true}},
	{name: "debug of a regular expression", script: `
s = spawn(["sh", "-c", "printf %s \"$1\"", "sh", ALL])
s.expect(["never", "ever"])`, options: run.Options{Debug: true}},
	{name: "mirror", script: inPieces[:strings.Index(inPieces, "\ns.expect")] + "\ns.mirror()" + inPieces[strings.Index(inPieces, "\ns.expect"):]},
	{name: "pattern", script: `spawn("true").expect(exact(ALL))`},
	{name: "regular expression", script: `spawn("true").expect([RE, "x"])`},
	{name: "bad regular expression", script: `spawn("true").expect(ALL + "(")`},
	{name: "unread output", script: `
s = spawn(["sh", "-c", "printf %s \"$1\"", "sh", ALL])
s.expect("never")`},
	{name: "unread output of one that runs", script: `
s = spawn(["sh", "-c", "printf %s \"$1\"; read x", "sh", ALL], echo = False)
s.expect(exact(ALL[:10]))
s.expect("never", timeout = 0)`},
	{name: "command", script: `run(["sh", "-c", "echo \"$1\"; echo \"$1\" >&2; exit 3", "sh", ALL], check=True)`},
	{name: "command, without a terminal", script: `run(["sh", "-c", "echo \"$1\"; echo \"$1\" >&2; exit 3", "sh", ALL], pty=False, check=True)`},
	{name: "command at a prompt", script: `shell("sh").cmd("exit 3 # " + ALL, check = True)`},
	{name: "no such program", script: `spawn([ALL])`},
	{name: "no such folder", script: `spawn("true", cwd = "/" + ALL)`},
	{name: "bad environment", script: `spawn("true", env = {ALL + "=": ALL})`},
	{name: "no such file", script: `fs.read("/" + ALL)`},
	{name: "name of a session", script: `spawn("true", name = ALL).expect("never")`},
	{name: "body", script: `http_get(http_serve({"/": {"status": 403, "text": ALL}}).url, status = 200)`},
	{name: "headers", script: `
s = http_serve({"/": {"status": 403, "headers": {"x-a": base64.encode("a:" + SECRET)}, "json": {"error": ALL}}})
print(http_get(s.url).headers, http_get(s.url).json())
http_get(s.url, status = 200, headers = {"x-a": "1"})`},
	{name: "address", script: `http_get("http://127.0.0.1:1/" + SECRET + "/" + base64.encode(SECRET) + "?q=" + SECRET + "&p=" + base64.encode(SECRET))`},
	{name: "bad address", script: `http_get(ALL)`},
	{name: "poll", script: `http_poll(http_serve({"/": {"status": 503, "text": ALL}}).url, timeout = 0)`},
	{name: "base64", script: `base64.decode("!" + ALL)`},
	{name: "stream of events", script: `
s = sse(http_serve({"/": {"events": [ALL, ALL]}}).url)
s.next_event("never")`},
	{name: "stream of lines", script: `
s = http_lines(http_serve({"/": {"text": ALL + "\n" + ALL}}).url)
s.next_line("never")`},
	{name: "websocket", script: `
w = websocket(http_serve({"/": {"websocket": {"greet": [ALL], "code": 4001, "reason": SECRET}}}).url)
w.receive()
w.receive()`},
	{name: "no websocket", script: `websocket(http_serve({"/": {"status": 403, "text": ALL}}).url)`},
	{name: "note of a stub server", script: `
s = http_serve({"/": lambda r: fail(ALL)})
r = http_get(s.url)
print(r.text, s.errors)
fail(s.errors[0])`},
	{name: "error answer of a stub server", script: `
s = http_serve({"/": lambda r: fail(ALL)})
leaves(http_get(s.url).text)`},
	{name: "live line", few: true, options: run.Options{TTY: true, Width: func() int { return 1000 }},
		script: `spawn(["sh", "-c", "read x"]).expect(exact(ALL), timeout = 1.2)`},
}

// given is what exits are tried with.
func given(text string, cut int, sent *string) starlark.StringDict {
	values := starlark.Tuple{starlark.String(text), starlark.String(text[:cut]), starlark.String(text[cut:]), starlark.Bytes(text[cut-3 : cut]),
		starlark.String(regexp.QuoteMeta(canary)), starlark.String(canary)}
	return starlark.StringDict{"given": starlark.NewBuiltin("given", func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
		return values, nil
	}), "leaves": starlark.NewBuiltin("leaves", func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		*sent, _ = starlark.AsString(args[0])
		return starlark.None, nil
	})}
}

const stream = `
s = spawn(["sh", "-c", "printf %s \"$1\"", "sh", ALL], name = "prog")
s.expect(EOF)`

const inPieces = `
s = spawn(["sh", "-c", "printf %s \"$1\"; read x; printf %s \"$2\"", "sh", A, B], echo = False)
s.expect(END)
s.sendline("")
s.expect(EOF)`

// TestExits lets a secret in every spelling leave a run by every way that there is, and looks for a piece of it.
func TestExits(t *testing.T) {
	testneed.Programs(t, "sh", "true")
	spellings := canarySpellings(t)
	for _, exit := range exits {
		t.Run(exit.name, func(t *testing.T) {
			reached, last := false, ""
			for i := range spellings {
				if exit.few && i > 0 {
					break
				}
				list := slices.Concat(spellings[i+1:], spellings[:i+1])
				text := strings.Join(list, " ")
				cut := len(text) - len(list[len(list)-1])/2
				o, sent := exit.options, ""
				o.Secrets = []string{canary}
				o.Extra = given(text, cut, &sent)
				r := newRig(o)
				src, err := r.Parse("exit.star", "ALL, A, B, END, RE, SECRET = given()\n"+exit.script)
				if err != nil {
					t.Fatal(err)
				}
				out := r.Do(t.Context(), src)
				plain, err := json.Marshal(out)
				if err != nil {
					t.Fatal(err)
				}
				for where, shown := range map[string]string{"standard output": r.out.String(), "standard error": r.errs.String(), "the wire": sent,
					"the outcome": string(plain) + fmt.Sprint(out.Failure, out.Steps, out.Reason, out.Left)} {
					if piece := seenOf(spellings, shown); piece != "" {
						t.Errorf("%q on %s, with spelling %d last:\n%s", piece, where, i, shown)
					}
					reached = reached || strings.Contains(shown, "***")
					last += shown
				}
			}
			if !reached {
				t.Errorf("nothing was masked: the text does not come that way: %s", last)
			}
		})
	}
}
