package sim

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// client is the command line's side of the HTTP API.
type client struct {
	base string
	http *http.Client
}

func newClient(server string) (*client, error) {
	if server == "" {
		server = configuredServer()
	}
	if server == "" {
		return nil, errors.New("no server: the simulator has no local-server mode, give --server URL")
	}
	u, err := url.Parse(server)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("bad server %q: give http://HOST:PORT", server)
	}
	return &client{base: strings.TrimRight(server, "/"), http: &http.Client{Transport: &http.Transport{}}}, nil
}

// close drops idle connections, so that nothing is left of the client.
func (c *client) close() { c.http.CloseIdleConnections() }

const requestTimeout = 30 * time.Second

// call sends a request and decodes a good answer into into. The answer's status is returned whatever it is; the error is
// for what did not answer.
func (c *client) call(ctx context.Context, method, path string, body, into any) (status int, message string, err error) {
	var data io.Reader
	kind := ""
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return 0, "", err
		}
		data, kind = bytes.NewReader(raw), "application/json"
	}
	return c.send(ctx, method, path, kind, data, into)
}

func (c *client) send(ctx context.Context, method, path, kind string, body io.Reader, into any) (int, string, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return 0, "", err
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	res, err := c.http.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return 0, "", ctx.Err()
		}
		return 0, "", fmt.Errorf("Could not reach the omnigent server at %s. Confirm the server is running and reachable from here "+
			"(e.g. `curl %s/health`), and that --server is correct.", c.base, c.base)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, "", fmt.Errorf("the answer of %s broke off: %w", c.base, err)
	}
	if res.StatusCode >= 300 {
		return res.StatusCode, errorMessage(data), nil
	}
	if into != nil {
		if err := json.Unmarshal(data, into); err != nil {
			return res.StatusCode, "", fmt.Errorf("bad answer of %s to %s %s: %w", c.base, method, path, err)
		}
	}
	return res.StatusCode, "", nil
}

// errorMessage is the text of an error body of either form.
func errorMessage(data []byte) string {
	var body struct {
		Error  struct{ Message string }
		Detail json.RawMessage
	}
	if json.Unmarshal(data, &body) != nil {
		return string(data)
	}
	if body.Error.Message != "" {
		return body.Error.Message
	}
	var detail string
	if json.Unmarshal(body.Detail, &detail) == nil {
		return detail
	}
	return string(body.Detail)
}

// clientSession is what the command line wants to know of a session.
type clientSession struct {
	ID        string            `json:"id"`
	Labels    map[string]string `json:"labels"`
	Workspace string            `json:"workspace"`
}

func (c *client) session(ctx context.Context, id string) (s clientSession, found bool, err error) {
	status, message, err := c.call(ctx, "GET", "/v1/sessions/"+url.PathEscape(id)+"?include_items=false", nil, &s)
	if err != nil || status == 200 || status == 404 {
		return s, status == 200, err
	}
	return s, false, fmt.Errorf("the session cannot be read (%d): %s", status, message)
}

// create makes the session as the product's command line does: metadata and a bundle, here an empty one.
func (c *client) create(ctx context.Context, l launch, args []string, cwd string) (id string, err error) {
	metadata, err := json.Marshal(map[string]any{
		"labels":               map[string]string{"omnigent.ui": "terminal", "omnigent.wrapper": l.wrapper()},
		"terminal_launch_args": args, "workspace": cwd,
	})
	if err != nil {
		return "", err
	}
	var buf bytes.Buffer
	form := multipart.NewWriter(&buf)
	err = form.WriteField("metadata", string(metadata))
	if err == nil {
		_, err = form.CreateFormFile("bundle", "bundle.tar.gz")
	}
	if err = errors.Join(err, form.Close()); err != nil {
		return "", err
	}
	var made struct {
		SessionID string `json:"session_id"`
	}
	status, message, err := c.send(ctx, "POST", "/v1/sessions", form.FormDataContentType(), &buf, &made)
	if err == nil && status != 201 {
		err = fmt.Errorf("%s session creation failed (%d): %s", l.display(), status, message)
	}
	return made.SessionID, err
}
