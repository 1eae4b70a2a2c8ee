package httpc

import (
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strconv"
)

// Equal compares values of JSON; numbers by value, whatever their Go type.
func Equal(a, b any) bool {
	if x, ok := numeral(a); ok {
		y, ok := numeral(b)
		return ok && sameNumber(x, y)
	}
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			if w, ok := b[k]; !ok || !Equal(v, w) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, Equal)
	}
	return reflect.DeepEqual(a, b)
}

// numeral returns the text of a number.
func numeral(v any) (string, bool) {
	switch v.(type) {
	case json.Number, int, int64, uint64, float64, *big.Int:
		return fmt.Sprint(v), true
	}
	return "", false
}

// sameNumber compares whole numbers of any length exactly and others as floating point numbers, which bounds the work
// that "1e999999999" makes.
func sameNumber(x, y string) bool {
	if a, ok := new(big.Int).SetString(x, 10); ok {
		if b, ok := new(big.Int).SetString(y, 10); ok {
			return a.Cmp(b) == 0
		}
	}
	a, errA := strconv.ParseFloat(x, 64)
	b, errB := strconv.ParseFloat(y, 64)
	return errA == nil && errB == nil && a == b
}
