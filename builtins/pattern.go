package builtins

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/match"
)

// pattern is a pattern as a Starlark value: exact(…), glob(…), EOF and the like.
type pattern struct{ match.Pattern }

// AsPattern is for the check, which judges patterns that are written out.
func (p pattern) AsPattern() match.Pattern { return p.Pattern }

func (p pattern) Type() string          { return "pattern" }
func (p pattern) Freeze()               {}
func (p pattern) Truth() starlark.Bool  { return true }
func (p pattern) Hash() (uint32, error) { return starlark.String(p.String()).Hash() }

// continueValue is CONTINUE.
type continueValue struct{}

func (continueValue) String() string        { return "CONTINUE" }
func (continueValue) Type() string          { return "CONTINUE" }
func (continueValue) Freeze()               {}
func (continueValue) Truth() starlark.Bool  { return true }
func (continueValue) Hash() (uint32, error) { return 7, nil }

// Patterns is a parameter that takes a pattern, a list of them, or a dict from patterns to actions.
type Patterns struct {
	list    []match.Pattern
	actions []starlark.Value // nil unless a dict was given
}

// StarType names the type in the reference.
func (Patterns) StarType() string { return "pattern" }

// StarDefault is never shown: patterns are required.
func (Patterns) StarDefault() string { return "None" }

// Unpack makes Patterns a type of parameters.
func (p *Patterns) Unpack(v starlark.Value) error {
	switch v := v.(type) {
	case *starlark.Dict:
		for _, kv := range v.Items() {
			one, err := onePattern(kv[0])
			if err != nil {
				return err
			}
			if err := actionable(one, kv[1]); err != nil {
				return err
			}
			p.list = append(p.list, one)
			p.actions = append(p.actions, kv[1])
		}
	case *starlark.List, starlark.Tuple:
		it := v.(starlark.Iterable).Iterate()
		defer it.Done()
		for i := 0; it.Next(&v); i++ {
			one, err := onePattern(v)
			if err != nil {
				return fmt.Errorf("pattern %d of the list: %w", i, err)
			}
			p.list = append(p.list, one)
		}
	default:
		one, err := onePattern(v)
		p.list = []match.Pattern{one}
		return err
	}
	if len(p.list) == 0 {
		return fmt.Errorf("no patterns: nothing to wait for")
	}
	return nil
}

// actionable returns an error for what is not an action, before there is a match to find it out.
func actionable(p match.Pattern, action starlark.Value) error {
	switch a := action.(type) {
	case starlark.NoneType, continueValue, starlark.String, starlark.Bytes, secretValue:
		return nil
	case *starlark.List, starlark.Tuple:
		for i := range a.(starlark.Indexable).Len() {
			if err := actionable(p, a.(starlark.Indexable).Index(i)); err != nil {
				return err
			}
		}
		return nil
	case starlark.Callable:
		return nil
	}
	return fmt.Errorf("the action for %s is %s, want a text to send, a function, CONTINUE, None, or a list of them", p, action.Type())
}

// looksOnly returns an error where a dict was given to a wait that does nothing but look.
func (p *Patterns) looksOnly(who, why string) error {
	if p.actions == nil {
		return nil
	}
	return fault.New(fault.Usage, "%s: got a dict, want a pattern or a list: %s", who, why)
}

// without returns an error for a pattern of a kind that can never come, or always does, in this wait.
func (p *Patterns) without(who, why string, kinds ...match.Kind) error {
	for _, one := range p.list {
		if slices.Contains(kinds, one.Kind) {
			return fault.New(fault.Usage, "%s: got %s: %s", who, one, why)
		}
	}
	return nil
}

func onePattern(v starlark.Value) (match.Pattern, error) {
	switch v := v.(type) {
	case starlark.String:
		return match.Pattern{Source: string(v)}, nil
	case starlark.Bytes:
		return match.Pattern{Kind: match.Bytes, Source: string(v)}, nil
	case pattern:
		return v.Pattern, nil
	}
	return match.Pattern{}, fmt.Errorf("got %s, want a regular expression (text), exact(…), glob(…), bytes, EOF, TIMEOUT or FULL",
		v.Type())
}

// maxNames is how many of a list of patterns a message shows.
const maxNames = 10

// patternName writes a pattern as a message shows it, secrets masked before its middle is left out.
func (st *State) patternName(p match.Pattern) string { return match.Shorten(st.Mask.Mask(p.String())) }

// patternNames writes patterns as a message shows them.
func (st *State) patternNames(list []match.Pattern) string {
	var names []string
	for i, p := range list {
		if i == maxNames-1 && len(list) > maxNames {
			names = append(names, fmt.Sprintf("one of %d more", len(list)-i))
			break
		}
		names = append(names, st.patternName(p))
	}
	return strings.Join(names, " or ")
}

// appendKey appends a text that is the same for the same patterns only.
func appendKey(b []byte, list []match.Pattern) []byte {
	for _, p := range list {
		flags := byte('0')
		if p.IgnoreCase {
			flags |= 1
		}
		b = append(b, byte(p.Kind), flags)
		b = strconv.AppendInt(b, int64(len(p.Source)), 10)
		b = append(b, ':')
		b = append(b, p.Source...)
	}
	return b
}

