package match

import (
	"strings"
	"testing"
	"time"
)

// TestFloodWithBacklog finds a match that passes by while the program never stops writing and the buffer was full when
// the wait began: what is searched moves on with what is dropped.
func TestFloodWithBacklog(t *testing.T) {
	for _, pat := range []string{`[a-z][0-9]{3}[A-Z]`, `x.*END`} {
		t.Run(pat, func(t *testing.T) {
			f := newFeed(t, Config{Limit: 128 << 10, History: 128 << 10})
			noise := strings.Repeat("END 12 ab .", 3000)
			for range 8 {
				f.write(noise)
			}
			written := make(chan struct{})
			go func() {
				defer close(written)
				for waits := false; !waits; {
					f.s.mu.Lock()
					waits = f.s.waiter != nil
					f.s.mu.Unlock()
				}
				for i := range 200 {
					text := noise
					if i == 20 {
						text = "a123Z x END" + noise
					}
					f.w.WriteString(text)
				}
				f.w.Close()
				f.s.Exited()
			}()
			r := f.expect(time.Minute, pat, Pattern{Kind: EOF})
			f.expect(time.Minute, "never", Pattern{Kind: EOF}) // the rest is read
			<-written
			if r.Why != Matched {
				t.Errorf("%v after %v, want the match", r.Why, r.Elapsed)
			}
		})
	}
}
