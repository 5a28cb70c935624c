package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
)

// CommitRequest asks for a commit of a task's accepted work.
type CommitRequest struct {
	Task     string // "" is the latest
	Version  string // belay's version, for the message
	NoVerify bool   // no hooks
	Trust    bool   // allow the repository's hooks and settings to run, now and later
	Output   io.Writer
}

// CommitResult is a commit of a task's work: a new one, or one that existed already.
type CommitResult struct {
	Task    belay.TaskID            `json:"task_id"`
	Commit  string                  `json:"commit"`
	Parent  string                  `json:"parent,omitempty"`
	Ref     string                  `json:"ref"`
	Created bool                    `json:"made"` // false: it existed already
	Files   []session.CommittedFile `json:"files"`
	Message string                  `json:"message"`
}

// Commit commits what a task changed, and nothing else, on the current branch, and records it. The
// index and the working tree stay unchanged, except that index entries of the task's files that
// equal the parent's are set to the commit's. It can be repeated after a kill at any point: it
// finds a commit that was already made.
//
// CodeRefused: the task is not accepted, its files differ from the accepted ones, or they had
// uncommitted changes before it. CodeBusy: the tree is in use.
func (s *Service) Commit(ctx context.Context, q CommitRequest) (CommitResult, error) {
	records, _, err := s.pullRecords(q.Task)
	if err != nil {
		return CommitResult{}, err
	}
	if len(records) != 1 {
		return CommitResult{}, belay.Refuse(belay.CodeUsage, "belay pr TASK --commit", "a commit has the work of one task")
	}
	r := records[0]
	home, err := runner.HomeSession(ctx, s.Session)
	if err != nil {
		return CommitResult{}, err
	}
	inHome := &Service{Session: home, ask: s.ask}
	if err := committable(r); err != nil {
		return CommitResult{}, err
	}
	if err := inHome.checkCommitPrograms(ctx, !q.NoVerify, q.Trust); err != nil {
		return CommitResult{}, err
	}
	unlock, err := home.LockTree(ctx, r.Task.ID, "belay pr --commit")
	if err != nil {
		return CommitResult{}, err
	}
	defer unlock()
	c := &committer{svc: inHome, repo: home.Repo, rec: r, req: q, index: filepath.Join(home.Repo.Dir, "belay", "commit.index")}
	defer func() { _ = fsroot.Remove(c.index); _ = fsroot.Remove(c.index + ".lock") }()
	return c.commit(ctx)
}

func committable(r *session.Record) error {
	id := r.Task.ID
	switch {
	case r.Task.Session != nil:
		return belay.Refuse(belay.CodeUsage, "commit it with git", "%s is an agent's own session: belay did not accept its work", id)
	case r.State.Outcome != loop.OutcomePassed:
		return belay.Refuse(belay.CodeRefused, fmt.Sprintf("belay show %s", id), "%s is not accepted", id)
	case runner.IsUnmerged(r):
		return belay.Refuse(belay.CodeRefused, fmt.Sprintf("belay merge %s", id), "the work of %s is in a worktree of its own", id)
	case runner.ResultSnapshot(r) == "" || r.State.Before == "":
		return belay.Refuse(belay.CodeCannot, fmt.Sprintf("belay show %s", id), "%s has no snapshots to commit from", id)
	}
	return nil
}

// committer makes one commit of a task's work.
type committer struct {
	svc   *Service
	repo  *git.Repo
	rec   *session.Record
	req   CommitRequest
	index string // path of the commit's index, beside the user's

	head     git.Head
	files    []session.CommittedFile
	previous *session.Committed // the commit of an earlier accepted version
}

