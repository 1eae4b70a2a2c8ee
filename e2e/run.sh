#!/bin/sh
# Run a command against the real product: e2e/run.sh [-amnesia] [-no-server] [-keep] DIR COMMAND...
# DIR is where e2e/setup.sh installed it. What the command finds in its environment is written in e2e/run/main.go.
set -eu
dir=
for word; do
	case $word in -*) ;; *) dir=$word && break ;; esac
done
if [ -z "$dir" ] || [ ! -d "$dir" ]; then
	echo "usage: run.sh [-amnesia] [-no-server] [-keep] DIR COMMAND..." >&2
	exit 2
fi
dir=$(cd "$dir" && pwd)
(cd "$(dirname "$0")/.." && go build -o "$dir/bin/" ./e2e/stub ./e2e/run)
exec "$dir/bin/run" "$@"
