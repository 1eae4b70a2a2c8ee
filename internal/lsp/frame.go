package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// longest is the size of the longest message that is read.
const longest = 64 << 20

// frames reads messages: a header with Content-Length, an empty line, the body.
type frames struct {
	r    *bufio.Reader
	lost bool // what comes is not a header, and was complained about
}

func newFrames(r io.Reader) *frames { return &frames{r: bufio.NewReaderSize(r, 64<<10)} }

// badFrame is a message that cannot be read; the next one may be.
type badFrame struct{ msg string }

// Error describes what is wrong with the message.
func (e *badFrame) Error() string { return e.msg }

// next returns the body of the next message. After a *badFrame it can be called again.
func (f *frames) next() ([]byte, error) {
	length := -1
	for {
		line, err := f.line()
		if errors.Is(err, io.EOF) && length >= 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
		if f.lost {
			at := bytes.Index(bytes.ToLower(line), []byte("content-length:"))
			if at < 0 {
				continue
			}
			line, f.lost = line[at:], false
		}
		head := strings.TrimRight(string(line), "\r\n")
		if head == "" {
			if length >= 0 {
				return f.body(length)
			}
			continue
		}
		name, value, ok := strings.Cut(head, ":")
		if !ok {
			return nil, f.lose("got a header line %.60q, want \"Content-Length: N\"", head)
		}
		if strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || length < 0 {
				return nil, f.lose("got Content-Length %.60q, want a number of bytes", strings.TrimSpace(value))
			}
		}
	}
}

func (f *frames) lose(format string, args ...any) error {
	f.lost = true
	return &badFrame{fmt.Sprintf(format, args...)}
}

// line returns the next line, or as much of it as fits.
func (f *frames) line() ([]byte, error) {
	line, err := f.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		err = nil
	}
	if errors.Is(err, io.EOF) && len(bytes.TrimSpace(line)) > 0 && !f.lost {
		err = io.ErrUnexpectedEOF
	}
	return line, err
}

func (f *frames) body(length int) ([]byte, error) {
	if length > longest {
		if _, err := io.CopyN(io.Discard, f.r, int64(length)); err != nil {
			return nil, err
		}
		return nil, &badFrame{fmt.Sprintf("got a message of %d bytes, want at most %d", length, longest)}
	}
	// A header may promise more than comes: memory is taken as the bytes arrive.
	var b bytes.Buffer
	if _, err := io.CopyN(&b, f.r, int64(length)); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return b.Bytes(), nil
}

// write sends a message.
func write(w io.Writer, msg any) error {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(msg); err != nil {
		return err
	}
	text := bytes.TrimRight(body.Bytes(), "\n")
	_, err := w.Write(append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(text)), text...))
	return err
}
