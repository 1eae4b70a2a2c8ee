package builtins

import (
	"omniexpect/internal/fault"
	"omniexpect/internal/match"
)

// The names of a session's two outputs. Each has a position of its own; on a terminal there is only one.
const (
	stdout = "stdout"
	stderr = "stderr"
)

// streamOf returns the output that a wait reads.
func (s *Session) streamOf(who, stream string) (*match.Stream, error) {
	switch {
	case stream == "" || stream == stdout:
		return s.Out, nil
	case stream != stderr:
		return nil, fault.New(fault.Usage, "%s: stream=%q: want \"stdout\" or \"stderr\"", who, stream)
	case s.Err == nil:
		return nil, s.mixed(who)
	}
	return s.Err, nil
}

// mixed is the error of asking a terminal for standard error alone.
func (s *Session) mixed(who string) error {
	return fault.New(fault.Usage, "%s: %s has a terminal, which mixes both outputs; spawn with pty=False to separate them", who, s.Name)
}

// other returns the output that a wait does not read, and its name; nil on a terminal.
func (s *Session) other(out *match.Stream) (*match.Stream, string) {
	if s.Err != nil && out == s.Err {
		return s.Out, "standard output"
	}
	return s.Err, "standard error"
}
