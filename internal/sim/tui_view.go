package sim

import (
	"fmt"
	"strings"

	"golang.org/x/term"
)

const (
	styleAccent = "38;5;174"
	styleDim    = "38;5;246"
	styleRule   = "38;5;244"
	styleError  = "38;5;196"
)

// glyphs are the marks of an agent's screen.
type glyphs struct{ prompt, sent, reply string }

func (t *tui) glyphs() glyphs {
	if t.launch.harness == harnessCodex {
		return glyphs{"›\u00a0", "› ", "• "}
	}
	return glyphs{"❯\u00a0", "❯ ", "● "}
}

// repaint starts from an empty screen of the size that the terminal has now.
func (t *tui) repaint() {
	cols, rows, err := term.GetSize(int(t.stdout.Fd()))
	if err != nil || cols < 1 || rows < 1 {
		cols, rows = 80, 24 // nobody has set a size
	}
	t.resize(rows, cols)
	t.screen.status("Omnigent: " + t.api.base + "/c/" + t.id)
	t.refresh()
}

// refresh draws what changed.
func (t *tui) refresh() {
	lines, cursorRow, cursorCol := t.lines()
	t.draw(lines)
	t.move(cursorRow, min(cursorCol, t.cols-1))
	if text := t.screen.take(); text != "" {
		t.put(text)
	}
}

// lines is the whole picture above the status line, and where the cursor goes.
func (t *tui) lines() (lines [][]span, row, col int) {
	g, height := t.glyphs(), max(1, t.rows-1)
	bottom := [][]span{}
	if t.question != nil {
		bottom = append(bottom, []span{{styleAccent, t.question.Message}}, []span{{"", "  " + t.question.Preview}},
			[]span{{styleAccent, "❯ 1. Yes"}}, []span{{"", "  2. No"}})
	} else if t.status == "running" {
		stars := []rune("·✢✳✶✻✽")
		bottom = append(bottom, []span{{styleAccent, fmt.Sprintf("%c Proofing… ", stars[t.tick%len(stars)])},
			{styleDim, fmt.Sprintf("(%ds · ↓ %d tokens)", t.tick/10, t.tick)}})
	}
	rule := []span{{styleRule, strings.Repeat("─", t.cols)}}
	bottom = append(bottom, rule)
	typed := wrap(t.composer, max(1, t.cols-4))
	if len(typed) > 6 {
		typed = typed[len(typed)-6:]
	}
	for i, text := range typed {
		mark := "  "
		if i == 0 {
			mark = g.prompt
		}
		bottom = append(bottom, []span{{styleAccent, mark}, {"", text}})
	}
	fromEnd := 2
	col = 2 + len([]rune(typed[len(typed)-1]))
	footer := "? for shortcuts"
	if t.notice != "" {
		footer = t.notice
	}
	bottom = append(bottom, rule, []span{{styleDim, "  " + footer}})
	top := t.conversation(g)
	room := height - len(bottom)
	if room < 0 {
		bottom, room = bottom[-room:], 0
	}
	if len(top) > room {
		top = top[len(top)-room:]
	}
	lines = append(lines, top...)
	lines = append(lines, bottom...)
	row = max(0, len(lines)-1-fromEnd)
	for len(lines) < height {
		lines = append(lines, nil)
	}
	return lines, row, col
}

// conversation is the banner and what was said.
func (t *tui) conversation(g glyphs) [][]span {
	lines := [][]span{
		{{styleAccent, " ▐▛███▛█ "}, {"1", t.launch.display() + " simulator"}},
		{{styleAccent, "▝▜██████ "}, {styleDim, "deterministic model"}},
		{{styleAccent, "  ▘▘ ▝▝  "}, {styleDim, t.cwd}},
	}
	if t.launch.harness == harnessClaude { // the hook that omnigent installs
		lines = append(lines, []span{{styleDim, "  ⎿ \u00a0SessionStart:startup says: Open this session in Omnigent: " + t.api.base + "/c/" + t.id}})
	}
	lines = append(lines, nil)
	for _, said := range t.turns {
		mark, style := g.reply, ""
		switch said.Role {
		case "user":
			mark, style = g.sent, styleDim
		case "error":
			mark, style = "⎿ ", styleError
		}
		for i, text := range wrap(said.Text, max(1, t.cols-4)) {
			if i > 0 {
				mark = "  "
			}
			lines = append(lines, []span{{styleAccent, mark}, {style, text}})
		}
		lines = append(lines, nil)
	}
	return lines
}
