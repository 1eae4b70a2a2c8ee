package internal_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxBack is the share of the calls between the files of builtins, in percent, that may run back.
const maxBack = 10

// TestCallsInsideBuiltinsRunOneWay puts the files of builtins into the order in which the fewest calls run back, and fails
// where more of them do than a few: then a file cannot be read without those that build on it. It names the calls, so that
// whoever made them sees which function belongs into which file.
func TestCallsInsideBuiltinsRunOneWay(t *testing.T) {
	g := callsBetweenFiles(t, filepath.Join("..", "builtins"))
	order := g.order()
	back, all := g.back(order), 0
	arrows, arrowsBack := 0, 0
	at := place(order)
	for from, row := range g.calls {
		for to, n := range row {
			if n > 0 {
				arrows, all = arrows+1, all+n
				if at[from] < at[to] {
					arrowsBack++
				}
			}
		}
	}
	t.Logf("%d files, %d calls between them, %d back (%d %%); %d pairs of files, %d back (%d %%)", len(g.files), all, back, back*100/all,
		arrows, arrowsBack, arrowsBack*100/arrows)
	if back*100 <= maxBack*all && arrowsBack*100 <= maxBack*arrows && !testing.Verbose() {
		return
	}
	for i, f := range order {
		t.Logf("%2d %s", i, g.files[f])
	}
	for _, c := range g.sites {
		if at[c.from] < at[c.to] {
			t.Logf("back: %s: %s, which is in %s", c.pos, c.name, g.files[c.to])
		}
	}
	if back*100 > maxBack*all || arrowsBack*100 > maxBack*arrows {
		t.Errorf("more than %d %% of the calls between the files of builtins run back: move the functions that both sides need to "+
			"a file below them", maxBack)
	}
}

// graph is how often the functions of one file use those of another.
type graph struct {
	files []string
	calls [][]int // from, to
	sites []callSite
}

type callSite struct {
	from, to  int
	pos, name string
}

// callsBetweenFiles reads the files of a package but its tests. A function that is named without being called counts, too:
// somebody will call it.
func callsBetweenFiles(t *testing.T, dir string) *graph {
	t.Helper()
	set := token.NewFileSet()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	g := &graph{}
	var files []*ast.File
	index := map[string]int{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		index[name] = len(files)
		files, g.files = append(files, f), append(g.files, filepath.Base(name))
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: importer.ForCompiler(set, "gc", compiled(t, dir))}
	pkg, err := conf.Check("omniexpect/builtins", set, files, info)
	if err != nil {
		t.Fatal(err)
	}
	g.calls = make([][]int, len(files))
	for i := range g.calls {
		g.calls[i] = make([]int, len(files))
	}
	for id, obj := range info.Uses {
		if obj.Pkg() != pkg || !shared(obj) {
			continue
		}
		pos := set.Position(id.Pos())
		from, to := index[pos.Filename], index[set.Position(obj.Pos()).Filename]
		if from == to {
			continue
		}
		g.calls[from][to]++
		g.sites = append(g.sites, callSite{from, to, fmt.Sprintf("%s:%d", filepath.Base(pos.Filename), pos.Line), obj.Name()})
	}
	slices.SortFunc(g.sites, func(a, b callSite) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.pos, b.pos), cmp.Compare(a.name, b.name))
	})
	return g
}

// shared reports whether an object is one that a file can have for others: a function, a method, a type, a constant, a variable.
func shared(obj types.Object) bool {
	if _, is := obj.(*types.Func); is {
		return true
	}
	return obj.Parent() == obj.Pkg().Scope()
}

// compiled finds the export data of what a package imports.
func compiled(t *testing.T, dir string) importer.Lookup {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", ".")
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	at := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if path, file, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			at[path] = file
		}
	}
	return func(path string) (io.ReadCloser, error) { return os.Open(at[path]) }
}

// place returns where each file stands in an order.
func place(order []int) []int {
	at := make([]int, len(order))
	for i, f := range order {
		at[f] = i
	}
	return at
}

// back counts the calls from a file to one that stands after it in an order that begins with the foundation.
func (g *graph) back(order []int) (n int) {
	at := place(order)
	for from, row := range g.calls {
		for to, calls := range row {
			if at[from] < at[to] {
				n += calls
			}
		}
	}
	return n
}

// order returns an order of the files, the foundation first, in which moving no file to another place makes fewer calls run
// back. It begins with the files that call others least.
func (g *graph) order() []int {
	var order []int
	left := map[int]bool{}
	for f := range g.files {
		left[f] = true
	}
	for len(left) > 0 {
		best, least := -1, 0
		for f := range g.files {
			if !left[f] {
				continue
			}
			out := 0
			for o := range left {
				out += g.calls[f][o] - g.calls[o][f]
			}
			if best < 0 || out < least {
				best, least = f, out
			}
		}
		order = append(order, best)
		delete(left, best)
	}
	for moved := true; moved; {
		moved = false
		for f := range g.files {
			moved = g.settle(order, f) || moved
		}
	}
	return order
}

// settle moves a file to where the fewest of the calls from it and to it run back, and reports whether that is elsewhere.
func (g *graph) settle(order []int, f int) bool {
	from := slices.Index(order, f)
	best, least := from, 0
	for _, step := range []int{-1, 1} { // the change in calls that run back, place by place
		change := 0
		for i := from + step; i >= 0 && i < len(order); i += step {
			o := order[i]
			if step < 0 {
				change += g.calls[f][o] - g.calls[o][f]
			} else {
				change += g.calls[o][f] - g.calls[f][o]
			}
			if change < least {
				best, least = i, change
			}
		}
	}
	if best == from {
		return false
	}
	copy(order[from:], order[from+1:])
	copy(order[best+1:], order[best:len(order)-1])
	order[best] = f
	return true
}