func (c *committer) commit(ctx context.Context) (CommitResult, error) {
	refs, err := c.repo.Refs(ctx, "refs/heads/")
	if err != nil {
		return CommitResult{}, err
	}
	if c.head, err = c.repo.Head(ctx, refs); err != nil {
		return CommitResult{}, err
	}
	if done, err := c.findExisting(ctx); err != nil || done.Commit != "" {
		return done, err
	}
	if files, err := git.ReadStateFiles(c.repo.Dir, git.OperationFiles()); err == nil {
		if op := git.Operation(files); op != "" {
			return CommitResult{}, belay.Refuse(belay.CodeRefused, "finish it, or end it, first", "a %s is in progress", op)
		}
	}
	if err := c.plan(ctx); err != nil {
		return CommitResult{}, err
	}
	if err := c.stage(ctx); err != nil {
		return CommitResult{}, err
	}
	after := runner.ResultSnapshot(c.rec)
	note := session.Committed{Parent: c.head.OID, Ref: cmp.Or(c.head.Branch, "HEAD"), Before: c.rec.TreeOf(c.rec.State.Before),
		After: c.rec.TreeOf(after), Files: c.files}
	if f := c.previous; f != nil {
		note.Before, note.Follows, note.Base = f.After, f.ID, cmp.Or(f.Base, f.Parent)
	}
	text := fmt.Sprintf("%s onto %s", belay.CountOf(len(c.files), "file"), shortID(c.head.OID))
	intended := session.Note{Kind: session.CommittingNote, Text: text, Target: after, Commit: &note}
	if err := c.svc.Session.AddNote(ctx, c.rec, intended); err != nil {
		return CommitResult{}, err
	}
	return c.create(ctx, note)
}

// findExisting finds the commit that an earlier call made of the accepted work, and adds its note
// and index entries if they are missing. It sets previous to the commit of an earlier accepted
// version, which the next one follows.
func (c *committer) findExisting(ctx context.Context) (CommitResult, error) {
	now := c.rec.TreeOf(runner.ResultSnapshot(c.rec))
	for i := len(c.rec.Notes) - 1; i >= 0; i-- {
		n := c.rec.Notes[i]
		if n.Commit == nil {
			continue
		}
		id := n.Commit.ID
		if n.Kind == session.CommittingNote && c.head.OID != "" && c.head.OID != n.Commit.Parent { // killed after the commit
			p, err := c.svc.readCommit(ctx, c.head.OID)
			if err != nil {
				return CommitResult{}, err
			}
			if head, seq := c.entryOf(n); p.Parent == n.Commit.Parent && p.Trailers.refersTo(head, seq) {
				id = c.head.OID
			}
		}
		if id == "" {
			continue
		}
		if _, err := c.repo.Run(ctx, nil, "merge-base", "--is-ancestor", id, cmp.Or(c.head.OID, "HEAD")); err != nil {
			continue // it is not on this branch, or was reset
		}
		was := *n.Commit
		was.ID = id
		unrecorded := n.Kind == session.CommittingNote
		if was.After == now {
			return c.finish(ctx, was, unrecorded, false)
		}
		if unrecorded {
			if _, err := c.finish(ctx, was, true, false); err != nil {
				return CommitResult{}, err
			}
		}
		c.previous = &was
		return CommitResult{}, nil
	}
	return CommitResult{}, nil
}

// entryOf returns the hash and number of a note's journal entry.
func (c *committer) entryOf(n session.Note) (hash string, seq int) {
	for _, e := range slices.Backward(c.rec.Log.Entries) {
		if e.Type == session.EntryNote && bytes.Contains(e.Data, []byte(`"kind":"`+n.Kind+`"`)) {
			return e.Hash, e.Seq
		}
	}
	return "", 0
}

