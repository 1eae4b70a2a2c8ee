package builtins_test

import (
	"context"
	"errors"
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
	"omniexpect/internal/proc"
	"omniexpect/internal/run"
	"omniexpect/internal/testhome"
	"omniexpect/internal/testneed"
)

func TestMain(m *testing.M) {
	if os.Getenv(pongEnv) != "" {
		pong(os.Stdin, os.Stdout)
		return
	}
	// What is ignored here, as under nohup, the programs that tests start would ignore as well.
	proc.CatchIgnored()
	goleak.VerifyTestMain(testhome.Tests{M: m})
}

// outcome is what a run came to.
type outcome struct {
	err    error
	out    string // what it printed
	report string // what its user reads about the failure, notes and session output
	lines  []int  // the lines of the script that the failure names
}

// rig is a run whose output is kept.
type rig struct {
	*run.Run
	out, errs lockedBuilder
}

func newRig(o run.Options) *rig {
	r := &rig{}
	o.Stdout, o.Stderr = &r.out, &r.errs
	r.Run = run.New(o)
	return r
}

// execute runs a text as omniexpect does, and checks that no process is left.
func execute(t *testing.T, ctx context.Context, name, text string) outcome {
	t.Helper()
	return newRig(run.Options{Quiet: true}).execute(t, ctx, name, text)
}

func (r *rig) execute(t *testing.T, ctx context.Context, name, text string) outcome {
	t.Helper()
	src, err := r.Library.Parse(name, text)
	var o outcome
	if err == nil {
		o.err = r.Do(ctx, src).Err
	} else {
		o.err = r.Refuse(err).Err
	}
	o.out, o.report = r.out.String(), r.errs.String()
	o.lines = linesOf(o.err, name)
	if left := proc.Marked(r.State.Marker); len(left) > 0 {
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
	if err == nil {
		return nil
	}
	f := interp.Explain(err, nil, nil)
	for _, f := range append([]interp.Failure{f}, f.More...) {
		places := append(f.Chain, interp.Place{At: f.At})
		if f.Defer != nil {
			places = append(places, *f.Defer)
		}
		for _, p := range places {
			if p.At.File == file {
				lines = append(lines, int(p.At.Line))
			}
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

// name is the chunk's first comment, by which a test is found, or the line where it begins.
func (c chunk) name() string {
	for line := range strings.Lines(c.text) {
		comment, is := strings.CutPrefix(strings.TrimSpace(line), "# ")
		if is && !strings.HasPrefix(comment, "needs:") {
			return strings.ReplaceAll(strings.TrimRight(comment, ".:"), "/", "|")
		}
		if !is && strings.TrimSpace(line) != "" {
			break
		}
	}
	return strconv.Itoa(c.line)
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
			t.Run(strings.TrimSuffix(filepath.Base(file), ".star")+"/"+c.name(), func(t *testing.T) {
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

// TestExamples runs the example of every declaration, with output as it comes and byte by byte: what is copied must not
// depend on how a system cuts it.
func TestExamples(t *testing.T) {
	t.Run("whole", func(t *testing.T) { testExamples(t, false) })
	t.Run("piecemeal", func(t *testing.T) { testExamples(t, true) })
}

func testExamples(t *testing.T, piecemeal bool) {
	slots := make(chan struct{}, 2)
	for _, f := range declared() {
		t.Run(strings.TrimPrefix(f.Recv+"."+f.Name, "."), func(t *testing.T) {
			t.Parallel()
			if strings.TrimSpace(f.Example) == "" {
				t.Fatal("has no example")
			}
			slots <- struct{}{}
			defer func() { <-slots }()
			r := newRig(run.Options{Quiet: true})
			r.State.Piecemeal = piecemeal
			if o := r.execute(t, t.Context(), f.Name, f.Example); o.err != nil {
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
