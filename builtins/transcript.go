package builtins

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/lazy"
)

var wholeUUID = lazy.Regexp(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// transcripts describes where an agent keeps the transcripts of its sessions, below its home, and how their files are called.
type transcripts struct {
	dirs []string
	is   func(name, id string) bool
}

func transcriptsOf(kind string) (transcripts, bool) {
	switch kind {
	case "claude":
		return transcripts{[]string{".claude/projects"}, func(name, id string) bool { return name == id+".jsonl" }}, true
	case "codex":
		return transcripts{[]string{".omnigent/codex-native", ".codex/sessions"}, func(name, id string) bool {
			return strings.HasPrefix(name, "rollout-") && strings.HasSuffix(name, "-"+id+".jsonl")
		}}, true
	}
	return transcripts{}, false
}

type rmTranscriptArgs struct {
	ID   string `star:"external_session_id" doc:"the agent's own id of the session, a whole UUID"`
	Home string `star:"home?" doc:"the agent's home; by default HOME of the current session's environment, else our own"`
	Kind string `star:"kind?,kw" doc:"\"claude\" or \"codex\""`
}

// rmTranscript deletes transcripts, and can delete nothing else: regular files of exactly that name below the agent's
// transcript folders, which are opened as roots, so that no link leads out of them.
func (st *State) rmTranscript(c *dsl.Call, a rmTranscriptArgs) (starlark.Value, error) {
	id := strings.ToLower(a.ID)
	if !wholeUUID().MatchString(id) {
		return nil, fault.New(fault.Usage, "rm_transcript: external_session_id %q: want a whole UUID", a.ID)
	}
	where, ok := transcriptsOf(a.Kind)
	if !ok {
		return nil, fault.New(fault.Usage, "rm_transcript: kind=%q: want \"claude\" or \"codex\"", a.Kind)
	}
	home := a.Home
	if home == "" {
		home = st.homeOf(c)
	}
	if home == "" {
		return nil, fault.New(fault.Env, "rm_transcript: HOME is not set: give home=")
	}
	if !filepath.IsAbs(home) {
		return nil, fault.New(fault.Usage, "rm_transcript: home %q: want an absolute path", home)
	}
	var removed []string
	for _, dir := range where.dirs {
		list, err := removeBelow(home, dir, func(name string) bool { return where.is(strings.ToLower(name), id) })
		removed = append(removed, list...)
		if err != nil {
			return nil, fault.New(fault.Env, "rm_transcript: %w", err)
		}
	}
	sort.Strings(removed)
	return stringList(removed), nil
}

// homeOf is the home that the current session's program was given.
func (st *State) homeOf(c *dsl.Call) string {
	if s, ok := c.Current.(*Session); ok {
		for _, e := range s.Env {
			if h, ok := strings.CutPrefix(e, "HOME="); ok {
				return h
			}
		}
	}
	return os.Getenv("HOME")
}

// openBelow opens a folder below a home, where no part of the way to it is a link.
func openBelow(home, dir string) (*os.Root, error) {
	root, err := os.OpenRoot(home)
	for part := range strings.SplitSeq(dir, "/") {
		if err != nil {
			return nil, err
		}
		home = filepath.Join(home, part)
		var info fs.FileInfo
		var next *os.Root
		if info, err = root.Lstat(part); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			err = fmt.Errorf("%s is a link, and links are not followed: give home= a folder that has its transcripts in real folders", home)
		}
		if err == nil {
			next, err = root.OpenRoot(part)
		}
		root.Close()
		root = next
	}
	return root, err
}

func removeBelow(home, dir string, is func(name string) bool) ([]string, error) {
	root, err := openBelow(home, dir)
	dir = filepath.Join(home, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var removed []string
	err = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // the agent is tidying up itself
			}
			return err
		}
		if !d.Type().IsRegular() || !is(path.Base(p)) {
			return nil
		}
		if err := root.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		removed = append(removed, filepath.Join(dir, p))
		return nil
	})
	return removed, err
}

func (st *State) transcriptFuncs() []*dsl.Func {
	return dsl.In("omnigent",
		dsl.Define("rm_transcript", "list", `Delete an agent's own transcript of a session, and return the paths that were removed. Only regular files of exactly that name below the agent's transcript folders are deleted. No link is followed: if .claude itself is a link, that is an error of kind env.`,
			`assert.eq(rm_transcript("00000000-0000-0000-0000-000000000000", home = "/nonexistent"), [])`,
			rmTranscriptArgs{Kind: "claude"}, st.rmTranscript),
	)
}
