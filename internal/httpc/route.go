package httpc

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpguts"

	"omniexpect/internal/fault"
)

// Route is a pattern and how requests to it are answered: always the same, or by a function.
//
// A pattern is a path, with a method before it where it is for that method only: "/health", "POST /items",
// "/items/{id}", "/v{major}/x", "/files/{rest...}". Of several patterns that fit, the most literal one counts, then the
// one with a method, then the first.
type Route struct {
	Pattern string
	Answer  Answer
	// Handle, if there is one, is called instead; many calls may be under way at once. The context ends with the
	// server, and when the client has gone.
	Handle func(ctx context.Context, r *Received) (Answer, error)
}

// route is a parsed pattern.
type route struct {
	Route
	method   string
	segments []segment
}

// segment is one part of a path: prefix{name}suffix, or a literal prefix if there is no name.
type segment struct {
	prefix, name, suffix string
	rest                 bool // {name...}: all that is left
}

func parseRoutes(routes []Route) ([]*route, error) {
	var parsed []*route
	seen := map[string]bool{}
	for _, r := range routes {
		p, err := parseRoute(r)
		if err != nil {
			return nil, fault.New(fault.Usage, "route %q: %v", r.Pattern, err)
		}
		key := p.method + " " + p.shape()
		if seen[key] {
			return nil, fault.New(fault.Usage, "route %q: another route is for the same requests", r.Pattern)
		}
		seen[key] = true
		parsed = append(parsed, p)
	}
	return parsed, nil
}

func parseRoute(r Route) (*route, error) {
	p := &route{Route: r}
	path := strings.TrimSpace(r.Pattern)
	if method, after, ok := strings.Cut(path, " "); ok && !strings.HasPrefix(path, "/") {
		p.method, path = strings.ToUpper(method), strings.TrimSpace(after)
		if !httpguts.ValidHeaderFieldName(p.method) {
			return nil, fmt.Errorf("%q is not a method", method)
		}
	}
	switch {
	case !strings.HasPrefix(path, "/"):
		return nil, errors.New("a path begins with /, as in \"/items\" or \"POST /items\"")
	case strings.ContainsAny(path, "?#"):
		return nil, errors.New("a route cannot have a query: want the path only, the function sees the query")
	}
	names := map[string]bool{}
	parts := strings.Split(path[1:], "/")
	for i, part := range parts {
		s, err := parseSegment(part)
		if err != nil {
			return nil, err
		}
		if s.rest && i < len(parts)-1 {
			return nil, fmt.Errorf("{%s...} matches the rest of the path: it must be last", s.name)
		}
		if s.name != "" && names[s.name] {
			return nil, fmt.Errorf("{%s} is there twice", s.name)
		}
		names[s.name] = true
		p.segments = append(p.segments, s)
	}
	return p, nil
}

func parseSegment(part string) (segment, error) {
	prefix, after, found := strings.Cut(part, "{")
	if !found {
		if strings.Contains(part, "}") {
			return segment{}, fmt.Errorf("%q has a } without a {", part)
		}
		literal, err := url.PathUnescape(part)
		return segment{prefix: literal}, err
	}
	name, suffix, found := strings.Cut(after, "}")
	if !found || strings.ContainsAny(suffix, "{}") || strings.Contains(name, "{") {
		return segment{}, fmt.Errorf("%q: want one {name} between two slashes", part)
	}
	s := segment{prefix: prefix, name: name, suffix: suffix}
	if short, ok := strings.CutSuffix(name, "..."); ok {
		s.name, s.rest = short, true
		if prefix+suffix != "" {
			return segment{}, fmt.Errorf("%q: {%s} must be a whole part of the path", part, name)
		}
	}
	if s.name == "" || strings.ContainsAny(s.name, " .*:") {
		return segment{}, fmt.Errorf("%q: {%s} is not a name", part, name)
	}
	return s, nil
}

// shape is equal for patterns that fit the same paths, and sorts before that of a less literal one.
func (p *route) shape() string {
	var b strings.Builder
	for _, s := range p.segments {
		switch {
		case s.name == "":
			b.WriteString("/a" + s.prefix)
		case s.rest:
			b.WriteString("/d")
		case s.prefix+s.suffix != "":
			b.WriteString("/b" + s.prefix + "{}" + s.suffix)
		default:
			b.WriteString("/c")
		}
	}
	return b.String()
}

// match returns the values of the names if the path fits. The path is escaped, so that a value may hold a slash.
func (p *route) match(path string) (map[string]string, bool) {
	vars := map[string]string{}
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, s := range p.segments {
		if i >= len(parts) {
			return nil, false
		}
		if s.rest {
			vars[s.name] = unescaped(strings.Join(parts[i:], "/"))
			return vars, true
		}
		part := unescaped(parts[i])
		if s.name == "" {
			if part != s.prefix {
				return nil, false
			}
			continue
		}
		value, ok := strings.CutPrefix(part, s.prefix)
		if ok {
			value, ok = strings.CutSuffix(value, s.suffix)
		}
		if !ok || value == "" {
			return nil, false
		}
		vars[s.name] = value
	}
	return vars, len(parts) == len(p.segments)
}

func unescaped(s string) string {
	if u, err := url.PathUnescape(s); err == nil {
		return u
	}
	return s
}

// find returns the best route, or the methods that the path would have had.
func (s *Server) find(method, path string) (best *route, vars map[string]string, methods []string) {
	for _, p := range s.routes {
		v, ok := p.match(path)
		if !ok {
			continue
		}
		if p.method != "" && p.method != method && (p.method != "GET" || method != "HEAD") {
			methods = append(methods, p.method)
			continue
		}
		if best == nil || p.rank() < best.rank() {
			best, vars = p, v
		}
	}
	return best, vars, methods
}

func (p *route) rank() string {
	if p.method == "" {
		return p.shape() + "\x01"
	}
	return p.shape()
}
