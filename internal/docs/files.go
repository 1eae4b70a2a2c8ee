package docs

import "omniexpect/internal/dsl"

// File is a file that is generated, by its path below the top folder of the source.
type File struct{ Path, Text string }

// Files returns all that is generated from the table and committed.
func Files(v *dsl.Vocabulary) []File {
	return []File{
		{"docs/names.md", NamesMarkdown(v)},
		{"docs/reference.md", Markdown(v)},
		{"docs/stubs/omniexpect.py", Stubs(v)},
	}
}
