package match

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestKeptPiecesAreSmall keeps one piece of each of many matches while megabytes are unread: memory grows with the pieces
// and not with what was unread when they were found.
func TestKeptPiecesAreSmall(t *testing.T) {
	once(t)
	const lines = 3000
	long := strings.Repeat("x", 200)
	for name, tt := range map[string]struct {
		line    string
		pattern any
		piece   func(Result) string
	}{
		"a group":                     {"line 123\n", `line (\d+)\n`, func(r Result) string { return r.Groups[0] }},
		"the text":                    {"line 123\n", `line (\d+)\n`, func(r Result) string { return r.Text }},
		"an exact text":               {"line 123\n", Pattern{Kind: Exact, Source: "123\n"}, func(r Result) string { return r.Text }},
		"a small group of a long one": {"<" + long + ":7>\n", `<(\w+):(\d)>\n`, func(r Result) string { return r.Groups[1] }},
		"a group that took no part":   {"line 123\n", `line (x)?(\d+)\n`, func(r Result) string { return r.Groups[0] }},
		"characters of two bytes":     {"línea 123\n", `línea (\d+)\n`, func(r Result) string { return r.Groups[0] }},
		"bytes that are no text":      {"line \xff\xfe 9\n", Pattern{Kind: Bytes, Source: "\xff\xfe"}, func(r Result) string { return r.Text }},
	} {
		f := newFeed(t, Config{})
		all := strings.Repeat(tt.line, lines)
		go func() {
			for i := 0; i < len(all); i += 4096 {
				f.w.WriteString(all[i:min(len(all), i+4096)])
			}
		}()
		eventually(t, "all of it is there", func() bool { return f.s.End(true) == int64(len(all)) })
		set := compile(t, false, tt.pattern)
		before := inUse()
		kept := make([]string, 0, lines)
		for range lines {
			r := f.wait(Want{Set: set, Deadline: time.Now().Add(time.Minute)})
			if r.Why != Matched {
				t.Fatalf("%s: %+v", name, r)
			}
			kept = append(kept, tt.piece(r))
		}
		if grown := int64(inUse()) - int64(before); grown > lines*400 {
			t.Errorf("%s: %d matches hold %d bytes", name, len(kept), grown)
		}
		runtime.KeepAlive(kept)
		f.close()
	}
}

func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestManyLinesUnread reads lines one by one with megabytes unread: what a line costs does not depend on them.
func BenchmarkLineOfMany(b *testing.B) {
	for name, pattern := range map[string]any{"exact": Pattern{Kind: Exact, Source: "\n"}, "expression": `line (\d+)\n`} {
		for _, n := range []int{100 << 10, 8 << 20} {
			b.Run(name+"/"+map[bool]string{true: "8M", false: "100K"}[n > 1<<20], func(b *testing.B) {
				line := "line 123456\n"
				b.ReportAllocs()
				var f *feed
				set := compile(b, false, pattern)
				left := 0
				for b.Loop() {
					if left == 0 {
						b.StopTimer()
						f = newFeed(b, Config{Limit: 16 << 20})
						set = compile(b, false, pattern)
						all := strings.Repeat(line, n/len(line))
						go func() {
							for i := 0; i < len(all); i += 4096 {
								f.w.WriteString(all[i:min(len(all), i+4096)])
							}
						}()
						for f.s.End(true) < int64(len(all)) {
							time.Sleep(time.Millisecond)
						}
						left = 5000
						if len(all)/len(line) < left {
							left = len(all) / len(line)
						}
						b.StartTimer()
					}
					left--
					if r, err := f.s.Wait(b.Context(), Want{Set: set, Deadline: time.Now().Add(time.Minute)}); err != nil || r.Why != Matched {
						b.Fatal(r, err)
					}
				}
			})
		}
	}
}
