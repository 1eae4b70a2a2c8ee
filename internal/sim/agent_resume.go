package sim

import "slices"

// remember decides which memory the agent starts with: none, or the transcript rebuilt from the server's items.
func (a *agent) remember() {
	s := a.srv
	s.mu.Lock()
	where := transcriptWhere{home: a.ses.Home, cwd: a.cwd, conversation: a.ses.ID, vendorID: a.ses.ExternalID, bugs: s.bugs}
	items := slices.Clone(a.ses.Items)
	s.mu.Unlock()

	a.vendorID = where.vendorID
	if a.resumed {
		a.file = newTranscript(a.harness, where)
		if a.resume(items) {
			s.mu.Lock()
			a.said = slices.Clone(a.history)
			s.mu.Unlock()
			return
		}
	}
	a.vendorID = newVendorID(a.harness)
	where.vendorID = a.vendorID
	a.file = newTranscript(a.harness, where)
}

// resume rebuilds and loads the transcript. False means that the vendor starts a new session, which is silent but for the
// log: the fault that the resume check is there to find.
func (a *agent) resume(items []item) bool {
	s := a.srv
	if s.seeded(bugRebuildRaises) {
		s.log.Printf("the rebuild failed; starting fresh")
		return false
	}
	if s.bugs[bugRebuildSkipped] {
		s.seeded(bugRebuildSkipped)
	} else if !a.rebuild(items) {
		return false
	}
	history, err := a.file.load()
	if err != nil {
		s.log.Printf("no transcript to resume from (%v); starting fresh", err)
		return false
	}
	if s.seeded(bugResumeEmpty) {
		return false
	}
	a.history = history
	s.log.Printf("resumed %s with %d turns", a.vendorID, len(history))
	return true
}

func (a *agent) rebuild(items []item) bool {
	s := a.srv
	if s.bugs[bugWrongSlug] && a.harness == harnessClaude {
		s.seeded(bugWrongSlug)
	}
	if s.bugs[bugNoEventMsg] && a.harness == harnessCodex {
		s.seeded(bugNoEventMsg)
	}
	path, err := a.file.rebuild(items)
	if err != nil {
		s.log.Printf("no transcript rebuilt (%v); starting fresh", err)
		return false
	}
	s.log.Printf("rebuilt the transcript from %s: %s", describeItems(len(items)), path)
	return true
}
