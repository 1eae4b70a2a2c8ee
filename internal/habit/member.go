package habit

import "strings"

// Module is what to write for a function that a module has elsewhere.
func Module(module, name string) string { return look("module", module+"."+name) }

// Member is what to write for an attribute of a value of some type.
func Member(kind, name string) string {
	if kind == "Session" {
		return look("session", name)
	}
	return look("member", kind+"."+name)
}

// Call is what to say about a call of an attribute, or about an argument by name, that is something else here, and what to
// write instead; "" if there is nothing to say.
func Call(of, name string) (said, hint string) {
	said, hint, _ = strings.Cut(look("call", of+"."+name), "| ")
	return strings.TrimSpace(said), hint
}

// Method is what to write for a method that only sessions of other tools have, whatever it is called on; "" for all others.
func Method(name string) string {
	switch name {
	case "sendintr", "sendcontrol", "sendeof", "setecho", "getecho", "waitnoecho", "isalive", "expect_exact", "expect_list", "setwinsize", "getwinsize",
		"read_nonblocking", "set_unique_prompt", "sync_original_prompt", "run_command":
		return look("session", name)
	}
	return ""
}
