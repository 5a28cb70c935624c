package agent

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// callKind is a set of flags: what it means that a call is repeated. A call without flags, which
// reads something or is unknown, makes no progress when it is repeated with the same result.
type callKind int

const (
	kindWaits     callKind = 1 << iota // waits for something else to happen, possibly for long
	kindPolls                          // asks for the state of something that changes by itself
	kindTests                          // runs tests: a run that passes may be repeated to be sure
	kindAdvances                       // continues from its last position: only an equal result shows a repetition
	kindActs                           // changes or starts something, so later results may differ
	kindNotes                          // neither reads nor changes anything: a to-do list, an echo
	kindProcesses                      // the figures that it prints are IDs of processes and containers
)

// waitingTools are parts of the names of tools that wait for something or ask for progress.
var waitingTools = []string{"output", "wait", "poll", "status", "sleep", "await", "monitor", "read_process", "list_processes"}

// advancingTools are parts of the names of tools that continue from their last position.
var advancingTools = []string{"scroll", "press", "next", "step", "continue", "key", "screenshot", "snapshot", "click", "navigate_back"}

// actingTools are parts of the names of tools that write files.
var actingTools = []string{"edit", "write", "replace", "patch", "file_change", "create_file"}

// notingTools are the names of tools that only affect the agent itself.
var notingTools = map[string]bool{"todowrite": true, "todoread": true, "todo_write": true, "todo_read": true, "write_todos": true,
	"update_plan": true, "think": true, "save_memory": true, "todo_list": true}

// commandStart matches what may precede a command within a line.
const commandStart = `(?i)(?:^|[;&|` + "`" + `(]\s*|\b(?:do|then|sudo|timeout \S+)\s+)(?:\w+=\S+ )*(?:`

var (
	sleepCommand = lazyregexp.New(commandStart + `sleep|wait|watch|until|while|tail -\S*[fF]|jobs|squeue|qstat|bjobs|` +
		`gh (?:run (?:view|watch|list)|pr checks|workflow view|pr view)|glab (?:ci|mr view|pipeline)|` +
		`kubectl (?:get|rollout|wait)|oc get|docker wait|podman wait|aws \S+ (?:describe|get|list|wait)\S*|` +
		`gcloud .*\b(?:describe|list|operations)\b|az .*\b(?:show|list)\b|fly status|vercel inspect|helm status)\b`)
	pollCommand = lazyregexp.New(commandStart + `ps|pgrep|pidof|top|lsof|ss|netstat|nc -z|pg_isready|nvidia-smi|journalctl|` +
		`systemctl (?:is-active|status)|gh api|kubectl (?:logs|describe|top)|oc logs|` +
		`docker (?:ps|logs|inspect|stats|compose (?:ps|logs))|podman (?:ps|logs)|fly logs|redis-cli ping|` +
		`curl|wget|http|ping|dig|nslookup)\b`)
	// lists processes and containers, of which all figures are generated
	processCommand = lazyregexp.New(commandStart + `ps|pgrep|pidof|lsof|fuser|docker (?:ps|run|inspect|start|restart)|` +
		`podman (?:ps|run))\b|\becho \$!`)
	logFile     = lazyregexp.New(`(?i)^(?:cat|head|tail|grep|less|wc)\b.*(?:\.log|\.out|\.pid|nohup|/tmp/|progress)`)
	testCommand = lazyregexp.New(`\b(?:go test|gotestsum|py\.?test|unittest|tox|` +
		`(?:npm|pnpm|yarn|bun)(?: run)? (?:t|test)\b|jest|vitest|mocha|cargo (?:test|nextest)|mvnw? .*test|` +
		`gradlew? .*test|rspec|rake test|dotnet test|ctest|phpunit|playwright|make (?:test|check))`)
	continueCommand = lazyregexp.New(`\bgit (?:rebase|cherry-pick|am|merge|revert) --(?:continue|skip)|` +
		`\bgit (?:bisect|stash (?:pop|drop))\b|--(?:continue|resume|next)\b`)
	changeCommand = lazyregexp.New(commandStart + `kill|pkill|killall|fuser -k|nohup|rm|mv|cp|sed -i|` +
		`git (?:add|commit|push|pull|checkout|reset|stash|apply)|` +
		`(?:npm|pnpm|yarn|bun) (?:ci|i|install|add|start|run (?:dev|start|serve|build|compile))|make|cargo (?:build|run|check)|` +
		`go (?:build|run|vet|mod|generate)|tsc|npx (?:tsc|vite|next)|pip3? install|uv (?:sync|pip)|` +
		`docker (?:build|run|restart|rm|stop|start|compose (?:up|down|restart|build))|` +
		`systemctl (?:restart|start|stop)|service|gh run rerun)\b|[^&>]&(?:\s|$)`)
	remarkCommand = lazyregexp.New(`^(?:echo|printf|date|pwd|whoami|true|:)(?: [^|&;<>` + "`" + `$]*)?$`)
)

// kindOf returns the kind of a call.
func kindOf(c Call, cn normalizer) (k callKind) {
	tool := strings.ToLower(c.Tool)
	m, _ := c.Args.(map[string]any)
	if notingTools[tool] {
		return kindNotes
	}
	for _, name := range waitingTools {
		if strings.Contains(tool, name) && !strings.Contains(tool, "git") {
			return kindWaits
		}
	}
	if chars, is := m["chars"].(string); is && strings.TrimSpace(chars) == "" { // reads from a running program
		return kindWaits
	}
	for _, key := range []string{"command", "cmd", "script"} {
		switch v := m[key].(type) {
		case string:
			return kindOfLine(cn.normalizeCommand(v))
		case []any:
			return kindOfLine(cn.normalizeCommand(strings.Join(textBlocks(v), " ")))
		}
	}
	switch {
	case containsAny(tool, advancingTools):
		return kindAdvances
	case containsAny(tool, actingTools):
		return kindActs
	}
	return 0
}

// kindOfLine returns the kinds of a command line.
func kindOfLine(line string) (k callKind) {
	for _, one := range []struct {
		is   callKind
		when *lazyregexp.Regexp
	}{{kindWaits, sleepCommand}, {kindPolls, pollCommand}, {kindPolls, logFile}, {kindTests, testCommand},
		{kindAdvances, continueCommand}, {kindActs, changeCommand}, {kindNotes, remarkCommand},
		{kindProcesses, processCommand}} {
		if one.when.MatchString(line) {
			k |= one.is
		}
	}
	return k
}

func containsAny(s string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}
