package proc

// since is for systems that give process ids away in order: macOS does not.
func since(int, uint64) ([]entry, bool) { return nil, false }
