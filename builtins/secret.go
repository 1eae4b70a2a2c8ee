package builtins

import (
	"fmt"
	"os"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/mask"
)

// secretValue is a text that no output shows. Its text form is a placeholder, which sending, HTTP and environments
// resolve.
type secretValue struct{ placeholder string }

func (s secretValue) String() string        { return s.placeholder }
func (s secretValue) Type() string          { return "secret" }
func (s secretValue) Freeze()               {}
func (s secretValue) Truth() starlark.Bool  { return true }
func (s secretValue) Hash() (uint32, error) { return starlark.String(s.placeholder).Hash() }

// Binary lets a secret be joined to texts.
func (s secretValue) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	var other string
	switch y := y.(type) {
	case starlark.String:
		other = string(y)
	case secretValue:
		other = y.placeholder
	default:
		return nil, nil
	}
	if op != syntax.PLUS {
		return nil, nil
	}
	if side == starlark.Left {
		return starlark.String(s.placeholder + other), nil
	}
	return starlark.String(other + s.placeholder), nil
}

type secretArgs struct {
	Value string `star:"value" doc:"the text to hide"`
}

func (st *State) secret(_ *dsl.Call, a secretArgs) (starlark.Value, error) {
	if a.Value == "" {
		return nil, fault.New(fault.Usage, "secret: the value is empty; is a variable of the environment not set?")
	}
	return secretValue{st.hideValue(a.Value)}, nil
}

// hideValue makes a text a secret and returns its placeholder. A promise that does not hold is said, once a run.
func (st *State) hideValue(value string) (placeholder string) {
	if !mask.Hides(st.Mask.Resolve(value)) && !st.shortSaid {
		st.shortSaid = true
		st.note(fmt.Sprintf("a secret with fewer than %d characters is hidden only where the script itself writes it: what a program or a "+
			"server shows of it is seen, since *** in its place would hide half of every text", mask.MinValue))
	}
	return st.Mask.Add(value)
}

type envArgs struct {
	Name    string         `star:"name" doc:"the variable"`
	Default starlark.Value `star:"default?" doc:"what to return if it is not set"`
}

func (st *State) env(_ *dsl.Call, a envArgs) (starlark.Value, error) {
	if v, ok := os.LookupEnv(a.Name); ok {
		return starlark.String(v), nil
	}
	if a.Default == nil {
		return nil, fault.New(fault.Env, "env: %s is not set; give a default other than None to do without", a.Name)
	}
	return a.Default, nil
}

func (st *State) secretFuncs() []*dsl.Func {
	return dsl.In("values",
		dsl.Define("secret", "secret", `A text that no output, log or error shows, if it has at least 4 characters. A shorter one is hidden only where the script itself writes it, and a note says so. It can be sent, formatted into other texts, and given to HTTP calls and to env; everything printed has *** instead. A text formatted with it contains a placeholder: len() counts the placeholder, and what a slice or a split leaves of it is shown as ***.`,
			`s = spawn("cat", echo = False)
s.sendline(secret("s3cr3t"))
s.expect("s3cr3t")`, secretArgs{}, st.secret).As(dsl.Conceals),
		dsl.Define("env", "str", `The value of an environment variable.`,
			`assert.eq(env("NO_SUCH_VARIABLE", "none"), "none")`, envArgs{}, st.env),
	)
}
