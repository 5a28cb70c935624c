package check

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
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
	"github.com/belay-dev/belay/internal/testutil"
)

// repo is a repository with files f0 to f4 in its one commit.
type repo struct {
	t     *testing.T
	dir   string
	snaps *snapshot.Store
}

func open(t *testing.T) *repo {
	t.Helper()
	home, dir := t.TempDir(), t.TempDir()
	for k, v := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1"} {
		t.Setenv(k, v)
	}
	r := &repo{t: t, dir: dir}
	r.sh("git init -q -b main; git config user.name n; git config user.email n@example.com")
	for i := range 5 {
		r.write(fmt.Sprintf("f%d", i), fmt.Sprintf("committed %d\nmore of %d\n", i, i))
	}
	r.sh("git add .; git commit -qm first")
	g, err := git.Open(t.Context(), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	if r.snaps, err = snapshot.Open(t.Context(), g, snapshot.Options{}); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *repo) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// sh runs a line that may fail.
func (r *repo) sh(line string) string {
	c := exec.Command("sh", "-c", line)
	c.Dir = r.dir
	out, _ := c.CombinedOutput()
	return string(out)
}

func (r *repo) take() belay.SnapshotID {
	r.t.Helper()
	i, err := r.snaps.Take(r.t.Context(), snapshot.Meta{Kind: belay.KindManual})
	if err != nil {
		r.t.Fatal(err)
	}
	return i.ID
}

// between runs lines as an attempt and returns the facts.
func (r *repo) between(lines ...string) GitFacts {
	r.t.Helper()
	before := r.take()
	for _, l := range lines {
		r.sh(l)
	}
	after := r.take()
	f, err := ReadGitFacts(context.Background(), r.snaps, before, after, []Span{{before, after}})
	if err != nil {
		r.t.Fatal(err)
	}
	return f
}

func shownLosses(list []Loss) (lines []string) {
	for _, l := range list {
		s := string(l.Kind) + " " + l.Path
		if l.Unsure {
			s += " unsure"
		}
		lines = append(lines, s)
	}
	return lines
}

