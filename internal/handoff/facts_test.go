package handoff

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/git"

	"github.com/belay-dev/belay/internal/snapshot"
)

// bench is a repository with staged, unstaged and untracked work.
type bench struct {
	t     testing.TB
	dir   string
	env   []string
	snaps *snapshot.Store
}

func newBench(t testing.TB) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir()}
	b.env = append(os.Environ(), "HOME="+b.dir, "XDG_CONFIG_HOME="+b.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	b.sh(`git init -q -b main
mkdir -p src/deep docs
printf 'one\ntwo\nthree\n' > src/a.txt
printf 'bee\n' > src/b.txt
printf 'sea\n' > src/deep/c.txt
printf 'read\n' > docs/d.txt
printf '#!/bin/sh\n' > src/run.sh
chmod +x src/run.sh
ln -s a.txt src/link
printf '*.log\n' > .gitignore
git add . && git commit -qm first
printf 'four\n' >> src/a.txt
printf 'bee, staged\n' > src/b.txt
git add src/b.txt
printf 'new work\n' > src/new.txt
printf 'old\n' > src/old.log
git branch other`)
	b.open()
	return b
}

func (b *bench) open() {
	b.t.Helper()
	repo, err := git.Open(b.t.Context(), b.dir, true)
	if err != nil {
		b.t.Fatal(err)
	}
	if b.snaps, err = snapshot.Open(b.t.Context(), repo, snapshot.Options{MaxFile: 1 << 20}); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) sh(script string) {
	b.t.Helper()
	c := exec.Command("sh", "-ec", script)
	c.Dir, c.Env = b.dir, b.env
	if out, err := c.CombinedOutput(); err != nil {
		b.t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

func (b *bench) take() belay.SnapshotID {
	b.t.Helper()
	info, err := b.snaps.Take(b.t.Context(), snapshot.Meta{Kind: belay.KindHandoff})
	if err != nil {
		b.t.Fatal(err)
	}
	return info.ID
}

func (b *bench) reader() Reader {
	return Reader{Snaps: b.snaps, InScope: func(p string) bool { return belay.Covers("src", p) }}
}

// verify does what a verification does: compare with the snapshot, and if files differ compare two
// snapshots.
func (b *bench) verify(r Reader, then belay.SnapshotID) Report {
	b.t.Helper()
	f, same, stored, err := r.CompareWithPresent(b.t.Context(), then)
	if err == nil && !stored {
		f, err = r.CompareSnapshots(b.t.Context(), then, b.take())
	}
	if err != nil {
		b.t.Fatal(err)
	}
	report := NameDifferences(f)
	if same && len(report.Differences) > 0 {
		b.t.Fatalf("the same, but %v", report)
	}
	return report
}

// tampering are changes to a tree between two roles, and the kinds of drift that they cause.
var tampering = []struct {
	name, script string
	want         string // kinds, sorted, joined by spaces
	path         string // a path that the report must name
	outside      bool
}{
	{"an edit", "echo five >> src/a.txt", "content", "src/a.txt", false},
	{"an edit of the same size and time", `touch -r src/a.txt stamp && printf 'one\ntwo\nthrEe\nfour\n' > src/a.txt && touch -r stamp src/a.txt && rm stamp`, "content", "src/a.txt", false},
	{"emptied", ": > src/a.txt", "content", "src/a.txt", false},
	{"truncated", "printf 'one\\n' > src/a.txt", "content", "src/a.txt", false},
	{"line ends only", `sed -i 's/$/\r/' src/a.txt`, "line-endings", "src/a.txt", false},
	{"executable", "chmod +x src/a.txt", "mode", "src/a.txt", false},
	{"not executable any more", "chmod -x src/run.sh", "mode", "src/run.sh", false},
	{"a mode that git does not know", "chmod 600 src/a.txt", "mode", "src/a.txt", false},
	{"a folder's mode", "chmod 700 src/deep", "mode", "src/deep/", false},
	{"a rename", "mv src/deep/c.txt src/deep/e.txt", "rename scope", "src/deep/e.txt", false},
	{"a rename of letters' case", "mv src/deep/c.txt src/deep/C.txt", "rename scope", "src/deep/C.txt", false},
	{"a rename with git", "git mv src/deep/c.txt src/deep/e.txt", "rename scope", "src/deep/e.txt", false},
	{"a deletion", "rm src/deep/c.txt", "deletion folder scope", "src/deep/c.txt", false},
	{"new work deleted", "rm src/new.txt", "deletion scope", "src/new.txt", false},
	{"an addition", "echo x > src/more.txt", "addition scope", "src/more.txt", false},
	{"out of scope", "echo x >> docs/d.txt", "content", "docs/d.txt", true},
	{"an addition out of scope", "echo x > docs/e.txt", "addition", "docs/e.txt", true},
	{"a link that leads elsewhere", "ln -sfn b.txt src/link", "link", "src/link", false},
	{"a file became a link", "rm src/deep/c.txt && ln -s ../a.txt src/deep/c.txt", "type", "src/deep/c.txt", false},
	{"an empty folder", "mkdir src/void", "folder", "src/void/", false},
	{"a path with a newline", "printf x > 'src/a\nb'", "addition scope", "src/a\nb", false},
	{"staged", "git add src/a.txt", "index", "src/a.txt", false},
	{"taken out of the index", "git rm -q --cached src/run.sh", "index", "src/run.sh", false},
	{"unstaged", "git reset -q src/b.txt", "index", "src/b.txt", false},
	{"other content staged", "echo z | git hash-object -w --stdin > .oid && git update-index --cacheinfo 100644,$(cat .oid),src/a.txt && rm .oid", "index", "src/a.txt", false},
	{"hidden from git", "git update-index --skip-worktree src/a.txt", "index-flag", "src/a.txt", false},
	{"hidden and edited", "git update-index --assume-unchanged src/a.txt && echo five >> src/a.txt", "content index-flag", "src/a.txt", false},
	{"all committed", "git add -A && git commit -qm work", "committed", "", false},
	{"partly committed", "git commit -qm work", "committed", "", false},
	{"committed and edited", "git add -A && git commit -qm work && echo five >> src/a.txt", "committed content", "src/a.txt", false},
	{"an empty commit", "git commit -q --allow-empty -m nothing -o", "head-moved", "", false},
	{"amended", "git commit -q --amend -m other -o", "amended", "", false},
	{"another branch", "git symbolic-ref HEAD refs/heads/other", "switched", "", false},
	{"detached", "git checkout -q --detach", "switched", "", false},
	{"a branch with another commit", "git checkout -q -b side && git commit -q --allow-empty -m x -o", "head-moved switched", "", false},
	{"stashed", "git stash -q", "content stashed", "src/a.txt", false},
	{"stashed with new files", "git stash -q -u", "content deletion scope stashed", "src/new.txt", false},
	{"stashed and taken back", "git stash -q && git stash pop -q --index", "", "", false},
	{"discarded", "git checkout -q HEAD -- .", "content discarded", "src/a.txt", false},
	{"reset hard", "git reset -q --hard && git clean -qfd", "content deletion discarded scope", "src/new.txt", false},
	{"half a merge", "git stash -q && git checkout -q other && echo o > src/o.txt && git add . && git commit -qm o && git checkout -q main && git stash pop -q --index && git commit -qm w && git merge -q --no-commit --no-ff other",
		"addition committed operation scope", "src/o.txt", false},
	{"a hook", "printf '#!/bin/sh\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit", "git-config", ".git/hooks/pre-commit", false},
	{"a filter in the config", "git config filter.x.clean evil", "git-config", ".git/config", false},
	{"an exclude", "echo src/nothing >> .git/info/exclude", "git-config", ".git/info/exclude", false},
	{"new work hidden by an exclude", "echo src >> .git/info/exclude", "git-config ignored", "src/new.txt", false},
	{"new work hidden by a rule", "echo new.txt >> src/.gitignore", "addition ignored scope", "src/new.txt", false},
	{"a large new file", "truncate -s 2G src/sparse.bin", "unreadable", "src/sparse.bin", false},
	{"a repository of its own", "git init -q src/inner && cd src/inner && git commit -q --allow-empty -m x", "nested", "src/inner/", false},
	{"a file of an odd name", "printf x > src/.GIT", "addition scope", "src/.GIT", false},
	{"a file that is no UTF-8", `printf x > "src/$(printf '\377')"`, "addition scope", "src/\xff", false},
}

// clean are actions that change nothing that was handed over.
var clean = []struct{ name, script string }{
	{"nothing", ":"}, {"gc", "git gc -q --prune=now"}, {"repack", "git repack -qad"}, {"pack refs", "git pack-refs --all"},
	{"touch", "touch src/* docs/*"}, {"older", "touch -d '2001-01-01' src/a.txt"}, {"chmod and back", "chmod +x src/a.txt && chmod -x src/a.txt"},
	{"the same content", "cp src/a.txt x && rm src/a.txt && cp x src/a.txt && rm x"}, {"checkout of the same content", "git checkout -q -- src/deep/c.txt"},
	{"status", "touch src/deep/c.txt && git status >/dev/null"}, {"refresh", "touch src/*.txt && git update-index -q --refresh || :"},
	{"an ignored file", "echo x >> src/old.log && echo y > src/another.log"}, {"a branch elsewhere", "git branch more && git tag t"},
	{"a branch and back", "git checkout -q -b tmp && git checkout -q main && git branch -q -D tmp"}, {"commit graph", "git commit-graph write --reachable 2>/dev/null"},
	{"a remote", "git remote add origin ../nowhere && git config branch.main.remote origin"}, {"edited and back", "cp src/a.txt x.log && echo >> src/a.txt && cat x.log > src/a.txt"},
	{"staged and back", "git add src/new.txt && git rm -q --cached src/new.txt"}, {"stashed and back", "git stash -q -u && git stash pop -q --index"},
	{"renamed and back", "mv src/a.txt src/z.txt && mv src/z.txt src/a.txt"},
}

func TestTampering(t *testing.T) {
	t.Parallel()
	for _, tt := range tampering {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			then := b.take()
			b.sh(tt.script)
			report := b.verify(b.reader(), then)
			var got []string
			for _, k := range report.Kinds() {
				got = append(got, string(k))
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("%v, want %s\n%+v", got, tt.want, report.Differences)
			}
			if tt.path == "" {
				return
			}
			at := slices.IndexFunc(report.Differences, func(d Difference) bool { return d.Path == tt.path && d.Kind != "" })
			if at < 0 || report.Differences[at].OutOfScope != tt.outside {
				t.Errorf("%q is not named: %+v", tt.path, report.Differences)
			}
		})
	}
}

