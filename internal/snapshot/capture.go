package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"

	"github.com/belay-dev/belay/internal/scan"
)

// Capture is the current state as it was read: everything in a snapshot, with object names, and
// the objects to store for it. Reading it changes nothing.
type Capture struct {
	Refs              []git.Ref
	BrokenRefs        []git.BrokenRef // files in the place of refs that name nothing
	Options           CaptureOptions  // what is captured in addition to git's view
	LastCache         TakeCache       // the cache that the last snapshot wrote
	NextCache         TakeCache       // the cache for the next one, as far as refs go
	Head              git.Head
	LoadCache         func([]git.Ref) TakeCache // reads LastCache; nil means ReadCache
	Rules             outerRules
	Index             IndexState
	OperationFiles    []git.StateFile // of an operation in progress
	SharedFiles       []git.StateFile // config, hooks, info/…: shared by all worktrees
	WorktreeFiles     []git.StateFile // the same, of this worktree only
	Worktrees         []byte          // the other worktrees, as git.ListWorktrees returns them
	Reflogs           []git.StateFile // reflogs
	Scan              *scan.Result
	Answer            *WatchAnswer // instead of Scan, when a watcher answered
	Manifest          *Manifest
	FilesTree         string                 // the tree of the files
	SnapshotTree      string                 // the tree of the complete snapshot
	Objects           []git.NewObject        // everything except the blobs of files
	Blobs             map[string]*BlobSource // blobs of files that may have to be stored, by oid
	FoundIn           git.FoundObjects       // where objects were found that are not stored again
	OmitsStored       bool                   // Blobs omits the files for which isStored is true
	trackedBlobs      *trackedBlobs          // set for a scan without a cache
	headObjects       map[string]bool        // raw names of the objects in HEAD's tree
	headObjectsCommit string                 // the commit of headObjects
	lostHeadTrees     []LostObject
	ignoredFiles      []Uncaptured // fingerprints of ignored files that are not captured
	Unstable          bool         // something changed while it was read
	FileCount         int
}

// WatchAnswer is the state of the working tree as a watcher knows it, without reading every file:
// its tree, and the objects that the snapshot with the requested base does not contain.
type WatchAnswer struct {
	Tree     string
	Count    int
	Manifest *Manifest              // what a scan reports; without the index, outer rules and commits of nested repositories
	Blobs    map[string]*BlobSource // changed blobs, by oid
	Trees    []git.NewObject
	IndexKey string // the key of the index that the answer is valid for
	RulesKey string // the key of the outer ignore rules that it is valid for
}

// CaptureOptions selects what is captured in addition to git's view. Include are globs of ignored
// paths that a restore would overwrite.
type CaptureOptions struct {
	Include  []string
	Extent   CaptureExtent
	UseWatch bool // a watcher may answer; then Scan, Files and Trees may be empty

	// InnerSnapshots takes a snapshot of each repository inside the tree; nil takes none.
	InnerSnapshots InnerSnapshotter
}

// InnerSnapshotter takes snapshots of the repositories inside a tree, together with the snapshot
// of the tree.
type InnerSnapshotter interface {
	// Take fills in the manifest's Inner, and adds a gap for each repository that cannot be
	// captured. It is called again when the tree changed while it was read.
	Take(ctx context.Context, m *Manifest) error
	// Drop deletes the inner snapshots of the last Take when no outer snapshot was made.
	Drop(ctx context.Context) error
}

// BlobSource locates the bytes of a blob in the working tree.
type BlobSource struct {
	Path   string
	IsLink bool
	Size   int64
	Stored bool // an earlier snapshot contains it
}

// Capture reads the current state of the working tree and of git.
func (s *Worktree) Capture(ctx context.Context, w CaptureOptions) (*Capture, error) {
	c := &Capture{Blobs: map[string]*BlobSource{}, Options: w}
	if err := s.ReadGitState(ctx, c); err != nil {
		return nil, err
	}
	cold := !c.LastCache.Valid
	if cold {
		c.trackedBlobs = s.findTrackedBlobs(ctx, c)
		defer c.trackedBlobs.wait() // it reads packs
	}
	scan, err := s.Scan(ctx, c, cold)
	if err != nil {
		return nil, err
	}
	c.Scan, c.Unstable = scan, scan.Unstable
	if cold {
		if err := s.verifySeeds(ctx, c); err != nil {
			return nil, err
		}
	}
	more, err := s.InspectIgnored(ctx, c)
	if err != nil {
		return nil, err
	}
	if more { // capture them like other files
		if scan, err = s.Scan(ctx, c, false); err != nil {
			return nil, err
		}
		c.Scan, c.Unstable = scan, c.Unstable || scan.Unstable
	}
	return c, s.HashObjects(ctx, c)
}

