package match

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// TestTornCharacterInRawView cuts a character in two: a regular expression takes all of it, unless the rest never comes.
func TestTornCharacterInRawView(t *testing.T) {
	f := newFeed(t, Config{})
	set := compile(t, true, "x.")
	got := make(chan Result)
	f.write("x\xc3")
	go func() { got <- f.wait(Want{Set: set, Deadline: time.Now().Add(time.Minute)}) }()
	f.write("\xa9y")
	if r := <-got; r.Text != "xé" {
		t.Errorf("got %q", r.Text)
	}
	if r := f.expect(time.Minute, "y"); r.Before.String() != "" {
		t.Errorf("%q was left", r.Before.String())
	}
	f.write("x\xe6\xbc")
	if r := f.wait(Want{Set: set, Once: true}); r.Text != "x\xe6" {
		t.Errorf("at the last try got %q", r.Text)
	}
	f.write("x\xc3")
	f.w.Close()
	f.s.Exited()
	if r := f.wait(Want{Set: set, Deadline: time.Now().Add(time.Minute)}); r.Text != "x\xc3" {
		t.Errorf("at the end got %q", r.Text)
	}
}

// TestInvalidBytesInRawView has patterns with a U+FFFD: a regular expression takes invalid bytes for it, bytes are what
// they are.
func TestInvalidBytesInRawView(t *testing.T) {
	f := newFeed(t, Config{})
	f.write("a\xffb\xef\xbf\xbdc")
	for _, p := range []string{"a\ufffdb", `a\x{FFFD}b`, `a[x\x{FFFD}]b`, `(?i)A\x{FFFD}`} {
		if r := f.wait(Want{Set: compile(t, true, p), Once: true, Peek: true}); r.Why != Matched {
			t.Errorf("%s does not match %q", p, "a\xffb")
		}
	}
	r := f.wait(Want{Set: compile(t, true, Pattern{Kind: Bytes, Source: "\ufffd"}), Once: true, Peek: true})
	if r.Text != "\xef\xbf\xbd" {
		t.Errorf("got the bytes %q after %q", r.Text, r.Before.String())
	}
}

// TestBytesBeforeTheirCharacter has a byte and a character that begins with it: the byte is there first.
func TestBytesBeforeTheirCharacter(t *testing.T) {
	f := newFeed(t, Config{})
	f.write("aé")
	set := compile(t, true, Pattern{Kind: Bytes, Source: "é"}, Pattern{Kind: Bytes, Source: "\xc3"})
	if r := f.wait(Want{Set: set, Once: true}); r.Index != 1 || r.Text != "\xc3" {
		t.Errorf("got pattern %d, %q", r.Index, r.Text)
	}
}

// TestBoundKeepsCharactersWhole drops text from the front, where a character is not cut in two, and the bound counts as
// reached though less is left then.
func TestBoundKeepsCharactersWhole(t *testing.T) {
	f := newFeed(t, Config{Limit: 9, History: 7})
	f.write(strings.Repeat("é", 20))
	text, lost := f.s.Unread(false)
	if string(text) != "éééé" || lost != 32 {
		t.Errorf("got %q, %d bytes lost", text, lost)
	}
	if all, dropped := f.s.Output(false); !utf8.Valid(all) || dropped+int64(len(all)) != 40 {
		t.Errorf("all the output is %q, %d bytes dropped", all, dropped)
	}
	if r := f.wait(Want{Set: compile(t, false, "x", Pattern{Kind: Full}), Once: true}); r.Why != Overfull {
		t.Errorf("got %+v", r)
	}
	if r := f.wait(Want{Set: compile(t, false, "x", Pattern{Kind: Full}), Once: true}); r.Why != TimedOut {
		t.Errorf("after that got %+v", r)
	}
}
