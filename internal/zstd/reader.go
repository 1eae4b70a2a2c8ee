// Package zstd decodes Zstandard (RFC 8878) as it comes in HTTP bodies: any number of frames, skippable ones too, with
// their checksums, without dictionaries.
//
// It exists because the library for it builds tables at start-up that every run would pay for. Windows are bounded as RFC
// 9659 wants it of what is sent over HTTP.
package zstd

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"
)

// Bounds of the format.
const (
	maxWindow = 8 << 20
	maxBlock  = 128 << 10

	frameMagic     = 0xfd2fb528
	skippableMagic = 0x184d2a50 // to …5f
)

// ErrCorrupt is below every error that is not the source's own.
var ErrCorrupt = errors.New("broken zstd")

func corrupt(what string) error { return fmt.Errorf("%w: %s", ErrCorrupt, what) }

// Reader decodes a stream. It is not safe for concurrent use.
type Reader struct {
	src *bufio.Reader
	out []byte // what matches may refer to, and after next what has not been read
	err error

	next    int
	inFrame bool
	last    bool // the frame's last block is decoded
	window  int
	sum     *xxhash.Digest // nil without a checksum
	size    int64          // of the frame's content, -1 if not known
	done    int64          // bytes of it so far

	block   []byte
	literal []byte
	tables  tables
}

// NewReader returns a reader of what r holds encoded.
func NewReader(r io.Reader) *Reader { return &Reader{src: bufio.NewReader(r)} }

// Read is part of io.Reader.
func (d *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for d.next == len(d.out) {
		if d.err == nil {
			d.err = d.step()
		}
		if d.err != nil {
			return 0, d.err
		}
	}
	n := copy(p, d.out[d.next:])
	d.next += n
	return n, nil
}

// step decodes the next piece, when all that is decoded has been read.
func (d *Reader) step() error {
	if !d.inFrame {
		return d.frame()
	}
	if d.last {
		d.inFrame = false
		return d.endFrame()
	}
	if extra := len(d.out) - d.window; extra > d.window+maxBlock {
		d.out = d.out[:copy(d.out, d.out[extra:])]
	}
	d.next = len(d.out)
	if err := d.readBlock(); err != nil {
		return err
	}
	fresh := d.out[d.next:]
	if len(fresh) > min(d.window, maxBlock) {
		return corrupt("a block is larger than it may be")
	}
	if d.done += int64(len(fresh)); d.size >= 0 && d.done > d.size {
		return corrupt("more content than announced")
	}
	if d.sum != nil {
		d.sum.Write(fresh)
	}
	return nil
}

// endFrame holds the content against what the frame says of it.
func (d *Reader) endFrame() error {
	if d.size >= 0 && d.done != d.size {
		return corrupt("less content than announced")
	}
	if d.sum == nil {
		return nil
	}
	var b [4]byte
	if err := d.fill(b[:]); err != nil {
		return err
	}
	if binary.LittleEndian.Uint32(b[:]) != uint32(d.sum.Sum64()) {
		return corrupt("the checksum is wrong")
	}
	return nil
}

// fill reads what has to be there.
func (d *Reader) fill(b []byte) error {
	if _, err := io.ReadFull(d.src, b); err == io.EOF {
		return io.ErrUnexpectedEOF
	} else if err != nil {
		return err
	}
	return nil
}

// frame reads the header of a frame, or skips one. io.EOF is the end of the stream.
func (d *Reader) frame() error {
	var b [4]byte
	if _, err := io.ReadFull(d.src, b[:1]); err != nil {
		return err
	}
	if err := d.fill(b[1:]); err != nil {
		return err
	}
	switch magic := binary.LittleEndian.Uint32(b[:]); {
	case magic&^0xf == skippableMagic:
		if err := d.fill(b[:]); err != nil {
			return err
		}
		if _, err := io.CopyN(io.Discard, d.src, int64(binary.LittleEndian.Uint32(b[:]))); err == io.EOF {
			return io.ErrUnexpectedEOF
		} else {
			return err
		}
	case magic != frameMagic:
		return corrupt("no frame begins here")
	}
	var head [14]byte
	if err := d.fill(head[:1]); err != nil {
		return err
	}
	flags := head[0]
	single, sizeFlag := flags&(1<<5) != 0, flags>>6
	if flags&(1<<3) != 0 {
		return corrupt("a reserved bit is set")
	}
	n, dict := 0, [...]int{0, 1, 2, 4}[flags&3]
	if !single {
		n++
	}
	bytesOfSize := [...]int{0, 2, 4, 8}[sizeFlag]
	if sizeFlag == 0 && single {
		bytesOfSize = 1
	}
	rest := head[:n+dict+bytesOfSize]
	if err := d.fill(rest); err != nil {
		return err
	}
	if number(rest[n:n+dict]) != 0 {
		return corrupt("it needs a dictionary")
	}
	d.size = -1
	if bytesOfSize > 0 {
		size := number(rest[n+dict:])
		if bytesOfSize == 2 {
			size += 256
		}
		if d.size = int64(size); d.size < 0 {
			return corrupt("the content is larger than anything")
		}
	}
	window := uint64(max(d.size, 0))
	if !single {
		base := uint64(1) << (10 + rest[0]>>3)
		window = base + base/8*uint64(rest[0]&7)
	}
	if window > maxWindow {
		return corrupt(fmt.Sprintf("its window of %d bytes is larger than the %d that HTTP allows", window, maxWindow))
	}
	d.out, d.next, d.window = d.out[:0], 0, int(window)
	d.inFrame, d.last, d.done, d.sum = true, false, 0, nil
	if flags&(1<<2) != 0 {
		d.sum = xxhash.New()
	}
	d.tables.reset()
	return nil
}

// number is little-endian.
func number(b []byte) (v uint64) {
	for i := len(b) - 1; i >= 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	return v
}

func (d *Reader) readBlock() error {
	var head [3]byte
	if err := d.fill(head[:]); err != nil {
		return err
	}
	h := int(number(head[:]))
	d.last = h&1 != 0
	size := h >> 3
	if size > min(max(d.window, 1), maxBlock) && size > 0 {
		return corrupt("a block is larger than it may be")
	}
	switch h >> 1 & 3 {
	case 0:
		at := len(d.out)
		d.out = append(d.out, make([]byte, size)...)
		return d.fill(d.out[at:])
	case 1:
		var b [1]byte
		if err := d.fill(b[:]); err != nil {
			return err
		}
		for range size {
			d.out = append(d.out, b[0])
		}
		return nil
	case 2:
		if cap(d.block) < size {
			d.block = make([]byte, size)
		}
		d.block = d.block[:size]
		if err := d.fill(d.block); err != nil {
			return err
		}
		return d.compressed(d.block)
	}
	return corrupt("a block of an unknown kind")
}

// compressed decodes a block of literals and sequences.
func (d *Reader) compressed(b []byte) error {
	rest, err := d.literals(b)
	if err != nil {
		return err
	}
	return d.sequences(rest)
}
