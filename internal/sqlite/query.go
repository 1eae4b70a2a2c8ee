package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"

	"omniexpect/internal/fault"
)

// Query is one statement with the values of its parameters.
type Query struct {
	Path    string
	SQL     string
	Args    []any          // values of ?, in order: nil, bool, int64, float64, string or []byte
	Named   map[string]any // values of :name, @name and $name, without that sign
	MaxRows int            // more are an error
}

// Rows is what a statement returned. Values are nil, int64, float64, string or []byte.
type Rows struct {
	Columns []string
	Rows    [][]any
}

// Do runs the query until the context ends. All errors are of this project's kinds.
func (q Query) Do(ctx context.Context) (rows *Rows, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.New(fault.Env, "%s: the SQLite engine failed: %v", q.Path, p)
		}
	}()
	f, err := find(q.Path)
	if err != nil {
		return nil, err
	}
	for {
		how := f.how()
		rows, err = q.as(ctx, f, how)
		if how == asImmutable && f.how() != asImmutable && ctx.Err() == nil {
			continue // somebody has opened it meanwhile: what was read as immutable may be wrong
		}
		if how == asReader && needsRecovery(err) {
			rows, err = q.as(ctx, f, asCopy)
		}
		if err != nil {
			return nil, q.explain(ctx, err)
		}
		return rows, nil
	}
}

func (q Query) as(ctx context.Context, f file, how manner) (*Rows, error) {
	conn, done, err := f.open(ctx, how)
	if err != nil {
		return nil, err
	}
	defer done()
	conn.SetInterrupt(ctx)
	conn.Limit(sqlite3.LIMIT_ATTACHED, 0)
	if err := conn.BusyHandler(patience); err != nil {
		return nil, err
	}
	if err := conn.Exec("PRAGMA query_only = on"); err != nil {
		return nil, err
	}
	stmt, err := q.prepare(conn)
	if err != nil {
		return nil, err
	}
	defer stmt.Close()
	return q.read(stmt)
}

