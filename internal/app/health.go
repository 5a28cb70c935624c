package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/handoff"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/scan"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/snapshot"
)

// HealthCheck is the result of one check of belay's own state. OK is false when a person has to
// act; Try is the suggested action.
type HealthCheck struct {
	Subject string `json:"about"`
	OK      bool   `json:"ok"`
	Text    string `json:"says"`
	Try     string `json:"try,omitempty"`
}

// HealthOptions selects which snapshots are read.
type HealthOptions struct {
	All      bool               // also read the snapshots of ended tasks
	Progress func(done, of int) // called before each snapshot is read; may be nil
}

// CheckHealth checks everything that belay relies on. It repairs what is safe to repair, such as an
// interrupted restore.
func CheckHealth(ctx context.Context, s *session.Session, configErr error, opts HealthOptions) []HealthCheck {
	list := []HealthCheck{{Subject: "git", OK: true, Text: fmt.Sprintf("%s, %s objects", s.Repo.Root, s.Repo.Format)}}
	list = append(list, CheckGitFolders(s.Repo.Root)...)
	list = append(list, checkConfig(s, configErr), checkWritable(s), checkRestores(ctx, s), checkSnapshotting(ctx, s))
	list = append(list, checkRecords(s)...)
	list = append(list, checkAnchors(s))
	list = append(list, missingRecords(ctx, s)...)
	list = append(list, repairRefs(ctx, s)...)
	list = append(list, checkRuns(ctx, s)...)
	list = append(list, sweepContexts(s)...)
	return append(list, checkSnapshots(ctx, s, opts)...)
}

// CheckGitFolders reports problems with the git folders of the repository that contains dir: links,
// wrong types, files of other users. It also works for a repository that cannot be opened.
func CheckGitFolders(dir string) []HealthCheck {
	odds, err := git.FindUnusable(dir)
	var list []HealthCheck
	for _, o := range odds {
		c := HealthCheck{Subject: "git folder", Text: o.Err.Error(), Try: "check its owner and permissions: ls -ld " + o.Path}
		var with interface{ Try() string }
		if errors.As(o.Err, &with) {
			c.Try = with.Try()
		}
		list = append(list, c)
	}
	if err != nil && len(list) == 0 {
		list = append(list, HealthCheck{Subject: "git folder", Text: err.Error(), Try: "git status"})
	}
	return list
}

func checkConfig(s *session.Session, configErr error) HealthCheck {
	if _, err := scan.NewGlobs(s.Config.Snapshot.Include); err != nil && configErr == nil {
		configErr = fmt.Errorf("snapshot.include: %w", err)
	}
	if configErr != nil {
		return HealthCheck{Subject: "config", Text: configErr.Error(), Try: "fix .belay/config.yaml"}
	}
	return HealthCheck{Subject: "config", OK: true, Text: "valid"}
}

// checkWritable writes a real file in belay's state folders and in the folders that store
// snapshots, because permissions do not show a full disk or a read-only file system.
func checkWritable(s *session.Session) HealthCheck {
	dir := filepath.Join(s.Repo.Common, "belay")
	err := fsroot.MkdirAll(dir, 0o700)
	if err == nil {
		err = probe(dir)
	}
	others := []string{filepath.Join(s.Repo.Common, "objects", "pack"),
		filepath.Join(s.Repo.Common, filepath.FromSlash(snapshot.RefPrefix))}
	for _, top := range slices.Compact([]string{dir, s.Scratch()}) {
		others = append(others, filepath.Join(top, "files", ".new"))
		entries, _ := fsroot.ReadDir(top) // an unreadable folder is reported above
		for _, e := range entries {
			others = append(others, filepath.Join(top, e.Name()))
		}
	}
	for _, path := range others {
		if err == nil && fsroot.IsFolder(path) { // a missing folder is created on demand
			err = probe(path)
		}
	}
	for _, name := range []string{"packs", "packs.lock", "restore.lock", "stored.lock", "tree.lock", "trees.lock"} {
		for _, path := range []string{filepath.Join(dir, name), s.Scratch(name)} {
			if f, oerr := fsroot.OpenFile(path, os.O_RDWR, 0); oerr == nil {
				_ = f.Close()
			} else if err == nil && !errors.Is(oerr, fs.ErrNotExist) {
				err = oerr
			}
		}
	}
	if err != nil {
		return HealthCheck{Subject: "state", Text: err.Error(), Try: "make the git folder writable, or free some space"}
	}
	return HealthCheck{Subject: "state", OK: true, Text: dir + " is writable"}
}

