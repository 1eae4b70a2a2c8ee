package event

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// every has one body of each kind.
func every() []Body {
	return []Body{&Spawn{}, &Out{}, &In{}, &Resize{}, &Signal{}, &Exit{}, &Close{}, &Wait{}, &Try{}, &Got{}, &HTTP{}, &Call{}, &Ret{},
		&Step{}, &Note{}, &Print{}, &Fail{}, &Gap{}, &End{}}
}

func TestEveryKindHasABodyAndAName(t *testing.T) {
	seen := map[string]bool{}
	for i, b := range every() {
		if b.Kind() != Kind(i) {
			t.Errorf("%T has kind %d, want %d", b, b.Kind(), i)
		}
		name := b.Kind().String()
		if name == "" || seen[name] {
			t.Errorf("%T is called %q", b, name)
		}
		seen[name] = true
		if _, err := json.Marshal(b); err != nil {
			t.Errorf("%T: %v", b, err)
		}
	}
	if len(seen) != int(kinds) {
		t.Errorf("%d bodies for %d kinds", len(seen), kinds)
	}
}

func TestSinksGetWhatTheyWantInOrder(t *testing.T) {
	var l Log
	var steps, all []string
	removeSteps := l.Add(Func(func(e Event) { steps = append(steps, fmt.Sprint(e.Seq, e.Body.(*Step).Name)) }), KindStep)
	l.Add(Func(func(e Event) { all = append(all, e.Body.Kind().String()) }))
	l.Emit("main", Pos{}, &Step{Name: "a"})
	l.Emit("main", Pos{}, &Note{Text: "n"})
	l.Emit("main", Pos{}, &Step{Name: "b"})
	removeSteps()
	l.Emit("main", Pos{}, &Step{Name: "c"})
	if got := strings.Join(steps, " "); got != "1a 3b" && got != "1 a 3 b" {
		t.Errorf("steps: %q", got)
	}
	if !slices.Equal(all, []string{"step", "note", "step", "step"}) {
		t.Errorf("all: %q", all)
	}
}

func TestNobodyListens(t *testing.T) {
	var none *Log
	var l Log
	for _, l := range []*Log{none, &l} {
		l.Emit("main", Pos{}, &Step{})
		if l.Wants(KindStep) {
			t.Error("somebody wants steps")
		}
	}
	remove := l.Add(Func(func(Event) {}), KindOut)
	if !l.Wants(KindOut) || l.Wants(KindIn) {
		t.Error("want output and no input")
	}
	remove()
	data := make([]byte, 100)
	if n := testing.AllocsPerRun(100, func() {
		if l.Wants(KindOut) {
			l.Emit("", Pos{}, &Out{Data: data})
		}
	}); n != 0 {
		t.Errorf("%v allocations with nobody listening", n)
	}
}

// blocked is a sink that stands in its first event until it is let go.
type blocked struct {
	entered, release chan struct{}
	once             sync.Once
	got              []Event
}

func newBlocked() *blocked {
	return &blocked{entered: make(chan struct{}), release: make(chan struct{})}
}

func (b *blocked) Take(e Event) {
	b.once.Do(func() { close(b.entered) })
	<-b.release
	b.got = append(b.got, e)
}

func TestQueueKeepsEmittersGoing(t *testing.T) {
	var l Log
	slow := newBlocked()
	q := NewQueue(slow, 1000)
	remove := l.Add(q)
	buf := []byte("first")
	l.Emit("", Pos{}, &Out{Data: buf})
	<-slow.entered
	for i := range 300 {
		copy(buf, fmt.Sprintf("%05d", i))
		l.Emit("", Pos{}, &Out{Data: buf}) // the same memory each time
	}
	l.Emit("", Pos{}, &Note{Text: "after"})
	close(slow.release)
	remove()
	if !q.Close(time.Minute) {
		t.Fatal("the queue did not end")
	}
	var text bytes.Buffer
	var gaps []Gap
	for _, e := range slow.got {
		switch b := e.Body.(type) {
		case *Out:
			text.Write(b.Data)
		case *Gap:
			gaps = append(gaps, *b)
		}
	}
	if want := "first" + "00000" + "00001"; !strings.HasPrefix(text.String(), want) {
		t.Errorf("text begins %.20q, want %q", text.String(), want)
	}
	if text.Len() != 1005 {
		t.Errorf("%d bytes were kept, want 1005", text.Len())
	}
	if len(gaps) != 1 || gaps[0] != (Gap{Events: 100, Bytes: 500}) {
		t.Errorf("gaps: %+v", gaps)
	}
	if last, ok := slow.got[len(slow.got)-1].Body.(*Note); !ok || last.Text != "after" {
		t.Errorf("the last event is %+v", slow.got[len(slow.got)-1].Body)
	}
}

func TestQueueTellsOfALossAtTheEnd(t *testing.T) {
	slow := newBlocked()
	q := NewQueue(slow, 10)
	q.Take(Event{Body: &Out{Data: []byte("x")}})
	<-slow.entered
	q.Take(Event{Body: &Out{Data: make([]byte, 11)}})
	if q.Close(time.Millisecond) {
		t.Error("closed, although the sink is blocked")
	}
	close(slow.release)
	<-q.done
	if g, ok := slow.got[len(slow.got)-1].Body.(*Gap); !ok || g.Bytes != 11 {
		t.Errorf("the last event is %+v", slow.got[len(slow.got)-1].Body)
	}
}

func BenchmarkNobody(b *testing.B) {
	var l Log
	for b.Loop() {
		if l.Wants(KindOut) {
			b.Fatal("wanted")
		}
	}
}
