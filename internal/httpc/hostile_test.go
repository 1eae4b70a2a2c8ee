package httpc

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"omniexpect/internal/fault"
)

// odd is an answer that a server may give, byte for byte, with what a client has to make of it: a body, or a failure.
type odd struct {
	name, answer string
	body         string
	fails        fault.Kind
	says         string
	curl         string // why curl sees it otherwise; empty where both have to agree on whether there is an answer
}

const lenient = "curl is lenient here"

var oddAnswers = []odd{
	{"plain", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "ok", "", "", ""},
	{"to the end of the connection", "HTTP/1.1 200 OK\r\n\r\nok", "ok", "", "", ""},
	{"HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\nok", "ok", "", "", ""},
	{"line ends of one character", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", "ok", "", "", ""},
	{"no reason", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok", "ok", "", "", ""},
	{"a status that nobody knows", "HTTP/1.1 799 Odd\r\nContent-Length: 2\r\n\r\nok", "ok", "", "", ""},
	{"chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\no\r\n1\r\nk\r\n0\r\n\r\n", "ok", "", "", ""},
	{"chunks with extensions and a trailer", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nok\r\n0\r\nX: y\r\n\r\n", "ok", "", "", ""},
	{"chunk lengths in capitals and with zeros", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0A\r\n0123456789\r\n000\r\n\r\n", "0123456789", "", "", ""},
	{"after a 100 and a 103", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "ok", "", "", ""},
	{"204 with a body behind it", "HTTP/1.1 204 No Content\r\n\r\nhidden", "", "", "", ""},
	{"304", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", "", "", "", ""},
	{"more than announced", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokXX", "ok", "", "", ""},
	{"equal lengths twice", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok", "ok", "", "", ""},
	{"empty gzip", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n", "", "", "", ""},
	{"header value of another charset", "HTTP/1.1 200 OK\r\nX: caf\xe9\r\nContent-Length: 2\r\n\r\nok", "ok", "", "", ""},
	{"a name with a blank", "HTTP/1.1 200 OK\r\nContent Length: 1\r\n\r\nok", "ok", "", "", ""},
	{"a redirect without a place", "HTTP/1.1 302 Found\r\nContent-Length: 2\r\n\r\nok", "ok", "", "", ""},

	{"nothing", "", "", fault.Env, "the server closed the connection without an answer", ""},
	{"no HTTP", "SSH-2.0-OpenSSH_9.2\r\n", "", fault.HTTP, "no HTTP answer", ""},
	{"HTTP/0.9", "hello there, this is a page\n", "", fault.HTTP, "no HTTP answer", ""},
	{"a status of two digits", "HTTP/1.1 20 OK\r\n\r\n", "", fault.HTTP, "no HTTP answer", ""},
	{"a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n", "", fault.HTTP, "no HTTP answer", ""},
	{"a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nok", "", fault.HTTP, "Content-Length", lenient},
	{"a length in words", "HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\nok", "", fault.HTTP, "Content-Length", lenient},
	{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nokX", "", fault.HTTP, "Content-Length", lenient},
	{"less than announced", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok", "", fault.Env, "the answer broke off after 2 bytes of 9 bytes", ""},
	{"headers cut off", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n", "", fault.Env, "the answer broke off within its headers", lenient},
	{"a header cut off", "HTTP/1.1 200 OK\r\nContent-Le", "", fault.HTTP, "malformed", lenient},
	{"status line cut off", "HTTP/1.1 20", "", fault.HTTP, "malformed", ""},
	{"chunks cut off", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nok", "", fault.Env, "the answer broke off after 2 bytes", ""},
	{"chunks without an end", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n", "", fault.Env, "the answer broke off after 2 bytes", ""},
	{"a chunk length in words", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nok\r\n", "", fault.HTTP, "the body is not valid HTTP", ""},
	{"a chunk longer than its length", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nok\r\n0\r\n\r\n", "", fault.HTTP, "the body is not valid HTTP", ""},
	{"a chunk of more than there can be", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n11112222333344445\r\n", "", fault.HTTP, "the body is not valid HTTP", ""},
	{"chunks that are all extension", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1;"+strings.Repeat("x", 2000)+"\r\no\r\n", 40), "", fault.HTTP, "the body is not valid HTTP", lenient},
	{"a trailer without an end", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: " + strings.Repeat("y", 10000) + "\r\n", "", fault.HTTP, "the body is not valid HTTP", lenient},
	{"an encoding of the transfer that nobody knows", "HTTP/1.1 200 OK\r\nTransfer-Encoding: rot13\r\n\r\nok", "", fault.HTTP, "no HTTP answer", ""},
	{"headers without an end", "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: "+strings.Repeat("y", 1000)+"\r\n", 12000), "", fault.HTTP, "exceeded", ""},
	{"a header without a colon", "HTTP/1.1 200 OK\r\nnonsense\r\nContent-Length: 2\r\n\r\nok", "", fault.HTTP, "malformed", lenient},
	{"no gzip", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok", "", fault.HTTP, "not in the gzip encoding", ""},
	{"cut gzip", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x00", "", fault.HTTP, "the gzip body ends too early, after 4 bytes", lenient},
	{"a cut answer in gzip", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 40\r\n\r\n\x1f\x8b\x08\x00", "", fault.Env, "the answer broke off after 0 bytes", ""},
	{"100 for ever", strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 2000), "", fault.Env, "broke off within its headers", lenient},
	{"a redirect to no URL", "HTTP/1.1 302 Found\r\nLocation: http://[::1\r\nContent-Length: 0\r\n\r\n", "", fault.HTTP, "redirect to", ""},
	{"a redirect to another kind of place", "HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n", "", fault.HTTP, "redirect to", ""},
}

// TestOddAnswers compares what becomes of odd answers with what has to, and with curl's verdict where there is a curl.
func TestOddAnswers(t *testing.T) {
	curl, noCurl := exec.LookPath("curl")
	if noCurl != nil {
		t.Log("no curl here: its verdicts are not compared")
	}
	for _, tt := range oddAnswers {
		t.Run(tt.name, func(t *testing.T) {
			url := oddServer(t, tt.answer)
			c := newClient(t, Options{Timeout: patience})
			r, err := c.Do(context.Background(), Request{URL: url})
			if tt.fails != "" {
				if err == nil {
					t.Fatalf("status %d, body %q, want a failure", r.Status, r.Body)
				}
				wantFault(t, err, tt.fails, tt.says)
			} else if err != nil {
				t.Fatal(err)
			} else if string(r.Body) != tt.body {
				t.Errorf("body %q, want %q", r.Body, tt.body)
			}
			if noCurl != nil || tt.curl != "" {
				return
			}
			cmd := exec.Command(curl, "-q", "-s", "-L", "--compressed", "--noproxy", "*", "--max-time", "30", url)
			out, runErr := cmd.Output()
			exit, failed := errors.AsType[*exec.ExitError](runErr)
			if runErr != nil && !failed {
				t.Fatal(runErr)
			}
			if failed != (err != nil) {
				t.Errorf("curl: %v (body %q), ours: %v", exit, out, err)
			}
			if !failed && string(out) != tt.body {
				t.Errorf("curl's body is %q", out)
			}
		})
	}
}

// oddServer sends the same bytes to everybody that asks, and ends the connection.
func oddServer(t *testing.T, answer string) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				io.WriteString(conn, answer)
				conn.(*net.TCPConn).CloseWrite()
				conn.SetReadDeadline(time.Now().Add(patience))
				io.Copy(io.Discard, conn) // so that what was sent is not lost to a reset
			}
			conn.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return "http://" + l.Addr().String()
}
