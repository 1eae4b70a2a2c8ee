package screen

// insert shifts the cells from x on by n to the right, up to the column end.
func (r *row) insert(x, end, n int, blank cell) {
	n = min(n, end-x)
	r.split(x, blank.style)
	r.split(end, blank.style)
	copy(r.cells[x+n:end], r.cells[x:end-n])
	r.fill(x, x+n, blank)
	r.mend(end, blank.style)
}

// remove shifts the cells behind the n at x to the left, up to the column end.
func (r *row) remove(x, end, n int, blank cell) {
	n = min(n, end-x)
	r.split(x, blank.style)
	r.split(end, blank.style)
	copy(r.cells[x:end-n], r.cells[x+n:end])
	r.fill(end-n, end, blank)
	r.mend(x, blank.style)
}

// clearRow makes a row one that was never written to.
func (s *Screen) clearRow(r *row, blank cell) {
	r.fill(0, len(r.cells), blank)
	r.wrapped = false
	r.changed = s.generation
}

func (s *Screen) fullWidth() bool { return s.left == 0 && s.right == s.cols-1 }

// scrollUp moves the lines from top to the bottom margin up by n. What leaves the screen at its top goes into the history,
// if that is asked for.
func (s *Screen) scrollUp(top, n int, keep bool) {
	n = min(n, s.bottom-top+1)
	if !s.fullWidth() {
		s.scrollPart(top, n)
		return
	}
	rows, blank := s.buf.rows, s.eraser()
	keep = keep && top == 0 && s.buf == &s.main
	for range n {
		r := rows[top]
		if keep && s.config.History > 0 {
			r = s.remember(r)
		}
		copy(rows[top:s.bottom], rows[top+1:s.bottom+1])
		rows[s.bottom] = r
		s.clearRow(r, blank)
	}
	s.touch(top, s.bottom)
}

// touch reports that rows look different.
func (s *Screen) touch(from, to int) {
	for _, r := range s.buf.rows[from : to+1] {
		r.changed = s.generation
	}
}

// remember puts a row into the history and returns one to use instead.
func (s *Screen) remember(r *row) *row {
	if len(s.history) < s.config.History {
		s.history = append(s.history, r)
		return &row{cells: make([]cell, s.cols)}
	}
	old := s.history[0]
	s.history = append(s.history[1:], r)
	s.dropped++
	if s.pinned > 0 {
		s.pinned--
		return &row{cells: make([]cell, s.cols)}
	}
	if cap(old.cells) < s.cols || cap(old.cells) > 2*s.cols {
		old.cells = make([]cell, s.cols)
	}
	old.cells = old.cells[:s.cols]
	return old
}

// scrollDown moves the lines from top to the bottom margin down by n.
func (s *Screen) scrollDown(top, n int) {
	n = min(n, s.bottom-top+1)
	if !s.fullWidth() {
		s.scrollPart(top, -n)
		return
	}
	rows, blank := s.buf.rows, s.eraser()
	for range n {
		r := rows[s.bottom]
		copy(rows[top+1:s.bottom+1], rows[top:s.bottom])
		rows[top] = r
		s.clearRow(r, blank)
	}
	s.touch(top, s.bottom)
}

// scrollPart moves what is between the left and right margins up by n lines, or down if n is negative.
func (s *Screen) scrollPart(top, n int) {
	blank := s.eraser()
	for y := top; y <= s.bottom; y++ {
		r := s.line(y)
		r.split(s.left, blank.style)
		r.split(s.right+1, blank.style)
	}
	move := func(y int) {
		to := s.line(y)
		if from := y + n; from >= top && from <= s.bottom {
			copy(to.cells[s.left:s.right+1], s.buf.rows[from].cells[s.left:s.right+1])
		} else {
			to.fill(s.left, s.right+1, blank)
		}
	}
	if n > 0 {
		for y := top; y <= s.bottom; y++ {
			move(y)
		}
		return
	}
	for y := s.bottom; y >= top; y-- {
		move(y)
	}
}

func (s *Screen) insertLines(n int) {
	s.pending = false
	if s.inMargins() {
		s.scrollDown(s.y, n)
		s.x = s.left
	}
}

func (s *Screen) deleteLines(n int) {
	s.pending = false
	if s.inMargins() {
		s.scrollUp(s.y, n, false)
		s.x = s.left
	}
}

func (s *Screen) insertChars(n int) {
	s.pending = false
	if s.x >= s.left && s.x <= s.right {
		s.line(s.y).insert(s.x, s.right+1, n, s.eraser())
	}
}

func (s *Screen) deleteChars(n int) {
	s.pending = false
	if s.x >= s.left && s.x <= s.right {
		s.line(s.y).remove(s.x, s.right+1, n, s.eraser())
	}
}

// insertColumns shifts the columns from x to the right margin in all lines of the region; deleteColumns shifts them back.
func (s *Screen) insertColumns(x, n int) {
	for y := s.top; y <= s.bottom; y++ {
		s.line(y).insert(x, s.right+1, n, s.eraser())
	}
}

func (s *Screen) deleteColumns(x, n int) {
	for y := s.top; y <= s.bottom; y++ {
		s.line(y).remove(x, s.right+1, n, s.eraser())
	}
}

func (s *Screen) backIndex() {
	s.pending = false
	switch {
	case s.x == s.left:
		if s.inMargins() {
			s.insertColumns(s.left, 1)
		}
	case s.x > 0:
		s.x--
	}
}

func (s *Screen) forwardIndex() {
	s.pending = false
	switch {
	case s.x == s.right:
		if s.inMargins() {
			s.deleteColumns(s.left, 1)
		}
	case s.x < s.cols-1:
		s.x++
	}
}
