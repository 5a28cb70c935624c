package git

import (
	"cmp"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// The kinds of things that may be at a path in a git folder.
const (
	allowFile = 1 << iota
	allowFolder
	allowSymref // a link to refs/…, as git itself creates for HEAD with core.preferSymlinkRefs
	allowLink
)

// checkedPath is a path in a git folder that belay or one of its git processes reads or writes, and
// what is allowed there. It may always be missing.
type checkedPath struct {
	name    string
	allowed int
	maxSize int64 // size limit of a file in bytes; 0 is maxSmallFile
}

// maxSmallFile limits files that are usually small: git reads them completely.
const maxSmallFile = 64 << 20

// worktreePaths are in the git folder of each worktree, commonPaths in the shared one.
//
// The folder of hooks may be a link: people keep hooks in a folder of the tree. Git never runs a
// hook for belay, and belay reads and restores the link, never its target. Links to objects and
// refs, as the old git-new-workdir creates them, are refused like all others: writing through them
// changes another repository.
var (
	worktreePaths = []checkedPath{
		{"HEAD", allowFile | allowSymref, 0}, {"index", allowFile, fsroot.MaxLargeFile - 1}, {"config.worktree", allowFile, 0},
		{"logs", allowFolder, 0}, {"logs/HEAD", allowFile, fsroot.MaxLargeFile - 1},
		{"info", allowFolder, 0}, {"refs", allowFolder, 0}, {"commondir", allowFile, 0}, {"gitdir", allowFile, 0},
	}
	commonPaths = []checkedPath{
		{"HEAD", allowFile | allowSymref, 0}, {"config", allowFile, 0},
		{"packed-refs", allowFile, fsroot.MaxLargeFile - 1}, {"shallow", allowFile, 0},
		{"objects", allowFolder, 0}, {"objects/pack", allowFolder, 0},
		{"objects/info", allowFolder, 0}, {"objects/info/alternates", allowFile, 0},
		{"refs", allowFolder, 0}, {"refs/heads", allowFolder, 0}, {"refs/tags", allowFolder, 0}, {"refs/remotes", allowFolder, 0},
		{"refs/stash", allowFile, 0}, {"refs/belay", allowFolder, 0}, {"refs/used-by-belay", allowFolder, 0},
		{"logs", allowFolder, 0}, {"logs/refs", allowFolder, 0}, {"logs/refs/heads", allowFolder, 0}, {"logs/refs/belay", allowFolder, 0},
		{"logs/refs/used-by-belay", allowFolder, 0},
		{"info", allowFolder, 0}, {"info/exclude", allowFile | allowLink, 0}, {"info/attributes", allowFile | allowLink, 0},
		{"hooks", allowFolder | allowLink, 0}, {"worktrees", allowFolder, 0}, {"modules", allowFolder, 0}, {"reftable", allowFolder, 0},
	}
	// otherWorktreePaths are in the git folders of other worktrees.
	otherWorktreePaths = []checkedPath{{"HEAD", allowFile | allowSymref, 0}, {"commondir", allowFile, 0},
		{"gitdir", allowFile, 0}, {"locked", allowFile, 0}}
	// belayPaths are in belay's own folder, in the git folder of a worktree and in the shared one.
	// Others there may be files or folders: see docs/formats.md.
	belayPaths = map[string]int{
		"plain": allowFolder, "tmp": allowFolder, "run": allowFolder, "watch": allowFolder, "files": allowFolder,
		"tasks": allowFolder, "trees": allowFolder,
		"baseline": allowFolder, "context": allowFolder, "edits": allowFolder, "index": allowFolder,
		"stat-cache": allowFile, "stored": allowFile, "undo.json": allowFile, "latest": allowFile, "git-version": allowFile,
		"tree.json": allowFile, "reviews.json": allowFile,
	}
)

// UnusablePath is a path in a git folder that belay refuses to use.
type UnusablePath struct {
	Path string
	Err  error // a *fsroot.LinkError, *fsroot.TypeError, *fsroot.OwnerError or *fsroot.SizeError
}

// checkPaths checks the paths of the repository's git folders with a few dozen lstats. CodeCannot
// for the first that is a link, of the wrong type, or owned by somebody else.
func (r *Repo) checkPaths() error {
	return r.eachUnusable(func(o UnusablePath) error { return refuseUnusable(o.Err) })
}

// checkRefPaths checks the files that git writes when a reference changes: its own, and its log, to
// which git would append through a link.
func (r *Repo) checkRefPaths(name string) error {
	for _, dir := range r.folders() {
		for _, path := range []string{filepath.Join(dir, filepath.FromSlash(name)), filepath.Join(dir, "logs", filepath.FromSlash(name))} {
			info, err := fsroot.Lstat(path)
			if err == nil {
				err = checkKind(path, info, allowFile|allowFolder|allowSymref, anyOwner)
			}
			if IsUnusable(err) {
				return refuseUnusable(err)
			}
		}
	}
	return nil
}

// checkDamaged returns the fault of a .git folder that has a HEAD and is no git folder. Without it
// the walk up, as git does it, would find the repository around.
func checkDamaged(dir string) error {
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return nil
	}
	real, err := realPath(dir)
	if err != nil {
		return nil
	}
	return (&Repo{Dir: real, Common: real}).checkPaths()
}

