package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/secret"
)

// SecretsInText returns the fingerprints of the secrets in words that are to go to agents, models
// or files, those that allow names and examples of documentation left out. Without force
// it refuses them (CodeUsage) by place and kind; what names them holds no secret.
func SecretsInText(what, text string, allow []string, force bool) ([]string, error) {
	var prints, places []string
	for _, m := range secret.Find(text) {
		if m.Example || slices.Contains(allow, m.Fingerprint) {
			continue
		}
		prints = append(prints, m.Fingerprint)
		places = append(places, fmt.Sprintf("line %d: %s (%s)", m.Line, m.Title, m.Fingerprint))
	}
	if len(places) == 0 || force {
		return prints, nil
	}
	return nil, belay.Refuse(belay.CodeUsage,
		"remove it and name the variable or file that contains it; if it is not a secret, add its fingerprint to "+
			"secrets.allow; --force-secrets sends it anyway",
		"%s contains a secret: %s", what, strings.Join(places[:min(len(places), 5)], ", "))
}

// MaskSecrets returns text without its secrets, and how many there were; what allow names stays.
func MaskSecrets(text string, allow []string) (string, int) {
	n := 0
	keep := func(m secret.Match) bool { return slices.Contains(allow, m.Fingerprint) }
	for _, m := range secret.Find(text) {
		if !m.Example && !keep(m) {
			n++
		}
	}
	return secret.MaskBut(text, keep), n
}
