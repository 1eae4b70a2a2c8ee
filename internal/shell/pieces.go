package shell

// pieceLength is the longest piece of a command that goes into one line: terminals take lines of 1,024 bytes at least.
// A piece may be longer if it is a secret.
const (
	pieceLength = 400
	maxPiece    = 900
)

// Pieces cuts a line of a command. A secret comes back as an echo, in which nobody would know it if it were cut; only one
// that is longer than a terminal's line is cut all the same. secrets are where they begin and end in the line; they are
// changed.
func Pieces(line string, secrets [][2]int) (list []string) {
	for len(line) > pieceLength {
		cut := pieceLength
		for _, at := range secrets {
			switch {
			case at[0] >= cut || at[1] <= cut:
			case at[0] > 0:
				cut = at[0]
			case at[1] <= maxPiece:
				cut = at[1]
			}
		}
		cut = runeCut(line, cut)
		list, line = append(list, line[:cut]), line[cut:]
		for i := range secrets {
			secrets[i][0], secrets[i][1] = max(0, secrets[i][0]-cut), secrets[i][1]-cut
		}
	}
	return append(list, line)
}

func runeCut(s string, n int) int {
	for n > 0 && n < len(s) && s[n]&0xc0 == 0x80 {
		n--
	}
	return n
}
