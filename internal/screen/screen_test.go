package screen_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"omniexpect/internal/clock"
	"omniexpect/internal/screen"
)

func on(rows, cols int, text string) *screen.Snapshot {
	s := screen.New(screen.Config{Rows: rows, Cols: cols})
	s.Write([]byte(text))
	return s.Current()
}

func TestStyles(t *testing.T) {
	red, blue := screen.Index(1), screen.Index(4)
	for sgr, want := range map[string]screen.Style{
		"":                          {},
		"1;2;3":                     {Attr: screen.Bold | screen.Faint | screen.Italic},
		"1;2;22":                    {},
		"5;7;8;9;53":                {Attr: screen.Blink | screen.Reverse | screen.Invisible | screen.Strike | screen.Overline},
		"5;7;8;9;53;25;27;28;29;55": {},
		"31;44":                     {Fg: red, Bg: blue},
		"31;44;39;49":               {},
		"91;104":                    {Fg: screen.Index(9), Bg: screen.Index(12)},
		"38;5;200;48;5;100":         {Fg: screen.Index(200), Bg: screen.Index(100)},
		"38;2;1;2;3;1":              {Fg: screen.RGB(1, 2, 3), Attr: screen.Bold},
		"38:2:1:2:3;48:2::4:5:6":    {Fg: screen.RGB(1, 2, 3), Bg: screen.RGB(4, 5, 6)},
		"38:5:7;58:5:1;4:3":         {Fg: screen.Index(7), Line: red, Underline: screen.Curly},
		"58;2;1;2;3;4":              {Line: screen.RGB(1, 2, 3), Underline: screen.Single},
		"58;2;1;2;3;59;21":          {Underline: screen.Double},
		"4:4;31":                    {Fg: red, Underline: screen.Dotted},
		"4:5;4:0":                   {},
		"4;24;31;0;3":               {Attr: screen.Italic},
		"38;5":                      {},
		"31;38;2;300;1;1":           {Fg: red},
	} {
		if got := on(2, 10, "\x1b["+sgr+"mx").Cell(0, 0).Style; got != want {
			t.Errorf("%s: %+v, want %+v", sgr, got, want)
		}
	}
}

func TestErasedCellsHaveTheBackground(t *testing.T) {
	c := on(3, 10, "\x1b[1;41;32mab\x1b[K\r\n\x1b[J\x1b[42m\n")
	for _, at := range [][2]int{{0, 5}, {1, 0}, {2, 9}} {
		cell := c.Cell(at[0], at[1])
		if cell.Style != (screen.Style{Bg: screen.Index(1)}) || cell.Text != "" {
			t.Errorf("%v: %+v", at, cell)
		}
	}
}

func TestLinks(t *testing.T) {
	c := on(2, 20, "a\x1b]8;id=x;http://h/\x1b\\b\x1b[0;1mc\x1b]8;;\x07d")
	want := screen.Link{URI: "http://h/", ID: "x"}
	for x, link := range []screen.Link{{}, want, want, {}} {
		if got := c.Cell(0, x).Link; got != link {
			t.Errorf("column %d: %v, want %v", x, got, link)
		}
	}
}

func TestHistory(t *testing.T) {
	s := screen.New(screen.Config{Rows: 2, Cols: 5, History: 3})
	s.Write([]byte("1\r\n2\r\nabcdefgh\r\n3\r\n"))
	before := s.Snapshot()
	s.Write([]byte("4\r\n5\r\n6\r\n7\r\n8\r\n\x1b[H\x1b[2J"))
	lines := func(c *screen.Snapshot) (out []string) {
		for i := range c.HistoryLen() {
			text, wrapped := c.HistoryLine(i)
			if wrapped {
				text = "~" + text
			}
			out = append(out, text)
		}
		return out
	}
	if got := strings.Join(lines(before), " "); got != "2 abcde ~fgh" {
		t.Errorf("history %q", got)
	}
	if got := strings.Join(lines(s.Snapshot()), " "); got != "5 6 7" || s.Snapshot().Dropped != 6 {
		t.Errorf("history %q, %d dropped", got, s.Snapshot().Dropped)
	}
	s.Write([]byte("\x1b[3J"))
	if n := s.Snapshot().HistoryLen(); n != 0 {
		t.Errorf("%d lines after ED 3", n)
	}
}

