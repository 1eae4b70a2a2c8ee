package httpc

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/coder/websocket"
)

// SocketScript is how a stub server behaves on a WebSocket.
type SocketScript struct {
	Greet       []string // texts that are sent first
	Echo        bool     // then everything comes back, until the client closes
	CloseCode   int      // what the server closes with otherwise; 0 is 1000
	CloseReason string
}

// check finds what cannot be sent.
func (s *SocketScript) check() error {
	if s.CloseCode != 0 && !isCloseCode(s.CloseCode) {
		return fmt.Errorf("websocket: code %d: want 1000 to 1003, 1007 to 1014, or 3000 to 4999", s.CloseCode)
	}
	if len(s.CloseReason) > 123 || !utf8.ValidString(s.CloseReason) {
		return errors.New("websocket: reason: want at most 123 bytes of UTF-8")
	}
	for i, text := range s.Greet {
		if !utf8.ValidString(text) {
			return fmt.Errorf("websocket: greet: text %d is not UTF-8", i)
		}
	}
	return nil
}

func (s *SocketScript) serve(ctx context.Context, w http.ResponseWriter, r *http.Request) (int, error) {
	var offered []string
	for _, line := range r.Header.Values("Sec-WebSocket-Protocol") {
		for name := range strings.SplitSeq(line, ",") {
			offered = append(offered, strings.TrimSpace(name))
		}
	}
	conn, err := websocket.Accept(checkedWriter{w}, r, &websocket.AcceptOptions{Subprotocols: offered, InsecureSkipVerify: true})
	if err != nil {
		return http.StatusUpgradeRequired, fmt.Errorf("not a WebSocket handshake: %w", err) // the library has answered
	}
	defer conn.CloseNow()
	conn.SetReadLimit(-1)
	for _, text := range s.Greet {
		if err := conn.Write(ctx, websocket.MessageText, []byte(text)); err != nil {
			return http.StatusSwitchingProtocols, ignoreGone(ctx, err)
		}
	}
	for s.Echo {
		kind, data, err := conn.Read(ctx)
		if broken, ok := errors.AsType[*brokenFrames](err); ok {
			conn.Close(broken.code, broken.what)
			return http.StatusSwitchingProtocols, fmt.Errorf("the client broke the protocol: %v: closed with %d", broken, broken.code)
		}
		if err == nil {
			err = conn.Write(ctx, kind, data)
		}
		if err != nil {
			return http.StatusSwitchingProtocols, ignoreGone(ctx, err)
		}
	}
	code := websocket.StatusNormalClosure
	if s.CloseCode != 0 {
		code = websocket.StatusCode(s.CloseCode)
	}
	stop := context.AfterFunc(ctx, func() { conn.CloseNow() })
	defer stop()
	return http.StatusSwitchingProtocols, ignoreGone(ctx, conn.Close(code, s.CloseReason))
}

// ignoreGone drops the errors of a connection that ends, which is no fault of the server.
func ignoreGone(ctx context.Context, err error) error {
	if ctx.Err() != nil || websocket.CloseStatus(err) != -1 || errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// reset ends a connection so that the client sees a reset.
func reset(w http.ResponseWriter) error {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return err
	}
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn() // closing the TLS layer would say goodbye
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	return conn.Close()
}
