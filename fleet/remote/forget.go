package remote

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/session"
)

// forgottenPrefix is the prefix of the records of tasks without snapshots: forgottenPrefix/DAY/ID,
// a commit without parents, so that the snapshots are unreachable. DAY is when they were deleted.
// The task has no refs below Prefix any more.
const forgottenPrefix = "refs/belay/forgotten/"

// maxRefs limits the refs of one push and the records of one fetch, because git takes them as
// arguments. A test has fewer.
var maxRefs = 100

// taskRefs are the refs of one task on a remote.
type taskRefs struct {
	record    string            // the record ref's object; "" for none
	snapshots map[string]string // objects, by ref
	ended     time.Time
}

// forgottenRecord is the record of a task without snapshots.
type forgottenRecord struct {
	ref, record string
	task        belay.TaskID
	day         time.Time
}

// groupByTask groups the refs of a remote by task; without has the tasks without snapshots, by day.
// It skips refs that no version of belay-fleet creates.
func groupByTask(all map[string]string) (tasks map[belay.TaskID]*taskRefs, without []forgottenRecord) {
	tasks = map[belay.TaskID]*taskRefs{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		oid := all[name]
		if day, of, ok := strings.Cut(strings.TrimPrefix(name, forgottenPrefix), "/"); ok && strings.HasPrefix(name, forgottenPrefix) {
			at, err := time.Parse(time.DateOnly, day)
			if id, ok := taskIDOf(of); ok && err == nil {
				without = append(without, forgottenRecord{name, oid, id, at})
			}
			continue
		}
		rest, ours := strings.CutPrefix(name, Prefix)
		of, part, _ := strings.Cut(rest, "/")
		id, ok := taskIDOf(of)
		snap, isSnap := strings.CutPrefix(part, "snapshots/")
		if isSnap = isSnap && snap != "" && !strings.Contains(snap, "/"); !ours || !ok || !isSnap && part != "record" {
			continue
		}
		if tasks[id] == nil {
			tasks[id] = &taskRefs{snapshots: map[string]string{}}
		}
		if isSnap {
			tasks[id].snapshots[name] = oid
		} else {
			tasks[id].record = oid
		}
	}
	return tasks, without
}

// taskIDOf parses a task's ID in a ref, which must be in lower case: it becomes part of paths.
func taskIDOf(text string) (belay.TaskID, bool) {
	id, err := belay.ParseTaskID(text)
	return id, err == nil && id.Key() == text
}

// forgetRun is one pass over the tasks of a remote. mirror is an empty repository for it.
type forgetRun struct {
	mirror    Mirror
	retention task.Retention
	now       time.Time
	result    task.ForgetResult
	pending   []refChange
}

// refChange is a change of the refs of one task, all or nothing.
type refChange struct {
	task   task.ForgottenTask
	refs   map[string]string // current objects; "" for a new ref
	newRef string            // SOURCE:REF of the new ref; "" for none
}

// isDone reports whether a remote with these refs has the change.
func (c refChange) isDone(now map[string]string) bool {
	source, created, _ := strings.Cut(c.newRef, ":")
	for ref := range c.refs {
		if want := map[bool]string{true: source}[ref == created]; now[ref] != want {
			return false
		}
	}
	return true
}

// hasMoved reports whether a ref is not what it was when it was listed.
func (c refChange) hasMoved(now map[string]string) bool {
	for ref, oid := range c.refs {
		if now[ref] != oid {
			return true
		}
	}
	return false
}

// Forget deletes what a remote has of old tasks, according to q.Keep. known has the tasks that the
// server knows, by their key, with the time when they ended, or the zero time for one that may
// still need its refs; for others the record decides. now is the current time. A task with a ref
// that moves meanwhile is kept, with a reason. What was pushed before an error stays; another call
// continues. Error: CodeRefused if the remote refuses to delete refs.
func Forget(ctx context.Context, q task.ForgetAsk, known map[belay.TaskID]time.Time, now time.Time) (task.ForgetResult, error) {
	s := &forgetRun{retention: q.Keep, now: now,
		result: task.ForgetResult{Remote: WithoutLogin(q.Remote), DryRun: q.Keep.DryRun, Tasks: []task.ForgottenTask{}}}
	const pattern = "belay-forget-*"
	_, swept := SweepScratch(os.TempDir(), pattern) // left by killed passes
	dir, done, err := MakeScratch(os.TempDir(), pattern)
	if err != nil {
		return s.result, errors.Join(swept, err)
	}
	defer done() //nolint:errcheck // what stays is swept
	s.mirror = Mirror{Dir: dir, URL: q.Remote}
	all, err := s.mirror.listRemote(ctx, "refs/belay/*")
	if err != nil {
		return s.result, err
	}
	tasks, without := groupByTask(all)
	for id, k := range tasks {
		ended, there := known[id]
		if k.ended = ended; k.record == "" || there && ended.IsZero() {
			delete(tasks, id)
		}
	}
	if err := s.selectOld(ctx, tasks); err != nil {
		return s.result, err
	}
	for _, id := range slices.Sorted(maps.Keys(tasks)) {
		if err := s.forgetTask(ctx, id, tasks[id]); err != nil {
			return s.result, err
		}
	}
	for _, f := range without {
		if now.Sub(f.day) <= s.retention.Records {
			continue
		}
		if err := s.addChange(ctx, refChange{task: task.ForgottenTask{Task: f.task, RecordDeleted: true},
			refs: map[string]string{f.ref: f.record}}); err != nil {
			return s.result, err
		}
	}
	return s.result, s.pushPending(ctx)
}

