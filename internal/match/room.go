package match

import "unsafe"

// A store that has grown to manyChunks takes further memory in rooms of roomSize. The kernel gives memory page by page
// as it is touched, which costs as much as reading the bytes that go there, unless it may use huge pages: a room has at
// least two whole ones.
const (
	manyChunks = 1 << 20 / chunkSize
	roomSize   = 6 << 20
	hugePage   = 2 << 20
)

// newRoom returns the chunks of a room, to be taken from the end on: those in huge pages are last.
func newRoom() [][]byte {
	room := make([]byte, roomSize)
	begin := int(-uintptr(unsafe.Pointer(&room[0])) % hugePage)
	end := begin + (roomSize-begin)/hugePage*hugePage
	useHugePages(room[begin:end])
	var chunks [][]byte
	for _, part := range [][]byte{room[:begin], room[end:], room[begin:end]} {
		for ; len(part) >= chunkSize; part = part[chunkSize:] {
			chunks = append(chunks, part[:chunkSize:chunkSize])
		}
	}
	return chunks
}
