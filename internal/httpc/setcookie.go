package httpc

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Cookie is a name and a value as a server set them, byte for byte.
type Cookie struct{ Name, Value string }

// RefusedCookie is a Set-Cookie header that a client does not keep, with the reason.
type RefusedCookie struct {
	Line   string // the header's value
	Reason string
}

// setCookie is a Set-Cookie header, read as RFC 6265 section 5.2 wants it. net/http reads a stricter grammar and drops
// in silence what servers send and browsers keep: quotes, commas, blanks, JSON.
type setCookie struct {
	Cookie
	line    string
	domain  string // lower case, without the dot in front; empty if the header names none
	path    string // empty if the header names none
	expires time.Time
	persist bool // expires counts
	secure  bool
}

// setCookies reads all Set-Cookie headers of an answer.
func setCookies(h http.Header, now time.Time) (all []setCookie, refused []RefusedCookie) {
	for _, line := range h["Set-Cookie"] {
		c, err := parseSetCookie(line, now)
		if err != nil {
			refused = append(refused, RefusedCookie{line, err.Error()})
			continue
		}
		all = append(all, c)
	}
	return all, refused
}

func parseSetCookie(line string, now time.Time) (setCookie, error) {
	c := setCookie{line: line}
	pair, attributes, _ := strings.Cut(line, ";")
	name, value, found := strings.Cut(pair, "=")
	if !found {
		return c, errors.New("it has no = between a name and a value")
	}
	c.Name, c.Value = trimBlanks(name), trimBlanks(value)
	if c.Name == "" {
		return c, errors.New("its name is empty")
	}
	if hasControl(c.Name) || hasControl(c.Value) {
		return c, errors.New("it holds a control character, which no request can carry")
	}
	maxAge := false
	for attributes != "" {
		var attribute string
		attribute, attributes, _ = strings.Cut(attributes, ";")
		key, value, _ := strings.Cut(attribute, "=")
		value = trimBlanks(value)
		switch strings.ToLower(trimBlanks(key)) {
		case "expires":
			if at, ok := cookieDate(value); ok && !maxAge {
				c.expires, c.persist = at, true
			}
		case "max-age":
			if at, ok := cookieAge(value, now); ok {
				c.expires, c.persist, maxAge = at, true, true
			}
		case "domain":
			if value != "" {
				c.domain = strings.ToLower(strings.TrimPrefix(value, "."))
			}
		case "path":
			if c.path = ""; strings.HasPrefix(value, "/") {
				c.path = value
			}
		case "secure":
			c.secure = true
		}
	}
	return c, nil
}

func trimBlanks(s string) string { return strings.Trim(s, " \t") }

// hasControl reports whether a text holds a control character other than a tab.
func hasControl(s string) bool {
	return strings.ContainsFunc(s, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f })
}

// cookieAge reads a Max-Age (section 5.2.2): what is not a number does not count.
func cookieAge(s string, now time.Time) (time.Time, bool) {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" && s != "-" || strings.Trim(digits, "0123456789") != "" || s == "" {
		return time.Time{}, false
	}
	seconds, err := strconv.ParseInt(s, 10, 64)
	if err != nil && digits != "" && s == digits { // too large a number is for ever
		seconds = math.MaxInt64
	}
	if seconds <= 0 {
		return time.Time{}, true
	}
	return now.Add(time.Duration(min(seconds, 100*365*24*3600)) * time.Second), true
}

// cookieDate reads a date as section 5.1.1 wants it: in any order and between any delimiters, the first time, day of the
// month, month and year that are there.
func cookieDate(s string) (time.Time, bool) {
	var clock [3]int
	var day, month, year int
	var hasClock, hasDay, hasYear bool
	for _, token := range strings.FieldsFunc(s, dateDelimiter) {
		if !hasClock {
			if clock, hasClock = clockOf(token); hasClock {
				continue
			}
		}
		if !hasDay {
			if day, hasDay = leadingNumber(token, 1, 2); hasDay {
				continue
			}
		}
		if month == 0 {
			if month = monthOf(token); month != 0 {
				continue
			}
		}
		if !hasYear {
			year, hasYear = leadingNumber(token, 2, 4)
		}
	}
	switch {
	case year >= 70 && year <= 99:
		year += 1900
	case year >= 0 && year <= 69:
		year += 2000
	}
	if !hasClock || !hasDay || month == 0 || !hasYear || day < 1 || day > 31 || year < 1601 ||
		clock[0] > 23 || clock[1] > 59 || clock[2] > 59 {
		return time.Time{}, false
	}
	at := time.Date(year, time.Month(month), day, clock[0], clock[1], clock[2], 0, time.UTC)
	return at, at.Day() == day // there is no 31st of June
}

func dateDelimiter(c rune) bool {
	return c == '\t' || c >= 0x20 && c <= 0x2f || c >= 0x3b && c <= 0x40 || c >= 0x5b && c <= 0x60 || c >= 0x7b && c <= 0x7e
}

// leadingNumber reads digits at the beginning of a token, so many of them and no more.
func leadingNumber(token string, least, most int) (int, bool) {
	n := 0
	for n < len(token) && token[n] >= '0' && token[n] <= '9' {
		n++
	}
	if n < least || n > most {
		return 0, false
	}
	number, err := strconv.Atoi(token[:n])
	return number, err == nil
}

// clockOf reads a token that begins with hours, minutes and seconds.
func clockOf(token string) (clock [3]int, ok bool) {
	parts := strings.SplitN(token, ":", 3)
	if len(parts) < 3 {
		return clock, false
	}
	for i, part := range parts {
		if clock[i], ok = leadingNumber(part, 1, 2); !ok || i < 2 && strings.Trim(part, "0123456789") != "" {
			return clock, false
		}
	}
	return clock, true
}

func monthOf(token string) int {
	if len(token) < 3 {
		return 0
	}
	const months = "janfebmaraprmayjunjulaugsepoctnovdec"
	if i := strings.Index(months, strings.ToLower(token[:3])); i >= 0 && i%3 == 0 {
		return i/3 + 1
	}
	return 0
}

// ReadCookies reads the Cookie headers of a request, each value as it was sent.
func ReadCookies(h http.Header) []Cookie {
	var all []Cookie
	for _, line := range h["Cookie"] {
		for part := range strings.SplitSeq(line, ";") {
			if part = trimBlanks(part); part == "" {
				continue
			}
			name, value, found := strings.Cut(part, "=")
			if !found {
				name, value = "", part // as browsers send a cookie without a name
			}
			all = append(all, Cookie{trimBlanks(name), trimBlanks(value)})
		}
	}
	return all
}

// check finds what a Cookie header cannot carry so that a server reads it as it was given. It does not show the value,
// which may be secret.
func (c Cookie) check() error {
	switch {
	case c.Name == "":
		return errors.New("cookies: a name is empty")
	case strings.ContainsAny(c.Name, "=;") || hasControl(c.Name) || trimBlanks(c.Name) != c.Name:
		return fmt.Errorf("cookie %q: a name has no =, ;, control character or blank at its ends", c.Name)
	case strings.Contains(c.Value, ";") || hasControl(c.Value):
		return fmt.Errorf("cookie %q: its value holds a ; or a control character, which no Cookie header can carry", c.Name)
	case trimBlanks(c.Value) != c.Value:
		return fmt.Errorf("cookie %q: its value begins or ends with a blank, which servers drop", c.Name)
	}
	return nil
}
