package sim

import (
	"fmt"
	"net/http"
	"time"
)

// heartbeat is how often a silent stream shows that it lives.
const heartbeat = 15 * time.Second

// frame writes one server-sent event.
func frame(w http.ResponseWriter, kind string, data []byte) error {
	_, err := fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, data)
	w.(http.Flusher).Flush()
	return err
}

// stream sends what happens in a session from now on: there is no replay.
func (s *server) stream(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	ses, err := s.find(r.PathValue("id"))
	if err != nil {
		s.mu.Unlock()
		writeError(w, err)
		return
	}
	events, cancel := ses.events.subscribe()
	defer cancel()
	t, id := ses.terminal(), ses.ID
	s.mu.Unlock()

	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(200)
	beat := []byte(`{"sequence_number":null,"type":"session.heartbeat","server_time":null}`)
	if frame(w, "session.heartbeat", beat) != nil {
		return
	}
	first := []event{}
	if t != nil {
		first = append(first, newEvent("session.resource.created", map[string]any{"resource": t}))
	}
	first = append(first, newEvent("session.changed_files.invalidated", map[string]any{"session_id": id, "environment_id": "default"}),
		newEvent("session.presence", map[string]any{"conversation_id": id, "viewers": []any{map[string]any{"user_id": "local", "idle": false}}}))
	for _, e := range first {
		if frame(w, e.Type, e.JSON) != nil {
			return
		}
	}
	ticker := time.NewTicker(heartbeat)
	defer ticker.Stop()
	for {
		select {
		case e, ok := <-events:
			if !ok {
				fmt.Fprint(w, "data: [DONE]\n\n")
				return
			}
			err = frame(w, e.Type, e.JSON)
		case <-ticker.C:
			err = frame(w, "session.heartbeat", beat)
		case <-r.Context().Done():
			return
		}
		if err != nil {
			return
		}
	}
}
