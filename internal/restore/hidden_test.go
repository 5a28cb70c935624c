package restore_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/testutil"
)

func (s *sandbox) takeWith(e snapshot.Extent) snapshot.Info {
	s.T.Helper()
	i, err := s.store().Snapshots.TakeWith(context.Background(), snapshot.Meta{Kind: belay.KindManual, Message: "test"}, e)
	s.Ok(err)
	return i
}

func (s *sandbox) changes(from, to belay.SnapshotID) map[string]string {
	s.T.Helper()
	list, err := s.store().Snapshots.Changes(context.Background(), from, to)
	s.Ok(err)
	all := map[string]string{}
	for _, c := range list {
		all[c.Path] = c.Status
	}
	return all
}

func (s *sandbox) append(p, text string) {
	s.T.Helper()
	old, _ := os.ReadFile(s.Path(p))
	s.Write(p, string(old)+text)
}

// hidings are the ways in which an agent hides a path from git. Each returns the path to write the
// file at.
var hidings = map[string]func(s *sandbox, path string) string{
	"nothing": func(_ *sandbox, path string) string { return path },
	"info/exclude": func(s *sandbox, path string) string {
		s.append(".git/info/exclude", "/"+path+"\n")
		return path
	},
	"everything in info/exclude": func(s *sandbox, path string) string {
		s.append(".git/info/exclude", "*\n")
		return path
	},
	"root .gitignore": func(s *sandbox, path string) string {
		s.append(".gitignore", filepath.Base(path)+"\n")
		return path
	},
	"its folder in the root .gitignore": func(s *sandbox, path string) string {
		s.append(".gitignore", "fresh/\n")
		return "fresh/" + path
	},
	".gitignore beside it": func(s *sandbox, path string) string {
		s.Write("dir/.gitignore", "*\n")
		return "dir/" + path
	},
	"new folder that ignores itself": func(s *sandbox, path string) string {
		s.Write("fresh/deep/.gitignore", "*\n")
		return "fresh/deep/" + path
	},
	"all but one": func(s *sandbox, path string) string {
		s.Write("fresh/.gitignore", "*\n!keep\n")
		s.Write("fresh/keep", "x")
		return "fresh/" + path
	},
	"core.excludesFile": func(s *sandbox, path string) string {
		s.Write("../agents-rules", filepath.Base(path)+"\n")
		s.Git("config", "core.excludesFile", filepath.Join(s.Up, "agents-rules"))
		return path
	},
	"the person's own excludes": func(s *sandbox, path string) string {
		s.append("../rules", filepath.Base(path)+"\n")
		return path
	},
	"core.ignoreCase": func(s *sandbox, path string) string {
		s.Git("config", "core.ignoreCase", "true")
		return "SHOUTED/" + path
	},
	"nested repository": func(s *sandbox, path string) string {
		s.Git("init", "-q", "fresh")
		s.Write("fresh/"+path, "first")
		s.At(s.Path("fresh"), "add", "-f", ".")
		s.At(s.Path("fresh"), "commit", "-qm", "inner")
		return "fresh/" + path
	},
	"nested repository in a tracked folder": func(s *sandbox, path string) string {
		s.Git("init", "-q", "dir")
		return "dir/" + path
	},
	"repository that ignores all": func(s *sandbox, path string) string {
		s.Git("init", "-q", "fresh")
		s.Write("fresh/.git/info/exclude", "*\n")
		s.Write("fresh/.gitignore", "*\n")
		return "fresh/" + path
	},
	"git file without a repository of ours": func(s *sandbox, path string) string {
		s.Git("init", "-q", "../elsewhere")
		s.Write("fresh/.git", "gitdir: "+filepath.Join(s.Up, "elsewhere", ".git")+"\n")
		return "fresh/" + path
	},
	"name of build output in which files were": func(s *sandbox, path string) string {
		s.append(".gitignore", "dist/\n")
		return "dist/" + path
	},
	"taken out of the index": func(s *sandbox, path string) string {
		s.Git("rm", "-q", "--cached", "a.txt")
		s.append(".git/info/exclude", "/"+path+"\na.txt\n")
		return path
	},
}

