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

// Complaint is one thing that was looked at. OK is false when it needs a person;
// Try then says what to do.
type Complaint struct {
	About string `json:"about"`
	OK    bool   `json:"ok"`
	Says  string `json:"says"`
	Try   string `json:"try,omitempty"`
}

// How says how closely snapshots are looked at.
type How struct {
	All      bool               // read those of ended tasks as well
	Progress func(done, of int) // called before each snapshot is read; may be nil
}

// Look looks at everything belay relies on. It fixes what is safe to fix: a
// restore that was cut short is finished.
func Look(ctx context.Context, s *session.Session, bad error, how How) []Complaint {
	list := []Complaint{{About: "git", OK: true, Says: fmt.Sprintf("%s, %s objects", s.Repo.Root, s.Repo.Format)}}
	list = append(list, GitFolderComplaints(s.Repo.Root)...)
	list = append(list, configComplaint(s, bad), writable(s), restores(ctx, s), takeComplaint(ctx, s))
	list = append(list, recordComplaints(s)...)
	list = append(list, anchors(s))
	list = append(list, absent(ctx, s)...)
	list = append(list, rebound(ctx, s)...)
	list = append(list, runs(ctx, s)...)
	list = append(list, contexts(s)...)
	return append(list, snapshots(ctx, s, how)...)
}

// Places gives what is odd in the git folders of the repository that dir is in: links,
// wrong types, files of other users. It needs no repository that can be opened, and gives
// nothing when all is well.
func GitFolderComplaints(dir string) []Complaint {
	odds, err := git.FindUnusable(dir)
	var list []Complaint
	for _, o := range odds {
		c := Complaint{About: "git folder", Says: o.Err.Error(), Try: "check its owner and permissions: ls -ld " + o.Path}
		var with interface{ Try() string }
		if errors.As(o.Err, &with) {
			c.Try = with.Try()
		}
		list = append(list, c)
	}
	if err != nil && len(list) == 0 {
		list = append(list, Complaint{About: "git folder", Says: err.Error(), Try: "git status"})
	}
	return list
}

func configComplaint(s *session.Session, bad error) Complaint {
	if _, err := scan.NewGlobs(s.Config.Snapshot.Include); err != nil && bad == nil {
		bad = fmt.Errorf("snapshot.include: %w", err)
	}
	if bad != nil {
		return Complaint{About: "config", Says: bad.Error(), Try: "fix .belay/config.yaml"}
	}
	return Complaint{About: "config", OK: true, Says: "valid"}
}

