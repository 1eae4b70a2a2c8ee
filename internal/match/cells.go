package match

// Cells returns how many cells of a terminal a character takes.
func Cells(r rune) int { return int(runeCells(r)) }
