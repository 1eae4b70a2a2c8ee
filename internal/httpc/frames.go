package httpc

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"unicode/utf8"

	"github.com/coder/websocket"
)

// brokenFrames is what the other side of a WebSocket did against RFC 6455, with the code that the connection has to be
// closed with.
type brokenFrames struct {
	code    websocket.StatusCode
	section string
	what    string
}

func (e *brokenFrames) Error() string {
	return fmt.Sprintf("%s (RFC 6455 section %s)", e.what, e.section)
}

// frames watches what a WebSocket's other side sends, for the library lets much of it pass: masks of a server, texts that
// are not UTF-8, lengths in too many bytes. The bytes before a fault get through, so that the messages before it do.
//
// The state is where in a frame the next byte stands:
//
//	state    fields           until                                then
//	header   have of need     two bytes are there                  need becomes the length of the whole header
//	                          all of it is there                   payload, or the frame's end where there is none
//	payload  left to come     left is 0                            the frame's end
//	over     –                for good, behind a close frame       what follows does not count
//
// At a frame's end, message is the opcode of the message that goes on, or 0 after its last frame; control frames leave it alone.
type frames struct {
	in     io.Reader
	masked bool // the other side has to mask: it is a client
	err    error

	head    [14]byte
	have    int
	need    int
	left    uint64
	at      uint64 // bytes of the payload so far
	opcode  byte
	final   bool
	mask    [4]byte
	message byte   // the opcode of the message that is not finished, 0 if none
	text    runes  // of the text message
	close   []byte // payload of a close frame
	over    bool   // a close frame has come: what follows does not count
}

func newFrames(in io.Reader, masked bool) *frames {
	return &frames{in: in, masked: masked, need: 2}
}

// Read is part of io.Reader.
func (f *frames) Read(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.in.Read(p)
	good, broken := f.check(p[:n])
	if broken != nil {
		f.err = broken
		if n = good; n > 0 {
			return n, nil
		}
		return 0, f.err
	}
	return n, err
}

// check takes the next bytes. It returns how many of them came before a fault.
func (f *frames) check(p []byte) (int, error) {
	for i := 0; i < len(p); {
		if f.over {
			return len(p), nil
		}
		if f.have < f.need {
			f.head[f.have] = p[i]
			f.have++
			i++
			if f.have == 3 && f.head[1]&0x7f == 127 && f.head[2]&0x80 != 0 { // before the library sees all of it
				return i - 1, protocolError("5.2", "a frame's length has its highest bit set")
			}
			if f.have == f.need {
				if err := f.header(); err != nil {
					return i - 1, err
				}
			}
			continue
		}
		n := int(min(uint64(len(p)-i), f.left))
		if err := f.payload(p[i : i+n]); err != nil {
			return i, err
		}
		i += n
		if f.left == 0 {
			if err := f.endFrame(); err != nil {
				return i - 1, err
			}
		}
	}
	return len(p), nil
}

// header looks at the part of a header that is there, and says how much more of it is wanted.
func (f *frames) header() error {
	switch {
	case f.need == 2:
		if err := f.begin(); err != nil {
			return err
		}
		length := f.head[1] & 0x7f
		switch f.left = uint64(length); length {
		case 126:
			f.need += 2
		case 127:
			f.need += 8
		}
		if f.head[1]&0x80 != 0 {
			f.need += 4
		}
		if f.have < f.need {
			return nil
		}
	default:
		if err := f.length(); err != nil {
			return err
		}
	}
	f.at = 0
	if f.left == 0 {
		return f.endFrame()
	}
	return nil
}

// begin looks at the first two bytes.
func (f *frames) begin() error {
	first, second := f.head[0], f.head[1]
	f.final, f.opcode = first&0x80 != 0, first&0x0f
	isMasked := second&0x80 != 0
	switch {
	case first&0x70 != 0:
		return protocolError("5.2", "a frame has reserved bits set, and no extension was agreed on")
	case f.opcode > 2 && f.opcode < 8 || f.opcode > 10:
		return protocolError("5.2", "a frame has the opcode %d, which is reserved", f.opcode)
	case isMasked && !f.masked:
		return protocolError("5.1", "the server sent a masked frame")
	case !isMasked && f.masked:
		return protocolError("5.1", "the client sent a frame without a mask")
	case f.opcode >= 8 && second&0x7f > 125:
		return protocolError("5.5", "a control frame is longer than 125 bytes")
	case f.opcode >= 8 && !f.final:
		return protocolError("5.5", "a control frame is fragmented")
	case f.opcode == 0 && f.message == 0:
		return protocolError("5.4", "a continuation frame continues no message")
	case f.opcode != 0 && f.opcode < 8 && f.message != 0:
		return protocolError("5.4", "a message begins before the one before it has ended")
	}
	if f.opcode == 1 || f.opcode == 2 {
		f.message, f.text = f.opcode, runes{}
	}
	return nil
}

