package run

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"omniexpect/internal/event"
	"omniexpect/internal/interp"
)

// TestEverythingPassesTheLog runs a script that does a thing of each kind, and finds each event once, in order, at its place.
func TestEverythingPassesTheLog(t *testing.T) {
	var mu sync.Mutex
	var all []event.Event
	var bodies []string
	kinds := map[event.Kind]int{}
	listen := func(log *event.Log) {
		log.Add(event.Func(func(e event.Event) {
			mu.Lock()
			defer mu.Unlock()
			text, err := json.Marshal(e.Body)
			if err != nil {
				t.Error(err)
			}
			all, bodies = append(all, e), append(bodies, e.Body.Kind().String()+" "+string(text))
			kinds[e.Body.Kind()]++
		}))
	}
	o := Do(t.Context(), Options{Listen: listen, Secrets: []string{"hunter2secret"}}, script(t, `
step("begin")
s = spawn(["sh", "-c", "read l; echo got $l; read l; exit 3"], name = "prog")
s.sendline("word " + secret("hunter2secret"))
s.expect("got ")
s.resize(30, 100)
s.signal("CONT")
print("printed")
srv = http_serve({"/x": "hello", "/bad": lambda r: fail("handler")})
http_get(srv.url + "/x")
http_get(srv.url + "/bad")
s.sendline()
s.wait()
catch(s.expect, "never")
s.close()
fail("the end")
`), nil)
	if o.Status != 1 {
		t.Fatalf("%+v", o)
	}
	mu.Lock()
	defer mu.Unlock()
	text := strings.Join(bodies, "\n")
	for k := range event.KindGap {
		if kinds[k] == 0 {
			t.Errorf("no event of kind %s in\n%s", k, text)
		}
	}
	for i, e := range all {
		if e.Seq != uint64(i+1) {
			t.Fatalf("event %d has number %d", i+1, e.Seq)
		}
		if i > 0 && e.At < all[i-1].At {
			t.Errorf("event %d is earlier than the one before", i+1)
		}
	}
	if kinds[event.KindSpawn] != 1 || kinds[event.KindExit] != 1 || kinds[event.KindClose] != 1 || kinds[event.KindEnd] != 1 ||
		kinds[event.KindWait] != kinds[event.KindGot] || kinds[event.KindCall] != kinds[event.KindRet] || kinds[event.KindHTTP] != 4 {
		t.Errorf("counts: %v in\n%s", kinds, text)
	}
	for _, want := range []string{`exit {"s":"prog","code":3}`, `"rows":30,"cols":100`, `signal {"s":"prog","sig":"SIGCONT"}`, `print {"text":"printed"}`,
		`"status":200`, `"served":true`, `step {"name":"begin"}`, `"why":"matched","i":0`, `"why":"eof","i":-1`, `end {"status":1}`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	for _, e := range all {
		if in, ok := e.Body.(*event.In); ok && strings.Contains(in.Text, "hunter2") {
			t.Errorf("the secret stands in what was sent: %q", in.Text)
		}
		if f, ok := e.Body.(*event.Fail); ok && f.Failure.(interp.Failure).Msg != "the end" {
			t.Errorf("the failure is %+v", f.Failure)
		}
		if w, ok := e.Body.(*event.Wait); ok && w.Who == "expect" && len(w.What.Patterns()) != 1 {
			t.Errorf("the wait is for %q", w.What.Patterns())
		}
		if w, ok := e.Body.(*event.Wait); ok && w.Who == "expect" && (e.Strand != "main" || !strings.HasSuffix(fmt.Sprint(e.Pos), ":5:9") && !strings.HasSuffix(fmt.Sprint(e.Pos), ":14:6")) {
			t.Errorf("a wait of strand %q at %s", e.Strand, e.Pos)
		}
	}
}
