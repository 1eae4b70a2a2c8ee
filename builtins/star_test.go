package builtins_test

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"omniexpect/builtins"
	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/interp"
	"omniexpect/internal/mask"
	"omniexpect/internal/proc"
	"omniexpect/internal/report"
	"omniexpect/internal/testhome"
	"omniexpect/internal/testneed"
	"omniexpect/lib"
)

func TestMain(m *testing.M) {
	if os.Getenv(pongEnv) != "" {
		pong(os.Stdin, os.Stdout)
		return
	}
	// What is ignored here, as under nohup, the programs that tests start would ignore as well.
	proc.CatchIgnored()
	goleak.VerifyTestMain(inHome{m})
}

// inHome runs the tests in a home of canaries.
type inHome struct{ m *testing.M }

// Run makes inHome what goleak runs.
func (t inHome) Run() int { return testhome.Run(t.m.Run) }

// outcome is what a run came to.
type outcome struct {
	err    error
	out    string // what it printed
	report string // what its user reads about the failure, notes and session output
	lines  []int  // the lines of the script that the failure names
}

// rig is a run before it begins.
type rig struct {
	*builtins.State
	report *report.Reporter
	run    *interp.Run
}

// execute runs a text as omniexpect does, and checks that no process is left.
func execute(t *testing.T, ctx context.Context, name, text string, opts ...func(rig)) outcome {
	t.Helper()
	var id [12]byte
	rand.Read(id[:])
	masker := mask.New()
	var out, errs lockedBuilder
	rep := report.New(&out, &errs)
	rep.Mask = masker.Mask
	rep.MaskTo = func(w io.Writer) io.Writer { return masker.Writer(w) }
	st := &builtins.State{Marker: hex.EncodeToString(id[:]), Mask: masker, Note: rep.Note}
	predeclared := interp.Predeclare(st.Vocabulary())
	var names []string
	for n := range predeclared {
		names = append(names, n)
	}
	library := interp.NewLibrary(map[string]fs.FS{"@lib": lib.Files}, names)
	rep.Source = library.Text
	r := interp.New(library, predeclared)
	r.Host.Print = func(text string) { rep.Print(text) }
	r.Report = rep.Fail
	r.Closers = append(r.Closers, st.Close)
	for _, o := range opts {
		o(rig{st, rep, r})
	}
	var o outcome
	src, err := library.Parse(name, text)
	if err == nil {
		err = r.Do(ctx, src)
	}
	o.err = err
	var exit *dsl.Exit
	if err != nil && !errors.As(err, &exit) {
		rep.Fail(err)
	}
	o.out, o.report = out.String(), errs.String()
	o.lines = linesOf(err, name)
	if left := proc.Marked(st.Marker); len(left) > 0 {
		t.Errorf("%s: left running: %s", name, proc.Names(left))
	}
	return o
}

// lockedBuilder is a text that several goroutines write.
type lockedBuilder struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuilder) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuilder) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// linesOf returns the lines of a file that an error names.
func linesOf(err error, file string) (lines []int) {
	var d *interp.Deferred
	if errors.As(err, &d) && d.Call.Pos.Filename() == file {
		lines = append(lines, int(d.Call.Pos.Line))
	}
	var several interp.Several
	if errors.As(err, &several) {
		for _, e := range several {
			lines = append(lines, linesOf(e, file)...)
		}
		return lines
	}
	var located *interp.Located
	if errors.As(err, &located) && located.Pos.Filename() == file {
		lines = append(lines, int(located.Pos.Line))
	}
	for _, f := range interp.Chain(err) {
		if f.Pos.Filename() == file {
			lines = append(lines, int(f.Pos.Line))
		}
	}
	return lines
}

// chunk is one script of a file of scripts.
type chunk struct {
	line int // where it begins
	text string
	want string // what its failure has to match
	at   int    // where it has to fail; 0 if it has to pass
}

var marker = regexp.MustCompile("###\\s*(\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`)\\s*$")

// chunks splits a file at its lines of three hyphens. The text keeps the line numbers of the file.
func chunks(t *testing.T, text string) (out []chunk) {
	t.Helper()
	c := chunk{line: 1}
	lines := strings.Split(text, "\n")
	for i, line := range append(lines, "---") {
		if strings.TrimRight(line, " ") == "---" {
			if strings.TrimSpace(c.text) != "" {
				c.text = strings.Repeat("\n", c.line-1) + c.text
				out = append(out, c)
			}
			c = chunk{line: i + 2}
			continue
		}
		if m := marker.FindStringSubmatch(line); m != nil {
			if c.at != 0 {
				t.Fatalf("line %d: a chunk can fail only once", i+1)
			}
			want, err := strconv.Unquote(m[1])
			if err != nil {
				t.Fatalf("line %d: %v", i+1, err)
			}
			c.want, c.at = want, i+1
		}
		c.text += line + "\n"
	}
	return out
}

