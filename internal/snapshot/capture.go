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
	Refs     []git.Ref
	Broken   []git.BrokenRef // files in the place of refs that name nothing
	Wanted   Wanted          // what is captured besides the ordinary
	Last     Memory          // what the last take left to remember
	Next     Memory          // what this one leaves, as far as refs go
	Head     git.Head
	Recall   func([]git.Ref) Memory // gives Last; nil is Remember
	Rules    outerRules
	Index    IndexState
	State    []git.StateFile // of an operation in progress
	Admin    []git.StateFile // what steers git, shared by all working trees
	Own      []git.StateFile // what steers git in this one
	Trees    []byte          // which other working trees there are, as git.Worktrees gives it
	Logs     []git.StateFile // reflogs
	Scan     *scan.Result
	Seen     *Seen // instead of Scan, when a watch answered
	Man      *Manifest
	Tree     string             // the files' tree
	Whole    string             // the snapshot's tree
	Objects  []git.NewObject    // everything but the files' blobs
	Blobs    map[string]*Source // the files' blobs that may have to be stored, by oid
	Relied   git.Relied         // what was found in the store this time and is not stored again
	InStore  bool               // Blobs leaves out what inStore says of
	tracked  *trackedBlobs      // of a cold read
	inHead   map[string]bool    // raw names of what HEAD's tree names
	headOf   string             // and which commit that is of
	headLost []Lost
	looked   []Left // what ignored files look like that are not captured
	Moving   bool   // something changed while it was read
	Count    int    // how many files it holds
}

// Seen is what a watch knows of the working tree, without a look at every file: what
// it comes to, and what is not part of the snapshot that the question named.
type Seen struct {
	Tree    string
	Count   int
	Man     *Manifest          // what a scan says; not the index, outer rules and commits of nested repositories
	Changed map[string]*Source // blobs, by oid
	Trees   []git.NewObject
	Index   string // the key of the index it holds for
	Rules   string // and of the rules outside the tree
}

// Wanted is what is captured besides the ordinary. Include are globs of paths that are
// ignored and in the way of a restore.
type Wanted struct {
	Include []string
	Extent  CaptureExtent
	Brief   bool // a watch may answer: Scan, Files and Trees may be left out

	// Inner takes a snapshot of each repository inside the tree; nil takes none.
	Inner Inner
}

// Inner takes snapshots of the repositories inside a tree, together with that of the tree.
type Inner interface {
	// Take fills in a manifest's Inner, and Gaps for those that cannot be captured. It may be
	// called again when the tree did not stand still.
	Take(ctx context.Context, m *Manifest) error
	// Drop forgets what was taken last: no snapshot came of it.
	Drop(ctx context.Context) error
}

// Source is where a blob's bytes are in the working tree.
type Source struct {
	Path string
	Link bool
	Size int64
	Held bool // an earlier snapshot holds it
}

// Read reads the present.
func (s *Place) Read(ctx context.Context, w Wanted) (*Capture, error) {
	c := &Capture{Blobs: map[string]*Source{}, Wanted: w}
	if err := s.GitState(ctx, c); err != nil {
		return nil, err
	}
	cold := !c.Last.Valid
	if cold {
		c.tracked = s.lookForTracked(ctx, c)
		defer c.tracked.wait() // it reads packs
	}
	scan, err := s.Scan(ctx, c, cold)
	if err != nil {
		return nil, err
	}
	c.Scan, c.Moving = scan, scan.Moving
	if cold {
		if err := s.distrust(ctx, c); err != nil {
			return nil, err
		}
	}
	more, err := s.LookAtIgnored(ctx, c)
	if err != nil {
		return nil, err
	}
	if more { // to capture them as any other file
		if scan, err = s.Scan(ctx, c, false); err != nil {
			return nil, err
		}
		c.Scan, c.Moving = scan, c.Moving || scan.Moving
	}
	return c, s.Name(ctx, c)
}

// GitState reads refs, HEAD, index and git's own files. The index is replaced by
// rename when git writes it, so its bytes need no lock.
func (s *Place) GitState(ctx context.Context, c *Capture) (err error) {
	// Again at each capture: since the repository was opened an agent may have worked in it.
	if err := s.Repo.CheckInputs(); err != nil {
		return err
	}
	if err := s.notElsewhere(); err != nil {
		return err
	}
	failed := make(chan error, 1)
	go func() {
		var err error
		c.Rules, err = s.outerRules(ctx)
		failed <- err
	}()
	c.Refs, c.Broken, err = s.Repo.GlanceRefs(ctx, isSnapshot, nil)
	if err = errors.Join(err, <-failed); err != nil {
		return err
	}
	if c.Last = (Memory{}); c.Recall != nil {
		c.Last = c.Recall(c.Refs)
	} else {
		c.Last = s.Remember(c.Refs)
	}
	if c.Last.Valid {
		now, same := git.Unchanged(ctx, s.Repo, c.Last.Relied)
		c.Last.Relied, c.Last.Doubt = now, !same || c.Last.Lost
	}
	if c.Head, err = s.Repo.Head(ctx, c.Refs); err != nil {
		return err
	}
	if c.State, err = git.Read(s.Repo.Dir, git.State()); err != nil {
		return err
	}
	if c.Admin, err = git.Read(s.Repo.Common, git.Admin); err != nil {
		return err
	}
	modules, err := git.Modules(s.Repo.Common)
	if err != nil {
		return err
	}
	c.Admin = append(c.Admin, modules...)
	if c.Own, err = git.Read(s.Repo.Dir, git.Own); err != nil {
		return err
	}
	if c.Trees, err = git.Worktrees(s.Repo.Common); err != nil {
		return err
	}
	if c.Logs, err = s.readLogs(c.Head, c.Refs); err != nil {
		return err
	}
	return s.readIndex(ctx, c)
}