// plan lists the files of the commit: those that the attempts changed. It fails unless the tree
// still has their accepted version and the branch has their version from before the task.
func (c *committer) plan(ctx context.Context) error {
	defer c.repo.ShareReader()()
	after := runner.ResultSnapshot(c.rec)
	at, err := c.svc.forTask(ctx, c.rec)
	if err != nil {
		if at, err = c.svc, nil; c.rec.Task.Worktree == "" {
			return err
		}
	}
	w, err := at.Session.Work(ctx, c.rec, after)
	if err != nil {
		return err
	}
	before, accepted, now, head := map[string]blob{}, map[string]blob{}, map[string]blob{}, map[string]blob{}
	present, err := c.svc.Session.Snaps.StoreFilesTree(ctx, c.svc.Session.SnapshotExtent(c.rec))
	if err != nil {
		return err
	}
	var paths []string
	for _, change := range w.All {
		paths = append(paths, change.Path)
	}
	committed := c.committedFiles()
	paths = slices.AppendSeq(paths, maps.Keys(committed)) // including files that are again as before the task
	slices.Sort(paths)
	paths = slices.Compact(paths)
	ignored, err := at.Session.Snaps.CapturedIgnored(ctx, after, paths)
	if err != nil {
		return err
	}
	for _, one := range []struct {
		tree string
		into map[string]blob
	}{{c.rec.TreeOf(c.rec.State.Before), before}, {c.rec.TreeOf(after), accepted}, {present, now}, {c.head.OID, head}} {
		if one.tree == "" {
			continue
		}
		list, err := c.repo.ListTree(ctx, one.tree)
		if err != nil {
			return err
		}
		for _, e := range list {
			one.into[e.Path] = blob{e.Mode, e.OID}
		}
	}
	var moved, unlike, own, here []string
	for _, p := range paths {
		was, is := committed[p]
		switch {
		case ignored[p]: // git would not add it
		case now[p] != accepted[p]:
			moved = append(moved, p)
		case head[p] == accepted[p]:
			here = append(here, p)
		default:
			c.files = append(c.files, session.CommittedFile{Path: p, OldMode: head[p].mode, OldOID: head[p].oid,
				NewMode: accepted[p].mode, NewOID: accepted[p].oid})
			if is && head[p] != was {
				own = append(own, p)
			} else if !is && head[p] != before[p] {
				unlike = append(unlike, p)
			}
		}
	}
	id := c.rec.Task.ID
	if len(moved) > 0 {
		return belay.Refuse(belay.CodeRefused, fmt.Sprintf("commit it with git, or run belay check %s and record your edits", id),
			"%s changed since %s was accepted", firstFour(moved), id)
	}
	if len(own) > 0 {
		return belay.Refuse(belay.CodeRefused, "git log -- "+belay.VisibleLine(own[0])+", then commit it with git",
			"%s changed since the last commit of %s", firstFour(own), id)
	}
	if len(c.files) == 0 && len(here) > 0 {
		return belay.Refuse(belay.CodeRefused, "git log -- "+belay.VisibleLine(here[0]), "the work of %s is committed already", id)
	}
	if len(c.files) == 0 {
		return belay.Refuse(belay.CodeRefused, fmt.Sprintf("belay show %s", id), "%s changed no file that git tracks", id)
	}
	if err := c.storedForms(ctx, unlike, before); err != nil {
		return err
	}
	return c.checkUnchanged(ctx, present, now)
}

// checkUnchanged fails if a file of the commit is not what it was in now, the files of the tree
// present: git may have stored what was edited after it was compared.
func (c *committer) checkUnchanged(ctx context.Context, present string, now map[string]blob) error {
	again, err := c.svc.Session.Snaps.StoreFilesTree(ctx, c.svc.Session.SnapshotExtent(c.rec))
	if err != nil || again == present {
		return err
	}
	list, err := c.repo.ListTree(ctx, again)
	if err != nil {
		return err
	}
	last := map[string]blob{}
	for _, e := range list {
		last[e.Path] = blob{e.Mode, e.OID}
	}
	for _, f := range c.files {
		if last[f.Path] != now[f.Path] {
			return belay.Refuse(belay.CodeBusy, "repeat it when nobody edits it", "%s changed while the commit of %s was prepared",
				belay.VisibleLine(f.Path), c.rec.Task.ID)
		}
	}
	return nil
}

// commitsOf returns the commits that belay made of a task, by commit ID.
func commitsOf(r *session.Record) map[string]*session.Committed {
	made := map[string]*session.Committed{}
	for _, n := range r.Notes {
		if n.Kind == session.CommittedNote && n.Commit != nil {
			made[n.Commit.ID] = n.Commit
		}
	}
	return made
}

// committedFiles returns the newest committed version of each file that earlier commits of the task
// changed.
func (c *committer) committedFiles() map[string]blob {
	files := map[string]blob{}
	chain := commitsOf(c.rec)
	for at := c.previous; at != nil; at = chain[at.Follows] {
		delete(chain, at.ID) // a tampered record may have a cycle
		for _, f := range at.Files {
			if _, newer := files[f.Path]; !newer {
				files[f.Path] = blob{f.NewMode, f.NewOID}
			}
		}
	}
	return files
}

// blob is the mode and object ID of a file in a tree.
type blob struct {
	mode uint32
	oid  string
}

func firstFour(paths []string) string {
	var names []string
	for _, p := range paths[:min(len(paths), 4)] {
		names = append(names, belay.VisibleLine(p))
	}
	if n := len(paths) - 4; n > 0 {
		names = append(names, fmt.Sprintf("%d more", n))
	}
	return strings.Join(names, ", ")
}

