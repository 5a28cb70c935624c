package remote

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/journal"
	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/snapshot"
)

// On the remote, for each task:
//
//	refs/belay/fleet/<task>/record            a commit; its tree has the record's lines in record.jsonl and
//	                                          the attachments that they name in files/<sha256>; its parents
//	                                          are the previous record, or the task's base; a commit of the newest
//	                                          snapshot's tree (linkSnapshots); and commits that snapshots need
//	refs/belay/fleet/<task>/snapshots/<id>    the snapshots that the record names, unchanged
//
// The record is pushed only if the remote still has the one that this worker last knew: if two workers
// believe that they have the task, one of them fails.

const recordFile = "record.jsonl"

func taskRefPrefix(id belay.TaskID) string { return Prefix + id.Key() + "/" }
func recordRef(id belay.TaskID) string     { return task.RecordRef(id) }

// attachmentName matches what may be the name of an attachment.
var attachmentName = lazyregexp.New(`\b[0-9a-f]{64}\b`)

// State is a task's record on the remote.
type State struct {
	Commit      string // of the record's ref; "" if the task is not there
	Log         journal.Log
	Attachments map[string]string // blobs, by SHA-256
	Snapshots   map[string]string // objects, by snapshot ID
}

// IgnoredFilesError lists git-ignored files of a snapshot: they leave the machine only if
// PushTerms.Shared matches them.
type IgnoredFilesError struct {
	Snapshot belay.SnapshotID
	Paths    []string
}

func (e *IgnoredFilesError) Error() string {
	const most = 5
	names := belay.VisibleLine(strings.Join(e.Paths[:min(len(e.Paths), most)], ", "))
	if more := len(e.Paths) - most; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("snapshot %s has ignored files, which stay on this machine: %s", e.Snapshot.Short(), names)
}

// Work is accepted work that is pushed with a record.
type Work struct{ Commit, Branch string }

// PushTerms are the conditions of a push: where it continues, and what may leave the machine.
type PushTerms struct {
	Last   string   // the record's last known commit; "" for none
	Base   string   // the commit that the task started from
	Shared []string // globs (belay.Match) of ignored files that may leave this machine
	Work   Work     // the zero value is none
}

// Push pushes the record of a task with its snapshots and attachments, and accepted work: all or
// nothing. It returns the record's commit. Errors: ErrRecordMoved if the remote has another record,
// *IgnoredFilesError if a snapshot has files that must not leave, CodeRefused if the branch has
// other work.
func (m *Mirror) Push(ctx context.Context, s *app.Service, r *session.Record, t PushTerms) (string, error) {
	last, work := t.Last, t.Work
	bound, err := BoundSnapshots(r.Log)
	if err != nil {
		return last, err
	}
	if last != "" {
		if _, err := m.runGit(ctx, nil, "cat-file", "-e", last); err != nil { // the mirror was cloned again
			if _, err := m.Fetch(ctx, r.Task.ID); err != nil {
				return last, err
			}
		}
	}
	// The remote has all snapshots that the last record names, because a push is all or nothing. So
	// the remote need not be asked for a list, which would have all of its refs.
	there, err := m.boundSnapshotsAt(ctx, r.Task.ID, last)
	if err != nil {
		return last, err
	}
	bound = slices.DeleteFunc(bound, func(b snapshot.Pin) bool { return slices.Contains(there, b) })
	tip, err := m.linkSnapshots(ctx, s, t, bound)
	if err != nil {
		return last, err
	}
	commits, err := m.listCommits(ctx, s, t, bound)
	if err != nil {
		return last, err
	}
	if err := checkIgnored(ctx, s, t, bound, commits); err != nil {
		return last, err
	}
	var specs []string
	for _, b := range bound {
		specs = append(specs, b.Commit+":"+taskRefPrefix(r.Task.ID)+"snapshots/"+string(b.ID))
	}
	record, err := m.writeRecord(ctx, s, r, last, append([]string{cmp.Or(last, t.Base), tip}, commits...))
	if err != nil {
		return last, err
	}
	ref, branch := recordRef(r.Task.ID), "refs/heads/"+work.Branch
	specs = append(specs, record+":"+ref)
	if work.Commit != "" {
		specs = append(specs, work.Commit+":"+branch)
	}
	var args []string
	if last == "" { // the remote may have commits that are not here: ask which of ours it has
		args = []string{"-c", "push.negotiate=true"}
	}
	args = append(args, []string{"push", "--porcelain", m.progressOption(), "--atomic", "--no-verify",
		"--force-with-lease=" + ref + ":" + last, "--", m.URL}...)
	args = append(args, specs...)
	out, err := m.runGitIn(ctx, s.Session.Repo.Common, nil, args...)
	if err == nil {
		return record, nil
	}
	for line := range strings.Lines(string(out)) {
		switch {
		case !strings.HasPrefix(line, "!"), strings.Contains(line, "atomic"):
		case strings.Contains(line, ":"+ref+"\t"):
			if now, lerr := m.listRemote(ctx, ref); lerr == nil && now[ref] != last {
				return last, ErrRecordMoved
			}
		case work.Commit != "" && strings.Contains(line, ":"+branch+"\t"):
			if now, lerr := m.listRemote(ctx, branch); lerr == nil && now[branch] != "" {
				return last, belay.Refuse(belay.CodeRefused, "rename or delete that branch on the remote, then resume",
					"the branch %s is on the remote already, with other work", work.Branch)
			}
		}
	}
	return last, err
}

