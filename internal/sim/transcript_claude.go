package sim

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"

	"omniexpect/internal/lazy"
)

// claudeTranscript is ~/.claude/projects/<slug>/<vendor id>.jsonl.
type claudeTranscript struct {
	transcriptWhere
	last *string // uuid of the newest record, the next one's parent
}

type claudeRecord struct {
	Type            string           `json:"type"`
	Subtype         string           `json:"subtype,omitempty"`
	UUID            string           `json:"uuid"`
	ParentUUID      *string          `json:"parentUuid"`
	IsSidechain     bool             `json:"isSidechain"`
	UserType        string           `json:"userType"`
	SessionID       string           `json:"sessionId"`
	CWD             string           `json:"cwd"`
	Timestamp       string           `json:"timestamp"`
	Message         *claudeMessage   `json:"message,omitempty"`
	ToolUseResult   any              `json:"toolUseResult,omitempty"`
	CompactMetadata *compactMetadata `json:"compactMetadata,omitempty"`
}

type claudeMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

type compactMetadata struct {
	Trigger    string `json:"trigger"`
	PostTokens int    `json:"postTokens"`
}

type claudeBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   string          `json:"content,omitempty"`
}

var (
	notAlphanumeric = lazy.Regexp(`[^A-Za-z0-9]`)
	wrongSlugRule   = lazy.Regexp(`[^A-Za-z0-9._]`)
)

func (t *claudeTranscript) path(rule *regexp.Regexp) string {
	return filepath.Join(t.home, ".claude", "projects", rule.ReplaceAllString(t.cwd, "-"), t.vendorID+".jsonl")
}

func (t *claudeTranscript) load() ([]turn, error) {
	recs, err := records[claudeRecord](t.path(notAlphanumeric()))
	if err != nil {
		return nil, err
	}
	var turns []turn
	for _, r := range recs {
		if r.Subtype == "compact_boundary" {
			turns = nil
		}
		if r.UUID != "" {
			t.last = &r.UUID
		}
		if r.Message == nil {
			continue
		}
		if text := r.Message.text(); text != "" {
			turns = append(turns, turn{r.Message.Role, text})
		}
	}
	return turns, nil
}

// text is what a person would read of a message: no tool calls, no tool results.
func (m *claudeMessage) text() string {
	var plain string
	if json.Unmarshal(m.Content, &plain) == nil {
		return plain
	}
	var blocks []claudeBlock
	if json.Unmarshal(m.Content, &blocks) != nil {
		return ""
	}
	var parts []string
	for _, b := range blocks {
		if b.Type == "text" {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}

func (t *claudeTranscript) record(kind, id string, at time.Time, content any) claudeRecord {
	data, err := json.Marshal(content)
	if err != nil {
		data = []byte(`""`)
	}
	r := claudeRecord{Type: kind, UUID: id, ParentUUID: t.last, UserType: "external", SessionID: t.vendorID, CWD: t.cwd,
		Timestamp: isoTime(at), Message: &claudeMessage{Role: kind, Content: data}}
	t.last = &id
	return r
}

func (t *claudeTranscript) rebuild(items []item) (string, error) {
	items = usableItems(items)
	if len(items) == 0 {
		return "", errNothingToRebuild
	}
	t.last = nil
	var recs []any
	calls := map[string]string{} // call id → record of the call
	for _, i := range items {
		seed := "omnigent-claude-resume:" + t.conversation + ":" + t.vendorID + ":" + i.ID
		id := uuid.NewSHA1(uuid.NameSpaceURL, []byte(seed)).String()
		at := time.Unix(i.CreatedAt, 0)
		switch i.Type {
		case "message":
			recs = append(recs, t.message(i, id, at))
		case "function_call":
			recs = append(recs, t.record("assistant", id, at, []claudeBlock{
				{Type: "tool_use", ID: i.CallID, Name: i.Name, Input: json.RawMessage(i.Arguments)}}))
			calls[i.CallID] = id
		case "function_call_output":
			r := t.result(id, at, i.CallID, deref(i.Output))
			if parent, ok := calls[i.CallID]; ok {
				r.ParentUUID = &parent
			}
			recs = append(recs, r)
		case "compaction":
			t.last = nil
			boundary := t.record("system", id, at, nil)
			boundary.Message, boundary.Subtype = nil, "compact_boundary"
			boundary.CompactMetadata = &compactMetadata{Trigger: "auto", PostTokens: i.TokenCount}
			recs = []any{boundary}
		}
	}
	rule := notAlphanumeric()
	if t.bugs[bugWrongSlug] {
		rule = wrongSlugRule()
	}
	path := t.path(rule)
	return path, writeRecords(path, recs)
}

func (t *claudeTranscript) message(i item, id string, at time.Time) claudeRecord {
	if i.Role == "assistant" {
		return t.record("assistant", id, at, []claudeBlock{{Type: "text", Text: i.text()}})
	}
	return t.record("user", id, at, i.text())
}

func (t *claudeTranscript) result(id string, at time.Time, callID, output string) claudeRecord {
	r := t.record("user", id, at, []claudeBlock{{Type: "tool_result", ToolUseID: callID, Content: output}})
	r.ToolUseResult = map[string]string{"stdout": output}
	return r
}

func (t *claudeTranscript) user(_, text string) error {
	return appendRecords(t.path(notAlphanumeric()), t.record("user", uuid.NewString(), time.Now(), text))
}

func (t *claudeTranscript) assistant(_, text string) error {
	return appendRecords(t.path(notAlphanumeric()),
		t.record("assistant", uuid.NewString(), time.Now(), []claudeBlock{{Type: "text", Text: text}}))
}

func (t *claudeTranscript) tool(_ string, call toolCall, callID string) error {
	use := t.record("assistant", uuid.NewString(), time.Now(), []claudeBlock{
		{Type: "tool_use", ID: callID, Name: call.name, Input: json.RawMessage(call.arguments())}})
	return appendRecords(t.path(notAlphanumeric()), use, t.result(uuid.NewString(), time.Now(), callID, call.output))
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
