package runner

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/secret"
)

// lastMessage returns an agent's last message, on one line, without secrets, when it ended in
// error, or with status 0 after an error of its model. transient reports whether the reason is
// temporary, so that waiting helps. blocked is why the agent could not work: a permanent
// error, or tools that it was not allowed to use.
func lastMessage(run *agent.Run, exit int) (words string, transient bool, blocked string) {
	var out tailBuffer
	if _, err := run.Output(&out); err != nil {
		return "", false, ""
	}
	if exit != 0 {
		words = lastLine(string(out.bytes))
	} else if words = oneLine(agent.FinalError(bytes.NewReader(out.bytes))); words == "" {
		if tools := agent.DeniedTools(out.bytes); len(tools) > 0 {
			blocked = "it was not allowed to use " + strings.Join(tools, ", ")
		}
		return "", false, blocked
	}
	if retryHints.MatchString(words) || transientErrors.MatchString(words) && !permanentErrors.MatchString(words) {
		return words, true, ""
	}
	return words, false, agent.ObstacleText(words)
}

var (
	transientErrors = lazyregexp.New(`(?i)rate.?limit|overloaded|too many requests|temporarily unavailable|service unavailable|` +
		`bad gateway|gateway time-?out|timed? ?out|connection (?:reset|refused|error)|ECONNRESET|ETIMEDOUT|\b(?:429|502|503|504|529)\b`)
	// Gemini also calls its limits per minute a quota.
	retryHints      = lazyregexp.New(`(?i)(?:retry|try again) (?:in|after) [\d.]+ ?(?:s|ms|sec|seconds?)\b`)
	permanentErrors = lazyregexp.New(`(?i)quota|credit|billing|payment|api key|unauthori[sz]ed|authenticat|forbidden|\b(?:401|402|403)\b`)
)

// lastLine returns the last line with a message. In an agent's event stream that is the
// message of its last error or result.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := len(lines) - 1; i >= max(0, len(lines)-50); i-- {
		line := strings.TrimSpace(lines[i])
		if strings.HasPrefix(line, "{") {
			if said := messageOf([]byte(line)); said != "" {
				return oneLine(said)
			}
			continue
		}
		if line != "" {
			return oneLine(line)
		}
	}
	return ""
}

// messageOf returns the text of an error or a result in one event.
func messageOf(line []byte) string {
	var event map[string]any
	if json.Unmarshal(line, &event) != nil {
		return string(line)
	}
	for depth := 0; depth < 4; depth++ {
		var inner map[string]any
		for _, key := range []string{"error", "result", "message", "data"} {
			switch v := event[key].(type) {
			case string:
				if v != "" {
					return v
				}
			case map[string]any:
				if inner == nil {
					inner = v
				}
			}
		}
		if inner == nil {
			return ""
		}
		event = inner
	}
	return ""
}

func oneLine(s string) string {
	s = secret.Mask(strings.Join(strings.Fields(s), " "))
	if r := []rune(s); len(r) > 300 {
		return string(r[:300]) + "…"
	}
	return s
}

// tailBuffer keeps the last bytes written to it.
type tailBuffer struct{ bytes []byte }

func (b *tailBuffer) Write(p []byte) (int, error) {
	const most = 64 << 10
	b.bytes = append(b.bytes, p...)
	if len(b.bytes) > 2*most {
		b.bytes = bytes.Clone(b.bytes[len(b.bytes)-most:])
	}
	return len(p), nil
}
