package secret

import (
	"bytes"
	"encoding/base64"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// bits returns Shannon's entropy of s in bits per byte. Random hex has about 3.5 for 32 digits,
// random base64 about 4.5 for 40, a word about 2.5.
func bits(s string) float64 {
	if s == "" {
		return 0
	}
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	sum := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}

// repeats reports a placeholder by its few characters: xxxx, 0000, ****, ababab. The part before
// the last separator is the prefix of a key format and does not count.
func repeats(s string) bool {
	body := s
	if i := strings.LastIndexAny(s[:max(0, len(s)-8)], "_-.:"); i >= 0 {
		body = s[i+1:]
	}
	if len(body) < 6 {
		return false
	}
	var seen [256]bool
	n := 0
	for i := range len(body) {
		if c := body[i]; !seen[c] {
			seen[c] = true
			n++
		}
	}
	run := 1
	for i, longest := 1, 1; i < len(body); i++ {
		if body[i] == body[i-1] {
			longest++
		} else {
			longest = 1
		}
		run = max(run, longest)
	}
	return n <= 3 || run >= 6 || len(body) >= 16 && n <= 5
}

// placeholderWords match values that state that they are no secret.
var placeholderWords = lazyregexp.New(`(?i)change.?me|change.?it|placeholder|your[-_. ]?|redacted|masked|dummy|example|sample|` +
	`fake|mock|insert|replace|todo|fixme|xxxx|\*{3}|\.{3}|<[^>]*>|\$\{|\{\{|\$\(|%\(|%[sdv]\b|\{[a-z_.]*\}|^\$[A-Za-z_]|` +
	`^@|^%[A-Z_]+%$|process\.env|os\.environ|getenv|^env[:.]|vault:|secretsmanager|` +
	`^(?:none|null|nil|undefined|true|false|string|password|passwd|secret|token|test|testing|foobar|foo|bar|hunter2|` +
	`hello|letmein|qwerty|s3cr3t|p@ssw0rd|pa\$\$word|passw0rd|p4ssw0rd)[0-9!]{0,5}$|` +
	`^(?:test|my|some|the|a|super|user|admin|new|old|wrong|bad|good|invalid|valid|correct|secure|strong|weak|root|db|` +
	`app|demo|dev|local)[-_ ]?(?:password|passwd|pass|secret|token|key|user|pwd|value)`)

// sentence matches text in another script, escaped as in ASCII sources.
var sentence = lazyregexp.New(`(?:\\u[0-9A-Fa-f]{4}){2}`)

// placeholder reports values that are no secrets: they state it, or refer to one.
func placeholder(v string) bool {
	return placeholderWords.MatchString(v) || ascending(v) || sentence.MatchString(v)
}

// counted matches a word with a trivial sequence of digits: key_1234, admin123.
var counted = lazyregexp.New(`^[A-Za-z]{1,12}[-_]?123[4-90]*$`)

// userAndPassword reports whether v is the value of a basic authentication header: by RFC 7617,
// base64 of user and password with a colon between them.
func userAndPassword(v string) bool {
	text, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(v, "="))
	return err == nil && bytes.IndexByte(text, ':') > 0 && utf8.Valid(text)
}

// ascending reports 12345678, abcdefgh and mixtures of such sequences.
func ascending(v string) bool {
	steps := 0
	for i := 1; i < len(v); i++ {
		if v[i] == v[i-1]+1 || v[i] == v[i-1] {
			steps++
		}
	}
	return len(v) >= 6 && steps*4 >= (len(v)-1)*3
}

// examples are keys from their makers' documentation. They are written in two parts, so that other
// scanners do not report this file.
var examples = map[string]bool{
	"AKIAIOSFODNN7" + "EXAMPLE": true, "AKIAI44QH8DHB" + "EXAMPLE": true, "ASIAIOSFODNN7" + "EXAMPLE": true,
	"wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY": true,
	"sk_test_4eC39HqLyj" + "WDarjtT1zdp7dc":         true, "sk_test_BQokikJOvBiI2" + "HlWgH4olfQ2": true,
	"sk_test_26PHem9AhJZvU623" + "DfE1x4sd": true,
	"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9." +
		"eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c": true,
	"Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq" + "/K1SZFPTOtr/KBHBeksoGMGw==": true,
}

func example(v string) bool {
	return examples[v] || strings.HasSuffix(v, "EXAMPLE") || strings.HasSuffix(v, "EXAMPLEKEY")
}
