package sim

import (
	"net/http"
	"slices"
	"strconv"
)

// listPage is a page of any list.
type listPage[T any] struct {
	Object  string  `json:"object"`
	Data    []T     `json:"data"`
	FirstID *string `json:"first_id"`
	LastID  *string `json:"last_id"`
	HasMore bool    `json:"has_more"`
}

// wholePage is a list that is never cut.
func wholePage[T any](rows []T, id func(T) string) listPage[T] {
	p := listPage[T]{Object: "list", Data: rows}
	if p.Data == nil {
		p.Data = []T{}
	}
	if len(rows) > 0 {
		p.FirstID, p.LastID = new(id(rows[0])), new(id(rows[len(rows)-1]))
	}
	return p
}

// pageQuery is how a list is asked for.
type pageQuery struct {
	limit         int
	after, before string
	desc          bool
}

func parsePage(r *http.Request, limit int, order string) (pageQuery, error) {
	q := r.URL.Query()
	p := pageQuery{limit: limit, after: q.Get("after"), before: q.Get("before")}
	if text := q.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		switch {
		case err != nil:
			return p, schemaErr("int_parsing", "Input should be a valid integer, unable to parse string as an integer", text, "query", "limit")
		case n < 1:
			return p, boundErr("greater_than_equal", "Input should be greater than or equal to 1", text, map[string]any{"ge": 1}, "query", "limit")
		case n > 1000:
			return p, boundErr("less_than_equal", "Input should be less than or equal to 1000", text, map[string]any{"le": 1000}, "query", "limit")
		}
		p.limit = n
	}
	if text := q.Get("order"); text != "" {
		order = text
	}
	if order != "asc" && order != "desc" {
		const pattern = "^(asc|desc)$"
		return p, boundErr("string_pattern_mismatch", "String should match pattern '"+pattern+"'", order, map[string]any{"pattern": pattern},
			"query", "order")
	}
	p.desc = order == "desc"
	return p, nil
}

// page cuts a page out of rows that are given oldest first. after and before are taken in the order of the answer.
func page[T any](rows []T, id func(T) string, q pageQuery) (listPage[T], error) {
	rows = slices.Clone(rows)
	if q.desc {
		slices.Reverse(rows)
	}
	at := func(cursor string) (int, error) {
		if idKey(cursor) == "" {
			return 0, apiErr(404, "not_found", "Not found.")
		}
		i := slices.IndexFunc(rows, func(row T) bool { return idKey(id(row)) == idKey(cursor) })
		if i < 0 {
			return 0, apiErr(400, "stale_cursor", "Cursor '"+cursor+"' no longer exists; restart from the first page")
		}
		return i, nil
	}
	from, to := 0, len(rows)
	if q.after != "" {
		i, err := at(q.after)
		if err != nil {
			return listPage[T]{}, err
		}
		from = i + 1
	}
	if q.before != "" {
		i, err := at(q.before)
		if err != nil {
			return listPage[T]{}, err
		}
		to = max(i, from)
	}
	rows = rows[from:to]
	more := len(rows) > q.limit
	if more {
		if q.before != "" && q.after == "" {
			rows = rows[len(rows)-q.limit:] // the page that touches the cursor
		} else {
			rows = rows[:q.limit]
		}
	}
	p := wholePage(rows, id)
	p.HasMore = more
	return p, nil
}