// TestDiscardedBesideSubmodule: a submodule, which is not in a snapshot's tree, is no work that is left.
func TestDiscardedBesideSubmodule(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.sh("git init -q sub && git -C sub commit -q --allow-empty -m s && git add -A 2>/dev/null && git commit -qm sub && echo five >> src/a.txt")
	then := b.take()
	b.sh("git checkout -q -- src/a.txt")
	if r := b.verify(b.reader(), then); r.Summary() != "content, discarded" {
		t.Errorf("%s: %+v", r.Summary(), r.Differences)
	}
}

// TestConfigs: what git changes by itself in its config does not count; anything else does.
func TestConfigs(t *testing.T) {
	t.Parallel()
	const was = "[core]\n\thooksPath = MyHooks\n[remote \"origin\"]\n\turl = a\n\tfetch = +a:b\n[branch \"main\"]\n\tremote = origin\n"
	for now, same := range map[string]bool{
		was:                                     true,
		strings.ReplaceAll(was, "+a:b", "+c:d"): true,
		strings.ReplaceAll(was, "+a:b", "+a:b\n\tgh-resolved = base"):          true,
		was + "[branch \"o\"]\n\tmerge = x\n":                                  true,
		was + "[remote \"fork\"]\n\turl = b\n\tfetch = +a:b\n":                 true,
		was + "[remote \"fork\"]\n\turl = b\n\tuploadpack = /tmp/x\n":          false,
		strings.ReplaceAll(was, "MyHooks", "myhooks"):                          false,
		strings.ReplaceAll(was, "url = a", "url = ext::sh"):                    false,
		strings.ReplaceAll(was, "url = a", "url = a\n\treceivepack = x"):       false,
		was + "[branch \"o\"] [core] hooksPath = x\n":                          false,
		strings.ReplaceAll(was, "MyHooks", "MyHooks\\\n[branch \"o\"]\nx = y"): false,
	} {
		if got := comparableConfig(was, remoteNames(now)) == comparableConfig(now, remoteNames(was)); got != same {
			t.Errorf("%q: %v", now, got)
		}
	}
}

