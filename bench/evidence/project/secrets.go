package project

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

const (
	digits = "0123456789"
	uppers = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	letter = digits + uppers + "abcdefghijklmnopqrstuvwxyz"
)

// made returns n random-looking letters of set. Secrets are made in this way, so that no scanner
// finds one in this program.
func made(set string, n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		for _, c := range sha256.Sum256(fmt.Appendf(nil, "evidence %s %d %d", set, n, i)) {
			b.WriteByte(set[int(c)%len(set)])
		}
	}
	return b.String()[:n]
}

// plant is a secret, the name it is assigned to, and its expected title.
type plant struct{ kind, name, text, says string }

// planted returns ten kinds. The last is recognised only by its name, so it is a guess.
func planted() []plant {
	return []plant{
		{"AWS", "", "AKIA" + made(uppers+digits, 16), "error"},
		{"GitHub", "", "ghp_" + made(letter, 36), "error"},
		{"Stripe", "", "sk_" + "live_" + made(letter, 24), "error"},
		{"web token", "", "eyJ" + made(letter, 33) + ".eyJ" + made(letter, 60) + "." + made(letter, 43), "error"},
		{"private key", "", "-----BEGIN " + "PRIVATE KEY-----\n" + made(letter, 64) + "\n" + made(letter, 62) +
			"==\n-----END " + "PRIVATE KEY-----\n", "error"},
		{"Slack", "", "xoxb-" + made(digits, 12) + "-" + made(digits, 13) + "-" + made(letter, 24), "error"},
		{"Google", "", "AIza" + made(letter, 35), "error"},
		{"OpenAI", "", "sk-" + "proj-" + made(letter, 48), "error"},
		{"npm", "", "npm_" + made(letter, 36), "error"},
		{"assigned", "password", made(letter, 20), "warning"},
	}
}
