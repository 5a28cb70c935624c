package git

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

func names(refs []Ref) (out []string) {
	for _, r := range refs {
		out = append(out, r.Name)
	}
	return out
}

func TestRefsAndHead(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSandbox(t)
	r := s.open()
	if h, err := r.Head(ctx, must(r.Refs(ctx))(t)); err != nil || h.Branch != "refs/heads/main" || h.OID != "" {
		t.Errorf("unborn: %+v %v", h, err)
	}
	one := s.commit("a", "1")
	two := s.commit("a", "2")
	s.git("tag", "light", one)
	s.git("tag", "-a", "-m", "x", "heavy", one)
	s.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
	s.git("update-ref", "refs/odd/deep/name", one)
	refs := must(r.Refs(ctx))(t)
	if want := []string{"refs/heads/alias", "refs/heads/main", "refs/odd/deep/name", "refs/tags/heavy", "refs/tags/light"}; !slices.Equal(names(refs), want) {
		t.Errorf("got %q", names(refs))
	}
	if refs[0].Symref != "refs/heads/main" || refs[0].OID != two || refs[3].OID == one || refs[4].OID != one {
		t.Errorf("%+v", refs)
	}
	if got := names(must(r.Refs(ctx, "refs/tags/", "refs/odd"))(t)); len(got) != 3 {
		t.Errorf("below two prefixes: %q", got)
	}
	for name, prepare := range map[string]func(){
		"loose":    func() {},
		"packed":   func() { s.git("pack-refs", "--all") },
		"alias":    func() { s.git("symbolic-ref", "HEAD", "refs/heads/alias") },
		"detached": func() { s.git("checkout", "-q", "--detach", one) },
	} {
		s.git("symbolic-ref", "HEAD", "refs/heads/main")
		prepare()
		h, err := r.Head(ctx, must(r.Refs(ctx))(t))
		want := Head{Branch: "refs/heads/main", OID: two}
		switch name {
		case "alias":
			want.Branch = "refs/heads/alias"
		case "detached":
			want = Head{OID: one}
		}
		if err != nil || h != want {
			t.Errorf("%s: %+v %v, want %+v", name, h, err, want)
		}
		s.git("symbolic-ref", "HEAD", "refs/heads/main")
	}
}

// TestRefsWithABrokenOne checks that a broken ref does not hide the others: such a repository needs
// snapshots more than others.
func TestRefsWithABrokenOne(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.commit("a", "1")
	s.write(".git/refs/heads/broken", strings.Repeat("12", 20)+"\n")
	refs, err := s.open().Refs(context.Background())
	if err != nil || !slices.Contains(names(refs), "refs/heads/main") {
		t.Errorf("%v %v", names(refs), err)
	}
	s.write(".git/refs/heads/garbage", "hello\n")
	refs, err = s.open().Refs(context.Background())
	if err != nil || !slices.Contains(names(refs), "refs/heads/main") {
		t.Errorf("%v %v", names(refs), err)
	}
}

func TestUpdateRefs(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSandbox(t)
	one := s.commit("a", "1")
	two := s.commit("a", "2")
	r := s.open()
	value := func(ref string) string {
		refs := must(r.Refs(ctx, ref))(t)
		if len(refs) == 0 {
			return ""
		}
		return refs[0].OID
	}
	if err := r.UpdateRefs(ctx, "x", nil); err != nil {
		t.Errorf("nothing to do: %v", err)
	}
	if err := r.UpdateRefs(ctx, "x", []Update{{Ref: "refs/belay/aa", New: one}, {Ref: "refs/heads/b", New: two}}); err != nil {
		t.Fatal(err)
	}
	for name, list := range map[string][]Update{
		"exists already": {{Ref: "refs/heads/c", New: one}, {Ref: "refs/belay/aa", New: two}},
		"another value":  {{Ref: "refs/heads/c", New: one}, {Ref: "refs/heads/b", New: one, Old: one}},
		"is gone":        {{Ref: "refs/heads/c", New: one}, {Ref: "refs/heads/no", Old: one}},
		"no object":      {{Ref: "refs/heads/c", New: one}, {Ref: "refs/heads/d", New: strings.Repeat("12", 20)}},
		"folder of one":  {{Ref: "refs/heads/c", New: one}, {Ref: "refs/heads/b/x", New: one}},
	} {
		err := r.UpdateRefs(ctx, "x", list)
		if err == nil || value("refs/heads/c") != "" || value("refs/belay/aa") != one || value("refs/heads/b") != two {
			t.Errorf("%s: %v; only some of the refs were updated", name, err)
		}
	}
	if err := r.UpdateRefs(ctx, "x", []Update{{Ref: "refs/belay/aa", Old: one}, {Ref: "refs/heads/b", New: one, Old: two}}); err != nil {
		t.Fatal(err)
	}
	if value("refs/belay/aa") != "" || value("refs/heads/b") != one {
		t.Error("delete and move")
	}
	if _, err := os.Stat(r.Common + "/logs/refs/belay"); err == nil {
		t.Error("a belay ref has a reflog")
	}
}

