package builtins

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/rmtree"
)

type walkArgs struct {
	Root string `star:"root" doc:"a directory"`
	Dirs bool   `star:"dirs?,kw" doc:"include directories"`
}

// fsWalk lists what is below a directory; links are listed and not followed.
func (st *State) fsWalk(_ *dsl.Call, a walkArgs) (starlark.Value, error) {
	var out []string
	err := filepath.WalkDir(a.Root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path != a.Root && (a.Dirs || !d.IsDir()) {
			out = append(out, path)
		}
		return nil
	})
	if err != nil {
		return nil, fileError("fs.walk", err)
	}
	return stringList(out), nil
}

func (st *State) fsStat(_ *dsl.Call, a pathArgs) (starlark.Value, error) {
	info, err := os.Lstat(a.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return starlark.None, nil
	}
	if err != nil {
		return nil, fileError("fs.stat", err)
	}
	kind := "other"
	switch {
	case info.Mode().IsRegular():
		kind = "file"
	case info.IsDir():
		kind = "dir"
	case info.Mode()&fs.ModeSymlink != 0:
		kind = "link"
	}
	return starlarkstruct.FromStringDict(starlark.String("stat"), starlark.StringDict{
		"size": starlark.MakeInt64(info.Size()), "mode": starlark.MakeInt(int(info.Mode().Perm())), "kind": starlark.String(kind),
		"mtime": starlark.Float(float64(info.ModTime().UnixMicro()) / 1e6),
	}), nil
}

func (st *State) fsRemove(_ *dsl.Call, a pathArgs) (starlark.Value, error) {
	info, err := os.Lstat(a.Path)
	if err == nil && info.IsDir() {
		return nil, fault.New(fault.Usage, "fs.remove %s: a directory: fs.remove_tree removes one that fs.temp_dir made", a.Path)
	}
	if err == nil {
		err = os.Remove(a.Path)
	}
	if err != nil {
		return nil, fileError("fs.remove", err)
	}
	return starlark.None, nil
}

// fsRemoveTree removes a directory, or what is in one, of this run only.
func (st *State) fsRemoveTree(_ *dsl.Call, a pathArgs) (starlark.Value, error) {
	abs, err := filepath.Abs(a.Path)
	if err != nil {
		return nil, fileError("fs.remove_tree", err)
	}
	// The parent is resolved and the last element is not: a link is removed itself.
	parent, err := filepath.EvalSymlinks(filepath.Dir(abs))
	if err != nil {
		return nil, fileError("fs.remove_tree", err)
	}
	real := filepath.Join(parent, filepath.Base(abs))
	for _, dir := range st.tempDirs {
		if real != dir && !strings.HasPrefix(real, dir+string(filepath.Separator)) {
			continue
		}
		if err := rmtree.Remove(real); err != nil {
			return nil, fileError("fs.remove_tree", err)
		}
		return starlark.None, nil
	}
	return nil, fault.New(fault.Usage, "fs.remove_tree %s: not in a directory that fs.temp_dir of this run made, so it stays", a.Path)
}

func (st *State) fsMkdir(_ *dsl.Call, a pathArgs) (starlark.Value, error) {
	if err := os.MkdirAll(a.Path, 0o755); err != nil {
		return nil, fileError("fs.mkdir", err)
	}
	return starlark.String(a.Path), nil
}

type joinArgs struct {
	Parts starlark.Tuple `star:"*parts" doc:"the parts"`
}

func (st *State) pathJoin(_ *dsl.Call, a joinArgs) (starlark.Value, error) {
	parts := make([]string, len(a.Parts))
	for i, p := range a.Parts {
		parts[i] = plain(p)
	}
	return starlark.String(filepath.Join(parts...)), nil
}

func (st *State) pathPart(f func(string) string) func(*dsl.Call, pathArgs) (starlark.Value, error) {
	return func(_ *dsl.Call, a pathArgs) (starlark.Value, error) { return starlark.String(f(a.Path)), nil }
}

func (st *State) treeFuncs() []*dsl.Func {
	return dsl.In("files",
		dsl.Define("fs.walk", "list", `The paths of all files below a directory, in order. Links are not followed.`,
			`d = fs.temp_dir()
fs.write(fs.mkdir(d + "/a") + "/f", "x")
assert.eq(fs.walk(d), [d + "/a/f"])`, walkArgs{}, st.fsWalk),
		dsl.Define("fs.stat", "struct", `Size, mode, kind ("file", "dir", "link", "other") and mtime of a path, or None if it does not exist.`,
			`p = fs.temp_dir() + "/f"
fs.write(p, "four", mode = 0o600)
assert.eq((fs.stat(p).size, fs.stat(p).mode, fs.stat(p).kind), (4, 0o600, "file"))`, pathArgs{}, st.fsStat),
		dsl.Define("fs.mkdir", "str", `Make a directory and its parents, and return its path.`,
			`assert.eq(fs.stat(fs.mkdir(fs.temp_dir() + "/a/b")).kind, "dir")`, pathArgs{}, st.fsMkdir),
		dsl.Define("fs.remove", "None", `Remove a file or a link.`,
			`p = fs.temp_dir() + "/f"
fs.write(p, "x")
fs.remove(p)
assert.eq(fs.exists(p), False)`, pathArgs{}, st.fsRemove),
		dsl.Define("fs.remove_tree", "None", `Remove a directory and everything in it. Only directories inside one that fs.temp_dir made in this run can be removed.`,
			`d = fs.temp_dir()
fs.mkdir(d + "/a/b")
fs.remove_tree(d + "/a")
assert.fails(fs.remove_tree, "/usr", kind = "usage")`, pathArgs{}, st.fsRemoveTree),
		dsl.Define("path.join", "str", `Join parts to one path.`, `assert.eq(path.join("a", "b/../c"), "a/c")`, joinArgs{}, st.pathJoin),
		dsl.Define("path.base", "str", `The last element of a path.`, `assert.eq(path.base("/a/b.txt"), "b.txt")`, pathArgs{}, st.pathPart(filepath.Base)),
		dsl.Define("path.dir", "str", `A path without its last element.`, `assert.eq(path.dir("/a/b.txt"), "/a")`, pathArgs{}, st.pathPart(filepath.Dir)),
		dsl.Define("path.ext", "str", `The extension of a path, with its dot.`, `assert.eq(path.ext("/a/b.txt"), ".txt")`, pathArgs{}, st.pathPart(filepath.Ext)),
	)
}
