package zstd

import "math/bits"

// state is an entry of an FSE table: what it stands for and how the next one is found.
type state struct {
	symbol uint8
	bits   uint8
	base   uint16
}

// fse is a table of finite state entropy.
type fse struct {
	log    int
	states []state
}

// readFSE reads the description of a table and returns it with the number of bytes it took.
func readFSE(b []byte, maxLog, maxSymbol int) (*fse, int, error) {
	r := forward{data: b}
	log, err := r.read(4)
	if err != nil {
		return nil, 0, err
	}
	if log += 5; log > maxLog {
		return nil, 0, corrupt("a table is more exact than it may be")
	}
	var counts []int
	for remaining := 1 << log; remaining > 0; {
		n := bits.Len(uint(remaining + 1))
		v, err := r.read(n)
		if err != nil {
			return nil, 0, err
		}
		low, threshold := 1<<(n-1)-1, 1<<n-1-(remaining+1)
		if v&low < threshold {
			r.at-- // a short code
			v &= low
		} else if v > low {
			v -= threshold
		}
		count := v - 1
		remaining -= max(count, -count)
		if counts = append(counts, count); count == 0 {
			for again := 3; again == 3; {
				if again, err = r.read(2); err != nil {
					return nil, 0, err
				}
				counts = append(counts, make([]int, again)...)
				if len(counts) > maxSymbol+1 {
					break
				}
			}
		}
		if len(counts) > maxSymbol+1 || remaining < 0 {
			return nil, 0, corrupt("a table has too many symbols")
		}
	}
	used, err := r.used()
	if err != nil {
		return nil, 0, err
	}
	return makeFSE(counts, log), used, nil
}

// makeFSE builds a table from how often each symbol stands in it; -1 is "less than once".
func makeFSE(counts []int, log int) *fse {
	size := 1 << log
	t := &fse{log, make([]state, size)}
	next := make([]int, len(counts))
	high := size
	for s, count := range counts {
		if next[s] = count; count == -1 {
			high--
			t.states[high].symbol, next[s] = uint8(s), 1
		}
	}
	step, pos := size>>1+size>>3+3, 0
	for s, count := range counts {
		for range max(count, 0) {
			t.states[pos].symbol = uint8(s)
			for pos = (pos + step) & (size - 1); pos >= high; {
				pos = (pos + step) & (size - 1)
			}
		}
	}
	for i := range t.states {
		s := &t.states[i]
		n := next[s.symbol]
		next[s.symbol]++
		width := log - bits.Len(uint(n)) + 1
		s.bits, s.base = uint8(width), uint16(n<<width-size)
	}
	return t
}

// always is the table of one symbol.
func always(symbol uint8) *fse { return &fse{0, []state{{symbol: symbol}}} }
