package run

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"omniexpect/internal/event"
)

// TestEventTable compares the table of docs/architecture.md with the events: each kind once, with the names of its fields.
func TestEventTable(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	written := map[string][2]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `event\\.(\\w+)` \\| `(\\w+)` \\| [^|]* \\| `([^`]*)` \\|$").FindAllStringSubmatch(string(text), -1) {
		written[m[1]] = [2]string{m[2], m[3]}
	}
	bodies := []event.Body{&event.Spawn{}, &event.Out{}, &event.In{}, &event.Resize{}, &event.Signal{}, &event.Exit{}, &event.Close{},
		&event.Wait{}, &event.Try{}, &event.Got{}, &event.HTTP{}, &event.Call{}, &event.Ret{}, &event.Step{}, &event.Note{}, &event.Print{},
		&event.Fail{}, &event.Gap{}, &event.End{}}
	if len(bodies) != int(event.KindEnd)+1 || len(written) != len(bodies) {
		t.Fatalf("%d kinds, %d here, %d in the table", event.KindEnd+1, len(bodies), len(written))
	}
	for _, b := range bodies {
		typ := reflect.TypeOf(b).Elem()
		var fields []string
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			if name != "-" {
				fields = append(fields, name)
			}
		}
		want := [2]string{b.Kind().String(), strings.Join(fields, " ")}
		if written[typ.Name()] != want {
			t.Errorf("%s: the table has %q, want %q", typ.Name(), written[typ.Name()], want)
		}
	}
}
