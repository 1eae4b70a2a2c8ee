package builtins

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
)

const transcriptID = "8b6e6f3e-3f0a-4d7e-9a52-0f6f4d7f2a11"

func write(t *testing.T, path string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func remove(t *testing.T, a rmTranscriptArgs) []string {
	t.Helper()
	st := &State{}
	v, err := st.rmTranscript(&dsl.Call{Strand: &dsl.Strand{}}, a)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i := range v.(*starlark.List).Len() {
		s, _ := starlark.AsString(v.(*starlark.List).Index(i))
		out = append(out, s)
	}
	return out
}

// TestRemovesTranscriptsOnly sets a home full of traps around the two files that may go.
func TestRemovesTranscriptsOnly(t *testing.T) {
	home, outside := t.TempDir(), t.TempDir()
	projects := filepath.Join(home, ".claude/projects")
	gone := []string{
		write(t, filepath.Join(projects, "-work-a", transcriptID+".jsonl")),
		write(t, filepath.Join(projects, "-work-b/deeper", transcriptID+".jsonl")),
	}
	stays := []string{
		write(t, filepath.Join(projects, "-work-a", transcriptID+".jsonl.bak")),
		write(t, filepath.Join(projects, "-work-a", "x"+transcriptID+".jsonl")),
		write(t, filepath.Join(projects, "-work-a", "11111111-3f0a-4d7e-9a52-0f6f4d7f2a11.jsonl")),
		write(t, filepath.Join(home, ".claude", transcriptID+".jsonl")),
		write(t, filepath.Join(home, transcriptID+".jsonl")),
		write(t, filepath.Join(outside, transcriptID+".jsonl")),
	}
	dir := filepath.Join(projects, "-work-c", transcriptID+".jsonl") // a directory of that name
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	stays = append(stays, dir)
	for name, target := range map[string]string{"dirlink": outside, transcriptID + ".jsonl": stays[5]} {
		link := filepath.Join(projects, name)
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
		stays = append(stays, link)
	}
	removed := remove(t, rmTranscriptArgs{ID: transcriptID, Home: home, Kind: "claude"})
	if len(removed) != 2 || removed[0] != gone[0] || removed[1] != gone[1] {
		t.Errorf("removed %q, want %q", removed, gone)
	}
	for _, p := range gone {
		if exists(p) {
			t.Errorf("%s is still there", p)
		}
	}
	for _, p := range stays {
		if !exists(p) {
			t.Errorf("%s was deleted", p)
		}
	}
}

func TestRemovesCodexRollouts(t *testing.T) {
	home := t.TempDir()
	name := "rollout-2026-11-30T07-00-00-" + transcriptID + ".jsonl"
	gone := []string{
		write(t, filepath.Join(home, ".codex/sessions/2026/11/30", name)),
		write(t, filepath.Join(home, ".omnigent/codex-native/abc/codex-home/sessions/2026/11/30", name)),
	}
	kept := write(t, filepath.Join(home, ".codex/sessions/2026/11/30", "rollout-2026-11-30T07-00-00-11111111"+transcriptID[8:]+".jsonl"))
	if removed := remove(t, rmTranscriptArgs{ID: transcriptID, Home: home, Kind: "codex"}); len(removed) != 2 {
		t.Errorf("removed %q, want %q", removed, gone)
	}
	if exists(gone[0]) || exists(gone[1]) || !exists(kept) {
		t.Error("the wrong files are there")
	}
}

func TestRefusesWhatIsNoWholeID(t *testing.T) {
	home := t.TempDir()
	write(t, filepath.Join(home, ".claude/projects/p", ".jsonl"))
	for _, id := range []string{"", "*", "8b6e6f3e", "../../" + transcriptID, transcriptID + "/..", transcriptID + "\n", "{" + transcriptID + "}"} {
		st := &State{}
		_, err := st.rmTranscript(&dsl.Call{Strand: &dsl.Strand{}}, rmTranscriptArgs{ID: id, Home: home, Kind: "claude"})
		if fault.KindOf(err) != fault.Usage {
			t.Errorf("%q: got %v, want a usage error", id, err)
		}
	}
}

// TestFollowsNoLinkToTranscripts refuses a home whose way to the transcripts has a link in it.
func TestFollowsNoLinkToTranscripts(t *testing.T) {
	elsewhere := t.TempDir()
	kept := []string{
		write(t, filepath.Join(elsewhere, "projects/p", transcriptID+".jsonl")),
		write(t, filepath.Join(elsewhere, "sessions", "rollout-x-"+transcriptID+".jsonl")),
		write(t, filepath.Join(elsewhere, "p", transcriptID+".jsonl")),
	}
	for _, c := range []struct{ kind, link, to string }{
		{"claude", ".claude", elsewhere},
		{"claude", ".claude", "dots"}, // inside of the home
		{"claude", ".claude/projects", elsewhere},
		{"codex", ".codex", elsewhere},
		{"codex", ".codex/sessions", filepath.Join(elsewhere, "sessions")},
	} {
		home := t.TempDir()
		inside := write(t, filepath.Join(home, "dots/projects/p", transcriptID+".jsonl"))
		link := filepath.Join(home, c.link)
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(c.to, link); err != nil {
			t.Fatal(err)
		}
		_, err := (&State{}).rmTranscript(&dsl.Call{Strand: &dsl.Strand{}}, rmTranscriptArgs{ID: transcriptID, Home: home, Kind: c.kind})
		if fault.KindOf(err) != fault.Env || !strings.Contains(err.Error(), link+" is a link, and links are not followed") {
			t.Errorf("%s to %s: %v", c.link, c.to, err)
		}
		for _, p := range append(kept, inside) {
			if !exists(p) {
				t.Errorf("%s to %s: %s was deleted", c.link, c.to, p)
			}
		}
	}
}
