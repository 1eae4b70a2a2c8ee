package internal

import (
	"fmt"
	"strings"
	"testing"

	"go.starlark.net/starlark"

	"omniexpect/internal/check"
	"omniexpect/internal/docs"
	"omniexpect/internal/dsl"
	"omniexpect/internal/interp"
)

// dice is a value of a type that this file alone knows.
type dice struct {
	typ   *dsl.Type
	sides int
	shown int // 0 before the first throw
}

func (d *dice) String() string                           { return fmt.Sprintf("<dice of %d>", d.sides) }
func (d *dice) Type() string                             { return d.typ.Name }
func (d *dice) Freeze()                                  {}
func (d *dice) Truth() starlark.Bool                     { return true }
func (d *dice) Hash() (uint32, error)                    { return 0, fmt.Errorf("unhashable: dice") }
func (d *dice) AttrNames() []string                      { return d.typ.AttrNames() }
func (d *dice) Attr(name string) (starlark.Value, error) { return d.typ.Attr(d, name) }

// toys is a vocabulary with one type and the builtin that makes values of it.
func toys() *dsl.Vocabulary {
	typ := &dsl.Type{Name: "Die", Doc: "What dice() returns.", Fields: []dsl.Field{
		dsl.Attr("sides", "int", "how many it has", func(d *dice) starlark.Value { return starlark.MakeInt(d.sides) }),
		dsl.Attr("shown", "int or None", "what lies up", func(d *dice) starlark.Value {
			if d.shown == 0 {
				return starlark.None
			}
			return starlark.MakeInt(d.shown)
		}),
		dsl.AttrErr("odds", "float", "of each side", func(d *dice) (starlark.Value, error) {
			if d.sides == 0 {
				return nil, fmt.Errorf("odds: a dice without sides has none")
			}
			return starlark.Float(1 / float64(d.sides)), nil
		}),
	}}
	type throwArgs struct {
		Up int `star:"up" doc:"the side"`
	}
	typ.Methods = dsl.In("toys", dsl.Method("Die", "throw", "int", "Show a side.", "dice(6).throw(2)", throwArgs{},
		func(_ *dsl.Call, d *dice, a throwArgs) (starlark.Value, error) {
			d.shown = a.Up
			return starlark.MakeInt(a.Up), nil
		}))
	type diceArgs struct {
		Sides int `star:"sides" doc:"how many"`
	}
	funcs := dsl.In("toys", dsl.Define("dice", "Die", "Make a dice.", "dice(6)", diceArgs{}, func(_ *dsl.Call, a diceArgs) (starlark.Value, error) {
		return &dice{typ: typ, sides: a.Sides}, nil
	}))
	return &dsl.Vocabulary{Funcs: funcs, Types: []*dsl.Type{typ}}
}

// TestToyType adds a type with one declaration: running, checking and documentation know its fields and methods from it.
func TestToyType(t *testing.T) {
	v := toys()
	lib := interp.NewLibrary(nil, []string{"dice"})
	words := interp.Predeclare(v)
	for script, want := range map[string]string{
		"d = dice(6)\nprint(d.sides, d.shown, d.throw(4), d.shown, dir(d))": `6 None 4 4 ["odds", "shown", "sides", "throw"]`,
		"print(hasattr(dice(2), 'throw'), getattr(dice(2), 'odds'))":        "True 0.5",
		"print(dice(0).odds)": "odds: a dice without sides has none",
		"print(dice(2).side)": "no .side",
	} {
		run := interp.New(lib, words)
		var printed string
		run.Host.Print = func(s string) { printed = s }
		src, err := lib.Parse(script, script)
		if err == nil {
			err = run.Do(t.Context(), src)
		}
		if err != nil {
			printed = err.Error()
		}
		if !strings.Contains(printed, want) {
			t.Errorf("%s: got %q, want %q", script, printed, want)
		}
	}
	for script, want := range map[string]string{
		"dice(6).side":           "did you mean sides?",
		"dice(6).sides + \"x\"":  "cannot be joined",
		"dice(6).shown + \"x\"":  "", // it may be None, and then the check is not certain of it
		"dice(6).throw(\"two\")": "want a whole number",
		"dice(6).throw":          "write () after it",
	} {
		src, err := lib.Parse(script+"?", script+"\n")
		if err != nil {
			t.Fatal(err)
		}
		var found strings.Builder
		for _, f := range check.New(v, words).Source(src) {
			found.WriteString(f.String())
		}
		if got := found.String(); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("check %s: got %q, want %q", script, got, want)
		}
	}
	for name, want := range map[string]string{"Die": "shown: int or None", "Die.throw": "up: int", "throw": "Show a side."} {
		if e := docs.Find(v, name); len(e) == 0 || !strings.Contains(docs.Text(v, e[0]), want) {
			t.Errorf("docs %s: want %q", name, want)
		}
	}
}