// selectOld removes the tasks that are not old, and fetches the records of the others. For a task
// that the server does not know, the record states whether it ended.
func (s *forgetRun) selectOld(ctx context.Context, tasks map[belay.TaskID]*taskRefs) error {
	unknown := maps.Clone(tasks)
	maps.DeleteFunc(unknown, func(_ belay.TaskID, k *taskRefs) bool { return !k.ended.IsZero() })
	if err := s.fetchRecords(ctx, unknown); err != nil {
		return err
	}
	for id, k := range unknown {
		st, err := s.mirror.readRecord(ctx, k.record, id)
		rec, bad := session.Fold(st.Log)
		switch {
		case err != nil || bad != nil: // it is shown as a record with a problem, so it stays for whoever investigates
			if ctx.Err() != nil {
				return ctx.Err()
			}
			delete(tasks, id)
			s.result.Tasks = append(s.result.Tasks, task.ForgottenTask{Task: id, KeptReason: "its record cannot be read"})
		case rec.Open():
			delete(tasks, id)
		default:
			k.ended = rec.Changed
		}
	}
	newest := slices.SortedFunc(maps.Keys(tasks), func(a, b belay.TaskID) int {
		if c := tasks[b].ended.Compare(tasks[a].ended); c != 0 {
			return c
		}
		return strings.Compare(string(a), string(b))
	})
	for i, id := range newest {
		if i < s.retention.KeepLast || s.now.Sub(tasks[id].ended) <= s.retention.OlderThan {
			delete(tasks, id)
		}
	}
	rest := maps.Clone(tasks)
	maps.DeleteFunc(rest, func(id belay.TaskID, _ *taskRefs) bool { return unknown[id] != nil })
	return s.fetchRecords(ctx, rest)
}

// fetchRecords fetches the records of tasks, without their history.
func (s *forgetRun) fetchRecords(ctx context.Context, of map[belay.TaskID]*taskRefs) error {
	for some := range slices.Chunk(slices.Sorted(maps.Keys(of)), maxRefs) {
		if _, err := os.Stat(s.mirror.Dir + "/HEAD"); err != nil {
			if err := createRepository(ctx, s.mirror.Dir, len(of[some[0]].record), "--bare"); err != nil {
				return err
			}
		}
		args := []string{"-c", "transfer.fsckObjects=true", "fetch", "--quiet", "--no-tags", "--depth=1", "--no-write-fetch-head",
			"--", s.mirror.URL}
		for _, id := range some {
			args = append(args, "+"+recordRef(id)+":"+recordRef(id))
		}
		if _, err := s.mirror.runGit(ctx, nil, args...); err != nil {
			return err
		}
	}
	return nil
}

// forgetTask moves the record of a task to a commit without parents, and deletes its snapshots.
func (s *forgetRun) forgetTask(ctx context.Context, id belay.TaskID, k *taskRefs) error {
	of := task.ForgottenTask{Task: id, Ended: k.ended, Snapshots: len(k.snapshots)}
	st, err := s.mirror.readRecord(ctx, k.record, id)
	if err != nil {
		if of.KeptReason = "its record cannot be read, or moved meanwhile"; ctx.Err() == nil {
			of.Snapshots = 0
			s.result.Tasks = append(s.result.Tasks, of)
		}
		return ctx.Err()
	}
	day := s.now.UTC().Format(time.DateOnly)
	when := fmt.Sprint(max(0, s.now.Unix())) + " +0000"
	who := []string{"GIT_AUTHOR_NAME=belay", "GIT_AUTHOR_EMAIL=belay@localhost", "GIT_COMMITTER_NAME=belay",
		"GIT_COMMITTER_EMAIL=belay@localhost", "GIT_AUTHOR_DATE=" + when, "GIT_COMMITTER_DATE=" + when}
	made, err := runGit(ctx, s.mirror.Dir, who, []byte(fmt.Sprintf("belay: %s, %s, without its snapshots\n", st.Log.Task,
		belay.CountOf(st.Log.Head.Seq, "step"))), "commit-tree", k.record+"^{tree}")
	if err != nil {
		return err
	}
	c := refChange{task: of, refs: maps.Clone(k.snapshots)}
	alone := forgottenPrefix + day + "/" + id.Key()
	c.refs[recordRef(id)], c.refs[alone], c.newRef = k.record, "", strings.TrimSpace(string(made))+":"+alone
	return s.addChange(ctx, c)
}

