#!/bin/bash
# Install the real product for the end-to-end lane: e2e/setup.sh DIR
#
# Into DIR go a Python environment with omnigent and an npm folder with both agents' command lines, by name and version;
# tmux comes from the system's packages when it is missing. A second run finds DIR/installed and does nothing.
#
# SLIM=0 keeps the second copy of the claude program that the Python SDK brings along (about 400 MB); the lane does not
# run it. PYTHON=... names the interpreter to use.
#
# Exit status: 0 installed, 1 failed, 2 used wrongly, 77 skipped: something that cannot be installed here is missing, and
# the one line on standard output says what.
set -euo pipefail

omnigent=0.19.1
claude=2.1.332
codex=0.171.0

skip() {
	echo "skipped: $*"
	exit 77
}

# The first Python 3.12 or newer: the server does not start on an older one, though it can be forced to install.
find_python() {
	local candidate
	for candidate in "${PYTHON:-}" python3.12 python3.13 python3.14 python3 \
		"${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[2-9]*/bin/python; do
		# A pyenv shim exists for every version there is, but runs only the chosen one: so try, do not look.
		[ -n "$candidate" ] || continue
		"$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 12))' >/dev/null 2>&1 || continue
		"$candidate" -c 'import sys; print(sys.executable)'
		return
	done
	return 1
}

if [ $# -ne 1 ]; then
	echo "usage: setup.sh DIR" >&2
	exit 2
fi
mkdir -p "$1"
dir=$(cd "$1" && pwd)
recipe="omnigent $omnigent, claude-code $claude, codex $codex"

complete() {
	[ "$(cat "$dir/installed" 2>/dev/null)" = "$recipe" ] &&
		[ -x "$dir/venv/bin/python" ] && [ -x "$dir/npm/node_modules/.bin/claude" ] &&
		[ -x "$dir/npm/node_modules/.bin/codex" ] && command -v tmux >/dev/null
}
if complete; then
	echo "installed already: $recipe"
	exit 0
fi

python=$(find_python) || skip "the product needs Python 3.12 or newer with venv, and there is none under pyenv or on PATH"
command -v npm >/dev/null || skip "the agents' command lines come from npm, and there is none on PATH"
if ! command -v tmux >/dev/null; then
	[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || skip "the product needs tmux, and installing it takes root and apt-get"
	apt-get update -qq >"$dir/apt.log" 2>&1 && apt-get install -y -qq tmux >>"$dir/apt.log" 2>&1 ||
		skip "the product needs tmux, and it could not be installed: see $dir/apt.log"
fi

began=$SECONDS
rm -f "$dir/installed"
mkdir -p "$dir/npm"
[ -f "$dir/npm/package.json" ] || echo '{"private": true}' >"$dir/npm/package.json"
(cd "$dir/npm" && exec npm install --no-audit --no-fund --loglevel=error \
	"@anthropic-ai/claude-code@$claude" "@openai/codex@$codex") >"$dir/npm.log" 2>&1 &
npm=$!
trap 'kill "$npm" 2>/dev/null || true' EXIT

# A Python environment remembers its interpreter: one that was moved away or is too old is made anew.
"$dir/venv/bin/python" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null || "$python" -m venv --clear "$dir/venv"
"$dir/venv/bin/python" -m pip install --quiet --disable-pip-version-check "omnigent==$omnigent"
if [ "${SLIM:-1}" != 0 ]; then
	rm -f "$dir"/venv/lib/python3*/site-packages/claude_agent_sdk/_bundled/claude
fi
if ! wait "$npm"; then
	echo "setup.sh: npm could not install the agents' command lines:" >&2
	tail -20 "$dir/npm.log" >&2
	exit 1
fi
trap - EXIT
echo "$recipe" >"$dir/installed"
echo "installed: $recipe; $((SECONDS - began)) s, $(du -sm "$dir" | cut -f1) MB"
