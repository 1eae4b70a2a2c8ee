package builtins

import (
	"context"
	"fmt"
	"io"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/event"
	"omniexpect/internal/fault"
)

type sendFileArgs struct {
	Path    string       `star:"path" doc:"the file to send"`
	Delay   dsl.Duration `star:"delay?,kw" doc:"pause between pieces; a piece is a kilobyte or a line"`
	Timeout dsl.Duration `star:"timeout?,kw" doc:"how long the program may take to read each piece"`
	Force   bool         `star:"force?,kw" doc:"send lines that are longer than the terminal takes"`
}

// filePiece is how much of a file is sent at a time: less than any terminal's buffer, so that a slow reader is seen.
const filePiece = 1024

func (st *State) sendFile(c *dsl.Call, s *Session, a sendFileArgs) (starlark.Value, error) {
	if err := s.usable("send_file"); err != nil {
		return nil, err
	}
	if a.Delay.Forever {
		return nil, fault.New(fault.Usage, "send_file: delay=None would never end")
	}
	f, err := openFile("send_file", a.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	buf := make([]byte, filePiece)
	sent := 0
	for {
		n, err := io.ReadFull(f, buf)
		if n > 0 {
			if serr := s.sendBytes(c, buf[:n], a.Timeout, a.Force); serr != nil {
				if e, ok := serr.(*fault.Error); ok {
					e.Msg += fmt.Sprintf(" (after %d bytes of %s)", sent, a.Path)
				}
				return nil, serr
			}
			sent += n
		}
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return starlark.MakeInt(sent), nil
		case err != nil:
			return nil, fault.New(fault.Env, "send_file %s: %w (after %d bytes)", a.Path, fault.Reason(err), sent)
		}
		if a.Delay.D > 0 {
			if err := st.pauseFor(c, "send_file: the pause between two pieces", a.Delay.D, false); err != nil {
				return nil, err
			}
		}
	}
}

// sendBytes writes bytes as they are; what looks like a placeholder in a file is not one.
func (s *Session) sendBytes(c *dsl.Call, p []byte, timeout dsl.Duration, force bool) error {
	if err := s.waitKeyGap(c); err != nil {
		return err
	}
	s.emitInput(c, event.In{Text: string(p)})
	s.noteSent(p)
	limit := s.writeLimit(c, timeout)
	return longLine(c, c.Wait(func(ctx context.Context) error { return s.Send(ctx, p, limit, force) }))
}

func (st *State) sendFileMethod() *dsl.Func {
	return dsl.Method("Session", "send_file", "int", `Send a file byte for byte, in small pieces, each with its own deadline. Returns how many bytes were sent.`,
		`p = fs.temp_dir() + "/input"
fs.write(p, "one\ntwo\n")
s = spawn("cat", echo = False)
assert.eq(s.send_file(p), 8)
s.expect("one\ntwo\n")`, sendFileArgs{Timeout: sessionTimeout(), Delay: dsl.Seconds(0)}, st.sendFile).As(dsl.Current)
}
