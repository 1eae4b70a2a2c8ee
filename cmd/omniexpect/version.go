package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// versionCommand prints what this binary is.
func versionCommand([]string) int {
	version, revision := "development", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := info.Main.Version; v != "" && v != "(devel)" {
			version = v
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = " " + s.Value[:min(12, len(s.Value))]
			}
		}
	}
	fmt.Printf("omniexpect %s%s (%s, %s/%s)\n", version, revision, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return 0
}
