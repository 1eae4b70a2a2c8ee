package builtins_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"omniexpect/internal/event"
	"omniexpect/internal/fault"
	"omniexpect/internal/run"
	"omniexpect/internal/testneed"
)

// TestLastWords is R1 in numbers: of 500 short-lived programs none loses its last output, while both cores are busy.
func TestLastWords(t *testing.T) {
	for range 2 {
		busy := exec.CommandContext(t.Context(), "sh", "-c", "while :; do :; done")
		if err := busy.Start(); err != nil {
			t.Fatal(err)
		}
		defer busy.Wait()
		defer busy.Process.Kill()
	}
	o := execute(t, t.Context(), "last.star", `
def one(i):
    s = spawn(["sh", "-c", "seq 1 300; echo LAST-%d; exit 3" % i])
    s.expect("LAST-%d\n" % i, timeout=60)
    s.expect(EOF, timeout=60)
    assert.eq(s.wait(timeout=60).code, 3)
parallel([lambda i=i: one(i) for i in range(500)], limit=4)
`)
	if o.err != nil {
		t.Error(o.report)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	list, err := filepath.Glob("/proc/self/fd/*")
	if err != nil || len(list) == 0 {
		t.Skip("no /proc to count descriptors in")
	}
	return len(list)
}

// TestManySessions: programs without end give their descriptors back, and 300 at the same time all answer.
func TestManySessions(t *testing.T) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur < 700 {
		t.Skipf("300 sessions take 600 descriptors, and `ulimit -n` is %d (%v)", limit.Cur, err)
	}
	execute(t, t.Context(), "warm.star", `run("true")`)
	before := descriptors(t)
	o := execute(t, t.Context(), "many.star", `
for i in range(1500):
    spawn("true", timeout=60).wait()
    if i % 100 == 99:
        n = len(fs.glob("/proc/self/fd/*"))
        assert.true(n < 250, "%d descriptors after %d programs" % (n, i + 1))
`)
	if o.err != nil {
		t.Fatal(o.report)
	}
	o = execute(t, t.Context(), "cats.star", `
before = len(fs.glob("/proc/self/fd/*"))
all = [spawn("cat", echo=False, timeout=120) for i in range(300)]
assert.true(len(fs.glob("/proc/self/fd/*")) - before <= 600, "more than two descriptors for each session")
for i, s in enumerate(all):
    s.sendline("answer %d." % i)
for i, s in enumerate(all):
    assert.eq(s.expect(r"answer (\d+)\.\n")[1], str(i))
`)
	if o.err != nil {
		t.Fatal(o.report)
	}
	if after := descriptors(t); after > before+4 {
		t.Errorf("%d descriptors after the runs, %d before", after, before)
	}
}

// TestSecretsStayHidden: neither the live output nor notes nor the failure show a secret that a program echoes,
// also cut across reads.
func TestSecretsStayHidden(t *testing.T) {
	testneed.Programs(t, "python3")
	const value = "s3cr3t-value-of-some-length"
	o := newRig(run.Options{Verbose: true, Debug: true}).execute(t, t.Context(), "secret.star", `
key = secret("`+value+`")
s = spawn(["python3", "testdata/trickle.py", "so it is: `+value+` and more"])
s.peek("and more")
r = spawn(["sh", "-c", "printf 'token: '; read t; echo \"ok $t\"; sleep 60"], cols=20)
r.expect("token: ")
r.sendline(key)
r.peek("ok")
print("printed:", key, s.output())
step("with " + key)
s.expect("never" + key, timeout=0.3)
`)
	if o.kind() != fault.Timeout {
		t.Errorf("kind %q:\n%s", o.kind(), o.report)
	}
	for what, text := range map[string]string{"stdout": o.out, "stderr": o.report} {
		if strings.Contains(text, "s3cr3t") || !strings.Contains(text, "***") {
			t.Errorf("%s:\n%s", what, text)
		}
	}
}

// TestSecretsInCommands has shells echo, and trace, commands with a secret at any place of a long line.
func TestSecretsInCommands(t *testing.T) {
	o := newRig(run.Options{Verbose: true, Debug: true}).execute(t, t.Context(), "commands.star", `
key = secret("s3cr3t'va\"lue$of some`+"`"+`length" + "0123456789" * 5)
for program in ["bash", "sh", "zsh", "python3"]:
    if not run(["sh", "-c", "command -v " + program]).ok:
        continue
    sh = shell(program, timeout=20)
    for n in range(300, 430, 7):
        if program == "python3":
            assert.eq(sh.cmd("x = '''" + "x" * n + key + "'''").code, 0)
        else:
            assert.eq(sh.cmd("cat <<'EOF' >/dev/null\n" + "x" * n + key + "x" * n + "\nEOF").code, 0)
    if program != "python3":
        sh.cmd("set -x; x=$(cat <<'EOF'\n" + key + "\nEOF\n); : \"$x\"; declare -p x; printf %q \"$x\"")
`)
	if o.err != nil || !strings.Contains(o.report, "***") {
		t.Errorf("%v:\n%s", o.err, o.report)
	}
	for _, piece := range []string{"s3cr3t", "lue", "some", "length", "789012"} {
		if i := strings.Index(o.report, piece); i >= 0 {
			t.Errorf("%q is shown: %q", piece, o.report[max(0, i-100):min(len(o.report), i+100)])
		}
	}
}

