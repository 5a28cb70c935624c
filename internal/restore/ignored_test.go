package restore_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/testutil"
)

// The outcomes of a change of an ignored file; captured means that it is restored like any other
// change.
const (
	captured = "held"
	reported = snapshot.MissedIgnored
	authored = snapshot.MissedAuthored
	none     = ""
)

// ignoredFiles are files that git ignores: the content of each before, "" for none, and the outcome
// of a change.
var ignoredFiles = map[string]struct{ before, want string }{
	".env":                {"A=1", captured},
	"sub/.env.local":      {"A=1", captured},
	".env.new":            {"", captured},
	"secrets/deep/token":  {"x", captured},
	"secrets/new":         {"", captured},
	"bin.key":             {"\x00\x01", captured}, // by its name
	"notes.txt":           {"mine", captured},
	"maybe.txt":           {"mine", captured},
	"sub/maybe.txt":       {"mine", captured},
	"other/maybe.txt":     {"", reported},                                // new, and only a shared rule hides it
	"made.txt":            {"// Code generated. DO NOT EDIT.", reported}, // its text names it as generated
	"blob.bin":            {"a\x00b", reported},                          // not text
	"lib/a.js":            {"var a", reported},                           // in an ignored folder
	"excluded.txt":        {"mine", captured},
	"excluded/new.txt":    {"", captured},
	"excluded/old.txt":    {"mine", captured},
	"excluded/blob":       {"\x00", reported},
	"global.txt":          {"mine", captured},
	"global/old":          {"mine", captured},
	"sub/global.txt":      {"", reported}, // tools write what global excludes ignore
	"large.txt":           {strings.Repeat("mine\n", 300_000), reported},
	"excluded/large.txt":  {strings.Repeat("mine\n", 300_000), authored},
	"x.log":               {"1", none},
	"logs/today.txt":      {"1", none},
	"node_modules/a/.env": {"1", none},
	"dist/main.js":        {"1", none},
	"a/__pycache__/x.pyc": {"1", none},
	".coverage":           {"1", none},
	"test.sqlite3":        {"1", none},
	".idea/notes.txt":     {"1", none},
	"vendor/new/.env":     {"", none},
	"package-lock.json":   {"{}", none},
	".DS_Store":           {"1", none},
}

const ignoredRules = ".env*\nsecrets/\n*.key\nnotes.txt\nmaybe.txt\nmade.txt\nblob.bin\nlib/\nlarge.txt\n*.log\nlogs/\nnode_modules/\ndist/\n__pycache__/\n.coverage\n*.sqlite3\n.idea/\nvendor/\npackage-lock.json\n.DS_Store\n"

// ignoring creates a repository that ignores them, with those that exist before.
func ignoring(t *testing.T) *sandbox {
	s := newSandbox(t)
	testutil.Base(s.Sandbox)
	s.Write("../rules", "global.txt\nglobal/\n")
	s.Git("config", "core.excludesFile", filepath.Join(s.Up, "rules"))
	s.Write(".git/info/exclude", "# of this repository\nexcluded.txt\nexcluded/\n")
	s.Commit("rules", ".gitignore", ignoredRules)
	for p, f := range ignoredFiles {
		if f.before != "" {
			s.Write(p, f.before)
		}
	}
	return s
}

// TestIgnored checks changes of ignored files: files that people wrote are captured and restored,
// other changes are reported, and what tools write is neither.
func TestIgnored(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(s *sandbox, p string){
		"overwritten":  func(s *sandbox, p string) { s.Write(p, "changed") },
		"deleted":      func(s *sandbox, p string) { s.Remove(p) },
		"executable":   func(s *sandbox, p string) { s.Chmod(p, 0o755) },
		"a link":       func(s *sandbox, p string) { s.Remove(p); s.Link("a.txt", p) },
		"only touched": func(s *sandbox, p string) { s.Write(p, ignoredFiles[p].before) },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := ignoring(t)
			extent := snapshot.Extent{Agents: true, Ignored: true}
			before := s.takeWith(extent)
			then := s.Fingerprint()
			want := map[string]string{}
			for p, f := range ignoredFiles {
				if f.before == "" && what != "overwritten" {
					continue
				}
				change(s, p)
				if what != "only touched" {
					want[p] = f.want
				}
			}
			if what == "only touched" {
				want["large.txt"], want["excluded/large.txt"] = reported, authored // only their times show it
			}
			extent.Baseline = before.ID
			after := s.takeWith(extent)
			now := s.Fingerprint()
			got := map[string]string{}
			for p := range s.changes(before.ID, after.ID) {
				got[p] = captured
			}
			missed, err := s.store().Snapshots.Missed(context.Background(), before.ID, after.ID)
			s.Ok(err)
			for _, m := range missed {
				got[m.Path] = m.Kind
			}
			// One changed file of an ignored folder is reported by its own name.
			for p, w := range want {
				if got[p] != w {
					t.Errorf("%s: %q, want %q", p, got[p], w)
				}
				delete(got, p)
			}
			if len(got) > 0 {
				t.Errorf("besides: %v", got)
			}
			s.restore(before.ID)
			for p, f := range ignoredFiles {
				name := "file " + p
				if is := s.Fingerprint()[name]; f.want == captured && is != then[name] || f.want != captured && is != now[name] {
					t.Errorf("%s is %q after the restore", p, is)
				}
			}
			if len(want) == 0 || what == "only touched" {
				return
			}
			_, err = s.store().Undo(context.Background(), restore.Options{})
			s.Ok(err)
			again := s.Fingerprint()
			for p := range now { // an ignored empty folder is in no snapshot
				if _, file := ignoredFiles[strings.TrimPrefix(p, "file ")]; strings.HasPrefix(p, "file ") && !file && again[p] == "" {
					delete(now, p)
				}
			}
			s.Same("undone", now, again)
			_, err = s.store().Redo(context.Background(), restore.Options{})
			s.Ok(err)
			for p, f := range ignoredFiles {
				if name := "file " + p; f.want == captured && s.Fingerprint()[name] != then[name] {
					t.Errorf("%s is %q after it was done again", p, s.Fingerprint()[name])
				}
			}
		})
	}
}

