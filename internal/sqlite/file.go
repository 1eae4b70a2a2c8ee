package sqlite

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/ncruces/go-sqlite3"

	"omniexpect/internal/fault"
)

// manner is how a database is opened.
type manner int

const (
	asReader    manner = iota // besides other processes
	asImmutable               // nobody has it open
	asCopy                    // a crash left something to recover
)

// file is a database file.
type file struct {
	path string // absolute, without links: the journals are beside the file itself
	wal  bool   // it is in WAL mode
}

const magic = "SQLite format 3\x00"

// find checks what can be known before the engine begins.
func find(name string) (file, error) {
	path, err := filepath.EvalSymlinks(name)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	var info fs.FileInfo
	if err == nil {
		info, err = os.Stat(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return file{}, fault.New(fault.Env, "%s: no such file", name)
	case err != nil:
		return file{}, fault.New(fault.Env, "%s: %w", name, fault.Reason(err))
	case !info.Mode().IsRegular():
		return file{}, fault.New(fault.Env, "%s: not a regular file: want a database", name)
	}
	f, err := os.Open(path)
	if err != nil {
		return file{}, fault.New(fault.Env, "%s: %w", name, fault.Reason(err))
	}
	defer f.Close()
	var head [100]byte
	n, err := io.ReadFull(f, head[:])
	if n > 0 && (err != nil || string(head[:len(magic)]) != magic) {
		return file{}, Query{Path: name}.notDatabase()
	}
	return file{path, head[18] == 2 || head[19] == 2}, nil
}

// how looks at what is beside the file.
func (f file) how() manner {
	log, index := sizeOf(f.path+"-wal"), sizeOf(f.path+"-shm")
	switch {
	case !f.wal && log < 0:
		return asReader
	case log < 0, log == 0 && index < 0:
		return asImmutable
	case index < 0:
		return asCopy
	}
	return asReader
}

// sizeOf returns -1 for what is not there.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return -1
	}
	return info.Size()
}

// open returns a connection and what closes it.
func (f file) open(ctx context.Context, how manner) (*sqlite3.Conn, func(), error) {
	name, flags, clean := f.path, sqlite3.OPEN_READONLY, func() {}
	switch how {
	case asImmutable:
		u := url.URL{Scheme: "file", Path: f.path, RawQuery: "immutable=1"}
		name, flags = u.String(), flags|sqlite3.OPEN_URI
	case asCopy:
		dir, err := os.MkdirTemp("", "omniexpect-sqlite-")
		if err != nil {
			return nil, nil, err
		}
		clean = func() { os.RemoveAll(dir) }
		name, flags = filepath.Join(dir, "copy.db"), sqlite3.OPEN_READWRITE
		for _, suffix := range [...]string{"", "-wal", "-journal"} {
			if err := copyFile(ctx, name+suffix, f.path+suffix); err != nil && (suffix == "" || !errors.Is(err, fs.ErrNotExist)) {
				clean()
				return nil, nil, err
			}
		}
	}
	conn, err := sqlite3.OpenFlags(name, flags)
	if err != nil {
		clean()
		return nil, nil, err
	}
	return conn, func() { conn.Close(); clean() }, nil
}

func copyFile(ctx context.Context, to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	for err == nil && ctx.Err() == nil {
		_, err = io.CopyN(out, in, 8<<20)
	}
	if err == io.EOF {
		err = nil
	}
	return errors.Join(err, out.Close(), context.Cause(ctx))
}