// Deliver pushes accepted work alone, of a task that keeps its record on this machine.
func (m *Mirror) Deliver(ctx context.Context, s *app.Service, work Work) error {
	_, err := m.runGitIn(ctx, s.Session.Repo.Common, nil, "push", m.progressOption(), "--no-verify", "--", m.URL,
		work.Commit+":refs/heads/"+work.Branch)
	return err
}

// BoundSnapshots returns the snapshots that the entries of a record name.
func BoundSnapshots(log journal.Log) ([]snapshot.Pin, error) {
	var all []snapshot.Pin
	for _, e := range log.Entries {
		if e.Type == session.EntryTask {
			continue
		}
		var naming struct {
			Snapshots []snapshot.Pin `json:"snapshots"` // field of session.EventEntry, Taken and Note
		}
		if err := json.Unmarshal(e.Data, &naming); err != nil {
			return nil, fmt.Errorf("read entry %d of %s: %w", e.Seq, log.Task, err)
		}
		for _, b := range naming.Snapshots {
			if !slices.Contains(all, b) {
				all = append(all, b)
			}
		}
	}
	return all, nil
}

// boundSnapshotsAt returns the snapshots that a pushed record names. The mirror has its commit; ""
// names none.
func (m *Mirror) boundSnapshotsAt(ctx context.Context, id belay.TaskID, commit string) ([]snapshot.Pin, error) {
	if commit == "" {
		return nil, nil
	}
	st, err := m.readRecord(ctx, commit, id)
	if err != nil {
		return nil, err
	}
	return BoundSnapshots(st.Log)
}

func (m *Mirror) listRemote(ctx context.Context, pattern string) (map[string]string, error) {
	out, err := m.runGit(ctx, nil, "ls-remote", "--refs", "--", m.URL, pattern)
	if err != nil {
		return nil, err
	}
	return parseRefs(out), nil
}

// parseRefs parses lines of an object and a ref into a map by ref.
func parseRefs(out []byte) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) == 2 {
			all[f[1]] = f[0]
		}
	}
	return all
}

// linkSnapshots creates a commit of each snapshot's tree, in a chain from the task's base, and
// returns the last one. Git negotiates by commits and compares trees at the same paths. A snapshot
// is a tag of a tree, with the files below tree/: without these commits a push would send all
// files.
func (m *Mirror) linkSnapshots(ctx context.Context, s *app.Service, t PushTerms, bound []snapshot.Pin) (tip string, err error) {
	commit := func(tree, parent, message string) (string, error) {
		c := snapshot.CommitObject(s.Session.Repo, tree, []string{parent}, time.Unix(0, 0), message)
		_, err := m.runGit(ctx, c.Data, "hash-object", "-t", "commit", "-w", "--stdin")
		return c.OID, err
	}
	if t.Last != "" {
		out, err := m.runGit(ctx, nil, "rev-parse", "--verify", "--quiet", t.Last+"^2")
		if tip = strings.TrimSpace(string(out)); err == nil && len(bound) == 0 {
			return tip, nil
		}
	}
	names := []string{"rev-parse", t.Base + "^{tree}"}
	for _, b := range bound {
		names = append(names, b.Commit+"^{tree}")
	}
	out, err := m.runGitIn(ctx, s.Session.Repo.Common, nil, names...)
	if err != nil {
		return "", err
	}
	trees := strings.Fields(string(out))
	if tip == "" {
		out, err := m.runGit(ctx, []byte("040000 tree "+trees[0]+"\ttree\n"), "mktree", "--missing")
		if err != nil {
			return "", err
		}
		if tip, err = commit(strings.TrimSpace(string(out)), t.Base, "belay: base\n"); err != nil {
			return "", err
		}
	}
	for i, b := range bound {
		if tip, err = commit(trees[i+1], tip, "belay: snapshot "+string(b.ID)+"\n"); err != nil {
			return "", err
		}
	}
	return tip, nil
}

