package main

import (
	"encoding/json"
	"slices"
	"strings"

	"omniexpect/internal/lazy"
)

// The roles of a turn. A tool's result is a turn of its own, whichever role the API files it under.
const (
	user      = "user"
	assistant = "assistant"
	result    = "result"
)

// A turn is one contribution to a conversation, in the terms both APIs share.
type turn struct {
	role    string
	text    string
	refused bool // a result: the tool was not allowed to run
}

// A reply is what the model answers: a text, or a command for the agent's shell.
type reply struct {
	text     string
	command  string
	harmless bool // the command only reads, so it needs nobody's approval
}

// A model decides what to answer. It has no memory of its own.
type model struct {
	amnesia bool
}

const forgotten = "I do not remember any passphrase."

var (
	// A text in an element of its own is a conversation to name, a long instruction says so in words.
	asksTitle  = lazy.Regexp(`(?is)^<(session|user_message)>|^(create|generate) a concise\b.{0,80}\btitle\b`)
	passphrase = lazy.Regexp(`ZEPHYR-[0-9A-Z]{8}`)
	recall     = lazy.Regexp(`(?i)\b(earlier in this conversation|earlier passphrase|(repeat|recall|remember|which|what was)\b.*\bpassphrase)`)
	// The command is what follows on the line, or what stands in backticks.
	command = lazy.Regexp("(?im)^(?:please )?run(?: this| the)?(?: shell)?(?: command)?:? +(?:`([^`\n]+)`|([^`\n]+))")
	read    = lazy.Regexp("(?im)^(?:please )?read(?: the)?(?: file)?:? +(?:`([^`\n]+)`|([^`\\s]+))")
)

// answer follows the rules of the package comment. It decides by the last turn that is not the model's own.
func (m model) answer(turns []turn) reply {
	last := len(turns) - 1
	for last >= 0 && turns[last].role == assistant {
		last--
	}
	if last < 0 {
		return reply{text: "OK."}
	}
	t := turns[last]
	switch {
	case t.role == result && t.refused:
		return reply{text: "The command was not run."}
	case t.role == result && t.text == "":
		return reply{text: "The command printed nothing."}
	case t.role == result:
		return reply{text: "The command printed: " + t.text}
	case asksTitle().MatchString(t.text):
		return reply{text: title}
	case recall().MatchString(t.text):
		return reply{text: m.remember(turns[:last])}
	case passphrase().MatchString(t.text):
		return reply{text: passphrase().FindString(t.text)}
	}
	if c := command().FindStringSubmatch(t.text); c != nil {
		return reply{command: strings.TrimSpace(c[1] + c[2])}
	}
	if f := read().FindStringSubmatch(t.text); f != nil {
		return reply{command: "cat " + quote(f[1]+f[2]), harmless: true}
	}
	return reply{text: "OK."}
}

// remember returns the newest passphrase that the assistant itself said.
func (m model) remember(earlier []turn) string {
	if m.amnesia {
		return forgotten
	}
	for _, t := range slices.Backward(earlier) {
		if t.role != assistant {
			continue
		}
		if said := passphrase().FindAllString(t.text, -1); said != nil {
			return said[len(said)-1]
		}
	}
	return forgotten
}

// quote makes one word of text for a POSIX shell.
func quote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// title names every conversation. It must not hold a passphrase: the product shows it as the session's title.
const title = "Passphrase check"

// fill makes a value that fits the JSON schema of a side request: every text is the title, the rest is empty.
func fill(schema map[string]any) any {
	if variants, ok := schema["enum"].([]any); ok && len(variants) > 0 {
		return variants[0]
	}
	switch schema["type"] {
	case "object":
		value := map[string]any{}
		properties, _ := schema["properties"].(map[string]any)
		for name, property := range properties {
			inner, _ := property.(map[string]any)
			value[name] = fill(inner)
		}
		return value
	case "array":
		return []any{}
	case "boolean":
		return false
	case "number", "integer":
		return 0
	default:
		return title
	}
}

// fillText is fill as JSON text.
func fillText(schema map[string]any) string {
	text, err := json.Marshal(fill(schema))
	if err != nil {
		return title // cannot happen: fill makes plain values only
	}
	return string(text)
}

// harnessTags are the elements that agents put into user turns on their own account. What they hold is not the user's.
func harnessTags() []string {
	return []string{
		"system-reminder", "environment_context", "user_instructions", "INSTRUCTIONS", "permissions instructions",
		"local-command-caveat", "local-command-stdout", "local-command-stderr", "command-name", "command-message", "command-args",
	}
}

// said returns text without the agent's own additions.
func said(text string) string {
	for _, tag := range harnessTags() {
		opening, closing := "<"+tag+">", "</"+tag+">"
		for {
			from := strings.Index(text, opening)
			if from < 0 {
				break
			}
			to := strings.Index(text[from:], closing)
			if to < 0 {
				break
			}
			text = text[:from] + text[from+to+len(closing):]
		}
	}
	return strings.TrimSpace(text)
}

// notAllowed is what agents tell the model about a tool that a person or a hook refused.
var notAllowed = lazy.Regexp(`(?i)permission denied by hook|doesn't want to (proceed|take this action)|(rejected|aborted) by user`)

// add appends a turn unless nothing is left of it without the agent's additions.
func add(turns []turn, role, text string) []turn {
	if role == user {
		text = said(text)
	}
	if strings.TrimSpace(text) == "" {
		return turns
	}
	return append(turns, turn{role: role, text: text})
}

// addResult appends what a tool returned, which may be nothing.
func addResult(turns []turn, text string, refused bool) []turn {
	return append(turns, turn{role: result, text: said(text), refused: refused})
}
