package match

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

type discard struct{}

func (discard) run([]byte, int64) {}
func (discard) sub([]byte, int64) {}

func BenchmarkDecode(b *testing.B) {
	for name, line := range map[string]string{
		"plain":  strings.Repeat("0123456789", 8) + "\n",
		"crlf":   strings.Repeat("0123456789", 8) + "\r\n",
		"colour": strings.Repeat("\x1b[31mword\x1b[0m another ", 6) + "\r\n",
		"moves":  strings.Repeat("\x1b[10;20H\x1b[Kword\x1b[?25l", 6) + "\x1b[1;32mOK\r\n",
		"utf8":   strings.Repeat("héllo wörld ", 6) + "\n",
	} {
		b.Run(name, func(b *testing.B) {
			p := []byte(strings.Repeat(line, 50))
			d := newDecoder(24, 80, false)
			b.SetBytes(int64(len(p)))
			b.ReportAllocs()
			for b.Loop() {
				d.decode(p, discard{})
			}
		})
	}
}

func BenchmarkScan(b *testing.B) {
	pats := make([]traits, 50)
	for i := range pats {
		pats[i].lits = []string{strings.Replace(": code 00 at", "00", string(rune('0'+i/10))+string(rune('0'+i%10)), 1)}
	}
	s := newScanner(pats)
	p := []byte(strings.Repeat("2026-11-30 info: some line of output that is not it: code\n", 100))
	b.SetBytes(int64(len(p)))
	row := int32(0)
	for b.Loop() {
		row = s.run(row, p, 0, func(int, int64) {})
	}
}

func BenchmarkCompile(b *testing.B) {
	var list []Pattern
	for i := range 49 {
		list = append(list, Pattern{Source: fmt.Sprintf("(warn|error|fatal): code %02d at [a-z]+", i)})
	}
	list = append(list, Pattern{Source: `DONE-(\d+)`})
	for b.Loop() {
		if _, err := Compile(list, false); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTrip is what a wait costs whose answer has come: a write and a read of the pipe, and goexpect.
func BenchmarkTrip(b *testing.B) {
	f := newFeed(b, Config{Lead: new(sync.Mutex)})
	set := compile(b, false, `re:(\d+)\n`)
	b.ReportAllocs()
	for b.Loop() {
		f.w.WriteString("re:1234\n")
		r, err := f.s.Wait(b.Context(), Want{Set: set, Deadline: time.Now().Add(time.Minute), Here: true})
		if err != nil || r.Why != Matched {
			b.Fatal(r, err)
		}
	}
}