// listCommits lists the commits that snapshots need and that are not reachable from the previous
// record, or else from the task's base. They become parents of the record's commit, so that a
// worker that fetches it has all of them even if branches change.
func (m *Mirror) listCommits(ctx context.Context, s *app.Service, t PushTerms, bound []snapshot.Pin) (list []string, err error) {
	needs := []string{t.Base}
	for _, b := range bound {
		some, err := s.Session.Snaps.NeededCommits(ctx, b.Commit)
		if err != nil {
			return nil, err
		}
		needs = append(needs, some...)
	}
	slices.Sort(needs)
	needs = slices.Compact(needs)
	gone, err := s.Session.Repo.Missing(ctx, needs) // already missing when the snapshot was taken, which records it
	if err != nil {
		return nil, err
	}
	needs = slices.DeleteFunc(needs, func(oid string) bool { return slices.Contains(gone, oid) })
	out, err := m.runGitIn(ctx, s.Session.Repo.Common, []byte(strings.Join(needs, "\n")+"\n^"+cmp.Or(t.Last, t.Base)+"\n"),
		"rev-list", "--stdin")
	if err != nil {
		return nil, err
	}
	for _, oid := range strings.Fields(string(out)) {
		if slices.Contains(needs, oid) {
			list = append(list, oid)
		}
	}
	return list, nil
}

// checkIgnored rejects snapshots with git-ignored files that are neither in the task's base nor in
// Shared. It also checks the commits that are pushed with them: git stash --all makes one of
// ignored files.
func checkIgnored(ctx context.Context, s *app.Service, t PushTerms, bound []snapshot.Pin, commits []string) error {
	for _, b := range bound {
		out, err := s.Session.Repo.Run(ctx, nil, "diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=A",
			t.Base+"^{tree}", b.Tree)
		if err != nil {
			return err
		}
		paths, err := ignoredFiles(ctx, s, t, out)
		if err := errors.Join(err, newIgnoredError(b.ID, paths)); err != nil {
			return err
		}
	}
	if len(commits) == 0 {
		return nil
	}
	out, err := s.Session.Repo.Run(ctx, nil, append(append([]string{"rev-list"}, commits...), "--not", t.Base)...)
	if err != nil {
		return err
	}
	out, err = s.Session.Repo.Run(ctx, bytes.NewReader(out), "diff-tree", "--stdin", "--root", "-m", "-r", "-z", "--no-commit-id",
		"--name-only", "--no-renames", "--diff-filter=A")
	if err != nil {
		return err
	}
	paths, err := ignoredFiles(ctx, s, t, out)
	return errors.Join(err, newIgnoredError(bound[0].ID, paths))
}

func newIgnoredError(id belay.SnapshotID, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	return &IgnoredFilesError{Snapshot: id, Paths: paths}
}

