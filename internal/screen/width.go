package screen

// Widths is how many columns characters take.
type Widths uint8

const (
	// Clusters gives a grapheme cluster one cell: a family joined by ZWJ, a flag, a keycap and a letter with VS16 are two
	// columns wide, as people see them.
	Clusters Widths = iota
	// Characters gives each character its own width, as terminals did before: marks stand on the cell to the left.
	Characters
)

// maxCluster bounds the bytes of a cluster; marks beyond are dropped.
const maxCluster = 64