func probe(dir string) error {
	f, err := fsroot.CreateTemp(dir, ".probe-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString("probe")
	return errors.Join(err, f.Close(), fsroot.Remove(f.Name()))
}

func checkRestores(ctx context.Context, s *session.Session) HealthCheck {
	done, err := s.Restores.Recover(ctx)
	switch {
	case err != nil:
		return HealthCheck{Subject: "restore", Text: session.ErrorLine(err), Try: "fix the cause, then run belay doctor"}
	case done != nil:
		return HealthCheck{Subject: "restore", OK: true, Text: restore.FinishedMessage(*done)}
	}
	return HealthCheck{Subject: "restore", OK: true, Text: "no interrupted restore"}
}

// checkSnapshotting reads everything that a snapshot would contain, without storing it.
func checkSnapshotting(ctx context.Context, s *session.Session) HealthCheck {
	if _, err := s.Snaps.Worktree.Capture(ctx, snapshot.CaptureOptions{}); err != nil {
		return HealthCheck{Subject: "working tree", Text: session.ErrorLine(err), Try: "fix the cause, then run belay snapshot take"}
	}
	return HealthCheck{Subject: "working tree", OK: true, Text: "a snapshot can be taken"}
}

// checkRecords verifies the hash chain of every task's record.
func checkRecords(s *session.Session) []HealthCheck {
	ids, err := s.Journal.Tasks()
	if err != nil {
		return []HealthCheck{{Subject: "records", Text: err.Error()}}
	}
	var list []HealthCheck
	for _, id := range ids {
		v := VerifyRecord(s, id)
		if !v.OK {
			for _, p := range v.Problems {
				list = append(list, HealthCheck{Subject: "record of " + string(id), Text: p, Try: "belay log --verify " + string(id)})
			}
		}
	}
	features, err := VerifyFeatureRecords(&Service{Session: s})
	if err != nil {
		list = append(list, HealthCheck{Subject: "records of features", Text: err.Error()})
	}
	for _, v := range features {
		for _, p := range v.Problems {
			list = append(list, HealthCheck{Subject: "record of the feature " + belay.VisibleLine(v.Feature), Text: p,
				Try: "belay log --verify"})
		}
	}
	if len(list) == 0 {
		list = append(list, HealthCheck{Subject: "records", OK: true, Text: fmt.Sprintf("%d, all intact", len(ids)+len(features))})
	}
	return list
}

// checkAnchors reports whether the heads of records are also stored outside the repository.
func checkAnchors(s *session.Session) HealthCheck {
	if err := s.Anchors.Problem(); err != nil {
		return HealthCheck{Subject: "anchors", OK: true,
			Text: "records are not anchored outside the repository, so a truncated record is not detected: " + err.Error()}
	}
	if _, err := s.MissingRecords(); err != nil {
		return HealthCheck{Subject: "anchors", OK: true,
			Text: "records are not anchored outside the repository, so a truncated record is not detected: " + err.Error()}
	}
	return HealthCheck{Subject: "anchors", OK: true, Text: "records are anchored in " + s.Anchors.Location()}
}

// missingRecords lists the tasks without a record.
func missingRecords(ctx context.Context, s *session.Session) (list []HealthCheck) {
	all, err := s.AbsentTasks(ctx)
	if err != nil {
		return []HealthCheck{{Subject: "records", Text: session.ErrorLine(err)}}
	}
	for _, a := range all {
		c := HealthCheck{Subject: "record of " + string(a.Task), Text: a.String(), Try: a.Try()}
		if a.Entries == 0 { // a person may have deleted it, or accepted the loss
			c.OK, c.Text, c.Try = true, c.Text+" ("+c.Try+")", ""
		}
		list = append(list, c)
	}
	return list
}

// repairRefs restores missing refs of snapshots that records name and that still exist, and deletes
// duplicate refs that no open task needs.
func repairRefs(ctx context.Context, s *session.Session) (list []HealthCheck) {
	all, err := s.Records(nil)
	if err != nil {
		return []HealthCheck{{Subject: "snapshots", Text: err.Error()}}
	}
	needs := runner.NeedsSnapshots(ctx, s)
	for _, r := range all {
		moved, gone, err := s.RestoreRefs(ctx, r, needs(r))
		if err != nil {
			list = append(list, failedRepair("snapshots of "+string(r.Task.ID), err))
			continue
		}
		for _, b := range moved {
			list = append(list, HealthCheck{Subject: "snapshots of " + string(r.Task.ID), OK: true,
				Text: fmt.Sprintf("refs/belay/%s was missing or did not match the record; restored", b.ID)})
		}
		for _, b := range gone {
			list = append(list, HealthCheck{Subject: "snapshots of " + string(r.Task.ID),
				Text: fmt.Sprintf("snapshot %s is in the record but cannot be restored: its objects are missing", b.ID.Short()),
				Try:  fmt.Sprintf("belay show %s, then git update-ref -d refs/belay/%s", r.Task.ID, b.ID)})
		}
	}
	if err := s.RemoveUnneededRefs(ctx, all); err != nil {
		list = append(list, failedRepair("backup refs", err))
	}
	if err := s.Snaps.RestoreCommitRefs(ctx); err != nil {
		list = append(list, failedRepair("snapshots", err))
	}
	if err := s.Snaps.SweepInner(ctx); err != nil {
		list = append(list, failedRepair("snapshots of inner repositories", err))
	}
	return list
}

// failedRepair is the result for a repair that failed.
func failedRepair(about string, err error) HealthCheck {
	return HealthCheck{Subject: about, Text: session.ErrorLine(err), Try: "fix the cause, then run belay doctor"}
}

// sweepContexts deletes the agents' files of tasks that have ended or have no record.
func sweepContexts(s *session.Session) (list []HealthCheck) {
	swept, err := s.SweepContexts()
	for _, key := range swept {
		list = append(list, HealthCheck{Subject: "context of " + belay.VisibleLine(key), OK: true,
			Text: "its task is gone or has ended; removed the files written for agents"})
	}
	if err != nil {
		list = append(list, failedRepair("contexts", err))
	}
	return list
}

// checkRuns finds attempts without a belay process that waits for them.
func checkRuns(ctx context.Context, s *session.Session) []HealthCheck {
	all, err := s.Records(nil)
	if err != nil {
		return []HealthCheck{{Subject: "runs", Text: err.Error()}}
	}
	var list []HealthCheck
	for _, r := range all {
		if runner.IsUnmerged(r) {
			if _, err := runner.TaskSession(ctx, s, r); belay.CodeOf(err) == belay.CodeNotFound {
				list = append(list, HealthCheck{Subject: "working tree of " + string(r.Task.ID),
					Text: fmt.Sprintf("%s is gone and the accepted work is not merged; its snapshots are kept",
						belay.VisibleLine(r.Task.Worktree)),
					Try: fmt.Sprintf("belay merge %s", r.Task.ID)})
			}
		}
		c := r.State.Pending
		if c == nil || c.Kind != loop.CmdAttempt {
			continue
		}
		at, err := runner.TaskSession(ctx, s, r)
		if err != nil {
			continue // its worktree is missing: a resume creates it again
		}
		if h, busy := at.TreeLockHolder(); busy && !h.Left {
			continue
		}
		run, err := agent.Attach(at.RunDir(r.Task.ID, c.ID))
		if err != nil {
			continue
		}
		list = append(list, HealthCheck{Subject: "run of " + string(r.Task.ID),
			Text: fmt.Sprintf("attempt %d is %v and no belay process waits for it", c.Attempt, run.State()),
			Try:  fmt.Sprintf("belay run --resume %s", r.Task.ID)})
	}
	return list
}

// checkSnapshots verifies that every object of every snapshot exists. It also reads the objects of
// all snapshots, or only of those that are likely to be needed: of open tasks and of no task.
func checkSnapshots(ctx context.Context, s *session.Session, opts HealthOptions) []HealthCheck {
	problems, err := s.Snaps.Verify(ctx)
	if err != nil {
		return []HealthCheck{{Subject: "snapshots", Text: session.ErrorLine(err)}}
	}
	if len(problems) > 0 {
		problems = []string{strings.Join(problems[:min(5, len(problems))], "; ") + andMore(len(problems)-5)}
	}
	read, damaged, err := findDamaged(ctx, s, opts)
	if err != nil {
		return []HealthCheck{{Subject: "snapshots", Text: session.ErrorLine(err)}}
	}
	var list []HealthCheck
	for _, p := range problems {
		list = append(list, HealthCheck{Subject: "snapshots", Text: p,
			Try: "remove the broken ones with belay snapshot drop, or git update-ref -d refs/belay/ID if belay cannot read them"})
	}
	for _, x := range damaged {
		list = append(list, damagedSnapshot(x))
	}
	if len(list) == 0 {
		says := fmt.Sprintf("all objects exist; read %d of them", read)
		if !opts.All {
			says += ", those of open tasks and of no task (belay doctor --all reads all)"
		}
		list = append(list, HealthCheck{Subject: "snapshots", OK: true, Text: says})
	}
	return list
}

func findDamaged(ctx context.Context, s *session.Session, opts HealthOptions) (read int, damaged []snapshot.Damaged, err error) {
	all, err := s.Snaps.List(ctx)
	if err != nil {
		return 0, nil, err
	}
	ended := map[string]bool{}
	records, err := s.Records(nil)
	if err != nil {
		return 0, nil, err
	}
	for _, r := range records {
		ended[r.Task.ID.Key()] = !r.Open()
	}
	if !opts.All {
		all = slices.DeleteFunc(all, func(i snapshot.Info) bool { return ended[i.Task.Key()] })
	}
	damaged, err = s.Snaps.Examine(ctx, all, func(done int) {
		if opts.Progress != nil {
			opts.Progress(done, len(all))
		}
	})
	return len(all), damaged, err
}

// damagedSnapshot lists the unreadable parts of a snapshot, and what to do.
func damagedSnapshot(x snapshot.Damaged) HealthCheck {
	var parts []string
	for _, b := range x.Broken[:min(5, len(x.Broken))] {
		parts = append(parts, b.String())
	}
	return HealthCheck{Subject: "snapshot " + x.Info.ID.Short(),
		Text: "has damaged objects: " + strings.Join(parts, ", ") + andMore(len(x.Broken)-5),
		Try: fmt.Sprintf("git fetch, or copy the missing packs back from a backup into .git/objects/pack; else: belay "+
			"snapshot drop %s", x.Info.ID.Short())}
}

func andMore(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" (and %d more)", n)
}

