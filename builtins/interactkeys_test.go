package builtins

import (
	"fmt"
	"strings"
	"testing"

	"omniexpect/internal/testbin"
	"omniexpect/internal/testneed"
)

// TestInteractKeys: each key that a pattern matches has its action once, and nothing else that is typed gets lost.
func TestInteractKeys(t *testing.T) {
	testneed.Programs(t, "bash", "sh", "cat", "sleep", "stty")
	program := testbin.Program(t)
	t.Run("each once", func(t *testing.T) { servesEachKeyOnce(t, program) })
	t.Run("at the end", func(t *testing.T) { servesWhatCameAtTheEnd(t, program) })
	t.Run("kept", func(t *testing.T) { keepsWhatMatched(t, program) })
	t.Run("ahead", func(t *testing.T) { keepsWhatIsTypedAhead(t, program) })
}

const quietCat = `s = spawn(["sh", "-c", "stty -echo; echo ready; exec cat"])
n, seen = [0], [0]
def key(m):
    n[0] += 1
    s.sendline("123")
def saw(m):
    seen[0] += 1
`

func servesEachKeyOnce(t *testing.T, program string) {
	const keys = 300
	for name, on := range map[string]string{"output too": `, on = {"123": saw}`, "keys only": ``} {
		for _, pattern := range []string{`exact("Q")`, `r"[qQ]"`} {
			p := sitDown(t, program, quietCat+"s.interact(on_input = {"+pattern+": key}"+on+`)
print("END", n[0], seen[0])`)
			p.see("ready")
			for i := range keys {
				p.typing("Q")
				if i%3 > 0 { // so that keys also come while an action runs
					continue
				}
				p.see("123")
			}
			p.typing("\x1d")
			want := fmt.Sprint("END ", keys, " ")
			p.see("END")
			p.leaves(0)
			if !strings.Contains(p.screen(), want) {
				t.Errorf("%s, %s: %s…, want %s", name, pattern, p.last(), want)
			}
		}
	}
}

// servesWhatCameAtTheEnd: the output that asks for something is the program's last, and so is the key that it answers.
func servesWhatCameAtTheEnd(t *testing.T, program string) {
	const rounds = 40
	p := sitDown(t, program, fmt.Sprintf(`keys, hits = [0], [0]
def key(m):
    keys[0] += 1
    s.sendline("go")
def hit(m):
    hits[0] += 1
for i in range(%d):
    s = spawn(["sh", "-c", "stty -echo; echo ready %%d.; read l; echo one two" %% i])
    s.interact(on_input = {"[qQ]": key}, on = {"one": hit, "two": hit})
print("END", keys[0], hits[0])`, rounds))
	for i := range rounds {
		p.see(fmt.Sprintf("ready %d.", i))
		p.typing("Q")
	}
	p.see(fmt.Sprintf("END %d %d", rounds, 2*rounds))
	p.leaves(0)
}

func keepsWhatMatched(t *testing.T, program string) {
	for _, test := range []struct{ pattern, typed, program, match string }{
		{`r"[qQ]"`, "aqb\r", "had <ab>", "key <q>"},
		{`exact("q", ignore_case = True)`, "aQb\r", "had <ab>", "key <Q>"},
		{`glob("q?t")`, "aqitb\r", "had <ab>", "key <qit>"},
		{`r"(?:stop|st)\n"`, "xstop\r\r", "had <x>", "key <stop\r\n>"},
		{`"\u00e4[1-3]"`, "a\u00e4b\u00e42c\r", "had <a\u00e4bc>", "key <\u00e42>"},
	} {
		p := sitDown(t, program, `s = spawn(["sh", "-c", "stty -echo; echo ready; read l; echo \"had <$l>\""])
s.interact(on_input = {`+test.pattern+`: lambda m: print("key <%s>" % m.text)})`)
		p.see("ready")
		p.typing(test.typed)
		p.see(test.program)
		p.see(test.match)
		p.leaves(0)
	}
}

// keepsWhatIsTypedAhead: keys that come together with the one that ends interact are for what comes next.
func keepsWhatIsTypedAhead(t *testing.T, program string) {
	p := sitDown(t, program, `s = spawn(["sh", "-c", "echo ready; while read l; do echo \"had <$l>\"; done"])
s.interact(on_input = {"[Q]": lambda m: "left"})
s.interact()
poll_until(lambda: "had <ab>" in s.output()) # interact may end before the program answers
print("TAKEN")
print("ANSWER <%s>" % ask_user("? "))`)
	p.see("ready")
	p.typing("aQb\r\x1danswer\r")
	p.see("TAKEN")
	p.see("ANSWER <answer>")
	p.leaves(0)
}
