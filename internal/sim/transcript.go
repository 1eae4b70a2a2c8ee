package sim

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"omniexpect/internal/newfile"
)

// transcript is one vendor's history file for one session: all that its model remembers.
type transcript interface {
	// load reads the turns that the vendor shows after resuming; a missing file is an error.
	load() ([]turn, error)
	// rebuild overwrites the file with what the server's items say and reports its path. Zero usable items are no file.
	rebuild(items []item) (path string, err error)
	// user, assistant and tool append what just happened.
	user(responseID, text string) error
	assistant(responseID, text string) error
	tool(responseID string, call toolCall, callID string) error
}

var errNothingToRebuild = errors.New("no usable items")

// transcriptWhere is what a transcript's place and records depend on.
type transcriptWhere struct {
	home, cwd    string
	conversation string
	vendorID     string
	bugs         bugSet
}

func newTranscript(harness string, w transcriptWhere) transcript {
	if w.cwd != "" {
		if resolved, err := filepath.EvalSymlinks(w.cwd); err == nil {
			w.cwd = resolved
		}
	}
	if harness == harnessCodex {
		return &codexTranscript{transcriptWhere: w}
	}
	return &claudeTranscript{transcriptWhere: w}
}

// usableItems are the items that a rebuild turns into records: messages and tool calls, without repetitions.
func usableItems(items []item) []item {
	var out []item
	for _, i := range items {
		switch i.Type {
		case "message", "function_call", "function_call_output", "compaction":
		default:
			continue
		}
		if n := len(out); n > 0 && sameBut(out[n-1], i) {
			continue
		}
		out = append(out, i)
	}
	return out
}

// sameBut reports whether two items differ in id and time only.
func sameBut(a, b item) bool {
	a.ID, a.CreatedAt, b.ID, b.CreatedAt = "", 0, "", 0
	left, err1 := json.Marshal(a)
	right, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && bytes.Equal(left, right)
}

// records reads a file of JSON lines; a line that is not JSON is skipped, as the vendors do.
func records[T any](path string) ([]T, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var r T
		if json.Unmarshal(lines.Bytes(), &r) == nil {
			out = append(out, r)
		}
	}
	return out, lines.Err()
}

// writeRecords replaces a file in one step, so that no reader sees half of it.
func writeRecords(path string, recs []any) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	var buf bytes.Buffer
	for _, r := range recs {
		data, err := json.Marshal(r)
		if err != nil {
			return err
		}
		buf.Write(append(data, '\n'))
	}
	return newfile.Write(path, buf.String(), 0o600, nil)
}

func appendRecords(path string, recs ...any) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	for _, r := range recs {
		data, err := json.Marshal(r)
		if err == nil {
			_, err = f.Write(append(data, '\n'))
		}
		if err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return f.Close()
}

// isoTime is a time as both vendors write it.
func isoTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// findFile returns the file below dir whose name ends in suffix, "" if there is none.
func findFile(dir, suffix string) string {
	found := ""
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasSuffix(d.Name(), suffix) {
			found = path
		}
		return nil
	})
	return found
}

func describeItems(n int) string {
	if n == 1 {
		return "1 item"
	}
	return fmt.Sprintf("%d items", n)
}
