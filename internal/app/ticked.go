package app

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/tasklist"
	"github.com/belay-dev/belay/internal/worktree"
)

// TickedTask is a task with a ticked box, compared with the changes made for it.
type TickedTask struct {
	Source       string          `json:"source"`
	Line         int             `json:"line"`
	ID           string          `json:"id,omitempty"`
	Title        string          `json:"title"`
	Task         belay.TaskID    `json:"task,omitempty"`   // the recorded task, if the box was imported
	Verdict      string          `json:"verdict"`          // shown, contradicted, not shown
	Why          string          `json:"why,omitempty"`    // reason, if no requirement gives the verdict
	Before       string          `json:"before,omitempty"` // the commit that the changes start from
	After        string          `json:"after,omitempty"`  // the commit that ticked the box; "" for the working tree
	Requirements []belay.Met     `json:"requirements"`
	Findings     []belay.Finding `json:"findings"`
}

// TickedReport is the result for all ticked tasks of the files.
type TickedReport struct {
	Tasks []TickedTask       `json:"tasks"`
	Tests *belay.CheckResult `json:"tests,omitempty"` // of the working tree; nil if skipped
}

// Count returns the number of tasks with a verdict.
func (r TickedReport) Count(verdict string) (n int) {
	for _, t := range r.Tasks {
		if t.Verdict == verdict {
			n++
		}
	}
	return n
}

// Limits on a file's history. A version may be smaller than a task file, because there may be many.
const (
	maxVersions = "500"
	maxVersion  = 1 << 20 // bytes
)

// checksExcept returns the names of all checks but one.
func checksExcept(name string) []string {
	return slices.DeleteFunc(check.Names(), func(other string) bool { return other == name })
}

// fileVersion is a task file in a commit, or in the working tree.
type fileVersion struct {
	commit string          // "" for the working tree
	done   map[string]bool // whether the box is ticked, for each task by key
}

// CheckTicked compares each ticked task of the files with the changes made for it: those after the
// commit that ticked another box of the file, or that added the task, up to the commit that ticked
// its own. Requirements that these changes do not meet are reported as not shown. The tests run on
// the working tree, unless q.Skip names them.
func (s *Service) CheckTicked(ctx context.Context, files []ImportFile, q CheckRequest) (TickedReport, error) {
	report := TickedReport{Tasks: []TickedTask{}}
	have, err := RecordedTasks(s)
	if err != nil {
		return report, err
	}
	states := map[string]belay.SnapshotID{} // by commit; "" is the working tree
	for _, f := range files {
		if f.Problem != "" || f.outside {
			continue
		}
		versions, err := s.readVersions(ctx, f)
		if err != nil {
			return report, err
		}
		for _, l := range PlanImport([]ImportFile{f}, have, ImportOptions{}).Tasks {
			if l.Outcome != ImportDone {
				continue
			}
			t := TickedTask{Source: l.Source, Line: l.Line, ID: l.ID, Title: l.Title, Task: l.Belay, Requirements: []belay.Met{},
				Findings: []belay.Finding{}}
			if err := s.judgeTicked(ctx, &t, l, versions, states); err != nil {
				return report, err
			}
			report.Tasks = append(report.Tasks, t)
		}
	}
	if len(report.Tasks) == 0 || slices.Contains(q.Skip, "tests") {
		return report, nil
	}
	q.Before, q.Skip = "HEAD", checksExcept("tests")
	if q.Adhoc, err = s.AdhocTask(); err != nil {
		return report, err
	}
	now, err := s.Check(ctx, q)
	if err != nil {
		return report, err
	}
	for _, c := range now.Checks {
		if c.Check == "tests" {
			report.Tests = &c
		}
	}
	return report, nil
}

// judgeTicked judges one task. Work is not always committed between two ticks, so what is not shown
// there is searched for in all changes since the task was added. A task is contradicted only if
// both contradict it.
func (s *Service) judgeTicked(ctx context.Context, t *TickedTask, l ImportLine, versions []fileVersion,
	states map[string]belay.SnapshotID) error {
	before, after, added, why := commitSpan(versions, taskKey(l.Task))
	if why != "" {
		t.Verdict, t.Why = belay.MetUnknown, why
		return nil
	}
	t.Before, t.After = before, after
	task, err := s.AdhocTask()
	if err != nil {
		return err
	}
	task.Prose = l.Text
	task.Request, _ = s.ParseRequest(ctx, l.Text)
	task.Checks.Skip = checksExcept("contract")
	if err := s.judgeBetween(ctx, t, task, states); err != nil || t.Verdict == belay.MetYes || before == added && after == "" {
		return err
	}
	whole := *t
	whole.Before, whole.After, whole.Requirements, whole.Findings, whole.Why = added, "", []belay.Met{}, []belay.Finding{}, ""
	if err := s.judgeBetween(ctx, &whole, task, states); err != nil {
		return err
	}
	if whole.Verdict == belay.MetYes || whole.Verdict == belay.MetUnknown && t.Verdict == belay.MetNot {
		*t = whole
	}
	return nil
}

