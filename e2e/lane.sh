#!/bin/sh
# Run the scripts against the real product: e2e/lane.sh [-all] [-only REGEXP] DIR [OMNIEXPECT]
# The product is installed in DIR when it is not there yet (e2e/setup.sh), and OMNIEXPECT is built from this tree when it
# is not given. Exit status: that of e2e/lane/main.go, or 77 when setup.sh skipped, with its line.
set -eu
module=$(cd "$(dirname "$0")/.." && pwd)
all= only=
while [ $# -gt 0 ]; do
	case $1 in
	-all) all=-all && shift ;;
	-only) only=${2?} && shift 2 ;;
	*) break ;;
	esac
done
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
	echo "usage: lane.sh [-all] [-only REGEXP] DIR [OMNIEXPECT]" >&2
	exit 2
fi
"$module/e2e/setup.sh" "$1"
dir=$(cd "$1" && pwd)
omniexpect=${2:-$dir/bin/omniexpect}
programs="./e2e/stub ./e2e/run ./e2e/lane ./e2e/probe"
if [ $# -eq 1 ] && [ -d "$module/cmd/omniexpect" ]; then
	programs="$programs ./cmd/omniexpect"
fi
# Unquoted: a list of packages.
(cd "$module" && go build -o "$dir/bin/" $programs)
exec "$dir/bin/lane" $all -only "$only" -scripts "$module/scripts" "$dir" "$omniexpect"
