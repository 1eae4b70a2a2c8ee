package builtins

import (
	"slices"

	"omniexpect/internal/dsl"
)

// sessionMethods declares what a session can do.
func (st *State) sessionMethods() []*dsl.Func {
	return dsl.In("sessions", slices.Concat(st.expectMethods(), st.waitMethods(), st.alwaysMethods(), st.sendMethods(), st.lifeMethods(),
		st.keyMethods(), st.passwordMethods(), st.promptMethods(), st.interactMethods(), st.explainMethods())...)
}

// topLevel are the methods that are builtins on the current session as well.
var topLevel = []string{"expect", "expect_eof", "peek", "expect_not", "expect_all", "wait_idle", "read", "readline", "always", "send", "sendline", "submit", "keys", "type_text", "paste", "send_file", "cmd", "wait_password", "send_secret", "interact", "mirror", "explain", "send_eof", "wait", "output"}

// sessionFuncs declares the methods that act on the current session.
func (st *State) sessionFuncs() []*dsl.Func {
	session := st.sessionType()
	st.declare(session, matchType(), statusType())
	var out []*dsl.Func
	for _, name := range topLevel {
		out = append(out, session.Method(name).On(st.current))
	}
	return dsl.In("current session", out...)
}
