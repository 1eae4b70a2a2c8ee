package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

const nobody = "00000000000000000000000000000000"

// A prober asks one server about one conversation.
type prober struct {
	server       string
	conversation string
	harness      string
	names        *strings.Replacer
}

func newProber(ctx context.Context, server, conversation, harness string) (*prober, error) {
	p := &prober{server: strings.TrimRight(server, "/"), conversation: conversation, harness: harness}
	var hosts struct {
		Hosts []struct {
			ID string `json:"host_id"`
		}
	}
	var session struct {
		Runner string `json:"runner_id"`
	}
	var items struct {
		Data []struct {
			ID string `json:"id"`
		}
	}
	for path, into := range map[string]any{"/v1/hosts": &hosts, p.path(""): &session, p.path("/items?order=asc&limit=1"): &items} {
		if err := p.read(ctx, path, into); err != nil {
			return nil, err
		}
	}
	host, item := nobody, nobody
	if len(hosts.Hosts) > 0 {
		host = hosts.Hosts[0].ID
	}
	if len(items.Data) > 0 {
		item = items.Data[0].ID
	}
	hex := strings.TrimPrefix(conversation, "conv_")
	dashed := hex
	if len(hex) == 32 {
		dashed = strings.Join([]string{hex[:8], hex[8:12], hex[12:16], hex[16:20], hex[20:]}, "-")
	}
	p.names = strings.NewReplacer("SESSION", p.path(""), "conv_ID", "conv_"+hex, "ID", conversation, "UPPER", strings.ToUpper(conversation),
		"DASHED", dashed, "NOBODY", nobody, "HOST", host, "RUNNER", session.Runner, "ITEM", item, "HARNESS", harness)
	return p, nil
}

// path is the path of the conversation, and of what hangs on it.
func (p *prober) path(rest string) string { return "/v1/sessions/" + p.conversation + rest }

// answerTime bounds one answer. The stream of a session that is there would not end by itself.
const answerTime = 20 * time.Second

func (p *prober) do(ctx context.Context, method, path, kind string, body []byte) (status int, contentType string, data []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, p.server+path, bytes.NewReader(body))
	if err != nil {
		return 0, "", nil, err
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	// One connection for each: a server that closes after an error must not spoil the next answer.
	req.Close = true
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", nil, err
	}
	defer res.Body.Close()
	data, err = io.ReadAll(io.LimitReader(res.Body, 4<<20))
	contentType, _, _ = strings.Cut(res.Header.Get("Content-Type"), ";")
	return res.StatusCode, contentType, data, err
}

func (p *prober) read(ctx context.Context, path string, into any) error {
	status, _, data, err := p.do(ctx, "GET", path, "", nil)
	if err == nil && status != 200 {
		err = fmt.Errorf("got %d, want 200: %.200s", status, data)
	}
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		return fmt.Errorf("GET %s: %w", path, err)
	}
	return nil
}

func (p *prober) send(ctx context.Context, r request) (answer, error) {
	kind := ""
	if r.method != "GET" && r.method != "HEAD" && r.method != "DELETE" {
		if kind = r.kind; kind == "" {
			kind = "application/json"
		}
	}
	status, contentType, data, err := p.do(ctx, r.method, p.names.Replace(r.path), kind, []byte(p.names.Replace(r.body)))
	if err != nil {
		return answer{}, fmt.Errorf("%s: %w", r.name, err)
	}
	a := answer{Status: status, Type: contentType}
	if s, isJSON := shapeOf(data, r.depth); isJSON {
		a.Shape = s
	}
	return a, nil
}

func (p *prober) sendAll(ctx context.Context, requests []request, into report) error {
	for _, r := range requests {
		a, err := p.send(ctx, r)
		if err != nil {
			return err
		}
		into[r.name] = a
	}
	return nil
}

func (p *prober) askLive(ctx context.Context, into report) error {
	if err := p.askTurn(ctx, into); err != nil {
		return err
	}
	return p.sendAll(ctx, live(), into)
}

// askLeft asks what a session does after its agent has been left: a message may start the terminal again.
func (p *prober) askLeft(ctx context.Context, into report) error {
	a, err := p.send(ctx, message("message after the exit", "user", `[{"type":"input_text","text":"Are you there?"}]`))
	if err != nil {
		return err
	}
	into["message after the exit"] = a
	answered, err := p.awaitAnswer(ctx, "Are you there?")
	if err != nil {
		return err
	}
	into["what a message after the exit leads to"] = answer{Fact: answered}
	return p.sendAll(ctx, left(), into)
}

type itemList struct {
	Data []struct {
		ID, Type, Role, Code string
		EventType            string `json:"event_type"`
		Content              []struct{ Text string }
	}
}