// replies returns the answers to a text, with ESC as ^.
func replies(s *screen.Screen, text string) string {
	s.Write([]byte(text))
	var b strings.Builder
	for _, r := range s.Replies() {
		b.WriteString(r.Text)
	}
	return strings.ReplaceAll(b.String(), "\x1b", "^")
}

func TestReplies(t *testing.T) {
	for _, tt := range [][2]string{
		{"\x1b[c", "^[?64;1;2;6;9;15;16;17;18;21;22;28;29c"}, {"\x1b[62;1\"p\x1b[c", "^[?62;1;2;6;9;15;22;29c"},
		{"\x1b[>c", "^[>41;390;0c"}, {"\x1b[=c", "^P!|00000000^\\"}, {"\x1bZ\x1b[5n", "^[?64;1;2;6;9;15;16;17;18;21;22;28;29c^[0n"},
		{"\x1b[3;4H\x1b[6nx\x1b[6n", "^[3;4R^[3;5R"}, {"\x1b[5;5H\x1b[?6n", "^[?5;5;1R"},
		{"\x1b[2;10r\x1b[?69h\x1b[3;9s\x1b[?6h\x1b[2;2H\x1b[6n", "^[2;2R"},
		{"\x1b[>q", "^P>|omniexpect^\\"}, {"\x1b[?2026$p\x1b[?7$p\x1b[?9999$p\x1b[4$p\x1b[1$p", "^[?2026;2$y^[?7;1$y^[?9999;0$y^[4;2$y^[1;4$y"},
		{"\x1b[1;31;4:3m\x1bP$qm\x1b\\", "^P1$r0;1;4:3;31m^\\"}, {"\x1b[38;2;1;2;3m\x1bP$qm\x1b\\", "^P1$r0;38:2::1:2:3m^\\"},
		{"\x1b[2;5r\x1bP$qr\x1b\\", "^P1$r2;5r^\\"}, {"\x1b[4 q\x1bP$q q\x1b\\", "^P1$r4 q^\\"}, {"\x1bP$qzz\x1b\\", "^P0$r^\\"},
		{"\x1b[1\"q\x1bP$q\"q\x1b\\\x1bP$q\"p\x1b\\", "^P1$r1\"q^\\^P1$r64;1\"p^\\"},
		{"\x1b]10;?\x07\x1b]11;?\x1b\\", "^]10;rgb:e5e5/e5e5/e5e5^\\^]11;rgb:0000/0000/0000^\\"},
		{"\x1b]4;1;#888;1;?\x07\x1b]104;1\x07\x1b]4;1;?\x07", "^]4;1;rgb:8080/8080/8080^\\^]4;1;rgb:cdcd/0000/0000^\\"},
		{"\x1b[14t\x1b[16t\x1b[18t", "^[4;384;640t^[6;16;8t^[8;24;80t"}, {"\x1b]2;tïtle\x07\x1b[21t", "^]ltïtle^\\"},
		{"\x1bP+q544e;7a\x1b\\", "^P1+r544e=787465726D2D323536636F6C6F72^\\^P0+r7a^\\"},
		{"\x1b[>1u\x1b[?u\x1b[=6;2u\x1b[?u\x1b[<u\x1b[?u", "^[?1u^[?7u^[?0u"}, {"\x1b[>4;2m\x1b[?4m", "^[>4;2m"},
		{"\x1b]52;c;aGk=\x07\x1b]52;c;?\x07", ""}, {"\x1b[?996n", "^[?997;1n"},
		{"AB\x1b[1;0;1;1;1;2*y", "^P1!~0083^\\"}, {"\x1b[1;0;1;1;1;2*y", "^P1!~0040^\\"}, {"A\x1b[0#y\x1b[1;0;1;1;1;2*y", "^P1!~FFBF^\\"},
		{"\x1b[65;1\"p\x1b[?95$p\x1bP$q\"p\x1b\\", "^[?95;0$y^P1$r64;1\"p^\\"}, {"\x1b[62;1\"p\x1b[4$p", ""},
		{"\x1b[9;1t\x1b[18t\x1b[9;0t\x1b[18t", "^[8;60;200t^[8;24;80t"}, {"\x1b[8;30;90t\x1b[18t\x1b[24t\x1b[18t", "^[8;30;90t^[8;24;90t"},
		{"\x1b[?40h\x1b[?3h\x1b[18t\x1bc\x1b[18t", "^[8;24;132t^[8;24;80t"}, {"\x1b[2t\x1b[11t\x1b[3;5;6t\x1b[13t", "^[2t^[3;5;6t"},
		{"\x1b]5;0;#fff;0;?\x07\x1b]4;256;?\x07", "^]5;0;rgb:f0f0/f0f0/f0f0^\\^]4;256;rgb:f0f0/f0f0/f0f0^\\"},
		{"\x1b[>0;1T\x1b[>0t\x1b]2;6162\x07\x1b[21t", "^]lab^\\"},
		{"\x1b G\x1b[5n", "\u009b0n"},
	} {
		s := screen.New(screen.Config{})
		if got := replies(s, tt[0]); got != tt[1] {
			t.Errorf("%q is answered by %q, want %q", tt[0], got, tt[1])
		}
		if got := replies(screen.New(screen.Config{Silent: true}), tt[0]); got != "" {
			t.Errorf("%q is answered by %q although the terminal is silent", tt[0], got)
		}
	}
	s := screen.New(screen.Config{})
	s.Write([]byte(strings.Repeat("\x1b[c", 100_000)))
	if n := len(s.Replies()); n > 2000 {
		t.Errorf("%d replies are kept", n)
	}
}

