package builtins

import (
	"strings"
	"sync"

	"omniexpect/internal/fault"
	"omniexpect/internal/httpc"
)

// closeOnce is sync.Once under a name of its own; later calls wait for the first.
type closeOnce struct{ sync.Once }

func (o *closeOnce) do(f func()) { o.Once.Do(f) }

// indexAfter is where the text after the first occurrence of part begins, or -1.
func indexAfter(text, part string) int {
	i := strings.Index(text, part)
	if i < 0 {
		return -1
	}
	return i + len(part)
}

// keptDoc and lostDoc document the bound of what streams, sockets and servers keep.
const keptDoc = "reading it fails if the first ones are no longer kept"

func lostDoc(what string) string {
	return "how many of the first " + what + " are no longer kept, because there were more than 128 MiB of them; a wait that would miss some fails"
}

// allKept is a failure where a list of all that came would not be one.
func allKept(what string, dropped int) error {
	if dropped == 0 {
		return nil
	}
	e := fault.New(fault.HTTP, "%s: the first %d are no longer kept: there are more than %d MiB", what, dropped, httpc.KeepBytes>>20)
	e.Hints = []string{"read them one by one as they arrive"}
	return e
}
