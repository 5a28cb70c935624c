package restore_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/belay-dev/belay/internal/check"
	"github.com/belay-dev/belay/internal/snapshot"
)

// TestTexts reads both texts of changed files from snapshots: an empty file exists, a link has no
// text, a large file is reported, a name may be odd, and later changes do not count.
func TestTexts(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSandbox(t)
	for _, p := range []string{"same.txt", "edited.txt", "gone.txt", "becomes link", "a\nb \xff.txt"} {
		s.Write(p, "old "+p)
	}
	s.Git("add", ".")
	s.Git("commit", "-qm", "first")
	before := s.take()
	s.Write("edited.txt", "new")
	s.Write("empty.txt", "")
	s.Write("large.txt", strings.Repeat("x", 101))
	s.Write("a\nb \xff.txt", "odd")
	s.Remove("gone.txt")
	s.Remove("becomes link")
	s.Link("/etc/passwd", "becomes link")
	after := s.take()
	s.Write("edited.txt", "later")

	source := func(from, to snapshot.Info) *check.SnapshotTexts {
		return check.NewSnapshotTexts(s.store().Snapshots, from.ID, to.ID)
	}
	show := func(b []byte) string {
		if b == nil {
			return "nothing"
		}
		return fmt.Sprintf("%q", b)
	}
	var got []string
	all := []string{"same.txt", "edited.txt", "gone.txt", "becomes link", "a\nb \xff.txt", "empty.txt", "large.txt", "no such file"}
	read := func(path string, before, after []byte, larger bool) error {
		got = append(got, fmt.Sprintf("%q: %s, %s, %v", path, show(before), show(after), larger))
		return nil
	}
	s.Ok(source(before, after).Each(ctx, all, 100, read))
	slices.Sort(got)
	want := []string{
		`"a\nb \xff.txt": "old a\nb \xff.txt", "odd", false`,
		`"becomes link": "old becomes link", nothing, false`,
		`"edited.txt": "old edited.txt", "new", false`,
		`"empty.txt": nothing, "", false`,
		`"gone.txt": "old gone.txt", nothing, false`,
		`"large.txt": nothing, nothing, true`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	paths, err := source(before, after).Paths(ctx)
	s.Ok(err)
	if !slices.Contains(paths, "empty.txt") || slices.Contains(paths, "gone.txt") || len(paths) < 6 {
		t.Errorf("%q", paths)
	}
	stop := errors.New("enough")
	calls := 0
	err = source(before, after).Each(ctx, all, 100, func(string, []byte, []byte, bool) error { calls++; return stop })
	if !errors.Is(err, stop) || calls != 1 {
		t.Errorf("%d calls, %v", calls, err)
	}
	got = nil
	s.Ok(source(before, before).Each(ctx, all, 100, read))
	s.Ok(source(before, after).Each(ctx, nil, 100, read))
	if got != nil {
		t.Errorf("%q", got)
	}
}
