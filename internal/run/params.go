package run

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/interp"
	"omniexpect/internal/vt"
)

// Params reads the script's own command line before the script runs. If it asks for help, that is returned, and nothing is
// to be run.
func (r *Run) Params(src *interp.Source, args []string) (help string, err error) {
	declared, err := r.Library.Params(src, r.with(dsl.Declares))
	if err != nil {
		return "", err
	}
	given, rest, asked, err := interp.ParseFlags(declared, args, r.Args || slices.ContainsFunc(append(r.with(dsl.Arguments), r.with(dsl.Prompts)...), src.Names))
	if asked && err == nil {
		return vt.Visible(r.State.Mask.Mask(scriptHelp(src, declared))), nil
	}
	r.State.Params = given
	r.State.SetArgs(rest)
	for _, p := range declared {
		if value := given[p.Name]; p.Secret && value != "" {
			r.State.Mask.Add(value) // messages about other parameters show what they got
		}
	}
	if err == nil && len(rest) > 0 && !slices.ContainsFunc(r.with(dsl.Arguments), src.Names) {
		err = interp.Unread(declared, src.Name, rest)
	}
	if err != nil {
		return "", err
	}
	return "", checkParams(declared, given)
}

// with returns the names that have a role. A script for which the vocabulary was not made has none of them.
func (r *Run) with(role dsl.Role) []string {
	if !r.asked {
		return nil
	}
	return r.Vocabulary().With(role)
}

// checkParams finds what is missing or wrong on the command line before the script runs.
func checkParams(declared []interp.Param, given map[string]string) error {
	for _, p := range declared {
		text, ok := given[p.Name]
		if !ok {
			if p.Required {
				return fault.New(fault.Usage, "%s is required: %s", p.Flag(), cmp.Or(p.Help, "the script cannot do without"))
			}
			continue
		}
		if _, err := p.Value(text); err != nil {
			return err
		}
	}
	return nil
}

// scriptHelp describes what a script is for and what its parameters are.
func scriptHelp(src *interp.Source, params []interp.Param) string {
	var w strings.Builder
	fmt.Fprintf(&w, "usage: omniexpect run %s [--param value …]\n", src.Name)
	if doc := src.Doc(); doc != "" {
		fmt.Fprintf(&w, "\n%s\n", doc)
	}
	if len(params) > 0 {
		fmt.Fprint(&w, "\nparameters:\n")
	}
	for _, p := range params {
		flag := p.Flag()
		if p.Type != "bool" {
			flag += " <" + p.Type + ">"
		}
		if notes := p.Notes(); len(notes) > 0 {
			p.Help += " (" + strings.Join(notes, "; ") + ")"
		}
		fmt.Fprintf(&w, "  %-26s %s\n", flag, strings.TrimSpace(p.Help))
	}
	return w.String()
}
