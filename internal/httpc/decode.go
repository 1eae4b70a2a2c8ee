package httpc

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/andybalholm/brotli"
)

const acceptEncoding = "gzip, br, deflate"

// cutEncoding is a body that ends before its encoding does.
type cutEncoding struct {
	name string
	got  int64 // bytes of it that came
}

func (e *cutEncoding) Error() string {
	return fmt.Sprintf("the %s body ends too early, after %s", e.name, size(e.got))
}

// errChecksum marks a body that was unpacked to its end and is not what was packed.
var errChecksum = errors.New("wrong checksum")

// errZstd marks a body in an encoding that is in use, and that is neither asked for nor known here.
var errZstd = errors.New("zstd is not supported")

// errEncoding marks what goes wrong while a body is unpacked.
var errEncoding = errors.New("broken encoding")

// unpacked returns the body without its content encodings. An encoding that is not known is an answer too: the body
// stays as it is.
func unpacked(resp *http.Response) (io.Reader, *counted) {
	wire := &counted{Reader: resp.Body}
	var body io.Reader = wire
	var names []string
	for _, value := range resp.Header.Values("Content-Encoding") {
		names = append(names, strings.Split(strings.ToLower(value), ",")...)
	}
	for i := len(names) - 1; i >= 0; i-- {
		switch strings.TrimSpace(names[i]) {
		case "", "identity":
		case "gzip", "x-gzip":
			body = &decoding{name: "gzip", source: body, start: startGzip}
		case "br":
			body = &decoding{name: "br", source: body, start: func(r *bufio.Reader) (io.Reader, error) { return brotli.NewReader(r), nil }}
		case "zstd":
			if resp.Request != nil && strings.Contains(resp.Request.Header.Get("Accept-Encoding"), "zstd") {
				return body, wire // the script asked for it, and gets it as it is
			}
			body = &decoding{name: "zstd", source: body, start: func(*bufio.Reader) (io.Reader, error) { return nil, errZstd }}
		case "deflate":
			body = &decoding{name: "deflate", source: body, start: startDeflate}
		default:
			return body, wire
		}
	}
	return body, wire
}

// counted counts what is read.
type counted struct {
	io.Reader
	n int64
}

// Read is part of io.Reader.
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

// decoding begins to decode when the first byte is there: an empty body needs no valid header, and a stream's headers are
// not kept waiting for its first event.
type decoding struct {
	name    string
	source  io.Reader
	start   func(*bufio.Reader) (io.Reader, error)
	decoder io.Reader
	fed     *watched
	err     error
}

// Read is part of io.Reader.
func (d *decoding) Read(p []byte) (int, error) {
	if d.err != nil {
		return 0, d.err
	}
	if d.decoder == nil {
		d.fed = &watched{counted: counted{Reader: d.source}}
		buffered := bufio.NewReader(d.fed)
		if _, err := buffered.Peek(1); err != nil {
			d.err = err
			return 0, err
		}
		decoder, err := d.start(buffered)
		if err != nil {
			d.err = d.explain(err)
			return 0, d.err
		}
		d.decoder = decoder
	}
	n, err := d.decoder.Read(p)
	if err != nil && err != io.EOF {
		err = d.explain(err)
	}
	d.err = err
	return n, err
}

// explain distinguishes a broken connection, a broken encoding and one that is cut off.
func (d *decoding) explain(err error) error {
	switch {
	case d.fed.err != nil && d.fed.err != io.EOF:
		return d.fed.err
	case d.fed.err == io.EOF && (errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)):
		return &cutEncoding{d.name, d.fed.n}
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, zlib.ErrChecksum):
		return errChecksum
	}
	return errors.Join(errEncoding, err)
}

// watched remembers how its reader ended.
type watched struct {
	counted
	err error
}

// Read is part of io.Reader.
func (w *watched) Read(p []byte) (int, error) {
	n, err := w.counted.Read(p)
	if err != nil {
		w.err = err
	}
	return n, err
}

// startGzip distinguishes a stream that is cut off from one that never was gzip.
func startGzip(r *bufio.Reader) (io.Reader, error) {
	if head, _ := r.Peek(2); !strings.HasPrefix("\x1f\x8b", string(head)) {
		return nil, gzip.ErrHeader
	}
	return gzip.NewReader(r)
}

// startDeflate accepts both things that servers call "deflate": zlib, as the standard has it, and the bare stream.
func startDeflate(r *bufio.Reader) (io.Reader, error) {
	head, err := r.Peek(2)
	if err == nil && head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
		return zlib.NewReader(r)
	}
	return flate.NewReader(r), nil
}
