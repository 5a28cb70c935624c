# Starts an OpenTelemetry Collector on loopback. For scripts to read (. start.sh) that have $collector, the program, and $place,
# a folder: what arrives is printed to $place/got.txt. Sets $port, and $pid, of the collector; fail MESSAGE is called when it does
# not start.

# begin starts the collector at $port, and waits. It returns 1 where the collector has ended.
begin() {
	cat > "$place/collector.yaml" << END
receivers: {otlp: {protocols: {http: {endpoint: 127.0.0.1:$port}}}}
exporters: {debug: {verbosity: detailed, use_internal_logger: false, sampling_initial: 10000}}
service:
  telemetry: {metrics: {level: none}}
  pipelines:
    traces: {receivers: [otlp], exporters: [debug]}
    metrics: {receivers: [otlp], exporters: [debug]}
    logs: {receivers: [otlp], exporters: [debug]}
END
	: > "$place/collector.log"
	"$collector" --config "file:$place/collector.yaml" > "$place/got.txt" 2> "$place/collector.log" &
	pid=$!
	n=0
	until grep -q 'Everything is ready' "$place/collector.log"; do
		n=$((n + 1))
		[ $n -lt 600 ] || fail "the collector did not start"
		kill -0 $pid 2> /dev/null || return 1
		sleep 0.1
	done
}

# Another program may have the port: then another one is tried.
port=$((20000 + $$ % 10000))
tries=0
until begin; do
	tries=$((tries + 1))
	grep -q 'address already in use' "$place/collector.log" && [ $tries -lt 20 ] || fail "the collector did not start"
	port=$((port + 7))
done