// TestCleanHandoffs: no false alarm in 200 handovers without a change to the work.
func TestCleanHandoffs(t *testing.T) {
	t.Parallel()
	rounds := 40
	if os.Getenv("BELAY_DRIFT_ALL") != "" {
		rounds = 200
	}
	b := newBench(t)
	for i := range rounds {
		c := clean[i%len(clean)]
		if i > 0 && i%len(clean) == 0 { // a new tree
			b = newBench(t)
		}
		b.sh("echo " + strings.Repeat("x", i%7) + time.Now().Format("15:04:05.000000000") + " >> src/a.txt")
		then := b.take()
		b.sh(c.script)
		if r := b.verify(b.reader(), then); len(r.Differences) > 0 {
			t.Errorf("round %d, %s: %s\n%+v", i, c.name, r.Summary(), r.Differences)
		}
	}
}

// TestIgnoringLineEnds: with IgnoreEnds, changed line ends are a note.
func TestIgnoringLineEnds(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	then := b.take()
	b.sh(`sed -i 's/$/\r/' src/a.txt docs/d.txt`)
	r := b.reader()
	r.IgnoreEnds = true
	report := b.verify(r, then)
	if report.HasDrift() || len(report.Differences) != 2 || report.Differences[0].Kind != LineEndings {
		t.Errorf("%+v", report)
	}
	b.sh(`echo more >> src/a.txt`)
	if report = b.verify(r, then); !report.HasDrift() || !slices.Equal(report.Kinds(), []DriftKind{Content}) {
		t.Errorf("%+v", report)
	}
}

