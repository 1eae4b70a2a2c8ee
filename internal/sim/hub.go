package sim

import (
	"encoding/json"
	"sync"
)

// event is one thing that listeners are told.
type event struct {
	Type string
	JSON []byte
}

// hub hands events to whoever listens, in the order of publishing. A listener that falls far behind is cut off rather
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

// publish sends fields as a JSON object that carries the type too.
func (h *hub) publish(eventType string, fields map[string]any) {
	body := map[string]any{"type": eventType}
	for k, v := range fields {
		body[k] = v
	}
	data, err := json.Marshal(body)
	if err != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for ch := range h.subs {
		select {
		case ch <- event{eventType, data}:
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
