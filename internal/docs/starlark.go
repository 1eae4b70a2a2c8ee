package docs

import (
	_ "embed"
	"strings"
)

//go:embed starlark.txt
var starlarkText string

// Own is a function or method that comes with Starlark.
type Own struct {
	Name    string // "len", "string.split"
	Params  []string
	Returns string
	Doc     string
}

// Signature is the call, without the type of a method.
func (o Own) Signature() string {
	_, name, ok := strings.Cut(o.Name, ".")
	if !ok || strings.Contains(" json math time ", " "+o.Name[:len(o.Name)-len(name)-1]+" ") {
		name = o.Name
	}
	sig := name + "(" + strings.Join(o.Params, ", ") + ")"
	if o.Returns != "" {
		sig += " → " + o.Returns
	}
	return sig
}

// Starlark returns what is known about a function or method that comes with Starlark, by a name like "len",
// "string.split" or "json.decode".
func Starlark(name string) (Own, bool) {
	at := strings.Index("\n"+starlarkText, "\n"+name+"(")
	if at < 0 {
		return Own{}, false
	}
	line, _, _ := strings.Cut(starlarkText[at:], "\n")
	head, doc, _ := strings.Cut(line, " | ")
	call, returns, _ := strings.Cut(head, " → ")
	o := Own{Name: name, Returns: returns, Doc: doc}
	if list := strings.TrimSuffix(strings.TrimPrefix(call, name+"("), ")"); list != "" {
		o.Params = strings.Split(list, ", ")
	}
	return o, true
}
