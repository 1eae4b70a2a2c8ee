package zstd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
)

// pack encodes with the library.
func pack(t testing.TB, data []byte, opts ...zstd.EOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, append([]zstd.EOption{zstd.WithEncoderConcurrency(1)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// samples are contents that make an encoder use every kind of block and table.
func samples() map[string][]byte {
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 200<<10)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	var text, skewed, far bytes.Buffer
	for i := range 6_000 {
		fmt.Fprintf(&text, `{"id": %d, "name": "item %x", "state": "%s"},`, i, i*i, []string{"ready", "busy", "done"}[i%3])
		skewed.WriteByte("aaaaaaaaabbbbcd"[random.IntN(15)])
		if i%500 == 0 {
			far.Write(noise[:1000+i])
		}
	}
	return map[string][]byte{
		"nothing": nil, "one byte": []byte("x"), "short": []byte("hello, hello, hello"), "zeros": make([]byte, 300<<10),
		"noise": noise, "text": text.Bytes(), "skewed": skewed.Bytes(), "far": far.Bytes(),
		"mixed": bytes.Join([][]byte{text.Bytes(), noise[:100000], skewed.Bytes(), make([]byte, 5000), text.Bytes()[:70000]}, nil),
	}
}

func TestRoundTrip(t *testing.T) {
	for name, data := range samples() {
		for _, level := range []zstd.EncoderLevel{zstd.SpeedFastest, zstd.SpeedBestCompression} {
			for what, opts := range map[string][]zstd.EOption{
				"plain": nil, "no checksum": {zstd.WithEncoderCRC(false)}, "small window": {zstd.WithWindowSize(1 << 10)},
				"single": {zstd.WithSingleSegment(true), zstd.WithWindowSize(8 << 20)}, "zeros": {zstd.WithZeroFrames(true)},
				"no entropy": {zstd.WithNoEntropyCompression(true)}, "padded": {zstd.WithEncoderPadding(777)},
			} {
				packed := pack(t, data, append(opts, zstd.WithEncoderLevel(level))...)
				if len(data) > 0 {
					packed = append(packed, pack(t, data[:len(data)/2])...) // another frame
				}
				got, err := io.ReadAll(NewReader(iotest.HalfReader(bytes.NewReader(packed))))
				want := append(bytes.Clone(data), data[:len(data)/2]...)
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("%s, %s, %s: %v, %d bytes, want %d", name, level, what, err, len(got), len(want))
				}
			}
		}
	}
}

// TestFlushed has what was flushed before the frame ends.
func TestFlushed(t *testing.T) {
	from, to := io.Pipe()
	defer from.Close()
	w, err := zstd.NewWriter(to, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		w.Write([]byte("first"))
		w.Flush()
	}()
	got := make([]byte, 5)
	if _, err := io.ReadFull(NewReader(from), got); err != nil || string(got) != "first" {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestBroken cuts a stream everywhere and changes each of its bytes.
func TestBroken(t *testing.T) {
	data := []byte(strings.Repeat("a few words, and again a few words; ", 40) + "end")
	packed := pack(t, data)
	for i := range packed {
		if got, err := io.ReadAll(NewReader(bytes.NewReader(packed[:i]))); i > 0 && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut at %d: %d bytes, %v", i, len(got), err)
		}
		for bit := range 8 {
			changed := bytes.Clone(packed)
			changed[i] ^= 1 << bit
			got, err := io.ReadAll(NewReader(bytes.NewReader(changed)))
			if err == nil && !bytes.Equal(got, data) {
				t.Errorf("bit %d of byte %d: taken for right", bit, i)
			}
			if err != nil && !errors.Is(err, ErrCorrupt) && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("bit %d of byte %d: %v", bit, i, err)
			}
		}
	}
	large := pack(t, make([]byte, 20<<20), zstd.WithWindowSize(16<<20))
	if _, err := io.ReadAll(NewReader(bytes.NewReader(large))); err == nil || !strings.Contains(err.Error(), "window") {
		t.Errorf("a large window: %v", err)
	}
}

// TestBound keeps no more of a stream than its window needs.
func TestBound(t *testing.T) {
	packed := pack(t, make([]byte, 16<<20), zstd.WithWindowSize(64<<10))
	d := NewReader(bytes.NewReader(packed))
	if n, err := io.Copy(io.Discard, d); err != nil || n != 16<<20 {
		t.Fatal(n, err)
	}
	if cap(d.out) > 2<<20 {
		t.Errorf("%d bytes were kept", cap(d.out))
	}
}

// FuzzReader holds the reader against the library: what that decodes, this does too, and to the same.
func FuzzReader(f *testing.F) {
	for _, data := range samples() {
		f.Add(pack(f, data[:min(len(data), 3000)]))
	}
	f.Fuzz(func(t *testing.T, packed []byte) {
		const limit = 1 << 20
		got, err := io.ReadAll(io.LimitReader(NewReader(bytes.NewReader(packed)), limit))
		r, newErr := zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if newErr != nil {
			t.Fatal(newErr)
		}
		defer r.Close()
		want, wantErr := io.ReadAll(io.LimitReader(r, limit))
		switch {
		case wantErr == nil && err != nil:
			t.Errorf("%v, but the library takes it for %d bytes", err, len(want))
		case wantErr == nil && err == nil && !bytes.Equal(got, want):
			t.Errorf("decoded differently: %d and %d bytes", len(got), len(want))
		}
	})
}
