// Package sim is a simulated omnigent: the server and the command line of the product, faithful enough that a script
// which passes against it runs unchanged against the real one.
//
// # Two processes
//
// Server is the product's server, host and runner in one process; CLI is the command line. They speak HTTP only. The
// agent that a terminal runs lives in the server's process, as the real agent lives in a tmux server that the command
// line merely attaches to. So killing the command line leaves agent and terminal running, a second command line can
// reattach to them, and nothing can outlive the server. The command line tells the server its home and its working
// directory (the field "sim" of the runner's launch), because that is where the agent keeps its files.
//
// # Memory
//
// The model is deterministic (see model.go) and remembers only what it read from the vendor's transcript file below the
// home: claude ~/.claude/projects/<slug>/<id>.jsonl, codex ~/.omnigent/codex-native/<sha>/codex-home/sessions/…. A
// terminal that is started for a conversation with history first rebuilds that file from the server's items, then
// loads it. The server's items are never the model's memory.
//
// # Late items
//
// What the agent does reaches the server through a forwarder that is --delay behind (default 300ms, or
// OMNIGENT_SIM_DELAY): the vendor's session id, the items, the idle status. The rest of the agent's pace is a part of
// the same delay, so 0 makes everything immediate.
//
// # Eras
//
// current is 0.19.1: bare ids, -p opens the full screen and stays, and claude's prompt is kept in terminal_launch_args
// and sent again on resume. seed is the product of June 2026: conv_ ids, and -p ends after one turn.
//
// # Seeded bugs
//
// Each bug of Bugs breaks the product in one known way, so that a check can be seen red. A bug says "seeded bug: NAME"
// in the server's log only.
//
// # What it does not do
//
// There is no local-server mode, picker, fork, smart routing, tmux detach or WebSocket, and no command is ever executed:
// a permitted "touch FILE" or "echo TEXT > FILE" is built in and stays inside the working directory. The server has no
// login; it binds loopback only and refuses requests that a web page of another host makes through a browser.
//
// What it answers otherwise than the product is a table in docs/omnigent/helpers.md, which e2e/probe holds against both.
//
// # Private to the simulator
//
// GET /sim describes the simulator (era, bugs); GET and POST …/terminals/{tid}/attach carry the attachment as lines of
// JSON where the product has a WebSocket or tmux. The version of both halves ends in "-sim".
package sim
