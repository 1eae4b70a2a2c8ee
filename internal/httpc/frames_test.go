package httpc

import (
	"bufio"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"omniexpect/internal/fault"
)

// frame writes a frame with its shortest length; a mask of four bytes makes it a client's.
func frame(first byte, payload, mask string) string {
	masked := byte(0)
	if mask != "" {
		masked = 0x80
		hidden := []byte(payload)
		for i := range hidden {
			hidden[i] ^= mask[i%4]
		}
		payload = mask + string(hidden)
	}
	n := len(payload) - len(mask)
	if n < 126 {
		return string([]byte{first, masked | byte(n)}) + payload
	}
	return string([]byte{first, masked | 126, byte(n >> 8), byte(n)}) + payload
}

// framing is what one side sends after the handshake, and what is to come of it: the messages that arrive, and the end.
type framing struct {
	name, sent string
	messages   []string
	code       int // that the connection is closed with; 0 if the frames are good
	error      string
}

func framings(mask string) []framing {
	f := func(first byte, payload string) string { return frame(first, payload, mask) }
	hi, bye := f(0x81, "hi"), f(0x88, "\x03\xe8")
	masked := byte(0)
	if mask != "" {
		masked = 0x80
	}
	return []framing{
		{"good frames", hi + f(0x01, "a\xc3") + f(0x89, "ping") + f(0x80, "\xa9") + f(0x82, "\xff") + f(0x81, "") + f(0x81, strings.Repeat("é", 100)) + bye,
			[]string{"hi", "aé", "\xff", "", strings.Repeat("é", 100)}, 0, "1000 (normal)"},
		{"a character in pieces", f(0x01, "\xf0\x9f") + f(0x00, "") + f(0x00, "\x98") + f(0x80, "\x80") + bye, []string{"😀"}, 0, "1000 (normal)"},
		{"no code", f(0x88, ""), nil, 0, "1005 (no code given)"},
		{"a code of the application", f(0x88, "\x0f\xa0r\xc3\xa9"), nil, 0, "4000 (of the application): ré"},
		{"nothing after a close frame counts", bye + "\xff\xff\xff", nil, 0, "1000 (normal)"},
		{"invalid UTF-8", hi + f(0x81, "\xc3("), []string{"hi"}, 1007, "a text is not UTF-8 (RFC 6455 section 8.1)"},
		{"a surrogate", f(0x81, "\xed\xa0\x80"), nil, 1007, "a text is not UTF-8"},
		{"an overlong character", f(0x81, "\xc0\xaf"), nil, 1007, "a text is not UTF-8"},
		{"above the last character", f(0x81, "\xf4\x90\x80\x80"), nil, 1007, "a text is not UTF-8"},
		{"invalid in a later frame", f(0x01, "good\xc3") + f(0x80, "good"), nil, 1007, "a text is not UTF-8"},
		{"cut character", f(0x81, "a\xe2\x82"), nil, 1007, "a text ends within a character of UTF-8"},
		{"cut character in the last of two frames", f(0x01, "a") + f(0x80, "\xe2"), nil, 1007, "a text ends within a character"},
		{"invalid before the frame is whole", string([]byte{0x81, masked | 126, 0x10, 0x00}) + mask + xor("\xff", mask), nil, 1007, "a text is not UTF-8"},
		{"reserved bit", hi + f(0xc1, "x"), []string{"hi"}, 1002, "reserved bits set"},
		{"reserved bit of a ping", f(0x99, "x"), nil, 1002, "reserved bits set"},
		{"reserved opcode", f(0x83, "x"), nil, 1002, "the opcode 3, which is reserved"},
		{"reserved control opcode", f(0x8b, ""), nil, 1002, "the opcode 11, which is reserved"},
		{"long ping", f(0x89, strings.Repeat("x", 126)), nil, 1002, "a control frame is longer than 125 bytes"},
		{"fragmented ping", f(0x09, "x"), nil, 1002, "a control frame is fragmented"},
		{"fragmented close", f(0x08, "\x03\xe8"), nil, 1002, "a control frame is fragmented"},
		{"continuation of nothing", hi + f(0x80, "x"), []string{"hi"}, 1002, "a continuation frame continues no message"},
		{"continuation after the end", f(0x01, "a") + f(0x80, "b") + f(0x00, "c"), []string{"ab"}, 1002, "a continuation frame continues no message"},
		{"message within a message", f(0x01, "a") + f(0x82, "b"), nil, 1002, "a message begins before the one before it has ended"},
		{"half a code", f(0x88, "\x03"), nil, 1002, "half a code"},
		{"code 1005", f(0x88, "\x03\xed"), nil, 1002, "the code 1005, which none may have"},
		{"code 999", f(0x88, "\x03\xe7"), nil, 1002, "the code 999"},
		{"code 2999", f(0x88, "\x0b\xb7"), nil, 1002, "the code 2999"},
		{"code 5000", f(0x88, "\x13\x88"), nil, 1002, "the code 5000"},
		{"reason no UTF-8", f(0x88, "\x03\xe8\xff"), nil, 1007, "a close frame's reason is not UTF-8"},
		{"length in two bytes for one", string([]byte{0x81, masked | 126, 0, 2}) + mask + xor("hi", mask), nil, 1002, "written in more bytes than it needs"},
		{"length in eight bytes for two", string([]byte{0x82, masked | 127, 0, 0, 0, 0, 0, 0, 1, 0}) + mask, nil, 1002, "written in more bytes than it needs"},
		{"negative length", string([]byte{0x82, masked | 127, 0x80, 0, 0, 0, 0, 0, 0, 1}) + mask, nil, 1002, "highest bit"},
	}
}

