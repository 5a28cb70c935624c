package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// repository measures snapshots and restores in a generated repository of n files.
func (b *bench) repository(n int) error {
	dir := filepath.Join(b.place, fmt.Sprintf("repo-%d", n))
	if err := generate(dir, n); err != nil {
		return err
	}
	b.files = n
	b.head(fmt.Sprintf("%d files", n))
	status, take := b.pair()
	if err := b.quiet(dir, status, take); err != nil {
		return err
	}
	if err := b.compare(unchanged, dir, append([]contender{status, take}, b.peers(dir)...)...); err != nil {
		return err
	}
	if err := b.handed(dir, n, status); err != nil {
		return err
	}
	for _, changed := range []int{4, 1000} {
		if changed > n/2 {
			continue
		}
		all := []contender{edits(status, dir, n, changed), edits(take, dir, n, changed)}
		for _, p := range b.peers(dir) {
			all = append(all, edits(p, dir, n, changed))
		}
		title := fmt.Sprintf("%d files changed", changed)
		if err := b.compare(title, dir, all[:2]...); err != nil {
			return err
		}
		// Some of the others rewrite the index, which a snapshot then has to read and store.
		if err := b.compare(title+", among others", dir, all...); err != nil {
			return err
		}
	}
	if err := b.restores(dir, n, status); err != nil {
		return err
	}
	if err := b.watched(dir, n, take); err != nil {
		return err
	}
	return b.disk(dir, n)
}

// only measures belay and git status on a repository of n files.
func (b *bench) only(n int) error {
	dir := filepath.Join(b.place, fmt.Sprintf("repo-%d", n))
	if err := generate(dir, n); err != nil {
		return err
	}
	b.files = n
	b.head(fmt.Sprintf("%d files", n))
	status, take := b.pair()
	if err := b.quiet(dir, status, take); err != nil {
		return err
	}
	if err := b.compare("4 files changed", dir, edits(status, dir, n, 4), edits(take, dir, n, 4)); err != nil {
		return err
	}
	rewritten := func(c contender) contender {
		before := edits(c, dir, n, 4).before
		c.before = func(round int) error {
			if err := before(round); err != nil {
				return err
			}
			refresh := exec.Command("git", "update-index", "-q", "--refresh", "--force-write-index")
			refresh.Dir, refresh.Env = dir, environ()
			err := refresh.Run()
			var exit *exec.ExitError
			if errors.As(err, &exit) && exit.ExitCode() == 1 { // 1: some files need an update
				err = nil
			}
			return err
		}
		return c
	}
	if err := b.compare("4 files changed, index rewritten", dir, rewritten(status), rewritten(take)); err != nil {
		return err
	}
	if err := b.restores(dir, n, status); err != nil {
		return err
	}
	return b.watched(dir, n, take)
}

// pair returns the two contenders of every comparison.
func (b *bench) pair() (status, take contender) {
	status = contender{name: "git status", argv: []string{"git", "status", "--porcelain"}, env: []string{"GIT_OPTIONAL_LOCKS=0"}}
	return status, contender{name: "belay snapshot take", argv: []string{b.belay, "snapshot", "take"}}
}

// quiet compares them on an unchanged tree, with and without a cache.
func (b *bench) quiet(dir string, status, take contender) error {
	cold := take
	cold.before = func(int) error { return os.RemoveAll(filepath.Join(dir, ".git", "belay")) }
	if err := b.compare("first take, nothing cached", dir, status, cold); err != nil {
		return err
	}
	return b.compare("nothing changed", dir, status, take)
}

// edits makes a contender edit files before each round.
func edits(c contender, dir string, n, changed int) contender {
	prepare := c.before
	c.before = func(round int) error {
		if prepare != nil {
			if err := prepare(round); err != nil {
				return err
			}
		}
		return edit(dir, n, changed, fmt.Sprintf("%s %d %d", c.name, changed, round))
	}
	return c
}

// watched compares snapshots after one edit without a watch and with one. The two cannot take
// turns, because a running watch serves both.
func (b *bench) watched(dir string, n int, take contender) error {
	take.before = func(round int) error {
		return edit(dir, n, 1, fmt.Sprintf("watch %d %d", round, time.Now().UnixNano()))
	}
	if err := b.compare("1 file changed", dir, take); err != nil {
		return err
	}
	watch := exec.Command(b.belay, "watch")
	watch.Dir, watch.Env = dir, environ()
	if out, err := watch.CombinedOutput(); err != nil {
		return fmt.Errorf("belay watch: %w: %s", err, out)
	}
	take.name = "belay snapshot take, watched"
	err := b.compare("1 file changed", dir, take)
	stop := exec.Command(b.belay, "watch", "--stop")
	stop.Dir, stop.Env = dir, environ()
	if out, serr := stop.CombinedOutput(); err == nil && serr != nil {
		err = fmt.Errorf("belay watch --stop: %w: %s", serr, out)
	}
	return err
}

