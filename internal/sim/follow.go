package sim

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// errLost means that the attachment's frames stopped without the agent's end.
var errLost = errors.New("the session connection was lost")

// reconnects is how often a lost attachment is tried again in a row.
const reconnects = 3

// follow reads the attachment and hands on its frames. A lost connection is tried again; a server that stays away is an
// error, so that no command line outlives its server for long.
func (c *cli) follow(ctx context.Context, frames chan<- attachFrame) error {
	wait := 500 * time.Millisecond
	for failures := 0; ; {
		ended, seen, err := c.followOnce(ctx, frames)
		if ended || ctx.Err() != nil {
			return ctx.Err()
		}
		if seen {
			failures, wait = 0, 500*time.Millisecond
		}
		if failures++; failures > reconnects {
			return err
		}
		reason := "connection closed by server"
		if err != nil {
			reason = fmt.Sprintf("connection lost (%v)", err)
		}
		select {
		case frames <- attachFrame{Type: "turn", Role: "error", Text: c.launch.display() + " session " + reason + "; reconnecting..."}:
		case <-ctx.Done():
			return ctx.Err()
		}
		if !sleep(ctx, wait) {
			return ctx.Err()
		}
		wait = min(2*wait, 5*time.Second)
	}
}

// followOnce reads one connection: whether the agent ended, and whether anything came.
func (c *cli) followOnce(ctx context.Context, frames chan<- attachFrame) (ended, seen bool, err error) {
	req, err := http.NewRequestWithContext(ctx, "GET", c.api.base+c.terminalPath()+"/attach", nil)
	if err != nil {
		return false, false, err
	}
	res, err := c.api.http.Do(req)
	if err != nil {
		return false, false, err
	}
	defer res.Body.Close()
	if res.StatusCode == 404 || res.StatusCode == 409 { // gone before we came
		return c.deliver(ctx, frames, attachFrame{Type: "exit", Status: float64(0)}), false, nil
	}
	if res.StatusCode != 200 {
		return false, false, errors.New(res.Status)
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var f attachFrame
		if json.Unmarshal(lines.Bytes(), &f) != nil {
			continue
		}
		seen = true
		if !c.deliver(ctx, frames, f) {
			return false, seen, ctx.Err()
		}
		if f.Type == "exit" {
			return true, seen, nil
		}
	}
	return false, seen, lines.Err()
}

func (c *cli) deliver(ctx context.Context, frames chan<- attachFrame, f attachFrame) bool {
	select {
	case frames <- f:
		return true
	case <-ctx.Done():
		return false
	}
}

// plain is the attachment without a terminal: what is said as lines, and lines of input as messages. The end of the input
// ends it, unless the agent ends by itself after one turn.
func (c *cli) plain(ctx context.Context, frames <-chan attachFrame) (attachEnd, error) {
	input := readInput(ctx, c.stdin)
	rest := ""
	for {
		select {
		case f, ok := <-frames:
			if !ok {
				return attachEnd{}, errLost
			}
			switch f.Type {
			case "exit":
				code, _ := f.Status.(float64)
				if c.bugs[bugOneshotHangs] {
					<-ctx.Done()
					return attachEnd{}, ctx.Err()
				}
				return attachEnd{int(code), f.VendorID}, nil
			case "hello":
				for _, said := range f.Turns {
					fmt.Fprintf(c.stdout, "%s: %s\n", said.Role, said.Text)
				}
			case "turn":
				fmt.Fprintf(c.stdout, "%s: %s\n", f.Role, f.Text)
			case "question":
				fmt.Fprintf(c.stdout, "%s %s\n", f.Message, f.Preview)
			}
		case data, ok := <-input:
			if !ok {
				input = nil
				if !c.oneshot() {
					c.api.call(ctx, "POST", c.terminalPath()+"/attach", attachKeys{Type: "quit"}, nil)
				}
				continue
			}
			rest += string(data)
			for {
				line, tail, found := strings.Cut(rest, "\n")
				if !found {
					break
				}
				rest = tail
				c.typed(ctx, strings.TrimSpace(line))
			}
		case <-ctx.Done():
			return attachEnd{}, ctx.Err()
		}
	}
}

// typed sends one line of input.
func (c *cli) typed(ctx context.Context, line string) {
	keys := attachKeys{Type: "message", Text: line}
	switch line {
	case "":
		return
	case "/exit", "/quit":
		keys = attachKeys{Type: "quit"}
	}
	if status, message, err := c.api.call(ctx, "POST", c.terminalPath()+"/attach", keys, nil); err != nil || status != 202 {
		fmt.Fprintf(c.stderr, "not sent: %s %v\n", message, err)
	}
}

// oneshot reports whether the agent ends by itself.
func (c *cli) oneshot() bool {
	_, oneshot := launchPrompt(c.launchArgs())
	return oneshot
}
