// The google/goexpect driver of the peer benchmark: Spawn, Send, Expect and ExpectSwitchCase, as its README shows them.
//
// With TUNED=1 in the environment it gets the options that its documentation offers: a read buffer of 64 KiB, a check
// every 5 ms instead of every 2 s, and partial matches. goexpect has no case for the end of the output, so Exit waits on
// its exit channel instead.
package main

import (
	"os"
	"regexp"
	"time"

	"omniexpect/bench/peers/kit"

	expect "github.com/google/goexpect"
)

type tool struct {
	opts                     kit.Options
	settings                 []expect.Option
	ready, ping, never, last *regexp.Regexp
	one                      *regexp.Regexp
	cases                    []expect.Caser
}

type session struct {
	*tool
	e    *expect.GExpect
	exit <-chan error
}

func main() {
	t := &tool{
		opts:  kit.Parse(),
		ready: regexp.MustCompile(`READY\n`),
		ping:  regexp.MustCompile(`re:(\d+)\n`),
		never: regexp.MustCompile(`never`),
		last:  regexp.MustCompile(`last words`),
	}
	if os.Getenv("TUNED") != "" {
		t.settings = []expect.Option{
			expect.BufferSize(64 << 10), expect.CheckDuration(5 * time.Millisecond), expect.PartialMatch(true),
		}
	}
	kit.Run(t.opts, t)
}

func (t *tool) Compile(patterns []string) {
	for _, p := range patterns {
		t.one = regexp.MustCompile(p)
		t.cases = append(t.cases, &expect.Case{R: t.one, T: expect.OK()})
	}
}

func (t *tool) Start(argv ...string) (kit.Session, error) {
	e, exit, err := expect.SpawnWithArgs(argv, -1, t.settings...)
	return &session{tool: t, e: e, exit: exit}, err
}

func (s *session) Ready() error {
	_, _, err := s.e.Expect(s.ready, s.opts.Timeout)
	return err
}

func (s *session) Ping(number string) (string, error) {
	if err := s.e.Send(number + "\n"); err != nil {
		return "", err
	}
	_, m, err := s.e.Expect(s.ping, s.opts.Timeout)
	if err != nil {
		return "", err
	}
	return m[1], nil
}

func (s *session) Marker() (int, string, error) {
	var m []string
	var err error
	index := 0
	if len(s.cases) == 1 {
		_, m, err = s.e.Expect(s.one, s.opts.Timeout)
	} else {
		_, m, index, err = s.e.ExpectSwitchCase(s.cases, s.opts.Timeout)
	}
	if err != nil {
		return -1, "", err
	}
	return index, m[1], nil
}

func (s *session) Never() bool {
	_, _, err := s.e.Expect(s.never, s.opts.Timeout)
	return err != nil
}

func (s *session) LastWords() error {
	_, _, err := s.e.Expect(s.last, s.opts.Timeout)
	return err
}

func (s *session) Exit() bool { return <-s.exit == nil }

func (s *session) Close() { s.e.Close() }
