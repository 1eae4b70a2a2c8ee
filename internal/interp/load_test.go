package interp_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLoad reads modules relative to who loads them, and from the binary, each once.
func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("main.star", `load("sub/a.star", "a")
load("sub/b.star", "b")
load("@lib//x/one.star", "one")
a.append(3)
print(a, b, one)`)
	write("sub/a.star", "load('b.star', _b = 'b')\nprint('a runs')\na = [1, _b]")
	write("sub/b.star", "print('b runs')\nb = 2")
	y := newToy(t, map[string]string{"x/one.star": "load('two.star', 'two')\none = two", "x/two.star": "two = 22"})
	src, err := y.lib.Open(filepath.Join(dir, "main.star"))
	if err == nil {
		err = y.Do(t.Context(), src)
	}
	if err != nil || !slices.Equal(y.printed, []string{"b runs", "a runs", "[1, 2, 3] 2 22"}) {
		t.Errorf("%v, printed %q", err, y.printed)
	}
}

// TestLoadBehindLink runs a script through a link in another folder: its modules are beside the file, or beside the link.
func TestLoadBehindLink(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"app/tool.star": "load('m.star', 'm')\nload('own.star', 'own')\nprint(m, own)", "app/m.star": "load('n.star', 'n')\nm = n",
		"app/n.star": "n = 1", "app/own.star": "own = 'of the file'", "bin/own.star": "own = 'of the link'",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../app/tool.star", filepath.Join(dir, "bin/tool")); err != nil {
		t.Fatal(err)
	}
	y := newToy(t, nil)
	src, err := y.lib.Open(filepath.Join(dir, "bin/tool"))
	if err == nil {
		err = y.Do(t.Context(), src)
	}
	if err != nil || !slices.Equal(y.printed, []string{"1 of the link"}) {
		t.Errorf("%v, printed %q", err, y.printed)
	}
}

// TestNearScript names the script that was meant.
func TestNearScript(t *testing.T) {
	dir := t.TempDir() + "/"
	for _, name := range []string{"hello.star", "b.star", "notes.txt"} {
		if err := os.WriteFile(dir+name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	lib := newToy(t, map[string]string{"names.star": ""}).lib
	for name, want := range map[string]string{
		dir + "hell.star":   "no such file or directory (did you mean " + dir + "hello.star?)",
		dir + "hello":       "(did you mean " + dir + "hello.star?)",
		dir + "b.sta":       "(did you mean " + dir + "b.star?)",
		dir + "notes":       "notes: no such file or directory",
		dir + "none/b.star": "b.star: no such file or directory",
		"":                  `"": no such file or directory`,
		"@lib//name.star":   "not in the binary: it has names.star (did you mean names.star?)",
	} {
		if _, err := lib.Open(name); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "did you mean") != strings.Contains(want, "did you mean") {
			t.Errorf("%q: got %v, want %q", name, err, want)
		}
	}
}

// TestBadLoads names what is wrong before anything runs.
func TestBadLoads(t *testing.T) {
	modules := map[string]string{
		"a.star":      "load('b.star', 'b')\na = 1",
		"b.star":      "load('c.star', 'c')\nb = 1",
		"c.star":      "load('a.star', 'a')\nc = 1",
		"names.star":  "session = 1\n_hidden = 2",
		"broken.star": "x = nosuch",
	}
	for text, want := range map[string]string{
		"load('@lib//a.star', 'a')":             "load cycle: @lib//a.star loads @lib//b.star loads @lib//c.star loads @lib//a.star",
		"load('@lib//names.star', 'sesion')":    `@lib//names.star has no "sesion" (did you mean session?)`,
		"load('@lib//names.star', h='_hidden')": `_hidden`,
		"load('@lib//none.star', 'x')":          "not in the binary: it has",
		"load('@other//none.star', 'x')":        `no such library: want one of @lib`,
		"load('none.star', 'x')":                "none.star: no such file or directory",
		"load('main.star', 'x')":                "main.star",
		"load('@lib//broken.star', 'x')":        `@lib//broken.star:1:5: undefined name "nosuch"`,
		"load('', 'x')":                         `load: got "" as the module, want a file, or @lib//NAME.star`,
	} {
		y := newToy(t, modules)
		err := y.do(t.Context(), "print('ran')\n"+text)
		if err == nil || !strings.Contains(err.Error(), want) || len(y.printed) > 0 {
			t.Errorf("%q: got %v, want %q; printed %q", text, err, want, y.printed)
		}
	}
}
