#!/bin/sh
# Ten tasks of two repositories, and a feature of three, on three workers, on this machine: one worker is killed in the middle of an
# attempt, one task waits for a person, who answers.
# usage: fleet/demo/run.sh PATH-TO-BELAY-FLEET PATH-TO-TEMPORAL-DEV
# AFTER is a command to run at the end, while the server is still there.
set -eu
fleet=$1 server=$2
here=$(cd "$(dirname "$0")" && pwd)
place=$(mktemp -d "${TMPDIR:-/tmp}/belay-fleet-demo.XXXXXX")
say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] && [ -z "${NO_COLOR:-}" ] || say() { printf '\n%s\n' "$*"; }
fail() {
	echo "fleet-demo: $*" >&2
	for f in "$place"/*.log; do echo "--- $f" >&2 && tail -n 20 "$f" >&2; done
	exit 1
}
pids=
end() {
	for p in $pids; do kill "$p" 2> /dev/null || :; done
	wait 2> /dev/null || :
}
trap end EXIT
trap 'exit 130' INT TERM

say "A Temporal server on loopback, with a SQLite file"
"$server" -port 0 -file "$place/temporal.db" > "$place/server.log" 2>&1 &
pids=$!
n=0
until grep -q 'Temporal server on' "$place/server.log"; do
	n=$((n + 1))
	[ $n -lt 300 ] && kill -0 $! 2> /dev/null || fail "the server did not start"
	sleep 0.1
done
cat "$place/server.log"
TEMPORAL_ADDRESS=$(sed -n 's/^Temporal server on \([^,]*\),.*/\1/p' "$place/server.log")
export TEMPORAL_ADDRESS

say "Two repositories, each with a remote"
for repo in shop docs; do
	git init -q --bare "$place/git/$repo.git"
	git init -q "$place/$repo"
	(
		cd "$place/$repo"
		git checkout -q -b main
		git config user.name 'Demo' && git config user.email 'demo@example.com'
		mkdir src
		echo "$repo" > src/readme.txt
		printf '#!/bin/sh\n! grep -q wrong src/*.txt\n' > test.sh
		chmod +x test.sh
		printf -- '- [ ] T001 Add src/%s.T001.txt\n- [ ] T002 [P] Add src/%s.T002.txt\n- [ ] T003 [P] Add src/%s.T003.txt\n' f f f > tasks.md
		git add . && git commit -q -m 'First' && git remote add origin "$place/git/$repo.git" && git push -q origin main
	)
	echo "$place/git/$repo.git"
done

say "Three workers"
for w in w1 w2 w3; do
	BELAY_STATE_HOME="$place/state-$w" "$fleet" worker --name $w --home "$place/$w" --slots 2 --trust "$place/git/" > "$place/$w.log" 2>&1 &
	echo $! > "$place/$w.pid"
	pids="$pids $!"
done
n=0
until [ "$(cat "$place"/w?.log | grep -c ready)" = 3 ]; do
	n=$((n + 1))
	[ $n -lt 100 ] || fail "the workers did not start"
	sleep 0.1
done
cat "$place"/w?.log

say "Ten tasks"
cp "$here/agent.sh" "$place"
tasks='shop-1-first shop-2-second shop-3-long shop-4-stuck shop-5-first docs-1-first docs-2-second docs-3-first docs-4-second docs-5-long'
for id in $tasks; do
	cd "$place/${id%%-*}"
	"$fleet" submit "Add src/$id.txt" --task "$id" --files 'src/**' --test ./test.sh --retries 2 --lost-after 4s -- sh "$place/agent.sh"
done

say "A feature of three tasks, two of them side by side (belay-fleet submit tasks.md)"
cd "$place/docs"
"$fleet" submit tasks.md --feature f --test ./test.sh --lost-after 4s -- sh "$place/agent.sh"

phase() { "$fleet" --json show "$1" | sed -n 's/.*"phase":"\([a-z]*\)","outcome":"\([a-z]*\)".*/\2/p; s/.*"phase":"\([a-z]*\)",.*/\1/p' | head -n 1; }
worker() { "$fleet" --json list --query "BelayTask = '$1'" | sed -n 's/.*"worker":"\([^"]*\)".*/\1/p'; }
until [ "$(phase shop-3-long)" = attempt ]; do sleep 0.2; done
lost=$(worker shop-3-long)
say "kill -9 of $lost, in the middle of an attempt of shop-3-long, and of the agent"
kill -9 "$(cat "$place/$lost.pid")"
pkill -9 -f "$place/$lost/" || :

n=0
until [ "$(phase shop-4-stuck)" = gate ]; do
	n=$((n + 1))
	[ $n -lt 300 ] || fail "shop-4-stuck does not wait"
	sleep 0.2
done
say "shop-4-stuck waits for a person (belay-fleet show shop-4-stuck)"
"$fleet" show shop-4-stuck
say "belay-fleet decide shop-4-stuck guide"
"$fleet" decide shop-4-stuck guide --message "the file must not say that it is wrong" --by demo

n=0
while [ "$("$fleet" --json list --query "ExecutionStatus = 'Running'" | grep -o '"task":' | wc -l)" -gt 0 ]; do
	n=$((n + 1))
	[ $n -lt 600 ] || fail "tasks are open after five minutes"
	sleep 0.5
done
say "What became of shop-3-long (belay-fleet log shop-3-long)"
"$fleet" log shop-3-long
say "What became of the feature (belay-fleet show f)"
"$fleet" show f
say "All of them (belay-fleet list)"
"$fleet" list
say "Accepted work, on the remotes"
bad=
for id in $tasks; do
	oid=$(git --git-dir="$place/git/${id%%-*}.git" rev-parse --verify --quiet "belay/$id") || { bad="$bad $id"; continue; }
	git --git-dir="$place/git/${id%%-*}.git" show "$oid:src/$id.txt" | grep -q "^$id, done$" || bad="$bad $id"
	echo "belay/$id  $(git --git-dir="$place/git/${id%%-*}.git" log -1 --format='%h %s' "$oid")"
done
[ "$(git --git-dir="$place/git/docs.git" show belay/f:tasks.md | grep -c '\[x\]')" = 3 ] || bad="$bad f"
git --git-dir="$place/git/docs.git" log --graph --format='%h %s' belay/f
[ -z "$bad" ] || fail "not accepted:$bad"
"$fleet" log shop-3-long | grep -q 'is lost' || fail "no worker was lost"
[ -z "${AFTER:-}" ] || (cd "$here" && sh -c "$AFTER")
rm -rf "$place"