// VerifiedRecord is the result of verifying one record.
type VerifiedRecord struct {
	Task     belay.TaskID `json:"task"`
	Feature  string       `json:"feature,omitempty"` // the feature's name, if it is a feature's record
	Entries  int          `json:"entries"`
	OK       bool         `json:"ok"`
	Head     string       `json:"head"`
	Problems []string     `json:"problems"`
	Anchored bool         `json:"anchored"`       // compared with the head stored outside the repository
	Note     string       `json:"note,omitempty"` // why it was not compared, or a harmless remark
}

// VerifyRecord recomputes a record's hash chain and verifies the attachments that its events name.
func VerifyRecord(s *session.Session, task belay.TaskID) VerifiedRecord {
	v, err := s.Journal.Verify(task, attachmentsOf)
	out := VerifiedRecord{Task: task, Entries: v.Entries, Head: v.Head.Hash, Problems: v.Problems}
	if err != nil {
		out.Problems = append(out.Problems, session.ErrorLine(err))
	}
	if log, err := s.Journal.Read(task); err == nil {
		note, cut := s.CompareAnchor(task, log)
		out.Note, out.Anchored = note, note == ""
		switch {
		case cut != nil:
			out.Problems = append(out.Problems, cut.Error())
		case v.Torn != "":
			out.Problems = v.Broken()
			out.Note = strings.TrimPrefix(note+"; ", "; ") + v.Torn +
				": belay was stopped while writing this line; the next entry moves it aside"
		}
	}
	out.OK = len(out.Problems) == 0
	return out
}

