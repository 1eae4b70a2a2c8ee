package dsl

// Role is what the checks, the prompt and the run have to know of a builtin beside its parameters. They ask for roles and
// types, never for a name.
type Role uint16

// The roles. A builtin may have several.
const (
	Current   Role = 1 << iota // a method that is also a builtin, which acts on the current session
	Starts                     // it starts a session, which becomes the current one
	Absent                     // it waits for its patterns not to come
	Each                       // it waits for all of its patterns, in any order
	Keys                       // it sends its first argument as it stands
	Line                       // it sends its first argument and presses Enter
	Declares                   // it declares a parameter of the script, which is read before the script runs
	Conceals                   // its first argument is a secret
	Pure                       // what it does depends on its arguments alone, and on what it calls
	Arguments                  // it is, or reads, the script's arguments
	Prompts                    // it opens a prompt, at which all that a script has may be used
)

// As adds roles to a declaration.
func (f *Func) As(r Role) *Func {
	f.Roles |= r
	return f
}

// Is reports whether a builtin has all of some roles. A nil builtin has none.
func (f *Func) Is(r Role) bool { return f != nil && f.Roles&r == r }

// With returns the names of the builtins and constants that have a role.
func (v *Vocabulary) With(r Role) []string {
	var names []string
	for _, f := range v.Funcs {
		if f.Is(r) {
			names = append(names, f.Name)
		}
	}
	for _, c := range v.Consts {
		if c.Roles&r != 0 {
			names = append(names, c.Name)
		}
	}
	return names
}