// refuseUnusable returns CodeCannot with advice for a person.
func refuseUnusable(err error) error {
	try := "inspect it with: ls -ld"
	var with interface{ Try() string }
	if errors.As(err, &with) {
		try = with.Try()
	}
	return &belay.Error{Code: belay.CodeCannot, What: "the git folder cannot be used", Try: belay.VisibleLine(try), Err: err}
}

// IsUnusable reports whether an error of Open is about something in a git folder that belay refuses
// to use: then a repository exists, unlike with other errors.
func IsUnusable(err error) bool {
	var link *fsroot.LinkError
	var kind *fsroot.TypeError
	var owner *fsroot.OwnerError
	var size *fsroot.SizeError
	return errors.As(err, &size) || errors.As(err, &link) || errors.As(err, &kind) || errors.As(err, &owner)
}

// FindUnusable returns all unusable paths in the git folders of the repository around dir: links,
// wrong types, and other owners where belay would use a path. That is everything that Open refuses,
// and everything below belay's own folder. It opens no file and starts no process: it is for
// repositories that Open refused.
func FindUnusable(dir string) ([]UnusablePath, error) {
	start, err := realPath(dir)
	if err != nil {
		return nil, err
	}
	r, err := find(start)
	if err != nil {
		return nil, err
	}
	var all []UnusablePath
	seen := map[string]bool{}
	keep := func(o UnusablePath) error {
		if !seen[o.Path] {
			all, seen[o.Path] = append(all, o), true
		}
		return nil
	}
	if err := r.eachUnusable(keep); err != nil {
		return nil, err
	}
	owner := r.owner()
	for _, dir := range r.folders() {
		top := filepath.Join(dir, "belay")
		err := fsroot.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
			if rel, _ := filepath.Rel(top, path); rel == "trees" {
				return fs.SkipDir // working trees: their content is their owner's
			}
			if errors.Is(err, fs.ErrNotExist) || seen[path] {
				return nil
			}
			if err != nil {
				return keep(UnusablePath{path, err})
			}
			info, err := e.Info()
			if err != nil {
				return nil
			}
			may := allowFile | allowFolder
			if filepath.Base(filepath.Dir(path)) == "watch" && filepath.Base(path) == "socket" {
				return nil
			}
			if err := checkKind(path, info, may, owner); err != nil {
				return keep(UnusablePath{path, err})
			}
			return nil
		})
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

func (r *Repo) folders() []string {
	if r.Linked() {
		return []string{r.Common, r.Dir}
	}
	return []string{r.Dir}
}

// owner returns the owner of the git folder, whom git has accepted.
func (r *Repo) owner() int {
	info, err := fsroot.Lstat(r.Common)
	if err != nil {
		return -1
	}
	return fsroot.OwnerID(info)
}

// checkFunc checks one path, with a limit of most bytes.
type checkFunc func(path string, may, owner int, most int64) error

// eachUnusable calls found with every unusable path, until that returns an error.
func (r *Repo) eachUnusable(found func(UnusablePath) error) error {
	look := func(path string, may, owner int, most int64) error {
		info, err := fsroot.Lstat(path)
		if err == nil {
			err = checkKind(path, info, may, owner)
		}
		if err == nil {
			err = checkSize(path, info, may, cmp.Or(most, maxSmallFile))
		}
		var link *fsroot.LinkError
		var kind *fsroot.TypeError
		switch {
		case err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission):
			return nil // reported when the path is used
		case errors.As(err, &link):
			path = link.Path
		case errors.As(err, &kind):
			path = kind.Path
		}
		return found(UnusablePath{path, err})
	}
	for _, part := range []func(checkFunc) error{r.checkGitPaths, r.checkWorktreePaths, r.checkObjectPaths, r.checkBelayPaths} {
		if err := part(look); err != nil {
			return err
		}
	}
	return nil
}

