package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRemarksOutliveTheTables(t *testing.T) {
	file := filepath.Join(t.TempDir(), "b.md")
	if got := remarks(file); got != "" {
		t.Errorf("no file: %q", got)
	}
	if err := os.WriteFile(file, []byte("tables\n"+byHand+"\nslow today\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := remarks(file); got != byHand+"\nslow today\n" {
		t.Errorf("got %q", got)
	}
}
