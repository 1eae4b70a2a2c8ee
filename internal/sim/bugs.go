package sim

import (
	"fmt"
	"slices"
	"strings"
)

// Bug is one way in which the simulator can be made to misbehave.
type Bug struct {
	Name    string // as given to --bug
	Symptom string // what a client sees, one line
}

const (
	bugResumeEmpty        = "resume-empty"
	bugRebuildSkipped     = "rebuild-skipped"
	bugRebuildRaises      = "rebuild-raises"
	bugWrongSlug          = "transcript-wrong-slug"
	bugNoEventMsg         = "rollout-no-event-msg"
	bugExtIDNever         = "ext-id-never"
	bugExtIDOverwritten   = "ext-id-overwritten"
	bugDropFirst          = "drop-first-message"
	bugTerminalNeverReady = "terminal-never-ready"
	bugReadyTooEarly      = "ready-too-early"
	bugDuplicateItems     = "duplicate-items"
	bugElicitNotWoken     = "elicit-not-woken"
	bugElicitStale        = "elicit-stale-verdict"
	bugOneshotHangs       = "oneshot-hangs"
	bugHintWrongID        = "hint-wrong-id"
	bugExit0OnError       = "exit0-on-error"
	bugModelRefuses       = "model-refuses"
	bugCLICrashes         = "cli-crashes"
	bugEchoMarker         = "echo-marker"
	bugStalePage          = "stale-page"
	bugDecorated          = "decorated"
)

// Bugs lists the seeded bugs; the last three are traps for scripts rather than faults of the product.
func Bugs() []Bug {
	return []Bug{
		{bugResumeEmpty, "a resumed conversation starts a new vendor session: the model has forgotten everything"},
		{bugRebuildSkipped, "the transcript is not rebuilt on resume: memory only while the local file exists"},
		{bugRebuildRaises, "the rebuild fails and the agent silently starts fresh, although the local file existed"},
		{bugWrongSlug, "claude's rebuilt transcript lands in a folder whose name keeps '.' and '_' of the working directory"},
		{bugNoEventMsg, "codex's rebuilt rollout lacks the event_msg records: the thread opens without turns"},
		{bugExtIDNever, "external_session_id stays null"},
		{bugExtIDOverwritten, "external_session_id changes after it was first read"},
		{bugDropFirst, "the first message to a resumed terminal is answered 202 and never delivered"},
		{bugTerminalNeverReady, "the resources list shows only 'default', for ever"},
		{bugReadyTooEarly, "the terminal is listed a second before it takes input; a message in that second is lost"},
		{bugDuplicateItems, "every message item is stored twice"},
		{bugElicitNotWoken, "an approval is answered 202, but the question stays pending and nothing happens"},
		{bugElicitStale, "the second question of a session is answered with the first one's verdict"},
		{bugOneshotHangs, "the command line stays attached to the dead pane after the agent has ended"},
		{bugHintWrongID, "the resume hint names another, empty conversation"},
		{bugExit0OnError, "a turn fails with an error item and no reply, and the command line still ends with 0"},
		{bugModelRefuses, "the model refuses every request: the session is failed without an error, the reason is what the assistant says"},
		{bugCLICrashes, "the command line crashes at its start and asks whether to file a report"},
		{bugEchoMarker, "trap: a resumed model repeats the user's own text, marker included"},
		{bugStalePage, "trap: a resumed model answers nothing, while old items still hold the earlier reply"},
		{bugDecorated, "trap: the model decorates the passphrase with markdown, another hyphen and escape codes"},
	}
}

type bugSet map[string]bool

func (b bugSet) names() []string {
	var names []string
	for name := range b {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// parseBugs reads names separated by commas or blanks.
func parseBugs(lists ...string) (bugSet, error) {
	var known []string
	for _, b := range Bugs() {
		known = append(known, b.Name)
	}
	set := bugSet{}
	for _, list := range lists {
		for _, name := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }) {
			if !slices.Contains(known, name) {
				return nil, fmt.Errorf("unknown bug %q: the simulator knows %s", name, strings.Join(known, ", "))
			}
			set[name] = true
		}
	}
	return set, nil
}
