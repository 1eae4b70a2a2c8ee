package mask

import (
	"io"
	"sync"
)

// Writer masks a stream on its way to another writer. It is safe for concurrent use.
type Writer struct {
	m   *Masker
	w   io.Writer
	mu  sync.Mutex
	s   scanner
	out []byte
}

// Writer returns a writer that passes a stream on to w with its secrets masked.
func (m *Masker) Writer(w io.Writer) *Writer { return &Writer{m: m, w: w} }

// Write passes on what cannot belong to a secret any more. It holds back only what may be the beginning of one, which is
// never more than the longest form of the longest secret.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	set := w.m.set.Load()
	if set == nil {
		return w.w.Write(p)
	}
	w.s.set = set
	if err := w.pass(w.s.scan(w.out[:0], p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes what was held back. What goes on with a secret whose beginning it has written is still masked.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pass(w.s.flush(w.out[:0]))
}

// Settle writes what was held back and has less of a secret than an excerpt would hide. It is for a stream that stands
// still for now.
func (w *Writer) Settle() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pass(w.s.write(w.out[:0], w.s.certain(minExcerpt)))
}

func (w *Writer) pass(out []byte) error {
	w.out = out
	if len(out) == 0 {
		return nil
	}
	_, err := w.w.Write(out)
	return err
}
