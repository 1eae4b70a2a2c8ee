package product

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// foreign are the beginnings of variables that would let this machine's own agents, logins or runs show through.
func foreign() []string {
	return []string{
		"ANTHROPIC", "CLAUDE", "CODEX", "OPENAI", "OMNI", "DATABRICKS", "RUNNER_SERVER", "STUB_", "TMUX",
	}
}

// clean returns env without foreign variables.
func clean(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		return slices.ContainsFunc(foreign(), func(prefix string) bool { return strings.HasPrefix(entry, prefix) })
	})
}

// set returns env with the variables given as NAME=VALUE, replacing older values.
func set(env []string, entries ...string) []string {
	for _, entry := range entries {
		name, _, _ := strings.Cut(entry, "=")
		env = slices.DeleteFunc(env, func(old string) bool { return strings.HasPrefix(old, name+"=") })
		env = append(env, entry)
	}
	return env
}

// path are the directories in which programs are looked up: the product's, the agents', then those of this process.
func (p *Product) path() []string {
	own := []string{filepath.Join(p.config.Dir, "venv/bin"), filepath.Join(p.config.Dir, "npm/node_modules/.bin")}
	return append(own, filepath.SplitList(os.Getenv("PATH"))...)
}

// Environ is the environment of the server and of a command that tests it.
func (p *Product) Environ() []string {
	env := set(clean(os.Environ()),
		"HOME="+p.Home(), "TMPDIR="+filepath.Join(p.Root, "tmp"), "PATH="+strings.Join(p.path(), string(os.PathListSeparator)), "TERM=xterm-256color",
		"OMNIGENT_NO_UPDATE_CHECK=1", "OMNIGENT_SKIP_ONBOARD=1", "OMNIGENT_DISABLE_TELEMETRY=1",
		"OMNIGENT_HOST_LAUNCH_TIMEOUT_S=90", // of a runner: the default of 30 is little for a busy machine
		"DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "STUB_URL="+p.Model, "STUB_LOG="+p.StubLog())
	// XDG directories of the person who runs this lie outside the scratch HOME.
	env = slices.DeleteFunc(env, func(entry string) bool { return strings.HasPrefix(entry, "XDG_") })
	if p.config.NoServer {
		return set(env, "ANTHROPIC_BASE_URL="+p.Model, "ANTHROPIC_API_KEY="+dummyKey, "OPENAI_API_KEY="+dummyKey)
	}
	return set(env, "OMNI_SERVER="+p.Server)
}

// dummyKey is sent to the stub, which asks for none; Claude Code knows an approved key by its last 20 characters.
const dummyKey = "dummy-key-for-the-local-model-stub"

// writeConfigs points the product, and both agents on their own, to the stub, and answers every first-run question.
func (p *Product) writeConfigs() error {
	files := map[string]string{
		".omnigent/config.yaml": fmt.Sprintf(`providers:
  stub:
    kind: gateway
    default: true
    anthropic:
      base_url: %[1]q
      api_key: %[2]q
      models: {default: claude-sonnet-4-5}
    openai:
      base_url: "%[1]s/v1"
      api_key: %[2]q
      wire_api: responses
      models: {default: gpt-5}
`, p.Model, dummyKey),
	}
	if p.config.NoServer {
		files[".claude.json"] = fmt.Sprintf(`{
  "hasCompletedOnboarding": true,
  "hasSeenAutoDefaultNotice": true,
  "theme": "dark",
  "customApiKeyResponses": {"approved": [%q], "rejected": []},
  "projects": {%q: {"hasTrustDialogAccepted": true}}
}
`, dummyKey[len(dummyKey)-20:], p.Work())
		files[".codex/config.toml"] = fmt.Sprintf(`model = "gpt-5"
model_provider = "stub"

[model_providers.stub]
name = "stub"
base_url = "%s/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"

[projects.%q]
trust_level = "trusted"
`, p.Model, p.Work())
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(p.Home(), name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}
