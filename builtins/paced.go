package builtins

import (
	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
)

// over reports whether an error is that of a computation that an interrupt or a deadline has ended.
func over(c *dsl.Call, err error) bool {
	return err != nil && (c.Ctx.Err() != nil || fault.KindOf(err) == fault.Timeout)
}