// TestHidden checks that a hidden file is among the changes, that restoring the baseline removes
// it, and that undo restores it.
func TestHidden(t *testing.T) {
	t.Parallel()
	targets := map[string]string{"file": "secret.txt", "protected": "guard.env", "instructions": "CLAUDE.md"}
	for w, way := range slices.Sorted(maps.Keys(hidings)) {
		for k, kind := range slices.Sorted(maps.Keys(targets)) {
			if !wide() && (w+k)%len(targets) != 0 { // each way with one kind of file
				continue
			}
			hide, target := hidings[way], targets[kind]
			t.Run(way+"/"+kind, func(t *testing.T) {
				t.Parallel()
				s := newSandbox(t)
				testutil.Base(s.Sandbox)
				s.Write("../rules", "*.tmp\n")
				s.Git("config", "core.excludesFile", filepath.Join(s.Up, "rules"))
				s.Commit("three", ".gitignore", "*.log\nbuild/\nshouted/\nprivate/\n", "dist/kept.txt", "kept")
				s.Write("private/mine", "the person's")
				s.Write("x.log", "the person's")
				extent := snapshot.Extent{Agents: true, Protect: []string{"**/*.env"}}
				before := s.takeWith(extent)
				then := s.Fingerprint()

				path := hide(s, target)
				s.Write(path, "hidden")
				extent.Baseline = before.ID
				after := s.takeWith(extent)
				now := s.Fingerprint()
				got := s.changes(before.ID, after.ID)
				if got[path] != "A" {
					t.Errorf("%s is not among the changes: %v", path, got)
				}
				for p, status := range got {
					if strings.HasPrefix(p, "private/") || strings.HasSuffix(p, ".log") || p == "a.txt" {
						t.Errorf("%s counts as changed (%s)", p, status)
					}
				}
				out := s.restore(before.ID)
				s.Same("restored", then, s.Fingerprint())
				if !slices.Contains(out.Removed, path) {
					t.Errorf("removed: %q", out.Removed)
				}
				_, err := s.store().Undo(context.Background(), restore.Options{})
				s.Ok(err)
				s.Same("undone", now, s.Fingerprint())
				_, err = s.store().Redo(context.Background(), restore.Options{})
				s.Ok(err)
				s.Same("done again", then, s.Fingerprint())
			})
		}
	}
}

// TestHiddenBefore checks paths that were ignored before the task: instructions for agents and
// protected paths are captured, everything else is not.
func TestHiddenBefore(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	testutil.Base(s.Sandbox)
	s.Commit("three", ".gitignore", "*.log\nnode_modules/\n.env\nCLAUDE.md\n.claude/\n.vscode/\nkeys/\n.belay/\n")
	s.Write(".env", "A=1")
	s.Write("CLAUDE.md", "be good")
	s.Write(".claude/settings.json", "{}")
	s.Write(".claude/logs/today", "1")
	s.Write(".vscode/tasks.json", "{}")
	s.Write("keys/a/b.pem", "key")
	s.Write("node_modules/x/AGENTS.md", "of a package")
	s.Write("node_modules/x/test.pem", "of a package")
	s.Write("x.log", "1")
	extent := snapshot.Extent{Agents: true, Protect: []string{".env", "keys", "**/*.pem"}}
	before := s.takeWith(extent)
	then := s.Fingerprint()
	want := map[string]string{}
	change := func(path, status string) {
		s.Write(path, "changed")
		if status != "" {
			want[path] = status
		}
	}
	change(".env", "M")
	change("CLAUDE.md", "M")
	change(".claude/settings.json", "M")
	change(".claude/hooks/new.sh", "A")
	change(".vscode/tasks.json", "M")
	change(".vscode/mcp.json", "A")
	change("keys/a/b.pem", "M")
	change("keys/new", "A")
	change(".belay/now/orders.sh", "A")
	change("dir/CLAUDE.md", "A")
	kept := []string{".claude/logs/today", "node_modules/x/AGENTS.md", "node_modules/x/test.pem", "x.log", ".vscode/launch.json", ".belay/now/task.md"}
	for _, p := range kept {
		change(p, "")
	}
	extent.Baseline = before.ID
	after := s.takeWith(extent)
	if got := s.changes(before.ID, after.ID); !maps.Equal(got, want) {
		t.Errorf("changes: %v\nwant %v", got, want)
	}
	s.restore(before.ID)
	now := s.Fingerprint()
	for _, p := range kept {
		if name := "file " + p; !strings.Contains(now[name], "changed") {
			t.Errorf("%s was touched: %s", p, now[name])
		}
		delete(now, "file "+p)
		delete(then, "file "+p)
	}
	delete(now, "file .belay") // folder of a kept file
	delete(now, "file .belay/now")
	s.Same("restored", then, now)

	// A snapshot that did not capture them cannot show whether they changed.
	plain := s.take()
	if got := s.changes(plain.ID, after.ID); got[".env"] != "" || got["CLAUDE.md"] != "" {
		t.Errorf("compared with what was not captured: %v", got)
	}
}

