package agent

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// kind says how a call that is made again is to be understood.
type kind int

const (
	works    kind = iota // again with the same result, it leads nowhere
	waits                // it waits for something else to happen, and may do so for long
	tests                // it runs tests: one that passes may be run again, to be sure
	advances             // it continues from where it was: only a result that is known to be the same tells
)

// waiting are parts of names of tools that ask how far something is.
var waiting = []string{"output", "wait", "poll", "status", "sleep", "await", "monitor", "read_process", "list_processes"}

// advancing are parts of names of tools that step on.
var advancing = []string{"scroll", "press", "next", "step", "continue", "key", "screenshot", "snapshot", "click", "navigate_back"}

var (
	polls = lazyregexp.New(`(?i)(?:^|[;&|` +
		`(]\s*|\b(?:do|then|sudo|timeout \S+)\s+)(?:sleep|wait|watch|until|while|tail -\S*[fF]|jobs|ps|pgrep|pidof|top|` +
		`lsof|ss|netstat|nc -z|pg_isready|squeue|qstat|nvidia-smi|journalctl|systemctl (?:is-active|status)|` +
		`gh (?:run|pr checks|workflow|pr view|api)|glab (?:ci|mr view|pipeline)|` +
		`kubectl (?:get|rollout|logs|wait|describe|top)|oc (?:get|logs)|` +
		`docker (?:ps|logs|inspect|wait|stats|compose (?:ps|logs))|podman (?:ps|logs)|` +
		`aws \S+ (?:describe|get|list|wait)\S*|gcloud .*\b(?:describe|list|operations)\b|az .*\b(?:show|list)\b|` +
		`fly (?:status|logs)|vercel (?:inspect|logs)|bjobs|nomad|helm status|redis-cli ping|curl|wget|http|ping|dig|nslookup)\b`)
	logFile   = lazyregexp.New(`(?i)^(?:cat|head|tail|grep|less|wc)\b.*(?:\.log|\.out|\.pid|nohup|/tmp/|progress)`)
	runsTests = lazyregexp.New(`\b(?:go test|gotestsum|py\.?test|unittest|tox|` +
		`(?:npm|pnpm|yarn|bun)(?: run)? (?:t|test)\b|jest|vitest|mocha|cargo (?:test|nextest)|mvnw? .*test|` +
		`gradlew? .*test|rspec|rake test|dotnet test|ctest|phpunit|playwright|make (?:test|check))`)
	goesOn = lazyregexp.New(`\bgit (?:rebase|cherry-pick|am|merge|revert) --(?:continue|skip)|` +
		`\bgit (?:bisect|stash (?:pop|drop))\b|--(?:continue|resume|next)\b`)
)

// kindOf tells what kind a call is.
func kindOf(c Call, cn canon) kind {
	tool := strings.ToLower(c.Tool)
	m, _ := c.Args.(map[string]any)
	for _, name := range waiting {
		if strings.Contains(tool, name) && !strings.Contains(tool, "git") {
			return waits
		}
	}
	if chars, is := m["chars"].(string); is && strings.TrimSpace(chars) == "" { // looks at a running program
		return waits
	}
	for _, key := range []string{"command", "cmd", "script"} {
		line := ""
		switch v := m[key].(type) {
		case string:
			line = v
		case []any:
			line = strings.Join(texts(v), " ")
		default:
			continue
		}
		switch line = cn.plain(line); {
		case polls.MatchString(line), logFile.MatchString(line):
			return waits
		case goesOn.MatchString(line):
			return advances
		case runsTests.MatchString(line):
			return tests
		}
	}
	for _, name := range advancing {
		if strings.Contains(tool, name) {
			return advances
		}
	}
	return works
}