// writable tries the folders of belay's state, and those that snapshots are stored in,
// with a real file: an access right that is there says nothing of a full disk or of a
// folder that was made immutable.
func writable(s *session.Session) Complaint {
	dir := filepath.Join(s.Repo.Common, "belay")
	err := fsroot.MkdirAll(dir, 0o700)
	if err == nil {
		err = probe(dir)
	}
	others := []string{filepath.Join(s.Repo.Common, "objects", "pack"),
		filepath.Join(s.Repo.Common, filepath.FromSlash(snapshot.RefPrefix))}
	for _, top := range slices.Compact([]string{dir, s.Scratch()}) {
		others = append(others, filepath.Join(top, "files", ".new"))
		entries, _ := fsroot.ReadDir(top) // what cannot be listed is told of above, or is not there
		for _, e := range entries {
			others = append(others, filepath.Join(top, e.Name()))
		}
	}
	for _, path := range others {
		if err == nil && fsroot.IsFolder(path) { // not there: it is made when it is needed
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
		return Complaint{About: "state", Says: err.Error(), Try: "make the git folder writable, or free some space"}
	}
	return Complaint{About: "state", OK: true, Says: dir + " is writable"}
}

func probe(dir string) error {
	f, err := fsroot.CreateTemp(dir, ".probe-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString("probe")
	return errors.Join(err, f.Close(), fsroot.Remove(f.Name()))
}

func restores(ctx context.Context, s *session.Session) Complaint {
	done, err := s.Restores.Recover(ctx)
	switch {
	case err != nil:
		return Complaint{About: "restore", Says: session.Sentence(err), Try: "fix the cause, then run belay doctor"}
	case done != nil:
		return Complaint{About: "restore", OK: true, Says: restore.FinishedMessage(*done)}
	}
	return Complaint{About: "restore", OK: true, Says: "no interrupted restore"}
}

// present reads all that a snapshot would take in, and keeps none of it.
func takeComplaint(ctx context.Context, s *session.Session) Complaint {
	if _, err := s.Snaps.Worktree.Capture(ctx, snapshot.CaptureOptions{}); err != nil {
		return Complaint{About: "working tree", Says: session.Sentence(err), Try: "fix the cause, then run belay snapshot take"}
	}
	return Complaint{About: "working tree", OK: true, Says: "a snapshot can be taken"}
}

// records proves every task's record unbroken.
func recordComplaints(s *session.Session) []Complaint {
	ids, err := s.Journal.Tasks()
	if err != nil {
		return []Complaint{{About: "records", Says: err.Error()}}
	}
	var list []Complaint
	for _, id := range ids {
		v := Prove(s, id)
		if !v.OK {
			for _, p := range v.Problems {
				list = append(list, Complaint{About: "record of " + string(id), Says: p, Try: "belay log --verify " + string(id)})
			}
		}
	}
	features, err := ProveFeatures(&Service{Session: s})
	if err != nil {
		list = append(list, Complaint{About: "records of features", Says: err.Error()})
	}
	for _, v := range features {
		for _, p := range v.Problems {
			list = append(list, Complaint{About: "record of the feature " + belay.VisibleLine(v.Feature), Says: p,
				Try: "belay log --verify"})
		}
	}
	if len(list) == 0 {
		list = append(list, Complaint{About: "records", OK: true, Says: fmt.Sprintf("%d, all intact", len(ids)+len(features))})
	}
	return list
}

// anchors says whether records are remembered outside the repository.
func anchors(s *session.Session) Complaint {
	if err := s.Anchors.Problem(); err != nil {
		return Complaint{About: "anchors", OK: true,
			Says: "records are not anchored outside the repository, so a truncated record is not detected: " + err.Error()}
	}
	if _, err := s.Gone(); err != nil {
		return Complaint{About: "anchors", OK: true,
			Says: "records are not anchored outside the repository, so a truncated record is not detected: " + err.Error()}
	}
	return Complaint{About: "anchors", OK: true, Says: "records are anchored in " + s.Anchors.Where()}
}

// absent names the tasks whose record is gone.
func absent(ctx context.Context, s *session.Session) (list []Complaint) {
	all, err := s.Absent(ctx)
	if err != nil {
		return []Complaint{{About: "records", Says: session.Sentence(err)}}
	}
	for _, a := range all {
		c := Complaint{About: "record of " + string(a.Task), Says: a.String(), Try: a.Try()}
		if a.Entries == 0 { // a person may have deleted it, or accepted that it is gone
			c.OK, c.Says, c.Try = true, c.Says+" ("+c.Try+")", ""
		}
		list = append(list, c)
	}
	return list
}

// rebound points the refs of snapshots that records name at their commits again, where the
// bytes are still there, and removes second refs that no open task needs.
func rebound(ctx context.Context, s *session.Session) (list []Complaint) {
	all, err := s.Records(nil)
	if err != nil {
		return []Complaint{{About: "snapshots", Says: err.Error()}}
	}
	needs := runner.Needs(ctx, s)
	for _, r := range all {
		moved, gone, err := s.Restored(ctx, r, needs(r))
		if err != nil {
			list = append(list, undone("snapshots of "+string(r.Task.ID), err))
			continue
		}
		for _, b := range moved {
			list = append(list, Complaint{About: "snapshots of " + string(r.Task.ID), OK: true,
				Says: fmt.Sprintf("refs/belay/%s was missing or did not match the record; restored", b.ID)})
		}
		for _, b := range gone {
			list = append(list, Complaint{About: "snapshots of " + string(r.Task.ID),
				Says: fmt.Sprintf("snapshot %s is in the record but cannot be restored: its objects are missing", b.ID.Short()),
				Try:  fmt.Sprintf("belay show %s, then git update-ref -d refs/belay/%s", r.Task.ID, b.ID)})
		}
	}
	if err := s.Sweep(ctx, all); err != nil {
		list = append(list, undone("backup refs", err))
	}
	if err := s.Snaps.RestoreCommitRefs(ctx); err != nil {
		list = append(list, undone("snapshots", err))
	}
	if err := s.Snaps.SweepInner(ctx); err != nil {
		list = append(list, undone("snapshots of inner repositories", err))
	}
	return list
}

// undone is the complaint that something was not done.
func undone(about string, err error) Complaint {
	return Complaint{About: about, Says: session.Sentence(err), Try: "fix the cause, then run belay doctor"}
}

// contexts sweeps what was written for agents of tasks that are gone or have ended.
func contexts(s *session.Session) (list []Complaint) {
	swept, err := s.SweepContexts()
	for _, key := range swept {
		list = append(list, Complaint{About: "context of " + belay.VisibleLine(key), OK: true,
			Says: "its task is gone or has ended; removed the files written for agents"})
	}
	if err != nil {
		list = append(list, undone("contexts", err))
	}
	return list
}

// runs finds attempts that nobody waits for.
func runs(ctx context.Context, s *session.Session) []Complaint {
	all, err := s.Records(nil)
	if err != nil {
		return []Complaint{{About: "runs", Says: err.Error()}}
	}
	var list []Complaint
	for _, r := range all {
		if runner.Unmerged(r) {
			if _, err := runner.At(ctx, s, r); belay.CodeOf(err) == belay.CodeNotFound {
				list = append(list, Complaint{About: "working tree of " + string(r.Task.ID),
					Says: fmt.Sprintf("%s is gone and the accepted work is not merged; its snapshots are kept",
						belay.VisibleLine(r.Task.Worktree)),
					Try: fmt.Sprintf("belay merge %s", r.Task.ID)})
			}
		}
		c := r.State.Pending
		if c == nil || c.Kind != loop.CmdAttempt {
			continue
		}
		at, err := runner.At(ctx, s, r)
		if err != nil {
			continue // its tree is gone: a resume makes it again
		}
		if _, busy := at.Held(); busy {
			continue
		}
		run, err := agent.Attach(at.RunDir(r.Task.ID, c.ID))
		if err != nil {
			continue
		}
		list = append(list, Complaint{About: "run of " + string(r.Task.ID),
			Says: fmt.Sprintf("attempt %d is %v and no belay process waits for it", c.Attempt, run.State()),
			Try:  fmt.Sprintf("belay run --resume %s", r.Task.ID)})
	}
	return list
}

// snapshots looks for every object of every snapshot, and reads those of the snapshots that
// somebody is likely to want: of open tasks and of none, or all of them.
func snapshots(ctx context.Context, s *session.Session, how How) []Complaint {
	problems, err := s.Snaps.Verify(ctx)
	if err != nil {
		return []Complaint{{About: "snapshots", Says: session.Sentence(err)}}
	}
	if len(problems) > 0 {
		problems = []string{strings.Join(problems[:min(5, len(problems))], "; ") + more(len(problems)-5)}
	}
	read, damaged, err := unreadable(ctx, s, how)
	if err != nil {
		return []Complaint{{About: "snapshots", Says: session.Sentence(err)}}
	}
	var list []Complaint
	for _, p := range problems {
		list = append(list, Complaint{About: "snapshots", Says: p,
			Try: "remove the broken ones with belay snapshot drop, or git update-ref -d refs/belay/ID if belay cannot read them"})
	}
	for _, x := range damaged {
		list = append(list, sayDamaged(x))
	}
	if len(list) == 0 {
		says := fmt.Sprintf("all objects exist; read %d of them", read)
		if !how.All {
			says += ", those of open tasks and of no task (belay doctor --all reads all)"
		}
		list = append(list, Complaint{About: "snapshots", OK: true, Says: says})
	}
	return list
}

func unreadable(ctx context.Context, s *session.Session, how How) (read int, damaged []snapshot.Damaged, err error) {
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
	if !how.All {
		all = slices.DeleteFunc(all, func(i snapshot.Info) bool { return ended[i.Task.Key()] })
	}
	damaged, err = s.Snaps.Examine(ctx, all, func(done int) {
		if how.Progress != nil {
			how.Progress(done, len(all))
		}
	})
	return len(all), damaged, err
}

// sayDamaged names what of a snapshot cannot be read, and what to do.
func sayDamaged(x snapshot.Damaged) Complaint {
	var parts []string
	for _, b := range x.Broken[:min(5, len(x.Broken))] {
		parts = append(parts, b.String())
	}
	return Complaint{About: "snapshot " + x.Info.ID.Short(),
		Says: "has damaged objects: " + strings.Join(parts, ", ") + more(len(x.Broken)-5),
		Try: fmt.Sprintf("git fetch, or copy the missing packs back from a backup into .git/objects/pack; else: belay "+
			"snapshot drop %s", x.Info.ID.Short())}
}

func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" (and %d more)", n)
}

