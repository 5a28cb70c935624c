package terminal

import (
	"bytes"
	"strconv"
	"strings"
)

// Records store times as integers: nanoseconds under a key that ends in _ns, milliseconds under
// millis. JSON output always has seconds as a number, under a key that ends in seconds
// (docs/json.md).
var secondsKeys = map[string]string{
	"agents_ns": "agents_seconds", "elapsed_ns": "elapsed_seconds", "idle_ns": "idle_seconds", "timeout_ns": "timeout_seconds",
	"took_ns": "took_seconds", "wait_ns": "wait_seconds", "wall_time_ns": "wall_time_seconds", "millis": "seconds",
}

// SecondsKey returns the key in JSON output for a duration's key in a record.
func SecondsKey(key string) (string, bool) {
	to, ok := secondsKeys[key]
	return to, ok
}

// durationsInSeconds rewrites the durations in JSON text without spaces between tokens, as an
// encoder writes it. It changes no other byte, so numbers with more digits than a float can
// represent survive.
func durationsInSeconds(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		if text[0] != '"' {
			next := bytes.IndexByte(text, '"')
			if next < 0 {
				next = len(text)
			}
			out, text = append(out, text[:next]...), text[next:]
			continue
		}
		end := stringLength(text)
		key, rest := text[:end], text[end:]
		to, known := secondsKeys[strings.Trim(string(key), `"`)]
		value := 0
		for known && value+1 < len(rest) && (rest[value+1] >= '0' && rest[value+1] <= '9' || value == 0 && rest[1] == '-') {
			value++
		}
		if known && value > 0 && rest[0] == ':' {
			if n, err := strconv.ParseInt(string(rest[1:1+value]), 10, 64); err == nil {
				out = append(out, `"`+to+`":`...)
				out = strconv.AppendFloat(out, float64(n)/unitsPerSecond(string(key)), 'f', -1, 64)
				text = rest[1+value:]
				continue
			}
		}
		out, text = append(out, key...), rest
	}
	return out
}

func unitsPerSecond(key string) float64 {
	if key == `"millis"` {
		return 1e3
	}
	return 1e9
}

// stringLength returns the length in bytes of the JSON string that text starts with, including its
// quotes.
func stringLength(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}
