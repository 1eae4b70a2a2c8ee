package builtins

import (
	"bytes"
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"io"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
)

type dataArgs struct {
	Data Text `star:"data" doc:"a text or bytes"`
	URL  bool `star:"url?,kw" doc:"use the alphabet for URLs"`
}

// resolved is the text behind a parameter. A digest or an encoding of a secret is a secret as well.
func (st *State) resolved(t Text) (text string, secret bool) {
	raw := textOf(t.v)
	text = st.Mask.Resolve(raw)
	return text, text != raw
}

func (st *State) maybeSecret(text string, secret bool) starlark.Value {
	if secret && text != "" {
		return secretValue{st.hideValue(text)}
	}
	return starlark.String(text)
}

func (st *State) base64Encode(_ *dsl.Call, a dataArgs) (starlark.Value, error) {
	text, secret := st.resolved(a.Data)
	enc := base64.StdEncoding
	if a.URL {
		enc = base64.URLEncoding
	}
	return st.maybeSecret(enc.EncodeToString([]byte(text)), secret), nil
}

type decodeArgs struct {
	Text Text `star:"text" doc:"base64 in either alphabet, padded or not"`
}

// base64Decode returns text where the bytes are that, else bytes.
func (st *State) base64Decode(_ *dsl.Call, a decodeArgs) (starlark.Value, error) {
	text, secret := st.resolved(a.Text)
	clean := strings.NewReplacer("-", "+", "_", "/", "\n", "", "\r", "", " ", "").Replace(text)
	b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(clean, "="))
	if err != nil {
		return nil, fault.New(fault.Usage, "base64.decode: %s: %w", st.short(shown(starlark.String(textOf(a.Text.v))), 60), err)
	}
	if utf8.Valid(b) {
		return st.maybeSecret(string(b), secret), nil
	}
	return starlark.Bytes(b), nil
}

type digestArgs struct {
	Data Text `star:"data" doc:"a text or bytes"`
}

func (st *State) digest(newHash func() hash.Hash) func(*dsl.Call, digestArgs) (starlark.Value, error) {
	return func(c *dsl.Call, a digestArgs) (starlark.Value, error) {
		text, _ := st.resolved(a.Data)
		return hashed(c, newHash(), text)
	}
}

// hashed is the sum of a text in hexadecimal.
func hashed(c *dsl.Call, h hash.Hash, text string) (starlark.Value, error) {
	if _, err := io.Copy(h, pacedReader{strings.NewReader(text), c.Pace()}); err != nil {
		return nil, err
	}
	return starlark.String(hex.EncodeToString(h.Sum(nil))), nil
}

type hmacArgs struct {
	Key  Text   `star:"key" doc:"the key"`
	Data Text   `star:"data" doc:"the data to sign"`
	Hash string `star:"hash?,kw" doc:"sha256, sha512 or sha1"`
}

func (st *State) hmac(c *dsl.Call, a hmacArgs) (starlark.Value, error) {
	newHash := map[string]func() hash.Hash{"sha256": sha256.New, "sha512": sha512.New, "sha1": sha1.New}[a.Hash]
	if newHash == nil {
		return nil, fault.New(fault.Usage, "digest.hmac: hash=%q: want sha256, sha512 or sha1", a.Hash)
	}
	key, _ := st.resolved(a.Key)
	data, _ := st.resolved(a.Data)
	return hashed(c, hmac.New(newHash, []byte(key)), data)
}

type linesOfArgs struct {
	Text string `star:"text" doc:"one JSON value per line; empty lines are skipped"`
}

func (st *State) jsonlDecode(c *dsl.Call, a linesOfArgs) (starlark.Value, error) {
	var out []starlark.Value
	pace, number := c.Pace(), 0
	for line := range strings.SplitSeq(a.Text, "\n") {
		number++
		if err := pace.Step(1 + len(line)/8); err != nil {
			return nil, err
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		v, err := c.Invoke(jsonDecode, starlark.String(line))
		if err != nil {
			return nil, misused(c, err, "jsonl.decode: line %d: %s: %s", number, reason(err), st.short(shown(starlark.String(line)), 80))
		}
		out = append(out, v)
	}
	return starlark.NewList(out), nil
}

type itemsArgs struct {
	Values starlark.Value `star:"values" type:"list" doc:"the values, one for each line"`
}

func (st *State) jsonlEncode(c *dsl.Call, a itemsArgs) (starlark.Value, error) {
	var b bytes.Buffer
	pace := c.Pace()
	err := each("jsonl.encode", a.Values, func(v starlark.Value) error {
		line, err := encodeJSON(c, v)
		if err == nil {
			b.Write(append(line, '\n'))
			err = pace.Step(1 + len(line)/8)
		}
		return err
	})
	if err != nil {
		return nil, misused(c, err, "%w", err)
	}
	return starlark.String(b.String()), nil
}

func (st *State) encodingFuncs() []*dsl.Func {
	return dsl.In("values",
		dsl.Define("base64.encode", "str", `A text or bytes in base64. For a secret, the result is a secret.`,
			`assert.eq(base64.encode("hi?"), "aGk/")
assert.eq(base64.encode("hi?", url = True), "aGk_")`, dataArgs{}, st.base64Encode),
		dsl.Define("base64.decode", "str", `The text that base64 encodes, or bytes if it is not text.`,
			`assert.eq(base64.decode("aGk_"), "hi?")`, decodeArgs{}, st.base64Decode),
		dsl.Define("digest.sha256", "str", `The SHA-256 digest in hexadecimal.`,
			`assert.eq(digest.sha256("abc")[:8], "ba7816bf")`, digestArgs{}, st.digest(sha256.New)),
		dsl.Define("digest.sha512", "str", `The SHA-512 digest in hexadecimal.`,
			`assert.eq(digest.sha512("abc")[:8], "ddaf35a1")`, digestArgs{}, st.digest(sha512.New)),
		dsl.Define("digest.sha1", "str", `The SHA-1 digest in hexadecimal, for systems that still need it.`,
			`assert.eq(digest.sha1("abc")[:8], "a9993e36")`, digestArgs{}, st.digest(sha1.New)),
		dsl.Define("digest.md5", "str", `The MD5 digest in hexadecimal, for systems that still need it.`,
			`assert.eq(digest.md5("abc")[:8], "90015098")`, digestArgs{}, st.digest(md5.New)),
		dsl.Define("digest.hmac", "str", `A keyed digest in hexadecimal. Key and data may be secrets.`,
			`assert.eq(digest.hmac("key", "abc")[:8], "9c196e32")`, hmacArgs{Hash: "sha256"}, st.hmac),
		dsl.Define("jsonl.decode", "list", `The values of a text with one JSON value per line.`,
			`assert.eq(jsonl.decode('{"a": 1}\n\n[2]\n'), [{"a": 1}, [2]])`, linesOfArgs{}, st.jsonlDecode),
		dsl.Define("jsonl.encode", "str", `Values as a text with one JSON value per line.`,
			`assert.eq(jsonl.encode([{"a": 1}, 2]), '{"a":1}\n2\n')`, itemsArgs{}, st.jsonlEncode),
	)
}
