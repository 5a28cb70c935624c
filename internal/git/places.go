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

// What may be at a place in a git folder.
const (
	aFile = 1 << iota
	aFolder
	aSymref // a link to refs/…, as git itself makes HEAD with core.preferSymlinkRefs
	aLink
)

// place is a path in a git folder that belay or a git process of belay's reads or writes,
// and what may be there. Nothing may always be there.
type place struct {
	name string
	may  int
	most int64 // bytes that a file there may have; 0 is small
}

// small is the most for files that people and git write by hand, so to speak: git reads
// all of them to their end, whatever they are.
const small = 64 << 20

// ownPlaces are in the git folder of each working tree, commonPlaces in the shared one.
//
// The folder of hooks may be a link: people keep their hooks in a folder of the tree. Git
// never runs a hook for belay, and belay reads and restores the link, never what it leads
// to. Links to objects and refs, as the old git-new-workdir makes them, are refused like
// all others: whoever writes through them writes into another repository.
var (
	ownPlaces = []place{
		{"HEAD", aFile | aSymref, 0}, {"index", aFile, fsroot.Huge - 1}, {"config.worktree", aFile, 0},
		{"logs", aFolder, 0}, {"logs/HEAD", aFile, fsroot.Huge - 1},
		{"info", aFolder, 0}, {"refs", aFolder, 0}, {"commondir", aFile, 0}, {"gitdir", aFile, 0},
	}
	commonPlaces = []place{
		{"HEAD", aFile | aSymref, 0}, {"config", aFile, 0}, {"packed-refs", aFile, fsroot.Huge - 1}, {"shallow", aFile, 0},
		{"objects", aFolder, 0}, {"objects/pack", aFolder, 0}, {"objects/info", aFolder, 0}, {"objects/info/alternates", aFile, 0},
		{"refs", aFolder, 0}, {"refs/heads", aFolder, 0}, {"refs/tags", aFolder, 0}, {"refs/remotes", aFolder, 0},
		{"refs/stash", aFile, 0}, {"refs/belay", aFolder, 0}, {"refs/used-by-belay", aFolder, 0},
		{"logs", aFolder, 0}, {"logs/refs", aFolder, 0}, {"logs/refs/heads", aFolder, 0}, {"logs/refs/belay", aFolder, 0},
		{"logs/refs/used-by-belay", aFolder, 0},
		{"info", aFolder, 0}, {"info/exclude", aFile | aLink, 0}, {"info/attributes", aFile | aLink, 0},
		{"hooks", aFolder | aLink, 0}, {"worktrees", aFolder, 0}, {"modules", aFolder, 0}, {"reftable", aFolder, 0},
	}
	// otherPlaces are in the git folders of other working trees.
	otherPlaces = []place{{"HEAD", aFile | aSymref, 0}, {"commondir", aFile, 0}, {"gitdir", aFile, 0}, {"locked", aFile, 0}}
	// belayPlaces are in belay's own folder, in the git folder of a working tree and in the
	// shared one. Anything else there is a file or a folder: see docs/formats.md.
	belayPlaces = map[string]int{
		"plain": aFolder, "tmp": aFolder, "run": aFolder, "watch": aFolder, "files": aFolder, "tasks": aFolder, "trees": aFolder,
		"baseline": aFolder, "context": aFolder, "edits": aFolder, "index": aFolder,
		"stat-cache": aFile, "stored": aFile, "undo.json": aFile, "latest": aFile, "git-version": aFile,
		"tree.json": aFile, "reviews.json": aFile,
	}
)

// Odd is something in a git folder that belay does not work with.
type Odd struct {
	Path string
	Err  error // a *fsroot.LinkError, *fsroot.TypeError, *fsroot.OwnerError or *fsroot.SizeError
}

// sound looks at the places of the repository's git folders: a few dozen lstats.
// CodeCannot for the first that is a link, of the wrong type, or somebody else's.
func (r *Repo) sound() error {
	return r.eachPlace(func(o Odd) error { return refusal(o.Err) })
}

// soundRef looks at the files that git writes when a reference changes: its own, and its
// log, to which git would append through a link.
func (r *Repo) soundRef(name string) error {
	for _, dir := range r.folders() {
		for _, path := range []string{filepath.Join(dir, filepath.FromSlash(name)), filepath.Join(dir, "logs", filepath.FromSlash(name))} {
			info, err := fsroot.Lstat(path)
			if err == nil {
				err = fits(path, info, aFile|aFolder|aSymref, anyone)
			}
			if IsOdd(err) {
				return refusal(err)
			}
		}
	}
	return nil
}