// TestReadableSecretIsReported checks that a secret that others may read now is reported, also when
// the most common mode of the tree changes with it.
func TestReadableSecretIsReported(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Commit("base", ".gitignore", ".env\n", "a.txt", "a")
	s.Write(".env", "SECRET=1")
	all := []string{".gitignore", "a.txt", ".env"}
	for _, p := range all {
		s.Chmod(p, 0o600)
	}
	extent := snapshot.Extent{Agents: true, Ignored: true}
	before := s.takeWith(extent)
	for _, p := range all {
		s.Chmod(p, 0o644)
	}
	extent.Baseline = before.ID
	after := s.takeWith(extent)
	missed, err := s.store().Snapshots.Missed(context.Background(), before.ID, after.ID)
	s.Ok(err)
	if len(missed) != 1 || missed[0].Kind != snapshot.MissedMode || missed[0].Path != ".env" || missed[0].Detail != "its mode changed from 600 to 644" {
		t.Errorf("%+v", missed)
	}
}

// TestIgnoredUnasked checks that a snapshot without Extent.Ignored reports nothing, and a manual
// one contains no ignored files.
func TestIgnoredUnasked(t *testing.T) {
	t.Parallel()
	s := ignoring(t)
	plain := s.take()
	for p, f := range ignoredFiles {
		if f.before != "" {
			s.Write(p, "changed")
		}
	}
	wide := s.takeWith(snapshot.Extent{Agents: true, Ignored: true, Baseline: plain.ID})
	if got := s.changes(plain.ID, wide.ID); len(got) > 0 {
		t.Errorf("changes: %v", got)
	}
	missed, err := s.store().Snapshots.Missed(context.Background(), plain.ID, wide.ID)
	if s.Ok(err); len(missed) > 0 {
		t.Errorf("missed: %v", missed)
	}
	now := s.Fingerprint()
	s.restore(plain.ID)
	s.Same("what was not looked at is left", now, s.Fingerprint())
}

// TestIgnoredBounds checks that of very many files nothing is captured or reported, and only their
// folder is recorded.
func TestIgnoredBounds(t *testing.T) {
	t.Parallel()
	s := ignoring(t)
	for i := range 1100 {
		s.Write(fmt.Sprintf("excluded/many/%d", i), "mine")
	}
	for i := range 300 {
		s.Write(fmt.Sprintf("n%d/maybe.txt", i), "mine")
	}
	extent := snapshot.Extent{Agents: true, Ignored: true}
	before := s.takeWith(extent)
	s.Write("excluded/many/7", "changed")
	for i := range 300 {
		s.Write(fmt.Sprintf("n%d/maybe.txt", i), "changed")
	}
	extent.Baseline = before.ID
	after := s.takeWith(extent)
	changes := s.changes(before.ID, after.ID)
	missed, err := s.store().Snapshots.Missed(context.Background(), before.ID, after.ID)
	s.Ok(err)
	kinds := map[string]int{}
	for _, m := range missed {
		kinds[m.Kind]++
	}
	if len(changes) == 0 || len(changes) > 256 || len(changes)+kinds[reported] != 300 || len(kinds) != 1 {
		t.Errorf("%d changes, missed %v", len(changes), kinds)
	}
}