// ignoredFiles returns those of a NUL-terminated list of paths that git ignores and does not track,
// and that are not in Shared.
func ignoredFiles(ctx context.Context, s *app.Service, t PushTerms, list []byte) ([]string, error) {
	paths := strings.FieldsFunc(string(list), func(r rune) bool { return r == 0 })
	paths = slices.DeleteFunc(paths, func(p string) bool { return belay.Match(t.Shared, p) })
	if len(paths) == 0 {
		return nil, nil
	}
	ask := s.Session.Repo.Ignorer(ctx)
	defer ask.Close()
	answers, err := ask.Ask(ctx, paths)
	if err != nil {
		return nil, err
	}
	var those []string
	for i, p := range paths {
		if answers[i] {
			those = append(those, p)
		}
	}
	if len(those) == 0 {
		return nil, nil
	}
	tracked, err := s.Session.Repo.Run(ctx, nil, "ls-files", "-z")
	if err != nil {
		return nil, err
	}
	has := map[string]bool{}
	for p := range strings.SplitSeq(string(tracked), "\x00") {
		has[p] = true
	}
	return slices.DeleteFunc(those, func(p string) bool { return has[p] }), nil
}

// writeRecord writes the commit of the record and its attachments in the mirror.
func (m *Mirror) writeRecord(ctx context.Context, s *app.Service, r *session.Record, last string, parents []string) (string, error) {
	text, err := recordLines(r.Log)
	if err != nil {
		return "", err
	}
	blob, err := m.writeBlob(ctx, text)
	if err != nil {
		return "", err
	}
	files, added := map[string]string{}, text
	if last != "" {
		before, size, attachments, err := m.readTree(ctx, last)
		if err != nil {
			return "", err
		}
		files = attachments
		if size <= len(text) && s.Session.Repo.HashObject("blob", text[:size]) == before { // lines were only added
			added = text[size:]
		}
	}
	for _, sha := range attachmentName.FindAllString(string(added), -1) {
		if files[sha] != "" {
			continue
		}
		data, err := s.Session.Journal.Attachment(sha)
		if err != nil {
			continue // a hash of something else, or deleted: the record then lacks it too
		}
		if files[sha], err = m.writeBlob(ctx, data); err != nil {
			return "", err
		}
	}
	tree := fmt.Sprintf("100644 blob %s\t%s\n", blob, recordFile)
	if len(files) > 0 {
		var list bytes.Buffer
		for _, sha := range slices.Sorted(maps.Keys(files)) {
			fmt.Fprintf(&list, "100644 blob %s\t%s\n", files[sha], sha)
		}
		sub, err := m.runGit(ctx, list.Bytes(), "mktree")
		if err != nil {
			return "", err
		}
		tree = fmt.Sprintf("040000 tree %s\tfiles\n", strings.TrimSpace(string(sub))) + tree
	}
	top, err := m.runGit(ctx, []byte(tree), "mktree")
	if err != nil {
		return "", err
	}
	c := snapshot.CommitObject(s.Session.Repo, strings.TrimSpace(string(top)), parents, r.Changed, fmt.Sprintf("belay: %s, %s\n", r.Task.ID,
		belay.CountOf(r.Log.Head.Seq, "step")))
	out, err := m.runGit(ctx, c.Data, "hash-object", "-t", "commit", "-w", "--stdin")
	return strings.TrimSpace(string(out)), err
}

func (m *Mirror) writeBlob(ctx context.Context, data []byte) (string, error) {
	out, err := m.runGit(ctx, data, "hash-object", "-w", "--stdin")
	return strings.TrimSpace(string(out)), err
}

// recordLines returns a record's lines as on disk.
func recordLines(log journal.Log) ([]byte, error) {
	var text bytes.Buffer
	for _, e := range log.Entries {
		l := journal.Line{Entry: e, Task: log.Task}
		line, err := journal.Make(&l)
		if err != nil {
			return nil, err
		}
		if l.Hash != e.Hash {
			return nil, belay.Refuse(belay.CodeCannot, "belay log --verify "+string(log.Task),
				"entry %d of %s changed since it was read", e.Seq, log.Task)
		}
		text.Write(line)
	}
	return text.Bytes(), nil
}

