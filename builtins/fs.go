package builtins

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/newfile"
	"omniexpect/internal/rmtree"
)

type tempDirArgs struct {
	Prefix string `star:"prefix?" doc:"how its name begins"`
}

// tempDir makes a directory that vanishes when the run ends, after the sessions.
func (st *State) tempDir(_ *dsl.Call, a tempDirArgs) (starlark.Value, error) {
	dir, err := os.MkdirTemp("", a.Prefix)
	if err != nil {
		return nil, fileError("fs.temp_dir", err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, fileError("fs.temp_dir", err)
	}
	st.tempDirs = append(st.tempDirs, dir)
	st.AtEnd(func(context.Context) {
		if err := rmtree.Remove(dir); err != nil {
			st.leave(dir, "temporary directory left: "+err.Error())
		}
	})
	return starlark.String(dir), nil
}

func fileError(who string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return fault.New(fault.Env, "%s %s: %w", who, pe.Path, pe.Err)
	}
	return fault.New(fault.Env, "%s: %w", who, err)
}

type pathArgs struct {
	Path string `star:"path" doc:"a path"`
}

func (st *State) fsRead(_ *dsl.Call, a pathArgs) (starlark.Value, error) {
	b, err := readFile("fs.read", a.Path)
	if err != nil {
		return nil, err
	}
	return starlark.String(b), nil
}

func (st *State) fsReadBytes(_ *dsl.Call, a pathArgs) (starlark.Value, error) {
	b, err := readFile("fs.read_bytes", a.Path)
	if err != nil {
		return nil, err
	}
	return starlark.Bytes(b), nil
}

func readFile(who, path string) ([]byte, error) {
	f, err := openFile(who, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		return nil, fileError(who, err)
	}
	return b, nil
}

// openFile opens a file for reading. A pipe would have the run wait where nothing ends it, and a device may have no end.
func openFile(who, path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fault.New(fault.Usage, "%s %s: not a file: it is a %s", who, path, kindOf(info.Mode()))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fileError(who, err)
	}
	return f, nil
}

func kindOf(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "directory"
	case m&fs.ModeNamedPipe != 0:
		return "named pipe"
	case m&fs.ModeSocket != 0:
		return "socket"
	}
	return "device"
}

func (st *State) fsExists(_ *dsl.Call, a pathArgs) (starlark.Value, error) {
	_, err := os.Stat(a.Path)
	return starlark.Bool(err == nil), nil
}

type writeArgs struct {
	Path string `star:"path" doc:"a path"`
	Text Text   `star:"text" doc:"the new content"`
	Mode int    `star:"mode?,kw" doc:"its permissions; by default the current ones, 0o644 for a new file"`
}

// fsWrite replaces a file as a whole: a reader sees the old text or the new one. Behind a link it is the file that
// is replaced, and one that exists keeps its permissions unless others are wanted.
func (st *State) fsWrite(_ *dsl.Call, a writeArgs) (starlark.Value, error) {
	if real, err := filepath.EvalSymlinks(a.Path); err == nil {
		a.Path = real
	}
	info, err := os.Stat(a.Path)
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		return nil, fault.New(fault.Usage, "fs.write %s: not a file: it is a %s", a.Path, kindOf(info.Mode()))
	case a.Mode == 0:
		a.Mode = int(info.Mode().Perm())
	}
	if a.Mode == 0 {
		a.Mode = 0o644
	}
	err = newfile.Write(a.Path, st.Mask.Resolve(textOf(a.Text.v)), fs.FileMode(a.Mode), nil)
	var none *newfile.NoRoom
	switch {
	case err == nil:
		return starlark.None, nil
	case !errors.As(err, &none):
		return nil, fileError("fs.write", err)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.Env, "fs.write %s: there is no directory %s", a.Path, filepath.Dir(a.Path))
	}
	return nil, fault.New(fault.Env, "fs.write %s: %s", a.Path, errors.Unwrap(none.Err))
}

type globPathArgs struct {
	Pattern string `star:"pattern" doc:"a path with * ? [abc]"`
}

func (st *State) fsGlob(_ *dsl.Call, a globPathArgs) (starlark.Value, error) {
	list, err := filepath.Glob(a.Pattern)
	if err != nil {
		return nil, fault.New(fault.Usage, "fs.glob %q: %w", a.Pattern, err)
	}
	sort.Strings(list)
	return stringList(list), nil
}

func (st *State) executable(*dsl.Call, dsl.None) (starlark.Value, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, fault.New(fault.Env, "executable: %w", err)
	}
	return starlark.String(path), nil
}

func (st *State) fsFuncs() []*dsl.Func {
	return dsl.In("files",
		dsl.Define("fs.temp_dir", "str", `Make a directory that is removed when the script ends.`,
			`d = fs.temp_dir("example-")
assert.true(fs.exists(d))`, tempDirArgs{Prefix: "omniexpect-"}, st.tempDir),
		dsl.Define("fs.read", "str", `The text of a file.`,
			`p = fs.temp_dir() + "/f"
fs.write(p, "hello")
assert.eq(fs.read(p), "hello")`, pathArgs{}, st.fsRead),
		dsl.Define("fs.read_bytes", "bytes", `The bytes of a file.`,
			`f = fs.temp_dir() + "/x"
fs.write(f, b"\xff\x00")
assert.eq(fs.read_bytes(f), b"\xff\x00")`, pathArgs{}, st.fsReadBytes),
		dsl.Define("fs.write", "None", `Write a whole file atomically: a reader sees the old text or the new one.`,
			`fs.write(fs.temp_dir() + "/f", "hello")`, writeArgs{}, st.fsWrite),
		dsl.Define("fs.exists", "bool", `Whether a file or directory exists.`,
			`assert.true(not fs.exists("/no/such/file"))`, pathArgs{}, st.fsExists),
		dsl.Define("fs.glob", "list", `The paths that a pattern matches, sorted.`,
			`assert.eq(fs.glob("/no/such/*"), [])`, globPathArgs{}, st.fsGlob),
		dsl.Define("executable", "str", `The path of the running omniexpect, for starting it again. To find another program, use run(["sh", "-c", "command -v NAME"]).output.`,
			`r = run([executable(), "version"]) if "omniexpect" in executable() else None`, dsl.None{}, st.executable),
	)
}
