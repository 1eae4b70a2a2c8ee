package sqlite

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"

	"omniexpect/internal/fault"
	"omniexpect/internal/testneed"
)

// writer opens a database for writing and runs statements.
func writer(t *testing.T, path string, statements ...string) *sqlite3.Conn {
	t.Helper()
	c, err := sqlite3.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	for _, s := range statements {
		if err := c.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return c
}

// snapshot is the content of every file of a folder but the index of a log, which readers mark.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(e.Name(), "-shm") {
			data = nil
		}
		all[e.Name()] = string(data)
	}
	return all
}

func count(t *testing.T, path string) int64 {
	t.Helper()
	rows, err := Query{Path: path, SQL: "select count(*) as n from t"}.Do(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return rows.Rows[0][0].(int64)
}

const filled = "create table t(x); insert into t values (1),(2),(3)"

// TestNothingChanges reads databases in every state that they can be found in.
func TestNothingChanges(t *testing.T) {
	copied := func(t *testing.T, dir, path string, suffixes ...string) string {
		to := t.TempDir()
		for _, s := range append(suffixes, "") {
			data, err := os.ReadFile(path + s)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(to, filepath.Base(path))+s, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return filepath.Join(to, filepath.Base(path))
	}
	for name, prepare := range map[string]func(t *testing.T, dir, path string) string{
		"rollback journal": func(t *testing.T, _, path string) string {
			writer(t, path, filled).Close()
			return path
		},
		"wal, closed": func(t *testing.T, _, path string) string {
			writer(t, path, "pragma journal_mode=wal", filled).Close()
			return path
		},
		"wal, open elsewhere": func(t *testing.T, _, path string) string {
			writer(t, path, "pragma journal_mode=wal", filled)
			return path
		},
		"wal, open and truncated": func(t *testing.T, _, path string) string {
			writer(t, path, "pragma journal_mode=wal", filled, "pragma wal_checkpoint(truncate)")
			return path
		},
		"wal left by a crash": func(t *testing.T, dir, path string) string {
			writer(t, path, "pragma journal_mode=wal", filled)
			return copied(t, dir, path, "-wal")
		},
		"wal and index left by a crash": func(t *testing.T, dir, path string) string {
			writer(t, path, "pragma journal_mode=wal", filled)
			return copied(t, dir, path, "-wal", "-shm")
		},
		"hot journal left by a crash": func(t *testing.T, dir, path string) string {
			// A cache of one page makes the transaction spill into the file.
			writer(t, path, filled, "pragma cache_size=1", "begin", "create table u(y)",
				"with recursive n(i) as (select 1 union all select i+1 from n where i < 2000) insert into u select randomblob(500) from n",
				"delete from t")
			return copied(t, dir, path, "-journal")
		},
		"a link": func(t *testing.T, dir, path string) string {
			writer(t, path, "pragma journal_mode=wal", filled)
			link := filepath.Join(t.TempDir(), "link.db")
			if err := os.Symlink(path, link); err != nil {
				t.Fatal(err)
			}
			return link
		},
		"a name that a URI would read": func(t *testing.T, dir, _ string) string {
			path := filepath.Join(dir, "a b?mode=rwc#%41.db")
			writer(t, filepath.Join(dir, "x.db"), "pragma journal_mode=wal", filled).Close()
			if err := os.Rename(filepath.Join(dir, "x.db"), path); err != nil {
				t.Fatal(err)
			}
			return path
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := prepare(t, dir, filepath.Join(dir, "x.db"))
			before := snapshot(t, filepath.Dir(path))
			if n := count(t, path); n != 3 {
				t.Errorf("got %d rows, want 3", n)
			}
			if after := snapshot(t, filepath.Dir(path)); !reflect.DeepEqual(before, after) {
				t.Errorf("the folder changed from %d files to %d", len(before), len(after))
			}
		})
	}
}

// TestBesidesC reads what another implementation of SQLite has open and writes in between.
func TestBesidesC(t *testing.T) {
	testneed.Programs(t, "python3")
	path := filepath.Join(t.TempDir(), "x.db")
	cmd := exec.Command("python3", "-u", "-c", `import sqlite3, sys
c = sqlite3.connect(sys.argv[1], isolation_level=None)
c.execute("pragma journal_mode=wal")
c.execute("create table t(x)")
print("ready")
for line in sys.stdin:
    c.execute("insert into t values (?)", (line,))
    print("done")
`, path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer in.Close()
	lines := bufio.NewReader(out)
	if line, _ := lines.ReadString('\n'); line != "ready\n" {
		t.Skip("python3 without sqlite3")
	}
	for want := range int64(5) {
		if n := count(t, path); n != want {
			t.Fatalf("got %d rows, want %d", n, want)
		}
		in.Write([]byte("x\n"))
		lines.ReadString('\n')
	}
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.db")
	writer(t, path, filled)
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("no database ", 20)), 0o600); err != nil {
		t.Fatal(err)
	}
	short := filepath.Join(dir, "short")
	if err := os.WriteFile(short, []byte("SQLite"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		q    Query
		kind fault.Kind
		msg  string
	}{
		{Query{Path: dir + "/none", SQL: "select 1"}, fault.Env, "no such file"},
		{Query{Path: dir, SQL: "select 1"}, fault.Env, "not a regular file: want a database"},
		{Query{Path: text, SQL: "select 1"}, fault.Env, "not an SQLite database"},
		{Query{Path: short, SQL: "select 1"}, fault.Env, "not an SQLite database"},
		{Query{Path: path, SQL: "selec 1"}, fault.Usage, `near "selec": syntax error`},
		{Query{Path: path, SQL: "select * from none"}, fault.Usage, "no such table: none"},
		{Query{Path: path, SQL: " -- nothing\n;"}, fault.Usage, "no statement"},
		{Query{Path: path, SQL: "select 1; select 2"}, fault.Usage, "more than one statement"},
		{Query{Path: path, SQL: "select 1; nonsense"}, fault.Usage, "more than one statement"},
		{Query{Path: path, SQL: "insert into t values (4)"}, fault.Usage, "would change the database"},
		{Query{Path: path, SQL: "create temp table u(y)"}, fault.Usage, "would change the database"},
		{Query{Path: path, SQL: "pragma journal_mode=wal"}, fault.Usage, "would change the database"},
		{Query{Path: path, SQL: "vacuum into '" + dir + "/y.db'"}, fault.Usage, "would change the database"},
		{Query{Path: path, SQL: "attach '" + dir + "/y.db' as y"}, fault.Usage, "ATTACH is not possible"},
		{Query{Path: path, SQL: "select ?", Args: nil}, fault.Usage, "the query has 1 parameter, got 0 values"},
		{Query{Path: path, SQL: "select :a", Named: map[string]any{}}, fault.Usage, "no value for the parameter :a"},
		{Query{Path: path, SQL: "select :a", Named: map[string]any{"a": nil, "b": nil}}, fault.Usage, "no parameter :b"},
		{Query{Path: path, SQL: "select ?", Named: map[string]any{"a": nil}}, fault.Usage, "has no name"},
		{Query{Path: path, SQL: "select 1 as a, 2 as a"}, fault.Usage, `two columns are called "a"`},
		{Query{Path: path, SQL: "select * from t", MaxRows: 2}, fault.Usage, "more than 2 rows"},
		{Query{Path: path, SQL: "select abs(-9223372036854775808)"}, fault.Usage, "integer overflow"},
	} {
		_, err := c.q.Do(t.Context())
		var f *fault.Error
		if !errors.As(err, &f) || f.Kind != c.kind || !strings.Contains(f.Msg, c.msg) || strings.Contains(f.Msg, "\n") {
			t.Errorf("%s %s: got %v (%s), want %s: %s", filepath.Base(c.q.Path), c.q.SQL, err, fault.KindOf(err), c.kind, c.msg)
		}
	}
	if left, _ := filepath.Glob(dir + "/y.db"); left != nil {
		t.Error("a query made a file")
	}
}

// TestStopsBetween has the deadline come while what follows the statement is looked at.
func TestStopsBetween(t *testing.T) {
	conn := writer(t, filepath.Join(t.TempDir(), "x.db"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	conn.SetInterrupt(ctx)
	if err := (Query{Path: "x.db"}).alone(conn, " -- nothing\n"); !errors.Is(err, sqlite3.INTERRUPT) {
		t.Errorf("got %v, want an interruption", err)
	}
}

// TestStops ends a query that would never end, and one that waits for a lock.
func TestStops(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	writer(t, path, filled, "begin exclusive")
	other := filepath.Join(t.TempDir(), "y.db")
	writer(t, other, filled)
	for _, q := range []Query{
		{Path: path, SQL: "select * from t"},
		{Path: other, SQL: "with recursive n(i) as (select 1 union all select i+1 from n) select max(i) from n"},
	} {
		late := fault.New(fault.Interrupt, "stopped")
		ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Millisecond, late)
		_, err := q.Do(ctx)
		cancel()
		if !errors.Is(err, late) {
			t.Errorf("%s: got %v, want the context's cause", q.SQL, err)
		}
	}
}
