#!/bin/sh
# Many tasks of one repository on four workers, on this machine. Each half minute one worker is killed with
# all that it started, and started again 5 or 45 seconds later. At the end every task is accepted or waits at a gate,
# every accepted one is on the remote exactly once, and the histories of all replay.
# usage: fleet/demo/load.sh PATH-TO-BELAY-FLEET PATH-TO-TEMPORAL-DEV TASKS PATH-TO-STEP (fleet/bench/step)
set -eu
fleet=$1 server=$2 tasks=$3 step=$4
here=$(cd "$(dirname "$0")" && pwd)
place=$(mktemp -d "${TMPDIR:-/tmp}/belay-fleet-load.XXXXXX")
fail() {
	echo "fleet-load: $*; see $place" >&2
	exit 1
}
end() { pkill -f "$place/" || :; }
trap end EXIT
trap 'exit 130' INT TERM
work() { # work NAME: start a worker
	BELAY_STATE_HOME="$place/state-$1" "$fleet" worker --name "$1" --home "$place/$1" --slots 2 --trust "$place/app.git" >> "$place/$1.log" 2>&1 &
	echo $! > "$place/$1.pid"
}

"$server" -port 0 -file "$place/temporal.db" > "$place/server.log" 2>&1 &
serverpid=$!
n=0
until grep -q 'Temporal server on' "$place/server.log"; do
	n=$((n + 1))
	[ $n -lt 300 ] || fail "the server did not start"
	sleep 0.1
done
TEMPORAL_ADDRESS=$(sed -n 's/^Temporal server on \([^,]*\),.*/\1/p' "$place/server.log")
export TEMPORAL_ADDRESS
git init -q --bare -b main "$place/app.git"
git init -q -b main "$place/app"
cd "$place/app"
git config user.name 'Load' && git config user.email 'load@example.com'
mkdir src
echo app > src/readme.txt
printf '#!/bin/sh\n! grep -q wrong src/*.txt\n' > test.sh
chmod +x test.sh
git add . && git commit -q -m 'First' && git remote add origin "$place/app.git" && git push -q origin main
cp "$here/agent.sh" "$place"
for w in w1 w2 w3 w4; do work $w; done

began=$(date +%s)
submit() {
	i=0
	while [ $i -lt "$tasks" ]; do
		i=$((i + 1))
		case $((i % 10)) in
		1 | 6) kind=second ;;
		3) kind=long ;;
		9) kind=stuck ;;
		*) kind=first ;;
		esac
		"$fleet" submit "Add src/t-$i-$kind.txt" --task "t-$i-$kind" --files 'src/**' --test ./test.sh --retries 2 --lost-after 10s \
			-- sh "$place/agent.sh" > /dev/null
	done
	echo "$tasks tasks submitted in $(($(date +%s) - began)) s"
	: > "$place/submitted"
}
submit &

killed=0 last=$began
while :; do
	sleep 2
	busy=$("$fleet" --json list --query "ExecutionStatus = 'Running' AND BelayPhase NOT IN ('gate')" | grep -o '"task":' | wc -l)
	[ "$busy" -gt 0 ] || ! [ -e "$place/submitted" ] || break
	now=$(date +%s)
	[ $((now - began)) -lt 3600 ] || fail "$busy tasks are at work after an hour"
	if [ $((now - last)) -ge 30 ]; then
		w=w$((killed % 4 + 1)) killed=$((killed + 1)) last=$now
		kill -9 "$(cat "$place/$w.pid")" || :
		pkill -9 -f "$place/$w/" || :
		# It comes back before it is missed, or long after another one has its tasks.
		(sleep $((killed % 2 * 40 + 5)) && [ -d "$place" ] && work $w) &
		echo "$((now - began)) s: killed $w; tasks at work: $busy"
	fi
done
took=$(($(date +%s) - began))

i=0 accepted=0 gate=0
while [ $i -lt "$tasks" ]; do
	i=$((i + 1))
	id=$(git --git-dir="$place/app.git" for-each-ref --format='%(refname:short)' "refs/heads/belay/t-$i-*")
	case $id in
	'')
		case $("$fleet" --json list --query "BelayTask = 't-$i-stuck' AND BelayPhase = 'gate'") in
		*'"task":'*) gate=$((gate + 1)) ;;
		*) fail "task $i is neither accepted nor at a gate" ;;
		esac
		;;
	*)
		[ "$(git --git-dir="$place/app.git" rev-list --count "main..$id")" = 1 ] || fail "$id does not have one commit"
		[ "$(git --git-dir="$place/app.git" diff --name-only "main..$id")" = "src/${id#belay/}.txt" ] || fail "$id changed something else"
		accepted=$((accepted + 1))
		;;
	esac
done
moves=$("$fleet" --json list | grep -o '"task":"[^"]*"' | cut -d'"' -f4 | while read -r t; do
	"$fleet" --json show "$t" | grep -o '"moves":[0-9]*' | cut -d: -f2
done | awk '{ s += $1 } END { print s + 0 }')
replayed=$("$step" -histories) || fail "a history does not replay"
echo "$replayed"
echo "the server used $(ps -o cputimes= -p $serverpid | tr -d ' ') s of a processor, its database has $(du -ck "$place"/temporal.db* | awk 'END { print $1 }') kB"
echo "$tasks tasks in $took s on 4 workers: $accepted accepted, $gate at a gate, 0 lost, 0 done twice; $killed kills, $moves moves"
rm -rf "$place"