func xor(s, mask string) string {
	if mask == "" {
		return s
	}
	return frame(0, s, mask)[6:]
}

// TestFramesOfAServer has a server send each framing, in one piece and byte by byte, and looks at what the client makes
// of it and at the code that the server gets back.
func TestFramesOfAServer(t *testing.T) {
	tests := append(framings(""),
		framing{"masked", frame(0x81, "hi", "") + frame(0x81, "hi", "\x01\x02\x03\x04"), []string{"hi"}, 1002, "the server sent a masked frame (RFC 6455 section 5.1)"},
		framing{"masked ping", frame(0x89, "", "\x00\x00\x00\x00"), nil, 1002, "the server sent a masked frame"})
	for _, tt := range tests {
		for _, step := range []int{1 << 20, 1} {
			t.Run(fmt.Sprintf("%s/%d", tt.name, step), func(t *testing.T) {
				codes := make(chan int, 1)
				url := socketServer(t, func(conn net.Conn, in *bufio.Reader) {
					for rest := tt.sent; rest != ""; {
						n := min(step, len(rest))
						io.WriteString(conn, rest[:n])
						rest = rest[n:]
					}
					codes <- closeCode(in)
				})
				s := openSocket(t, newClient(t, Options{Timeout: patience}), url)
				var err error
				for range tt.messages {
					if _, err = s.Next(context.Background(), patience, "", nil); err != nil {
						t.Fatal(err)
					}
				}
				_, err = s.Next(context.Background(), patience, "", nil)
				kind := fault.EOF
				if tt.code != 0 {
					kind = fault.HTTP
				}
				wantFault(t, err, kind, tt.error)
				if s.Open() {
					t.Error("it is open after a wait failed with its end")
				}
				all, _ := s.Messages()
				if len(all) != len(tt.messages) {
					t.Fatalf("%d messages, want %q", len(all), tt.messages)
				}
				for i, m := range all {
					if string(m.Data) != tt.messages[i] {
						t.Errorf("message %d: %q, want %q", i, m.Data, tt.messages[i])
					}
				}
				if code := <-codes; tt.code != 0 && code != tt.code {
					t.Errorf("the server was told %d, want %d", code, tt.code)
				}
			})
		}
	}
}

// TestFramesOfAClient sends the same to a stub server.
func TestFramesOfAClient(t *testing.T) {
	const mask = "\x11\x22\x33\x44"
	tests := append(framings(mask), framing{"no mask", frame(0x81, "hi", mask) + frame(0x81, "hi", ""), []string{"hi"}, 1002, "the client sent a frame without a mask"})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := stub(t, ServeOptions{}, Route{Pattern: "/", Answer: Answer{Socket: &SocketScript{Echo: true}}})
			conn, err := net.Dial("tcp", strings.TrimPrefix(server.URL, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"+tt.sent)
			in := bufio.NewReader(conn)
			if _, err := http.ReadResponse(in, nil); err != nil {
				t.Fatal(err)
			}
			if code := closeCode(in); tt.code != 0 && code != tt.code {
				t.Errorf("closed with %d, want %d", code, tt.code)
			}
			conn.Close()
			if err := server.Close(context.Background()); err != nil { // so that the handler has ended
				t.Fatal(err)
			}
			errs := server.Errors()
			if tt.code != 0 && (len(errs) != 1 || !strings.Contains(errs[0].Error(), tt.error)) {
				t.Errorf("errors %v, want %q", errs, tt.error)
			}
			if tt.code == 0 && len(errs) != 0 {
				t.Errorf("errors %v", errs)
			}
		})
	}
}

// socketServer answers one handshake by hand.
func socketServer(t *testing.T, serve func(net.Conn, *bufio.Reader)) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		in := bufio.NewReader(conn)
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
		fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n", base64.StdEncoding.EncodeToString(sum[:]))
		serve(conn, in)
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return "ws://" + l.Addr().String()
}

// closeCode reads frames until a close frame, and returns its code, or 0 if the connection ends without one.
func closeCode(in *bufio.Reader) int {
	for {
		head := make([]byte, 2)
		if _, err := io.ReadFull(in, head); err != nil {
			return 0
		}
		n := int(head[1] & 0x7f)
		if n == 126 {
			long := make([]byte, 2)
			io.ReadFull(in, long)
			n = int(long[0])<<8 | int(long[1])
		}
		var mask [4]byte
		if head[1]&0x80 != 0 {
			io.ReadFull(in, mask[:])
		}
		payload := make([]byte, n)
		if _, err := io.ReadFull(in, payload); err != nil {
			return 0
		}
		if head[0]&0x0f == 8 && n >= 2 {
			return int(payload[0]^mask[0])<<8 | int(payload[1]^mask[1])
		}
	}
}