// Verified is the proof of one record.
type VerifiedRecord struct {
	Task     belay.TaskID `json:"task"`
	Feature  string       `json:"feature,omitempty"` // of the record of a feature: its name
	Entries  int          `json:"entries"`
	OK       bool         `json:"ok"`
	Head     string       `json:"head"`
	Problems []string     `json:"problems"`
	Anchored bool         `json:"anchored"`       // compared with what is remembered outside the repository
	Note     string       `json:"note,omitempty"` // why not, or what is no problem
}

// Prove recomputes a record's whole chain, with the attachments its events name.
func Prove(s *session.Session, task belay.TaskID) VerifiedRecord {
	v, err := s.Journal.Verify(task, attachmentsOf)
	out := VerifiedRecord{Task: task, Entries: v.Entries, Head: v.Head.Hash, Problems: v.Problems}
	if err != nil {
		out.Problems = append(out.Problems, session.Sentence(err))
	}
	if log, err := s.Journal.Read(task); err == nil {
		note, cut := s.Anchored(task, log)
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

// ProveFeatures is Prove for the records of all features, and names those that are known and gone.
func ProveFeatures(s *Service) (out []VerifiedRecord, err error) {
	at := s.Session.OfFeatures()
	ids, err := at.Journal.Tasks()
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		v := Prove(at, id)
		v.Feature = "(unreadable)"
		if r, err := s.Session.LoadFeature(id); err == nil {
			v.Feature = r.Feature.Name
		}
		out = append(out, v)
	}
	gone, err := at.Gone()
	for _, st := range gone {
		out = append(out, VerifiedRecord{Task: belay.TaskID(st.Task), Feature: "(gone)", Anchored: true,
			Problems: []string{fmt.Sprintf("the record of the feature is gone: it had %d entries", st.Seq)}})
	}
	return out, err
}

// attachmentsOf names the attachments that an entry's data speaks of.
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
