package match

import (
	"strings"
	"unicode"
)

// Alike returns a text in which characters that look the same are the same: without what is not seen, with letters taken
// apart from their accents, and Latin letters, plain quotes and hyphens for those that look like them.
func Alike(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case Unseen(r):
		case r >= 0xff01 && r <= 0xff5e: // fullwidth
			b.WriteRune(r - 0xff01 + '!')
		case r > 0x7f && unicode.Is(unicode.Zs, r):
			b.WriteByte(' ')
		case r > 0x7f:
			b.WriteString(likeness(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Unseen reports whether a character is not seen by itself: of no width, or a control of the direction of writing.
func Unseen(r rune) bool {
	return r > 0x7f && (unicode.Is(unicode.Cf, r) || r >= 0xfe00 && r <= 0xfe0f || r == 0x034f || r == 0x115f || r == 0x3164)
}

// Accent reports whether a character is an accent that is drawn on the letter before it.
func Accent(r rune) bool { return r >= 0x300 && r <= 0x36f }

// likeness is what a character looks like.
func likeness(r rune) string {
	for _, l := range [...][2]string{
		{"'", "‘’‚‛′ʼʹ´ˈ＇"}, {`"`, "“”„‟″＂"}, {"-", "‐‑‒–—―−﹘﹣"}, {"...", "…"}, {"fi", "ﬁ"}, {"fl", "ﬂ"}, {"ff", "ﬀ"}, {"/", "⁄∕"}, {"|", "∣ǀ│"},
		{"x", "×"}, {":", "꞉∶"}, {"*", "∗"}, {"~", "∼˜"}, {"<", "‹"}, {">", "›"},
	} {
		if strings.ContainsRune(l[1], r) {
			return l[0]
		}
	}
	for _, l := range [...][2]string{ // Cyrillic, Greek
		{"aeopcyxisjABEKMHOPCTXYISJ", "аеорсухіѕјАВЕКМНОРСТХУІЅЈ"},
		{"ovABEZHIKMNOPTYX", "ονΑΒΕΖΗΙΚΜΝΟΡΤΥΧ"},
	} {
		if at := runeIndex(l[1], r); at >= 0 {
			return l[0][at : at+1]
		}
	}
	for _, l := range [...]struct {
		accent      rune
		bare, whole string
	}{
		{0x300, "AEIOUaeiouNnWwYy", "ÀÈÌÒÙàèìòùǸǹẀẁỲỳ"}, {0x301, "AEIOUYaeiouyCcLlNnRrSsZzGg", "ÁÉÍÓÚÝáéíóúýĆćĹĺŃńŔŕŚśŹźǴǵ"},
		{0x302, "AEIOUaeiouCcGgHhJjSsWwYyZz", "ÂÊÎÔÛâêîôûĈĉĜĝĤĥĴĵŜŝŴŵŶŷẐẑ"}, {0x303, "ANOanoIiUuEeYy", "ÃÑÕãñõĨĩŨũẼẽỸỹ"},
		{0x304, "AEIOUaeiouGg", "ĀĒĪŌŪāēīōūḠḡ"}, {0x306, "AaEeGgIiOoUu", "ĂăĔĕĞğĬĭŎŏŬŭ"}, {0x307, "CcEeGgZzI", "ĊċĖėĠġŻżİ"},
		{0x308, "AEIOUaeiouYy", "ÄËÏÖÜäëïöüŸÿ"}, {0x30a, "AaUu", "ÅåŮů"}, {0x30b, "OoUu", "ŐőŰű"},
		{0x30c, "CcDdEeNnRrSsTtZzAaIiOoUu", "ČčĎďĚěŇňŘřŠšŤťŽžǍǎǏǐǑǒǓǔ"}, {0x327, "CcSsTtGKkLlNnRr", "ÇçŞşŢţĢĶķĻļŅņŖŗ"}, {0x328, "AaEeIiUuOo", "ĄąĘęĮįŲųǪǫ"},
		{0x306, "Ии", "Йй"}, {0x308, "Ее", "Ёё"},
	} {
		if at := runeIndex(l.whole, r); at >= 0 {
			bare := []rune(l.bare)[at]
			if bare > 0x7f {
				return likeness(bare) + string(l.accent)
			}
			return string(bare) + string(l.accent)
		}
	}
	return string(r)
}

// runeIndex returns how many characters of a text come before r, or -1.
func runeIndex(text string, r rune) int {
	if i := strings.IndexRune(text, r); i >= 0 {
		return len([]rune(text[:i]))
	}
	return -1
}
