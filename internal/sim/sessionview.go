package sim

import "encoding/json"

// sessionObject is a session as GET answers it. Nulls are present, not omitted.
type sessionObject struct {
	ID                      string             `json:"id"`
	AgentID                 string             `json:"agent_id"`
	AgentName               string             `json:"agent_name"`
	Status                  string             `json:"status"`
	BackgroundTaskCount     *int               `json:"background_task_count"`
	BackgroundTasks         []string           `json:"background_tasks"`
	CreatedAt               int64              `json:"created_at"`
	UpdatedAt               int64              `json:"updated_at"`
	Title                   *string            `json:"title"`
	Labels                  map[string]string  `json:"labels"`
	RunnerID                *string            `json:"runner_id"`
	HostID                  *string            `json:"host_id"`
	RunnerOnline            bool               `json:"runner_online"`
	HostOnline              bool               `json:"host_online"`
	HostResumable           bool               `json:"host_resumable"`
	ReasoningEffort         *string            `json:"reasoning_effort"`
	Items                   []nestedItem       `json:"items"`
	PermissionLevel         int                `json:"permission_level"`
	SubAgentName            *string            `json:"sub_agent_name"`
	Kind                    string             `json:"kind"`
	ParentSessionID         *string            `json:"parent_session_id"`
	RootConversationID      string             `json:"root_conversation_id"`
	LLMModel                string             `json:"llm_model"`
	Harness                 string             `json:"harness"`
	ModelOverride           *string            `json:"model_override"`
	CostControlModeOverride *string            `json:"cost_control_mode_override"`
	SubagentRoutingOverride *string            `json:"subagent_routing_override"`
	ShareWorkspaceFiles     bool               `json:"share_workspace_files"`
	ContextWindow           int                `json:"context_window"`
	LastTotalTokens         *int               `json:"last_total_tokens"`
	TotalCostUSD            *float64           `json:"total_cost_usd"`
	UsageByModel            map[string]usage   `json:"usage_by_model"`
	UsageIncluded           bool               `json:"usage_included"`
	LastTaskError           any                `json:"last_task_error"`
	ExternalSessionID       *string            `json:"external_session_id"`
	TerminalLaunchArgs      []string           `json:"terminal_launch_args"`
	PendingElicitations     []elicitationEvent `json:"pending_elicitations"`
	PendingInputs           []pendingInput     `json:"pending_inputs"`
	Workspace               *string            `json:"workspace"`
	GitBranch               *string            `json:"git_branch"`
	Archived                bool               `json:"archived"`
	Todos                   []string           `json:"todos"`
	ModelOptions            json.RawMessage    `json:"model_options"`
	InferenceConfigured     bool               `json:"inference_configured"`
	InferenceError          *string            `json:"inference_error"`
	TerminalPending         bool               `json:"terminal_pending"`
	SandboxStatus           *string            `json:"sandbox_status"`
	MCPStartup              *string            `json:"mcp_startup"`
	ActiveResponseID        *string            `json:"active_response_id"`
	ProjectID               *string            `json:"project_id"`
}

type usage struct {
	InputTokens        *int     `json:"input_tokens"`
	OutputTokens       *int     `json:"output_tokens"`
	TotalTokens        *int     `json:"total_tokens"`
	CacheReadInput     *int     `json:"cache_read_input_tokens"`
	CacheCreationInput *int     `json:"cache_creation_input_tokens"`
	TotalCostUSD       *float64 `json:"total_cost_usd"`
}

const (
	claudeModelOptions = `[{"id":"sonnet","model":"claude-sonnet-4-5","displayName":"Sonnet 4.5","defaultReasoningEffort":null,` +
		`"supportedReasoningEfforts":[],"isDefault":true,` +
		`"source":{"kind":"gateway","label":"AI Gateway","name":"sim","host":"127.0.0.1"}}]`
	codexModelOptions = `[{"id":"gpt-5","model":"gpt-5","displayName":"GPT-5","defaultReasoningEffort":"low",` +
		`"supportedReasoningEfforts":[{"reasoningEffort":"low","description":"Fast"}],"isDefault":null,"description":"Simulated.",` +
		`"availabilityNux":null,"defaultServiceTier":null,"upgrade":null,"upgradeInfo":null,"hidden":false,"inputModalities":["text","image"],"supportsPersonality":false,"multiAgentVersion":"v2",` +
		`"additionalSpeedTiers":["fast"],"serviceTiers":[{"id":"priority","name":"Fast","description":"2x speed"}],` +
		`"source":{"kind":"gateway","label":"AI Gateway","name":"sim","host":"127.0.0.1"}}]`
)

