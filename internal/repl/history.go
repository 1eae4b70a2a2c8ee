package repl

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// maxHistory is how many entries are kept.
const maxHistory = 1000

// history is what was typed, a whole statement an entry, in this session and before. It is kept in a file that nobody else
// can read, and what holds a secret is in neither: also an entry of before, once its value turns out to be one.
type history struct {
	file   string            // "" keeps nothing
	secret func(string) bool // whether an entry holds one

	mu      sync.Mutex
	entries []string // the oldest first
}

// HistoryFile returns where the history is kept: below the directory for state of the XDG convention; "" without a home.
func HistoryFile() string {
	dir := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) {
		home := os.Getenv("HOME")
		if home == "" {
			return ""
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "omniexpect", "history")
}

func newHistory(file string, secret func(string) bool) *history {
	h := &history{file: file, secret: secret}
	h.entries = h.read()
	if len(h.entries) > maxHistory {
		h.entries = h.entries[len(h.entries)-maxHistory:]
	}
	if len(h.entries) > 0 {
		os.Chmod(file, 0o600)
	}
	return h
}

func (h *history) read() (entries []string) {
	if h.file == "" {
		return nil
	}
	f, err := os.Open(h.file)
	if err != nil {
		return nil
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		entries = append(entries, fromLine(lines.Text()))
	}
	return entries
}

// An entry is a line of the file, with the line ends inside it written as \n.
func toLine(entry string) string {
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", "").Replace(entry)
}

func fromLine(line string) string {
	return strings.NewReplacer(`\\`, `\`, `\n`, "\n").Replace(line)
}

// at returns the entry that is n before the newest.
func (h *history) at(n int) (string, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n < 0 || n >= len(h.entries) {
		return "", false
	}
	return h.entries[len(h.entries)-1-n], true
}

// add takes an entry whose statement was executed, so that it is known what is secret.
func (h *history) add(entry string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.scrub()
	if entry = strings.TrimRight(entry, " \t\n"); strings.TrimSpace(entry) == "" || h.secret(entry) {
		return
	}
	if n := len(h.entries); n > 0 && h.entries[n-1] == entry {
		return
	}
	h.entries = append(h.entries, entry)
	if h.file == "" {
		return
	}
	if len(h.entries) > maxHistory+maxHistory/4 {
		h.entries = h.entries[len(h.entries)-maxHistory:]
		h.rewrite(h.read())
	}
	os.MkdirAll(filepath.Dir(h.file), 0o700)
	f, err := os.OpenFile(h.file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		h.file = "" // nowhere to keep it: it lasts as long as this session
		return
	}
	defer f.Close()
	f.Chmod(0o600)
	f.WriteString(toLine(entry) + "\n")
}

// scrub removes entries that hold what has become a secret since.
func (h *history) scrub() {
	kept := h.entries[:0]
	for _, e := range h.entries {
		if !h.secret(e) {
			kept = append(kept, e)
		}
	}
	if len(kept) < len(h.entries) {
		clear(h.entries[len(kept):])
		h.entries = kept
		if h.file != "" {
			h.rewrite(h.read())
		}
	}
}

// rewrite replaces the file by the newest of these entries that hold no secret.
func (h *history) rewrite(entries []string) {
	f, err := os.CreateTemp(filepath.Dir(h.file), ".history-") // of mode 0600
	if err != nil {
		return
	}
	defer os.Remove(f.Name())
	if len(entries) > maxHistory {
		entries = entries[len(entries)-maxHistory:]
	}
	w := bufio.NewWriter(f)
	for _, e := range entries {
		if !h.secret(e) {
			w.WriteString(toLine(e) + "\n")
		}
	}
	if w.Flush() == nil && f.Close() == nil {
		os.Rename(f.Name(), h.file)
	}
}
