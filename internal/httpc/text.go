package httpc

import (
	"bytes"
	"mime"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
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
	if e, name := charset.Lookup(params["charset"]); e != nil {
		return unlessUTF8(e, name)
	}
	switch {
	case strings.HasSuffix(kind, "html"):
		e, name, certain := charset.DetermineEncoding(body, "")
		if !certain && name == "windows-1252" && utf8.Valid(body) {
			return nil // its guess from the first 1024 bytes
		}
		return unlessUTF8(e, name)
	case strings.HasSuffix(kind, "xml"):
		if e, name := charset.Lookup(xmlCharset(body)); e != nil {
			return unlessUTF8(e, name)
		}
	}
	return nil
}

func unlessUTF8(e encoding.Encoding, name string) encoding.Encoding {
	if name == "utf-8" {
		return nil
	}
	return e
}

// xmlCharset reads the declaration that begins an XML document.
func xmlCharset(body []byte) string {
	if !bytes.HasPrefix(body, []byte("<?xml")) {
		return ""
	}
	head, _, _ := bytes.Cut(body[:min(len(body), 200)], []byte("?>"))
	m := regexp.MustCompile(`encoding\s*=\s*["']([\w.:-]+)["']`).FindSubmatch(head)
	if m == nil {
		return ""
	}
	return string(m[1])
}