// compile prepares patterns, and says what to write where one is wrong.
func (st *State) compile(who string, list []match.Pattern, raw bool) (*match.Set, error) {
	set, err := match.Compile(list, raw)
	if err == nil {
		return set, nil
	}
	bad, ok := errors.AsType[*match.BadPattern](err)
	if !ok {
		return nil, fault.New(fault.Usage, "%s%w", who, err)
	}
	e := fault.New(fault.Usage, "%spattern %s: %s", who, st.patternName(bad.Pattern), match.Shorten(st.Mask.Mask(bad.Why)))
	if hint := match.Advice(bad.Pattern.Source, bad.Why); hint != "" && bad.Pattern.Kind == match.Regexp {
		e.Hints = []string{hint}
	}
	return nil, e
}

// compile prepares patterns for an output of a session, once for each list.
func (s *Session) compile(list []match.Pattern, raw bool, stream string) (*match.Set, error) {
	var room [128]byte
	key := room[:0]
	if stream == stderr { // two outputs can be waited for at the same time
		key = append(key, stderr...)
	}
	if raw {
		key = append(key, 'r')
	}
	key = appendKey(key, list)
	if set := s.sets[string(key)]; set != nil {
		return set, nil
	}
	set, err := s.st.compile("", list, raw)
	if err != nil {
		return nil, err
	}
	if len(s.sets) > 128 {
		clear(s.sets)
	}
	s.sets[string(key)] = set
	return set, nil
}

type exactArgs struct {
	Text       starlark.Value `star:"text" type:"str or bytes" doc:"the text to find; bytes are searched for in the raw view"`
	IgnoreCase bool           `star:"ignore_case?" doc:"treat upper and lower case as equal"`
}

func (st *State) exact(_ *dsl.Call, a exactArgs) (starlark.Value, error) {
	switch v := a.Text.(type) {
	case starlark.String:
		return pattern{match.Pattern{Kind: match.Exact, Source: string(v), IgnoreCase: a.IgnoreCase}}, nil
	case starlark.Bytes:
		return pattern{match.Pattern{Kind: match.Bytes, Source: string(v), IgnoreCase: a.IgnoreCase}}, nil
	}
	return nil, fault.New(fault.Usage, "exact: got %s, want text or bytes", a.Text.Type())
}

type globArgs struct {
	Text       string `star:"text" doc:"* is any text within a line, ? is one character, [a-z] is a class"`
	IgnoreCase bool   `star:"ignore_case?" doc:"treat upper and lower case as equal"`
}

func (st *State) glob(_ *dsl.Call, a globArgs) (starlark.Value, error) {
	return pattern{match.Pattern{Kind: match.Glob, Source: a.Text, IgnoreCase: a.IgnoreCase}}, nil
}

type regexArgs struct {
	Expr       string `star:"expr" type:"regexp" doc:"a regular expression in RE2 syntax"`
	IgnoreCase bool   `star:"ignore_case?" doc:"treat upper and lower case as equal"`
}

func (st *State) regex(_ *dsl.Call, a regexArgs) (starlark.Value, error) {
	return pattern{match.Pattern{Source: a.Expr, IgnoreCase: a.IgnoreCase}}, nil
}

func (st *State) patternFuncs() []*dsl.Func {
	return dsl.In("patterns",
		dsl.Define("exact", "pattern", `A pattern that is plain text, with no special characters. Bytes are searched for in the raw view.`,
			`s = spawn("echo 1+1=2")
s.expect(exact("1+1=2"))`, exactArgs{}, st.exact).As(dsl.Pure),
		dsl.Define("glob", "pattern", `A pattern with shell wildcards. It matches within a line, and as little as it can.`,
			`s = spawn("echo hello world")
s.expect(glob("h*o w????"))`, globArgs{}, st.glob).As(dsl.Pure),
		dsl.Define("regex", "pattern", `A regular expression as a value, for ignore_case=. A plain text is a regular expression already.`,
			`s = spawn("echo Hello")
s.expect(regex("hello", ignore_case = True))`, regexArgs{}, st.regex).As(dsl.Pure),
	)
}

func (st *State) consts() []dsl.Const {
	return []dsl.Const{
		{Name: "EOF", Value: pattern{match.Pattern{Kind: match.EOF}}, Doc: "Pattern: the program has ended and all its output is read."},
		{Name: "TIMEOUT", Value: pattern{match.Pattern{Kind: match.Timeout}}, Doc: "Pattern: the deadline, or the idle clock, has run out; as an outcome instead of an error."},
		{Name: "FULL", Value: pattern{match.Pattern{Kind: match.Full}}, Doc: "Pattern: the unread output has reached its bound."},
		{Name: "CONTINUE", Value: continueValue{}, Doc: "In an action of expect: go on waiting, within the same deadline."},
		{Name: "ARGS", Value: st.args(), Doc: "The script's arguments that are no --parameters.", Roles: dsl.Arguments},
	}
}

func stringList(list []string) *starlark.List {
	vals := make([]starlark.Value, len(list))
	for i, s := range list {
		vals[i] = starlark.String(s)
	}
	return starlark.NewList(vals)
}
