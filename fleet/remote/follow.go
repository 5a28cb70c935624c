package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/journal"
	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/snapshot"
)

// seenPrefix is the prefix of a viewer's refs: for each task, the record commit that is in its
// journal. A viewer has one clone of a remote for all tasks, without branches and files.
const seenPrefix = "refs/belay/seen/"

// Follower is a copy of all tasks of a remote on this machine, for viewing.
type Follower struct {
	Mirror Mirror // Dir is the clone's git folder
	Root   string // of the clone

	forgotten map[belay.TaskID]string // days, by task
}

// Forgotten returns the day (UTC) on which the snapshots of a task were deleted on the remote, as
// of the last Fetch; "" if they were not.
func (f *Follower) Forgotten(id belay.TaskID) string { return f.forgotten[belay.TaskID(id.Key())] }

// NewFollower returns the copy in a folder. Fetch creates it.
func NewFollower(root, url string) *Follower {
	return &Follower{Mirror: Mirror{Dir: filepath.Join(root, ".git"), URL: url}, Root: root}
}

// Exists reports whether the copy was created.
func (f *Follower) Exists() bool {
	_, err := os.Stat(filepath.Join(f.Mirror.Dir, "HEAD"))
	return err == nil
}

// createRepository creates a repository in an empty folder. digits is the length of its hashes: 40
// or 64.
func createRepository(ctx context.Context, dir string, digits int, more ...string) error {
	format := "sha1"
	if digits == 64 {
		format = "sha256"
	}
	args := append([]string{"init", "--quiet", "--template=", "--initial-branch=main", "--object-format=" + format}, more...)
	_, err := runGit(ctx, "", nil, nil, append(args, "--", dir)...)
	return err
}

// Make creates the copy, without tasks, if it does not exist.
func (f *Follower) Make(ctx context.Context) error {
	if f.Exists() {
		return nil
	}
	from := f.Mirror
	from.Dir = filepath.Dir(f.Root) // git needs a folder to run in
	if err := os.MkdirAll(from.Dir, 0o700); err != nil {
		return err
	}
	digits, err := from.hashLength(ctx)
	if err != nil {
		return err
	}
	return f.createClone(ctx, digits)
}

// newFolders matches the folders in which copies are created.
const newFolders = "new-*"

// hashFormat finds a remote's object format in git's packet trace.
var hashFormat = lazyregexp.New(`< .*\bobject-format=(\w+)`)

// hashLength asks the remote for the length of its hashes. An empty remote has none to show, and
// git prints the format nowhere but in a trace.
func (m *Mirror) hashLength(ctx context.Context) (int, error) {
	dir, done, err := MakeScratch(m.Dir, newFolders)
	if err != nil {
		return 0, err
	}
	defer done() //nolint:errcheck // what stays is swept
	trace := filepath.Join(dir, "trace")
	if _, err := runGit(ctx, m.Dir, []string{"GIT_TRACE_PACKET=" + trace}, nil, "ls-remote", "--", m.URL, "HEAD"); err != nil {
		return 0, err
	}
	text, err := os.ReadFile(trace)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, err
	}
	if found := hashFormat.FindSubmatch(text); found != nil && string(found[1]) == "sha256" {
		return 64, nil
	}
	return 40, nil // a remote that does not state its format has SHA-1
}

// createClone creates the clone. digits is the length of its hashes: 40 or 64.
func (f *Follower) createClone(ctx context.Context, digits int) error {
	above := filepath.Dir(f.Root)
	if _, err := SweepScratch(above, newFolders); err != nil {
		return err
	}
	tmp, done, err := MakeScratch(above, newFolders)
	if err != nil {
		return err
	}
	defer done() //nolint:errcheck // what stays is swept
	if err := createRepository(ctx, tmp, digits); err != nil {
		return err
	}
	if err := os.Rename(tmp, f.Root); err != nil && !f.Exists() { // another process may have been first
		return err
	}
	return nil
}

// Fetch fetches the changed records and snapshots of all tasks. fresh has the tasks with a record
// that is not in the copy's journal, by its commit; gone those that the remote no longer has. An
// error of one task is in failed and does not stop the others.
func (f *Follower) Fetch(ctx context.Context) (fresh map[belay.TaskID]string, gone []belay.TaskID,
	failed map[belay.TaskID]error, err error) {
	if err := f.Make(ctx); err != nil {
		return nil, nil, nil, err
	}
	there, err := f.Mirror.listRemote(ctx, "refs/belay/*")
	if err != nil {
		return nil, nil, nil, err
	}
	theirs, sources := recordCommits(there), map[belay.TaskID]string{}
	for id := range theirs {
		sources[id] = "+" + taskRefPrefix(id) + "*:" + taskRefPrefix(id) + "*"
	}
	_, without := groupByTask(there)
	f.forgotten = map[belay.TaskID]string{}
	for _, w := range without { // in the copy their record keeps its ref
		if src := sources[w.task]; src == "" || !strings.HasSuffix(src, "*") {
			f.forgotten[w.task] = w.day.Format(time.DateOnly)
			theirs[w.task], sources[w.task] = w.record, "+"+w.ref+":"+recordRef(w.task)
		}
	}
	here, err := f.Mirror.listRefs(ctx, "refs/belay/")
	if err != nil {
		return nil, nil, nil, err
	}
	fresh, failed = map[belay.TaskID]string{}, map[belay.TaskID]error{}
	var moved []belay.TaskID
	for id, oid := range theirs {
		if here[seenPrefix+id.Key()] != oid {
			fresh[id] = oid
		}
		if here[recordRef(id)] != oid {
			moved = append(moved, id)
		}
	}
	for id := range recordCommits(here) {
		if theirs[id] == "" {
			gone = append(gone, id)
		}
	}
	slices.Sort(moved)
	var specs []string
	for _, id := range moved {
		specs = append(specs, sources[id])
	}
	if len(specs) == 0 || f.fetchRefs(ctx, specs...) == nil {
		return fresh, gone, failed, nil
	}
	for _, id := range moved { // one of them is bad
		if err := f.fetchRefs(ctx, sources[id]); err != nil {
			failed[id] = err
			delete(fresh, id)
		}
	}
	return fresh, gone, failed, ctx.Err()
}