// addChange adds a change, and first pushes the pending ones if there would be too many refs.
func (s *forgetRun) addChange(ctx context.Context, c refChange) error {
	n := len(c.refs)
	for _, p := range s.pending {
		n += len(p.refs)
	}
	if n > maxRefs {
		if err := s.pushPending(ctx); err != nil {
			return err
		}
	}
	s.pending = append(s.pending, c)
	return nil
}

// pushPending pushes the pending changes at once or, if that fails, one task after the other.
func (s *forgetRun) pushPending(ctx context.Context) error {
	all := s.pending
	s.pending = nil
	if len(all) > 1 && !s.retention.DryRun {
		if _, err := s.pushChanges(ctx, all); err == nil {
			s.addDone(all...)
			return nil
		}
	}
	for _, c := range all {
		if s.retention.DryRun {
			s.addDone(c)
			continue
		}
		out, err := s.pushChanges(ctx, []refChange{c})
		if err != nil {
			now, lerr := s.mirror.listRemote(ctx, "refs/belay/*")
			if lerr != nil {
				return err
			}
			switch {
			case c.isDone(now): // only the answer was lost
			case c.hasMoved(now):
				c.task.KeptReason, c.task.Snapshots, c.task.RecordDeleted = "it moved meanwhile", 0, false
			default:
				return s.pushError(out, err)
			}
		}
		s.addDone(c)
	}
	return nil
}

func (s *forgetRun) addDone(all ...refChange) {
	for _, c := range all {
		s.result.Snapshots += c.task.Snapshots
		if c.task.RecordDeleted {
			s.result.Records++
		}
		s.result.Tasks = append(s.result.Tasks, c.task)
	}
}

// pushChanges applies changes on the remote, all or nothing, unless a ref moved since it was
// listed.
func (s *forgetRun) pushChanges(ctx context.Context, all []refChange) (out []byte, err error) {
	args, specs := []string{"push", "--porcelain", "--quiet", "--atomic", "--no-verify"}, []string(nil)
	for _, c := range all {
		for _, ref := range slices.Sorted(maps.Keys(c.refs)) {
			args = append(args, "--force-with-lease="+ref+":"+c.refs[ref])
			if c.refs[ref] != "" {
				specs = append(specs, ":"+ref)
			}
		}
		if c.newRef != "" {
			specs = append(specs, c.newRef)
		}
	}
	if _, err := os.Stat(s.mirror.Dir + "/HEAD"); err != nil { // there was nothing to fetch
		if err := createRepository(ctx, s.mirror.Dir, len(slices.Max(slices.Collect(maps.Values(all[0].refs)))), "--bare"); err != nil {
			return nil, err
		}
	}
	return s.mirror.runGit(ctx, nil, append(append(args, "--", s.mirror.URL), specs...)...)
}

// pushError returns the answer of a remote that refuses to delete refs, or err if it gave none.
func (s *forgetRun) pushError(out []byte, err error) error {
	for line := range strings.Lines(string(out)) {
		parts := strings.Split(strings.TrimSpace(line), "\t")
		if parts[0] == "!" && len(parts) == 3 && !strings.Contains(parts[2], "atomic") {
			return &belay.Error{Code: belay.CodeRefused, Err: err,
				What: fmt.Sprintf("%s refuses to delete refs below refs/belay: %s", s.result.Remote, belay.VisibleLine(parts[2])),
				Try:  "let the user that pushes here delete and create refs below refs/belay/"}
		}
	}
	return err
}

// RemoteContents is what a remote has of a task.
type RemoteContents struct {
	Record    bool   `json:"record"`
	Snapshots int    `json:"snapshots"`
	Forgotten string `json:"forgotten,omitempty"` // the day (UTC) on which its snapshots were deleted
}

// ReadContents asks a remote what it has of a task.
func ReadContents(ctx context.Context, url string, id belay.TaskID) (RemoteContents, error) {
	m := Mirror{Dir: os.TempDir(), URL: url}
	out, err := m.runGit(ctx, nil, "ls-remote", "--refs", "--", url, taskRefPrefix(id)+"*", forgottenPrefix+"*/"+id.Key())
	if err != nil {
		return RemoteContents{}, err
	}
	tasks, without := groupByTask(parseRefs(out))
	left := RemoteContents{}
	if k := tasks[belay.TaskID(id.Key())]; k != nil {
		return RemoteContents{Record: k.record != "", Snapshots: len(k.snapshots)}, nil
	}
	for _, f := range without {
		left = RemoteContents{Record: true, Forgotten: f.day.Format(time.DateOnly)}
	}
	return left, nil
}
