#!/bin/sh
# The whole loop in a copy of this repository, cloned to a temporary folder.
# usage: demo/run.sh PATH-TO-BELAY      WITH=claude or AGENT="my-agent --flag" runs another agent
set -eu
belay=$1
here=$(cd "$(dirname "$0")/.." && pwd)
place=$(mktemp -d "${TMPDIR:-/tmp}/belay-demo.XXXXXX")
git clone --quiet --no-hardlinks "$here" "$place/belay"
cd "$place/belay"

# Work of yours that is not committed: belay must not lose a byte of it.
printf 'half an idea\n' > notes.txt
printf '\n<!-- staged, not committed -->\n' >> README.md
git add README.md

task='Add internal/belay/ago.go with func Ago(d time.Duration) string: "just now" under a minute, then whole minutes, hours or days, as in "1 minute ago" and "3 hours ago". Test it in ago_test.go.'
say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] && [ -z "${NO_COLOR:-}" ] || say() { printf '\n%s\n' "$*"; }

say "A task for an agent, in $place/belay"
echo "$task"
say "belay run (the agent is ${WITH:-${AGENT:-a script that gets it wrong twice}})"
code=0
if [ -n "${WITH:-}" ]; then set -- --with "$WITH"; else set -- -- ${AGENT:-sh "$here/demo/agent.sh"}; fi
"$belay" run "$task" --task ago \
	--files 'internal/belay/ago*.go' --protect go.mod --expected-files internal/belay/ago.go \
	--test 'go test ./internal/belay/' "$@" || code=$?

say "What happened, entry by entry (belay log ago)"
"$belay" log ago
say "The record, verified (belay log --verify)"
"$belay" log --verify
say "Your own work is where it was (git status)"
git status --short
say "Next steps"
cat <<EOF
cd $place/belay
$belay show ago                     the task, its attempts and reasons
$belay diff ago                     what was accepted
$belay snapshot list                all snapshots
$belay rollback ago && $belay undo  roll back to the state before the task, and undo that
rm -rf $place                       when you have seen enough
EOF
exit $code