// object renders the session; the caller holds the lock.
func (s *session) object(includeItems bool) sessionObject {
	o := sessionObject{
		ID: s.ID, AgentID: s.AgentID, AgentName: s.AgentName, Status: s.Status, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
		Title: orNull(s.Title), Labels: copyLabels(s.Labels), RunnerID: orNull(s.RunnerID), HostID: orNull(s.HostID),
		RunnerOnline: s.online(), HostOnline: s.HostID != "", ReasoningEffort: orNull(s.Effort), Items: []nestedItem{},
		PermissionLevel: 4, Kind: "default", ParentSessionID: orNull(s.ParentID), RootConversationID: s.ID,
		LLMModel: "claude-sonnet-4-5", Harness: s.Harness + "-native", ModelOverride: orNull(s.Model), ContextWindow: 200000,
		UsageIncluded: true, LastTaskError: s.lastError, ExternalSessionID: orNull(s.ExternalID),
		TerminalLaunchArgs: s.LaunchArgs, PendingElicitations: []elicitationEvent{},
		PendingInputs: append([]pendingInput{}, s.pending...), Workspace: orNull(s.Workspace), Archived: s.Archived,
		Todos: []string{}, ModelOptions: json.RawMessage(claudeModelOptions),
		TerminalPending: s.agent != nil && !s.agent.ready,
	}
	if s.Harness == harnessCodex {
		o.LLMModel, o.ContextWindow, o.ModelOptions = "gpt-5", 258400, json.RawMessage(codexModelOptions)
	}
	for _, q := range s.questions {
		o.PendingElicitations = append(o.PendingElicitations, q.event())
	}
	if includeItems {
		for _, i := range s.Items {
			o.Items = append(o.Items, nested(i))
		}
	}
	if s.Turns > 0 {
		o.LastTotalTokens = new(100)
		o.UsageByModel, o.TotalCostUSD = s.usage(o.LLMModel)
	}
	return o
}

func (s *session) usage(model string) (map[string]usage, *float64) {
	if s.Harness == harnessCodex {
		n := s.Turns
		return map[string]usage{model: {InputTokens: new(100 * n), OutputTokens: new(8 * n), TotalTokens: new(108 * n),
			CacheReadInput: new(0)}}, nil
	}
	cost := 0.00084
	return map[string]usage{model: {TotalCostUSD: &cost}}, &cost
}

func copyLabels(labels map[string]string) map[string]string {
	c := map[string]string{}
	for k, v := range labels {
		c[k] = v
	}
	return c
}

// sessionRow is a session in the list. What is null is left out here, and whether a runner is online is not told: only the
// session itself and /health know.
type sessionRow struct {
	ID                  string            `json:"id"`
	AgentID             string            `json:"agent_id"`
	AgentName           string            `json:"agent_name"`
	Status              string            `json:"status"`
	CreatedAt           int64             `json:"created_at"`
	UpdatedAt           int64             `json:"updated_at"`
	Title               *string           `json:"title"`
	Labels              map[string]string `json:"labels"`
	RunnerID            *string           `json:"runner_id"`
	HostID              *string           `json:"host_id"`
	ReasoningEffort     *string           `json:"reasoning_effort,omitempty"`
	PermissionLevel     int               `json:"permission_level"`
	Owner               string            `json:"owner"`
	ExternalSessionID   *string           `json:"external_session_id"`
	PendingElicitations int               `json:"pending_elicitations_count"`
	Workspace           *string           `json:"workspace"`
	GitBranch           *string           `json:"git_branch,omitempty"`
	Archived            bool              `json:"archived"`
	CommentsCount       int               `json:"comments_count"`
	CommentsUpdatedAt   *int64            `json:"comments_updated_at,omitempty"`
	ViewerLastSeen      *int64            `json:"viewer_last_seen,omitempty"`
	ViewerUnread        bool              `json:"viewer_unread"`
	SearchSnippet       *string           `json:"search_snippet,omitempty"`
	ParentSessionID     *string           `json:"parent_session_id,omitempty"`
	ProjectID           *string           `json:"project_id,omitempty"`
}

func (s *session) row() sessionRow {
	return sessionRow{
		ID: s.ID, AgentID: s.AgentID, AgentName: s.AgentName, Status: s.Status, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
		Title: orNull(s.Title), Labels: copyLabels(s.Labels), RunnerID: orNull(s.RunnerID), HostID: orNull(s.HostID),
		ReasoningEffort: orNull(s.Effort), PermissionLevel: 4,
		Owner: "local", ExternalSessionID: orNull(s.ExternalID), PendingElicitations: len(s.questions),
		Workspace: orNull(s.Workspace), Archived: s.Archived, ParentSessionID: orNull(s.ParentID),
	}
}
