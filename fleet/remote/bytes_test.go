package remote_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/belay-dev/belay/fleet/remote"
	"github.com/belay-dev/belay/internal/testutil"
)

// TestBytes: a push and a fetch move at most 1.2 times the pack of the objects that the other side
// lacks, plus at most 10 KB of requests. BELAY_TRAVEL_FILES sets the number of files (default
// 2,000).
func TestBytes(t *testing.T) {
	files := 2000
	if n, err := strconv.Atoi(os.Getenv("BELAY_TRAVEL_FILES")); err == nil {
		files = n
	}
	for _, rounds := range [][]int{{0, 1, 10, 100, 1000}, {1000}} { // the first push has no changes, or some
		t.Run(fmt.Sprint(rounds), func(t *testing.T) { count(t, files, rounds, true) })
	}
	t.Run("without HTTP", func(t *testing.T) { count(t, 500, []int{0, 100}, false) })
}

// count pushes and fetches a snapshot after each round of changes to that many files. Over HTTP it
// counts the bytes; otherwise it checks the sizes of the packs that git printed.
func count(t *testing.T, files int, rounds []int, http bool) {
	s := testutil.NewSandbox(t)
	s.Ok(os.RemoveAll(s.Dir))
	bare := filepath.Join(s.Up, "remote.git")
	s.At(s.Up, "init", "-q", "--bare", bare)
	plant(s, bare, files)
	h := serve(t, s.Up, nil)
	base := s.At(bare, "rev-parse", "main")
	s.At(bare, "branch", "old", base)
	p := &site{Sandbox: s, url: h.URL + "/remote.git", terms: remote.PushTerms{Base: base}}
	if !http {
		p.url = "file://" + bare
	}
	ctx := context.Background()
	m, err := remote.OpenMirror(ctx, filepath.Join(s.Up, "a.git"), p.url)
	s.Ok(err)
	first := reachable(s, bare)
	s.Ok(m.Clone(ctx, s.Dir, "main", base, ""))
	// Meanwhile the branch moves to commits that no worker has.
	s.At(bare, "update-ref", "refs/heads/main", s.At(bare, "commit-tree", "-m", "later", "-p", base, base+"^{tree}"))
	p.open("a", s.Dir)
	p.create()
	t.Logf("| files changed | packed | pushed | ratio | packed since the base | fetched | ratio |")
	for _, n := range rounds {
		for i := range n {
			refChange(s, i*(files/n))
		}
		had := reachable(s, bare)
		p.take()
		h.moved.Store(0)
		before := p.mirror.Packs
		s.Ok(p.push())
		pushed := h.moved.Load()
		pack := packed(s, bare, had)
		other := filepath.Join(s.Up, fmt.Sprint("b", n))
		s.At(s.Up, "clone", "-q", "--bare", "--no-local", "--single-branch", "--branch", "old", bare, other)
		b, err := remote.OpenMirror(ctx, other, p.url)
		s.Ok(err)
		h.moved.Store(0)
		_, err = b.Fetch(ctx, "T1")
		s.Ok(err)
		fetched, all := h.moved.Load(), packed(s, bare, first)
		sent, received := p.mirror.Packs.Sent-before.Sent, b.Packs.Received
		if http && sent != 0 || !http && !near(sent, pack) || !near(received, all) || p.mirror.Packs.Received != before.Received || b.Packs.Sent != 0 {
			t.Errorf("%d files changed: reported %d bytes sent and %d received", n, sent, received)
		}
		if !http {
			continue
		}
		t.Logf("| %d | %d | %d | %.2f | %d | %d | %.2f |", n, pack, pushed, float64(pushed)/float64(pack), all, fetched, float64(fetched)/float64(all))
		if pushed > pack*12/10+asking || fetched > all*12/10+asking || n >= 100 && pushed > pack*12/10 {
			t.Errorf("%d files changed: too much was moved", n)
		}
	}
}

// near allows for another choice of deltas, and for rounding to three digits.
func near(said, packed int64) bool { return said > packed*8/10-200 && said < packed*12/10+200 }

// asking is the size of the requests of a push or a fetch, in bytes.
const asking = 10_000

// plant creates a history of two commits with files of about one kilobyte in a bare repository.
func plant(s *testutil.Sandbox, bare string, files int) {
	var in bytes.Buffer
	for c := range 2 {
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter A <a@example.com> %d +0000\ndata 1\nx\n", 1700000000+c)
		for i := range files {
			if c == 1 && i%10 > 0 {
				continue
			}
			text := text(i, c)
			fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", name(i), len(text), text)
		}
	}
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Stdin = bare, &in
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.T.Fatalf("%v: %s", err, out)
	}
}

func name(i int) string { return fmt.Sprintf("src/p%d/q%d/file%d.go", i%10, i/10%100, i) }

// text returns lines that differ, so that they do not compress to nothing.
func text(i, version int) string {
	var b strings.Builder
	x := uint32(i)
	for range 20 {
		x = x*1664525 + 1013904223
		fmt.Fprintf(&b, "func f%x(a, b int) int { return a + %d*b } // version %d\n", x, x>>20, version)
	}
	return b.String()
}

func refChange(s *testutil.Sandbox, i int) {
	old, err := os.ReadFile(s.Path(name(i)))
	s.Ok(err)
	s.Write(name(i), string(old)+fmt.Sprintf("// changed, %d bytes before\n", len(old)))
}

// reachable returns the objects that are reachable from a repository's refs.
func reachable(s *testutil.Sandbox, bare string) map[string]bool {
	has := map[string]bool{}
	for line := range strings.Lines(s.At(bare, "rev-list", "--objects", "--all")) {
		has[strings.Fields(line)[0]] = true
	}
	return has
}

// packed is the size of the pack of the new objects, for a side that has the rest.
func packed(s *testutil.Sandbox, bare string, had map[string]bool) int64 {
	var in strings.Builder
	for line := range strings.Lines(s.At(bare, "rev-list", "--objects", "--all", "--reflog")) {
		if oid, _, _ := strings.Cut(strings.TrimSpace(line), " "); !had[oid] {
			in.WriteString(strings.TrimSpace(line) + "\n")
		} else if strings.TrimSpace(line) == oid {
			in.WriteString("-" + oid + "\n") // commits, with files that deltas can use
		}
	}
	cmd := exec.Command("git", "pack-objects", "--stdout", "--delta-base-offset", "--quiet")
	cmd.Dir, cmd.Stdin = bare, strings.NewReader(in.String())
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		s.T.Fatalf("%v: %s", err, said.Bytes())
	}
	return int64(len(out))
}
