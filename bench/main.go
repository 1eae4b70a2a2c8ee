// The peer benchmark: expect tools side by side on one machine, in one run, over the same child program.
//
//	go run ./bench                                          every tool and workload, three times
//	go run ./bench -tools raw,omniexpect -workloads bulk,pingpong -repeat 7
//	go run ./bench -repeat 7 -markdown bench/results.md     the tables
//	go run ./bench -repeat 7 -against main                  is anything slower than it was there?
//	go run ./bench -guard bench/guard.json                  the short form for CI
//
// It runs at the root of the repository, builds and installs what it needs into bench/.peers, and leaves out what it
// cannot make ready, saying why. README.md in this directory says what is measured, how, and what is not level.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

type config struct {
	tools, workloads   string
	repeat             int
	cap, scale         float64
	out, markdown, old string
	against, guard     string
	list, record       bool
}

func main() {
	var c config
	flag.StringVar(&c.tools, "tools", "", "tools to run, separated by commas (default all)")
	flag.StringVar(&c.workloads, "workloads", "", "workloads to run, separated by commas (default all)")
	flag.IntVar(&c.repeat, "repeat", 3, "how often each is run")
	flag.Float64Var(&c.cap, "cap", 30, "`seconds` after which a driver is stopped and tried with a tenth of the output")
	flag.Float64Var(&c.scale, "scale", 1, "`factor` for all sizes and counts, for a quick trial")
	flag.StringVar(&c.out, "o", "", "write everything measured to this JSON `file`")
	flag.StringVar(&c.markdown, "markdown", "", "write the tables to this `file`")
	flag.StringVar(&c.old, "from", "", "measure nothing, show the tables of this JSON `file`")
	flag.StringVar(&c.against, "against", "", "compare with the program that this `commit` makes, and fail where a row is worse")
	flag.StringVar(&c.guard, "guard", "", "the short form for CI: compare a few ratios with those of this JSON `file`, and fail where one is worse")
	flag.BoolVar(&c.record, "record", false, "with -guard: add this machine's ratios to the file, with -against those of that commit's program")
	flag.BoolVar(&c.list, "list", false, "list the tools and workloads")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, c); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, c config) error {
	toolset, err := choose(tools(), c.tools, func(t Tool) string { return t.Name })
	if err != nil {
		return fmt.Errorf("-tools: %w", err)
	}
	list, err := choose(workloads(), c.workloads, func(w Workload) string { return w.Name })
	if err != nil {
		return fmt.Errorf("-workloads: %w", err)
	}
	if c.repeat < 1 || c.cap <= 0 || c.scale <= 0 {
		return errors.New("-repeat, -cap and -scale want more than 0")
	}
	if err := c.alone(); err != nil {
		return err
	}
	if c.list {
		show(toolset, list)
		return nil
	}
	for i := range list {
		list[i].rescale(c.scale)
	}
	switch {
	case c.guard != "":
		return guard(ctx, c)
	case c.against != "":
		return against(ctx, c, list)
	}
	r := &Report{Date: time.Now(), Repeats: c.repeat, Scale: c.scale, Versions: map[string]string{}, Missing: map[string]string{}}
	if c.old != "" {
		if r, err = load(c.old); err != nil {
			return err
		}
	} else if err := r.measure(ctx, c, toolset, list); err != nil {
		return err
	}
	all := summarise(r.Rows, list)
	r.Verdicts = judge(all, list)
	r.Summaries = nil
	for _, w := range list {
		for _, t := range toolset {
			if s, ok := all[key{t.Name, w.Name}]; ok {
				r.Summaries = append(r.Summaries, s)
			}
		}
	}
	text := r.markdown(all, list, toolset)
	fmt.Print(text)
	if c.markdown != "" {
		if err := os.WriteFile(c.markdown, []byte(text+remarks(c.markdown)), 0o644); err != nil {
			return err
		}
	}
	if c.out != "" && c.old == "" {
		return save(c.out, r)
	}
	return nil
}

// alone refuses flags that would have no effect beside others.
func (c config) alone() error {
	switch {
	case c.record && c.guard == "":
		return errors.New("-record belongs to -guard FILE")
	case c.guard != "" && c.against != "" && !c.record:
		return errors.New("-guard with -against is for -record: it writes down the ratios of that commit")
	case c.guard != "" && (c.old != "" || c.tools != "" || c.workloads != "" || c.markdown != "" || c.out != "" || c.scale != 1):
		return errors.New("-guard has its own tools and workloads, and goes with -repeat, -cap and -record only")
	case c.guard == "" && c.against != "" && (c.old != "" || c.tools != "" || c.markdown != ""):
		return errors.New("-against has its own tools: it goes with -workloads, -repeat, -cap, -scale and -o")
	}
	return nil
}

// byHand begins the part of the tables' file that people write. It outlives a new measurement.
const byHand = "\n## Remarks\n"

func remarks(file string) string {
	old, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	_, text, ok := strings.Cut(string(old), byHand)
	if !ok {
		return ""
	}
	return byHand + text
}

// rescale makes the work smaller or larger; times are left as they are.
func (w *Workload) rescale(by float64) {
	for _, name := range []string{"n", "bytes"} {
		if v, ok := w.Args[name]; ok {
			w.Args[name] = max(1, float64(int(v*by)))
		}
	}
}