// storedForms replaces the object IDs of the files by those that git add would store, after
// attributes and filters. unlike are the paths on which HEAD differs from the before snapshot; it
// fails with CodeRefused for those that had uncommitted changes before the task.
func (c *committer) storedForms(ctx context.Context, unlike []string, before map[string]blob) error {
	var in strings.Builder
	var which []int
	for i, f := range c.files {
		if f.NewOID != "" && f.NewMode != 0o120000 && !strings.ContainsAny(f.Path, "\n\r\"") {
			in.WriteString(f.Path + "\n")
			which = append(which, i)
		}
	}
	out, err := git.RunUserCommand(c.repo.UserCommand(ctx, "hash-object", "-w", "--stdin-paths"), strings.NewReader(in.String()), nil)
	if err != nil {
		return fmt.Errorf("store the files: %w", err)
	}
	names := strings.Fields(string(out))
	if len(names) != len(which) {
		return fmt.Errorf("store the files: git named %d of %d", len(names), len(which))
	}
	for n, i := range which {
		c.files[i].NewOID = names[n]
	}
	var dirty []string
	for _, p := range unlike {
		f := c.files[slices.IndexFunc(c.files, func(f session.CommittedFile) bool { return f.Path == p })]
		was := before[p]
		if was.oid == "" || f.OldOID == "" || was.mode == 0o120000 {
			dirty = append(dirty, p)
			continue
		}
		data, _, err := c.svc.Session.Snaps.ReadFile(ctx, c.rec.State.Before, p)
		if err != nil {
			return err
		}
		out, err := git.RunUserCommand(c.repo.UserCommand(ctx, "hash-object", "--path", p, "--stdin"), bytes.NewReader(data), nil)
		if err != nil {
			return err
		}
		if strings.TrimSpace(string(out)) != f.OldOID {
			dirty = append(dirty, p)
		}
	}
	c.files = slices.DeleteFunc(c.files, func(f session.CommittedFile) bool { return f.OldOID == f.NewOID && f.OldMode == f.NewMode })
	if len(dirty) > 0 {
		return belay.Refuse(belay.CodeRefused, "commit your own part first (git add -p), then repeat it",
			"%s had uncommitted changes of yours before %s", firstFour(dirty), c.rec.Task.ID)
	}
	return nil
}

// stage builds the commit's index: HEAD's entries with the task's files. It starts from a copy of
// the user's index to reuse its cached file times.
func (c *committer) stage(ctx context.Context) error {
	if _, err := fsroot.Lstat(filepath.Join(c.repo.Dir, "index.lock")); err == nil { // updateIndex would fail after the commit
		return belay.Refuse(belay.CodeBusy, "wait for it to finish; if none is running, remove .git/index.lock",
			"the index is locked by another git process")
	}
	text, err := fsroot.ReadFile(filepath.Join(c.repo.Dir, "index"), git.MaxIndexSize)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the index: %w", err)
	}
	_ = fsroot.Remove(c.index + ".lock") // left by a killed call, because this call has locked the tree
	if err := fsroot.Remove(c.index); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(text) > 0 {
		if err := fsroot.AtomicWrite(c.index, fsroot.AtomicOptions{}, text); err != nil {
			return fmt.Errorf("copy the index: %w", err)
		}
	}
	from := []string{"read-tree", "--reset", c.head.OID}
	if c.head.OID == "" {
		from = []string{"read-tree", "--empty"}
	}
	if err := c.runOnIndex(ctx, nil, from...); err != nil {
		return err
	}
	return c.runOnIndex(ctx, indexLines(c.files, c.repo.Zero()), "update-index", "-z", "--index-info")
}

func indexLines(files []session.CommittedFile, zero string) io.Reader {
	var gone, there bytes.Buffer
	for _, f := range files {
		if f.NewOID == "" {
			fmt.Fprintf(&gone, "0 %s\t%s\x00", zero, f.Path)
		} else {
			fmt.Fprintf(&there, "%o %s\t%s\x00", f.NewMode, f.NewOID, f.Path)
		}
	}
	return io.MultiReader(&gone, &there) // a file may replace a folder
}

func (c *committer) runOnIndex(ctx context.Context, in io.Reader, args ...string) error {
	cmd := c.repo.Command(ctx, args...)
	cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+c.index)
	cmd.Stdin = in
	_, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("prepare the commit: git %s: %w", args[0], err)
	}
	return nil
}