// peers are the command sequences with which other tools save a state.
func (b *bench) peers(dir string) []contender {
	shadow := filepath.Join(b.place, "shadow-"+filepath.Base(dir))
	index := filepath.Join(b.place, "index-"+filepath.Base(dir))
	sh := func(name, script string) contender {
		return contender{name: name, argv: []string{"sh", "-ec", script}}
	}
	return []contender{
		{name: "git stash create", argv: []string{"git", "stash", "create"}},
		sh("shadow repository, add and commit", fmt.Sprintf(
			`[ -d %[1]s ] ||`+
				` git init -q --bare %[1]s; export GIT_DIR=%[1]s GIT_WORK_TREE=%[2]s; git add .; `+
				`git commit -q --allow-empty -m x`, shadow, dir)),
		sh("temporary index, read-tree and add", fmt.Sprintf(
			`rm -f %[1]s; export GIT_INDEX_FILE=%[1]s; git read-tree HEAD; git add -A; git write-tree`, index)),
		sh("copied index, add", fmt.Sprintf(
			`cp -p .git/index %[1]s; export GIT_INDEX_FILE=%[1]s; git add -A; git write-tree`, index)),
	}
}

func (b *bench) restores(dir string, n int, status contender) error {
	out, err := exec.Command(b.belay, "-C", dir, "snapshot", "take").Output()
	if err != nil {
		return fmt.Errorf("take: %w", err)
	}
	id := strings.TrimSpace(string(out))
	changed := min(100, n/2)
	restore := contender{name: "belay snapshot restore", argv: []string{b.belay, "snapshot", "restore", id, "--yes"},
		before: func(round int) error { return edit(dir, n, changed, fmt.Sprintf("restore %d", round)) }}
	return b.compare(fmt.Sprintf("restore %d changed files", changed), dir, status, restore)
}

// disk shows how much a snapshot adds to the disk: of an unchanged tree, and of one changed file.
func (b *bench) disk(dir string, n int) error {
	take := func() error { return exec.Command(b.belay, "-C", dir, "snapshot", "take").Run() }
	measure := func(times int, change bool) (int64, error) {
		before, err := weigh(filepath.Join(dir, ".git", "objects"))
		if err != nil {
			return 0, err
		}
		for i := range times {
			if change {
				if err := edit(dir, n, 1, fmt.Sprintf("disk %d", i)); err != nil {
					return 0, err
				}
			}
			if err := take(); err != nil {
				return 0, err
			}
		}
		after, err := weigh(filepath.Join(dir, ".git", "objects"))
		return (after - before) / int64(times), err
	}
	for _, c := range []struct {
		name   string
		change bool
	}{{"unchanged", false}, {"one file edited", true}} {
		grown, err := measure(10, c.change)
		if err != nil {
			return err
		}
		fmt.Fprintf(b.out, "| %-38s | %-34s | %9.1f KiB | %6s |\n", "disk, each take", c.name, float64(grown)/1024, "")
	}
	return nil
}

func weigh(dir string) (int64, error) {
	var sum int64
	err := filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	return sum, err
}

// generate creates a committed repository of n small files, a hundred in each folder, unless it
// exists.
func generate(dir string, n int) error {
	done := filepath.Join(dir, ".git", "generated")
	if _, err := os.Stat(done); err == nil {
		return reset(dir)
	}
	for i := range n {
		path := name(dir, i)
		if i%100 == 0 {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
		}
		if err := os.WriteFile(path, []byte(strings.Repeat(fmt.Sprintf("line of file %d\n", i), 20)), 0o644); err != nil {
			return err
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "gc.auto=0", "commit", "-qm", "all"}, {"gc", "-q"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = dir, environ()
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %v: %w: %s", args, err, out)
		}
	}
	time.Sleep(1100 * time.Millisecond) // avoids racy index entries
	refresh := exec.Command("git", "status")
	refresh.Dir, refresh.Env = dir, environ()
	return errors.Join(refresh.Run(), os.WriteFile(done, nil, 0o644))
}

// reset restores a generated repository to its first state.
func reset(dir string) error {
	if err := os.RemoveAll(filepath.Join(dir, ".git", "belay")); err != nil {
		return err
	}
	cmd := exec.Command("git", "reset", "-q", "--hard")
	cmd.Dir, cmd.Env = dir, environ()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git reset: %w: %s", err, out)
	}
	time.Sleep(1100 * time.Millisecond) // avoids racy index entries
	return nil
}

func name(dir string, i int) string {
	return filepath.Join(dir, fmt.Sprintf("d%03d", i/10000), fmt.Sprintf("e%02d", i/100%100), fmt.Sprintf("file%d.txt", i))
}

// edit changes some of the files, spread over the folders.
func edit(dir string, n, changed int, salt string) error {
	for i := range changed {
		if err := os.WriteFile(name(dir, i*(n/changed)), []byte(fmt.Sprintf("edited %s %d\n", salt, i)), 0o644); err != nil {
			return err
		}
	}
	return nil
}
