package sim

import (
	"net/http"
	"os"
)

// part is a handler of something that hangs on a session.
func (s *server) part(answer func(ses *session) (any, error)) route {
	return func(r *http.Request) (int, any, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		ses, err := s.find(r.PathValue("id"))
		if err != nil {
			return 0, nil, err
		}
		body, err := answer(ses)
		return 200, body, err
	}
}

func (s *server) owner() route {
	return s.part(func(*session) (any, error) { return map[string]any{"owner": "local"}, nil })
}

func (s *server) permissions() route {
	return s.part(func(ses *session) (any, error) {
		return map[string]any{"next_cursor": nil, "permissions": []any{
			map[string]any{"user_id": "local", "conversation_id": ses.ID, "level": 4}}}, nil
	})
}

// comments is a bare list on the product too.
func (s *server) comments() route {
	return s.part(func(*session) (any, error) { return []any{}, nil })
}

func (s *server) labels() route {
	return s.part(func(ses *session) (any, error) {
		return map[string]any{"id": ses.ID, "labels": copyLabels(ses.Labels)}, nil
	})
}

// resourcesOf lists the resources of one type, of a session that has a runner.
func (s *server) resourcesOf(kind string) route {
	return func(r *http.Request) (int, any, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		ses, err := s.bound(r)
		if err != nil {
			return 0, nil, err
		}
		page := s.listed(ses, kind)
		for i := range page.Data {
			if page.Data[i].ID == "default" { // of which this list tells less than the list of all
				page.Data[i].Metadata = map[string]any{"environment_type": "caller_process", "role": "primary"}
			}
		}
		return 200, page, nil
	}
}

// listed is a session's list of resources, all or those of one type; the caller holds the lock.
func (s *server) listed(ses *session, kind string) listPage[resource] {
	var rows []resource
	for _, res := range ses.resources() {
		if kind != "" && kind != res.Type {
			continue
		}
		if res.ID != "default" && s.seeded(bugTerminalNeverReady) {
			continue
		}
		rows = append(rows, res)
	}
	return wholePage(rows, func(res resource) string { return res.ID })
}

// fileRow is an entry of a directory.
type fileRow struct {
	ID         string `json:"id"`
	Object     string `json:"object"`
	Name       string `json:"name"`
	Path       string `json:"path"`
	Type       string `json:"type"`
	Bytes      *int64 `json:"bytes"`
	ModifiedAt int64  `json:"modified_at"`
}

// workingDirectory lists the files of the directory that the agent works in.
func (s *server) workingDirectory(r *http.Request) (int, any, error) {
	s.mu.Lock()
	ses, err := s.bound(r)
	if err != nil {
		s.mu.Unlock()
		return 0, nil, err
	}
	base := ses.Workspace
	s.mu.Unlock()
	if r.PathValue("env") != "default" {
		return 0, nil, apiErr(404, "not_found", "Environment '"+r.PathValue("env")+"' not found")
	}
	entries, err := os.ReadDir(base)
	if err != nil {
		return 0, nil, apiErr(404, "not_found", "the working directory cannot be read")
	}
	var rows []fileRow
	for _, e := range entries {
		row := fileRow{ID: e.Name(), Object: "session.environment.filesystem.entry", Name: e.Name(), Path: e.Name(), Type: "file"}
		info, err := e.Info()
		if err != nil {
			continue // it has just gone
		}
		row.ModifiedAt = info.ModTime().Unix()
		if e.IsDir() {
			row.Type = "directory"
		} else {
			row.Bytes = new(info.Size())
		}
		rows = append(rows, row)
	}
	p := wholePage(rows, func(f fileRow) string { return f.Path })
	return 200, struct {
		listPage[fileRow]
		Base string `json:"base"`
	}{p, base}, nil
}
