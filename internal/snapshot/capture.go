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

// Capture is the present as it was read: everything a snapshot holds, named, and the
// objects to be stored for it. Reading it changes nothing.
type Capture struct {
	Refs              []git.Ref
	BrokenRefs        []git.BrokenRef // files in the place of refs that name nothing
	Options           CaptureOptions  // what is captured besides the ordinary
	LastCache         TakeCache       // what the last take left to remember
	NextCache         TakeCache       // what this one leaves, as far as refs go
	Head              git.Head
	LoadCache         func([]git.Ref) TakeCache // gives Last; nil is Remember
	Rules             outerRules
	Index             IndexState
	OperationFiles    []git.StateFile // of an operation in progress
	SharedFiles       []git.StateFile // what steers git, shared by all working trees
	WorktreeFiles     []git.StateFile // what steers git in this one
	Worktrees         []byte          // which other working trees there are, as git.ListWorktrees gives it
	Reflogs           []git.StateFile // reflogs
	Scan              *scan.Result
	Answer            *WatchAnswer // instead of Scan, when a watch answered
	Manifest          *Manifest
	FilesTree         string                 // the files' tree
	SnapshotTree      string                 // the snapshot's tree
	Objects           []git.NewObject        // everything but the files' blobs
	Blobs             map[string]*BlobSource // the files' blobs that may have to be stored, by oid
	FoundIn           git.FoundObjects       // what was found in the store this time and is not stored again
	OmitsStored       bool                   // Blobs leaves out what isStored says of
	trackedBlobs      *trackedBlobs          // of a cold read
	headObjects       map[string]bool        // raw names of what HEAD's tree names
	headObjectsCommit string                 // and which commit that is of
	lostHeadTrees     []LostObject
	ignoredFiles      []Uncaptured // what ignored files look like that are not captured
	Unstable          bool         // something changed while it was read
	FileCount         int          // how many files it holds
}

// WatchAnswer is what a watch knows of the working tree, without a look at every file: what
// it comes to, and what is not part of the snapshot that the question named.
type WatchAnswer struct {
	Tree     string
	Count    int
	Manifest *Manifest              // what a scan says; not the index, outer rules and commits of nested repositories
	Blobs    map[string]*BlobSource // blobs, by oid
	Trees    []git.NewObject
	IndexKey string // the key of the index it holds for
	RulesKey string // and of the rules outside the tree
}

// CaptureOptions is what is captured besides the ordinary. Include are globs of paths that are
// ignored and in the way of a restore.
type CaptureOptions struct {
	Include  []string
	Extent   CaptureExtent
	UseWatch bool // a watch may answer: Scan, Files and Trees may be left out

	// Inner takes a snapshot of each repository inside the tree; nil takes none.
	InnerSnapshots InnerSnapshotter
}

// InnerSnapshotter takes snapshots of the repositories inside a tree, together with that of the tree.
type InnerSnapshotter interface {
	// Take fills in a manifest's Inner, and Gaps for those that cannot be captured. It may be
	// called again when the tree did not stand still.
	Take(ctx context.Context, m *Manifest) error
	// Drop forgets what was taken last: no snapshot came of it.
	Drop(ctx context.Context) error
}

// BlobSource is where a blob's bytes are in the working tree.
type BlobSource struct {
	Path   string
	IsLink bool
	Size   int64
	Stored bool // an earlier snapshot holds it
}

// Capture reads the present.
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
	if more { // to capture them as any other file
		if scan, err = s.Scan(ctx, c, false); err != nil {
			return nil, err
		}
		c.Scan, c.Unstable = scan, c.Unstable || scan.Unstable
	}
	return c, s.HashObjects(ctx, c)
}

// ReadGitState reads refs, HEAD, index and git's own files. The index is replaced by
// rename when git writes it, so its bytes need no lock.
func (s *Worktree) ReadGitState(ctx context.Context, c *Capture) (err error) {
	// Again at each capture: since the repository was opened an agent may have worked in it.
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

// checkCommonDir refuses a repository that was given a commondir since it was opened: git
// would read the refs of another one, whatever its environment says.
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

// readReflogs reads the reflogs that a restore may have to restore: HEAD's, those of
// local refs and the stash's, which is the stash. Remote ones say what was fetched when,
// and those of a reftable are left to git.
func (s *Worktree) readReflogs(head git.Head, refs []git.Ref) ([]git.StateFile, error) {
	if s.Repo.UsesReftable {
		return nil, nil
	}
	own, err := git.ReadStateFiles(s.Repo.Dir, []string{"logs/HEAD", "logs/ORIG_HEAD"})
	if err != nil {
		return nil, err
	}
	// Usually only branches have logs, and there may be thousands of tags to ask for.
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

// Scan reads the working tree. A cold scan may believe the user's index about files
// that look untouched since git read them.
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

// verifySeeds checks what a cold scan took from the user's index. Where a filter or a
// line-ending rule was at work when git read a file, the index names other bytes than
// the disk holds: the sizes differ, or there are attributes, and everything is read.
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

// trackedBlobs is which of the blobs that the index names have their bytes in packs, and how
// many. It is found out while the tree is scanned.
type trackedBlobs struct {
	done    chan struct{}
	checked git.CheckResult
	err     error
}

// findTrackedBlobs looks for the blobs that a cold scan may take from the index. What cannot be
// found out is as good as not there.
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

// sizeOf returns how many bytes a blob has, if a pack has them.
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
