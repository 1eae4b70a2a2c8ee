package scripts_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"omniexpect/internal/testneed"
)

// TestHTTPFlows runs the scripts about HTTP, each with a stub or a child of its own.
func TestHTTPFlows(t *testing.T) {
	for name, says := range map[string]string{
		"stub_model.star":    "the stub remembers what it is sent",
		"slow_service.star":  "ended with status 3",
		"event_stream.star":  "three events in order",
		"login_cookies.star": "only the client with the cookie",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if text, err := os.ReadFile(name); err == nil {
				testneed.Script(t, string(text))
			}
			f := run(t, name)
			if f.code != 0 || !strings.Contains(f.stdout, says) || len(f.left) > 0 {
				t.Fatalf("status %d, left %v, stdout:\n%s\nstderr:\n%s", f.code, f.left, f.stdout, f.stderr)
			}
		})
	}
}

// TestStubModelServes asks the model stub with an HTTP client that is not ours, and interrupts it.
func TestStubModelServes(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(binary, "run", "stub_model.star", "--serve")
	cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	base, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Timeout: 30 * time.Second}
	post := func(body string) string {
		resp, err := client.Post(strings.TrimSpace(base)+"/v1/messages", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		data, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != 200 {
			t.Fatalf("status %d, %v: %s", resp.StatusCode, err, data)
		}
		return string(data)
	}
	talk := `[{"role":"user","content":"The code word is ZEPHYR-7."},{"role":"assistant","content":[{"type":"text","text":"Noted."}]},` +
		`{"role":"user","content":[{"type":"text","text":"What was the code word?"}]}]`
	var message struct {
		Type    string
		Content []struct{ Text string }
	}
	if err := json.Unmarshal([]byte(post(`{"model":"m","messages":`+talk+`}`)), &message); err != nil {
		t.Fatal(err)
	}
	if message.Type != "message" || len(message.Content) != 1 || !strings.Contains(message.Content[0].Text, "ZEPHYR-7") {
		t.Errorf("got %+v, want the code word", message)
	}
	stream := post(`{"model":"m","stream":true,"messages":` + talk + `}`)
	for _, want := range []string{"event: message_start\ndata: {", "text_delta", "ZEPHYR-7", "event: message_stop\n"} {
		if !strings.Contains(stream, want) {
			t.Errorf("the stream lacks %q:\n%s", want, stream)
		}
	}
	cmd.Process.Signal(syscall.SIGINT)
	rest, _ := io.ReadAll(out)
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 130 || len(bytes.TrimSpace(rest)) > 0 {
		t.Errorf("after SIGINT: %v, %q, want status 130 and nothing more", err, rest)
	}
}
