package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version returns the version of this binary, with the revision it was built from if that is known.
func version() string {
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
	return version + revision
}

// versionCommand prints what this binary is.
func versionCommand(args []string) int {
	switch {
	case asksHelp(args):
		return printed("usage: omniexpect version\n")
	case len(args) > 0:
		return noMore("version", args)
	}
	return printed(fmt.Sprintf("omniexpect %s (%s, %s/%s)\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH))
}
