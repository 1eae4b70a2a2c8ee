package rawio

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"syscall"
	"testing"
	"time"
)

// ends returns a File for each end of a pipe.
func ends(t *testing.T) (r, w *File) {
	t.Helper()
	pr, pw, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range []struct {
		f    *os.File
		file **File
	}{{pr, &r}, {pw, &w}} {
		if *end.file, err = Take(end.f); err != nil {
			t.Fatal(err)
		}
		t.Cleanup((*end.file).Close)
	}
	return r, w
}

func TestReadDoesNotWait(t *testing.T) {
	r, w := ends(t)
	p := make([]byte, 8)
	if _, err := r.Read(p); err != syscall.EAGAIN {
		t.Errorf("got %v, want EAGAIN", err)
	}
	w.Write([]byte("hello"))
	if n, err := r.Read(p); string(p[:n]) != "hello" || err != nil {
		t.Errorf("got %q, %v", p[:n], err)
	}
	w.Close()
	if n, err := r.Read(p); n != 0 || err != nil {
		t.Errorf("got %d, %v, want the end", n, err)
	}
}

func TestAwait(t *testing.T) {
	if !CanAwait {
		t.Skip("not on this system")
	}
	r, w := ends(t)
	if Await(time.Millisecond, r, nil) {
		t.Error("nothing was there")
	}
	go w.Write([]byte("x"))
	if !Await(time.Minute, nil, r) {
		t.Error("something was there")
	}
	r.Close()
	if !Await(time.Minute, r) {
		t.Error("a closed file was waited for")
	}
}

// A file goes into the poller and out of it without losing a byte or its descriptor.
func TestInAndOutOfThePoller(t *testing.T) {
	r, w := ends(t)
	p := make([]byte, 8)
	for i := range 100 {
		r.Poll()
		go w.Write([]byte{byte(i)})
		if n, err := r.ReadPolled(p, true); n != 1 || p[0] != byte(i) || err != nil {
			t.Fatalf("round %d: got %q, %v", i, p[:n], err)
		}
		if _, err := r.ReadPolled(p, false); err != syscall.EAGAIN {
			t.Fatalf("got %v, want EAGAIN", err)
		}
		if !r.Unpoll() {
			t.Fatal("still in the poller")
		}
		w.Write([]byte{byte(i)})
		if n, err := r.Read(p); n != 1 || p[0] != byte(i) || err != nil {
			t.Fatalf("round %d: got %q, %v", i, p[:n], err)
		}
	}
	if _, err := r.ReadPolled(p, true); err != os.ErrClosed {
		t.Errorf("out of the poller: got %v", err)
	}
}

func TestDeadline(t *testing.T) {
	r, _ := ends(t)
	r.Poll()
	r.SetReadDeadline(time.Now().Add(time.Millisecond))
	if _, err := r.ReadPolled(make([]byte, 8), true); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// While somebody waits to write, the file stays in the poller, others may use it, and all of the text arrives.
func TestWriteAllWaits(t *testing.T) {
	r, w := ends(t)
	text := bytes.Repeat([]byte("0123456789"), 100<<10)
	type outcome struct {
		n   int
		err error
	}
	done := make(chan outcome)
	go func() {
		n, err := w.WriteAll(context.Background(), text, time.Minute)
		done <- outcome{n, err}
	}()
	for waits := false; !waits; { // until the pipe is full
		w.mu.RLock()
		waits = w.polled != nil
		w.mu.RUnlock()
	}
	w.Poll()
	var got []byte
	r.Poll()
	for p := make([]byte, 1<<16); len(got) < len(text); {
		n, err := r.ReadPolled(p, true)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, p[:n]...)
		w.Unpoll()
	}
	if o := <-done; o.n != len(text) || o.err != nil || !bytes.Equal(got, text) {
		t.Errorf("wrote %d of %d bytes, %v; equal: %v", o.n, len(text), o.err, bytes.Equal(got, text))
	}
}

func TestWriteAllGivesUp(t *testing.T) {
	_, w := ends(t)
	text := make([]byte, 1<<20)
	n, err := w.WriteAll(context.Background(), text, time.Millisecond)
	if n == 0 || n == len(text) || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("timeout: wrote %d bytes, %v", n, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(time.Millisecond, cancel)
	if n, err = w.WriteAll(ctx, text, 0); n != 0 || err != context.Canceled {
		t.Errorf("cancelled: wrote %d bytes, %v", n, err)
	}
}

// Close ends whatever waits, and does so twice without harm.
func TestCloseEndsWaits(t *testing.T) {
	for name, wait := range map[string]func(r, w *File) error{
		"ReadPolled": func(r, _ *File) error { _, err := r.ReadPolled(make([]byte, 8), true); return err },
		"WaitNews":   func(r, _ *File) error { return r.WaitNews() },
		"WriteAll": func(_, w *File) error {
			_, err := w.WriteAll(context.Background(), make([]byte, 1<<20), 0)
			return err
		},
	} {
		r, w := ends(t)
		r.Poll()
		done := make(chan error, 1)
		go func() { done <- wait(r, w) }()
		r.Close()
		w.Close()
		if err := <-done; err == nil || err == io.EOF {
			t.Errorf("%s: got %v, want an error", name, err)
		}
		r.Close()
		if _, err := r.Read(make([]byte, 8)); err != os.ErrClosed {
			t.Errorf("%s: read after that: %v", name, err)
		}
	}
}

// A signal that comes in the middle of a wait is no news.
func TestSignalsAreNoNews(t *testing.T) {
	if !CanAwait {
		t.Skip("not on this system")
	}
	r, _ := ends(t)
	over := make(chan struct{})
	go func() {
		defer close(over)
		for range 2000 {
			syscall.Kill(syscall.Getpid(), syscall.SIGURG) // which Go uses itself, and drops
		}
	}()
	for ended := false; !ended; {
		select {
		case <-over:
			ended = true
		default:
		}
		for _, patience := range []time.Duration{0, 100 * time.Microsecond} {
			if Await(patience, r) {
				t.Fatalf("news of nothing, with a patience of %s", patience)
			}
		}
	}
}
