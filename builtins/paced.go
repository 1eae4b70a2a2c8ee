package builtins

import (
	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
)

// over reports whether an error is that of a computation that an interrupt or a deadline has ended.
func over(c *dsl.Call, err error) bool {
	return err != nil && (c.Ctx.Err() != nil || fault.KindOf(err) == fault.Timeout)
}

// misused is the error of a computation that failed because of what it was given, or that was ended.
func misused(c *dsl.Call, err error, format string, args ...any) error {
	if over(c, err) {
		return err
	}
	return fault.New(fault.Usage, format, args...)
}
