// Package match decides what a program's output matches.
//
// A Stream reads a terminal or a pipe, keeps the newest part of what came in two views, and answers waits. The text view
// is what a person would read: escape and control strings are gone, CRs before a LF are part of the line end, movement of
// the cursor to the right is blanks for cells that nothing is drawn on and to another row a line end, invalid UTF-8 is U+FFFD. The raw view is the exact bytes. Both share one
// position: what one view consumed is gone from the other.
//
// Every match is goexpect's: a Stream feeds a goexpect session the part of the unread text that can hold a match, and
// asks it. What the package adds is which part that is: text in which a literal that every match needs is absent is
// never shown to goexpect, and what cannot be part of a match any more is not shown twice, so the cost grows with the
// output and not with its square. Of several patterns the one whose match is complete first in the stream wins, then the
// one that begins first, then the one listed first; how the output was cut into reads makes no difference for patterns
// with a definite end.
//
// Output is read by those that need it (reader.go): a wait reads the terminal itself for as long as answers come soon, and
// a caller that asks for the output takes in what is there. If nobody has for a while, or a wait lasts, a goroutine of
// the stream reads, so that a program never waits for its reader; it also serves watchers. Wherever it is,
// the work is the same (engine.go), and goexpect is given text by a function call (coupling.go).
//
// Nothing is lost: a timeout consumes nothing, text after a match stays, and the text a program wrote before it ended is
// searched before its end is reported. What exceeds a bound is dropped from the front and counted.
//
// It is the only package that imports goexpect.
package match
