package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// MinVersion is the lowest version of git that belay works with.
const MinVersion = "2.39"

// checkedPrograms are the programs with a version that this process found recent enough.
var checkedPrograms sync.Map

// checkVersion fails for an older git. It runs each git program only once: the answer is cached by
// the program's path, size and time.
func (r *Repo) checkVersion(ctx context.Context) error {
	st, err := os.Stat(r.git)
	if err != nil {
		return fmt.Errorf("check %s: %w", r.git, err)
	}
	stamp := filepath.Join(r.Dir, "belay", "git-version")
	key := fmt.Sprintf("%s %d %d\n", r.git, st.Size(), st.ModTime().UnixNano())
	if _, known := checkedPrograms.Load(key); known {
		return nil
	}
	if seen, err := fsroot.ReadFile(stamp, fsroot.MaxSmallFile); err == nil && string(seen) == key {
		return nil
	}
	out, err := r.Run(ctx, nil, "version")
	if err != nil {
		return err
	}
	have := strings.TrimPrefix(strings.TrimSpace(string(out)), "git version ")
	if !isAtLeast(have, MinVersion) {
		return belay.Refuse(belay.CodeCannot, "install git "+MinVersion+" or newer", "git at %s is %s, belay needs %s",
			r.git, belay.VisibleLine(have), MinVersion)
	}
	checkedPrograms.Store(key, true)
	if _, err := fsroot.Lstat(filepath.Dir(stamp)); err == nil {
		_ = fsroot.WriteFile(stamp, []byte(key), 0o600) // if it is lost or partial, git is asked again
	}
	return nil
}

// isAtLeast compares the first two numbers of two versions.
func isAtLeast(have, want string) bool {
	var h, w [2]int
	_, _ = fmt.Sscanf(have, "%d.%d", &h[0], &h[1])
	_, _ = fmt.Sscanf(want, "%d.%d", &w[0], &w[1])
	return h[0] > w[0] || h[0] == w[0] && h[1] >= w[1]
}

// findGit finds git on PATH. It skips relative entries and those inside the repository, which could
// contain a program that came with it.
func findGit(root, common string) (string, error) {
	home := root // of a linked worktree: its repository is elsewhere
	if filepath.Base(common) == ".git" {
		home = filepath.Dir(common)
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if !filepath.IsAbs(dir) || isInside(root, dir) || isInside(home, dir) {
			continue
		}
		path := filepath.Join(dir, "git")
		if st, err := os.Stat(path); err != nil || st.IsDir() || st.Mode()&0o111 == 0 {
			continue
		}
		if !isInside(root, path) && !isInside(home, path) {
			return path, nil
		}
	}
	return "", belay.Refuse(belay.CodeCannot, "install git "+MinVersion+" or newer", "git is not on PATH; belay needs %s", MinVersion)
}

func isInside(root, path string) bool {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	rel, err := filepath.Rel(root, path)
	return root != "/" && err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}
