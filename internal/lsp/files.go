package lsp

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"omniexpect/internal/fault"
	"omniexpect/internal/interp"
	"omniexpect/internal/newfile"
)

// largest is the size of the largest file that is read as a module.
const largest = 4 << 20

// library reads what scripts load, as it is now: the text that is open in the editor wins over the file.
func (s *server) library() *interp.Library {
	l := interp.NewLibrary(s.Embedded, s.names)
	l.ReadFile = func(name string) ([]byte, error) {
		name = filepath.Clean(name)
		for _, d := range s.documents {
			if d.name == name {
				return []byte(d.body), nil
			}
		}
		st, err := os.Stat(name)
		switch {
		case err != nil:
			return nil, err
		case !st.Mode().IsRegular():
			return nil, fault.New(fault.Usage, "not a file")
		case st.Size() > largest:
			return nil, fault.New(fault.Usage, "%d bytes are too many for a module", st.Size())
		}
		return os.ReadFile(name)
	}
	return l
}

// nameOf returns the name that a script has for its library: a path, the label of a module of the binary, or the URI of
// what is not a file.
func (s *server) nameOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return uri
	}
	path := filepath.Clean(u.Path)
	if rel, err := filepath.Rel(s.Cache, path); s.Cache != "" && err == nil {
		if parts := strings.SplitN(filepath.ToSlash(rel), "/", 3); len(parts) == 3 && parts[0] != ".." {
			label := "@" + parts[1] + "//" + parts[2]
			if body, err := interp.NewLibrary(s.Embedded, nil).Read(label); err == nil && digest(body) == parts[0] {
				return label
			}
		}
	}
	return path
}

// uriOf returns the URI of a script by its name. A module of the binary is written out, so that every editor can show it.
func (s *server) uriOf(name string) (string, error) {
	for _, d := range s.documents {
		if d.name == name {
			return d.uri, nil
		}
	}
	if strings.HasPrefix(name, "@") {
		path, err := s.copyOf(name)
		if err != nil {
			return "", err
		}
		name = path
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return (&url.URL{Scheme: "file", Path: path}).String(), nil
}

func digest(body string) string {
	sum := sha256.Sum256([]byte(body))
	return hex.EncodeToString(sum[:8])
}

// copyOf returns the path of a read-only copy of a module of the binary. The folder names the content, so that a copy
// never changes.
func (s *server) copyOf(label string) (string, error) {
	if s.Cache == "" {
		return "", fault.New(fault.Env, "%s is in the binary, and there is no folder for a copy", label)
	}
	body, err := s.library().Read(label)
	if err != nil {
		return "", err
	}
	repo, file, _ := strings.Cut(strings.TrimPrefix(label, "@"), "//")
	path := filepath.Join(s.Cache, digest(body), repo, filepath.FromSlash(file))
	if have, err := os.ReadFile(path); err == nil && string(have) == body {
		return path, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	if err := newfile.Write(path, body, 0o444, nil); err != nil {
		return "", fmt.Errorf("a copy of %s: %w", label, err)
	}
	return path, nil
}
