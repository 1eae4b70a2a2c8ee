// Package lsp serves the Language Server Protocol, so that editors know scripts as the command line does.
//
// What it says about a script comes from others: mistakes from package check, names and values from package assist, the
// layout from package format. This package is the conversation. frame.go reads and writes messages, server.go answers
// them one after another, protocol.go is the part of the protocol that is spoken, text.go turns the protocol's positions
// into offsets, documents.go keeps the texts that are open, diagnose.go checks them when nothing else is to be done,
// features.go answers questions, files.go names files, parent.go watches the editor.
//
// Everything happens in one goroutine, in the order in which it is asked for. A second one reads, so that requests can be
// cancelled while they wait; a third one ends the server when the editor is gone.
package lsp
