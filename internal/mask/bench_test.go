package mask

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

func BenchmarkKey(b *testing.B) {
	var key strings.Builder
	for i := range 50 {
		line := fmt.Sprintf("line %d of a key with 48 characters in each......", i)
		key.WriteString(base64.StdEncoding.EncodeToString([]byte(line[:48])) + "\n")
	}
	text := strings.Repeat("-rw-r--r-- 1 user group 4096 Nov 30 12:00 some-file-name.txt\r\n", 1000)
	b.Run("Add", func(b *testing.B) {
		for b.Loop() {
			New().Add(key.String())
		}
	})
	b.Run("Mask", func(b *testing.B) {
		m := New()
		m.Add(key.String())
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			m.Mask(text)
		}
	})
	b.Run("MaskKey", func(b *testing.B) {
		m := New()
		m.Add(key.String())
		b.SetBytes(int64(key.Len()))
		for b.Loop() {
			m.Mask(key.String())
		}
	})
}

func BenchmarkMask(b *testing.B) {
	text := strings.Repeat("-rw-r--r-- 1 user group 4096 Nov 30 12:00 some-file-name.txt\r\n", 1000)
	for _, n := range []int{0, 1, 5} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			m := New()
			for i := range n {
				m.Add(fmt.Sprintf("%c3cr3t-%d", 'a'+i*5, i))
			}
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				m.Mask(text)
			}
		})
	}
}

// BenchmarkRepeated masks what never stops to look like a secret. Without a secret of that kind it is a matter of copying.
func BenchmarkRepeated(b *testing.B) {
	for _, unit := range []string{"a", "ab", "abc "} {
		text := strings.Repeat(unit, (1<<20)/len(unit))
		for name, secret := range map[string]string{"secret": strings.Repeat(unit, 60/len(unit)), "other": "s3cr3t"} {
			b.Run(strconv.Quote(unit)+"/"+name, func(b *testing.B) {
				m := New()
				m.Add(secret)
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					m.Mask(text)
				}
			})
		}
	}
}
