package zstd

import "math/bits"

const (
	maxHuffmanBits = 11
	maxWeightLog   = 6
)

// code is an entry of a Huffman table, which is indexed by the next bits.
type code struct{ symbol, bits uint8 }

// huffman is a table for codes of up to width bits.
type huffman struct {
	width int
	codes []code
}

// literals decodes the first section of a block into d.literal and returns what comes after it.
func (d *Reader) literals(b []byte) ([]byte, error) {
	if len(b) == 0 {
		return nil, corrupt("an empty block")
	}
	kind, format := b[0]&3, b[0]>>2&3
	var head, size, packed int
	if kind < 2 {
		head = [...]int{1, 2, 1, 3}[format]
	} else {
		head = [...]int{3, 3, 4, 5}[format]
	}
	if len(b) < head {
		return nil, corrupt("literals end too early")
	}
	h := number(b[:head])
	switch b = b[head:]; {
	case kind >= 2:
		width := [...]int{10, 10, 14, 18}[format]
		size, packed = int(h>>4&(1<<width-1)), int(h>>(4+width))
	case head == 1:
		size = int(h >> 3)
	default:
		size = int(h >> 4)
	}
	if size > maxBlock {
		return nil, corrupt("more literals than a block has")
	}
	switch kind {
	case 0:
		packed = size
	case 1:
		packed = 1
	}
	if len(b) < packed {
		return nil, corrupt("literals end too early")
	}
	d.literal = append(d.literal[:0], make([]byte, size)...)
	content, rest := b[:packed], b[packed:]
	switch kind {
	case 0:
		copy(d.literal, content)
		return rest, nil
	case 1:
		for i := range d.literal {
			d.literal[i] = content[0]
		}
		return rest, nil
	case 2:
		used, err := d.tables.readHuffman(content)
		if err != nil {
			return nil, err
		}
		content = content[used:]
	}
	if d.tables.huffman == nil {
		return nil, corrupt("literals without a table")
	}
	if format == 0 {
		return rest, d.tables.huffman.decode(d.literal, content)
	}
	return rest, d.tables.huffman.decode4(d.literal, content)
}

// decode4 decodes four streams, whose sizes stand in front of them.
func (t *huffman) decode4(out, b []byte) error {
	if len(b) < 6 || len(out) < 6 {
		return corrupt("literals end too early")
	}
	sizes, b := b[:6], b[6:]
	part := (len(out) + 3) / 4
	for i := range 4 {
		n, m := len(b), len(out)
		if i < 3 {
			n, m = int(number(sizes[2*i:2*i+2])), part
		}
		if n > len(b) || m > len(out) {
			return corrupt("literals end too early")
		}
		if err := t.decode(out[:m], b[:n]); err != nil {
			return err
		}
		out, b = out[m:], b[n:]
	}
	return nil
}

func (t *huffman) decode(out, b []byte) error {
	r, err := newBackward(b)
	if err != nil {
		return err
	}
	for i := range out {
		c := t.codes[r.peek(t.width)]
		r.left -= int(c.bits)
		out[i] = c.symbol
		if r.left < 0 {
			break
		}
	}
	if r.left != 0 {
		return corrupt("literals do not fit their bits")
	}
	return nil
}

// readHuffman reads the description of a table and returns the number of bytes it took.
func (t *tables) readHuffman(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, corrupt("a table ends too early")
	}
	n := int(b[0])
	var weights []uint8
	used := 1
	if n >= 128 {
		n -= 127
		if used += (n + 1) / 2; len(b) < used {
			return 0, corrupt("a table ends too early")
		}
		for i := range n {
			weights = append(weights, b[1+i/2]>>(4*(1-i&1))&0xf)
		}
	} else {
		if used += n; len(b) < used {
			return 0, corrupt("a table ends too early")
		}
		var err error
		if weights, err = packedWeights(b[1:used]); err != nil {
			return 0, err
		}
	}
	var err error
	t.huffman, err = makeHuffman(weights)
	return used, err
}

// packedWeights decodes weights from two states that take turns until their bits end.
func packedWeights(b []byte) (weights []uint8, err error) {
	table, used, err := readFSE(b, maxWeightLog, maxHuffmanBits+1)
	if err != nil {
		return nil, err
	}
	r, err := newBackward(b[used:])
	if err != nil {
		return nil, err
	}
	one, two := r.read(table.log), r.read(table.log)
	if r.left < 0 {
		return nil, corrupt("a table ends too early")
	}
	for len(weights) < 255 {
		s := table.states[one]
		weights = append(weights, s.symbol)
		one, two = two, uint64(s.base)+r.read(int(s.bits)) // the other one's turn
		if r.left < 0 {
			return append(weights, table.states[one].symbol), nil
		}
	}
	return nil, corrupt("a table has too many symbols")
}

// makeHuffman completes the weights by the last one, which makes the codes fill their space, and builds the table.
func makeHuffman(weights []uint8) (*huffman, error) {
	sum := 0
	for _, w := range weights {
		if w > maxHuffmanBits {
			return nil, corrupt("a code is longer than it may be")
		}
		if w > 0 {
			sum += 1 << (w - 1)
		}
	}
	if sum == 0 || len(weights) > 255 {
		return nil, corrupt("a table without codes")
	}
	width := bits.Len(uint(sum))
	rest := 1<<width - sum
	if width > maxHuffmanBits || rest&(rest-1) != 0 {
		return nil, corrupt("codes do not fill their table")
	}
	weights = append(weights, uint8(bits.Len(uint(rest))))
	t := &huffman{width, make([]code, 0, 1<<width)}
	for w := 1; w <= width; w++ {
		for symbol, weight := range weights {
			if int(weight) == w {
				for range 1 << (w - 1) {
					t.codes = append(t.codes, code{uint8(symbol), uint8(width + 1 - w)})
				}
			}
		}
	}
	if len(t.codes) != 1<<width {
		return nil, corrupt("codes do not fill their table")
	}
	return t, nil
}
