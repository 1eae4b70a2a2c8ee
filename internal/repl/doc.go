// Package repl is the interactive prompt.
//
// A Loop reads statements, executes them on an interp.Console under the run's lock, and shows what comes of them. It knows
// no builtin and no session type: what it needs of them are the func values of Config, which cmd joins. What it is made of:
//
//	loop.go       the prompt, Ctrl-C, leaving; read.go reads whole statements
//	exec.go       executing statements, values, failures
//	meta.go       .help and the other commands that begin with a dot; save.go is one, pause.go the prompt inside a script
//	complete.go   what Tab offers; history.go the lines of before
//	news.go       what sessions write while somebody sits at the prompt
//	editor.go     the line editor; edit.go what its keys do, keys.go how they come, encoding.go characters of other widths
//	screen.go     who may write to the terminal when; package usertty the terminal itself
//
// The line editor is golang.org/x/term's Terminal, and this package is the only one that uses it. Its Write, called from
// any goroutine, prints above the line that is being typed and draws prompt and line again: what a session writes can be
// shown when it comes. github.com/peterh/liner has completion and history of its own, but draws straight to standard
// output from within its read, knows no other writer, and gives neither its line nor its cursor away, so that nothing can
// be printed without breaking the line. What Terminal lacks is done around it: keys.go reads the terminal and hands it one
// key at a time, so that Ctrl-C, completion, history by prefix, words and pastes are decided here, with the line that its
// AutoCompleteCallback shows.
//
// Without a terminal the loop reads standard input line by line, and writes no prompt; on a terminal without escape
// sequences (TERM=dumb) the prompt is plain, and editing is the kernel's.
package repl