// waits are calls that block until they are interrupted, by the name of the builtin.
var waits = map[string]string{
	"sleep":         `sleep(600)`,
	"step":          `step("x", lambda: sleep(600))`,
	"catch":         `catch(sleep, 600)`,
	"retry":         `retry(lambda: fail("x"), times=1000, interval=600)`,
	"poll_until":    `poll_until(lambda: False, timeout=600, interval=600)`,
	"parallel":      `parallel([lambda: sleep(600), lambda: s.expect("x", timeout=600)])`,
	"run":           `run("sleep 600", timeout=600)`,
	"expect":        `s.expect("never", timeout=600)`,
	"forever":       `s.expect("never", timeout=None)`,
	"expect_eof":    `s.expect_eof(timeout=600)`,
	"peek":          `s.peek("never", timeout=600)`,
	"expect_not":    `s.expect_not("never", 600)`,
	"expect_all":    `s.expect_all("never", "nor", timeout=600)`,
	"expect_any":    `expect_any({s: "never", spawn("cat"): "never"}, timeout=600)`,
	"wait_idle":     `s.wait_idle(600, timeout=600)`,
	"read":          `s.read(1000, timeout=600)`,
	"readline":      `s.readline(timeout=600)`,
	"wait":          `s.wait(timeout=600)`,
	"send":          `deaf.send("x" * 1000000, timeout=600)`,
	"sendline":      `deaf.sendline("x" * 1000000, timeout=600)`,
	"submit":        `deaf.submit("x" * 1000000, timeout=600)`,
	"paste":         `deaf.paste("x" * 1000000, timeout=600)`,
	"type_text":     `s.type_text("abc", delay=600)`,
	"keys":          `[deaf.keys("x", timeout=600) for i in range(1000000)]`,
	"send_file":     `deaf.send_file(file, timeout=600)`,
	"send_eof":      `[deaf.send_eof() for i in range(1000000)]`,
	"cmd":           `shell("sh").cmd("sleep 600", timeout=600)`,
	"wait_password": `s.wait_password(timeout=600)`,
	"send_secret":   `s.send_secret("hunter22", timeout=600)`,
	"http_get":      `http_get(url, timeout=600)`,
}

// TestInterrupts interrupts a script in each of its waits: they end at once, as an interrupt, no catch hides it, and what
// was deferred is done.
func TestInterrupts(t *testing.T) {
	slots := make(chan struct{}, 2)
	for name, call := range waits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			slots <- struct{}{}
			defer func() { <-slots }()
			interrupt(t, call)
		})
	}
}

func interrupt(t *testing.T, call string) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	done := make(chan struct{})
	begun := false
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	text := fmt.Sprintf(`
defer(print, "deferred")
url = "http://%s/"
file = fs.temp_dir() + "/long"
fs.write(file, "x" * 1000000)
s = spawn("cat", echo=True)
deaf = spawn(["sh", "-c", "stty raw -echo; echo ready; sleep 600"])
deaf.expect("ready")
def body():
    step("begin")
    %s
catch(body)
print("not reached")
`, silent.Addr(), call)
	r := newRig(run.Options{Quiet: true})
	r.Events.Add(event.Func(func(event.Event) {
		if begun {
			return
		}
		begun = true
		go func() {
			defer close(done)
			// The lock is free only once a builtin waits.
			r.Interp.Host.Lock.Lock()
			defer r.Interp.Host.Lock.Unlock()
			cancel(fault.New(fault.Interrupt, "interrupted by a test"))
		}()
	}), event.KindStep)
	o := r.execute(t, ctx, "wait.star", text)
	if !begun {
		t.Fatalf("the wait did not begin:\n%s", o.report)
	}
	<-done
	if o.kind() != fault.Interrupt {
		t.Errorf("kind %q:\n%s", o.kind(), o.report)
	}
	if o.out != "deferred\n" {
		t.Errorf("printed %q", o.out)
	}
}

// TestPathless runs with an empty environment, as some services do.
func TestPathless(t *testing.T) {
	t.Setenv("TERM", "dumb")
	t.Setenv("HOME", "") // is put back afterwards
	os.Unsetenv("HOME")
	o := execute(t, t.Context(), "bare.star", `
s = spawn(["sh", "-c", "echo $TERM"])
s.expect("^xterm-256color\n")
`)
	if o.err != nil {
		t.Error(o.report)
	}
}
