package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"omniexpect/internal/check"
	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/interp"
	"omniexpect/internal/run"
	"omniexpect/internal/vt"
)

// checkCommand finds mistakes in scripts without running them.
func checkCommand(args []string) int {
	set := newFlags("check")
	asJSON := set.Bool("json", false, "print findings as a JSON list, for editors")
	if code := parsed(set, args, "usage: omniexpect check [--json] FILE…\n\nFILE is a script, @scripts//NAME.star, or - for standard input. Status 0: no errors (there may be warnings); 2: errors. Flags:\n"); code >= 0 {
		return code
	}
	if set.NArg() == 0 {
		return usageError("check: no files: give a script, or - for standard input")
	}
	v := vocabulary()
	var all []check.Finding
	for _, name := range set.Args() {
		found, err := checkFile(v, name)
		if err != nil {
			complain("omniexpect: %s: %v", fault.KindOf(err), err)
			return fault.KindOf(err).ExitCode()
		}
		all = append(all, found...)
	}
	errs, out := 0, ""
	for _, f := range all {
		if !f.Warning {
			errs++
		}
		if !*asJSON {
			out += vt.Visible(f.String()) + "\n"
		}
	}
	if *asJSON {
		out = inJSON(all)
	}
	if code := printed(out); code != 0 {
		return code
	}
	if !*asJSON && len(all) > 0 {
		fmt.Fprintf(os.Stderr, "%s, %s\n", count(errs, "error"), count(len(all)-errs, "warning"))
	}
	if errs > 0 {
		return 2
	}
	return 0
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// checkFile returns the findings in a script and the errors in what it loads.
func checkFile(v *dsl.Vocabulary, name string) ([]check.Finding, error) {
	text, err := scriptText(name)
	if err != nil {
		return nil, err
	}
	library := interp.NewLibrary(run.Embedded(), interp.Predeclare(v).Keys())
	return check.Text(v, library, name, text)
}

// scriptText reads a script: a file, one of the binary, or standard input.
func scriptText(name string) (string, error) {
	if name == "-" {
		text, err := interp.ReadText(os.Stdin)
		if err != nil {
			return "", fault.New(fault.Env, "standard input: %w", err)
		}
		return string(text), nil
	}
	return interp.NewLibrary(run.Embedded(), nil).Read(name)
}

func inJSON(all []check.Finding) string {
	type finding struct {
		File     string `json:"file"`
		Line     int32  `json:"line"`
		Column   int32  `json:"column"`
		Severity string `json:"severity"`
		Rule     string `json:"rule"`
		Message  string `json:"message"`
		Hint     string `json:"hint,omitempty"`
	}
	out := []finding{}
	for _, f := range all {
		severity := "error"
		if f.Warning {
			severity = "warning"
		}
		out = append(out, finding{f.Pos.Filename(), f.Pos.Line, f.Pos.Col, severity, f.Rule, f.Msg, f.Hint})
	}
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	enc.Encode(out) // texts and numbers, into memory
	return text.String()
}
