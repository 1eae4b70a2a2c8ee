package screen

import "fmt"

// keyboard is what programs say about how keys are to be sent.
type keyboard struct {
	flags      [2]int   // of kitty's protocol, for the main and the alternate screen
	stacks     [2][]int // pushed flags
	modifyKeys [8]int   // xterm's modifyOtherKeys and its siblings, by number
}

func (s *Screen) which() int {
	if s.buf == &s.alt {
		return 1
	}
	return 0
}

// kittyKeyboard obeys CSI > u, < u and = u.
func (s *Screen) kittyKeyboard(mark byte) {
	k, w := &s.keyboard, s.which()
	flags := s.arg(0, 0) & 31
	switch mark {
	case '>':
		if len(k.stacks[w]) == maxStack {
			k.stacks[w] = k.stacks[w][1:]
		}
		k.stacks[w] = append(k.stacks[w], k.flags[w])
		k.flags[w] = flags
	case '<':
		for range min(s.count(0), maxStack+1) {
			k.flags[w] = 0
			if last := len(k.stacks[w]) - 1; last >= 0 {
				k.flags[w], k.stacks[w] = k.stacks[w][last], k.stacks[w][:last]
			}
		}
	case '=':
		switch s.arg(1, 1) {
		case 1:
			k.flags[w] = flags
		case 2:
			k.flags[w] |= flags
		case 3:
			k.flags[w] &^= flags
		}
	}
}

// keyboardQuery answers CSI ? u and CSI ? m.
func (s *Screen) keyboardQuery(final byte) {
	if final == 'u' {
		s.reply("keyboard", s.csiIntro()+fmt.Sprintf("?%du", s.keyboard.flags[s.which()]))
		return
	}
	if n := s.arg(0, 0); n < len(s.keyboard.modifyKeys) {
		s.reply("XTQMODKEYS", s.csiIntro()+fmt.Sprintf(">%d;%dm", n, s.keyboard.modifyKeys[n]))
	}
}

// modifyKeys obeys XTMODKEYS and its opposite.
func (s *Screen) modifyKeys(set bool) {
	if set && s.parser.Params() == 0 {
		s.keyboard.modifyKeys = [8]int{}
		return
	}
	if n := s.arg(0, 2); n < len(s.keyboard.modifyKeys) {
		s.keyboard.modifyKeys[n] = 0
		if set {
			s.keyboard.modifyKeys[n] = s.arg(1, 0)
		}
	}
}