// patience waits a little before a lock is tried again.
func patience(ctx context.Context, count int) bool {
	timer := time.NewTimer(time.Duration(min(count+1, 25)) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (q Query) prepare(conn *sqlite3.Conn) (*sqlite3.Stmt, error) {
	stmt, tail, err := conn.Prepare(q.SQL)
	if err != nil {
		return nil, err
	}
	if stmt == nil {
		return nil, q.usage("no statement in the query")
	}
	if err := q.alone(conn, tail); err != nil {
		return nil, errors.Join(err, stmt.Close())
	}
	if !stmt.ReadOnly() {
		return nil, errors.Join(q.usage("the statement would change the database, which is opened read-only"), stmt.Close())
	}
	if err := q.bind(stmt); err != nil {
		return nil, errors.Join(err, stmt.Close())
	}
	return stmt, nil
}

// alone checks that nothing but blanks and comments follows the statement.
func (q Query) alone(conn *sqlite3.Conn, tail string) error {
	more, _, err := conn.Prepare(tail)
	if errors.Is(err, sqlite3.INTERRUPT) {
		return err // the deadline has come meanwhile, whatever follows
	}
	if more != nil || err != nil {
		return errors.Join(q.usage("more than one statement: want one per call"), more.Close())
	}
	return nil
}

func (q Query) bind(stmt *sqlite3.Stmt) error {
	count := stmt.BindCount()
	if q.Named == nil {
		if len(q.Args) != count {
			return q.usage("the query has %s, got %s", plural(count, "parameter"), plural(len(q.Args), "value"))
		}
		for i, v := range q.Args {
			if err := bind(stmt, i+1, v); err != nil {
				return err
			}
		}
		return nil
	}
	used := 0
	for i := 1; i <= count; i++ {
		sign := stmt.BindName(i)
		if sign == "" || sign[0] == '?' {
			return q.usage("parameter %d of the query has no name: want a list of values, or :name in the query", i)
		}
		v, ok := q.Named[sign[1:]]
		if !ok {
			return q.usage("no value for the parameter %s of the query", sign)
		}
		if err := bind(stmt, i, v); err != nil {
			return err
		}
		used++
	}
	if used < len(q.Named) {
		for name := range q.Named {
			if stmt.BindIndex(":"+name)+stmt.BindIndex("@"+name)+stmt.BindIndex("$"+name) == 0 {
				return q.usage("the query has no parameter :%s", name)
			}
		}
	}
	return nil
}

func bind(stmt *sqlite3.Stmt, i int, v any) error {
	switch v := v.(type) {
	case nil:
		return stmt.BindNull(i)
	case bool:
		return stmt.BindBool(i, v)
	case int64:
		return stmt.BindInt64(i, v)
	case float64:
		return stmt.BindFloat(i, v)
	case string:
		return stmt.BindText(i, v)
	case []byte:
		return stmt.BindBlob(i, v)
	}
	return fmt.Errorf("a value of type %T cannot be a parameter", v)
}

func (q Query) read(stmt *sqlite3.Stmt) (*Rows, error) {
	out := &Rows{}
	for i := range stmt.ColumnCount() {
		name := stmt.ColumnName(i)
		if slices.Contains(out.Columns, name) {
			return nil, q.usage("two columns are called %q: name one of them with AS", name)
		}
		out.Columns = append(out.Columns, name)
	}
	for stmt.Step() {
		if q.MaxRows > 0 && len(out.Rows) == q.MaxRows {
			return nil, q.usage("more than %s: ask for fewer with LIMIT, or raise max_rows", plural(q.MaxRows, "row"))
		}
		row := make([]any, len(out.Columns))
		for i := range row {
			row[i] = column(stmt, i)
		}
		out.Rows = append(out.Rows, row)
	}
	return out, stmt.Err()
}

func column(stmt *sqlite3.Stmt, i int) any {
	switch stmt.ColumnType(i) {
	case sqlite3.INTEGER:
		return stmt.ColumnInt64(i)
	case sqlite3.FLOAT:
		return stmt.ColumnFloat(i)
	case sqlite3.TEXT:
		return stmt.ColumnText(i)
	case sqlite3.BLOB:
		return append([]byte{}, stmt.ColumnRawBlob(i)...)
	}
	return nil
}

func (q Query) usage(format string, args ...any) error {
	return fault.New(fault.Usage, "%s: %s", q.Path, fmt.Sprintf(format, args...))
}

// needsRecovery reports whether a reader found what only a writer can put right, after a crash.
func needsRecovery(err error) bool {
	return errors.Is(err, sqlite3.READONLY_ROLLBACK) || errors.Is(err, sqlite3.READONLY_RECOVERY) ||
		errors.Is(err, sqlite3.READONLY_CANTINIT) || errors.Is(err, sqlite3.CANTOPEN)
}

// explain turns an error of the engine into one that says what to do.
func (q Query) explain(ctx context.Context, err error) error {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", q.Path, context.Cause(ctx))
	}
	var e *sqlite3.Error
	if !errors.As(err, &e) {
		return fault.New(fault.Env, "%s: %w", q.Path, err)
	}
	text := strings.TrimPrefix(e.Error(), "sqlite3: ")
	switch e.Code() {
	case sqlite3.NOTADB:
		return q.notDatabase()
	case sqlite3.CORRUPT:
		return fault.New(fault.Env, "%s: the database is damaged: %s", q.Path, strings.TrimPrefix(text, "database disk image is malformed: "))
	case sqlite3.BUSY, sqlite3.LOCKED:
		return fault.New(fault.Timeout, "%s: the database is locked by another process", q.Path)
	case sqlite3.READONLY, sqlite3.AUTH:
		return q.usage("the statement would change the database, which is opened read-only")
	case sqlite3.ERROR, sqlite3.MISMATCH, sqlite3.RANGE, sqlite3.TOOBIG:
		text = strings.TrimPrefix(text, "SQL logic error: ")
		if strings.HasPrefix(text, "too many attached") {
			text = "ATTACH is not possible: query each database in its own call"
		}
		f := fault.New(fault.Usage, "%s: %s", q.Path, text)
		if rest := e.SQL(); rest != "" && len(rest) <= len(q.SQL) {
			f.Detail = "in the query, here:\n" + rest
		}
		return f
	}
	return fault.New(fault.Env, "%s: %s", q.Path, text)
}

func (q Query) notDatabase() error {
	return fault.New(fault.Env, "%s: not an SQLite database, or an encrypted one", q.Path)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
