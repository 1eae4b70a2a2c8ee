package sim

import (
	"encoding/json"
	"strings"
)

// block is one piece of a message.
type block struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	ImageURL string `json:"image_url,omitempty"`
	FileID   string `json:"file_id,omitempty"`
	Filename string `json:"filename,omitempty"`
}

// typed reports whether a block holds anything that can be given to the agent.
func (b block) typed() bool {
	return b.Type == "input_text" && b.Text != "" || b.Type == "input_image" || b.Type == "input_file"
}

// item is one row of a conversation, in the flat form of the items list; what a type does not have is omitted.
type item struct {
	ID         string `json:"id"`
	ResponseID string `json:"response_id"`
	Type       string `json:"type"`
	Status     string `json:"status"`
	CreatedAt  int64  `json:"created_at"`

	itemBody
}

// itemBody is what depends on the item's type.
type itemBody struct {
	Role            string  `json:"role,omitempty"`
	Content         []block `json:"content,omitempty"`
	Model           string  `json:"model,omitempty"`
	StreamMessageID string  `json:"stream_message_id,omitempty"`
	Interrupted     bool    `json:"interrupted,omitempty"`
	IsMeta          bool    `json:"is_meta,omitempty"`

	Name      string  `json:"name,omitempty"`
	Arguments string  `json:"arguments,omitempty"`
	CallID    string  `json:"call_id,omitempty"`
	Output    *string `json:"output,omitempty"`

	EventType    string    `json:"event_type,omitempty"`
	ResourceID   string    `json:"resource_id,omitempty"`
	ResourceType string    `json:"resource_type,omitempty"`
	Resource     *resource `json:"resource,omitempty"`

	Source  string `json:"source,omitempty"`
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
	Level   string `json:"level,omitempty"`

	Summary    json.RawMessage `json:"summary,omitempty"`
	LastItemID string          `json:"last_item_id,omitempty"`
	TokenCount int             `json:"token_count,omitempty"`
	Compacted  json.RawMessage `json:"compacted_messages,omitempty"`
}

// text joins the text blocks of a message.
func (i item) text() string {
	var parts []string
	for _, b := range i.Content {
		if b.Text != "" {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}

func userBody(text string) itemBody {
	return itemBody{Role: "user", Content: []block{{Type: "input_text", Text: text}}}
}

func assistantBody(text, model string) itemBody {
	return itemBody{Role: "assistant", Content: []block{{Type: "output_text", Text: text}}, Model: model}
}

// nestedItem is the form items have inside a session object.
type nestedItem struct {
	ID         string  `json:"id"`
	Type       string  `json:"type"`
	Status     string  `json:"status"`
	ResponseID string  `json:"response_id"`
	CreatedAt  int64   `json:"created_at"`
	Data       any     `json:"data"`
	CreatedBy  *string `json:"created_by"`
}

func nested(i item) nestedItem {
	n := nestedItem{ID: i.ID, Type: i.Type, Status: i.Status, ResponseID: i.ResponseID, CreatedAt: i.CreatedAt}
	switch i.Type {
	case "message":
		n.Data = struct {
			Role            string  `json:"role"`
			Content         []block `json:"content"`
			Model           *string `json:"model"`
			StreamMessageID *string `json:"stream_message_id"`
		}{i.Role, i.Content, orNull(i.Model), orNull(i.StreamMessageID)}
	case "resource_event":
		n.Data = struct {
			EventType    string    `json:"event_type"`
			ResourceID   string    `json:"resource_id"`
			ResourceType string    `json:"resource_type"`
			Resource     *resource `json:"resource"`
		}{i.EventType, i.ResourceID, i.ResourceType, i.Resource}
	default:
		n.Data = i.itemBody
	}
	return n
}

// orNull is JSON's null for an empty text.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