// TestEditing has what neither reference knows: margins on the left and right, rectangles and protection. The facts are
// those of DEC's manuals and of xterm.
func TestEditing(t *testing.T) {
	const text = "abcdefgh\r\nijklmnop\r\nqrstuvwx\r\nyz012345\r\n"
	margins := "\x1b[?69h\x1b[3;5s\x1b[2;4r"
	for _, tt := range [][3]string{
		{"wrap in margins", "\x1b[?69h\x1b[2;4sabcdefgh", "abcd\n efg\n h"},
		{"DECCRA", text + "\x1b[1;1;2;2;1;3;5;1$v", "abcdefgh\nijklmnop\nqrstabwx\nyz01ij45"},
		{"DECFRA", text + "\x1b[88;2;2;3;4$x", "abcdefgh\niXXXmnop\nqXXXuvwx\nyz012345"},
		{"DECERA", text + "\x1b[2;2;3;4$z", "abcdefgh\ni   mnop\nq   uvwx\nyz012345"},
		{"DECSERA", "a\x1b[1\"qb\x1b[0\"qc\x1b[1;1;1;3${", " b"},
		{"DECSERA does not respect SPA", "a\x1bVb\x1bWc\x1b[1;1;1;2${", "  c"},
		{"DECSED 3 erases nothing", "abc\x1b[?3J", "abc"},
		{"VPR in origin mode", margins + "\x1b[?6h\x1b[1;1HX\x1b[2eY", "\n  X\n\n   Y"},
		{"CBT ignores margins", margins + "\x1b[1;10H\x1b[2ZX", "X"},
		{"a tab stops at the margin", margins + "\x1b[1;1H\tX", "    X"},
		{"a tab after the last column with mode 41", "\x1b[?41h0123456789\tX", "0123456789\n        X"},
		{"DECSEL", "a\x1b[1\"qb\x1b[0\"qc\x1b[?2K", " b"},
		{"EL does not respect DECSCA", "a\x1b[1\"qb\x1b[0\"qc\x1b[2K", ""},
		{"EL respects SPA", "a\x1bVb\x1bWc\x1b[2K", " b"},
		{"DECIC", text + "\x1b[2;2H\x1b['}", "a bcdefgh\ni jklmnop\nq rstuvwx\ny z012345"},
		{"DECDC", text + "\x1b[2;2H\x1b[2'~", "adefgh\nilmnop\nqtuvwx\ny12345"},
		{"SL", text + "\x1b[2 @", "cdefgh\nklmnop\nstuvwx\n012345"},
		{"SR", text + "\x1b[2 A", "  abcdefgh\n  ijklmnop\n  qrstuvwx\n  yz012345"},
		{"DECFI", text + margins + "\x1b[3;5H\x1b9", "abcdefgh\nijlm nop\nqrtu vwx\nyz12 345"},
		{"DECBI", text + margins + "\x1b[3;3H\x1b6", "abcdefgh\nij klnop\nqr stvwx\nyz 01345"},
		{"IL in margins", text + margins + "\x1b[3;4H\x1b[L", "abcdefgh\nijklmnop\nqr   vwx\nyzstu345"},
		{"DL in margins", text + margins + "\x1b[3;4H\x1b[M", "abcdefgh\nijklmnop\nqr012vwx\nyz   345"},
		{"SU in margins", text + margins + "\x1b[S", "abcdefgh\nijstunop\nqr012vwx\nyz   345"},
		{"ICH in margins", text + margins + "\x1b[2;4H\x1b[@", "abcdefgh\nijk lnop\nqrstuvwx\nyz012345"},
		{"DCH in margins", text + margins + "\x1b[2;4H\x1b[P", "abcdefgh\nijkm nop\nqrstuvwx\nyz012345"},
		{"LF outside of the margins", text + margins + "\x1b[4;1H\nX", "abcdefgh\nijklmnop\nqrstuvwx\nXz012345"},
		{"origin", margins + "\x1b[?6h\x1b[HX", "\n  X"},
		{"reverse wrap 45", "\x1b[?45habcdefghijkl\b\b\bX", "abcdefghiX\nkl"},
		{"no reverse wrap over a line end", "\x1b[?45ha\r\nb\b\b\b\bX", "a\nX"},
		{"reverse wrap 1045", "\x1b[?1045ha\r\nb\b\bX", "a        X\nb"},
		{"47 keeps the alternate screen", "m\x1b[?47ha\x1b[?47l\x1b[?47h", " a"},
		{"1047 clears it", "m\x1b[?1047ha\x1b[?1047l\x1b[?1047h", ""},
		{"DECSC and DECRC", "\x1b[1\"q\x1b(0\x1b7\x1b[0\"q\x1b(B\x1b8q\x1b[?2K", "─"},
		{"single shift", "\x1b*0\x1bNqq", "─q"},
		{"bytes that are not UTF-8", "a\xffb", "a\ufffdb"},
	} {
		if got := on(6, 10, tt[1]).Text(); got != tt[2] {
			t.Errorf("%s:\n%s\nwant\n%s", tt[0], got, tt[2])
		}
	}
}