func (f *Follower) fetchRefs(ctx context.Context, specs ...string) error {
	_, err := f.Mirror.runGit(ctx, nil, append([]string{"-c", "transfer.fsckObjects=true", "fetch", "--quiet", "--no-tags",
		"--no-write-fetch-head", "--", f.Mirror.URL}, specs...)...)
	return err
}

// recordCommits returns the record commits among refs, by the task's ID in lower case.
func recordCommits(refs map[string]string) map[belay.TaskID]string {
	out := map[belay.TaskID]string{}
	for name, oid := range refs {
		key, ok := strings.CutSuffix(strings.TrimPrefix(name, Prefix), "/record")
		if !ok || !strings.HasPrefix(name, Prefix) {
			continue
		}
		if id, err := belay.ParseTaskID(key); err == nil && id.Key() == key { // it becomes part of paths and of refs
			out[id] = oid
		}
	}
	return out
}

// Adopt makes fetched tasks readable in the copy: records, attachments, snapshots. The result has
// the errors of single tasks, of which the copy keeps the earlier state: CodeRefused for a record
// that is damaged, does not continue the one seen before, or names other snapshots than the remote
// has.
func (f *Follower) Adopt(ctx context.Context, s *app.Service, fresh map[belay.TaskID]string) (map[belay.TaskID]error, error) {
	failed := map[belay.TaskID]error{}
	if len(fresh) == 0 {
		return failed, nil
	}
	here, err := f.Mirror.listRefs(ctx, "refs/belay/")
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(fresh)) {
		if err := f.adoptTask(ctx, s, id, fresh[id], here); err != nil {
			if ctx.Err() != nil {
				return failed, ctx.Err()
			}
			failed[id] = err
		}
	}
	return failed, nil
}

func (f *Follower) adoptTask(ctx context.Context, s *app.Service, id belay.TaskID, commit string, here map[string]string) error {
	st, err := f.Mirror.readRecord(ctx, commit, id)
	if err != nil {
		return err
	}
	if _, err := session.Fold(st.Log); err != nil { // store nothing that cannot be shown
		return err
	}
	bound, err := BoundSnapshots(st.Log)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if !f.Mirror.hasParent(ctx, commit) { // forgotten on the remote, so the copy drops them too
		for _, b := range bound {
			for _, ref := range []string{taskRefPrefix(id) + "snapshots/" + string(b.ID), snapshot.RefPrefix + string(b.ID)} {
				if here[ref] != "" {
					fmt.Fprintf(&text, "delete %s\n", ref)
					delete(here, ref)
				}
			}
		}
		bound = nil
	}
	for _, b := range bound {
		oid, ref := here[taskRefPrefix(id)+"snapshots/"+string(b.ID)], snapshot.RefPrefix+string(b.ID)
		switch {
		case oid == "": // pruned, or never pushed
		case oid != b.Commit, here[ref] != "" && here[ref] != oid:
			return belay.Refuse(belay.CodeRefused, "find out who pushed it",
				"the remote has another snapshot %s than the record of %s names", b.ID.Short(), st.Log.Task)
		case here[ref] == "":
			fmt.Fprintf(&text, "create %s %s\n", ref, oid)
			here[ref] = oid
		}
	}
	if err := f.Mirror.fetchAttachments(ctx, s, st); err != nil {
		return err
	}
	// The record is written after what it names, the seen ref last: an interrupted copy is
	// repeated.
	if err := s.Session.Journal.Extend(ctx, st.Log); err != nil {
		return err
	}
	fmt.Fprintf(&text, "update %s%s %s\n", seenPrefix, id.Key(), commit)
	_, err = f.Mirror.runGit(ctx, text.Bytes(), "update-ref", "--stdin")
	return err
}

// hasParent reports whether a record's commit has parents. The record of a task of which the
// snapshots were forgotten has none.
func (m *Mirror) hasParent(ctx context.Context, commit string) bool {
	_, err := m.runGit(ctx, nil, "rev-parse", "--verify", "--quiet", commit+"^1")
	return err == nil || ctx.Err() != nil
}

// fetchAttachments copies the missing attachments of a record into the journal.
func (m *Mirror) fetchAttachments(ctx context.Context, s *app.Service, st State) error {
	for sha, blob := range st.Attachments {
		if !journal.IsHash(sha) {
			return belay.Refuse(belay.CodeRefused, "find out who pushed it", "the remote has an attachment called %q",
				belay.VisibleLine(sha))
		}
		if _, err := s.Session.Journal.AttachmentSize(sha); err == nil {
			continue
		}
		data, err := m.runGit(ctx, nil, "cat-file", "blob", blob)
		if err != nil {
			return err
		}
		if got, _, err := s.Session.Journal.Attach(bytes.NewReader(data)); err != nil || got != sha {
			return errors.Join(err, fmt.Errorf("the attachment %s on the remote has the hash %s", sha, got))
		}
	}
	return nil
}