func show(toolset []Tool, list []Workload) {
	rows := [][]string{{"tool", "what"}}
	for _, t := range toolset {
		rows = append(rows, []string{t.Name, t.About})
	}
	fmt.Println(table(rows))
	rows = [][]string{{"workload", "figure", "what", "goals"}}
	for _, w := range list {
		goals := ""
		for i, g := range w.Goals {
			if i > 0 {
				goals += "; "
			}
			goals += g.Text
		}
		rows = append(rows, []string{w.Name, w.Unit, w.Title, goals})
	}
	fmt.Print(table(rows))
}

// measure makes the tools ready and runs them all, in turns.
func (r *Report) measure(ctx context.Context, c config, toolset []Tool, list []Workload) error {
	p, err := find()
	if err != nil {
		return err
	}
	g, err := ready(ctx, p, c.cap)
	if err != nil {
		return err
	}
	for _, t := range toolset {
		fmt.Fprintf(os.Stderr, "preparing %s\n", t.Name)
		command, err := t.Prepare(ctx, p)
		if err != nil {
			r.Missing[t.Name] = err.Error()
			fmt.Fprintf(os.Stderr, "  left out: %v\n", err)
			continue
		}
		g.commands[t.Name] = command
		g.tools = append(g.tools, t)
		r.Tools = append(r.Tools, t.Name)
		r.Versions[t.Name] = t.Version(ctx, p)
	}
	r.Rows = g.play(ctx, list, c.repeat)
	r.Machine = machine(r.Rows)
	return ctx.Err()
}

// ready makes what every tool's turn needs: the child program and an empty script.
func ready(ctx context.Context, p places, limit float64) (*game, error) {
	target := p.bin("target")
	if err := do(ctx, p.root, nil, "go", "build", "-o", target, "./bench/target"); err != nil {
		return nil, err
	}
	empty := filepath.Join(p.peers, "empty.star")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		return nil, err
	}
	return &game{cap: limit, target: target, empty: empty, commands: map[string][]string{}, shrunk: map[key]float64{}, given: map[key]bool{}}, nil
}

// game is one run of all tools against each other.
type game struct {
	tools         []Tool
	commands      map[string][]string
	target, empty string
	cap           float64
	shrunk        map[key]float64 // by how much the output has been made smaller for a tool
	given         map[key]bool    // failures that need no second try
}

// play lets the tools take turns within each workload; the order moves on with each repeat, so that a noisy moment does
// not always meet the same one.
func (g *game) play(ctx context.Context, list []Workload, repeats int) []Row {
	var rows []Row
	for rep := range repeats {
		for _, w := range list {
			for i := range g.tools {
				t := g.tools[(i+rep)%len(g.tools)]
				k := key{t.Name, w.Name}
				if len(w.Only) > 0 && !slices.Contains(w.Only, t.Name) {
					continue
				}
				for again := true; again && !g.given[k] && ctx.Err() == nil; {
					var row Row
					row, again = g.turn(ctx, t, w, k)
					row.Tool, row.Workload, row.Repeat, row.Load = t.Name, w.Name, rep, loadAverage()
					rows = append(rows, row)
					line, _ := json.Marshal(row)
					fmt.Fprintln(os.Stderr, string(line))
				}
			}
		}
	}
	return rows
}

// turn runs one tool once; again says that it should be tried with less output.
func (g *game) turn(ctx context.Context, t Tool, w Workload, k key) (row Row, again bool) {
	command := g.commands[t.Name]
	if w.Name == "startup" {
		argv := append(slices.Clone(command), "--workload", "startup")
		if t.Ours {
			argv = []string{command[0], "run", g.empty}
		}
		row = startup(ctx, argv, t.Env, 20)
		g.given[k] = row.Error != ""
		return row, false
	}
	limit := w.Cap
	if limit == 0 {
		limit = g.cap
	}
	args := map[string]float64{}
	for name, v := range w.Args {
		args[name] = v
	}
	if size, ok := args["bytes"]; ok {
		args["bytes"] = float64(int(size / max(1, g.shrunk[k])))
		args["timeout"] = limit + 60 // the cap decides, not the tool
	}
	row = measure(ctx, append(slices.Clone(command), w.flags(g.target, args)...), t.Env, time.Duration(limit*float64(time.Second)))
	row.Bytes = args["bytes"]
	row.Left = settle(g.target)
	if row.Capped && row.Bytes > 0 && g.shrunk[k] < 1000 {
		g.shrunk[k] = 10 * max(1, g.shrunk[k])
		return row, true
	}
	g.given[k] = row.Error != ""
	return row, false
}

// find locates the repository, which is where the command is run.
func find() (places, error) {
	root, err := os.Getwd()
	if err != nil {
		return places{}, err
	}
	if _, err := os.Stat(filepath.Join(root, "bench", "peers", "go.mod")); err != nil {
		return places{}, errors.New("run it at the root of the repository: go run ./bench")
	}
	p := places{root: root, peers: filepath.Join(root, "bench", ".peers")}
	return p, os.MkdirAll(filepath.Join(p.peers, "bin"), 0o755)
}

func load(path string) (*Report, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &Report{}
	return r, json.Unmarshal(text, r)
}

func save(path string, r *Report) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}