func TestChangedAttributes(t *testing.T) {
	c := on(3, 5, "abcde\r\nabcde\x1b[2*x\x1b[1;2;2;3;1;4$r\x1b[1;2;1;2;1$t")
	for _, tt := range []struct {
		y, x int
		want screen.Style
	}{
		{0, 0, screen.Style{}}, {0, 1, screen.Style{Underline: screen.Single}},
		{1, 2, screen.Style{Attr: screen.Bold, Underline: screen.Single}}, {1, 3, screen.Style{}},
	} {
		if got := c.Cell(tt.y, tt.x).Style; got != tt.want {
			t.Errorf("%d,%d: %+v, want %+v", tt.y, tt.x, got, tt.want)
		}
	}
	if c := on(3, 5, "abcde\r\nabcde\x1b[1;4;2;2;1$r"); c.Cell(0, 4).Style.Attr != screen.Bold || c.Cell(1, 0).Style.Attr != screen.Bold {
		t.Error("a stream of characters is not changed from its first to its last")
	}
}

// TestFrames holds snapshots back while a frame is drawn, for a second at most.
func TestFrames(t *testing.T) {
	now := clock.NewVirtual(time.Unix(0, 0))
	s := screen.New(screen.Config{Rows: 2, Cols: 10, Clock: now})
	s.Write([]byte("old\x1b[?2026h\x1b[2J\x1b[Hne"))
	before := s.Generation()
	if got := s.Snapshot().Text(); got != "old" {
		t.Errorf("in a frame: %q", got)
	}
	s.Write([]byte("w"))
	if got := s.Snapshot(); got.Text() != "old" || got.Generation != before {
		t.Errorf("in a frame: %q", got.Text())
	}
	if got := s.Current().Text(); got != "new" {
		t.Errorf("what is drawn: %q", got)
	}
	s.Write([]byte("\x1b[?2026l"))
	if got := s.Snapshot(); got.Text() != "new" || got.Generation == before {
		t.Errorf("after the frame: %q", got.Text())
	}
	s.Write([]byte("\x1b[?2026h\x1b[Hx"))
	now.Advance(999 * time.Millisecond)
	if got := s.Snapshot().Text(); got != "new" {
		t.Errorf("after 999 ms: %q", got)
	}
	now.Advance(time.Millisecond)
	if got := s.Snapshot().Text(); got != "xew" {
		t.Errorf("after a second: %q", got)
	}
}

