// Package vt is the one parser of what programs write to terminals: characters, control characters, and escape and
// control sequences, cut anywhere into reads.
//
// A Parser is pulled: Next takes some bytes from the front of the input and reports what they are. It keeps no text, so
// its state is a small value; a copy is a checkpoint.
//
//	for len(b) > 0 {
//		e := p.Next(b)
//		b = b[e.N:]
//		switch e.Kind { … }
//	}
//
// The states, as in DEC's parser with what terminals do today. ESC leads to escape from everywhere, CAN and SUB to ground;
// other control characters below a blank are executed in ground, escape and csi states, and skipped elsewhere.
//
//	state      on                         goes to     and reports
//	ground     characters                 ground      Print, or Invalid for a byte that is not UTF-8
//	escape     [ | P | ] | X ^ _          csi | dcs | text of a string (Start)
//	           20–2F | 30–7E              escInter | ground (Esc)
//	escInter   20–2F | 30–7E              escInter | ground (Esc)
//	csi        digits ; : <=>? first      csi
//	           20–2F | 40–7E              csiInter | ground (CSI)
//	           what makes no sense        csiIgnore, whose final byte reports nothing
//	dcs        as csi                     a final byte begins the text of the string (Start)
//	text       anything                   text        Data, up to a bound
//	           ESC | BEL in an OSC        textEsc | ground (End)
//	textEsc    \ | anything else          ground (End) | escape (End, cancelled), with that byte
//
// DEL is executed in ground and skipped elsewhere. A byte from 80 on ends an escape or control sequence without effect
// and is a character. With Options.C1 the controls U+0080 to U+009F act as ESC and the byte that is 40 lower: as
// characters in UTF-8, as single bytes without.
//
// Bounds: 32 parameters of up to 65,535 each, two intermediate bytes, and Options.MaxString bytes of a string's text. More
// parameters are dropped, more intermediate bytes make the sequence one that is ignored, more text is swallowed.
package vt