// create makes the commit, with the user's hooks, and compares it with the plan. A commit that a hook changed is
// removed from the branch again.
func (c *committer) create(ctx context.Context, note session.Committed) (CommitResult, error) {
	pull, err := c.svc.Pull(ctx, string(c.rec.Task.ID), c.req.Version)
	if err != nil {
		return CommitResult{}, err
	}
	t := &pull.Tasks[0]
	t.Provenance.Before, t.Provenance.After = note.Before, note.After
	t.Provenance.Head, t.Provenance.Entries = c.rec.Log.Head.Hash, c.rec.Log.Head.Seq
	path := filepath.Join(c.repo.Dir, "belay", "commit.message")
	defer func() { _ = fsroot.Remove(path) }()
	if err := fsroot.AtomicWrite(path, fsroot.AtomicOptions{}, []byte(pull.CommitMessage())); err != nil {
		return CommitResult{}, err
	}
	args := []string{"commit", "--quiet", "--cleanup=verbatim", "-F", path}
	if c.req.NoVerify {
		args = append([]string{"-c", "core.hooksPath=/dev/null"}, append(args, "--no-verify")...)
	}
	cmd := c.repo.UserCommand(ctx, args...)
	cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+c.index)
	_, failed := git.RunUserCommand(cmd, nil, c.req.Output)
	out, err := c.repo.Run(ctx, nil, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	id := strings.TrimSpace(string(out))
	if failed != nil || err != nil || id == note.Parent {
		return CommitResult{}, &belay.Error{Code: belay.CodeRefused, What: "git did not make the commit", Err: cmp.Or(failed, err),
			Try: "fix what git or the hook says above, then repeat it; --no-verify skips the hooks"}
	}
	p, err := c.svc.readCommit(ctx, id)
	if err != nil {
		return CommitResult{}, err
	}
	if why := p.differenceFrom(note, c.rec.Log.Head.Hash, c.rec.Log.Head.Seq); why != "" {
		ref := cmp.Or(c.head.Branch, "HEAD")
		if err := c.repo.UpdateRefs(ctx, "belay pr --commit: a hook changed the commit",
			[]git.Update{{Ref: ref, New: note.Parent, Old: id}}); err != nil {
			return CommitResult{}, err
		}
		return CommitResult{}, belay.Refuse(belay.CodeRefused, "have the hook check only, or use --no-verify",
			"a hook changed the commit (%s): it was taken off the branch again", why)
	}
	note.ID = id
	return c.finish(ctx, note, true, true)
}

// finish records a commit that exists and updates the user's index.
func (c *committer) finish(ctx context.Context, was session.Committed, record, made bool) (CommitResult, error) {
	if record {
		n := session.Note{Kind: session.CommittedNote, Text: shortID(was.ID) + " on " + strings.TrimPrefix(was.Ref, "refs/heads/"),
			Commit: &was}
		if err := c.svc.Session.AddNote(ctx, c.rec, n); err != nil {
			return CommitResult{}, err
		}
	}
	if err := c.updateIndex(ctx, was.Files); err != nil {
		return CommitResult{}, err
	}
	p, err := c.svc.readCommit(ctx, was.ID)
	return CommitResult{Task: c.rec.Task.ID, Commit: was.ID, Parent: was.Parent, Ref: was.Ref, Created: made, Files: was.Files,
		Message: p.Message}, err
}

// updateIndex sets the committed version of each file in the user's index where the index has the parent's version.
// Other staged changes to these files stay.
func (c *committer) updateIndex(ctx context.Context, files []session.CommittedFile) error {
	staged := map[string]blob{}
	list, err := c.repo.ListIndex(ctx, filepath.Join(c.repo.Dir, "index"))
	if err != nil {
		return err
	}
	for _, e := range list {
		staged[e.Path] = blob{e.Mode, hex.EncodeToString([]byte(e.OID))}
	}
	behind := slices.DeleteFunc(slices.Clone(files), func(f session.CommittedFile) bool {
		return staged[f.Path] != blob{f.OldMode, f.OldOID}
	})
	if len(behind) == 0 {
		return nil
	}
	_, err = c.repo.Run(ctx, indexLines(behind, c.repo.Zero()), "update-index", "-z", "--index-info")
	return err
}