// check compares what came of a chunk with what its marker says.
func (c chunk) check(o outcome) string {
	var exit *dsl.Exit
	switch {
	case errors.As(o.err, &exit) && (exit.Skipped || exit.Code == 0):
		return ""
	case c.at == 0 && o.err != nil:
		return "failed:\n" + o.report
	case c.at == 0:
		return ""
	case o.err == nil:
		return "passed, although line " + strconv.Itoa(c.at) + " should fail"
	}
	// The report shows the source line, and the marker in it would match itself.
	lines := strings.Split(o.report, "\n")
	for i, line := range lines {
		lines[i] = marker.ReplaceAllString(line, "")
	}
	if re, err := regexp.Compile(c.want); err != nil {
		return err.Error()
	} else if !re.MatchString(strings.Join(lines, "\n")) {
		return "want a failure that matches `" + c.want + "`, got\n" + o.report
	}
	for _, l := range o.lines {
		if l == c.at {
			return ""
		}
	}
	return "should fail at line " + strconv.Itoa(c.at) + ", but failed there:\n" + o.report
}

// TestStar runs testdata/*.star: scripts, separated by lines of three hyphens. A script that is to fail has the
// failure it expects at the end of the line, after three number signs.
func TestStar(t *testing.T) {
	files, err := filepath.Glob("testdata/*.star")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	slots := make(chan struct{}, 2)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range chunks(t, string(text)) {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".star")+"/"+strconv.Itoa(c.line), func(t *testing.T) {
				t.Parallel()
				slots <- struct{}{}
				defer func() { <-slots }()
				testneed.Script(t, c.text)
				o := execute(t, t.Context(), file, c.text)
				var exit *dsl.Exit
				if errors.As(o.err, &exit) && exit.Skipped {
					testneed.Skipped(t, exit.Reason)
				}
				if why := c.check(o); why != "" {
					t.Errorf("%s:%d: %s", file, c.line, why)
				}
			})
		}
	}
}

// TestStarMarkers proves that the reader of scripts sees failures that are missing, elsewhere or different.
func TestStarMarkers(t *testing.T) {
	for text, good := range map[string]bool{
		"print(1)":                        true,
		"fail('a')":                       false,
		"fail('abc') ### \"a.c\"":         true,
		"fail('abc') ### `b$`":            false,
		"print(1) ### `abc`\nfail('abc')": false,
		"\n\nx = nosuch ### `undefined name \"nosuch\"`": true,
		"defer(fail, 'late') ### `late`":                 true,
		"print(1) ### `abc`":                             false,
		"skip('no')":                                     true,
		"exit(1)":                                        false,
	} {
		c := chunks(t, text)[0]
		if why := c.check(execute(t, t.Context(), "x.star", c.text)); (why == "") != good {
			t.Errorf("%q: %q", text, why)
		}
	}
	if n := len(chunks(t, "a\n---\nb\n---\n\n---\nc")); n != 3 {
		t.Errorf("got %d chunks, want 3", n)
	}
}

// declared returns every declared builtin and method.
func declared() []*dsl.Func {
	v := (&builtins.State{}).Vocabulary()
	all := append([]*dsl.Func{}, v.Funcs...)
	for _, typ := range v.Types {
		all = append(all, typ.Methods...)
	}
	return all
}

// TestExamples runs the example of every declaration.
func TestExamples(t *testing.T) {
	slots := make(chan struct{}, 2)
	for _, f := range declared() {
		t.Run(strings.TrimPrefix(f.Recv+"."+f.Name, "."), func(t *testing.T) {
			t.Parallel()
			if strings.TrimSpace(f.Example) == "" {
				t.Fatal("has no example")
			}
			slots <- struct{}{}
			defer func() { <-slots }()
			if o := execute(t, t.Context(), f.Name, f.Example); o.err != nil {
				t.Errorf("example of %s:\n%s\n%s", f.Name, f.Example, o.report)
			}
		})
	}
}

// TestDeclarations checks that everything is documented.
func TestDeclarations(t *testing.T) {
	sentence := regexp.MustCompile(`^[A-Z].*\.$`)
	param := regexp.MustCompile(`^\S`)
	v := (&builtins.State{}).Vocabulary()
	seen := map[string]bool{}
	for _, f := range declared() {
		name := f.Recv + "." + f.Name
		if seen[name] {
			t.Errorf("%s: declared twice", name)
		}
		seen[name] = true
		if !sentence.MatchString(f.Summary()) {
			t.Errorf("%s: summary %q: want a sentence that ends in a full stop", name, f.Summary())
		}
		if f.Group == "" {
			t.Errorf("%s: is in no group", name)
		}
		for _, p := range f.Params() {
			if !param.MatchString(p.Doc) {
				t.Errorf("%s: parameter %s has no documentation", name, p.Name)
			}
			if p.Type == "" {
				t.Errorf("%s: parameter %s has no type", name, p.Name)
			}
		}
	}
	for _, typ := range v.Types {
		if !sentence.MatchString(typ.Doc) {
			t.Errorf("type %s: %q: want a sentence", typ.Name, typ.Doc)
		}
		for _, f := range typ.Fields {
			if f.Doc == "" || f.Type == "" {
				t.Errorf("%s.%s: has no documentation or no type", typ.Name, f.Name)
			}
		}
	}
	for _, c := range v.Consts {
		if c.Doc == "" {
			t.Errorf("%s: has no documentation", c.Name)
		}
	}
}

// kind is the kind of an outcome's failure.
func (o outcome) kind() fault.Kind {
	if o.err == nil {
		return ""
	}
	return fault.KindOf(o.err)
}
