package snapshot

import (
	"strings"
	"testing"
)

func TestOurs(t *testing.T) {
	secret, id := strings.Repeat("0f", 16), "01jd6y3k8mzq4v5w9x2c7r0tna"
	for name, want := range map[string]bool{
		RefPrefix + id: true, KeptPrefix + secret + "-" + id: true,
		KeptPrefix + id: false, KeptPrefix + secret: false, KeptPrefix + "mine": false, KeptPrefix + secret + "-mine": false,
		UsedPrefix + strings.Repeat("ab", 20): true, KeptPrefix + secret + "-" + strings.Repeat("ab", 20): true,
		KeptPrefix + secret + "-" + id + "/x": false, "refs/heads/" + secret + "-" + id: false, "refs/keptx": false,
	} {
		if Ours(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
