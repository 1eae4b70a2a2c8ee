package httpc

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// File is one part of a multipart body: a file that is read while it is sent, or content given as it is.
type File struct {
	Field       string
	Path        string // read if not empty
	Content     []byte // otherwise
	Name        string // file name told to the server; the path's last element if empty
	ContentType string // found by the name's extension if empty
}

// body can be read again and again, for redirects and for connections that turn out to be dead.
type body struct {
	parts       []bodyPart
	size        int64
	contentType string
}

type bodyPart struct {
	data []byte
	path string
}

func newBody(r Request) (*body, error) {
	var given []string
	note := func(is bool, name string) {
		if is {
			given = append(given, name)
		}
	}
	note(r.JSON != nil, "json")
	note(r.Form != nil && r.Files == nil, "form")
	note(r.Files != nil, "files")
	note(r.Body != nil, "body")
	note(r.BodyFile != "", "a body file")
	if len(given) > 1 {
		return nil, fmt.Errorf("%s are given: a request has one body", strings.Join(given, " and "))
	}
	b := &body{}
	switch {
	case r.JSON != nil:
		b.contentType = "application/json"
		b.add(r.JSON)
	case r.Files != nil:
		return b, b.addMultipart(r.Form, r.Files)
	case r.Form != nil:
		b.contentType = "application/x-www-form-urlencoded"
		b.add([]byte(encodePairs(r.Form)))
	case r.BodyFile != "":
		return b, b.addFile("body file", r.BodyFile)
	default:
		b.add(r.Body)
	}
	return b, nil
}

func (b *body) add(data []byte) {
	b.parts = append(b.parts, bodyPart{data: data})
	b.size += int64(len(data))
}

func (b *body) addFile(what, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fileFault(what, path, err)
	}
	if !info.Mode().IsRegular() {
		return fileFault(what, path, errors.New("no regular file"))
	}
	b.parts = append(b.parts, bodyPart{path: path})
	b.size += info.Size()
	return nil
}

func (b *body) addMultipart(form []Pair, files []File) error {
	var frame bytes.Buffer
	w := multipart.NewWriter(&frame)
	b.contentType = w.FormDataContentType()
	for _, p := range form {
		if err := w.WriteField(p.Name, p.Value); err != nil {
			return err
		}
	}
	for _, f := range files {
		if f.Path != "" && f.Content != nil {
			return fmt.Errorf("file %q has both a path and a content: one of them", f.Field)
		}
		name := f.Name
		if name == "" && f.Path != "" {
			name = filepath.Base(f.Path)
		}
		name = cmp.Or(name, f.Field)
		kind := cmp.Or(f.ContentType, mime.TypeByExtension(filepath.Ext(name)), "application/octet-stream")
		if f.Path == "" && f.Content == nil {
			return fmt.Errorf("file %q has neither a path nor a content: one of them", f.Field)
		}
		if hasControl(kind) || hasControl(name) || hasControl(f.Field) {
			return fmt.Errorf("file %q: its field, name or content type holds a line break or another control character", f.Field)
		}
		_, err := w.CreatePart(textproto.MIMEHeader{
			"Content-Disposition": {multipart.FileContentDisposition(f.Field, name)},
			"Content-Type":        {kind},
		})
		if err != nil {
			return err
		}
		b.add(bytes.Clone(frame.Bytes()))
		frame.Reset()
		if f.Path == "" {
			b.add(f.Content)
		} else if err := b.addFile("file", f.Path); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	b.add(frame.Bytes())
	return nil
}

// open returns a reader of the whole body. Files are opened when their turn comes.
func (b *body) open() io.ReadCloser { return &bodyReader{parts: b.parts} }

// bodyReader has a lock because a transport may close a body while it is being read.
type bodyReader struct {
	mu    sync.Mutex
	parts []bodyPart
	now   io.Reader
	file  *os.File
}

// Read is part of io.ReadCloser.
func (r *bodyReader) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		if r.now == nil {
			if len(r.parts) == 0 {
				return 0, io.EOF
			}
			if err := r.next(); err != nil {
				return 0, err
			}
		}
		n, err := r.now.Read(p)
		if err != io.EOF {
			return n, err
		}
		r.end()
		if n > 0 {
			return n, nil
		}
	}
}

func (r *bodyReader) next() error {
	part := r.parts[0]
	r.parts = r.parts[1:]
	if part.path == "" {
		r.now = bytes.NewReader(part.data)
		return nil
	}
	f, err := os.Open(part.path)
	if err != nil {
		return fileFault("file", part.path, err)
	}
	r.file, r.now = f, f
	return nil
}

// end leaves the part that is being read.
func (r *bodyReader) end() {
	r.now = nil
	if r.file != nil {
		r.file.Close()
		r.file = nil
	}
}

// Close is part of io.ReadCloser.
func (r *bodyReader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end()
	r.parts = nil
	return nil
}