// TestHiddenOutput checks that build output hidden by a new rule is not captured but counted, and
// stays at a restore.
func TestHiddenOutput(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	testutil.Base(s.Sandbox)
	extent := snapshot.Extent{Agents: true, Files: []string{"packages/*/dist/**", "**"}}
	before := s.takeWith(extent)
	s.append(".gitignore", "node_modules/\ndist/\n")
	for i := range 5 {
		s.Write(fmt.Sprintf("node_modules/p%d/index.js", i), "x")
	}
	s.Write("packages/a/dist/hand-made.js", "x")
	s.Write(".venv/.gitignore", "*")
	s.Write(".venv/bin/python", "x")
	s.Write("notes/dist.txt", "x")
	extent.Baseline = before.ID
	after := s.takeWith(extent)
	want := map[string]string{".gitignore": "M", "packages/a/dist/hand-made.js": "A", "notes/dist.txt": "A"}
	if got := s.changes(before.ID, after.ID); !maps.Equal(got, want) {
		t.Errorf("changes: %v\nwant %v", got, want)
	}
	missed, err := s.store().Snapshots.Missed(context.Background(), before.ID, after.ID)
	s.Ok(err)
	if got := fmt.Sprint(missed); got != "[{output .venv/ 2 files true} {output node_modules/ 5 files true}]" {
		t.Errorf("missed: %v", got)
	}
	s.restore(before.ID)
	for path, there := range map[string]bool{"node_modules/p0/index.js": true, "packages/a/dist/hand-made.js": false} {
		if _, err := os.Stat(s.Path(path)); (err == nil) != there {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestHiddenFolderTakenBack checks that a folder that the old rules excluded from an ignored
// pattern is captured, although its parent is ignored now and the rules were deleted.
func TestHiddenFolderTakenBack(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Write("a/b/x", "text")
	s.Write("a/c/x", "text")
	s.Write("a/d/.gitignore/x", "text") // .gitignore is a folder
	s.Write(".gitignore", "/a/*\n")
	s.Write("a/.gitignore", "!b/\n!d/\n")
	before := s.takeWith(snapshot.Extent{Agents: true})
	s.Remove("a/.gitignore")
	s.Write(".gitignore", "/a/\n")
	after := s.takeWith(snapshot.Extent{Agents: true, Baseline: before.ID})
	if got := s.Git("ls-tree", "-r", "--name-only", after.Tree); got != ".gitignore\na/b/x\na/d/.gitignore/x" {
		t.Errorf("captured: %q", got)
	}
}

// TestMissed checks that changes of uncaptured paths are reported by name.
func TestMissed(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	testutil.Base(s.Sandbox)
	s.Opts.MaxFile = 100
	s.Write("old.bin", strings.Repeat("x", 200))
	s.Write("same.bin", strings.Repeat("x", 200))
	s.Git("init", "-q", "inner")
	before := s.takeWith(snapshot.Extent{Agents: true})
	s.Write("old.bin", strings.Repeat("y", 300))
	s.Write("new.bin", strings.Repeat("x", 300))
	s.Write("inner/x", "x")
	s.At(s.Path("inner"), "add", ".")
	s.At(s.Path("inner"), "commit", "-qm", "inner")
	s.Git("worktree", "add", "-q", "apart", "other")
	after := s.takeWith(snapshot.Extent{Agents: true, Baseline: before.ID})
	missed, err := s.store().Snapshots.Missed(context.Background(), before.ID, after.ID)
	s.Ok(err)
	got := map[string]string{}
	for _, m := range missed {
		got[m.Path] = m.Kind
	}
	if want := map[string]string{"old.bin": "file", "new.bin": "file", "inner": "moved", "apart": "repository"}; !maps.Equal(got, want) {
		t.Errorf("missed: %+v", missed)
	}
	out := s.restore(before.ID)
	if !slices.ContainsFunc(out.Kept, func(k restore.Kept) bool { return k.Path == "new.bin" }) {
		t.Errorf("new.bin stays without a word: %v", out.Kept)
	}
}

// TestHalfRepositoryStays checks that a new repository with a file that is too large to capture
// stays complete.
func TestHalfRepositoryStays(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	testutil.Base(s.Sandbox)
	before := s.takeWith(snapshot.Extent{Agents: true})
	s.Git("init", "-q", "sub")
	s.Write("sub/.git/objects/pack/large.pack", strings.Repeat("x", 50_000))
	s.Write("sub/file", "x")
	s.Opts.MaxFile = 20_000
	now := s.Fingerprint()
	s.restore(before.ID)
	s.Same("a part of it was removed", now, s.Fingerprint())
}

// TestHiddenIsTheUnion checks, for any old and new rules, that exactly the paths are captured that
// git does not ignore with both sets of rules.
func TestHiddenIsTheUnion(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := newSandbox(t)
		folders := []string{"", "a/", "b/", "a/b/", "a/c/"}
		var files []string
		for _, f := range folders {
			for _, name := range []string{"x", "y", "X.o"} {
				files = append(files, f+name)
				s.Write(f+name, "text")
			}
		}
		pattern := rapid.SampledFrom([]string{"*", "x", "/x", "!x", "y", "*.o", "*.O", "!*.o", "a/", "/a/*", "!a/", "b", "!b/", "a/**/x", "!/a/b", "/a/b/y", "# no", "c/"})
		rules := func(name string) map[string]string {
			set := map[string]string{}
			for _, file := range []string{".gitignore", "a/.gitignore", "a/b/.gitignore", "b/.gitignore", ".git/info/exclude", "../rules"} {
				if rapid.Bool().Draw(rt, name+file) {
					set[file] = strings.Join(rapid.SliceOfN(pattern, 0, 3).Draw(rt, name+" "+file), "\n") + "\n"
				}
			}
			return set
		}
		ask := func(set map[string]string, folds bool) map[string]bool {
			for _, file := range []string{".gitignore", "a/.gitignore", "a/b/.gitignore", "b/.gitignore", ".git/info/exclude", "../rules"} {
				s.Remove(file)
				if text, ok := set[file]; ok {
					s.Write(file, text)
				}
			}
			s.Git("config", "core.excludesFile", filepath.Join(s.Up, "rules"))
			s.Git("config", "core.ignoreCase", fmt.Sprint(folds))
			all := slices.Concat(files, slices.DeleteFunc(slices.Sorted(maps.Keys(set)), func(f string) bool { return !strings.HasSuffix(f, ".gitignore") }))
			out, _ := s.Try(s.Dir, strings.Join(all, "\x00")+"\x00", "check-ignore", "-z", "--no-index", "--stdin") // exits with 1 when nothing is ignored
			ignored := map[string]bool{}
			for f := range strings.SplitSeq(out, "\x00") {
				ignored[f] = true
			}
			return ignored
		}
		old, now := rules("then"), rules("now")
		if rapid.Bool().Draw(rt, "only one differs") {
			now = maps.Clone(old)
			now["a/.gitignore"] = pattern.Draw(rt, "the one") + "\n"
		}
		var tracked []string
		if rapid.Bool().Draw(rt, "some are tracked") {
			tracked = []string{"a/x", "b/X.o"}
			s.Git("add", "-f", "a/x", "b/X.o")
		}
		wasIgnored := ask(old, rapid.Bool().Draw(rt, "folded case then"))
		before := s.takeWith(snapshot.Extent{Agents: true})
		folds := rapid.Bool().Draw(rt, "folds case now")
		isIgnored := ask(now, folds)
		if rapid.Bool().Draw(rt, "an ordinary take comes first") {
			s.take()
		}
		after := s.takeWith(snapshot.Extent{Agents: true, Baseline: before.ID})
		plain := s.take() // with the current rules again, despite the cache
		holds := func(i snapshot.Info) []string {
			return strings.Split(s.Git("ls-tree", "-r", "-z", "--name-only", i.Tree), "\x00")
		}
		inAfter, inPlain := holds(after), holds(plain)
		for _, f := range files {
			is := slices.Contains(tracked, f)
			if want := is || !isIgnored[f] || !wasIgnored[f]; slices.Contains(inAfter, f) != want {
				rt.Errorf("%s: captured %v, want %v (ignored then %v, now %v)\nthen %q\nnow %q", f, !want, want, wasIgnored[f], isIgnored[f], old, now)
			}
			if want := is || !isIgnored[f]; slices.Contains(inPlain, f) != want {
				rt.Errorf("%s in an ordinary take: captured %v, want %v", f, !want, want)
			}
		}
	})
}
