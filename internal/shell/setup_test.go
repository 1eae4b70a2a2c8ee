package shell

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"omniexpect/internal/testneed"
)

const testWord = "oxabcdefghij"

// TestSetupsAreValid has each shell that is installed check the text that it is set up with: as a file, and as it is typed.
func TestSetupsAreValid(t *testing.T) {
	for _, test := range []struct{ program, file string }{
		{"sh", "posix.sh"}, {"dash", "posix.sh"}, {"ksh", "posix.sh"}, {"mksh", "posix.sh"}, {"busybox", "posix.sh"}, {"bash", "bash.sh"},
		{"zsh", "zsh.sh"}, {"sh", "functions.sh"}, {"dash", "functions.sh"}, {"bash", "functions.sh"}, {"zsh", "functions.sh"},
		{"python3", "python.py"},
	} {
		t.Run(test.program+"/"+test.file, func(t *testing.T) {
			t.Parallel()
			testneed.Programs(t, test.program)
			argv := map[string][]string{"busybox": {"ash", "-n"}, "python3": {"-c", "import ast, sys; ast.parse(sys.stdin.read())"}}[test.program]
			if argv == nil {
				argv = []string{"-n"}
			}
			file, err := setups.ReadFile("setup/" + test.file)
			if err != nil {
				t.Fatal(err)
			}
			texts := map[string]string{"file": string(file)}
			if test.file != "functions.sh" {
				name := map[string]string{"busybox": "ash"}[test.program]
				if name == "" {
					name = test.program
				}
				d, err := DialectOf(name)
				if err != nil {
					t.Fatal(err)
				}
				texts["typed"] = d.Setup(testWord)
			}
			for which, text := range texts {
				cmd := exec.CommandContext(t.Context(), test.program, argv...)
				cmd.Stdin = strings.NewReader(text)
				if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
					t.Errorf("%s: %v\n%s\n%s", which, err, out, text)
				}
			}
		})
	}
}

// TestWhatIsSentHasNoPrompt: neither a set-up nor a command has in one piece what a prompt or the begin of an output is known
// by, nothing that is to be put in is left over, and no line is longer than a terminal takes.
func TestWhatIsSentHasNoPrompt(t *testing.T) {
	known := regexp.MustCompile(Prompt(testWord, `\d+`) + "|" + Begin(testWord, `\d+`))
	placeholder := regexp.MustCompile(`@\w+@`)
	for _, program := range []string{"sh", "bash", "zsh", "ksh", "python3"} {
		d, err := DialectOf("/usr/bin/" + program)
		if err != nil {
			t.Fatal(err)
		}
		setup := d.Setup(testWord)
		sent := setup + "\n" + d.Line(1, "echo "+testWord+"\nset -e", func(s string) []string { return []string{s} }, true)
		if found := known.FindString(sent); found != "" {
			t.Errorf("%s: %q is sent in one piece", program, found)
		}
		if found := placeholder.FindString(setup); found != "" {
			t.Errorf("%s: %s is not put in", program, found)
		}
		for line := range strings.Lines(setup) {
			if len(line) > 1000 || !d.Python && strings.ContainsAny(line, "\t#") {
				t.Errorf("%s: a line of %d bytes, or with a comment or a tab:\n%s", program, len(line), line)
			}
		}
	}
	files, err := setups.ReadDir("setup")
	if err != nil || len(files) != 5 {
		t.Errorf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		if ext := filepath.Ext(f.Name()); ext != ".sh" && ext != ".py" {
			t.Errorf("%s is no shell's", f.Name())
		}
	}
}

// TestPieces: a line is cut where a character ends, and in no secret that fits into a terminal's line.
func TestPieces(t *testing.T) {
	for _, test := range []struct {
		line    string
		secrets [][2]int
		want    []int // lengths
	}{
		{"", nil, []int{0}},
		{strings.Repeat("x", 400), nil, []int{400}},
		{strings.Repeat("x", 401), nil, []int{400, 1}},
		{strings.Repeat("\u20ac", 200), nil, []int{399, 201}},
		{strings.Repeat("x", 600), [][2]int{{390, 420}}, []int{390, 210}},
		{strings.Repeat("x", 900), [][2]int{{0, 800}}, []int{800, 100}},
		{strings.Repeat("x", 1000), [][2]int{{0, 950}}, []int{400, 550, 50}},
		{strings.Repeat("x", 1300), [][2]int{{300, 500}, {690, 710}}, []int{300, 390, 400, 210}},
	} {
		var got []int
		for _, piece := range Pieces(test.line, test.secrets) {
			got = append(got, len(piece))
		}
		if len(got) != len(test.want) {
			t.Errorf("%d bytes, secrets %v: pieces of %v, want %v", len(test.line), test.secrets, got, test.want)
			continue
		}
		for i := range got {
			if got[i] != test.want[i] {
				t.Errorf("%d bytes: pieces of %v, want %v", len(test.line), got, test.want)
				break
			}
		}
	}
}

// TestTyped: control characters are quoted where the terminal edits lines, and a line that was begun is taken back or ended.
func TestTyped(t *testing.T) {
	d, err := DialectOf("bash")
	if err != nil {
		t.Fatal(err)
	}
	whole := func(s string) []string { return []string{s} }
	terminal := Typing{Keys: EditorKeys(), Lines: true, Begun: true}
	if got := d.Typed(1, "a\x03b", whole, terminal); !strings.HasPrefix(got, "\x15 ") || !strings.Contains(got, "a\x16\x03b") || !strings.HasSuffix(got, "\n") {
		t.Errorf("in a terminal that edits lines: %q", got)
	}
	terminal.Keys.Kill = 0
	if got := d.Typed(1, "a", whole, terminal); !strings.HasPrefix(got, "\n ") {
		t.Errorf("without a key that takes a line back: %q", got)
	}
	bare := Typing{Keys: EditorKeys()}
	if got := d.Typed(1, "a\x03b", whole, bare); !strings.Contains(got, `_oc 003`) || strings.Contains(got, "\x16") {
		t.Errorf("where nothing quotes: %q", got)
	}
	if _, err := DialectOf("fish"); err == nil || !strings.Contains(err.Error(), `"fish": want bash, sh, zsh or python3`) {
		t.Errorf("fish: %v", err)
	}
}
