package builtins

import (
	"context"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"go.starlark.net/starlark"

	"omniexpect/internal/clock"
	"omniexpect/internal/dsl"
	"omniexpect/internal/event"
	"omniexpect/internal/httpc"
	"omniexpect/internal/mask"
	"omniexpect/internal/proc"
)

// State is what the builtins of one run share. All fields may be left zero but Marker and Mask.
type State struct {
	Marker string // the run's marker in the environment of every process it starts
	Mask   *mask.Masker
	Params map[string]string // the script's --flags
	Scale  float64           // factor for every timeout; 0 is 1

	Events *event.Log                    // gets what happens; nil if nobody wants to know
	Clock  clock.Clock                   // what the run takes the time from; the system's if nil
	Mirror func(session string, on bool) // shows what a session writes, or not, for mirror(); may be nil

	// Pause hands the run over to a person at a prompt; nil where nobody can be asked.
	Pause func(c *dsl.Call, message string) error

	Piecemeal bool // output comes byte by byte: see match.Config

	UserIn, UserOut *os.File // the terminal that interact hands over; standard input and output if nil

	scope
	mu         sync.Mutex              // guards what goroutines without the run's lock touch
	attended   atomic.Pointer[Session] // the one that has the user's terminal
	asking     atomic.Bool             // ask_user waits for the person at the terminal
	stops      chan struct{}           // says to that one that a signal wants to stop us
	shortSaid  bool                    // the note about short secrets
	typedAhead []byte                  // keys that an interact has read and not used; the run's lock is held

	table   proc.Table                  // one reading of the process table for sessions that end together
	lead    sync.Mutex                  // see match.Config
	clients map[httpc.Key]*httpc.Client // without cookies, by their options
	told    map[string]bool             // notes about cookies that are not kept, each made once
	server  string                      // the omnigent server
	names   map[string]int
	spawned int // programs so far
	vocab   *dsl.Vocabulary
	types   map[string]*dsl.Type // by name
	began   time.Time
	late    error          // of a watcher, told when the run is over
	left    []string       // what could not be cleaned up
	argList *starlark.List // ARGS
	random  *rand.Rand
}

// scope is what ends together: with the run, or with a part of it that OpenScope began.
type scope struct {
	marker   string // of the part, beside the run's; empty for the run itself
	sessions []*Session
	ended    []proc.Plan
	closers  []func(context.Context)
	tempDirs []string // that fs.temp_dir made
}
