package main

import (
	"strings"
	"testing"
)

// Flags that would have no effect beside others are refused before anything is measured.
func TestFlagsThatDoNotGoTogether(t *testing.T) {
	base := config{repeat: 3, cap: 30, scale: 1}
	for want, change := range map[string]func(*config){
		"-record belongs to":  func(c *config) { c.record = true },
		"is for -record":      func(c *config) { c.guard, c.against = "g.json", "HEAD" },
		"-guard has its own":  func(c *config) { c.guard, c.workloads = "g.json", "bulk" },
		"-guard has its own ": func(c *config) { c.guard, c.scale = "g.json", 2 },
		"-against has its":    func(c *config) { c.against, c.tools = "HEAD", "raw" },
	} {
		c := base
		change(&c)
		if err := run(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	for _, c := range []config{base, {guard: "g.json", repeat: 1, cap: 1, scale: 1}, {against: "HEAD", workloads: "bulk", repeat: 1, cap: 1, scale: 2},
		{guard: "g.json", against: "HEAD", record: true, repeat: 1, cap: 1, scale: 1}} {
		if err := c.alone(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
