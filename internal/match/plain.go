package match

// Plain returns the text view of something that a program wrote to a terminal of this size.
func Plain(raw []byte, rows, cols int) []byte {
	d := newDecoder(rows, cols, false)
	var p plainText
	d.decode(raw, &p)
	d.flush(&p)
	return p
}

// plainText collects what a decoder produces.
type plainText []byte

func (t *plainText) run(p []byte, _ int64) { *t = append(*t, p...) }
func (t *plainText) sub(p []byte, _ int64) { *t = append(*t, p...) }
