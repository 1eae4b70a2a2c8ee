package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
)

// codexTranscript is the rollout of a thread in the codex home that belongs to the conversation alone.
type codexTranscript struct {
	transcriptWhere
	file string
	turn string // turn whose turn_context was written last
}

type codexRecord struct {
	Timestamp string         `json:"timestamp"`
	Type      string         `json:"type"`
	Payload   map[string]any `json:"payload"`
}

// conversationHash names the state folders of a conversation.
func conversationHash(conversation string) string {
	sum := sha256.Sum256([]byte(conversation))
	return hex.EncodeToString(sum[:])[:32]
}

// path is the thread's rollout: the one that exists, else a new name for now.
func (t *codexTranscript) path() string {
	if t.file != "" {
		return t.file
	}
	sessions := filepath.Join(t.home, ".omnigent", "codex-native", conversationHash(t.conversation), "codex-home", "sessions")
	t.file = findFile(sessions, "-"+t.vendorID+".jsonl")
	if t.file == "" {
		now := time.Now()
		t.file = filepath.Join(sessions, now.Format("2006/01/02"), "rollout-"+now.Format("2006-01-02T15-04-05")+"-"+t.vendorID+".jsonl")
	}
	return t.file
}

// load shows what the thread shows: only the event_msg mirrors count.
func (t *codexTranscript) load() ([]turn, error) {
	recs, err := records[codexRecord](t.path())
	if err != nil {
		return nil, err
	}
	var turns []turn
	for _, r := range recs {
		if r.Type == "compacted" {
			turns = nil
		}
		if r.Type != "event_msg" {
			continue
		}
		text, _ := r.Payload["message"].(string)
		switch r.Payload["type"] {
		case "user_message":
			turns = append(turns, turn{"user", text})
		case "agent_message":
			turns = append(turns, turn{"assistant", text})
		}
	}
	return turns, nil
}

func (t *codexTranscript) meta(at time.Time) codexRecord {
	return codexRecord{isoTime(at), "session_meta", map[string]any{"id": t.vendorID, "timestamp": isoTime(at), "cwd": t.cwd,
		"originator": "omnigent", "cli_version": "0.171.0", "model_provider": "sim"}}
}

// context opens a turn, once.
func (t *codexTranscript) context(responseID string, at time.Time) []any {
	if responseID == t.turn {
		return nil
	}
	t.turn = responseID
	id, isTurn := strings.CutPrefix(responseID, "codex_")
	if !isTurn {
		id = "turn_" + strings.ReplaceAll(uuid.NewSHA1(uuid.NameSpaceURL, []byte(responseID)).String(), "-", "")
	}
	return []any{codexRecord{isoTime(at), "turn_context", map[string]any{"turn_id": id, "cwd": t.cwd, "approval_policy": "on-request"}}}
}

// message is a message's record and its mirror, without which the thread opens empty.
func (t *codexTranscript) message(role, text string, at time.Time, mirror bool) []any {
	kind, event := "input_text", map[string]any{"type": "user_message", "message": text, "images": []string{},
		"local_images": []string{}, "text_elements": []string{}}
	if role == "assistant" {
		kind, event = "output_text", map[string]any{"type": "agent_message", "message": text, "phase": "final_answer", "memory_citation": nil}
	}
	recs := []any{codexRecord{isoTime(at), "response_item", map[string]any{"type": "message", "role": role,
		"content": []any{map[string]any{"type": kind, "text": text}}}}}
	if mirror {
		recs = append(recs, codexRecord{isoTime(at), "event_msg", event})
	}
	return recs
}

func (t *codexTranscript) rebuild(items []item) (string, error) {
	items = usableItems(items)
	if len(items) == 0 {
		return "", errNothingToRebuild
	}
	cut := map[string]bool{} // responses that were interrupted are left out whole
	for _, i := range items {
		if i.Interrupted {
			cut[i.ResponseID] = true
		}
	}
	recs := []any{t.meta(time.Unix(items[0].CreatedAt, 0))}
	for _, i := range items {
		at := time.Unix(i.CreatedAt, 0)
		if cut[i.ResponseID] {
			continue
		}
		if i.Type == "compaction" {
			recs = append(recs, codexRecord{isoTime(at), "compacted", map[string]any{"message": json.RawMessage(i.Summary)}})
			continue
		}
		recs = append(recs, t.context(i.ResponseID, at)...)
		switch i.Type {
		case "message":
			recs = append(recs, t.message(i.Role, i.text(), at, !t.bugs[bugNoEventMsg])...)
		case "function_call":
			recs = append(recs, codexRecord{isoTime(at), "response_item", map[string]any{"type": i.Type, "name": i.Name,
				"arguments": i.Arguments, "call_id": i.CallID}})
		case "function_call_output":
			recs = append(recs, codexRecord{isoTime(at), "response_item", map[string]any{"type": i.Type, "call_id": i.CallID,
				"output": deref(i.Output)}})
		}
	}
	path := t.path()
	return path, writeRecords(path, recs)
}

// begin is what precedes a record: the head of a new file, the context of a new turn.
func (t *codexTranscript) begin(responseID string, at time.Time) []any {
	var recs []any
	if _, err := os.Stat(t.path()); err != nil {
		recs = append(recs, t.meta(at))
	}
	return append(recs, t.context(responseID, at)...)
}

func (t *codexTranscript) user(responseID, text string) error {
	now := time.Now()
	return appendRecords(t.path(), append(t.begin(responseID, now), t.message("user", text, now, true)...)...)
}

func (t *codexTranscript) assistant(responseID, text string) error {
	now := time.Now()
	return appendRecords(t.path(), append(t.begin(responseID, now), t.message("assistant", text, now, true)...)...)
}

func (t *codexTranscript) tool(responseID string, call toolCall, callID string) error {
	now := time.Now()
	return appendRecords(t.path(), append(t.begin(responseID, now),
		codexRecord{isoTime(now), "response_item", map[string]any{"type": "function_call", "name": call.name,
			"arguments": call.arguments(), "call_id": callID}},
		codexRecord{isoTime(now), "response_item", map[string]any{"type": "function_call_output", "call_id": callID, "output": call.output}},
	)...)
}
