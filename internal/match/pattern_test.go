package match

import "testing"

// TestBytesBeyondASCIIHaveNoCase has a byte that Latin-1 takes for a letter be none.
func TestBytesBeyondASCIIHaveNoCase(t *testing.T) {
	f := newFeed(t, Config{})
	f.write("\xe9K\xff\xc9K\xff")
	bytes := func(b string) Pattern { return Pattern{Kind: Bytes, Source: b, IgnoreCase: true} }
	if r := f.expect(0, bytes("\xc9k\xff")); r.Why != Matched || r.Text != "\xc9K\xff" || r.Before.String() != "\xe9K\xff" {
		t.Fatalf("got %+v", r)
	}
}
