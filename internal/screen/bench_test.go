package screen_test

import (
	"fmt"
	"strings"
	"testing"

	"omniexpect/internal/screen"
)

// outputs are what programs write, one kind each.
func outputs(b testing.TB) map[string][]byte {
	plain := strings.Repeat("-rw-r--r-- 1 user group 4096 Nov 30 12:00 some-file-name.txt\r\n", 2000)
	var coloured strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&coloured, "\x1b[1;32muser\x1b[0m:\x1b[38;5;%dm~/src\x1b[0m$ \x1b[38;2;%d;90;200mmake\x1b[m all\r\n", i%256, i%200)
	}
	out := map[string][]byte{"plain": []byte(plain), "coloured": []byte(coloured.String())}
	for _, c := range readCaptures(b) {
		if c.Name == "vim-80x24" || c.Name == "claude-long" {
			out[strings.Split(c.Name, "-")[0]] = c.Raw
		}
	}
	return out
}

func BenchmarkWrite(b *testing.B) {
	for name, out := range outputs(b) {
		b.Run(name, func(b *testing.B) {
			s := screen.New(screen.Config{})
			b.SetBytes(int64(len(out)))
			b.ReportAllocs()
			for b.Loop() {
				s.Write(out)
			}
		})
	}
}

func BenchmarkSnapshot(b *testing.B) {
	s := screen.New(screen.Config{})
	s.Write(outputs(b)["coloured"])
	b.ReportAllocs()
	for b.Loop() {
		s.Snapshot()
	}
}
