package sim

import (
	"encoding/json"
	"sync"
)

// event is one thing that listeners get.
type event struct {
	Type string
	JSON []byte
}

// hub hands events to its listeners, in the order of publishing. A listener that falls far behind is cut off rather
// than allowed to hold up the publisher.
type hub struct {
	mu     sync.Mutex
	subs   map[chan event]bool
	closed bool
}

const hubBacklog = 4096

func (h *hub) subscribe() (events <-chan event, cancel func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	ch := make(chan event, hubBacklog)
	if h.closed {
		close(ch)
		return ch, func() {}
	}
	if h.subs == nil {
		h.subs = map[chan event]bool{}
	}
	h.subs[ch] = true
	return ch, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.drop(ch)
	}
}

func (h *hub) drop(ch chan event) {
	if h.subs[ch] {
		delete(h.subs, ch)
		close(ch)
	}
}

// newEvent makes an event of fields; its JSON has the type too.
func newEvent(eventType string, fields map[string]any) event {
	body := map[string]any{"type": eventType, "sequence_number": nil}
	for k, v := range fields {
		body[k] = v
	}
	data, err := json.Marshal(body)
	if err != nil { // cannot happen: the fields are our own
		data = []byte(`{"type":"` + eventType + `"}`)
	}
	return event{eventType, data}
}

// publish sends an event of that type to the listeners.
func (h *hub) publish(eventType string, fields map[string]any) {
	e := newEvent(eventType, fields)
	h.mu.Lock()
	defer h.mu.Unlock()
	for ch := range h.subs {
		select {
		case ch <- e:
		default:
			h.drop(ch)
		}
	}
}

func (h *hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for ch := range h.subs {
		h.drop(ch)
	}
}
