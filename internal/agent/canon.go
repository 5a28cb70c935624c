package agent

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// ignoredKeys are argument keys that do not change what a call does: remarks, limits, and IDs that
// are generated for each call.
var ignoredKeys = map[string]bool{
	"description": true, "explanation": true, "reason": true, "thought": true, "justification": true,
	"toolsummary": true, "toolaction": true,
	"timeout": true, "timeout_ms": true, "timeoutms": true, "yield_time_ms": true, "max_output_tokens": true, "block_until_ms": true,
	"id": true, "call_id": true, "callid": true, "toolcallid": true, "tool_use_id": true, "request_id": true,
	"session_id": true, "sessionid": true,
	"nonce": true, "idempotency_key": true, "timestamp": true, "run_in_background": true, "is_background": true,
}

// verbatimKeys are keys of values in which white space is significant.
var verbatimKeys = map[string]bool{
	"content": true, "contents": true, "old_string": true, "new_string": true, "oldstring": true, "newstring": true,
	"old_str": true, "new_str": true,
	"oldtext": true, "newtext": true, "patch": true, "input": true, "file_text": true, "insert_text": true,
	"edits": true, "text": true, "chars": true,
}

// normalizeArgs writes arguments so that two calls with the same effect give the same text: keys
// sorted, white space collapsed, paths relative to the root, ignored keys left out.
func (c normalizer) normalizeArgs(v any) string {
	var b strings.Builder
	c.write(&b, "", v)
	return b.String()
}

// normalizer contains the working tree that paths are made relative to.
type normalizer struct{ root string }

