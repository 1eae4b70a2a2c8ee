// Package builtins is the vocabulary of scripts: one file a topic, each builtin one declaration.
//
// A State holds what one run has: sessions, secrets, parameters, where progress goes. Vocabulary declares all builtins as
// methods of that State; documentation and checks call it with a State that runs nothing. Adding a builtin touches its
// topic file and its tests, nothing else: a topic file ends in the function that lists its builtins, and the list of
// topics is below.
//
// The foundation is state.go, session.go, values.go, waiting.go (a wait for patterns), watchers.go (patterns that are served
// meanwhile), failure.go and deadline.go. Topic files build on it, and this file and methods.go on them: calls between the
// files run one way, which a test in package internal counts. What knows no Starlark is a package of its own: keys, shell,
// explain, usertty, echo and others.
package builtins

import (
	"omniexpect/internal/clock"
	"omniexpect/internal/dsl"
)

// Vocabulary declares all builtins.
func (st *State) Vocabulary() *dsl.Vocabulary {
	if st.vocab != nil {
		return st.vocab
	}
	st.Clock = clock.Or(st.Clock)
	st.began = st.Clock.Now()
	v := &dsl.Vocabulary{}
	st.vocab, st.types = v, map[string]*dsl.Type{}
	for _, topic := range [][]*dsl.Func{
		st.spawnFuncs(), st.sessionFuncs(), st.patternFuncs(), st.controlFuncs(), st.paramFuncs(), st.secretFuncs(),
		st.assertFuncs(), st.httpFuncs(), st.clientFuncs(), st.checkFuncs(), st.serveFuncs(), st.streamFuncs(), st.socketFuncs(),
		st.pollFuncs(), st.httpPollFuncs(), st.omnigentFuncs(), st.transcriptFuncs(), st.runFuncs(),
		st.parallelFuncs(), st.sweepFuncs(), st.fsFuncs(), st.treeFuncs(), st.shellFuncs(), st.reFuncs(), st.textFuncs(), st.encodingFuncs(),
		st.yamlFuncs(), st.csvFuncs(), st.urlFuncs(), st.sqliteFuncs(), st.randomFuncs(), st.pauseFuncs(), st.askUserFuncs(), st.helpFuncs(),
	} {
		v.Funcs = append(v.Funcs, topic...)
	}
	v.Consts = st.consts()
	return v
}
