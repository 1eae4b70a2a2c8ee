// Package screen is a terminal without a window: it takes what a program writes, and knows what a person would see.
//
//	s := screen.New(screen.Config{Rows: 24, Cols: 80})
//	s.Write(output)
//	for _, r := range s.Replies() {
//		send(r.Text)
//	}
//	fmt.Println(s.Snapshot().Text())
//
// It obeys what xterm obeys, as far as programs use it, and lays text out anew on a resize as xterm.js does. docs/terminal.md
// lists where the references disagree and what was chosen.
//
// A Snapshot is a copy that never changes, and it is cheap: rows of the history are shared, since they never change, and
// numbers in cells stand for styles, clusters and links in tables that only grow while somebody has them. The generation of
// a snapshot tells whether the picture can have changed; each row has the generation of its last change.
//
// Write never waits. Answers to queries are queued in the order of the stream, from the state at that byte, and the owner
// takes them with Replies. Everything that a program can make the screen keep is bounded.
//
// # Modes
//
// On is the state after a reset; soft is what DECSTR makes of it, where that is something. RIS makes all as after a reset.
//
//	mode       on   soft  what it does
//	2                off  keyboard locked; only kept
//	4                off  insert: characters shift the rest of the line
//	12         on         send/receive; only kept
//	20                    a line feed goes to the beginning of the line too
//	?1               off  application cursor keys; for the sender of keys
//	?3                    132 columns, if ?40 is on
//	?4 ?18 ?19 ?35 ?42    only kept
//	?5                    reverse video; for who draws
//	?6               off  origin: places count from the margins
//	?7         on    on   wrap at the right margin
//	?9 ?1000 ?1001 ?1002 ?1003   mouse; one at a time
//	?12                   the cursor blinks; only kept
//	?25        on    on   the cursor is visible
//	?40                   ?3 works
//	?41                   a tab after the last column wraps first
//	?45              off  a backspace goes round to the line above over a soft line end
//	?47 ?1047 ?1049       alternate screen: 1047 clears it on leaving, 1049 on entering, and saves the cursor
//	?66              off  application keypad, as ESC = and ESC >
//	?67              off  only kept
//	?69              off  left and right margins
//	?1004 ?1007 ?2004 ?2031   focus, wheel as keys, paste, colour reports; for their sender
//	?1005 ?1006 ?1015 ?1016   how the mouse is reported; one at a time
//	?1010 ?1011 ?1034 ?1035 ?1036 ?1039   only kept; 1035 and 1036 are on
//	?1045            off  a backspace goes round over any line end, and from the top margin to the bottom one
//	?1048                 saves and restores the cursor
//	?2026                 a frame: snapshots show the one before until it ends, for at most a second
//	?2027      on         clusters have one width, as Config.Widths says at the start
//	?2048                 sizes are reported
//
// DECSTR also takes margins, character sets, the pen, protection, the saved cursor, keyboard flags and the cursor's shape
// back. RIS also clears both screens, tabs and colours and goes to the main screen; history, title and facts stay.
package screen