// length reads the extended length and the mask.
func (f *frames) length() error {
	rest := f.head[2:f.need]
	if n := len(rest); f.head[1]&0x80 != 0 {
		copy(f.mask[:], rest[n-4:])
		rest = rest[:n-4]
	}
	if len(rest) == 0 {
		return nil
	}
	f.left = 0
	for _, b := range rest {
		f.left = f.left<<8 | uint64(b)
	}
	if f.left < 126 || len(rest) == 8 && f.left < 1<<16 {
		return protocolError("5.2", "a frame's length of %d is written in more bytes than it needs", f.left)
	}
	return nil
}

func (f *frames) payload(p []byte) error {
	f.left -= uint64(len(p))
	if f.opcode != 8 && (f.opcode > 8 || f.message != 1) {
		f.at += uint64(len(p))
		return nil
	}
	for _, b := range p {
		if f.masked {
			b ^= f.mask[f.at&3]
		}
		f.at++
		if f.opcode == 8 {
			f.close = append(f.close, b)
		} else if !f.text.add(b) {
			return &brokenFrames{websocket.StatusInvalidFramePayloadData, "8.1", "a text is not UTF-8"}
		}
	}
	return nil
}

// endFrame looks at what can be known once a frame is there.
func (f *frames) endFrame() error {
	f.have, f.need = 0, 2
	switch {
	case f.opcode == 8:
		f.over = true
		return checkClose(f.close)
	case f.opcode < 8 && f.final:
		text := f.message == 1
		if f.message = 0; text && !f.text.whole() {
			return &brokenFrames{websocket.StatusInvalidFramePayloadData, "8.1", "a text ends within a character of UTF-8"}
		}
	}
	return nil
}

func checkClose(payload []byte) error {
	if len(payload) == 0 {
		return nil
	}
	if len(payload) == 1 {
		return protocolError("5.5.1", "a close frame has one byte, which is half a code")
	}
	code := int(payload[0])<<8 | int(payload[1])
	if !isCloseCode(code) {
		return protocolError("7.4", "a close frame has the code %d, which none may have", code)
	}
	if !utf8.Valid(payload[2:]) {
		return &brokenFrames{websocket.StatusInvalidFramePayloadData, "8.1", "a close frame's reason is not UTF-8"}
	}
	return nil
}

// isCloseCode reports whether a close frame may have a code.
func isCloseCode(code int) bool {
	return code >= 1000 && code <= 1014 && (code < 1004 || code > 1006) || code >= 3000 && code <= 4999
}

func protocolError(section, format string, args ...any) error {
	return &brokenFrames{websocket.StatusProtocolError, section, fmt.Sprintf(format, args...)}
}

// runes checks UTF-8 byte by byte: a character may be cut anywhere, and a fault is found at its first byte.
type runes struct {
	part [4]byte
	n    int
}

func (r *runes) add(b byte) bool {
	if r.n == 0 && b < utf8.RuneSelf {
		return true
	}
	r.part[r.n] = b
	r.n++
	if utf8.FullRune(r.part[:r.n]) {
		_, size := utf8.DecodeRune(r.part[:r.n])
		ok := size == r.n && size > 1
		r.n = 0
		return ok
	}
	return true
}

func (r *runes) whole() bool { return r.n == 0 }

// checkedTransport watches the frames of the connections that a handshake makes.
type checkedTransport struct{ http.RoundTripper }

// RoundTrip is part of http.RoundTripper.
func (t checkedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.RoundTripper.RoundTrip(r)
	if err == nil && resp.StatusCode == http.StatusSwitchingProtocols {
		if conn, ok := resp.Body.(io.ReadWriteCloser); ok {
			resp.Body = &checkedConn{newFrames(conn, false), conn}
		}
	}
	return resp, err
}

type checkedConn struct {
	*frames
	io.WriteCloser
}

// checkedWriter watches the frames of a client that a stub server has.
type checkedWriter struct{ http.ResponseWriter }

// Hijack is part of http.Hijacker.
func (w checkedWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	checked := &checkedNetConn{conn, newFrames(rw.Reader, true)} // whose buffer may hold the first frames
	return checked, bufio.NewReadWriter(bufio.NewReader(checked), rw.Writer), nil
}

type checkedNetConn struct {
	net.Conn
	frames *frames
}

// Read is part of net.Conn.
func (c *checkedNetConn) Read(p []byte) (int, error) { return c.frames.Read(p) }
