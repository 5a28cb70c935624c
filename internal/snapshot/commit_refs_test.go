package snapshot

import (
	"slices"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/git"
)

func TestUnused(t *testing.T) {
	one, two, three := strings.Repeat("1", 40), strings.Repeat("2", 40), strings.Repeat("3", 40)
	refs := []git.Ref{
		{Name: "refs/heads/main", OID: one}, {Name: CommitRefPrefix + one, OID: one}, {Name: CommitRefPrefix + two, OID: one},
		{Name: CommitRefPrefix + three, OID: three, Symref: "refs/heads/main"},
	}
	if got := withoutRef(refs, []string{one, two, three}); !slices.Equal(got, []string{two, three}) {
		t.Errorf("%q", got)
	}
	if got := withoutRef(refs, nil); got != nil {
		t.Errorf("%q", got)
	}
}

// Anybody who can write to the repository can write the list of commits: only object names are
// returned.
func FuzzCommitsIn(f *testing.F) {
	f.Add([]byte(strings.Repeat("a", 40) + "\n" + strings.Repeat("b", 64) + "\n"))
	f.Add([]byte("refs/heads/main\n\n--all\n" + strings.Repeat("A", 40)))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, oid := range parseCommitList(text) {
			if !git.IsOID(oid) || !strings.Contains(string(text), oid) {
				t.Errorf("%q of %q", oid, text)
			}
		}
	})
}
