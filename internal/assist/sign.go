package assist

// Call is a call that is being written: what it may be a call of, and which parameter is being given, -1 for none.
type Call struct {
	Callables []Callable
	Active    int // the parameter of the first callable
}

// Sign returns the innermost call around a place of whose function something is known.
func (g *Guide) Sign(file, text string, at int) (Call, bool) {
	p := find(text, at)
	if len(p.calls) == 0 {
		return Call{}, false
	}
	c := p.calls[0]
	l := g.look(file, text, at, c.callee, receiverOf(c.callee))
	list := l.callables(c.callee, 0, 1)
	if len(list) == 0 {
		return Call{}, false
	}
	return Call{list, active(list[0], c)}, true
}

// active returns the parameter that the last argument of a call is for.
func active(c Callable, call call) int {
	last := call.args[len(call.args)-1]
	if last.name != "" {
		for i, p := range c.Params {
			if p.Name == last.name && p.Rest == "" {
				return i
			}
		}
		return rest(c, "**")
	}
	n := 0
	for _, a := range call.args[:len(call.args)-1] {
		if a.name == "" {
			n++
		} else if last.text == "" {
			return -1 // after an argument by name comes another one
		}
	}
	for i, p := range c.Params {
		switch {
		case p.Rest == "*":
			return i
		case p.KwOnly || p.Rest == "**":
			return -1
		case n == 0:
			return i
		}
		n--
	}
	return -1
}

func rest(c Callable, stars string) int {
	for i, p := range c.Params {
		if p.Rest == stars {
			return i
		}
	}
	return -1
}