func TestUpdateHead(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSandbox(t)
	one := s.commit("a", "1")
	two := s.commit("a", "2")
	r := s.open()
	if err := r.UpdateRefs(ctx, "detach", []Update{{Ref: "HEAD", New: one, Old: two}}); err != nil {
		t.Fatal(err)
	}
	if h := must(r.Head(ctx, must(r.Refs(ctx))(t)))(t); h != (Head{OID: one}) {
		t.Errorf("detached: %+v", h)
	}
	if s.git("rev-parse", "main") != two {
		t.Error("the branch was moved with HEAD")
	}
	if err := r.SetSymref(ctx, "back", "HEAD", "refs/heads/new"); err != nil {
		t.Fatal(err)
	}
	if h := must(r.Head(ctx, must(r.Refs(ctx))(t)))(t); h != (Head{Branch: "refs/heads/new"}) {
		t.Errorf("unborn again: %+v", h)
	}
}

// TestLockOfSomebodyElse checks that another process's lock is waited for, reported, and not
// removed.
func TestLockOfSomebodyElse(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSandbox(t)
	one := s.commit("a", "1")
	r := s.open()
	lock := r.Common + "/refs/heads/x.lock"
	if err := os.WriteFile(lock, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	err := r.UpdateRefs(ctx, "x", []Update{{Ref: "refs/heads/x", New: one}})
	if belay.CodeOf(err) != belay.CodeBusy || !strings.Contains(err.Error(), "x.lock") {
		t.Errorf("got %v, want busy and the lock named", err)
	}
	if _, err := os.Stat(lock); err != nil {
		t.Error("a lock that belay did not make was removed")
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if err := r.UpdateRefs(ctx, "x", []Update{{Ref: "refs/heads/x", New: one}}); err != nil {
		t.Errorf("without the lock: %v", err)
	}
}

func TestCheckedOut(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.commit("a", "1")
	other := filepath.Dir(s.dir) + "/other\nline"
	s.git("worktree", "add", "-q", "-b", "feature/x", other)
	s.git("worktree", "add", "-q", "--detach", filepath.Dir(s.dir)+"/detached")
	got := must(s.open().CheckedOut(context.Background()))(t)
	if len(got) != 1 || got["refs/heads/feature/x"] != other {
		t.Errorf("from the main tree: %v", got)
	}
	got = must(sandbox{t, other}.open().CheckedOut(context.Background()))(t)
	if len(got) != 1 || got["refs/heads/main"] != s.dir {
		t.Errorf("from the linked tree: %v", got)
	}
}

// TestHeadThatIsGone deletes HEAD, as the first or last file of the git folder.
func TestHeadThatIsGone(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.commit("a", "1")
	r := s.open()
	if err := os.Remove(filepath.Join(r.Dir, "HEAD")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Head(context.Background(), nil); belay.CodeOf(err) != belay.CodeCannot || !strings.Contains(err.Error(), "no longer a git repository") {
		t.Errorf("%v", err)
	}
}
