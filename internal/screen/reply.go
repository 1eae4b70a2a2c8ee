package screen

import (
	"fmt"
	"strings"
)

// Reply is the answer to a query of the program.
type Reply struct {
	Query string // what was asked, by the name of the sequence
	Text  string // what the terminal sends
}

// reply queues an answer. There is room for what a program can be expected to read; more is lost.
func (s *Screen) reply(query, text string) {
	if s.config.Silent {
		return
	}
	if s.replied+len(text) > maxReplies {
		s.lost++
		return
	}
	s.replied += len(text)
	s.replies = append(s.replies, Reply{query, text})
}

// Replies takes the answers to what was asked so far, in the order of the questions. The caller sends them.
func (s *Screen) Replies() []Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.replies
	s.replies, s.replied = nil, 0
	return out
}

// csiIntro, dcsIntro, oscIntro and st are the controls of answers, in 8 bits if the program asked for that.
func (s *Screen) csiIntro() string { return s.intro('[') }
func (s *Screen) dcsIntro() string { return s.intro('P') }
func (s *Screen) oscIntro() string { return s.intro(']') }
func (s *Screen) st() string       { return s.intro('\\') }

func (s *Screen) intro(c rune) string {
	if s.c1 {
		return string(c + 0x40)
	}
	return "\x1b" + string(c)
}

// deviceAttributes answers DA1: what a VT420 with colour has.
func (s *Screen) deviceAttributes() {
	text := "?1;2c"
	switch {
	case s.level >= 4:
		text = fmt.Sprintf("?%d;1;2;6;9;15;16;17;18;21;22;28;29c", 60+s.level)
	case s.level >= 2:
		text = fmt.Sprintf("?%d;1;2;6;9;15;22;29c", 60+s.level)
	}
	s.reply("DA1", s.csiIntro()+text)
}

func (s *Screen) secondaryAttributes() {
	if s.arg(0, 0) == 0 {
		kind := [...]int{0, 0, 1, 24, 41}[s.level]
		s.reply("DA2", s.csiIntro()+fmt.Sprintf(">%d;390;0c", kind))
	}
}

// deviceStatus answers DSR.
func (s *Screen) deviceStatus(what int) {
	switch what {
	case 5:
		s.reply("DSR 5", s.csiIntro()+"0n")
	case 6:
		s.reply("CPR", s.csiIntro()+fmt.Sprintf("%d;%dR", s.rowNumber()+1, s.column()+1))
	}
}

// privateStatus answers DSR with a question mark.
func (s *Screen) privateStatus(what int) {
	text := ""
	switch what {
	case 6:
		text = fmt.Sprintf("?%d;%d;1R", s.rowNumber()+1, s.column()+1)
		if s.level < 4 {
			text = fmt.Sprintf("?%d;%dR", s.rowNumber()+1, s.column()+1)
		}
	case 15:
		text = "?13n" // no printer
	case 25:
		text = "?20n" // user keys are not locked
	case 26:
		text = "?27;1;0;0n" // a North American keyboard
	case 53, 55:
		text = "?50n" // no locator
	case 56:
		text = "?57;0n"
	case 62:
		text = "0*{" // no room for macros
	case 63:
		s.reply("DECCKSR", s.dcsIntro()+fmt.Sprintf("%d!~0000", s.arg(1, 0))+s.st())
	case 75:
		text = "?70n" // no faults
	case 85:
		text = "?83n" // one session
	case 996:
		text = "?997;1n"
		if s.colours.light() {
			text = "?997;2n"
		}
	}
	if text != "" {
		s.reply("DSR ?"+fmt.Sprint(what), s.csiIntro()+text)
	}
}

// requestSetting answers DECRQSS.
func (s *Screen) requestSetting(what string) {
	value := ""
	switch what {
	case "m":
		value = s.pen.sgr()
	case "r":
		value = fmt.Sprintf("%d;%d", s.top+1, s.bottom+1)
	case "s":
		if s.level >= 4 {
			value = fmt.Sprintf("%d;%d", s.left+1, s.right+1)
		}
	case " q":
		value = fmt.Sprint(max(s.cursorShape, 1))
	case "\"q":
		value = "0"
		if s.kept != 0 {
			value = "1"
		}
	case "\"p":
		controls := 1
		if s.c1 {
			controls = 0
		}
		value = fmt.Sprintf("%d;%d", 60+s.level, controls)
	case "t", "*|":
		value = fmt.Sprint(s.rows)
	case "$|":
		value = fmt.Sprint(s.cols)
	case "*x":
		value = fmt.Sprint(s.extent)
	case "$}", "$~":
		value = "0"
	}
	if value == "" {
		s.reply("DECRQSS", s.dcsIntro()+"0$r"+s.st())
		return
	}
	s.reply("DECRQSS", s.dcsIntro()+"1$r"+value+what+s.st())
}

// capabilities answers XTGETTCAP: names and values are in hexadecimal.
func (s *Screen) capabilities(names string) {
	for name := range strings.SplitSeq(names, ";") {
		raw, ok := unhex(name)
		value := map[string]string{
			"TN": "xterm-256color", "name": "xterm-256color", "Co": "256", "colors": "256", "RGB": "8/8/8",
			"Tc": "", "Su": "", "Smulx": "\x1b[4:%p1%dm", "Setulc": "\x1b[58:2::%p1%{65536}%/%d:%p1%{256}%/%{255}%&%d:%p1%{255}%&%d%;m",
			"Ss": "\x1b[%p1%d q", "Se": "\x1b[2 q", "Ms": "\x1b]52;%p1%s;%p2%s\x07", "setrgbf": "\x1b[38:2:%p1%d:%p2%d:%p3%dm",
			"setrgbb": "\x1b[48:2:%p1%d:%p2%d:%p3%dm",
		}
		v, known := value[raw]
		switch {
		case !ok || !known:
			s.reply("XTGETTCAP", s.dcsIntro()+"0+r"+name+s.st())
		case v == "":
			s.reply("XTGETTCAP", s.dcsIntro()+"1+r"+name+s.st())
		default:
			s.reply("XTGETTCAP", s.dcsIntro()+"1+r"+name+"="+strings.ToUpper(fmt.Sprintf("%x", v))+s.st())
		}
	}
}

func unhex(text string) (string, bool) {
	if len(text)%2 != 0 || text == "" {
		return "", false
	}
	out := make([]byte, len(text)/2)
	for i := range out {
		if _, err := fmt.Sscanf(text[2*i:2*i+2], "%02x", &out[i]); err != nil {
			return "", false
		}
	}
	return string(out), true
}
