package explain

import (
	"strings"

	"omniexpect/internal/lazy"
)

// PagerPrompt returns what a pager shows at the end of a page, or "".
func PagerPrompt(text string) string {
	last := text[strings.LastIndexAny(strings.TrimRight(text, " \r\n"), "\r\n")+1:]
	last = strings.TrimSpace(last)
	if last == ":" {
		return last
	}
	return pager().FindString(last)
}

var pager = lazy.Regexp(`\(END\)$|<?-+ ?\(?[Mm]ore\)? ?-+>?|[Ll]ines \d+-\d+\b|^Manual page \S+ line \d+|Press (?:any key|SPACE|<SPACE>) (?:to continue|for more)`)
