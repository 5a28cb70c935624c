package restore_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestStagedAsGitSees checks that a snapshot keeps for the index the blobs that git diff-index
// finds between it and HEAD, except those that HEAD has at the same path: after additions,
// removals, commits, modes, submodules, conflicts, in nested folders, with and without a cache
// tree.
func TestStagedAsGitSees(t *testing.T) {
	t.Parallel()
	rounds := 40
	if wide() {
		rounds = 300
	}
	s := newSandbox(t)
	rnd := rand.New(rand.NewPCG(7, 7))
	path := func() string {
		return []string{"", "a/", "a/b/", "a.b/", "c/d/e/"}[rnd.IntN(5)] + fmt.Sprintf("f%d", rnd.IntN(4))
	}
	s.Write("first", "1")
	s.Git("add", "-A")
	s.Git("commit", "-qm", "first")
	kept := 0
	for round := range rounds {
		for range 1 + rnd.IntN(3) {
			switch p := path(); rnd.IntN(8) {
			case 0:
				s.May("rm", "-q", "-r", "--cached", p)
			case 1:
				s.May("update-index", "--chmod=+x", p)
			case 2:
				s.May("commit", "-qm", "some")
			case 3:
				s.May("read-tree", "HEAD") // writes no cache tree
			case 4:
				s.May("update-index", "--add", "--cacheinfo", "160000,"+s.Git("rev-parse", "HEAD")+",sub")
			default:
				s.Write(p, fmt.Sprint(round, p))
				s.Git("add", p)
				s.Write(p, "what is in the working tree is another text")
			}
		}
		info := s.take()
		want := map[string]bool{}
		fields := strings.Split(s.Git("diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", "HEAD", "--"), "\x00")
		for i := 0; i+1 < len(fields); i += 2 {
			f := strings.Fields(fields[i])
			if len(f) == 5 && f[1] != "160000" && f[2] != f[3] && strings.Trim(f[3], "0") != "" {
				want[f[3]] = true
			}
		}
		got := map[string]bool{}
		if out, err := s.Try(s.Dir, "", "ls-tree", "-r", "--name-only", info.Commit+"^{tree}:staged"); err == nil {
			for line := range strings.Lines(out) {
				got[strings.TrimSpace(line)] = true
			}
		}
		kept += len(got)
		if !maps.Equal(got, want) {
			t.Fatalf("round %d: kept %v, staged %v", round, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
		}
	}
	if kept < rounds/2 {
		t.Errorf("only %d blobs were compared", kept)
	}
}
