package httpc

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"omniexpect/internal/fault"
)

// Netrc is what a .netrc file says of machines.
type Netrc struct {
	machines []machine
}

type machine struct {
	name string // empty for the default
	auth Auth
}

// DefaultNetrc is the file that $NETRC names, or .netrc in the home directory.
func DefaultNetrc() (string, error) {
	if path := os.Getenv("NETRC"); path != "" {
		return path, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fault.New(fault.Env, "netrc: no home directory: name the file")
	}
	return filepath.Join(home, ".netrc"), nil
}

// ReadNetrc reads a file. Its errors name a line and show nothing of it.
func ReadNetrc(path string) (*Netrc, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fileFault("netrc", path, err)
	}
	n, line := &Netrc{}, 0
	bad := func(what string) (*Netrc, error) {
		return nil, fault.New(fault.Env, "netrc %s: line %d: %s", path, line, what)
	}
	var current *machine
	var want *string // where the next word belongs
	inMacro := false
	for text := range strings.Lines(string(data)) {
		line++
		if inMacro {
			inMacro = strings.TrimSpace(text) != ""
			continue
		}
		words, err := netrcWords(text)
		if err != nil {
			return bad(err.Error())
		}
		for _, word := range words {
			if want != nil {
				*want, want = word, nil
				continue
			}
			var ignored string
			switch word {
			case "machine", "default":
				n.machines = append(n.machines, machine{})
				if current = &n.machines[len(n.machines)-1]; word == "machine" {
					want = &current.name
				}
				continue
			case "login", "user", "password", "account":
				if current == nil {
					return bad(word + " before a machine")
				}
				want = map[string]*string{"login": &current.auth.User, "user": &current.auth.User, "password": &current.auth.Password, "account": &ignored}[word]
				continue
			case "macdef":
				inMacro = true
			default:
				return bad("want machine, default, login, password, account or macdef, got another word")
			}
			break // the rest of the line is the macro's name
		}
	}
	if want != nil {
		return bad("the last word has no value")
	}
	return n, nil
}

// netrcWords splits a line at blanks; a word may be quoted, and # begins a comment where a word would.
func netrcWords(line string) (words []string, err error) {
	for {
		line = strings.TrimLeft(line, " \t\r\n")
		switch {
		case line == "" || line[0] == '#':
			return words, nil
		case line[0] != '"':
			word := beforeAny(line, " \t\r\n")
			words, line = append(words, word), line[len(word):]
			continue
		}
		end := 1
		for end < len(line) && line[end] != '"' {
			if line[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(line) {
			return nil, errors.New("a quote is not closed")
		}
		words, line = append(words, unquoted(line[1:end])), line[end+1:]
	}
}

// Find returns what the file says of a host, or nil.
func (n *Netrc) Find(host string) *Auth {
	for _, m := range n.machines {
		if m.name == "" || strings.EqualFold(m.name, host) {
			return &m.auth
		}
	}
	return nil
}

// Passwords returns all passwords of the file.
func (n *Netrc) Passwords() (all []string) {
	for _, m := range n.machines {
		if m.auth.Password != "" {
			all = append(all, m.auth.Password)
		}
	}
	return all
}
