package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"omniexpect/internal/fault"
)

// find returns the session of an id in any spelling; the caller holds the lock.
func (s *server) find(id string) (*session, error) {
	if ses := s.sessions[idKey(id)]; ses != nil {
		return ses, nil
	}
	return nil, apiErr(404, "not_found", "Session not found")
}

// exact is find for what wants an id as it was given out: where the product takes another spelling to its tables, it breaks
// down. The seed era took every spelling everywhere.
func (s *server) exact(id string) (*session, error) {
	ses, err := s.find(id)
	if err == nil && id != ses.ID && s.era == eraCurrent {
		err = apiErr(500, "internal_error", "An internal error occurred.")
	}
	return ses, err
}

// add makes a session known; the caller holds the lock.
func (s *server) add(ses *session) {
	ses.events = &hub{}
	ses.verdicts = map[string]verdict{}
	key := idKey(ses.ID)
	s.sessions[key] = ses
	s.order = append(s.order, key)
}

// appendItem stores an item and returns it; the caller holds the lock. An id that is there already is not stored again.
func (s *server) appendItem(ses *session, id, responseID, itemType string, body itemBody) item {
	if id == "" {
		id = newID(s.era, itemPrefix(itemType))
	}
	for _, i := range ses.Items {
		if i.ID == id {
			return i
		}
	}
	i := item{ID: id, ResponseID: responseID, Type: itemType, Status: "completed", CreatedAt: time.Now().Unix(), itemBody: body}
	ses.Items = append(ses.Items, i)
	if itemType == "message" && body.Role == "user" {
		ses.setTitle(i.text())
	}
	ses.touch()
	s.changed()
	return i
}

// setStatus moves the session's status and tells listeners; the caller holds the lock.
func (s *server) setStatus(ses *session, status, responseID string) {
	ses.Status = status
	ses.touch()
	s.tellStatus(ses, responseID)
	if a := ses.agent; a != nil {
		a.view.publish("status", map[string]any{"status": status})
	}
	s.changed()
}

// tellStatus tells listeners a session's status; the caller holds the lock.
func (s *server) tellStatus(ses *session, responseID string) {
	ses.events.publish("session.status", map[string]any{"conversation_id": ses.ID, "status": ses.Status, "response_id": orNull(responseID),
		"error": ses.lastError, "background_task_count": nil, "background_tasks": nil, "blocked_on": nil})
}

// setExternalID records the vendor's session id, once; the caller holds the lock.
func (s *server) setExternalID(ses *session, id string) error {
	if ses.ExternalID != "" && ses.ExternalID != id {
		return apiErr(400, "invalid_input", fmt.Sprintf(
			"conversation '%s' already has external_session_id='%s'; refusing to overwrite with '%s'", ses.ID, ses.ExternalID, id))
	}
	ses.ExternalID = id
	s.changed()
	return nil
}

// changed keeps --data current; the caller holds the lock.
func (s *server) changed() {
	if s.data == "" {
		return
	}
	if err := s.write(); err != nil {
		s.log.Printf("cannot keep the sessions: %v", err)
	}
}

func (s *server) save() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.data == "" {
		return nil
	}
	return s.write()
}

func (s *server) dataFile() string { return filepath.Join(s.data, "sessions.json") }

func (s *server) write() error {
	list := []*session{}
	for _, key := range s.order {
		list = append(list, s.sessions[key])
	}
	data, err := json.MarshalIndent(list, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.data, 0o700); err != nil {
		return err
	}
	tmp := s.dataFile() + ".new"
	if err := os.WriteFile(tmp, data, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, s.dataFile())
}

// load reads what an earlier server kept. Terminals and questions did not survive it.
func (s *server) load() error {
	if s.data == "" {
		return nil
	}
	data, err := os.ReadFile(s.dataFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fault.New(fault.Env, "cannot read the kept sessions: %w", err)
	}
	var list []*session
	if err := json.Unmarshal(data, &list); err != nil {
		return fault.New(fault.Env, "cannot read %s: %w", s.dataFile(), err)
	}
	for _, ses := range list {
		ses.Status = "idle"
		s.add(ses)
	}
	return nil
}
