package zstd

// field is one of the three numbers of a sequence: how its codes stand for values, and its tables.
type field struct {
	maxLog, maxCode int
	usual           []int // counts of the table that needs no description
	usualLog        int
	base            []uint32
	extra           []uint8
}

// The fields, in the order of their tables. An offset's base and extra bits follow from its code.
const (
	lengths = iota // of literals
	offsets
	matches // their lengths
)

func fieldOf(which int) field {
	switch which {
	case lengths:
		return field{9, 35, []int{4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1,
			-1, -1, -1, -1}, 6, lengthBase[:], lengthExtra[:]}
	case offsets:
		return field{8, 31, []int{1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1}, 5, nil, nil}
	}
	return field{9, 52, []int{1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
		1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1}, 6, matchBase[:], matchExtra[:]}
}

var (
	lengthBase = [36]uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 24, 28, 32, 40, 48, 64, 128, 256, 512,
		1024, 2048, 4096, 8192, 16384, 32768, 65536}
	lengthExtra = [36]uint8{16: 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	matchBase   = [53]uint32{3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
		33, 34, 35, 37, 39, 41, 43, 47, 51, 59, 67, 83, 99, 131, 259, 515, 1027, 2051, 4099, 8195, 16387, 32771, 65539}
	matchExtra = [53]uint8{32: 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
)

// tables are what a block may take over from the one before it.
type tables struct {
	huffman *huffman
	fse     [3]*fse
	recent  [3]int // offsets
}

func (t *tables) reset() { *t = tables{recent: [3]int{1, 4, 8}} }

// choose reads how the codes of a field are decoded and returns what comes after that.
func (t *tables) choose(which int, mode byte, b []byte) ([]byte, error) {
	f := fieldOf(which)
	switch mode {
	case 0:
		t.fse[which] = makeFSE(f.usual, f.usualLog)
	case 1:
		if len(b) == 0 {
			return nil, corrupt("sequences end too early")
		}
		if int(b[0]) > f.maxCode {
			return nil, corrupt("a code that is none")
		}
		t.fse[which], b = always(b[0]), b[1:]
	case 2:
		table, used, err := readFSE(b, f.maxLog, f.maxCode)
		if err != nil {
			return nil, err
		}
		t.fse[which], b = table, b[used:]
	case 3:
		if t.fse[which] == nil {
			return nil, corrupt("sequences without a table")
		}
	}
	return b, nil
}

// sequences decodes the second section of a block: what to copy of the literals and of what came before.
func (d *Reader) sequences(b []byte) error {
	if len(b) == 0 {
		return corrupt("no sequences")
	}
	count := int(b[0])
	switch b = b[1:]; {
	case count == 0:
		if len(b) > 0 {
			return corrupt("more than a block's content")
		}
		d.out = append(d.out, d.literal...)
		return nil
	case count == 255 && len(b) >= 2:
		count, b = int(b[0])+int(b[1])<<8+0x7f00, b[2:]
	case count >= 128 && count < 255 && len(b) >= 1:
		count, b = (count-128)<<8+int(b[0]), b[1:]
	case count >= 128:
		return corrupt("sequences end too early")
	}
	if len(b) == 0 || b[0]&3 != 0 {
		return corrupt("sequences of an unknown kind")
	}
	modes, b := b[0], b[1:]
	for which := range 3 {
		var err error
		if b, err = d.tables.choose(which, modes>>(6-2*which)&3, b); err != nil {
			return err
		}
	}
	r, err := newBackward(b)
	if err != nil {
		return err
	}
	return d.execute(&r, count)
}

func (d *Reader) execute(r *backward, count int) error {
	t := &d.tables
	ll, of, ml := t.fse[lengths].states, t.fse[offsets].states, t.fse[matches].states
	l, o, m := ll[r.read(t.fse[lengths].log)], of[r.read(t.fse[offsets].log)], ml[r.read(t.fse[matches].log)]
	literal, limit := d.literal, d.next+maxBlock
	for i := range count {
		offset := 1<<o.symbol + int(r.read(int(o.symbol)))
		match := int(matchBase[m.symbol]) + int(r.read(int(matchExtra[m.symbol])))
		length := int(lengthBase[l.symbol]) + int(r.read(int(lengthExtra[l.symbol])))
		offset = t.offset(offset, length == 0)
		if r.left < 0 || length > len(literal) {
			return corrupt("sequences end too early")
		}
		d.out = append(d.out, literal[:length]...)
		literal = literal[length:]
		if offset <= 0 || offset > len(d.out) || offset > max(d.window, len(d.out)-d.next) {
			return corrupt("a match before the beginning")
		}
		if len(d.out)+match > limit {
			return corrupt("a block is larger than it may be")
		}
		d.match(offset, match)
		if i < count-1 {
			l = ll[int(l.base)+int(r.read(int(l.bits)))]
			m = ml[int(m.base)+int(r.read(int(m.bits)))]
			o = of[int(o.base)+int(r.read(int(o.bits)))]
		}
	}
	if r.left != 0 {
		return corrupt("sequences do not fit their bits")
	}
	d.out = append(d.out, literal...)
	return nil
}

// match copies what came before; it may reach into what it copies.
func (d *Reader) match(offset, n int) {
	from := len(d.out) - offset
	for n > 0 {
		k := min(n, len(d.out)-from)
		d.out = append(d.out, d.out[from:from+k]...)
		n -= k
	}
}

// offset turns the number that stands for an offset into it: 1 to 3 mean one of the last, shifted without literals.
func (t *tables) offset(v int, noLiterals bool) int {
	recent := &t.recent
	if v > 3 {
		*recent = [3]int{v - 3, recent[0], recent[1]}
		return v - 3
	}
	if !noLiterals {
		v--
	}
	switch v {
	case 1:
		*recent = [3]int{recent[1], recent[0], recent[2]}
	case 2:
		*recent = [3]int{recent[2], recent[0], recent[1]}
	case 3:
		*recent = [3]int{recent[0] - 1, recent[0], recent[1]}
	}
	return recent[0]
}
