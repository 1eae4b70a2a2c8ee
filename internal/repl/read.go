package repl

import (
	"context"
	"io"
	"strings"
	"sync"

	"omniexpect/internal/fault"
	"omniexpect/internal/interp"
)

// read reads a whole statement, or a command.
func (l *Loop) read(ctx context.Context) (string, error) {
	var lines []string
	l.begins = l.piped
	for {
		prompt := "... "
		if len(lines) == 0 {
			prompt = l.promptText()
		}
		l.above = lines
		line, err := l.readLine(ctx, prompt, len(lines) > 0)
		if err == errInterrupt {
			if line != "" || len(lines) > 0 {
				return line + "…", err
			}
			return "", err
		}
		if err == io.EOF && (len(lines) > 0 || line != "") {
			if line != "" {
				lines = append(lines, line)
			}
			return strings.Join(lines, "\n"), nil
		}
		if err != nil {
			return "", err
		}
		l.broken = 0
		block := strings.Contains(line, "\n")
		lines = append(lines, strings.Split(line, "\n")...)
		text := strings.Join(lines, "\n")
		if len(lines) == 1 && (strings.TrimSpace(line) == "" || isCommand(line) || isQuestion(line)) {
			return line, nil
		}
		if block { // from a paste or the history: it is there in one piece
			lines = append(lines, "")
		}
		if !l.more(lines) {
			return text, nil
		}
		if block {
			lines = lines[:len(lines)-1]
		}
	}
}

// more reports whether what was read so far needs more lines: its last statement is not complete.
func (l *Loop) more(lines []string) bool {
	rest := lines
	for len(rest) > 0 && strings.TrimSpace(rest[0]) == "" {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return false
	}
	for n := 1; n <= len(rest); n++ {
		if !interp.Incomplete(rest[:n]) {
			if n == len(rest) {
				return false
			}
			return l.more(rest[n:])
		}
	}
	return true
}

// readLine reads one line, and shows meanwhile what the current session writes.
func (l *Loop) readLine(ctx context.Context, prompt string, continued bool) (line string, err error) {
	if !l.Interactive() {
		l.piped++
		return l.pipeLine(ctx)
	}
	ctx, end := l.begin(ctx, false)
	defer end()
	l.column = len([]rune(prompt))
	var follow sync.WaitGroup
	inner, stop := context.WithCancel(ctx)
	l.Kick()
	l.screen.continued = continued
	follow.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				l.say("%v", fault.Panicked(p))
			}
		}()
		l.follow(inner, prompt)
	})
	defer follow.Wait()
	defer stop()
	read := l.dumbLine
	if l.editor != nil {
		read = l.editor.readLine
	}
	line, err = read(ctx, prompt)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil && context.Cause(ctx) == errInterrupt {
		l.missed++
	}
	l.cancel = nil
	return line, err
}

// dumbLine reads a line that the kernel edits.
func (l *Loop) dumbLine(ctx context.Context, prompt string) (string, error) {
	to := l.Out
	if !l.screen.outTTY {
		to = l.Err
	}
	io.WriteString(to, prompt)
	l.screen.prompting(prompt)
	defer l.screen.leave()
	var buf [4096]byte
	n, err := l.tty.ReadContext(ctx, buf[:], 0)
	if err == errInterrupt {
		io.WriteString(to, "\n")
		return "", err
	}
	if err != nil {
		io.WriteString(to, "\n")
		return "", err
	}
	return strings.TrimRight(string(buf[:n]), "\r\n"), nil
}

// pipeLine reads a line of what is no terminal, and nothing of what follows it, which another prompt may read.
func (l *Loop) pipeLine(ctx context.Context) (string, error) {
	ctx, end := l.begin(ctx, false)
	defer end()
	var line []byte
	var one [1]byte
	for {
		if _, err := l.tty.ReadContext(ctx, one[:], 0); err != nil {
			return l.piece(line), err
		}
		if one[0] == '\n' {
			return l.piece(line), nil
		}
		line = append(line, one[0])
	}
}

// piece is a line of what is no terminal, without what editors of other systems put around it: a byte order mark in front
// of the first one, a CR at the end.
func (l *Loop) piece(line []byte) string {
	text := strings.TrimSuffix(string(line), "\r")
	if l.piped == 1 {
		text = strings.TrimPrefix(text, "\uFEFF")
	}
	return text
}
