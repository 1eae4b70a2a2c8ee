// The floor of the peer benchmark: a terminal opened and read with creack/pty and no expect engine at all.
//
// It looks for fixed bytes in each read and in the tail of the read before it, which is the least that any tool must do.
// No number of patterns makes it slower: it only ever looks for the one that comes.
//
// Each wait makes the buffer it searches, as one writes it at first. With TUNED=1 in the environment a session keeps one.
package main

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"time"

	"omniexpect/bench/peers/kit"

	"github.com/creack/pty"
)

const longest = 64 // bytes of a search text, at most; so much of one read is looked at again with the next

type tool struct {
	opts  kit.Options
	tuned bool
}

type session struct {
	opts  kit.Options
	tuned bool
	cmd   *exec.Cmd
	tty   *os.File
	seen  []byte // what is being searched
	buf   []byte
}

func main() {
	opts := kit.Parse()
	kit.Run(opts, tool{opts, os.Getenv("TUNED") != ""})
}

func (tool) Compile([]string) {}

func (t tool) Start(argv ...string) (kit.Session, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	tty, err := pty.Start(cmd)
	if err != nil {
		return nil, err
	}
	return &session{opts: t.opts, tuned: t.tuned, cmd: cmd, tty: tty, buf: make([]byte, 64<<10)}, nil
}

// until reads until want has come.
func (s *session) until(want string) error {
	text := []byte(want)
	if s.seen == nil || !s.tuned {
		s.seen = make([]byte, 0, len(s.buf)+longest)
	}
	s.seen = s.seen[:0]
	for {
		n, err := s.tty.Read(s.buf)
		s.seen = append(s.seen, s.buf[:n]...)
		if bytes.Contains(s.seen, text) {
			return nil
		}
		if err != nil {
			return err
		}
		if over := len(s.seen) - longest; over > 0 {
			s.seen = append(s.seen[:0], s.seen[over:]...)
		}
	}
}

func (s *session) Ready() error {
	return s.until("READY\n")
}

func (s *session) Ping(number string) (string, error) {
	if _, err := s.tty.WriteString(number + "\n"); err != nil {
		return "", err
	}
	return number, s.until("re:" + number + "\n")
}

func (s *session) Marker() (int, string, error) {
	size := strconv.Itoa(s.opts.Bytes)
	return s.opts.Patterns - 1, size, s.until("DONE-" + size)
}

// Never reads on a goroutine of its own, as deadlines mean nothing to a terminal that blocks. The driver ends with the
// wait, and the goroutine with it.
func (s *session) Never() bool {
	found := make(chan error, 1)
	go func() { found <- s.until("never") }()
	select {
	case <-found:
		return false
	case <-time.After(s.opts.Timeout):
		return true
	}
}

func (s *session) LastWords() error {
	return s.until("last words")
}

func (s *session) Exit() bool {
	for {
		if _, err := s.tty.Read(s.buf); err != nil {
			break
		}
	}
	return s.cmd.Wait() == nil
}

func (s *session) Close() { s.tty.Close() }
