package match

import "testing"

// TestAlike has texts that a person cannot tell apart, and texts that a person can.
func TestAlike(t *testing.T) {
	for _, p := range [][2]string{
		{"café", "cafe\u0301"}, {"naïve", "nai\u0308ve"}, {"Ångström", "A\u030angstro\u0308m"}, {"pass\u200bword", "password"},
		{"it’s", "it's"}, {"“ok”", `"ok"`}, {"a – b", "a - b"}, {"раssword", "password"}, {"Ηello", "Hello"}, {"a\u202eb\u202c", "ab"},
		{"soft\u00adhyphen", "softhyphen"}, {"ｏｋ：１", "ok:1"}, {"a\u2003b\u202fc", "a b c"}, {"wait…", "wait..."}, {"\ufeffok", "ok"}, {"ﬁle", "file"},
		{"Йод", "И\u0306од"},
	} {
		if a, b := Alike(p[0]), Alike(p[1]); a != b {
			t.Errorf("%+q and %+q: %+q and %+q", p[0], p[1], a, b)
		}
	}
	for _, p := range [][2]string{{"café", "cafe"}, {"ok", "0k"}, {"漢", "字"}, {"a", "A"}, {"naïve", "nai\u0301ve"}} {
		if Alike(p[0]) == Alike(p[1]) {
			t.Errorf("%q and %q are taken for one", p[0], p[1])
		}
	}
}
