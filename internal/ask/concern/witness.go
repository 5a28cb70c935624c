package concern

import (
	"slices"

	"github.com/belay-dev/belay/internal/ask/words"
)

// Umbrella reports a complaint about a whole that fails: what is told next is what of it does
// not work. "CI is red since this morning", "the build is broken".
func Umbrella(low []string) bool {
	if len(low) < 2 || len(low) > 8 {
		return false
	}
	i := slices.IndexFunc(low[:min(3, len(low))], whole)
	return i >= 0 && i+1 < len(low)
}

// whole reports what consists of many steps that can fail.
func whole(w string) bool {
	switch w {
	case "ci", "build", "pipeline", "deploy", "deployment", "deployments", "builds", "job", "master", "main", "release":
		return true
	}
	return false
}

// Witness reports what a program, a log or somebody says of what went wrong: "nginx says
// 413", "the console shows an error". at is where the predicate stands.
func Witness(low []string, at int) bool {
	if at < 1 || at > 3 || words.Determiner(low[0]) && !speaks(low[at-1]) {
		return false
	}
	switch low[at] {
	case "says", "say", "said", "reports", "complains", "prints", "logs", "tells", "claims":
		return true
	case "shows", "has", "gives", "contains":
		return speaks(low[at-1])
	}
	return false
}

// speaks reports what tells of a program what it did.
func speaks(w string) bool {
	switch w {
	case "console", "log", "logs", "logcat", "terminal", "inspector", "debugger", "sentry", "grafana", "devtools", "profiler", "strace", "network-tab", "dmesg", "journal", "trace", "stacktrace":
		return true
	}
	return false
}

// Evidence reports what was looked for and not found: "no errors in the log".
func Evidence(low []string) bool {
	if len(low) > 2 && low[0] == "nobody" && (low[1] == "touched" || low[1] == "changed") {
		return true // "nobody touched the docs since"
	}
	if len(low) < 2 || low[0] != "no" {
		return false
	}
	switch low[1] {
	case "error", "errors", "warnings", "warning", "exception", "exceptions", "output", "response", "reaction", "message", "luck", "idea", "effect", "trace", "traces", "stacktrace", "logs":
		return true
	}
	return false
}