// turnTime bounds the wait for an answer of the model.
const turnTime = 90 * time.Second

// turn sends a message and waits until it is answered.
func (p *prober) turn(ctx context.Context, text string) error {
	if _, err := p.send(ctx, message(text, "user", `[{"type":"input_text","text":"`+text+`"}]`)); err != nil {
		return err
	}
	got, err := p.awaitAnswer(ctx, text)
	if err == nil && got != "an answer" {
		err = fmt.Errorf("the message %q led to %s, want an answer", text, got)
	}
	return err
}

// awaitAnswer waits for what a message leads to: an answer or an error item after the item that has its text.
func (p *prober) awaitAnswer(ctx context.Context, text string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, turnTime)
	defer cancel()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		var list itemList
		if err := p.read(ctx, p.path("/items?limit=1000&order=asc"), &list); err != nil && ctx.Err() == nil {
			return "", err
		}
		asked := false
		for _, i := range list.Data {
			switch {
			case i.Role == "user" && len(i.Content) > 0 && i.Content[0].Text == text:
				asked = true
			case asked && i.Role == "assistant":
				return "an answer", nil
			case asked && i.Type == "error":
				return "an error item " + i.Code, nil
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return "", fmt.Errorf("nothing followed the message %q within %v", text, turnTime)
		}
	}
}

// askTurn follows the stream over one turn, and keeps which events there were, their shapes, and what came before what.
func (p *prober) askTurn(ctx context.Context, into report) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", p.server+p.path("/stream"), nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	type event struct{ kind, data string }
	seen := make(chan event, 10_000)
	go func() {
		defer close(seen)
		lines := bufio.NewScanner(res.Body)
		lines.Buffer(nil, 8<<20)
		kind := ""
		for lines.Scan() {
			if k, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				kind = k
			}
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				select {
				case seen <- event{kind, data}:
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	if first := <-seen; first.kind != "session.heartbeat" {
		return fmt.Errorf("the stream began with %q, want session.heartbeat", first.kind)
	}
	if err := p.turn(ctx, "Say something to the probe."); err != nil {
		return err
	}
	var order []string
	statuses, deltas := []string{}, 0
	quiet := time.NewTimer(quietTime)
	defer quiet.Stop()
	for open := true; open; {
		select {
		case e, ok := <-seen:
			if !ok {
				open = false
				break
			}
			quiet.Reset(quietTime)
			name := "stream: " + e.kind
			s, _ := shapeOf([]byte(e.data), 0)
			if known, ok := into[name]; ok {
				for _, path := range known.Shape.parts() {
					for _, kind := range strings.Split(known.Shape[path], "|") {
						s.note(path, kind)
					}
				}
			}
			into[name] = answer{Shape: s}
			var fields struct {
				Status string
				Final  bool
				Item   struct{ Role string }
			}
			json.Unmarshal([]byte(e.data), &fields)
			switch e.kind {
			case "session.status":
				statuses = append(statuses, fields.Status)
			case "response.output_text.delta":
				deltas++
				order = append(order, fmt.Sprintf("delta(final=%v)", fields.Final))
			case "session.input.consumed":
				order = append(order, "consumed")
			case "response.output_item.done":
				order = append(order, "done("+fields.Item.Role+")")
			}
		case <-quiet.C:
			open = false
		}
	}
	into["stream: order of a turn"] = answer{Fact: p.orderFact(order)}
	into["stream: statuses of a turn"] = answer{Fact: statusFact(statuses)}
	return ctx.Err()
}

// orderFact is the order of a turn's events as far as it is the same each time: of claude, either of message and answer may
// be told first.
func (p *prober) orderFact(order []string) string {
	order = slices.Compact(slices.Clone(order))
	done := slices.IndexFunc(order, func(e string) bool { return strings.HasPrefix(e, "done") })
	if p.harness == "claude" && done > 0 {
		slices.Sort(order[:done])
		return strings.Join(order[:done], " and ") + " in any order, " + strings.Join(order[done:], ", ")
	}
	return strings.Join(order, ", ")
}

// statusFact is the statuses of a turn as far as they are the same each time: how often one that ends idle was idle before
// differs from turn to turn.
func statusFact(statuses []string) string {
	statuses = slices.Compact(slices.Clone(statuses))
	if len(statuses) > 1 && statuses[0] == "running" && statuses[len(statuses)-1] == "idle" {
		return "running, idle, once or more"
	}
	return strings.Join(statuses, ", ")
}

// quietTime is how long a stream must say nothing before its turn is over.
const quietTime = 3 * time.Second