// ReadGitState reads refs, HEAD, index and git's own files. Git replaces the index by a rename,
// so its bytes need no lock.
func (s *Worktree) ReadGitState(ctx context.Context, c *Capture) (err error) {
	// Check at each capture: an agent may have changed the repository since it was opened.
	if err := s.Repo.CheckInputs(); err != nil {
		return err
	}
	if err := s.checkCommonDir(); err != nil {
		return err
	}
	failed := make(chan error, 1)
	go func() {
		var err error
		c.Rules, err = s.readOuterRules(ctx)
		failed <- err
	}()
	c.Refs, c.BrokenRefs, err = s.Repo.RefsUnread(ctx, isSnapshotRef, nil)
	if err = errors.Join(err, <-failed); err != nil {
		return err
	}
	if c.LastCache = (TakeCache{}); c.LoadCache != nil {
		c.LastCache = c.LoadCache(c.Refs)
	} else {
		c.LastCache = s.ReadCache(c.Refs)
	}
	if c.LastCache.Valid {
		now, same := git.RefreshFound(ctx, s.Repo, c.LastCache.FoundIn)
		c.LastCache.FoundIn, c.LastCache.Untrusted = now, !same || c.LastCache.HasLost
	}
	if c.Head, err = s.Repo.Head(ctx, c.Refs); err != nil {
		return err
	}
	if c.OperationFiles, err = git.ReadStateFiles(s.Repo.Dir, git.OperationFiles()); err != nil {
		return err
	}
	if c.SharedFiles, err = git.ReadStateFiles(s.Repo.Common, git.AdminFiles); err != nil {
		return err
	}
	modules, err := git.ReadModules(s.Repo.Common)
	if err != nil {
		return err
	}
	c.SharedFiles = append(c.SharedFiles, modules...)
	if c.WorktreeFiles, err = git.ReadStateFiles(s.Repo.Dir, git.WorktreeFiles); err != nil {
		return err
	}
	if c.Worktrees, err = git.ListWorktrees(s.Repo.Common); err != nil {
		return err
	}
	if c.Reflogs, err = s.readReflogs(c.Head, c.Refs); err != nil {
		return err
	}
	return s.readIndex(ctx, c)
}

// checkCommonDir fails when a commondir file was added to the git folder since the repository was
// opened: git would read the refs of another repository, despite GIT_DIR.
func (s *Worktree) checkCommonDir() error {
	if s.Repo.Linked() {
		return nil
	}
	path := filepath.Join(s.Repo.Dir, "commondir")
	if _, err := fsroot.Lstat(path); err == nil {
		return belay.Refuse(belay.CodeCannot, "rm "+belay.VisibleLine(path),
			"%s was added: it points git to the refs of another repository", belay.VisibleLine(path))
	}
	return nil
}

// readReflogs reads the reflogs that a restore may need: those of HEAD, of local refs and of the
// stash, whose log is its content. Reflogs of remote refs only record fetches, and those of a
// reftable are left to git.
func (s *Worktree) readReflogs(head git.Head, refs []git.Ref) ([]git.StateFile, error) {
	if s.Repo.UsesReftable {
		return nil, nil
	}
	own, err := git.ReadStateFiles(s.Repo.Dir, []string{"logs/HEAD", "logs/ORIG_HEAD"})
	if err != nil {
		return nil, err
	}
	// Usually only branches have logs, and there may be thousands of tags.
	kinds, err := fsroot.ReadDir(filepath.Join(s.Repo.Common, "logs", "refs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read git's state: %w", err)
	}
	var names []string
	for _, r := range refs {
		kind, _, _ := strings.Cut(strings.TrimPrefix(r.Name, "refs/"), "/")
		there := slices.ContainsFunc(kinds, func(d fs.DirEntry) bool { return d.Name() == kind })
		if there && kind != "remotes" && !IsOwnRef(r.Name) && kind != "worktree" {
			names = append(names, "logs/"+r.Name)
		}
	}
	shared, err := git.ReadStateFiles(s.Repo.Common, names)
	return append(own, shared...), err
}