// notElsewhere refuses a repository that was given a commondir since it was opened: git
// would read the refs of another one, whatever its environment says.
func (s *Place) notElsewhere() error {
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

// readLogs reads the reflogs that a restore may have to restore: HEAD's, those of
// local refs and the stash's, which is the stash. Remote ones say what was fetched when,
// and those of a reftable are left to git.
func (s *Place) readLogs(head git.Head, refs []git.Ref) ([]git.StateFile, error) {
	if s.Repo.Reftab {
		return nil, nil
	}
	own, err := git.Read(s.Repo.Dir, []string{"logs/HEAD", "logs/ORIG_HEAD"})
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
		if there && kind != "remotes" && !Ours(r.Name) && kind != "worktree" {
			names = append(names, "logs/"+r.Name)
		}
	}
	shared, err := git.Read(s.Repo.Common, names)
	return append(own, shared...), err
}

// Scan reads the working tree. A cold scan may believe the user's index about files
// that look untouched since git read them.
func (s *Place) Scan(ctx context.Context, c *Capture, seeds bool) (*scan.Result, error) {
	ask := s.Repo.Ignorer(ctx)
	defer ask.Close()
	return scan.Scan(ctx, s.options(c, seeds, ask))
}

func (s *Place) options(c *Capture, seeds bool, ask *git.Ignorer) scan.Options {
	o := scan.Options{
		Root: s.Repo.Root, GitDir: s.Repo.Dir, Cache: s.cachePath(), NewHash: s.Repo.NewHash,
		TrackedKey: c.Index.Set, RulesKey: c.Rules.key, Ignored: ask.Ask,
		Include: slices.Concat(s.Include, c.Wanted.Include), MaxFile: s.MaxFile,
		ReadTracked: s.tracked(c, seeds),
	}
	e := c.Wanted.Extent
	if o.MaxFile > 0 {
		o.MaxFile = max(o.MaxFile, e.Large)
	}
	if also := e.Selector(); also != nil {
		o.Also = also
	}
	if e.Since != nil {
		o.Then = e.Since.then(c)
		if e.wide() {
			o.Enter = e.Since.enter
		}
	}
	return o
}

// distrust checks what a cold scan took from the user's index. Where a filter or a
// line-ending rule was at work when git read a file, the index names other bytes than
// the disk holds: the sizes differ, or there are attributes, and everything is read.
func (s *Place) distrust(ctx context.Context, c *Capture) error {
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
		if suspect, err = s.sizesDiffer(ctx, c); err != nil {
			return err
		}
	}
	if !suspect {
		return nil
	}
	if err := fsroot.Remove(s.cachePath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	scan, err := s.Scan(ctx, c, false)
	if err != nil {
		return err
	}
	c.Scan, c.Moving = scan, scan.Moving
	return nil
}

// trackedBlobs is which of the blobs that the index names have their bytes in packs, and how
// many. It is found out while the tree is scanned.
type trackedBlobs struct {
	done    chan struct{}
	checked git.Checked
	err     error
}

// lookForTracked looks for the blobs that a cold scan may take from the index. What cannot be
// found out is as good as not there.
func (s *Place) lookForTracked(ctx context.Context, c *Capture) *trackedBlobs {
	t := &trackedBlobs{done: make(chan struct{})}
	raws := make([]string, 0, len(c.Index.Entries))
	for i := range c.Index.Entries {
		if e := &c.Index.Entries[i]; seeding(e) {
			raws = append(raws, e.OID)
		}
	}
	go func() {
		defer close(t.done)
		t.checked, t.err = git.CheckNames(ctx, s.Repo, raws, git.How{Sizes: true})
	}()
	return t
}

func (t *trackedBlobs) wait() { <-t.done }

// size returns how many bytes a blob has, if a pack has them.
func (t *trackedBlobs) size(oid fsroot.OID) (int64, bool) {
	t.wait()
	if t.err != nil {
		return 0, false
	}
	return t.checked.Sound(string(oid))
}

func (s *Place) sizesDiffer(ctx context.Context, c *Capture) (bool, error) {
	var oids []string
	var want []int64
	for i := range c.Scan.Entries {
		e := &c.Scan.Entries[i]
		if e.Fresh {
			continue
		}
		if n, ok := c.tracked.size(e.OID); !ok {
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
