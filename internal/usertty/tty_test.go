package usertty_test

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/creack/pty"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"omniexpect/internal/usertty"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sitDown is a terminal, and the keyboard in front of it.
func sitDown(t *testing.T) (tty *usertty.TTY, fd int, keyboard *os.File) {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	fd = int(slave.Fd())
	tty, err = usertty.New(fd, fd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		tty.Close()
		slave.Close()
		master.Close()
	})
	return tty, fd, master
}

// TestEveryWaitEnds: by what comes, by its time, by an interrupt, by its context with that one's cause, and by the end.
func TestEveryWaitEnds(t *testing.T) {
	tty, _, keyboard := sitDown(t)
	var buf [16]byte
	keyboard.WriteString("hi\n")
	if n, err := tty.ReadContext(t.Context(), buf[:], 0); string(buf[:n]) != "hi\n" || err != nil {
		t.Errorf("%q, %v", buf[:n], err)
	}
	if _, err := tty.Read(buf[:], time.Millisecond); err != usertty.ErrQuiet {
		t.Errorf("nothing came: %v", err)
	}
	tty.Interrupt()
	for range 2 { // until Rearm
		if _, err := tty.Read(buf[:], 0); err != usertty.ErrWoken {
			t.Errorf("interrupted: %v", err)
		}
	}
	tty.Rearm()
	if _, err := tty.Read(buf[:], time.Millisecond); err != usertty.ErrQuiet {
		t.Errorf("rearmed: %v", err)
	}
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	go cancel(cause)
	if _, err := tty.ReadContext(ctx, buf[:], 0); err != cause {
		t.Errorf("the context ended: %v", err)
	}
	keyboard.Close()
	if _, err := tty.ReadContext(t.Context(), buf[:], 0); err != io.EOF {
		t.Errorf("the terminal is gone: %v", err)
	}
}

// TestPipeEnds: what stands in the place of a terminal is read to its end.
func TestPipeEnds(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	w.WriteString("x")
	w.Close()
	tty, err := usertty.New(int(r.Fd()), int(r.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	var buf [16]byte
	if n, err := tty.Read(buf[:], 0); n != 1 || err != nil {
		t.Errorf("%q, %v", buf[:n], err)
	}
	if n, err := tty.Read(buf[:], 0); n != 0 || err != io.EOF {
		t.Errorf("%q, %v at the end", buf[:n], err)
	}
}

// TestModesComeBack: whatever was done to the terminal meanwhile, and also those that somebody else gave it.
func TestModesComeBack(t *testing.T) {
	tty, fd, _ := sitDown(t)
	before, err := usertty.Modes(fd)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, want func(now *unix.Termios) bool) {
		t.Helper()
		if now, err := usertty.Modes(fd); err != nil || !want(now) {
			t.Errorf("%s: %+v, %v", what, now, err)
		}
	}
	same := func(now *unix.Termios) bool { return *now == *before }
	for range 2 {
		if err := tty.Raw(); err != nil {
			t.Fatal(err)
		}
	}
	check("raw", func(now *unix.Termios) bool { return now.Lflag&(unix.ICANON|unix.ECHO|unix.ISIG) == 0 })
	tty.Signals()
	check("with signals", func(now *unix.Termios) bool { return now.Lflag&(unix.ICANON|unix.ISIG) == unix.ISIG })
	tty.Quiet()
	check("quiet", func(now *unix.Termios) bool { return now.Lflag&(unix.ICANON|unix.ECHO) == unix.ICANON })
	tty.Restore()
	check("restored", same)
	back, err := usertty.WithoutEcho(fd)
	if err != nil {
		t.Fatal(err)
	}
	check("without echo", func(now *unix.Termios) bool { return now.Lflag&unix.ECHO == 0 })
	back()
	check("with echo", same)
}

// TestInterruptedWriteGoesOn: what a terminal has not taken comes first in the next write.
func TestInterruptedWriteGoesOn(t *testing.T) {
	tty, _, keyboard := sitDown(t)
	if err := tty.Raw(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stop := tty.StopAt(ctx)
	written := make(chan error)
	go func() {
		_, err := tty.Write(make([]byte, 1<<20))
		written <- err
	}()
	cancel()
	if err := <-written; err != usertty.ErrWoken {
		t.Errorf("%v, want an interrupt", err)
	}
	stop()
	tty.Rearm()
	got := make(chan int)
	go func() {
		n, buf := 0, make([]byte, 1<<16)
		for n < 1<<20+1 {
			m, err := keyboard.Read(buf)
			if err != nil {
				break
			}
			n += m
		}
		got <- n
	}()
	if _, err := tty.Write([]byte("x")); err != nil {
		t.Error(err)
	}
	if n := <-got; n != 1<<20+1 {
		t.Errorf("%d bytes came", n)
	}
}
