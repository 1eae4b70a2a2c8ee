// Package httpc is the HTTP engine below the script builtins: requests, streams and stub servers. It knows no Starlark.
//
// # Requests
//
// A Client holds what calls share: base URL, headers, cookies, timeouts, TLS, connections. Do makes one call, follows its
// redirects and reads the whole body, so that a Response is a plain value. The status never decides whether Do fails;
// Check does that for a test. "unix:///run/x.sock:/path" reaches a server on a unix socket.
//
// # Failures
//
// Every error is a *fault.Error of one line that names the method and the URL, with user info masked. Query values that
// are secret are the caller's to mask. No answer at all is Env, a deadline Timeout, a request that cannot be made Usage,
// and an answer that is not what was asked for HTTP. The cause below it is a *Cause or a *StatusError, which is what
// IsNotYet reads for a caller that polls.
//
// # Time
//
// Timeout bounds a call from the first byte to the last of its body, ConnectTimeout each connection within it. Streams
// are bounded until their headers are there. A cancelled context ends everything at once; its cause, if that is a
// *fault.Error, is what the call fails with, and an Interrupt otherwise.
//
// # Secrets
//
// Authorization, cookies and secret headers stay with the origin (scheme, host, port) that the request named: a redirect
// to another one drops them, also for the rest of the chain. Secret are the headers in SecretHeaders and those whose
// names say so (token, api-key and the like).
package httpc
