package check_test

import (
	"testing"

	"omniexpect/internal/check"
	"omniexpect/internal/interp"
)

func BenchmarkErrors(b *testing.B) {
	v := vocabulary()
	src, err := library(v).Open("@scripts//claude_resume.star")
	if err != nil {
		b.Fatal(err)
	}
	values := interp.Predeclare(v)
	for b.Loop() {
		if err := check.New(v, values).Errors(src); err != nil {
			b.Fatal(err)
		}
	}
}