func (c normalizer) write(b *strings.Builder, key string, v any) {
	switch t := v.(type) {
	case map[string]any:
		b.WriteByte('{')
		for _, k := range slices.Sorted(maps.Keys(t)) {
			if low := strings.ToLower(k); !ignoredKeys[low] {
				b.WriteString(k + ":")
				c.write(b, low, t[k])
				b.WriteByte(';')
			}
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for _, one := range t {
			c.write(b, key, one)
			b.WriteByte(';')
		}
		b.WriteByte(']')
	case string:
		if nested, ok := decodeObject(t); ok { // some agents pass arguments as JSON in a string
			c.write(b, key, nested)
			return
		}
		switch {
		case key == "command" || key == "cmd" || key == "script":
			t = c.normalizeCommand(t)
		case !verbatimKeys[key]:
			t = c.normalizePath(t)
		}
		text, _ := json.Marshal(t)
		b.Write(text)
	default:
		text, _ := json.Marshal(v)
		b.Write(text)
	}
}

// decodeObject decodes a string that contains a JSON object.
func decodeObject(s string) (any, bool) {
	if len(s) < 2 || s[0] != '{' || len(s) > 64<<10 {
		return nil, false
	}
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var m map[string]any
	if d.Decode(&m) != nil || d.More() {
		return nil, false
	}
	return m, true
}

var (
	shellWrapper  = lazyregexp.New(`^(?:/\S*/)?(?:ba|z|da)?sh -l?i?c (?:'((?s:.*))'|"((?s:.*))")$`)
	cdPrefix      = lazyregexp.New(`^cd \.?/? ?(?:&&|;) `)
	generatedPath = lazyregexp.New(`/tmp/(?:pytest-of-\w+/pytest-\d+|tmp[.\w]{6,}|[\w-]*(?:[0-9a-f]{8,}|\d{3,})[\w.-]*)`)
	temporaryPath = lazyregexp.New(`/(?:tmp|var/folders|var/tmp)/[^\s:'"]+`)
	timestamp     = lazyregexp.New(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?|` +
		`\b1[6-9]\d{8}(?:\d{3}|\.\d+)?\b`)
)

// normalizePath normalizes a path or a query: without the root, and with generated names and times
// replaced.
func (c normalizer) normalizePath(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if c.root != "" {
		s = strings.ReplaceAll(s, "file://", "")
		s = strings.ReplaceAll(s, c.root+"/", "")
		s = strings.ReplaceAll(s, c.root, ".")
	}
	s = generatedPath.ReplaceAllString(s, "/tmp/*")
	s = timestamp.ReplaceAllString(s, "*")
	return strings.TrimPrefix(s, "./")
}

// Parts of a command that vary while the command stays the same.
var (
	sleepArguments = lazyregexp.New(`\b(sleep|timeout|--max-time|--connect-timeout)([ =])\d+(?:\.\d+)?[smh]?\b`)
	killCommand    = lazyregexp.New(`\bkill((?: -(?:-|s \w+|[A-Z]+|\d{1,2}\b))*)(?: -?\d+)+`)
	portNumber     = lazyregexp.New(`(?i)(\bports?["']?(?:[ =:#]+|/tcp )|` +
		`\blocalhost:|\b127\.0\.0\.1:|\b0\.0\.0\.0:|\[::1?\]:|:::|-i ?:)\d{2,5}\b|\b\d{2,5}/tcp\b`)
	tryNumber = lazyregexp.New(`(?i)\b(try|attempt|retry|take)([ #:]+)\d+\b`)
)

// normalizeCommand normalizes a command: without comments, and with delays, process IDs, ports and
// numbers of tries replaced.
func (c normalizer) normalizeCommand(s string) string {
	s = sleepArguments.ReplaceAllString(c.displayCommand(stripShellComments(s)), "$1$2*")
	s = killCommand.ReplaceAllString(s, "kill$1 *")
	s = portNumber.ReplaceAllString(s, "$1*")
	return tryNumber.ReplaceAllString(s, "$1$2*")
}

// displayCommand returns a command as people read it, without the shell around it.
func (c normalizer) displayCommand(s string) string {
	s = strings.TrimSpace(s)
	if m := shellWrapper.FindStringSubmatch(s); m != nil {
		s = m[1] + m[2]
	}
	return strings.TrimPrefix(strings.TrimSuffix(cdPrefix.ReplaceAllString(c.normalizePath(s), ""), " 2>&1"), "./")
}

// stripShellComments removes the comments of a shell command. A # within a word or within quotes
// does not begin one.
func stripShellComments(s string) string {
	if !strings.Contains(s, "#") {
		return s
	}
	var b strings.Builder
	quote, before, skip := rune(0), ' ', false
	for _, r := range s {
		if skip && r != '\n' {
			continue
		}
		skip = false
		switch {
		case before == '\\' && quote != '\'':
			b.WriteRune(r)
			before = 0 // escaped, so neither a quote nor a backslash
			continue
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '\'' || r == '"' || r == '`':
			quote = r
		case r == '#' && strings.ContainsRune(" \t\n;&|(", before):
			skip = true
			continue
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

var (
	colour       = lazyregexp.New("\x1b\\[[0-9;?]*[A-Za-z]")
	durationText = lazyregexp.New(`\b(?:\d+m)?\d+(?:\.\d+)?\s?(?:ms|s|secs?|seconds?|m|mins?|minutes?)\b`)
	// the unit comes before the number, as in TAP, or is missing
	durationField = lazyregexp.New(`(?i)\b(duration|elapsed|took|uptime|latency|time)(\w*["']?[ :=]+)\d+(?:\.\d+)?`)
	clockTime     = lazyregexp.New(`\b\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?\b`)
	// Claude Code and Qwen Code print this instead of a file that they have read before.
	unchangedOutput = lazyregexp.New(`(?i)\bunchanged since (?:your|the|its|it was) last read|^unchanged: \S+$`)
	// "# fail 0", "failures: 0", "0 failed", "no failures".
	noFailures     = lazyregexp.New(`(?i)\bfail\w*["']?[ :=]+0\b|\b(?:0|no) (?:tests? )?fail\w*`)
	counterText    = lazyregexp.New(`(?i)\b(try|tries|attempts?|retry|retries|retrying|iteration|round)([ _#:=(-]*)\d+(?:(?: of |/)\d+)?`)
	pointerAddress = lazyregexp.New(`\b0x[0-9a-f]+\b`)
	processNumber  = lazyregexp.New(`(?i)\b(p?pid|pgid|pgrp|sid|tid|process(?: group)?|thread|job|seed|node|worker|child)` +
		`(["']?[ =:#([]+)\d+|==\d+==|\[\d+\] \d+|\b(kill: \()\d+`)
	uuid      = lazyregexp.New(`(?i)\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`)
	requestID = lazyregexp.New(`(?i)\b((?:request|trace|correlation|span|session|req|error|event|container)` +
		`[-_ ]?id["']?[ :=]+["']?)[\w-]+`)
	blanks      = lazyregexp.New(`\\[nrt]|\s+`)
	containerID = lazyregexp.New(`\b[0-9a-f]{12}(?:[0-9a-f]{52})?\b`)
	hashText    = lazyregexp.New(`\b[0-9a-f]{7,}\b`)
	digits      = lazyregexp.New(`\d+(?:[.,]\d+)*`)
)

// normalizeOutput normalizes an output so that two with the same content are equal: durations,
// process IDs, ports and generated names are replaced. All other figures stay: a new result of a
// benchmark is progress.
func (c normalizer) normalizeOutput(s string) string {
	s = colour.ReplaceAllString(s, "")
	if c.root != "" {
		s = strings.ReplaceAll(s, c.root, ".")
	}
	s = timestamp.ReplaceAllString(s, "*")
	s = durationText.ReplaceAllString(s, "*")
	s = durationField.ReplaceAllString(s, "$1$2*")
	s = portNumber.ReplaceAllString(s, "$1*")
	s = clockTime.ReplaceAllString(s, "*")
	s = pointerAddress.ReplaceAllString(s, "*")
	s = uuid.ReplaceAllString(s, "*")
	s = requestID.ReplaceAllString(s, "$1*")
	s = processNumber.ReplaceAllString(s, "$1$2$3*")
	s = counterText.ReplaceAllString(s, "$1$2*")
	return strings.Join(strings.Fields(generatedPath.ReplaceAllString(s, "/tmp/*")), " ")
}

// Signs of the result in an output, in addition to the exit status.
var (
	errorOutput = lazyregexp.New(`(?i)\b(?:error|fail(?:ed|ure|s)?|exception|panic|traceback|` +
		`denied|cannot|could not|couldn't|fatal|not found|no such|refused)\b`)
	offlineOutput = lazyregexp.New(`(?i)ECONN(?:REFUSED|RESET)|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|getaddrinfo|could not resolve|` +
		`connection (?:refused|reset|timed out)|(?:failed|couldn't|could not) (?:to )?connect|operation timed out|` +
		`(?:request|read|i/o|gateway|handshake) time(?:d ?|-)?out|network (?:is unreachable|timeout|error)|no route to host|` +
		`temporary failure|socket hang up|\b(?:502 bad gateway|503|504|429)\b|too many requests|rate.?limit|service unavailable`)
	finishedOutput = lazyregexp.New(`(?i)["'<]?(?:status|state|conclusion)["'>]?[ :=]*["']?` +
		`(?:completed|exited|killed|terminated|finished|succeeded|success|failed|failure|done|error)\b|` +
		`\bcompleted\s+(?:failure|success)\b|\b(?:no|unknown) (?:such )?(?:shell|process|job|session|task)\b|` +
		`\b(?:shell|process|job|session|task) \S+ (?:not found|(?:has )?exited)\b`)
	pendingOutput = lazyregexp.New(`(?i)in[_ -]progress|pending|queued|running|waiting|starting|not ready|creating|` +
		`building|deploying|processing|initiali[sz]ing|syncing|uploading|\b0/\d`)
)

// withoutNumbers returns a result without figures, hashes and the names of temporary files.
func (c normalizer) withoutNumbers(s string) string {
	s = temporaryPath.ReplaceAllString(c.normalizeOutput(s), "/tmp/*")
	return digits.ReplaceAllString(hashText.ReplaceAllString(s, "#"), "#")
}
