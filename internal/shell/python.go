package shell

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// pythonLine gives a command to the prompt object, in pieces that a terminal takes as lines.
func pythonLine(id int, text string, pieces func(line string) []string, _ bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "_ox[%d] = (", id)
	for i, piece := range pieces(text) {
		if i > 0 {
			b.WriteByte('\n')
		}
		quoted, _ := json.Marshal(piece)
		b.Write(bytes.ReplaceAll(quoted, []byte{0x7f}, []byte(`\u007f`))) // no key of an editor's either
	}
	return b.String() + ")"
}
