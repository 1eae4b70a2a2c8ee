package main

import (
	"encoding/json"
	"testing"
)

const (
	ask    = "Reply with ONLY this exact passphrase and nothing else: ZEPHYR-0A1B2C3D"
	recite = "Earlier in this conversation you gave me a passphrase. Repeat that exact passphrase and nothing else."
	phrase = "ZEPHYR-0A1B2C3D"
)

func TestAnswer(t *testing.T) {
	says := func(role, text string) turn { return turn{role: role, text: text} }
	tests := []struct {
		name    string
		amnesia bool
		turns   []turn
		want    reply
	}{
		{"nothing said", false, nil, reply{text: "OK."}},
		{"small talk", false, []turn{says(user, "Good morning.")}, reply{text: "OK."}},
		{"a passphrase is repeated", false, []turn{says(user, ask)}, reply{text: phrase}},
		{"recall from the assistant's turn", false,
			[]turn{says(user, ask), says(assistant, phrase), says(user, recite)}, reply{text: phrase}},
		{"recall from the newest of several", false,
			[]turn{says(assistant, "ZEPHYR-11111111"), says(user, ask), says(assistant, phrase), says(user, recite)}, reply{text: phrase}},
		{"no recall of what only the user wrote", false,
			[]turn{says(user, ask), says(assistant, "OK."), says(user, recite)}, reply{text: forgotten}},
		{"no recall from the question itself", false,
			[]turn{says(user, recite+" It was ZEPHYR-0A1B2C3D.")}, reply{text: forgotten}},
		{"no recall from a tool's output", false,
			[]turn{says(user, "run cat notes"), says(result, phrase), says(user, recite)}, reply{text: forgotten}},
		{"no recall without a history", false, []turn{says(user, recite)}, reply{text: forgotten}},
		{"amnesia forgets the past", true,
			[]turn{says(user, ask), says(assistant, phrase), says(user, recite)}, reply{text: forgotten}},
		{"amnesia still repeats what is said now", true, []turn{says(user, ask)}, reply{text: phrase}},
		{"amnesia still runs commands", true, []turn{says(user, "run touch marker")}, reply{command: "touch marker"}},
		{"title of a Claude session", false,
			[]turn{says(user, "<session>\n"+ask+"\n</session>\n\nWrite the title in the session's language.")}, reply{text: title}},
		{"title of a message", false, []turn{says(user, "<user_message>\nrun touch x\n</user_message>")}, reply{text: title}},
		{"title by an instruction", false,
			[]turn{says(user, "Create a concise 2-5 word title that tells the intent.\n\n"+ask)}, reply{text: title}},
		{"run", false, []turn{says(user, "Run this shell command: touch 'a b' && ls")}, reply{command: "touch 'a b' && ls"}},
		{"run in backticks", false, []turn{says(user, "Please run `touch marker` now.")}, reply{command: "touch marker"}},
		{"run in a later line", false, []turn{says(user, "Hello.\nrun touch marker")}, reply{command: "touch marker"}},
		{"talk about running", false, []turn{says(user, "How does one run a command?")}, reply{text: "OK."}},
		{"read", false, []turn{says(user, "read o'clock.txt")}, reply{command: `cat 'o'\''clock.txt'`, harmless: true}},
		{"a tool printed", false, []turn{says(user, "read f"), says(result, "MARKER-42")}, reply{text: "The command printed: MARKER-42"}},
		{"a tool printed nothing", false, []turn{says(user, "run true"), says(result, "")}, reply{text: "The command printed nothing."}},
		{"a tool was refused", false,
			[]turn{says(user, "run true"), {role: result, text: "no", refused: true}}, reply{text: "The command was not run."}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := (model{amnesia: test.amnesia}).answer(test.turns); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestSaid(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"plain", " hello ", "hello"},
		{"reminder around", "<system-reminder>\nearlier passphrase\n</system-reminder>\nhello\n<system-reminder>x</system-reminder>", "hello"},
		{"context only", "<environment_context>\n  <cwd>/w</cwd>\n</environment_context>", ""},
		{"leaving by command", "<command-name>/exit</command-name>\n<command-message>exit</command-message>", ""},
		{"not closed", "<system-reminder> hello", "<system-reminder> hello"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := said(test.text); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestFill(t *testing.T) {
	var schema map[string]any
	text := `{"type": "object", "properties": {"title": {"type": "string"}, "tags": {"type": "array"}, "n": {"type": "integer"},
		"done": {"type": "boolean"}, "outcome": {"type": "string", "enum": ["allow", "deny"]}}}`
	if err := json.Unmarshal([]byte(text), &schema); err != nil {
		t.Fatal(err)
	}
	want := `{"done":false,"n":0,"outcome":"allow","tags":[],"title":"Passphrase check"}`
	if got := fillText(schema); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
