package snapshot

import (
	"strings"
	"testing"
)

func TestOurs(t *testing.T) {
	secret, id := strings.Repeat("0f", 16), "01jd6y3k8mzq4v5w9x2c7r0tna"
	for name, want := range map[string]bool{
		RefPrefix + id: true, SecondRefPrefix + secret + "-" + id: true,
		SecondRefPrefix + id: false, SecondRefPrefix + secret: false, SecondRefPrefix + "mine": false, SecondRefPrefix + secret + "-mine": false,
		CommitRefPrefix + strings.Repeat("ab", 20): true, SecondRefPrefix + secret + "-" + strings.Repeat("ab", 20): true,
		SecondRefPrefix + secret + "-" + id + "/x": false, "refs/heads/" + secret + "-" + id: false, "refs/keptx": false,
	} {
		if IsOwnRef(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
