package rmtree

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func makeTree(t *testing.T, dir string, files ...string) {
	t.Helper()
	for _, f := range files {
		path := filepath.Join(dir, f)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// asOther runs the named test again as an ordinary user where this is root, for whom nothing is read-only.
func asOther(t *testing.T) (again bool) {
	t.Helper()
	if os.Getuid() != 0 {
		return false
	}
	dir, err := os.MkdirTemp("/tmp", "ordinary-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	binary := filepath.Join(dir, "test")
	data, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = os.WriteFile(binary, data, 0o755)
	}
	if err == nil {
		err = os.Chown(dir, 65534, 65534)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, "-test.run", "^"+t.Name()+"$", "-test.v")
	cmd.Dir, cmd.Env = dir, []string{"TMPDIR=" + dir, "HOME=" + dir, "PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("as another user: %v\n%s", err, out)
	}
	return true
}

// TestRemoveReadOnly removes what its owner may not write to, nor read, nor enter.
func TestRemoveReadOnly(t *testing.T) {
	if asOther(t) {
		return
	}
	outside := t.TempDir()
	makeTree(t, outside, "keep/file")
	os.Chmod(filepath.Join(outside, "keep"), 0o500)
	for _, mode := range []os.FileMode{0o555, 0o500, 0o444, 0o111, 0} {
		dir := filepath.Join(t.TempDir(), "tree")
		makeTree(t, dir, "mod/pkg/a.go", "mod/pkg/deeper/b.go", "mod/c", "d")
		for link, to := range map[string]string{"mod/pkg/out": outside, "mod/up": "..", "mod/pkg/keep": filepath.Join(outside, "keep"), "loop": "loop"} {
			if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
				t.Fatal(err)
			}
		}
		for _, d := range []string{"mod/pkg/deeper", "mod/pkg", "mod", "."} {
			if err := os.Chmod(filepath.Join(dir, d), mode); err != nil {
				t.Fatal(err)
			}
		}
		if err := Remove(dir); err != nil {
			t.Errorf("mode %o: %v", mode, err)
		}
		if _, err := os.Lstat(dir); err == nil {
			t.Errorf("mode %o: it is still there", mode)
		}
	}
	if info, err := os.Stat(filepath.Join(outside, "keep")); err != nil || info.Mode().Perm() != 0o500 {
		t.Errorf("a link was followed: %v, %v", info, err)
	}
	os.Chmod(filepath.Join(outside, "keep"), 0o700)
}

// TestRemoveDeep removes a tree that is deeper than there are descriptors, with 8 of them.
func TestRemoveDeep(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tree")
	makeTree(t, dir, "f", "wide/a", "wide/b/c")
	at, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	for range 3000 {
		if err := at.Mkdir("d", 0o755); err != nil {
			t.Fatal(err)
		}
		next, err := at.OpenRoot("d")
		at.Close()
		if err != nil {
			t.Fatal(err)
		}
		at = next
	}
	at.Close()
	var old, few syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	few = old
	few.Cur = uint64(f.Fd()) + 8
	f.Close()
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	err = Remove(dir)
	if err2 := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old); err2 != nil {
		t.Fatal(err2)
	}
	if err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(dir); err == nil {
		t.Error("it is still there")
	}
}

// TestRemoveNames goes on after what cannot be removed, and names it.
func TestRemoveNames(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("it takes root to make files that cannot be removed")
	}
	dir := filepath.Join(t.TempDir(), "tree")
	makeTree(t, dir, "a/b/stays", "a/b/goes", "z/goes", "goes")
	stays := filepath.Join(dir, "a/b/stays")
	if out, err := exec.Command("chattr", "+i", stays).CombinedOutput(); err != nil {
		t.Skipf("chattr: %v: %s", err, out)
	}
	err := Remove(dir)
	var left []string
	filepath.WalkDir(dir, func(p string, d os.DirEntry, _ error) error {
		if !d.IsDir() {
			left = append(left, p)
		}
		return nil
	})
	for _, p := range left {
		exec.Command("chattr", "-i", p).Run()
	}
	if len(left) != 1 || filepath.Base(left[0]) != "stays" {
		t.Errorf("left: %v", left)
	}
	if err == nil || !strings.Contains(err.Error(), "(it was a/b/stays): operation not permitted") {
		t.Errorf("said: %v", err)
	}
}

// TestRemoveMount leaves what another file system has, and says where it is.
func TestRemoveMount(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("it takes root to mount")
	}
	outside := t.TempDir()
	makeTree(t, outside, "precious", "sub/precious")
	dir := filepath.Join(t.TempDir(), "tree")
	makeTree(t, dir, "a/m/under", "b")
	mount := filepath.Join(dir, "a/m")
	if out, err := exec.Command("mount", "--bind", outside, mount).CombinedOutput(); err != nil {
		t.Skipf("mount: %v: %s", err, out)
	}
	err := Remove(dir)
	for _, m := range []string{mount, filepath.Join(dir, ".removed-1/m")} {
		exec.Command("umount", m).Run() // it is at one of the two
	}
	for _, f := range []string{"precious", "sub/precious"} {
		if _, err := os.Stat(filepath.Join(outside, f)); err != nil {
			t.Errorf("a file below the mount is gone: %v", err)
		}
	}
	if err == nil || !strings.Contains(fmt.Sprint(err), "m (it was a/m): device or resource busy") {
		t.Errorf("said: %v", err)
	}
}