// TestSweepInner checks that inner snapshots of killed takes are deleted, and those that a snapshot
// names stay.
func TestSweepInner(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSandbox(t)
	testutil.Base(s.Sandbox)
	s.Git("init", "-q", "tool")
	s.Write("tool/a", "1")
	s.At(s.Path("tool"), "add", ".")
	s.At(s.Path("tool"), "commit", "-qm", "tool")
	bound := s.takeWith(snapshot.Extent{Agents: true, InnerSnapshots: true})
	repo, err := git.Open(ctx, s.Path("tool"), false)
	s.Ok(err)
	inner, err := restore.Open(ctx, repo, snapshot.Options{})
	s.Ok(err)
	orphan, err := inner.Snapshots.Take(ctx, snapshot.Meta{Kind: belay.KindManual, Message: "with the repository around it: "})
	s.Ok(err)
	mine, err := inner.Snapshots.Take(ctx, snapshot.Meta{Kind: belay.KindManual, Message: "mine"})
	s.Ok(err)
	ids := func() map[belay.SnapshotID]bool {
		list, err := inner.Snapshots.List(ctx)
		s.Ok(err)
		all := map[belay.SnapshotID]bool{}
		for _, i := range list {
			all[i.ID] = true
		}
		return all
	}
	then := ids()
	s.Ok(s.store().Snapshots.SweepInner(ctx))
	if !maps.Equal(ids(), then) {
		t.Errorf("one that may still be in progress was deleted: %v", ids())
	}
	later := s.storeWith(snapshot.Options{Now: func() time.Time { return time.Now().Add(2 * time.Hour) }})
	s.Ok(later.Snapshots.SweepInner(ctx))
	if now := ids(); now[orphan.ID] || !now[mine.ID] || len(now) != len(then)-1 {
		t.Errorf("%v of %v", now, then)
	}
	s.Write("tool/a", "2")
	s.restore(bound.ID)
	if text := s.Fingerprint()["file tool/a"]; !strings.Contains(text, "1") {
		t.Errorf("the bound one is not restored: %s", text)
	}
	// Inner rescues are deleted with the outer snapshots of the same time.
	list, err := later.Snapshots.List(ctx)
	s.Ok(err)
	fresh := s.takeWith(snapshot.Extent{Agents: true, InnerSnapshots: true})
	for _, i := range list {
		s.Ok(later.Drop(ctx, i.ID))
	}
	s.Ok(later.Snapshots.SweepInner(ctx))
	if now := ids(); len(now) != 2 || !now[mine.ID] {
		t.Errorf("%v", now)
	}
	s.Write("tool/a", "3")
	s.restore(fresh.ID)
}

// TestMirrorKeepsNeeded checks that objects of a repository inside the tree stay mirrored while a
// snapshot needs them, although another task begins or a later snapshot cannot be mirrored.
func TestMirrorKeepsNeeded(t *testing.T) {
	t.Parallel()
	for name, disturb := range map[string]func(s *sandbox){
		"another task": func(s *sandbox) {
			s.Remove("tool/.git")
			s.Git("init", "-q", "tool")
			s.takeWith(snapshot.Extent{Agents: true, InnerSnapshots: true})
		},
		"failed links": func(s *sandbox) {
			folders, err := filepath.Glob(s.Path(".git/belay/inner/*/objects"))
			s.Ok(err)
			for i := range 256 { // no folder of loose objects can be created
				_ = os.WriteFile(filepath.Join(folders[0], fmt.Sprintf("%02x", i)), nil, 0o600)
			}
			s.At(s.Path("tool"), "commit", "-q", "--allow-empty", "-m", "more")
			if i := s.takeWith(snapshot.Extent{Agents: true, InnerSnapshots: true}); !i.Partial {
				s.T.Error("the failure is not reported")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			testutil.Base(s.Sandbox)
			s.Git("init", "-q", "tool")
			s.Write("tool/a", "1")
			s.At(s.Path("tool"), "add", ".")
			s.At(s.Path("tool"), "commit", "-qm", "tool")
			s.At(s.Path("tool"), "gc", "-q")
			want := s.At(s.Path("tool"), "rev-parse", "HEAD")
			id := s.takeWith(snapshot.Extent{Agents: true, InnerSnapshots: true}).ID
			disturb(s)
			s.Remove("tool")
			if out := s.restore(id); len(out.Missing) > 0 {
				t.Errorf("missing: %v", out.Missing)
			}
			if got := s.At(s.Path("tool"), "log", "--format=%H"); got != want || s.text("tool/a") != "1" {
				t.Errorf("commits %q, want %q; a is %q", got, want, s.text("tool/a"))
			}
		})
	}
}

// TestRestoreAroundInterruptedOne: a restore that was killed in a nested repository is ended by the
// restore of the repository around it.
func TestRestoreAroundInterruptedOne(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	testutil.Base(s.Sandbox)
	s.Git("init", "-q", "tool")
	for _, f := range []string{"tool/a", "tool/b", "tool/c"} {
		s.Write(f, "1")
	}
	s.At(s.Path("tool"), "add", ".")
	s.At(s.Path("tool"), "commit", "-qm", "tool")
	bound := s.takeWith(snapshot.Extent{Agents: true, InnerSnapshots: true})
	s.Write("tool/a", "2")
	s.Write("tool/.git/belay/intent.json", "rubbish")
	s.restore(bound.ID)
	if s.text("tool/a") != "1" {
		t.Errorf("tool/a is %q", s.text("tool/a"))
	}
}