// TestOtherRepositories: a repository without a commit, and a linked worktree.
func TestOtherRepositories(t *testing.T) {
	t.Parallel()
	b := &bench{t: t, dir: t.TempDir(), env: os.Environ()}
	b.sh("git init -q -b main && mkdir src && echo one > src/a.txt")
	b.open()
	then := b.take()
	if r := b.verify(b.reader(), then); len(r.Differences) > 0 {
		t.Errorf("unborn: %+v", r)
	}
	b.sh("git add . && git -c user.name=a -c user.email=b commit -qm first")
	if r := b.verify(b.reader(), then); !slices.Equal(r.Kinds(), []DriftKind{HeadMoved, Index}) && !slices.Equal(r.Kinds(), []DriftKind{HeadMoved}) {
		t.Errorf("first commit: %+v", r)
	}
	b.sh("git worktree add -q ../" + filepath.Base(b.dir) + "-two")
	two := &bench{t: t, dir: b.dir + "-two", env: b.env}
	t.Cleanup(func() { os.RemoveAll(two.dir) })
	two.open()
	then = two.take()
	b.sh("echo main >> src/a.txt")
	if r := two.verify(two.reader(), then); len(r.Differences) > 0 {
		t.Errorf("another tree's edit: %+v", r)
	}
	two.sh("echo here >> src/a.txt")
	if r := two.verify(two.reader(), then); !slices.Equal(r.Kinds(), []DriftKind{Content}) {
		t.Errorf("linked: %+v", r)
	}
}