// VerifyFeatureRecords verifies the records of all features and lists known ones that are missing.
func VerifyFeatureRecords(s *Service) (out []VerifiedRecord, err error) {
	at := s.Session.ForFeatures()
	ids, err := at.Journal.Tasks()
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		v := VerifyRecord(at, id)
		v.Feature = "(unreadable)"
		if r, err := s.Session.LoadFeature(id); err == nil {
			v.Feature = r.Feature.Name
		}
		out = append(out, v)
	}
	gone, err := at.MissingRecords()
	for _, st := range gone {
		out = append(out, VerifiedRecord{Task: belay.TaskID(st.Task), Feature: "(gone)", Anchored: true,
			Problems: []string{fmt.Sprintf("the record of the feature is gone: it had %d entries", st.Seq)}})
	}
	return out, err
}

// attachmentsOf returns the attachments that an entry's data names.
func attachmentsOf(data json.RawMessage) []string {
	var e session.EventEntry
	if json.Unmarshal(data, &e) != nil {
		return nil
	}
	var shas []string
	for _, s := range []string{e.Event.Log, e.Event.Sent, e.Event.Report} {
		if s != "" {
			shas = append(shas, s)
		}
	}
	return append(append(shas, handoff.AttachmentsOf(data)...), session.FeatureAttachments(data)...)
}