// Fetch fetches a task's record and snapshots from the remote into the mirror, and verifies the
// chain. The State of a task that is not there has no commit.
func (m *Mirror) Fetch(ctx context.Context, id belay.TaskID) (State, error) {
	// ls-remote would transfer all refs of the remote, fetch only the requested ones. Git shows no
	// progress for a pack that it unpacks, hence unpackLimit.
	if _, err := m.runGit(ctx, nil, "-c", "transfer.fsckObjects=true", "-c", "fetch.unpackLimit=1", "fetch", "--progress",
		"--no-tags", "--prune", "--no-write-fetch-head", "--", m.URL, "+"+taskRefPrefix(id)+"*:"+taskRefPrefix(id)+"*"); err != nil {
		return State{}, err
	}
	all, err := m.listRefs(ctx, taskRefPrefix(id))
	commit := all[recordRef(id)]
	if err != nil || commit == "" {
		return State{}, err
	}
	st, err := m.readRecord(ctx, commit, id)
	if err != nil {
		return State{}, err
	}
	st.Snapshots = map[string]string{}
	for name, oid := range all {
		if snap, ok := strings.CutPrefix(name, taskRefPrefix(id)+"snapshots/"); ok {
			st.Snapshots[snap] = oid
		}
	}
	return st, nil
}

// readRecord reads a record's commit.
func (m *Mirror) readRecord(ctx context.Context, commit string, id belay.TaskID) (st State, err error) {
	record, _, attachments, err := m.readTree(ctx, commit)
	if err != nil {
		return st, err
	}
	st.Commit, st.Attachments = commit, attachments
	text, err := m.runGit(ctx, nil, "cat-file", "blob", record)
	if err != nil {
		return st, err
	}
	st.Log, err = parseRecord(text, id)
	return st, err
}

// readTree returns the blob of a record's lines, its size in bytes, and the blobs of its
// attachments by SHA-256.
func (m *Mirror) readTree(ctx context.Context, commit string) (record string, size int, attachments map[string]string, err error) {
	out, err := m.runGit(ctx, nil, "ls-tree", "-r", "-l", "-z", commit)
	attachments = map[string]string{}
	for line := range strings.SplitSeq(string(out), "\x00") {
		about, path, _ := strings.Cut(line, "\t")
		f := strings.Fields(about)
		if len(f) != 4 {
			continue
		}
		if path == recordFile {
			record = f[2]
			size, _ = strconv.Atoi(f[3]) // "-" if it is no blob: reading the record then fails
		} else if sha, ok := strings.CutPrefix(path, "files/"); ok {
			attachments[sha] = f[2]
		}
	}
	return record, size, attachments, err
}

// parseRecord parses the lines of a record and verifies their chain.
func parseRecord(text []byte, id belay.TaskID) (log journal.Log, err error) {
	br := bufio.NewReader(bytes.NewReader(text))
	var last journal.Line
	for {
		raw, size, err := journal.ReadLine(br)
		if err != nil {
			return log, err
		}
		if size == 0 {
			break
		}
		l, err := journal.Next(raw, last, id)
		if err != nil {
			return log, belay.Refuse(belay.CodeRefused, "find out who pushed it", "the record of %s on the remote is damaged: %v", id, err)
		}
		last = l
		log.Entries = append(log.Entries, l.Entry)
	}
	log.Task, log.Head = last.Task, last.Head()
	return log, nil
}

// Adopt copies a fetched task into a new clone: its record, attachments and snapshots. It does not
// restore files.
func (m *Mirror) Adopt(ctx context.Context, s *app.Service, st State) error {
	if err := m.fetchAttachments(ctx, s, st); err != nil {
		return err
	}
	bound, err := BoundSnapshots(st.Log)
	if err != nil {
		return err
	}
	var specs []string
	for _, b := range bound {
		oid := st.Snapshots[string(b.ID)]
		if oid == "" {
			continue // pruned, or never pushed: the restore that needs it fails
		}
		if oid != b.Commit {
			return belay.Refuse(belay.CodeRefused, "find out who pushed it",
				"the remote has another snapshot %s than the record of %s names",
				b.ID.Short(), st.Log.Task)
		}
		specs = append(specs, taskRefPrefix(st.Log.Task)+"snapshots/"+string(b.ID)+":"+snapshot.RefPrefix+string(b.ID))
	}
	if len(specs) > 0 {
		specs = append(specs, recordRef(st.Log.Task)) // and the commits that they need
		args := append([]string{"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", m.Dir}, specs...)
		if _, err := runGit(ctx, s.Session.Repo.Root, nil, nil, args...); err != nil {
			return err
		}
		if err := s.Session.Snaps.RestoreCommitRefs(ctx); err != nil {
			return err
		}
	}
	return s.Session.Journal.Rewrite(ctx, st.Log)
}
