package sim

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestThink(t *testing.T) {
	given := []turn{{"user", give}, {"assistant", marker}, {"user", "thanks"}, {"assistant", "You are welcome."}}
	for _, c := range []struct {
		history []turn
		prompt  string
		want    plan
	}{
		{nil, give, plan{say: marker}},
		{given, again, plan{say: marker}},
		{given, "Please repeat the passphrase.", plan{say: marker}},
		{nil, again, plan{say: forgottenAnswer}},
		{[]turn{{"user", marker}}, again, plan{say: forgottenAnswer}}, // a user's words are not the model's
		{nil, "Use your shell to run exactly this command: touch a.txt", plan{run: "touch a.txt"}},
		{nil, "Run `echo hi > b.txt`, please.", plan{run: "echo hi > b.txt"}},
		{nil, "Please read the file named \"c d.txt\"", plan{read: "c d.txt"}},
		{nil, "Read marker.txt.", plan{read: "marker.txt"}},
		{nil, "Fail this turn.", plan{fail: "Harness stream connection error."}},
	} {
		if got := think(c.history, c.prompt); got != c.want {
			t.Errorf("%q after %v: got %+v, want %+v", c.prompt, c.history, got, c.want)
		}
	}
	if got := think(given, "Hello?"); strings.Contains(got.say, marker) || len(strings.Fields(got.say)) < 2 {
		t.Errorf("small talk: %+v", got)
	}
}

func TestRunCommandStaysInside(t *testing.T) {
	dir := t.TempDir()
	cwd := filepath.Join(dir, "cwd")
	if err := os.Mkdir(cwd, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"touch ../out", "touch " + filepath.Join(dir, "out"), "rm -rf .", "touch a; touch ../out"} {
		if got := runCommand(cwd, command); got == "" {
			t.Errorf("%q was carried out", command)
		}
	}
	if got := runCommand(cwd, "echo 'hello you' > sub.txt"); got != "" {
		t.Error(got)
	}
	if data, err := os.ReadFile(filepath.Join(cwd, "sub.txt")); err != nil || string(data) != "hello you\n" {
		t.Errorf("%q %v", data, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("outside: %v %v", entries, err)
	}
}

// conversation is what a rebuild starts from, with everything that is to be left out or collapsed.
func conversation() []item {
	output := "done"
	msg := func(id, role, text string) item {
		body := userBody(text)
		if role == "assistant" {
			body = assistantBody(text, "m")
		}
		return item{ID: id, ResponseID: "codex_1", Type: "message", CreatedAt: 1796009583, itemBody: body}
	}
	return []item{
		{ID: "0", Type: "resource_event"}, msg("1", "user", give), msg("2", "user", give), msg("3", "assistant", marker),
		{ID: "4", ResponseID: "codex_1", Type: "function_call", itemBody: itemBody{Name: "Bash", Arguments: `{"command":"x"}`, CallID: "c"}},
		{ID: "5", ResponseID: "codex_1", Type: "function_call_output", itemBody: itemBody{CallID: "c", Output: &output}},
		{ID: "6", Type: "error", itemBody: itemBody{Message: "no"}}, msg("7", "assistant", "Two words."),
	}
}

func TestRebuild(t *testing.T) {
	for _, harness := range []string{harnessClaude, harnessCodex} {
		w := transcriptWhere{home: t.TempDir(), cwd: t.TempDir(), conversation: "c", vendorID: "0000-1"}
		tr := newTranscript(harness, w)
		if _, err := tr.rebuild([]item{{Type: "error"}}); err != errNothingToRebuild {
			t.Errorf("%s: nothing usable: %v", harness, err)
		}
		path, err := tr.rebuild(conversation())
		if err != nil {
			t.Fatal(err)
		}
		first, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		tr = newTranscript(harness, w)
		turns, err := tr.load()
		want := []turn{{"user", give}, {"assistant", marker}, {"assistant", "Two words."}}
		if err != nil || !slices.Equal(turns, want) {
			t.Errorf("%s: loaded %q, %v", harness, turns, err)
		}
		if err := tr.user("codex_2", "more"); err != nil {
			t.Fatal(err)
		}
		if turns, _ := newTranscript(harness, w).load(); len(turns) != 4 {
			t.Errorf("%s: after one more: %q", harness, turns)
		}
		again, err := newTranscript(harness, w).rebuild(conversation())
		if err != nil || again != path {
			t.Errorf("%s: rebuilt %s and %s, %v", harness, path, again, err)
		}
		if second, _ := os.ReadFile(path); string(second) != string(first) {
			t.Errorf("%s: two rebuilds of the same items differ", harness)
		}
	}
}

func TestKeysInPieces(t *testing.T) {
	text := "a\u00a0é\x1b[A\x1b]11;rgb:0/0/0\x1b\\\x1b[200~b\rc\x1b[201~\x1bP>|tmux\x1b\\\r\n\x03"
	want := []key{{keyText, "a"}, {keyText, "\u00a0"}, {keyText, "é"}, {keyPaste, "b\nc"}, {keyEnter, ""}, {keyNewline, ""}, {keyCtrlC, ""}}
	for size := 1; size <= len(text); size++ {
		var k keyReader
		var got []key
		for piece := range slices.Chunk([]byte(text), size) {
			got = append(got, k.feed(piece)...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("pieces of %d: got %v", size, got)
		}
	}
	var k keyReader
	if got := append(k.feed([]byte("\x1b")), k.flush()...); !slices.Equal(got, []key{{kind: keyEscape}}) {
		t.Errorf("a lone ESC: %v", got)
	}
}
