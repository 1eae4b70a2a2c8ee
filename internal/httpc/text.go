package httpc

import (
	"bytes"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"

	"omniexpect/internal/lazy"
)

// Text returns the body as characters. The charset is that of a byte order mark, of the Content-Type, of what an HTML or
// XML document says of itself, and UTF-8 otherwise. What is invalid in it becomes U+FFFD.
func (r *Response) Text() string { return decodeText(r.Body, r.Header.Get("Content-Type")) }

func decodeText(body []byte, contentType string) string {
	e := encodingOf(body, contentType)
	if e == nil {
		body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
		if utf8.Valid(body) {
			return string(body)
		}
		e = unicode.UTF8
	}
	text, err := e.NewDecoder().Bytes(body)
	if err != nil {
		return strings.ToValidUTF8(string(body), "\ufffd")
	}
	return string(text)
}

// encodingOf returns nil for UTF-8.
func encodingOf(body []byte, contentType string) encoding.Encoding {
	switch {
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		return nil
	case bytes.HasPrefix(body, []byte("\xff\xfe")), bytes.HasPrefix(body, []byte("\xfe\xff")):
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	}
	kind, params, _ := mime.ParseMediaType(contentType)
	name := params["charset"]
	if charset(name) == nil {
		switch {
		case strings.HasSuffix(kind, "html"):
			name = htmlCharset(body)
		case strings.HasSuffix(kind, "xml"):
			name = xmlCharset(body)
		}
	}
	if e := charset(name); e != unicode.UTF8 {
		return e
	}
	return nil
}

var htmlComment = lazy.Regexp(`(?s)<!--.*?-->`)

var metaCharset = lazy.Regexp(`(?i)<meta\b[^>]*\bcharset\s*=\s*["']?\s*([\w.:-]+)`)

// htmlCharset reads what an HTML document says of itself in a meta element, in its first 1024 bytes as in browsers. There
// a document cannot say that it is UTF-16, since that could not be read.
func htmlCharset(body []byte) string {
	head := body[:min(len(body), 1024)]
	head = htmlComment().ReplaceAll(head, nil)
	m := metaCharset().FindSubmatch(head)
	if m == nil || bytes.HasPrefix(bytes.ToLower(m[1]), []byte("utf-16")) {
		return ""
	}
	return string(m[1])
}

var xmlEncoding = lazy.Regexp(`encoding\s*=\s*["']([\w.:-]+)["']`)

// xmlCharset reads the declaration that begins an XML document.
func xmlCharset(body []byte) string {
	if !bytes.HasPrefix(body, []byte("<?xml")) {
		return ""
	}
	head, _, _ := bytes.Cut(body[:min(len(body), 200)], []byte("?>"))
	m := xmlEncoding().FindSubmatch(head)
	if m == nil {
		return ""
	}
	return string(m[1])
}