// judgeBetween judges one task by the changes between two commits.
func (s *Service) judgeBetween(ctx context.Context, t *TickedTask, task belay.Task, states map[string]belay.SnapshotID) error {
	from, err := s.stateOf(ctx, t.Before, states)
	if err != nil {
		return err
	}
	to, err := s.stateOf(ctx, t.After, states)
	if err != nil {
		return err
	}
	changes, err := s.Session.Snaps.Changes(ctx, from, to)
	if err != nil {
		return err
	}
	// Ticking the box does not count as a change.
	changes = slices.DeleteFunc(changes, func(c belay.Change) bool { return c.Path == t.Source })
	work := session.Work{All: changes, Last: changes, ChangedByHand: func(string) bool { return true }}
	judged, err := s.Session.Judge(ctx, task, work, from, to, nil)
	if err != nil {
		return err
	}
	for _, c := range judged.Checks {
		if c.Check == "contract" {
			t.Requirements, t.Findings = append(t.Requirements, c.Met...), append(t.Findings, c.Findings...)
		}
	}
	met := func(verdict string) bool {
		return slices.ContainsFunc(t.Requirements, func(m belay.Met) bool { return m.Verdict == verdict })
	}
	switch t.Verdict = belay.MetUnknown; {
	case met(belay.MetNot):
		t.Verdict = belay.MetNot
	case met(belay.MetYes) && !met(belay.MetUnknown):
		t.Verdict = belay.MetYes
	case len(changes) == 0:
		t.Why = "nothing but the box was changed"
	case len(t.Requirements) == 0:
		t.Why = "its text names nothing that a change could show"
	}
	return nil
}

// stateOf returns a snapshot of a commit, or of the working tree for "".
func (s *Service) stateOf(ctx context.Context, commit string, states map[string]belay.SnapshotID) (belay.SnapshotID, error) {
	if id, ok := states[commit]; ok {
		return id, nil
	}
	meta := session.TemporaryMeta(nil, "to judge ticked tasks by")
	take := func() (snapshot.Info, error) { return worktree.Snapshot(ctx, s.Session.Restores, commit, meta) }
	if commit == "" {
		take = func() (snapshot.Info, error) {
			return s.Session.Snaps.TakeWith(ctx, meta, s.Session.SnapshotExtent(&session.Record{}))
		}
	}
	info, err := take()
	if err != nil {
		return "", err
	}
	states[commit] = info.ID
	return info.ID, nil
}

// commitSpan finds the commits between which a ticked task was done, and the one that added it.
// versions are the newest first. why is set if they are not known.
func commitSpan(versions []fileVersion, key string) (before, after, added, why string) {
	i := 0
	for i+1 < len(versions) && versions[i+1].done[key] {
		i++
	}
	if i+1 == len(versions) {
		return "", "", "", "its box was ticked when the history of the file begins"
	}
	after = versions[i].commit
	i++
	before, open := versions[i].commit, true
	for ; i+1 < len(versions); i++ {
		if _, there := versions[i+1].done[key]; !there {
			break
		}
		if open = open && !tickedSince(versions[i+1], versions[i]); open {
			before = versions[i+1].commit
		}
	}
	return before, after, versions[i].commit, ""
}

// tickedSince reports whether a box was ticked between two versions.
func tickedSince(before, after fileVersion) bool {
	for key, done := range after.done {
		if done && !before.done[key] {
			return true
		}
	}
	return false
}

// readVersions reads a file's history, newest version first; the first is the working tree's. A
// merge counts as one commit.
func (s *Service) readVersions(ctx context.Context, f ImportFile) ([]fileVersion, error) {
	list := []fileVersion{versionOf("", f.reading)}
	refs, err := s.Session.Repo.Refs(ctx)
	if err != nil {
		return nil, err
	}
	head, err := s.Session.Repo.Head(ctx, refs)
	if err != nil || head.OID == "" || strings.ContainsAny(f.Path, "\n\r") { // no commit yet, or a name that cannot be in a line of input
		return list, err
	}
	out, err := s.Session.Repo.Run(ctx, nil, "rev-list", "--first-parent", "--max-count="+maxVersions, head.OID, "--", f.Path)
	if err != nil {
		return nil, err
	}
	r, err := s.Session.Repo.Reader(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for commit := range strings.FieldsSeq(string(out)) {
		o, err := r.Read(commit + ":" + filepath.ToSlash(f.Path))
		if err != nil || len(o.Data) > maxVersion {
			break // the file did not exist
		}
		reading, err := tasklist.ReadTasks(f.Path, o.Data)
		if err != nil {
			break
		}
		list = append(list, versionOf(commit, reading))
	}
	return list, ctx.Err()
}

func versionOf(commit string, r tasklist.Reading) fileVersion {
	v := fileVersion{commit: commit, done: map[string]bool{}}
	for _, t := range r.Tasks {
		v.done[taskKey(t)] = t.Done
	}
	return v
}

// taskKey identifies a task across versions of its file. The ID stays when the text is edited.
func taskKey(t tasklist.Task) string {
	if t.ID != "" {
		return t.ID
	}
	return "\x00" + textHash(t.Text)
}
