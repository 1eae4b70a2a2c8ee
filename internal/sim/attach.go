package sim

import (
	"encoding/json"
	"net/http"
)

// attachFrame is one line of the attachment, server to command line. The first is "hello" with all that was said.
type attachFrame struct {
	Type string `json:"type"` // hello, turn, status, question, answered, exit

	Turns    []turn `json:"turns,omitempty"`
	Role     string `json:"role,omitempty"`
	Text     string `json:"text,omitempty"`
	Status   any    `json:"status,omitempty"` // a session status, or exit's code
	Message  string `json:"message,omitempty"`
	Preview  string `json:"preview,omitempty"`
	VendorID string `json:"vendor_id,omitempty"`

	ElicitationID string `json:"elicitation_id,omitempty"`
}

// attachKeys is what the command line sends: a message typed by hand, an answer, an interrupt, or the end.
type attachKeys struct {
	Type   string `json:"type"` // message, answer, interrupt, quit
	Text   string `json:"text,omitempty"`
	Action string `json:"action,omitempty"`
}

// attach shows a terminal, as lines of JSON, until it ends or the client goes; the agent does not mind either.
func (s *server) attach(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	ses, _, err := s.running(r)
	if err != nil {
		s.mu.Unlock()
		writeError(w, err)
		return
	}
	events, cancel := ses.agent.view.subscribe()
	defer cancel()
	select {
	case <-ses.agent.attached:
	default:
		close(ses.agent.attached)
	}
	hello := attachFrame{Type: "hello", Turns: append([]turn{}, ses.agent.said...), Status: ses.Status}
	var open *question
	if len(ses.questions) > 0 {
		open = ses.questions[0]
	}
	s.mu.Unlock()

	w.Header().Set("Content-Type", "application/x-ndjson")
	out := json.NewEncoder(w)
	if out.Encode(hello) != nil {
		return
	}
	if open != nil {
		out.Encode(attachFrame{Type: "question", ElicitationID: open.id, Message: open.params.Message, Preview: open.params.ContentPreview})
	}
	for {
		w.(http.Flusher).Flush()
		select {
		case e, ok := <-events:
			if !ok {
				return
			}
			if _, err := w.Write(append(e.JSON, '\n')); err != nil {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}

func (s *server) attachInput(r *http.Request) (int, any, error) {
	var keys attachKeys
	if err := readJSON(r, &keys); err != nil {
		return 0, nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ses, _, err := s.running(r)
	if err != nil {
		return 0, nil, err
	}
	a := ses.agent
	switch keys.Type {
	case "message":
		a.deliver(input{text: keys.Text})
	case "interrupt":
		if a.interrupt != nil {
			a.interrupt()
		}
	case "answer":
		if len(ses.questions) > 0 && isVerdict(keys.Action) {
			s.resolve(ses, ses.questions[0].id, keys.Action)
		}
	case "quit":
		a.stop()
	default:
		err = apiErr(400, "invalid_input", "unknown keys '"+keys.Type+"'")
	}
	return 202, map[string]any{}, err
}
