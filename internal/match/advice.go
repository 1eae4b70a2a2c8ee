package match

import (
	"strconv"
	"strings"

	"omniexpect/internal/lazy"
)

// Advice returns what to write in place of something that other engines have and RE2 has not, by what was meant with it.
// why is what RE2 says of the expression.
func Advice(expr, why string) string {
	_, piece, _ := strings.Cut(why, ": `")
	piece = strings.TrimSuffix(piece, "`")
	switch {
	case strings.Contains(why, "escape sequence"):
		return escapeAdvice(expr, piece)
	case strings.Contains(why, "missing argument to repetition"):
		return `a * + or ? needs something before it; exact("…") takes the text as it stands`
	case strings.Contains(why, "nested repetition"):
		return repetitionAdvice(piece)
	case strings.Contains(why, "trailing backslash"):
		return `a backslash itself is \\`
	case strings.Contains(why, "repeat count") && turned(piece):
		return `the numbers of {2,3} are the fewest and the most times`
	case strings.Contains(why, "repeat count"):
		return `a { } repeats 1000 times at most: write (?:x{1000}){2} for more, or + with what follows`
	case strings.Contains(why, "Perl syntax"), strings.Contains(why, "(?<"), strings.Contains(why, "named capture"):
		return groupAdvice(expr, piece)
	case strings.Contains(why, "character class range") && strings.HasPrefix(piece, "[:"):
		return `the classes with names are [[:alpha:]] [[:digit:]] [[:alnum:]] [[:space:]] [[:punct:]] [[:upper:]] [[:lower:]] [[:xdigit:]] [[:word:]]`
	case strings.Contains(why, "character class range") && strings.HasPrefix(piece, `\`):
		return `the names of character classes are those of Unicode: write \p{Greek} for \p{IsGreek}, \pL for letters`
	case strings.Contains(why, "character class range"):
		return `a range goes from the lower to the higher character; a - that means itself stands first or last in [ ]`
	case strings.Contains(why, "missing closing"), strings.Contains(why, "unexpected )"):
		return `a ( [ or ) that means itself is written \( \[ \), or take the whole text as it stands with exact("…")`
	}
	return ""
}

// turned reports whether the numbers of a repetition like {3,2} stand the wrong way round.
func turned(piece string) bool {
	from, to, ok := strings.Cut(strings.Trim(piece, "{}"), ",")
	low, err := strconv.Atoi(from)
	high, err2 := strconv.Atoi(to)
	return ok && err == nil && err2 == nil && low > high
}

var codePoint = lazy.Regexp(`\\(?:u\{?|U|N\{U\+)0*([0-9A-Fa-f]{1,6})`)

// escapeAdvice is about a backslash and a letter that mean nothing here.
func escapeAdvice(expr, piece string) string {
	kind := strings.TrimPrefix(piece, `\`)
	if kind == "" {
		return `a backslash itself is \\`
	}
	switch c := kind[0]; c {
	case 'Z':
		return `the end of the text is \z, or $`
	case 'h':
		return `a blank or a tab is [ \t]`
	case 'H':
		return `all but blanks and tabs is [^ \t]`
	case 'R':
		return `a line end is \n: the text view has it for \r\n too`
	case 'u', 'U', 'N':
		if m := codePoint().FindStringSubmatch(expr); m != nil {
			return `write \x{` + strings.ToLower(m[1]) + `} for that character, or the character itself`
		}
		return `a character by its number is \x{e9}; or write the character itself`
	case 'e':
		return `ESC is \x1b, which only view="raw" has`
	case 'K', 'G', 'X':
		return `there is no \` + string(c) + ` in RE2: put what you want in a group, and take m[1]`
	case 'C':
		return `any character is (?s:.)`
	case 'c':
		return `a control character is written by its number: \x03 for Ctrl-C`
	case 'k', 'g':
		return noReference
	}
	if kind[0] >= '0' && kind[0] <= '9' {
		return noReference
	}
	return `a backslash itself is \\`
}

const noReference = `there are no references back to a group in RE2: take both groups and compare m[1] with m[2]; a backslash itself is \\`

// repetitionAdvice is about two signs of repetition in a row.
func repetitionAdvice(piece string) string {
	if len(piece) > 1 && strings.HasSuffix(piece, "+") {
		return `there is no possessive ` + piece + ` in RE2, which never goes back: write ` + strings.TrimSuffix(piece, "+") + ` alone`
	}
	return `a repetition of a repetition needs a group: (?:x*)*; a sign that means itself has a \ in front of it`
}

// groupAdvice is about what stands after (?.
func groupAdvice(expr, piece string) string {
	begins := func(list ...string) bool {
		for _, p := range list {
			if strings.HasPrefix(piece, p) {
				return true
			}
		}
		return false
	}
	switch {
	case begins("(?!", "(?<!"):
		return `there is no looking ahead or behind in RE2: wait for both, as in expect([wanted, unwanted]), and see m.index; or expect_not`
	case begins("(?=", "(?<="):
		return `there is no looking ahead or behind in RE2: name what stands before or after too, put what you want in a group, and take m[1]`
	case begins("(?<", "(?P<", "(?'"):
		return `a group with a name is (?P<name>…), the name of letters, digits and _`
	case begins("(?>"):
		return `RE2 never goes back, so a group need not forbid it: write (?:…) for (?>…)`
	case begins("(?P") && strings.Contains(expr, "(?P="):
		return noReference
	case begins("(?#"):
		return `there are no comments in RE2: write them beside the pattern`
	case begins("(?("):
		return `there are no conditions in RE2: write the cases as (?:one|other), or as a list of patterns`
	case begins("(?|"):
		return `there is no (?|…) in RE2: each group has its number; name them with (?P<name>…)`
	case begins("(?R", "(?0", "(?1", "(?&", "(?P"):
		return `there is no recursion in RE2: take the text with expect_eof() or m.before, and look into it with code`
	case strings.Contains(piece, "x"):
		return `there is no (?x) in RE2: write the pattern without blanks and comments, or join pieces of it with +`
	case strings.ContainsAny(piece, "auL"):
		return `RE2 always reads characters: leave the flag out; (?i) (?m) (?s) (?U) are there`
	}
	return `the flags of RE2 are i, m, s and U; a group without a number is (?:…)`
}

var upTo = lazy.Regexp(`(?:^|[^\\])(\{,([0-9]+)\})`)

// Odd returns what is read in another way than other engines do, without being an error, and what to write.
func Odd(expr string) string {
	if m := upTo().FindStringSubmatch(expr); m != nil {
		if n, err := strconv.Atoi(m[2]); err == nil {
			return m[1] + ` stands for these characters themselves in RE2: write {0,` + strconv.Itoa(n) + `} for "up to ` + m[2] + ` times"`
		}
	}
	return ""
}
