package httpc

import (
	"crypto/md5"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"hash"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// digest is what a server asked for in a challenge of RFC 7616 or RFC 2617, and how often it was answered.
type digest struct {
	realm, nonce, opaque string
	algorithm            string // as the server wrote it
	qop                  bool   // "auth" is offered; servers without it are of RFC 2069
	userHash             bool
	count                int
}

// digestHashes are the algorithms, the best first, without "-sess".
var digestHashes = []struct {
	name string
	hash func() hash.Hash
}{{"SHA-512-256", sha512.New512_256}, {"SHA-256", sha256.New}, {"MD5", md5.New}}

// digests remembers the challenges of servers, so that later calls need no refusal first.
type digests struct {
	mu   sync.Mutex
	last map[string]*digest // by origin and user
}

// answer returns the Authorization header for a request, if the server's challenge is known.
func (d *digests) answer(key string, auth *Auth, method, uri string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.last[key]
	if c == nil {
		return ""
	}
	c.count++
	return c.answer(auth, method, uri, rand.Text()[:16])
}

// refused learns from a 401. It reports whether another try makes sense: not if the server did not ask for a digest, or
// refused one that was made for the nonce it has now.
func (d *digests) refused(key, sent string, h http.Header) bool {
	c, stale := challengeOf(h)
	if c == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if sent != "" && !stale {
		delete(d.last, key)
		return false
	}
	if d.last == nil {
		d.last = map[string]*digest{}
	}
	d.last[key] = c
	return true
}

// accepted takes the nonce that a server wants next.
func (d *digests) accepted(key string, h http.Header) {
	params := authParams(h.Get("Authentication-Info"))
	if params["nextnonce"] == "" {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if c := d.last[key]; c != nil {
		c.nonce, c.count = params["nextnonce"], 0
	}
}

// answer computes the header; cnonce is the client's nonce.
func (c *digest) answer(auth *Auth, method, uri, cnonce string) string {
	name, session := strings.CutSuffix(strings.ToUpper(c.algorithm), "-SESS")
	newHash := md5.New
	for _, known := range digestHashes {
		if known.name == name {
			newHash = known.hash
		}
	}
	sum := func(parts ...string) string {
		h := newHash()
		h.Write([]byte(strings.Join(parts, ":")))
		return hex.EncodeToString(h.Sum(nil))
	}
	a1 := sum(auth.User, c.realm, auth.Password)
	if session {
		a1 = sum(a1, c.nonce, cnonce)
	}
	a2 := sum(method, uri)
	count := fmt.Sprintf("%08x", c.count)
	response := sum(a1, c.nonce, a2)
	if c.qop {
		response = sum(a1, c.nonce, count, cnonce, "auth", a2)
	}
	user := auth.User
	if c.userHash {
		user = sum(auth.User, c.realm)
	}
	out := fmt.Sprintf("Digest username=%s, realm=%s, nonce=%s, uri=%s, response=%q", quoted(user), quoted(c.realm),
		quoted(c.nonce), quoted(uri), response)
	if c.algorithm != "" {
		out += ", algorithm=" + c.algorithm
	}
	if c.opaque != "" {
		out += ", opaque=" + quoted(c.opaque)
	}
	if c.qop {
		out += fmt.Sprintf(", qop=auth, nc=%s, cnonce=%q", count, cnonce)
	} else if session {
		out += fmt.Sprintf(", cnonce=%q", cnonce)
	}
	if c.userHash {
		out += ", userhash=true"
	}
	return out
}

func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// challengeOf returns the best challenge that can be answered, or nil.
func challengeOf(h http.Header) (best *digest, stale bool) {
	rank := len(digestHashes)
	for _, params := range challenges(h.Values("WWW-Authenticate")) {
		algorithm := params["algorithm"]
		name, _ := strings.CutSuffix(strings.ToUpper(algorithm), "-SESS")
		if name == "" {
			name = "MD5"
		}
		for i, known := range digestHashes {
			qops := strings.FieldsFunc(strings.ToLower(params["qop"]), func(r rune) bool { return r == ',' || r == ' ' })
			auth := slices.Contains(qops, "auth")
			if known.name != name || i >= rank || params["nonce"] == "" || len(qops) > 0 && !auth {
				continue
			}
			rank = i
			best = &digest{realm: params["realm"], nonce: params["nonce"], opaque: params["opaque"], algorithm: algorithm,
				qop: auth, userHash: strings.EqualFold(params["userhash"], "true")}
			stale = strings.EqualFold(params["stale"], "true")
		}
	}
	return best, stale
}

// challenges returns the parameters of each Digest challenge; one header may hold several, of several schemes.
func challenges(values []string) (out []map[string]string) {
	for _, value := range values {
		digest := false
		for _, part := range splitList(value) {
			if scheme, rest, isParam := schemeOf(part); !isParam {
				if digest = strings.EqualFold(scheme, "Digest"); digest {
					out = append(out, map[string]string{})
				}
				part = rest
			}
			if digest {
				for name, v := range authParams(part) {
					out[len(out)-1][name] = v
				}
			}
		}
	}
	return out
}

// schemeOf distinguishes a parameter from what begins a challenge: a scheme, with its first parameter or without.
func schemeOf(part string) (scheme, rest string, isParam bool) {
	i := strings.IndexAny(part, " \t=")
	if i < 0 {
		return part, "", false
	}
	rest = strings.TrimLeft(part[i:], " \t")
	return part[:i], rest, strings.HasPrefix(rest, "=")
}

// authParams reads name=value and name="value", separated by commas.
func authParams(text string) map[string]string {
	out := map[string]string{}
	for _, part := range splitList(text) {
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			continue
		}
		if value = strings.TrimSpace(value); len(value) > 1 && value[0] == '"' && value[len(value)-1] == '"' {
			value = unquoted(value[1 : len(value)-1])
		}
		out[strings.ToLower(strings.TrimSpace(name))] = value
	}
	return out
}

func unquoted(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// splitList splits at the commas outside of quotes.
func splitList(s string) (parts []string) {
	quote, start := false, 0
	for i := 0; i <= len(s); i++ {
		switch {
		case i == len(s), s[i] == ',' && !quote:
			if part := strings.TrimSpace(s[start:i]); part != "" {
				parts = append(parts, part)
			}
			start = i + 1
		case s[i] == '\\' && quote:
			i++
		case s[i] == '"':
			quote = !quote
		}
	}
	return parts
}
