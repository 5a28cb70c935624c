#!/bin/sh
# A Temporal server, an OpenTelemetry Collector, a webhook and a worker on this machine: a task of the fleet whose first
# attempt is rejected, and one that waits for a person. Traces, metrics and logs arrive at the collector, the worker's
# metrics are served, each gate is one message, and nothing private is in any of it.
# usage: fleet/demo/watch.sh PATH-TO-BELAY-FLEET PATH-TO-TEMPORAL-DEV PATH-TO-OTEL-COLLECTOR
set -eu
fleet=$1 server=$2 collector=$3 collecting=$(cd "$(dirname "$0")" && pwd)/../collector/start.sh
place=$(mktemp -d "${TMPDIR:-/tmp}/belay-fleet-watch.XXXXXX")
fail() {
	echo "fleet-watch: $*" >&2
	for f in "$place"/*.log; do echo "--- $f" >&2 && tail -n 20 "$f" >&2; done
	exit 1
}
pids=
end() {
	for p in $pids ${pid:-}; do kill "$p" 2> /dev/null || :; done
	wait 2> /dev/null || :
	rm -rf "$place"
}
trap end EXIT
trap 'exit 130' INT TERM
until_in() { # TEXT FILE
	n=0
	until grep -q "$1" "$2" 2> /dev/null; do
		n=$((n + 1))
		[ $n -lt 600 ] || fail "$2 does not have: $1"
		sleep 0.1
	done
}

. "$collecting"
pids=$pid
"$server" -port 0 -file "$place/temporal.db" > "$place/server.log" 2>&1 &
pids="$pids $!"
until_in 'Temporal server on' "$place/server.log"
TEMPORAL_ADDRESS=$(sed -n 's/^Temporal server on \([^,]*\),.*/\1/p' "$place/server.log")
export TEMPORAL_ADDRESS HOME="$place/home" PLANTED_VARIABLE=PLANTED-variable
mkdir -p "$HOME"

git init -q --bare -b main "$place/git/app.git"
git init -q -b main "$place/app"
cd "$place/app"
git config user.name Demo
git config user.email demo@example.com
echo one > PLANTED-file.txt
printf '#!/bin/sh\n! grep -q wrong PLANTED-file.txt\n' > test.sh
chmod +x test.sh
git add . && git commit -q -m First && git remote add origin "$place/git/app.git" && git push -q origin main
cat > "$place/claude" << 'END'
#!/bin/sh
cat > /dev/null
case $BELAY_TASK-$BELAY_ATTEMPT in
good-1) echo bad >> test.sh ;;
good-*) echo done >> PLANTED-file.txt ;;
*) echo wrong >> PLANTED-file.txt ;;
esac
cat << EVENTS
{"type":"system","subtype":"init","session_id":"0b1f0c1e-0000-4000-8000-000000000001","model":"claude-test-1"}
{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"PLANTED-said"},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"PLANTED-command"}}],"usage":{"input_tokens":100,"output_tokens":20}}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"PLANTED-output $PLANTED_VARIABLE"}]}}
{"type":"result","subtype":"success","is_error":false,"result":"PLANTED-result","total_cost_usd":0.02,"usage":{"input_tokens":100,"output_tokens":20},"session_id":"0b1f0c1e-0000-4000-8000-000000000001"}
EVENTS
END
chmod +x "$place/claude"

served=$(expr $port + 1)
BELAY_TELEMETRY=1 OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:$port" OTEL_SERVICE_NAME=belay-fleet-test BELAY_FENCE=off \
	"$fleet" worker --name w1 --home "$place/w1" --slots 2 --metrics "127.0.0.1:$served" --trust "$place/git/" > "$place/w1.log" 2>&1 &
pids="$pids $!"
until_in ready "$place/w1.log"
for id in good stuck; do
	"$fleet" submit "write PLANTED-prose" --task $id --files PLANTED-file.txt --test ./test.sh --retries 1 -- \
		"$place/claude" -p --permission-mode acceptEdits PLANTED-arg > "$place/submit-$id.log" 2>&1 || fail "$id was not submitted"
done
n=0
until "$fleet" list > "$place/list.log" && grep -q 'good.*passed' "$place/list.log" && grep -q 'stuck.*gate' "$place/list.log"; do
	n=$((n + 1))
	[ $n -lt 300 ] || fail "the tasks do not end"
	sleep 0.2
done
"$fleet" top > "$place/top.log"
grep -q '^stuck ' "$place/top.log" && grep -q '^w1 ' "$place/top.log" || fail "top does not show what waits, and on whom"

# The webhook is not there: one message waits, and is not sent a second time by the round after.
for round in 1 2; do
	BELAY_WEBHOOK_SECRET=0123456789abcdef "$fleet" notify --once --home "$place/notify" --webhook http://127.0.0.1:1/ > "$place/notify.log" 2>&1 &&
		fail "a webhook that is not there accepted a message"
done
[ "$(grep -o '"task":"stuck"' "$place/notify/outbox.json" | wc -l)" = 1 ] || fail "a gate is not one message"

curl -sf "http://127.0.0.1:$served/metrics" > "$place/metrics.txt" || fail "no metrics are served"
[ "$(curl -s "http://127.0.0.1:$served/healthz")" = ok ] || fail "the worker is not healthy"
until_in 'belay.task.id: Str(stuck)' "$place/got.txt"
until_in 'belay.outcome: Str(passed)' "$place/got.txt"
for want in 'service.name: Str(belay-fleet-test)' 'Name           : invoke_agent claude' 'gen_ai.operation.name: Str(execute_tool)' \
	'gen_ai.usage.input_tokens: Int(100)' 'belay.link: Str(previous_attempt)' 'Name: gen_ai.client.token.usage' \
	'Name: belay.check.verdicts' 'EventName: belay.event.checked'; do
	grep -qF -- "$want" "$place/got.txt" || fail "the collector did not print: $want"
done
for want in 'belay_attempts_total{gen_ai_agent_name="claude".*} 4' 'belay_cost_usd_total{.*} 0.08' 'belay_tasks_total{belay_outcome="passed"} 1' \
	'belay_tasks_open{phase="gate"} 1' 'gen_ai_client_token_usage_sum{.*"output"} 80' 'belay_check_verdicts_total{.*"tests".*"fail"} 2' \
	'temporal_request_total{' 'belay_slots 2'; do
	grep -q "^$want" "$place/metrics.txt" || fail "the worker does not serve: $want"
done
if grep -h PLANTED "$place/got.txt" "$place/metrics.txt" "$place/notify/outbox.json" >&2; then fail "something private was sent"; fi
echo "fleet-watch: $(grep -c 'Span #' "$place/got.txt") spans, $(grep -c 'Metric #' "$place/got.txt") metrics and" \
	"$(grep -c 'LogRecord #' "$place/got.txt") log records arrived, $(grep -vc '^#' "$place/metrics.txt") samples are served;" \
	"nothing private is in them"
