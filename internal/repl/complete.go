package repl

import (
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"omniexpect/internal/assist"
	"omniexpect/internal/interp"
)

// complete returns what Tab inserts, or else the ways to go on.
func (l *Loop) complete(before, after string) (insert string, list []string) {
	if !l.Run.Host.Lock.TryLock() {
		return "", nil // something of the script is at work
	}
	defer l.Run.Host.Lock.Unlock()
	word, names := l.candidates(before, after)
	var fits []string
	for _, n := range names {
		if strings.HasPrefix(n, word) && n != word {
			fits = append(fits, n)
		}
	}
	sort.Strings(fits)
	fits = slices.Compact(fits)
	switch {
	case len(fits) == 0:
		return "", nil
	case len(fits) == 1:
		insert = fits[0][len(word):]
		if closed(after) && strings.HasSuffix(insert, "(") {
			insert = strings.TrimSuffix(insert, "(")
		}
		return insert, nil
	}
	common := fits[0]
	for _, f := range fits[1:] {
		for !strings.HasPrefix(f, common) {
			common = common[:len(common)-1]
		}
	}
	common = strings.ToValidUTF8(common, "")
	if len(common) > len(word) {
		return common[len(word):], nil
	}
	if !strings.HasPrefix(word, "_") {
		var public []string
		for _, f := range fits {
			if !strings.HasPrefix(f, "_") {
				public = append(public, f)
			}
		}
		fits = public
	}
	return "", fits
}

func closed(after string) bool { return strings.HasPrefix(after, "(") }

// candidates returns the word in front of the cursor and what can stand in its place.
func (l *Loop) candidates(before, after string) (word string, names []string) {
	if typed := strings.TrimLeft(before, " \t"); len(l.above) == 0 && strings.HasPrefix(typed, ".") {
		return l.commandWords(typed)
	}
	above := ""
	if len(l.above) > 0 {
		above = strings.Join(l.above, "\n") + "\n"
	}
	text, at := above+before+after, len(above)+len(before)
	guide := assist.New(l.Vocabulary, l.Run.Predefined, func() *interp.Library { return l.Run.Lib })
	guide.Live = l.console.Globals()
	guide.Files = func(prefix string) []assist.Item { return files(prefix, "") }
	c := guide.Complete(mainName, text, at, l.modules)
	word = text[c.From:at]
	arguments := word == "" && slices.ContainsFunc(c.Items, func(it assist.Item) bool { return it.Kind == assist.Argument })
	for _, it := range c.Items {
		if !arguments || it.Kind == assist.Argument {
			names = append(names, typedAs(it))
		}
	}
	return word, names
}

// typedAs is an item as it is written at the prompt: with the bracket or the blank that follows.
func typedAs(it assist.Item) string {
	switch it.Kind {
	case assist.Function, assist.Method:
		return it.Insert + "("
	case assist.Argument:
		return it.Label
	case assist.Keyword:
		switch it.Label {
		case "load":
			return "load("
		case "break", "continue", "else", "pass":
			return it.Label
		}
		return it.Label + " "
	}
	return it.Insert
}

// commandWords returns the commands of the prompt, or what can be an argument of the one that is typed.
func (l *Loop) commandWords(typed string) (word string, names []string) {
	name, arg, given := strings.Cut(typed, " ")
	arg = strings.TrimLeft(arg, " \t")
	switch {
	case !given:
		for _, c := range commands() {
			name := c.name
			if c.args != "" {
				name += " "
			}
			names = append(names, name)
		}
		return typed, names
	case name == ".use":
		for _, s := range l.Sessions() {
			names = append(names, s.Name)
		}
	case name == ".load", name == ".save", name == ".save!":
		for _, it := range files(arg, "") {
			names = append(names, it.Insert)
		}
	}
	return arg, names
}

// modules returns what the first text of load() can be.
func (l *Loop) modules(prefix string) []assist.Item {
	if strings.HasPrefix(prefix, "@") {
		return assist.Embedded(l.Run.Lib)
	}
	out := files(prefix, ".star")
	if prefix == "" {
		for repo := range l.Run.Lib.Embedded {
			out = append(out, assist.Item{Kind: assist.Folder, Insert: repo + "//"})
		}
	}
	return out
}

// files returns the files that a name can go on with, folders with a slash; ext limits them to an ending.
func files(text, ext string) (out []assist.Item) {
	folder, part := filepath.Split(text)
	where := folder
	switch {
	case folder == "":
		where = "."
	case strings.HasPrefix(folder, "~/"):
		where = os.Getenv("HOME") + folder[1:]
	}
	entries, err := os.ReadDir(where)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") && !strings.HasPrefix(part, ".") {
			continue
		}
		st, err := os.Stat(filepath.Join(where, name))
		switch {
		case err == nil && st.IsDir():
			out = append(out, assist.Item{Kind: assist.Folder, Insert: folder + name + "/"})
		case strings.HasSuffix(name, ext):
			out = append(out, assist.Item{Kind: assist.File, Insert: folder + name})
		}
	}
	return out
}