func TestFacts(t *testing.T) {
	s := screen.New(screen.Config{})
	s.Write([]byte("\x1b]0;t1\x07\x1b[22t\x1b]2;t2\x07\a\a\x1b]7;file://h/tmp\x07\x1b]9;4;1;40\x07\x1b]9;hi\x07\x1b]777;notify;a;b;c\x07" +
		"\x1b]133;A\x07$ \x1b]133;B\x07ls\r\n\x1b]133;C\x07x\r\n\x1b]133;D;1\x07\x1b]52;c;aGk=\x07\x1b]7501;idle\x07"))
	c := s.Snapshot()
	got := fmt.Sprintf("%s %s %+v", c.Title, c.Icon, c.Facts)
	want := "t2 t1 {Cwd:file://h/tmp Agent:idle Progress:{State:1 Percent:40} Notices:[{Title: Body:hi} {Title:a Body:b;c}] " +
		"Marks:[{Kind:65 Params: Row:0 Col:0} {Kind:66 Params: Row:0 Col:2} {Kind:67 Params: Row:1 Col:0} {Kind:68 Params:1 Row:2 Col:0}] Bell:2 Clip:hi}"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	s.Write([]byte("\x1b[23t"))
	if got := s.Snapshot().Title; got != "t1" {
		t.Errorf("the title after it is popped is %q", got)
	}
}

func TestModes(t *testing.T) {
	got := on(2, 10, "\x1b[?1h\x1b=\x1b[?2004h\x1b[?1000h\x1b[?1003h\x1b[?1006h\x1b[?1004h\x1b[>5u\x1b[>4;1m").Modes
	want := screen.Modes{CursorKeys: true, Keypad: true, Paste: true, Focus: true, Mouse: 1003, MouseEncoding: 1006, Kitty: 5, ModifyOtherKeys: 1}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := on(2, 10, "\x1b[?1003h\x1b[?1h\x1bc").Modes; got != (screen.Modes{}) {
		t.Errorf("after a reset: %+v", got)
	}
}

// TestMemory holds 1,000 lines of history under 2 MB, and what hostile output can make the screen keep under a bound.
func TestMemory(t *testing.T) {
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	s := screen.New(screen.Config{})
	for i := range 3000 {
		fmt.Fprintf(s, "\x1b[38;5;%dm%079d\r\n", i%256, i)
	}
	if used := int64(heap()) - int64(before); used > 2<<20 {
		t.Errorf("%d bytes for 1,000 lines", used)
	}
	for i := range 200_000 {
		fmt.Fprintf(s, "\x1b[38;2;%d;%d;%dm\x1b]8;;http://%d/\x07x\u0301\x1b]133;A\x07\x1b]9;x\x07\x1b[22t", i%256, i/256%256, i/65536, i)
	}
	if used := int64(heap()) - int64(before); used > 32<<20 {
		t.Errorf("%d bytes after many styles and links", used)
	}
	runtime.KeepAlive(s)
}
