package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/secret"
)

// SecretsInText returns the fingerprints of the secrets in a text for agents, models or files,
// except those in allow and examples of documentation. Without force it fails (CodeUsage) with
// their places and kinds, without revealing them.
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

// MaskSecrets returns text with its secrets masked, and their number; those in allow stay.
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
