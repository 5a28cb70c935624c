package intent

import (
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

var (
	// crash matches the first line of a crash, or the one that names the error.
	crash = lazyregexp.New(`^(?:Traceback \(most recent|panic: |[Ff]atal error: |thread '.*' panicked|goroutine \d+ \[|` +
		`Exception in thread|Unhandled |Uncaught |Segmentation fault|Caused by: |══|` +
		`[\w.$]*(?:Error|Exception|Fault|Panic)(?:\[\w+\])?(?:: |$| \()|\w+(?:\.\w+)+[A-Z]\w+: |error\[\w+\]|\*\*\* |` +
		`\*\*\*[A-Z]+\*\*\*|! [A-Z][A-Za-z ]+(?:\.|error:.*)$|Backtrace: ?0x|Guru Meditation)|\*\*\* .*: terminated`)
	// stack matches a frame of a stack trace, in the formats of many languages.
	stack = lazyregexp.New(`^\s*(?:at (?:async )?[\w.$<>/\[\] @-]+[( ].*[:)]|at .*:\d+|File ".*", line \d+|` +
		`[\w./\\@*()-]+\.\w{1,5}:\d+(?::\d+)?(?::in| \+0x|:\s)|#\d+\s+(?:0x)?[\w/.]+|--> \S+:\d+|` +
		`[\w./-]+/[\w.-]+\.\w{1,5}:\d+(?::\d+)?$|from \S+:\d+|\.\.\. \d+ more|[\w./*-]+\(.*(?:0x[0-9a-f]+|\.\.\.).*\)$)`)
	// timestamp matches the start of a log line: a time, a level, a prompt, the position of a
	// diagnostic.
	timestamp = lazyregexp.New(`^(?:\[?\d{4}-\d\d-\d\d[T ]|\[?\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?\]?\s|\[[^\]]{3,60}\]\s\S|` +
		`(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\s+\d{1,2} \d\d:|<?\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b.*"|` +
		`(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE|CRITICAL|Warning|error|warning|npm ERR!|npm WARN|npm notice|ERR!|` +
		`FAIL|E )[:\s\]|]|[$%❯] \S|PS [A-Z]:|FAILED |[│╷╵┃] ?|Rebooting\.\.\.|l\.\d+ |! [A-Z][A-Za-z ]+(?:\.|error:.*)$|` +
		`=== |--- |\+\+\+ |@@ |-/\+ |[+~-] resource |(?:info|warn|warning|error|hint|note)\s+[-•]\s|\d+ (?:passing|failing|passed|failed))`)
	filePosition = lazyregexp.New(`^[\w./-]+\.\w{1,5}:\d+(?::\d+)?:?\s|^\S+::\S+ (?:FAILED|PASSED|ERROR)|` +
		`^(?:on|at) \S+ line \d+|^File ~?/|^-{2,}> \d|^Cell In\[|^\d+:\s{2,}\S|^\d+:\s+[<%{}@$]|` +
		`^\d+:\d+\s+(?:error|warning|info)\s|^[✖✗✘×] `)
)

// structuredLine matches a line of JSON or of a query plan: only brackets, a quoted key, an object,
// a cost.
var structuredLine = lazyregexp.New(`^[\[\]{}(),;]+$|^"[^"]{1,80}"\s*:(?:\s|$|["\d{\[])|^[{\[]\s*["{\[].*[}\]],?$|` +
	`\(cost=[\d.]+|\bactual time=[\d.]+|\brows=\d+ width=\d+|^(?:Planning|Execution) [Tt]ime: [\d.]+|` +
	`^(?:Hash|Merge|Index|Recheck) Cond: \(|^(?:Sort Key|Filter|Rows Removed by \w+): `)

// creditLine matches a line of a commit message that credits a person.
var creditLine = lazyregexp.New(`(?i)\b[a-z]+-by:\s.*<[^<>\s]+@[^<>\s]+>|^[^<>:]{2,60}<[^<>\s]+@[^<>\s]+>$`)

// ticketTag matches the tag at the start of a ticket's title.
var ticketTag = lazyregexp.New(`(?i)^\[(?:bug|feature|feature request|request|enhancement|regression|ui|ux|ios|android|web|` +
	`docs|wip|urgent|question|task|todo|idea|wish)\]\s`)

// machineOutput matches text that only programs write: a position in a file, a prompt behind a
// path, an error code in capitals.
var machineOutput = lazyregexp.New(`\S+/\S+\.\w{1,5}:\d+|\S\$ \S|^\S+/\S+ \w+: |(?i:^exit (?:status|code) \d)|` +
	`\b[A-Z]{2,}_[A-Z]+_[A-Z_]+\b|\berror [A-Z]{1,4}\d{2,}|Traceback \(most recent`)

// isOutputParagraph reports whether an entire paragraph is output: at least three lines, and half
// of them look like it.
func isOutputParagraph(lines []string) bool {
	n := 0
	for _, l := range lines {
		if t := strings.TrimSpace(l); IsOutput(t) || isStackFrame(l) || machineOutput.MatchString(t[:min(len(t), 300)]) {
			n++
		}
	}
	return len(lines) > 2 && 2*n >= len(lines) && n > 1
}

// isStackFrame reports whether a line is a stack frame.
func isStackFrame(line string) bool {
	return len(line) < 400 && stack.MatchString(line) && !strings.HasPrefix(line, "at the")
}

// IsOutput reports whether a line looks like a program's output.
func IsOutput(line string) bool {
	if len(line) > 2000 {
		return true
	}
	head := line
	if len(head) > 300 {
		head = head[:300]
	}
	if ticketTag.MatchString(head) {
		return false // "[BUG] tiles flicker": the tag of a ticket
	}
	if strings.HasPrefix(head, "- [") || strings.HasPrefix(head, "[ ]") {
		return false
	}
	if strings.HasPrefix(head, "error ") || strings.HasPrefix(head, "warning ") || strings.HasPrefix(head, "Warning ") {
		return false
	}
	if timestamp.MatchString(head) && !isSentenceAfterAll(head) {
		return true
	}
	return crash.MatchString(head) || creditLine.MatchString(head) || filePosition.MatchString(head) || structuredLine.MatchString(head)
}

// isSentenceAfterAll reports whether a line that begins like output is a sentence: "[urgent] please
// …", "12:30 is fine …".
func isSentenceAfterAll(line string) bool {
	low := strings.ToLower(line)
	for _, w := range []string{" please ", " pls ", " could ", " should ", " can you", " we ", " i "} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

// isProse reports whether a line looks like prose: mostly letters, blanks between words, and little
// punctuation of code.
func isProse(line string) bool {
	letters, marks := 0, 0
	for _, r := range line {
		switch {
		case r == ' ' || r > 0x7f || isLetter(byte(r)):
			letters++
		case strings.ContainsRune("={}<>|^~\\;$@()[]/:0123456789", r):
			marks++
		}
	}
	return letters > 0 && marks*6 < letters && strings.Contains(line, " ")
}

var crashWord = lazyregexp.New(`error|panic|exception`)

// CrashLine returns the line of pasted output that names the error.
func CrashLine(text string) string {
	best := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		low := strings.ToLower(line)
		found := strings.Contains(strings.ToLower(best), "error") || strings.HasPrefix(best, "panic")
		if best == "" || !found && crashWord.MatchString(low) && IsOutput(line) {
			best = line
		}
	}
	return belay.Clip(best, 300)
}
