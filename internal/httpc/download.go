package httpc

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"omniexpect/internal/clock"
	"omniexpect/internal/fault"
)

// progressEvery keeps a progress callback from costing more than the download.
const progressEvery = 100 * time.Millisecond

// maxRatio bounds what a body that is saved without a limit unpacks to, once it is a large one: a bomb is a thousand times
// its size, and hardly anything else is a hundred times.
const maxRatio = 100

// checkSave finds out before a request is made that its answer could not be saved.
func checkSave(path string) error {
	if path == "" {
		return nil
	}
	switch info, err := os.Stat(path); {
	case err != nil: // it will be made
	case info.IsDir():
		return fileFault("save to", path, errors.New("is a directory: want the name of a file"))
	case info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0: // opening one may take for ever
		return fileFault("save to", path, errors.New("is a pipe or a socket: want the name of a file"))
	}
	dir := filepath.Dir(path)
	if info, err := os.Stat(dir); err != nil {
		return fileFault("save to", path, errors.New("there is no directory "+dir))
	} else if !info.IsDir() {
		return fileFault("save to", path, errors.New(dir+" is not a directory"))
	}
	return nil
}

// save writes the decoded body beside the file and then takes the file's place, so that nobody meets half of it. The
// size limit is the request's own only: the client's is about memory.
func (x *exchange) save(k *limits, resp *Response, raw *http.Response) (err error) {
	path := x.req.SaveTo
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	mode := os.FileMode(0o644)
	info, statErr := os.Stat(path)
	if statErr == nil {
		mode = info.Mode().Perm()
	}
	var f *os.File
	replace := statErr != nil || info.Mode().IsRegular() // not a device or a pipe
	if replace {
		f, err = os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".part-*")
	} else {
		f, err = os.OpenFile(path, os.O_WRONLY, 0)
	}
	if err != nil {
		return fileFault("save to", path, err)
	}
	defer func() {
		if closeErr := f.Close(); err == nil && closeErr != nil {
			err = fileFault("save to", path, closeErr)
		}
		switch {
		case !replace:
		case err != nil:
			os.Remove(f.Name())
		default:
			if renameErr := os.Rename(f.Name(), path); renameErr != nil {
				os.Remove(f.Name())
				err = fileFault("save to", path, renameErr)
			}
		}
	}()
	if replace {
		if err := f.Chmod(mode); err != nil {
			return fileFault("save to", path, err)
		}
	}
	resp.Saved, err = x.copyBody(k, f, raw)
	return err
}

// copyBody is io.Copy that counts, reports progress and tells a reader's errors from a writer's.
func (x *exchange) copyBody(k *limits, f *os.File, raw *http.Response) (int64, error) {
	reader, wire := unpacked(raw)
	limit, total := x.fileLimit, raw.ContentLength
	if raw.Header.Get("Content-Encoding") != "" {
		total = -1 // it counts what is sent, not what is saved
	}
	if limit > 0 && total > limit {
		return 0, x.tooLarge(limit, total)
	}
	buf := make([]byte, 64<<10)
	var n int64
	var told time.Time
	for {
		got, err := reader.Read(buf)
		if n += int64(got); limit > 0 && n > limit {
			return n, x.tooLarge(limit, -1)
		}
		if limit == 0 && n > orDefault(x.client.opts.MaxBody, DefaultMaxBody) && n/maxRatio > wire.n {
			e := x.failed(fault.HTTP, &Cause{TooLarge, nil}, "the body unpacks to more than %d times its size: %s of %s", maxRatio, size(n), size(wire.n))
			e.Hints = []string{"max_body= sets the limit"}
			return n, e
		}
		k.read.Store(n)
		if _, writeErr := f.Write(buf[:got]); writeErr != nil {
			return n, fileFault("save to", x.req.SaveTo, writeErr)
		}
		ended := err == io.EOF
		if x.req.Progress != nil && (ended || clock.Since(k.clock, told) >= progressEvery) {
			told = k.clock.Now()
			if err := x.req.Progress(n, total); err != nil {
				return n, err
			}
		}
		if ended {
			return n, nil
		}
		if err != nil {
			return n, x.brokenBody(k, raw, err)
		}
	}
}