// damaged names what is odd in a folder .git that is no git folder but has a HEAD: walking
// up, as git does, would find the repository around it.
func damaged(dir string) error {
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return nil
	}
	real, err := realPath(dir)
	if err != nil {
		return nil
	}
	return (&Repo{Dir: real, Common: real}).sound()
}

// refusal is CodeCannot with what a person can do about it.
func refusal(err error) error {
	try := "inspect it with: ls -ld"
	var with interface{ Try() string }
	if errors.As(err, &with) {
		try = with.Try()
	}
	return &belay.Error{Code: belay.CodeCannot, What: "the git folder cannot be used", Try: belay.VisibleLine(try), Err: err}
}

// IsOdd reports whether an error of Open says that there is something in a git folder that
// belay does not work with: then there is a repository, unlike with its other refusals.
func IsOdd(err error) bool {
	var link *fsroot.LinkError
	var kind *fsroot.TypeError
	var owner *fsroot.OwnerError
	var size *fsroot.SizeError
	return errors.As(err, &size) || errors.As(err, &link) || errors.As(err, &kind) || errors.As(err, &owner)
}

// Odds returns everything in the git folders of the repository that dir is in which is a
// link, of the wrong type or somebody else's where belay would work with it: what Open
// refuses, all of it, and besides what is anywhere below belay's own folder. It opens no
// file, starts nothing, and is there for when Open has failed.
func Odds(dir string) ([]Odd, error) {
	start, err := realPath(dir)
	if err != nil {
		return nil, err
	}
	r, err := find(start)
	if err != nil {
		return nil, err
	}
	var all []Odd
	seen := map[string]bool{}
	keep := func(o Odd) error {
		if !seen[o.Path] {
			all, seen[o.Path] = append(all, o), true
		}
		return nil
	}
	if err := r.eachPlace(keep); err != nil {
		return nil, err
	}
	owner := r.owner()
	for _, dir := range r.folders() {
		top := filepath.Join(dir, "belay")
		err := fsroot.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
			if rel, _ := filepath.Rel(top, path); rel == "trees" {
				return fs.SkipDir // working trees: what is in them is their owner's
			}
			if errors.Is(err, fs.ErrNotExist) || seen[path] {
				return nil
			}
			if err != nil {
				return keep(Odd{path, err})
			}
			info, err := e.Info()
			if err != nil {
				return nil
			}
			may := aFile | aFolder
			if filepath.Base(filepath.Dir(path)) == "watch" && filepath.Base(path) == "socket" {
				return nil
			}
			if err := fits(path, info, may, owner); err != nil {
				return keep(Odd{path, err})
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

// owner returns the user whose the git folder is: git has looked at whether he may be trusted.
func (r *Repo) owner() int {
	info, err := fsroot.Lstat(r.Common)
	if err != nil {
		return -1
	}
	return fsroot.OwnerOf(info)
}

// looking checks one place, of which most bytes are expected.
type looking func(path string, may, owner int, most int64) error

// eachPlace gives every odd place to found, until that is an error.
func (r *Repo) eachPlace(found func(Odd) error) error {
	look := func(path string, may, owner int, most int64) error {
		info, err := fsroot.Lstat(path)
		if err == nil {
			err = fits(path, info, may, owner)
		}
		if err == nil {
			err = sized(path, info, may, cmp.Or(most, small))
		}
		var link *fsroot.LinkError
		var kind *fsroot.TypeError
		switch {
		case err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission):
			return nil // whoever needs it says so
		case errors.As(err, &link):
			path = link.Path
		case errors.As(err, &kind):
			path = kind.Path
		}
		return found(Odd{path, err})
	}
	for _, part := range []func(looking) error{r.gitPlaces, r.worktreePlaces, r.objectPlaces, r.belayPlaces} {
		if err := part(look); err != nil {
			return err
		}
	}
	return nil
}

func (r *Repo) gitPlaces(look looking) error {
	type group struct {
		dir  string
		list []place
	}
	for _, g := range []group{{r.Dir, ownPlaces}, {r.Common, commonPlaces}} {
		for _, p := range g.list {
			if err := look(filepath.Join(g.dir, filepath.FromSlash(p.name)), p.may, anyone, p.most); err != nil {
				return err
			}
		}
	}
	return nil
}

// worktreePlaces looks at the other working trees: a git that lists them, or looks for a
// branch in use, reads all of them.
func (r *Repo) worktreePlaces(look looking) error {
	others, _ := fsroot.ReadDir(filepath.Join(r.Common, "worktrees"))
	for _, e := range others {
		dir := filepath.Join(r.Common, "worktrees", e.Name())
		if err := look(dir, aFolder, anyone, 0); err != nil {
			return err
		}
		for _, p := range otherPlaces {
			if err := look(filepath.Join(dir, p.name), p.may, anyone, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// objectPlaces looks at what git opens as it comes. One read of a folder tells the types.
func (r *Repo) objectPlaces(look looking) error {
	for _, in := range []place{
		{"objects", aFolder | aFile, 0},
		{"objects/pack", aFile | aLink, 0},
		{"objects/info", aFile | aFolder | aLink, 0},
	} {
		dir := filepath.Join(r.Common, filepath.FromSlash(in.name))
		list, _ := fsroot.ReadDir(dir)
		for _, e := range list {
			if e.Type().IsRegular() && in.may&aFile != 0 || e.IsDir() && in.may&aFolder != 0 {
				continue
			}
			if err := look(filepath.Join(dir, e.Name()), in.may, anyone, math.MaxInt64); err != nil {
				return err
			}
		}
	}
	return nil
}

// belayPlaces looks at belay's own folders.
func (r *Repo) belayPlaces(look looking) error {
	owner := r.owner()
	for _, dir := range r.folders() {
		dir = filepath.Join(dir, "belay")
		if err := look(dir, aFolder, owner, 0); err != nil {
			return err
		}
		list, err := fsroot.ReadDir(dir)
		if err != nil {
			continue // said above, or not there, or nobody may look
		}
		for _, e := range list {
			if e.Name() == "intent.json" || strings.HasPrefix(e.Name(), "unreadable-intent-") {
				continue // the restore sets the one aside as the other, opens neither, and names the way on
			}
			may, known := belayPlaces[e.Name()]
			if !known {
				may = aFile | aFolder
			}
			if err := look(filepath.Join(dir, e.Name()), may, owner, fsroot.Huge-1); err != nil {
				return err
			}
		}
	}
	return nil
}

// sized reports a file that is too large, and a link to something that is no file: an
// endless one, or one that nobody writes to, is read forever.
func sized(path string, info fs.FileInfo, may int, most int64) error {
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Stat(path)
		if err != nil {
			return nil // it leads nowhere
		}
		if info = target; info.Mode().IsDir() && may&aFolder != 0 {
			return nil
		}
		if !info.Mode().IsRegular() {
			return fsroot.WrongType(path, info.Mode(), "a file")
		}
	}
	if info.Mode().IsRegular() && info.Size() > most {
		return &fsroot.SizeError{Path: path, Most: most}
	}
	return nil
}

// anyone says that it does not matter whose a place is.
const anyone = -2

// fits reports what is wrong with what is at a path. Belay's own folder belongs to whoever
// runs it, to whose the repository is, or to root, who can forge anything anyway.
func fits(path string, info fs.FileInfo, may, owner int) error {
	return fitsUser(path, info, may, owner, os.Geteuid())
}

func fitsUser(path string, info fs.FileInfo, may, owner, me int) error {
	mode := info.Mode()
	switch {
	case mode.IsRegular() && may&aFile != 0, mode.IsDir() && may&aFolder != 0:
	case mode&fs.ModeSymlink != 0:
		if may&aLink != 0 {
			return nil
		}
		if may&aSymref != 0 {
			if target, err := fsroot.Readlink(path); err == nil && strings.HasPrefix(target, "refs/") && !strings.Contains(target, "..") {
				return nil
			}
		}
		return &fsroot.LinkError{Path: path}
	default:
		want := "a file"
		if may&aFile == 0 {
			want = "a folder"
		}
		return fsroot.WrongType(path, mode, want)
	}
	if is := fsroot.OwnerOf(info); owner != anyone && me != 0 && is != me && is != 0 && is != owner {
		return &fsroot.OwnerError{Path: path, Owner: is}
	}
	return nil
}
