// The Netflix/go-expect driver of the peer benchmark: a Console whose terminal is given to an exec.Cmd, as its README
// shows it.
//
// go-expect starts no programs itself and offers nothing to tune. It tries its patterns after every character and
// returns the text read instead of groups, so the answers are cut out of that text here; `DONE-(\d+)` is met by the first
// digit, which counts as a wrong answer and is not repaired.
package main

import (
	"os/exec"
	"regexp"

	"omniexpect/bench/peers/kit"

	expect "github.com/Netflix/go-expect"
)

type tool struct {
	opts       kit.Options
	ping, done *regexp.Regexp
	patterns   []*regexp.Regexp
}

type session struct {
	*tool
	console *expect.Console
	cmd     *exec.Cmd
}

func main() {
	t := &tool{opts: kit.Parse(), ping: regexp.MustCompile(`re:(\d+)\n`), done: regexp.MustCompile(`DONE-(\d+)`)}
	kit.Run(t.opts, t)
}

func (t *tool) Compile(patterns []string) {
	for _, p := range patterns {
		t.patterns = append(t.patterns, regexp.MustCompile(p))
	}
}

func (t *tool) Start(argv ...string) (kit.Session, error) {
	console, err := expect.NewConsole(expect.WithDefaultTimeout(t.opts.Timeout))
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = console.Tty(), console.Tty(), console.Tty()
	return &session{tool: t, console: console, cmd: cmd}, cmd.Start()
}

func (s *session) Ready() error {
	_, err := s.console.ExpectString("READY\n")
	return err
}

func (s *session) Ping(number string) (string, error) {
	if _, err := s.console.SendLine(number); err != nil {
		return "", err
	}
	text, err := s.console.Expect(expect.Regexp(s.ping))
	if err != nil {
		return "", err
	}
	return s.ping.FindStringSubmatch(text)[1], nil
}

func (s *session) Marker() (int, string, error) {
	text, err := s.console.Expect(expect.Regexp(s.patterns...))
	if err != nil {
		return -1, "", err
	}
	if m := s.done.FindStringSubmatch(text); m != nil {
		return len(s.patterns) - 1, m[1], nil
	}
	return 0, "", nil
}

func (s *session) Never() bool {
	_, err := s.console.Expect(expect.RegexpPattern("never"))
	return err != nil
}

func (s *session) LastWords() error {
	_, err := s.console.ExpectString("last words")
	return err
}

func (s *session) Exit() bool {
	err := s.cmd.Wait()
	s.console.Tty().Close()
	_, eof := s.console.ExpectEOF()
	return err == nil && eof == nil
}

func (s *session) Close() { s.console.Close() }