func TestLost(t *testing.T) {
	for name, c := range map[string]struct {
		person, agent string
		want          []string
	}{
		"nothing was dirty":         {"", "git checkout -q HEAD~ 2>/dev/null; rm f0; echo x > f1", nil},
		"reverted":                  {"echo mine >> f0", "git checkout -q -- f0", []string{"edits f0"}},
		"edited further":            {"echo mine >> f0", "echo agent >> f0", nil},
		"rewritten":                 {"echo mine >> f0", "echo agent > f0", nil},
		"taken out of":              {"echo 'committed 0' > f0", "git checkout -q -- f0", []string{"edits f0"}},
		"removed":                   {"echo mine >> f0; echo x > new", "rm f0 new", []string{"file f0", "untracked new"}},
		"renamed":                   {"echo mine > new", "mkdir d; mv new d/newer", nil},
		"renamed and edited":        {"printf 'one\\ntwo\\nthree\\n' > new", "printf 'one\\n  two\\nfour\\n' > newer; rm new", nil},
		"committed":                 {"echo mine >> f0; echo x > new", "git add -A; git commit -qm x", nil},
		"committed on a branch":     {"echo mine >> f0", "git checkout -q -b b; git commit -qam x; git checkout -q main", nil},
		"stashed":                   {"echo mine >> f0; echo x > new", "git stash -q -u", nil},
		"stashed and dropped":       {"echo mine >> f0", "git stash -q; git stash drop -q", []string{"edits f0"}},
		"only staged now":           {"echo mine >> f0", "git add f0; git show HEAD:f0 > f0", nil},
		"reset to another commit":   {"echo x > f1; git commit -qam second; echo mine >> f0", "git reset -q --hard HEAD~", []string{"edits f0"}},
		"commits and goes back":     {"echo mine >> f0", "echo y > f1; git add f1; git commit -qm y; git reset -q --hard", []string{"edits f0"}},
		"other branch by force":     {"git checkout -q -b b; echo b > f0; git commit -qam b; git checkout -q main; echo mine >> f0", "git checkout -q -f b", []string{"edits f0"}},
		"hidden by a rule":          {"echo mine > notes.txt", "echo notes.txt > .gitignore", nil},
		"in a repository":           {"mkdir d; echo mine > d/x", "cd d; git init -q; git add x; git -c user.name=a -c user.email=b commit -qm x", nil},
		"made by tools":             {"echo x > run.log; mkdir build; echo y > build/out; echo z > go.sum", "rm -r run.log build go.sum", []string{"untracked build/out unsure", "untracked go.sum unsure", "untracked run.log unsure"}},
		"empty":                     {": > empty", "rm empty", nil},
		"line endings":              {"git config core.autocrlf true; rm f0; git checkout -q -- f0", "rm f0", nil},
		"a pointer":                 {"printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%s\\nsize 4\\n' $(printf big. | sha256sum | cut -d' ' -f1) > p; git add p; git commit -qm p; printf big. > p", "rm p", nil},
		"filtered":                  {"echo '*.k ident' > .gitattributes; echo x > a.k; git add .; git commit -qm k; echo y >> a.k", "git checkout -q -- a.k", []string{"edits a.k unsure"}},
		"staged alone":              {"echo mine > new; git add new; rm new", "git reset -q", []string{"staged new"}},
		"staged, of the file":       {"echo one >> f0; git add f0; echo two >> f0", "git reset -q", nil},
		"staged, then other":        {"echo one >> f0; git add f0; echo two > f0", "git reset -q", []string{"staged f0"}},
		"staged, then added":        {"echo one >> f0; git add f0; echo two > f0", "git add f0", []string{"staged f0 unsure"}},
		"stash taken":               {"echo mine >> f0; git stash -q", "git stash pop -q", nil},
		"stash of others dropped":   {"echo mine >> f0; git stash -q", "git stash drop -q", []string{"stash WIP on main: COMMIT first"}},
		"stash with new, dropped":   {"echo mine > new; git stash -q -u", "git stash clear", []string{"stash WIP on main: COMMIT first"}},
		"stash made and dropped":    {"", "echo a >> f0; git stash -q; git stash drop -q", nil},
		"link":                      {"ln -s f0 link", "rm link", []string{"untracked link"}},
		"links, and back to a file": {"rm f0; ln -s f1 f0", "git checkout -q -- f0", []string{"edits f0"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t)
			r.sh(c.person)
			commit := strings.TrimSpace(r.sh("git rev-parse --short HEAD"))
			got := shownLosses(r.between(c.agent).LostWork)
			for i := range got {
				got[i] = strings.Replace(got[i], commit, "COMMIT", 1)
			}
			slices.Sort(got)
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestLostIsNowhere: an agent changes files at random. A person's content is lost exactly if its
// path is missing or has the content of a commit, and no file, no index, no commit and no stash
// contains it.
func TestLostIsNowhere(t *testing.T) {
	ops := []string{"git checkout -q HEAD -- %s", "git reset -q --hard", "rm -f %s", "git clean -qfd", "mv %s moved-%s", "echo agent >> %s", "echo agent > %s",
		"git add -A; git commit -qm agent", "git stash -q -u", "git stash pop -q", "git stash drop -q", "git add %s", "cp %s copy-%s", "git checkout -q -B side", "git reset -q", "git checkout -q main"}
	names := []string{"f0", "f1", "f2", "n0", "n1"}
	lost := 0
	seeds := uint64(10)
	if testutil.Wide() {
		seeds = 30
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 7))
		r := open(t)
		mine := map[string][]byte{}
		for _, n := range names {
			if rng.IntN(4) == 0 {
				continue
			}
			r.sh(fmt.Sprintf("echo 'mine %d' >> %s; echo 'also mine %d' >> %s", rng.Int(), n, rng.Int(), n))
			if rng.IntN(3) == 0 {
				r.sh("git add " + n)
			}
			mine[n], _ = os.ReadFile(filepath.Join(r.dir, n))
		}
		committed := map[string][]byte{}
		for _, n := range names[:3] {
			committed[n] = []byte(r.sh("git show HEAD:" + n))
		}
		var did []string
		for range 1 + rng.IntN(4) {
			n := names[rng.IntN(len(names))]
			did = append(did, strings.ReplaceAll(ops[rng.IntN(len(ops))], "%s", n))
		}
		got := map[string]bool{}
		for _, l := range r.between(did...).LostWork {
			if l.Kind != LostStaged && l.Kind != LostStash {
				got[l.Path] = true
			}
		}
		for n, text := range mine {
			now, err := os.ReadFile(filepath.Join(r.dir, n))
			gone := err != nil || committed[n] != nil && bytes.Equal(now, committed[n])
			if want := gone && !r.has(text); got[n] != want {
				t.Errorf("seed %d, %q: %s lost is %v, want %v", seed, did, n, got[n], want)
			}
			if got[n] {
				lost++
			}
			delete(got, n)
		}
		if len(got) > 0 {
			t.Errorf("seed %d, %q: lost was never a person's: %v", seed, did, got)
		}
	}
	if lost < int(seeds)/3 {
		t.Errorf("only %d were lost: the operations are badly chosen", lost)
	}
}

// has reports whether a file, the index, a commit or a stash has the bytes.
func (r *repo) has(text []byte) bool {
	entries, _ := os.ReadDir(r.dir)
	for _, e := range entries {
		if now, err := os.ReadFile(filepath.Join(r.dir, e.Name())); err == nil && bytes.Equal(now, text) {
			return true
		}
	}
	oid := r.snaps.Repo.HashObject("blob", text)
	all := r.sh("git ls-files -s; git rev-list --objects HEAD --branches --tags; git stash list --format=%H | while read s; do git rev-list --objects $s; done")
	return strings.Contains(all, oid)
}

// TestOnlyTheSpans: changes of a person between two attempts, and of tests, are not the attempt's.
func TestOnlyTheSpans(t *testing.T) {
	r := open(t)
	r.write("notes", "mine\n")
	var ids []belay.SnapshotID
	for _, line := range []string{"", "git config alias.a x; echo 1 > .git/hooks/pre-push", "git config alias.b y; rm notes; git tag mine; echo 1 > .git/hooks/pre-commit", "git config alias.c z; git branch agents"} {
		r.sh(line)
		ids = append(ids, r.take())
	}
	f, err := ReadGitFacts(t.Context(), r.snaps, ids[0], ids[3], []Span{{ids[0], ids[1]}, {ids[2], ids[3]}})
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, c := range f.Files {
		files = append(files, c.Name)
	}
	if want := []string{"config", "hooks/pre-push"}; !slices.Equal(files, want) {
		t.Errorf("files %q, want %q", files, want)
	}
	if !f.KeyChanged("config", "alias.a") || f.KeyChanged("config", "alias.b") || !f.KeyChanged("config", "alias.c") {
		t.Error("the keys are not those of the attempts")
	}
	if len(f.Refs) != 1 || f.Refs[0].Name != "refs/heads/agents" || len(f.LostWork) > 0 {
		t.Errorf("%+v, %+v", f.Refs, f.LostWork)
	}
	// without spans, the complete time counts
	if f, err = ReadGitFacts(t.Context(), r.snaps, ids[0], ids[3], nil); err != nil || f.ByAttempt || len(f.Files) != 3 || len(f.Refs) != 2 || len(f.LostWork) != 1 {
		t.Errorf("%v %+v", err, f)
	}
}

// TestOnlyTheSpansOfGit: what a person does with the stash, the index, worktrees and a merge
// between two attempts is not the attempt's; what an attempt does with them counts.
func TestOnlyTheSpansOfGit(t *testing.T) {
	person := "git stash drop -q stash@{1}; git reset -q f1; git checkout -q -- f1; git worktree add -q -b his ../his; rm -f .git/MERGE_*; git reflog expire --expire=now HEAD"
	attempt := "git stash drop -q stash@{0}; git reset -q f2; git checkout -q -- f2; git worktree add -q -b its ../its; git reflog delete HEAD@{0}"
	for name, tt := range map[string]struct {
		lines []string
		want  string
	}{
		"person":  {[]string{"git add new", person, "git branch agents"}, "[] [] false merge []"},
		"attempt": {[]string{attempt, "git branch his", "git add new"}, "[On main: second] [staged f2 stash On main: second] true merge [its]"},
		"both":    {[]string{"git add new", person, attempt}, "[On main: second] [staged f2 stash On main: second] false merge [its]"},
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t)
			r.sh("git checkout -qb side; echo s > s; git add s; git commit -qm side; git checkout -q main; echo m > m; git add m; git commit -qm main; git merge --no-commit -q side; git commit -qm merged; true")
			r.sh("echo stashed first > f3; git stash push -qm first; echo stashed second > f4; git stash push -qm second")
			r.sh("git checkout -qb other HEAD~; echo o > o; git add o; git commit -qm o; git checkout -q main; git merge --no-commit --no-ff -q other")
			r.sh("echo only staged, one > f1; git add f1; git cat-file -p HEAD:f1 > f1; echo only staged, two > f2; git add f2; git cat-file -p HEAD:f2 > f2; echo n > new")
			ids := []belay.SnapshotID{r.take()}
			for _, l := range tt.lines {
				r.sh(l)
				ids = append(ids, r.take())
			}
			f, err := ReadGitFacts(t.Context(), r.snaps, ids[0], ids[3], []Span{{ids[0], ids[1]}, {ids[2], ids[3]}})
			if err != nil {
				t.Fatal(err)
			}
			var trees []string
			for _, w := range f.Worktrees {
				trees = append(trees, filepath.Base(w))
			}
			if got := fmt.Sprintf("%v %v %v %v %v", f.StashDropped, shownLosses(f.LostWork), f.ReflogTruncated, f.OperationAfter, trees); got != tt.want {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestModeOfAHook: making a hook executable is a change, unless git ships the hook.
func TestModeOfAHook(t *testing.T) {
	r := open(t)
	r.write(".git/hooks/pre-push", "#!/bin/sh\n")
	f := r.between("chmod +x .git/hooks/pre-push; echo x > .git/hooks/update.sample")
	if len(f.Files) != 1 || f.Files[0].Name != "hooks/pre-push" || f.Files[0].Before.Perm != 0o644 || f.Files[0].After.Perm != 0o755 {
		t.Errorf("%+v", f.Files)
	}
}

func BenchmarkBetween(b *testing.B) {
	dir := b.TempDir()
	c := exec.Command("sh", "-c", "git init -q; for i in $(seq 1000); do echo $i > f$i; done; git add .; git -c user.name=a -c user.email=b commit -qm x; for i in $(seq 20); do echo mine >> f$i; git branch b$i; done")
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		b.Fatalf("%v %s", err, out)
	}
	g, err := git.Open(b.Context(), dir, false)
	if err != nil {
		b.Fatal(err)
	}
	snaps, err := snapshot.Open(b.Context(), g, snapshot.Options{Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	one, err := snaps.Take(b.Context(), snapshot.Meta{Kind: belay.KindManual})
	if err != nil {
		b.Fatal(err)
	}
	c = exec.Command("sh", "-c", "echo x >> f30; echo y > new; git status > /dev/null")
	c.Dir = dir
	_ = c.Run()
	two, err := snaps.Take(b.Context(), snapshot.Meta{Kind: belay.KindManual})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := ReadGitFacts(b.Context(), snaps, one.ID, two.ID, []Span{{one.ID, two.ID}}); err != nil {
			b.Fatal(err)
		}
	}
}
