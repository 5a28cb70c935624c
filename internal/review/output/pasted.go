package output

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

var unfenced = lazyregexp.New(`^\s*(?:PHP (?:Fatal|Warning|Notice|Parse)|Traceback \(most recent|Stack ?trace:|thread '.*' panicked at|goroutine \d+ \[|panic: |#\d+ |at .+(?:[:(]|line )\d+\)?|File "[^"]+", line \d+|Exception in thread|Caused by: |.*\b[\w.]*(?:Error|Exception): .*|--- (?:FAIL|PASS): |=== RUN |FAIL\s+\S|ok\s+\S+\s+[\d.]+s|\w+_test\.go:\d+: )`)

var prefixed = lazyregexp.New(`^\s*(?:[ewEW]:|\[(?i:error|warn|warning)\]|##\[(?i:error|warning)\])\s+\S`)

// closing are the sums that tools end with.
var closing = lazyregexp.New(`^\s*(?:✖ \d+ problems?\b|Found \d+ (?:errors?|problems?|warnings?)\b|error: could not compile|make(?:\[\d+\])?: \*\*\*|npm ERR!|\d+ (?:errors?|warnings?|problems?)(?: and \d+ \w+)? (?:generated|found)\.?$|\d+ files? (?:inspected|would be))`)

// tool tells a compiler's or a linter's line by its place and what follows it: "error:", a
// rule's code, a rule's name. People write "a.go:12: error is dropped" too.
var tool = lazyregexp.New(`^\s*\S+?[:(]\d+(?:[:,] ?\d+)*\)?\s*(?:[:-]\s*)?(?:(?:fatal )?(?:error|warning|note|Error|Warning)(?:\[?\s?\w*\d+\]?)?:|[A-Z]{1,5}\d{2,5}\b|[CEFW]: |[a-z]+(?:-[a-z]+)+: )`)

// form tells lines that only tools write.
var form = lazyregexp.New(`^(?: rename \S+ \(\d+%\)| ?(?:create|delete) mode \d+ \S+$|\s*rename \S*\{.* => .*\}\S* \(|> Task :\S+ FAILED|[ew]: \S+: \(\d+, \d+\)|\S+\.hs:\(\d+,\d+\)-|\s*(?:error|warning|info) • .* • \S+:\d+|ERROR: \w+ - \S+:\d+|(?:ERROR|WARNING) in \S+ \d+:\d+|\s*┃|\s*\[[WRFCD]\] [↗→↘↑]|==\d+==|== \[\S+\] FAIL|FILE: \S+$|would reformat \S+$| +-{4,} -{4,} *$|\s+on \S+ line \d+, in |(?:warning|error): \S+\(\d+, \d+\)|>> Issue: )`)

func setIn(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// goesOn tells lines that a tool sets in below its first.
func goesOn(lines []string) bool {
	for _, line := range lines {
		if !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "\t") && !tool.MatchString(line) {
			return false
		}
	}
	return true
}

// Covers tells the head of a table that a coverage tool prints.
func Covers(head []string) bool {
	for _, h := range head {
		if h == "% stmts" || strings.HasPrefix(h, "uncovered line") || h == "missing lines" || h == "% lines" {
			return true
		}
	}
	return false
}

// Pasted tells whether a paragraph is a tool's output that nobody fenced: most of its
// lines look like a trace or a compiler's.
func Pasted(text string) bool {
	if closing.MatchString(text) {
		return true
	}
	lines := strings.Split(text, "\n")
	hits, forms := 0, 0
	above := -1 // how far the line before was set in, when it was a tool's
	for _, line := range lines {
		if len(line) > 2000 {
			line = line[:2000]
		}
		if strings.ContainsAny(line, ":(#\t-\"") && (unfenced.MatchString(line) || tool.MatchString(line)) || prefixed.MatchString(line) {
			hits++
			above = setIn(line)
		} else if above >= 0 && setIn(line) > above { // the source below a frame
			hits++
		} else {
			above = -1
		}
		if form.MatchString(line) {
			forms++
		}
	}
	if tool.MatchString(lines[0]) && goesOn(lines[1:]) {
		return true
	}
	if forms > 1 || forms == 1 && len(lines) < 4 {
		return true
	}
	return hits*2 > len(lines) && (hits > 1 || tool.MatchString(text) || prefixed.MatchString(text) && strings.Contains(text, "/"))
}
