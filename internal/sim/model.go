package sim

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"

	"omniexpect/internal/lazy"
)

// turn is something that was said, as the transcript keeps it.
type turn struct {
	Role string `json:"role"` // user or assistant
	Text string `json:"text"`
}

// plan is what the model does with a prompt: say something, use a tool, or fail.
type plan struct {
	say  string
	read string // a file of the working directory
	run  string // a command, after the user's permission
	fail string // the turn ends with this error

	refuse string // the model's answer is that it gives none
}

var (
	givePassphrase  = lazy.Regexp(`(?is)\bonly this exact passphrase and nothing else:\s*(\S+)`)
	askPassphrase   = lazy.Regexp(`(?is)\b(?:earlier|repeat|again|remember)\b.*\bpassphrase\b|\bpassphrase\b.*\b(?:earlier|repeat|again|remember)\b`)
	askFailure      = lazy.Regexp(`(?i)\bfail this turn\b`)
	askRead         = lazy.Regexp("(?i)\\bread\\s+(?:(?:the|a|file|named|called|contents?|of)\\s+)*[\"'`]?([\\w./-]*\\w)")
	askReadQuoted   = lazy.Regexp("(?i)\\bread\\b[^\"'`\\n]*[\"'`]([^\"'`\\n]+)[\"'`]")
	askRunQuoted    = lazy.Regexp("(?i)\\brun\\b[^`\\n]*`([^`]+)`")
	askRunPlain     = lazy.Regexp(`(?i)\brun\b(?:\s+(?:exactly|this|the|shell|bash|following|command))*\s*:?\s+([^\n]+)`)
	forgottenAnswer = "I have no earlier passphrase in this conversation."
)

// think is the model: the same prompt after the same turns always gives the same plan. A passphrase is recalled only
// from its own earlier turns, so that a recall proves that the history was really loaded.
func think(history []turn, prompt string) plan {
	if m := givePassphrase().FindStringSubmatch(prompt); m != nil {
		return plan{say: m[1]}
	}
	if askPassphrase().MatchString(prompt) {
		return plan{say: recall(history)}
	}
	if askFailure().MatchString(prompt) {
		return plan{fail: "Harness stream connection error."}
	}
	if m := askRunQuoted().FindStringSubmatch(prompt); m != nil {
		return plan{run: strings.TrimSpace(m[1])}
	}
	if m := askRunPlain().FindStringSubmatch(prompt); m != nil {
		return plan{run: strings.TrimRight(strings.TrimSpace(m[1]), ".")}
	}
	if m := askReadQuoted().FindStringSubmatch(prompt); m != nil {
		return plan{read: m[1]}
	}
	if m := askRead().FindStringSubmatch(prompt); m != nil {
		return plan{read: m[1]}
	}
	return plan{say: "I am a simulated model and have nothing to say to that."}
}

// recall finds the model's last passphrase: its answer to a request for one, or any turn of it that is a single word.
func recall(history []turn) string {
	for i := len(history) - 1; i >= 0; i-- {
		t := history[i]
		if t.Role != "assistant" {
			continue
		}
		asked := i > 0 && history[i-1].Role == "user" && givePassphrase().MatchString(history[i-1].Text)
		if asked || len(strings.Fields(t.Text)) == 1 {
			return strings.TrimSpace(t.Text)
		}
	}
	return forgottenAnswer
}

// toolCall is a tool's use as items and transcripts show it.
type toolCall struct {
	name   string
	input  map[string]string
	output string
}

func (c toolCall) arguments() string {
	data, err := json.Marshal(c.input)
	if err != nil {
		return "{}"
	}
	return string(data)
}

// readFile reads a file of the working directory for the model, which never sees anything outside of it.
func readFile(cwd, name string) (content string, ok bool) {
	root, err := os.OpenRoot(cwd)
	if err != nil {
		return "", false
	}
	defer root.Close()
	f, err := root.Open(inside(cwd, name))
	if err != nil {
		return "", false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, 64<<10))
	if err != nil {
		return "", false
	}
	return strings.TrimRight(string(data), "\n"), true
}

var (
	touchCommand = lazy.Regexp(`^touch\s+(\S+)$`)
	echoCommand  = lazy.Regexp(`^(?:echo|printf)\s+(.*?)\s*>\s*(\S+)$`)
)

// runCommand is the effect of a permitted command. Nothing is executed: only making and writing a file in the working
// directory is built in.
func runCommand(cwd, command string) (output string) {
	name, content := "", ""
	if m := touchCommand().FindStringSubmatch(command); m != nil {
		name = m[1]
	} else if m := echoCommand().FindStringSubmatch(command); m != nil {
		content, name = strings.Trim(m[1], `"'`)+"\n", m[2]
	} else {
		return "the simulator runs only: touch FILE, echo TEXT > FILE"
	}
	name = strings.Trim(name, `"'`)
	root, err := os.OpenRoot(cwd)
	if err != nil {
		return err.Error()
	}
	defer root.Close()
	flags := os.O_CREATE | os.O_WRONLY
	if content != "" {
		flags |= os.O_TRUNC
	}
	f, err := root.OpenFile(inside(cwd, name), flags, 0o644)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	if _, err := io.WriteString(f, content); err != nil {
		return err.Error()
	}
	return ""
}

// inside makes an absolute name relative to the working directory it lies in; os.Root refuses the others.
func inside(cwd, name string) string {
	if filepath.IsAbs(name) {
		if rel, err := filepath.Rel(cwd, name); err == nil {
			return rel
		}
	}
	return name
}
