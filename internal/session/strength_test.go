package session

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"omniexpect/internal/match"
	"omniexpect/internal/proc"
)

// family is what the program of TestWhatGoesDown has started. All of them ignore polite signals.
var family = map[string]*syscall.SysProcAttr{
	"child":      {},                                         // in its process group
	"job":        {Setpgid: true},                            // in the background of its terminal
	"foreground": {Setpgid: true, Foreground: true, Ctty: 0}, // in the foreground
	"session":    {Setsid: true},                             // in a session of its own, and a descendant
	"orphan":     {Setsid: true},                             // the same, and its parent is gone
}

// raise is the role that starts the family.
func raise() {
	signal.Ignore(syscall.SIGTTOU, syscall.SIGTTIN, syscall.SIGHUP)
	for name := range family {
		if name == "foreground" {
			continue // below: the last one to be started has the terminal
		}
		if name == "orphan" {
			member("parent-of", name).Run()
			continue
		}
		member("member", name).Start()
	}
	member("member", "foreground").Start()
}

func member(role, name string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"="+role+" "+name)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if role == "member" {
		cmd.SysProcAttr = family[name]
	}
	return cmd
}

// playMember plays the roles with a name.
func playMember(role, name string) {
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGTTOU)
	if role == "parent-of" {
		member("member", name).Start()
		os.Exit(0)
	}
	fmt.Printf("<%s %d>\n", name, os.Getpid())
}

// TestWhatGoesDown says for each strength which relatives of a program survive its end, and that they are named.
func TestWhatGoesDown(t *testing.T) {
	for kill, stay := range map[proc.Strength][]string{
		proc.KillGroup: {"job", "orphan", "session"},
		proc.KillTree:  {"orphan"},
		proc.KillAll:   nil,
	} {
		t.Run(string(kill), func(t *testing.T) {
			s := start(t, "family", kill, nil)
			pids := map[string]int{}
			for range family {
				res := see(t, s, match.Regexp, `<(\w+) (\d+)>\n`)
				pids[res.Groups[0]], _ = strconv.Atoi(res.Groups[1])
			}
			if len(pids) != len(family) {
				t.Fatalf("only %v came up", pids)
			}
			if fg := s.program.foreground(); fg != pids["foreground"] {
				t.Fatalf("process group %d has the terminal, want %d", fg, pids["foreground"])
			}
			if left := s.Close(t.Context()); len(left) > 0 {
				t.Errorf("could not be ended: %s", proc.Names(left))
			}
			var lives []string
			for name, pid := range pids {
				if _, alive := proc.Lookup(pid); alive {
					lives = append(lives, name)
				}
			}
			slices.Sort(lives)
			if !slices.Equal(lives, stay) {
				t.Errorf("%v live, want %v", lives, stay)
			}
			marked := proc.Marked(s.Marker)
			if len(marked) != len(stay) {
				t.Errorf("named: %q, want %v", proc.Names(marked), stay)
			}
			for _, p := range marked {
				if !slices.Contains(lives, nameIn(pids, p.PID)) || !strings.Contains(proc.Names(marked), strconv.Itoa(p.PID)) {
					t.Errorf("%d is not one of %v, or not named in %q", p.PID, pids, proc.Names(marked))
				}
			}
		})
	}
}

func nameIn(pids map[string]int, pid int) string {
	for name, p := range pids {
		if p == pid {
			return name
		}
	}
	return ""
}
