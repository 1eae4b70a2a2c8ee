package httpc

import (
	"bytes"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Event is one server-sent event.
type Event struct {
	Type   string        // "message" if the server names none
	Data   string        // its lines joined by line feeds
	ID     string        // the last id that the server gave, with this event or before it
	Retry  time.Duration // the wait before a reconnection, if the event came with one
	Time   time.Time     // when its last byte was here
	Index  int           // from 0
	Offset int64         // of the end of the event in the raw text
}

// parser cuts a stream into events by the rules of the HTML standard. Bytes may come chopped in any way.
//
//	state      byte      what it does                                 becomes
//	in a line  CR        ends the line: a field; an empty one an event   after CR
//	           LF        likewise                                     in a line
//	           another   is added to the line                         in a line
//	after CR   LF        belongs to the CR                            in a line
//	           another   as in a line
//
// The first line of a connection may begin with a byte order mark (begun).
type parser struct {
	emit    func(Event)
	comment func(text string)
	limit   int64 // bytes of one event

	line    []byte
	data    []byte
	hasData bool
	kind    string
	id      string
	retry   time.Duration
	hint    time.Duration // of the event being read
	afterCR bool
	begun   bool
	offset  int64
}

// feed takes the next bytes. It returns false if an event is larger than the limit.
func (p *parser) feed(chunk []byte) bool {
	for len(chunk) > 0 {
		if p.afterCR && chunk[0] == '\n' {
			chunk = chunk[1:]
			p.offset++
			p.afterCR = false
			continue
		}
		p.afterCR = false
		end := bytes.IndexAny(chunk, "\r\n")
		if end < 0 {
			p.line = append(p.line, chunk...)
			p.offset += int64(len(chunk))
			break
		}
		if p.line = append(p.line, chunk[:end]...); p.tooLarge() {
			return false
		}
		p.afterCR = chunk[end] == '\r'
		chunk = chunk[end+1:]
		p.offset += int64(end + 1)
		p.endLine()
	}
	return !p.tooLarge()
}

func (p *parser) tooLarge() bool { return p.limit > 0 && int64(len(p.line)+len(p.data)) > p.limit }

func (p *parser) endLine() {
	line := p.line
	p.line = p.line[:0]
	if !p.begun {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		p.begun = true
	}
	if len(line) == 0 {
		p.dispatch()
		return
	}
	name, value, _ := strings.Cut(validText(line), ":")
	value = strings.TrimPrefix(value, " ")
	switch name {
	case "":
		p.comment(value)
	case "data":
		if p.hasData {
			p.data = append(p.data, '\n')
		}
		p.data = append(p.data, value...)
		p.hasData = true
	case "event":
		p.kind = value
	case "id":
		if !strings.Contains(value, "\x00") {
			p.id = value
		}
	case "retry":
		if ms, err := strconv.ParseUint(value, 10, 31); err == nil {
			p.hint = time.Duration(ms) * time.Millisecond
			p.retry = p.hint
		}
	}
}

// dispatch ends an event. One without data only sets the id, as the standard has it.
func (p *parser) dispatch() {
	if p.hasData {
		kind := p.kind
		if kind == "" {
			kind = "message"
		}
		p.emit(Event{Type: kind, Data: string(p.data), ID: p.id, Retry: p.hint, Offset: p.offset})
	}
	p.drop()
}

// drop forgets an event that is not complete: its connection is gone.
func (p *parser) drop() {
	p.line, p.data, p.hasData, p.kind, p.hint = p.line[:0], p.data[:0], false, "", 0
}

// restart makes the parser ready for the next connection's bytes.
func (p *parser) restart() {
	p.drop()
	p.begun, p.afterCR = false, false
}

func validText(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return decodeText(b, "text/plain")
}