// Scan reads the working tree. With seeds, a scan without a cache trusts the user's index about
// files that look unchanged since git read them.
func (s *Worktree) Scan(ctx context.Context, c *Capture, seeds bool) (*scan.Result, error) {
	ask := s.Repo.Ignorer(ctx)
	defer ask.Close()
	return scan.Scan(ctx, s.scanOptions(c, seeds, ask))
}

func (s *Worktree) scanOptions(c *Capture, seeds bool, ask *git.Ignorer) scan.Options {
	o := scan.Options{
		Root: s.Repo.Root, GitDir: s.Repo.Dir, Cache: s.statCachePath(), NewHash: s.Repo.NewHash,
		TrackedKey: c.Index.PathsKey, RulesKey: c.Rules.key, Ignored: ask.Ask,
		Include: slices.Concat(s.Include, c.Options.Include), MaxFile: s.MaxFile,
		ReadTracked: s.readTracked(c, seeds),
	}
	e := c.Options.Extent
	if o.MaxFile > 0 {
		o.MaxFile = max(o.MaxFile, e.MaxFile)
	}
	if also := e.Selector(); also != nil {
		o.IncludeMore = also
	}
	if e.Baseline != nil {
		o.Baseline = e.Baseline.scanBaseline(c)
		if e.includesIgnored() {
			o.EnterRepo = e.Baseline.entersRepo
		}
	}
	return o
}

// verifySeeds checks what a scan without a cache took from the user's index. If a filter or a
// line-ending rule was active when git read a file, the index names other bytes than those on disk.
// If sizes differ, or if there are attributes, every file is read.
func (s *Worktree) verifySeeds(ctx context.Context, c *Capture) error {
	suspect := false
	for _, e := range c.Scan.Entries {
		if strings.HasSuffix(e.Path, ".gitattributes") {
			suspect = true
			break
		}
	}
	for _, p := range c.Scan.Ignored {
		suspect = suspect || strings.HasSuffix(p, ".gitattributes")
	}
	if !suspect {
		var err error
		if suspect, err = s.hasDifferentSizes(ctx, c); err != nil {
			return err
		}
	}
	if !suspect {
		return nil
	}
	if err := fsroot.Remove(s.statCachePath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	scan, err := s.Scan(ctx, c, false)
	if err != nil {
		return err
	}
	c.Scan, c.Unstable = scan, scan.Unstable
	return nil
}

// trackedBlobs records which blobs of the index are in packs, and their sizes. It is filled in the
// background while the tree is scanned.
type trackedBlobs struct {
	done    chan struct{}
	checked git.CheckResult
	err     error
}

// findTrackedBlobs starts looking for the blobs that a scan without a cache may take from the
// index. A blob that cannot be checked counts as missing.
func (s *Worktree) findTrackedBlobs(ctx context.Context, c *Capture) *trackedBlobs {
	t := &trackedBlobs{done: make(chan struct{})}
	raws := make([]string, 0, len(c.Index.Entries))
	for i := range c.Index.Entries {
		if e := &c.Index.Entries[i]; canSeed(e) {
			raws = append(raws, e.OID)
		}
	}
	go func() {
		defer close(t.done)
		t.checked, t.err = git.CheckNames(ctx, s.Repo, raws, git.CheckOptions{WantSizes: true})
	}()
	return t
}

func (t *trackedBlobs) wait() { <-t.done }

// sizeOf returns the size of a blob in bytes, if a pack contains it.
func (t *trackedBlobs) sizeOf(oid fsroot.OID) (int64, bool) {
	t.wait()
	if t.err != nil {
		return 0, false
	}
	return t.checked.SizeInPack(string(oid))
}

func (s *Worktree) hasDifferentSizes(ctx context.Context, c *Capture) (bool, error) {
	var oids []string
	var want []int64
	for i := range c.Scan.Entries {
		e := &c.Scan.Entries[i]
		if e.Fresh {
			continue
		}
		if n, ok := c.trackedBlobs.sizeOf(e.OID); !ok {
			oids, want = append(oids, e.OID.String()), append(want, e.Size)
		} else if n != e.Size {
			return true, nil
		}
	}
	sizes, err := s.Repo.Sizes(ctx, oids)
	if err != nil {
		return false, err
	}
	for i, n := range sizes {
		if n >= 0 && n != want[i] {
			return true, nil
		}
	}
	return false, nil
}
