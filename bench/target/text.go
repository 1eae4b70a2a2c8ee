package main

import "bytes"

// columns is the length of a line with its line end.
const columns = 80

// The words of the output. Some are what the patterns of the many-patterns workload begin with, as they would be in a log.
var words = []string{
	"warn:", "error", "fatal:", "code", "07", "at", "DONE", "done-", "listening", "on", "port", "8080", "request",
	"served", "in", "12ms", "cache", "miss", "[ok]", "a", "of", "retry", "worker-3", "GET", "/index",
}

// text yields the lines of the output one by one, without their line ends.
type text struct{ state uint64 }

// line makes the next line. The words are picked by a linear congruential generator: the same ones in every run.
func (t *text) line() []byte {
	line := make([]byte, 0, columns+16)
	for len(line) < columns-1 {
		t.state = t.state*6364136223846793005 + 1442695040888963407
		line = append(line, words[(t.state>>33)%uint64(len(words))]...)
		line = append(line, ' ')
	}
	return line[:columns-1]
}

// plain is a line as it is.
func plain(line []byte) []byte { return append(line, '\n') }

// joined is a line that the next one follows without a line end.
func joined(line []byte) []byte { return append(line, ' ') }

// coloured is a line with every other word in one of three colours, and CRLF at its end.
func coloured(line []byte) []byte {
	styles := []string{"\x1b[31m", "\x1b[1;32m", "\x1b[38;5;208m"}
	out := make([]byte, 0, 3*len(line))
	for i, word := range bytes.SplitAfter(line, []byte(" ")) {
		if i%2 == 1 || len(word) == 0 {
			out = append(out, word...)
			continue
		}
		out = append(out, styles[i/2%len(styles)]...)
		bare := bytes.TrimRight(word, " ")
		out = append(append(out, bare...), "\x1b[0m"...)
		out = append(out, word[len(bare):]...)
	}
	return append(out, "\r\n"...)
}

// block is exactly n bytes of lines in a style. A line that does not fit any more gives way to dots, so that no escape
// sequence is ever cut off.
func block(style func([]byte) []byte, n int) []byte {
	var t text
	out := make([]byte, 0, n)
	for {
		line := style(t.line())
		if len(out)+len(line) > n {
			return append(out, bytes.Repeat([]byte("."), n-len(out))...)
		}
		out = append(out, line...)
	}
}