func (r *Repo) checkGitPaths(look checkFunc) error {
	type group struct {
		dir  string
		list []checkedPath
	}
	for _, g := range []group{{r.Dir, worktreePaths}, {r.Common, commonPaths}} {
		for _, p := range g.list {
			if err := look(filepath.Join(g.dir, filepath.FromSlash(p.name)), p.allowed, anyOwner, p.maxSize); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkWorktreePaths checks the other worktrees. A git process that lists them, or checks whether a
// branch is in use, reads all of them.
func (r *Repo) checkWorktreePaths(look checkFunc) error {
	others, _ := fsroot.ReadDir(filepath.Join(r.Common, "worktrees"))
	for _, e := range others {
		dir := filepath.Join(r.Common, "worktrees", e.Name())
		if err := look(dir, allowFolder, anyOwner, 0); err != nil {
			return err
		}
		for _, p := range otherWorktreePaths {
			if err := look(filepath.Join(dir, p.name), p.allowed, anyOwner, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkObjectPaths checks files that git opens without being named by anything. Reading each folder
// once gives the types.
func (r *Repo) checkObjectPaths(look checkFunc) error {
	for _, in := range []checkedPath{
		{"objects", allowFolder | allowFile, 0},
		{"objects/pack", allowFile | allowLink, 0},
		{"objects/info", allowFile | allowFolder | allowLink, 0},
	} {
		dir := filepath.Join(r.Common, filepath.FromSlash(in.name))
		list, _ := fsroot.ReadDir(dir)
		for _, e := range list {
			if e.Type().IsRegular() && in.allowed&allowFile != 0 || e.IsDir() && in.allowed&allowFolder != 0 {
				continue
			}
			if err := look(filepath.Join(dir, e.Name()), in.allowed, anyOwner, math.MaxInt64); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkBelayPaths checks belay's own folders.
func (r *Repo) checkBelayPaths(look checkFunc) error {
	owner := r.owner()
	for _, dir := range r.folders() {
		dir = filepath.Join(dir, "belay")
		if err := look(dir, allowFolder, owner, 0); err != nil {
			return err
		}
		list, err := fsroot.ReadDir(dir)
		if err != nil {
			continue // reported above, missing, or not permitted
		}
		for _, e := range list {
			if e.Name() == "intent.json" || strings.HasPrefix(e.Name(), "unreadable-intent-") {
				continue // the restore renames an unusable intent without opening it, and reports what to do
			}
			may, known := belayPaths[e.Name()]
			if !known {
				may = allowFile | allowFolder
			}
			if err := look(filepath.Join(dir, e.Name()), may, owner, fsroot.MaxLargeFile-1); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkSize returns an error for a file that is too large, and for a link to something other than a
// file: an endless device or a FIFO without a writer would be read forever.
func checkSize(path string, info fs.FileInfo, may int, most int64) error {
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Stat(path)
		if err != nil {
			return nil // a broken link
		}
		if info = target; info.Mode().IsDir() && may&allowFolder != 0 {
			return nil
		}
		if !info.Mode().IsRegular() {
			return fsroot.NewTypeError(path, info.Mode(), "a file")
		}
	}
	if info.Mode().IsRegular() && info.Size() > most {
		return &fsroot.SizeError{Path: path, Max: most}
	}
	return nil
}

// anyOwner allows every owner.
const anyOwner = -2

// checkKind returns an error if the type or owner of a path is wrong. Belay's own folder may belong
// to the current user, the owner of the repository, or root, who can forge anything anyway.
func checkKind(path string, info fs.FileInfo, may, owner int) error {
	return checkKindFor(path, info, may, owner, os.Geteuid())
}

func checkKindFor(path string, info fs.FileInfo, may, owner, me int) error {
	mode := info.Mode()
	switch {
	case mode.IsRegular() && may&allowFile != 0, mode.IsDir() && may&allowFolder != 0:
	case mode&fs.ModeSymlink != 0:
		if may&allowLink != 0 {
			return nil
		}
		if may&allowSymref != 0 {
			if target, err := fsroot.Readlink(path); err == nil && strings.HasPrefix(target, "refs/") && !strings.Contains(target, "..") {
				return nil
			}
		}
		return &fsroot.LinkError{Path: path}
	default:
		want := "a file"
		if may&allowFile == 0 {
			want = "a folder"
		}
		return fsroot.NewTypeError(path, mode, want)
	}
	if is := fsroot.OwnerID(info); owner != anyOwner && me != 0 && is != me && is != 0 && is != owner {
		return &fsroot.OwnerError{Path: path, Owner: is}
	}
	return nil
}
