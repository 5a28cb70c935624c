#!/bin/sh
# A real OpenTelemetry Collector on loopback gets the telemetry of a real run: a scripted agent whose first attempt
# is rejected, and which prints Claude Code's events. What arrives is printed by the collector and checked here.
# usage: fleet/collector/test.sh PATH-TO-BELAY PATH-TO-OTEL-COLLECTOR
set -eu
belay=$1 collector=$2
place=$(mktemp -d "${TMPDIR:-/tmp}/belay-telemetry.XXXXXX")
fail() {
	echo "telemetry-test: $*" >&2
	tail -n 40 "$place"/*.log "$place/got.txt" >&2
	exit 1
}
pid=
trap '[ -z "$pid" ] || kill "$pid" 2> /dev/null || :; wait; rm -rf "$place"' EXIT
trap 'exit 130' INT TERM

. "$(dirname "$0")/start.sh"

export HOME="$place/home" BELAY_CONFIG_HOME="$place/home/belay"
mkdir -p "$HOME" "$place/r"
cd "$place/r"
git init -q
git config user.name tester
git config user.email tester@example.invalid
echo one > PLANTED-file.txt
echo two > other.txt
git add .
git commit -qm start
cat > "$place/claude" << 'END'
#!/bin/sh
cat > /dev/null
if [ "$BELAY_ATTEMPT" = 1 ]; then echo bad >> other.txt; else echo done >> PLANTED-file.txt; fi
cat << EVENTS
{"type":"system","subtype":"init","session_id":"0b1f0c1e-0000-4000-8000-000000000001","model":"claude-test-1"}
{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"PLANTED-said"},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"PLANTED-command"}},{"type":"tool_use","id":"t2","name":"Edit","input":{"file_path":"PLANTED-path"}}],"usage":{"input_tokens":100,"output_tokens":20}}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"PLANTED-output $PLANTED_VARIABLE"},{"type":"tool_result","tool_use_id":"t2","is_error":true,"content":"no"}]}}
{"type":"result","subtype":"success","is_error":false,"result":"PLANTED-result","total_cost_usd":0.02,"usage":{"input_tokens":100,"output_tokens":20},"session_id":"0b1f0c1e-0000-4000-8000-000000000001"}
EVENTS
END
chmod +x "$place/claude"

# The environment of a CI alone sends nothing.
export OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:$port" OTEL_SERVICE_NAME=belay-test PLANTED_VARIABLE=PLANTED-variable
run() { "$belay" run "$1" --files PLANTED-file.txt --test true --task "$2" -- "$place/claude" -p --permission-mode acceptEdits PLANTED-arg > "$place/$2.log" 2>&1 || fail "$2 was not accepted"; }
run "write PLANTED-prose" T1
[ ! -s "$place/got.txt" ] || fail "something was sent although nobody asked for it"

# Sent later, and again, with the same ids.
BELAY_TELEMETRY=1 "$belay" telemetry send > "$place/send.log" 2>&1 || fail "it could not be sent later"
sleep 1
grep -o 'ID  *: [0-9a-f]\{16,\}' "$place/got.txt" | sort -u > "$place/ids"
BELAY_TELEMETRY=1 "$belay" telemetry send --all T1 > "$place/again.log" 2>&1 || fail "it could not be sent again"
# Sent by the run itself.
export BELAY_TELEMETRY=1
cp "$place/got.txt" "$place/first.log"
git checkout -q .
run "write PLANTED-prose again" T2
sleep 1

has() { grep -qF -- "$1" "$place/got.txt" || fail "the collector did not print: $1"; }
has 'service.name: Str(belay-test)'
has 'https://opentelemetry.io/schemas/1.41.0'
has 'Name           : invoke_agent claude'
has 'gen_ai.operation.name: Str(invoke_agent)'
has 'gen_ai.operation.name: Str(execute_tool)'
has 'gen_ai.provider.name: Str(anthropic)'
has 'gen_ai.tool.name: Str(Bash)'
has 'gen_ai.tool.name: Str(Edit)'
has 'gen_ai.response.model: Str(claude-test-1)'
has 'gen_ai.usage.input_tokens: Int(100)'
has 'belay.link: Str(previous_attempt)'
has 'belay.task.id: Str(T2)'
has 'Name: gen_ai.client.token.usage'
has 'Name: belay.attempts'
has 'Name: belay.check.verdicts'
has 'EventName: belay.event.checked'
has 'Status code    : Error'
[ "$(grep -c 'Name  *: invoke_agent claude' "$place/first.log")" -ge 2 ] || fail "two attempts are not two spans"
grep -o 'ID  *: [0-9a-f]\{16,\}' "$place/first.log" | sort -u | cmp -s - "$place/ids" || fail "sent again, ids differ"
if grep -q PLANTED "$place/got.txt"; then
	grep PLANTED "$place/got.txt" >&2
	fail "something private was sent"
fi
[ "$(grep -c 'Partial' "$place/T2.log")" = 0 ] || fail "the collector rejected a part"
echo "telemetry-test: $(grep -c 'Span #' "$place/got.txt") spans, $(grep -c 'Metric #' "$place/got.txt") metrics and" \
	"$(grep -c 'LogRecord #' "$place/got.txt") log records arrived; nothing private is in them"
