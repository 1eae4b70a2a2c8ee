package sim

import (
	"path/filepath"
	"strings"
	"time"
)

const (
	harnessClaude = "claude"
	harnessCodex  = "codex"
)

// agentInfo is a built-in agent of the product.
type agentInfo struct {
	ID                  string   `json:"id"`
	Object              string   `json:"object"`
	Name                string   `json:"name"`
	Version             int      `json:"version"`
	Description         *string  `json:"description"`
	CreatedAt           int64    `json:"created_at"`
	UpdatedAt           *int64   `json:"updated_at"`
	Harness             string   `json:"harness"`
	MCPServers          []string `json:"mcp_servers"`
	MCPServersEditable  bool     `json:"mcp_servers_editable"`
	MCPRegistryEditable bool     `json:"mcp_registry_editable"`
	Policies            []string `json:"policies"`
	Skills              []string `json:"skills"`
	Terminals           []string `json:"terminals"`
	Builtin             bool     `json:"builtin"`

	harness string
	wrapper string
}

func newAgentInfo(id, harness, wrapper string) agentInfo {
	return agentInfo{ID: id, Object: "agent", Name: harness + "-native-ui", Version: 1, CreatedAt: 1796094035, Harness: harness + "-native",
		MCPServers: []string{}, Policies: []string{}, Skills: []string{}, Terminals: []string{"bash", "zsh", "fish"}, Builtin: true,
		harness: harness, wrapper: wrapper}
}

func builtinAgents(era string) []agentInfo {
	return []agentInfo{
		newAgentInfo(spellID(era, "ag", "b3c1b2de14addb32778823c09af6bebc"), harnessClaude, "claude-code-native-ui"),
		newAgentInfo(spellID(era, "ag", "e9ea1932c8ab8b66f401a23d0fe12fdc"), harnessCodex, "codex-native-ui"),
	}
}

// session is a conversation. The exported fields are what --data keeps; the rest lives as long as the server. All of it
// is guarded by the server's lock.
type session struct {
	ID         string
	AgentID    string
	AgentName  string
	Harness    string // claude or codex
	Title      string
	Labels     map[string]string
	Status     string
	CreatedAt  int64
	UpdatedAt  int64
	RunnerID   string
	Stopped    bool // its runner was stopped, and is offline
	HostID     string
	ExternalID string
	LaunchArgs []string
	Workspace  string
	Home       string // where the agent keeps its files
	TmpDir     string
	Archived   bool
	Effort     string
	Model      string // model_override
	ParentID   string
	Turns      int // finished turns, for the usage figures
	Items      []item

	events    *hub
	agent     *agent
	waiting   []input // sent before any terminal ran
	pending   []pendingInput
	questions []*question
	verdicts  map[string]verdict
	lastError any
	extReads  int // for ext-id-overwritten
}

// pendingInput is a message that the agent has not stored yet.
type pendingInput struct {
	PendingID string  `json:"pending_id"`
	Content   []block `json:"content"`
}

// input is a message on its way to the agent.
type input struct {
	text      string
	content   []block
	pendingID string
}

// online reports whether the session has a runner that runs.
func (s *session) online() bool { return s.RunnerID != "" && !s.Stopped }

func (s *session) touch() { s.UpdatedAt = time.Now().Unix() }

// setTitle takes the title from the first user message, cut as the product cuts it.
func (s *session) setTitle(text string) {
	if s.Title != "" {
		return
	}
	runes := []rune(strings.ReplaceAll(text, "\n", " "))
	if len(runes) > 60 {
		runes = append(runes[:59], '…')
	}
	s.Title = string(runes)
}

// finishTurn records what a turn leaves on the session object.
func (s *session) finishTurn() {
	s.Turns++
	window, modeKey, mode := "200000", "omnigent.claude_native.permission_mode", "default"
	if s.Harness == harnessCodex {
		window, modeKey, mode = "258400", "omnigent.codex_native.approval_mode", "approve-for-me"
	}
	s.Labels[modeKey] = mode
	s.Labels["omnigent.last_context_tokens"] = "100"
	s.Labels["omnigent.last_context_window"] = window
	for _, k := range []string{"agent_name", "cause", "code", "item_id", "message", "remediation", "runner_id", "title"} {
		key := "omnigent.last_task_error_" + k
		if _, ok := s.Labels[key]; !ok {
			s.Labels[key] = ""
		}
	}
}

func (s *session) terminalID() string { return "terminal_" + s.Harness + "_main" }

// terminal is the running terminal as a resource, or nil.
func (s *session) terminal() *resource {
	if s.agent == nil || !s.agent.ready {
		return nil
	}
	return &resource{
		ID: s.terminalID(), Object: "session.resource", Type: "terminal", SessionID: s.ID, Name: s.Harness + ":main",
		Metadata: map[string]any{
			"terminal_name": s.Harness, "session_key": "main", "running": true,
			"tmux_socket": filepath.Join(s.TmpDir, "omnigent-terminal-"+s.agent.socket, "tmux.sock"), "tmux_target": "main",
		},
		Environment: "env_" + s.terminalID(),
	}
}

// resource is an entry of a session's resources.
type resource struct {
	ID          string         `json:"id"`
	Object      string         `json:"object"`
	Type        string         `json:"type"`
	SessionID   string         `json:"session_id"`
	Name        string         `json:"name"`
	Metadata    map[string]any `json:"metadata"`
	Environment string         `json:"environment,omitempty"`
}

// resources lists what a session bound to a runner has.
func (s *session) resources() []resource {
	var list []resource
	if t := s.terminal(); t != nil {
		list = append(list, resource{
			ID: t.Environment, Object: t.Object, Type: "environment", SessionID: s.ID, Name: "Environment for " + t.Name,
			Metadata: map[string]any{
				"environment_type": "caller_process", "role": "terminal", "terminal_name": s.Harness,
				"session_key": "main", "root": s.Workspace, "sandbox_type": "none",
			},
		}, *t)
	}
	return append(list, resource{
		ID: "default", Object: "session.resource", Type: "environment", SessionID: s.ID, Name: "Primary environment",
		Metadata: map[string]any{
			"environment_type": "caller_process", "role": "primary", "sandbox_type": "none", "sandbox_active": false,
		},
	})
}
