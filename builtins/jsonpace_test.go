package builtins_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"omniexpect/internal/fault"
	"omniexpect/internal/run"
)

// TestLargeJSONEnds interrupts what takes long on a large body: it ends long before it would have been done.
func TestLargeJSONEnds(t *testing.T) {
	const large = `
body = "[" + '{"a": [1, 2.5, "x", null]},' * 100000 + "0]"
r = http_get(http_serve({"/": {"text": body}}).url)
print("begun")
`
	for _, call := range []string{
		`r.json()`,
		`r.jsonpath("$[0].a")`,
		`r.jsonpath("$[*].a[0]")`,
		`check(r, jsonpath = {"$[0].a[0]": 1})`,
	} {
		t.Run(call, func(t *testing.T) {
			whole := ending(t, large+call, 0)
			for try := 1; ; try++ {
				cut := ending(t, large+call, whole/8)
				if cut < whole/2 {
					return
				}
				if try == 5 {
					t.Errorf("it takes %v, and %v with an interrupt at an eighth of that", whole, cut)
					return
				}
			}
		})
	}
}

// ending runs a script, interrupts it so long after it has printed if that is above 0, and returns how long it ran on since.
func ending(t *testing.T, text string, after time.Duration) time.Duration {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	r := newRig(run.Options{Quiet: true})
	var begun time.Time
	print := r.Interp.Host.Print
	r.Interp.Host.Print = func(text string) {
		print(text)
		begun = time.Now()
		if after > 0 {
			time.AfterFunc(after, func() { cancel(fault.New(fault.Interrupt, "interrupted by the test")) })
		}
	}
	o := r.execute(t, ctx, "large.star", text)
	took := time.Since(begun)
	if after == 0 && o.err != nil || after > 0 && o.err != nil && !strings.Contains(o.report, "interrupted") {
		t.Fatal(o.report)
	}
	return took
}
