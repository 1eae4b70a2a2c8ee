package screen

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

// Mark is a shell's mark (OSC 133).
type Mark struct {
	Kind   byte   // A prompt, B command line, C output, D end of the command
	Params string // what follows the letter; for D the exit status
	Row    int    // counted from the first line that ever was on the screen
	Col    int
}

// Notice is a notification (OSC 9 and 777).
type Notice struct{ Title, Body string }

// Progress is what OSC 9;4 says.
type Progress struct {
	State   int // 0 none, 1 normal, 2 error, 3 busy, 4 paused
	Percent int
}

// facts is what arrives besides text.
type facts struct {
	title, icon string
	titles      [][2]string // pushed: title and icon
	titleModes  int
	cwd         string
	agent       string
	progress    Progress
	notices     []Notice
	marks       []Mark
	clip        map[string]string
	bell        int
	iconified   bool
	where       [2]int // of the window, in pixels
	before      [2]int // rows and columns before it was maximized
}

// setTitle obeys OSC 0, 1 and 2.
func (s *Screen) setTitle(which int, value string) {
	if s.facts.titleModes&1 != 0 {
		text, ok := unhex(value)
		if !ok {
			return
		}
		value = text
	}
	value = bounded(clean(value))
	if which != 2 {
		s.facts.icon = value
	}
	if which != 1 {
		s.facts.title = value
	}
}

// titleModes obeys XTSMTITLE and XTRMTITLE: whether titles are set and reported in hexadecimal.
func (s *Screen) titleModes(on bool) {
	if !on && s.parser.Params() == 0 {
		s.facts.titleModes = 0
	}
	for i := range s.parser.Params() {
		if n := s.arg(i, 0); n < 4 {
			if bit := 1 << n; on {
				s.facts.titleModes |= bit
			} else {
				s.facts.titleModes &^= bit
			}
		}
	}
}

// reportTitle answers window reports 20 and 21.
func (s *Screen) reportTitle(letter, title string) {
	if s.facts.titleModes&2 != 0 {
		title = strings.ToUpper(fmt.Sprintf("%x", title))
	}
	s.reply("title", s.oscIntro()+letter+title+s.st())
}

func (s *Screen) pushTitle(which int) {
	pushed := [2]string{s.facts.title, s.facts.icon}
	if last := len(s.facts.titles) - 1; last >= 0 && which != 0 {
		// What is not pushed is taken from below, as xterm has one stack for both.
		if which == 1 {
			pushed[0] = s.facts.titles[last][0]
		}
		if which == 2 {
			pushed[1] = s.facts.titles[last][1]
		}
	}
	if len(s.facts.titles) == maxStack {
		s.facts.titles = s.facts.titles[1:]
	}
	s.facts.titles = append(s.facts.titles, pushed)
}

func (s *Screen) popTitle(which int) {
	last := len(s.facts.titles) - 1
	if last < 0 {
		return
	}
	top := s.facts.titles[last]
	s.facts.titles = s.facts.titles[:last]
	if which != 1 {
		s.facts.title = top[0]
	}
	if which != 2 {
		s.facts.icon = top[1]
	}
}

// progressOrNotice obeys OSC 9: with 4 at the front it is ConEmu's progress, else a notification.
func (s *Screen) progressOrNotice(value string) {
	parts := strings.Split(value, ";")
	if parts[0] != "4" || len(parts) < 2 {
		s.notice("", value)
		return
	}
	state, err := strconv.Atoi(parts[1])
	if err != nil || state < 0 || state > 4 {
		return
	}
	percent := s.facts.progress.Percent
	if len(parts) > 2 {
		if n, err := strconv.Atoi(parts[2]); err == nil {
			percent = min(max(n, 0), 100)
		}
	}
	if state == 0 {
		percent = 0
	}
	s.facts.progress = Progress{state, percent}
}

func (s *Screen) notify777(value string) {
	rest, ok := strings.CutPrefix(value, "notify;")
	if !ok {
		return
	}
	title, body, _ := strings.Cut(rest, ";")
	s.notice(title, body)
}

func (s *Screen) notice(title, body string) {
	if len(s.facts.notices) == maxNotices {
		s.facts.notices = append([]Notice(nil), s.facts.notices[1:]...)
	}
	s.facts.notices = append(s.facts.notices, Notice{bounded(clean(title)), bounded(clean(body))})
}

func (s *Screen) shellMark(value string) {
	if value == "" || value[0] < 'A' || value[0] > 'P' {
		return
	}
	if len(s.facts.marks) == maxMarks {
		s.facts.marks = append([]Mark(nil), s.facts.marks[1:]...)
	}
	s.facts.marks = append(s.facts.marks, Mark{
		Kind: value[0], Params: bounded(clean(strings.TrimPrefix(value[1:], ";"))),
		Row: int(s.dropped) + len(s.history) + s.y, Col: s.x,
	})
}

// clipboard obeys OSC 52. What is stored is a fact; it is read back only if that is allowed.
func (s *Screen) clipboard(value string) {
	which, data, ok := strings.Cut(value, ";")
	if !ok {
		return
	}
	if which == "" {
		which = "s0"
	}
	if len(which) > 12 || strings.Trim(which, "cpqs01234567") != "" {
		return
	}
	if data == "?" {
		if s.config.ReadableClipboard {
			s.reply("OSC 52", s.oscIntro()+"52;"+which+";"+base64.StdEncoding.EncodeToString([]byte(s.facts.clip[which[:1]]))+s.st())
		}
		return
	}
	text, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		text = nil
	}
	if s.facts.clip == nil {
		s.facts.clip = map[string]string{}
	}
	for _, c := range which {
		s.facts.clip[string(c)] = string(text)
	}
}
