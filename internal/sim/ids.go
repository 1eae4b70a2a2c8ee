package sim

import (
	"crypto/rand"
	"encoding/hex"
	"strings"

	"github.com/google/uuid"

	"omniexpect/internal/lazy"
)

// Eras of the product.
const (
	eraCurrent = "current" // 0.19.1
	eraSeed    = "seed"    // June 2026
)

// versionOf is what both halves call themselves; the suffix is how a check tells the simulator from the product.
func versionOf(era string) string {
	if era == eraSeed {
		return "0.2.0-sim"
	}
	return "0.19.1-sim"
}

func randomHex(digits int) string {
	b := make([]byte, digits/2)
	rand.Read(b)
	return hex.EncodeToString(b)
}

// newID returns an id as the era spells it: bare, or with the old prefix.
func newID(era, prefix string) string { return spellID(era, prefix, randomHex(32)) }

func spellID(era, prefix, hex32 string) string {
	if era == eraSeed {
		return prefix + "_" + hex32
	}
	return hex32
}

// itemPrefix is the old prefix of an item's id.
func itemPrefix(itemType string) string {
	switch itemType {
	case "message":
		return "msg"
	case "function_call":
		return "fc"
	case "function_call_output":
		return "fco"
	case "reasoning":
		return "rs"
	case "error":
		return "err"
	case "compaction":
		return "cmp"
	case "resource_event":
		return "res"
	}
	return "nt"
}

var idPattern = lazy.Regexp(`^(?:[a-z]{2,4}_)?([0-9a-f]{32})$`)

// idKey reduces any accepted spelling of an id (bare, prefixed, dashed) to its 32 digits; "" if it is not an id.
func idKey(id string) string {
	m := idPattern().FindStringSubmatch(strings.ReplaceAll(strings.ToLower(id), "-", ""))
	if m == nil {
		return ""
	}
	return m[1]
}

// derivedID is the id of an item that a forwarder stores: the same source gives the same id.
func derivedID(era, prefix, session, source string) string {
	u := uuid.NewSHA1(uuid.NameSpaceURL, []byte("omnigent-external-item:"+session+":"+source))
	return spellID(era, prefix, strings.ReplaceAll(u.String(), "-", ""))
}

// newVendorID is an agent's own session id: claude has random uuids, codex time-ordered ones.
func newVendorID(harness string) string {
	if harness == harnessCodex {
		return newV7()
	}
	return uuid.NewString()
}

func newV7() string {
	u, err := uuid.NewV7()
	if err != nil {
		return uuid.NewString()
	}
	return u.String()
}
