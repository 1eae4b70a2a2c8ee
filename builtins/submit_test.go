package builtins_test

import (
	"strings"
	"testing"

	"omniexpect/internal/run"
	"omniexpect/internal/testneed"
)

// TestSubmitSaysWhatIsNotKnown runs programs that do not answer to Enter, and such that do.
func TestSubmitSaysWhatIsNotKnown(t *testing.T) {
	testneed.Programs(t, "python3")
	const program = `
s = spawn(["python3", "-c", """
import os, select, tty
tty.setraw(0)
os.write(1, b'HEADready')
while True:
    if select.select([0], [], [], EVERY)[0]:
        got = os.read(0, 100)
        os.write(1, got.replace(b'\\r', b'ENTER'))
    else:
        os.write(1, b'\\033[1;1H*')
"""], timeout = 60)
s.expect("ready")
s.submit("hello")
`
	for _, tt := range []struct{ name, head, every, enter, want string }{
		{"blinks for ever", "", "0.05", "", "note: submit to python3: the output never was quiet: it is not known whether the text was taken"},
		{"blinks and answers", "", "0.05", `\\r\\n`, ""},
		{"blinks and works", "", "0.05", `\\033]7501;state=working:app=x\\007`, ""},
		{"does not take Enter", "", "None", "", "note: submit to python3: nothing came after Enter: it is not known whether the text was taken"},
		{"redraws and stays idle", `\\033]7501;state=idle:app=x\\007`, "None", "redrawn", "note: submit to python3: the program did not say that it works on it: it is not known whether the text was taken"},
		{"redraws and works", `\\033]7501;state=idle:app=x\\007`, "None", `\\033]7501;state=working:app=x\\007`, ""},
		{"answers", "", "None", "ok", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(run.Options{})
			o := r.execute(t, t.Context(), "submit.star", strings.NewReplacer("HEAD", tt.head, "EVERY", tt.every, "ENTER", tt.enter).Replace(program))
			if o.err != nil {
				t.Fatal(o.report)
			}
			if tt.want == "" && strings.Contains(o.report, "submit to") || !strings.Contains(o.report, tt.want) {
				t.Errorf("got %q, want %q", o.report, tt.want)
			}
		})
	}
}
