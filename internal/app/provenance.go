package app

import (
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

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/journal"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/testrun"
	"github.com/belay-dev/belay/internal/worktree"
)

// ProveRequest asks to verify that a commit is the accepted work of the task named in its message.
type ProveRequest struct {
	Commit           string
	Bundle           []byte // evidence written by belay pr --bundle; nil: the record of this repository
	Signers          string // a file of allowed signers, for an SSH signature
	RequireSignature bool   // fail for a bundle without a signature
	Rebased          bool   // compare only the change, not the commit with the recorded one
	Tests            bool   // also run tests and linters
	Trust            bool
	Watch            runner.Observer
}

// Proof is the result of a verification. OK is true if every step is.
type Proof struct {
	Commit string       `json:"commit"`
	Task   belay.TaskID `json:"task_id,omitempty"`
	OK     bool         `json:"ok"`
	Steps  []ProofStep  `json:"steps"`
}

// ProofStep is one condition that a commit has to meet.
type ProofStep struct {
	Step  string `json:"step"` // trailers, record, entry, accepted, commit, change, states, signature, verdict
	OK    bool   `json:"ok"`
	Found string `json:"found"`
}

// Refusal returns the error of a commit that was not proven.
func (p Proof) Refusal() error {
	for _, s := range p.Steps {
		if !s.OK {
			return belay.Refuse(belay.CodeRefused, "do not rely on it: compare it with the task's record", "%s is not proven: %s: %s",
				shortID(p.Commit), s.Step, s.Found)
		}
	}
	return nil
}

func (p *Proof) addStep(name string, err error, found string, args ...any) bool {
	s := ProofStep{Step: name, OK: err == nil, Found: belay.VisibleLine(fmt.Sprintf(found, args...))}
	if err != nil {
		s.Found = belay.VisibleLine(err.Error())
	}
	p.Steps = append(p.Steps, s)
	return err == nil
}

// trailers are belay's trailers in a commit's message.
type trailers struct {
	task, before, after, head string
	entries                   int
}

func (t trailers) refersTo(head string, entries int) bool {
	return t.head == head && t.entries == entries && head != ""
}

// parseTrailers reads the last paragraph of a message. Each of belay's trailers must occur exactly
// once.
func parseTrailers(message string) (t trailers, err error) {
	message = strings.TrimRight(message, "\n")
	last := message[strings.LastIndex(message, "\n\n")+1:]
	for _, one := range []struct {
		name string
		to   *string
	}{{prompt.TrailerTask, &t.task}, {prompt.TrailerBefore, &t.before}, {prompt.TrailerAfter, &t.after}, {prompt.TrailerRecord,
		&t.head}} {
		n := 0
		for line := range strings.SplitSeq(last, "\n") {
			if value, ok := strings.CutPrefix(line, one.name+": "); ok {
				*one.to, n = value, n+1
			}
		}
		switch {
		case n == 0:
			return t, fmt.Errorf("the message has no line %s, which belay pr --commit writes", one.name)
		case n > 1:
			return t, fmt.Errorf("the message has %d lines %s", n, one.name)
		}
	}
	head, count, _ := strings.Cut(t.head, " ")
	t.head = head
	t.entries, err = strconv.Atoi(count)
	_, bad := belay.ParseTaskID(t.task)
	if err != nil || bad != nil || strconv.Itoa(t.entries) != count || !journal.IsHash(head) || !git.IsOID(t.before) ||
		!git.IsOID(t.after) {
		return t, errors.New("its trailers cannot be read")
	}
	return t, nil
}

// commitObject is a parsed commit object.
type commitObject struct {
	ID, Tree, Parent string
	parents          int
	Message          string
	Trailers         trailers
	trailerError     error // why the trailers cannot be read
	files            []session.CommittedFile
}

// readCommit reads a commit and its changes against its parent.
func (s *Service) readCommit(ctx context.Context, id string) (c commitObject, err error) {
	out, err := s.Session.Repo.Run(ctx, nil, "cat-file", "commit", id)
	if err != nil {
		return c, err
	}
	c.ID = id
	header, message, _ := strings.Cut(string(out), "\n\n")
	for line := range strings.SplitSeq(header, "\n") {
		switch key, value, _ := strings.Cut(line, " "); key {
		case "tree":
			c.Tree = value
		case "parent":
			c.Parent, c.parents = value, c.parents+1
		}
	}
	c.Message = message
	c.Trailers, c.trailerError = parseTrailers(message)
	from := s.Session.Repo.HashObject("tree", nil)
	if c.Parent != "" {
		if from, err = s.Session.Repo.RunCached(ctx, "rev-parse", "--verify", "--end-of-options", c.Parent+"^{tree}"); err != nil {
			return c, err
		}
	}
	list, err := s.Session.Repo.DiffTrees(ctx, strings.TrimSpace(from), c.Tree)
	for _, f := range list {
		one := session.CommittedFile{Path: f.Path, OldMode: f.OldMode, OldOID: f.OldOID, NewMode: f.NewMode, NewOID: f.NewOID}
		if one.OldMode == 0 {
			one.OldOID = ""
		}
		if one.NewMode == 0 {
			one.NewOID = ""
		}
		c.files = append(c.files, one)
	}
	return c, err
}

// differenceFrom names the first difference from the planned commit, "" if they are equal.
func (c commitObject) differenceFrom(want session.Committed, head string, entries int) string {
	switch {
	case c.trailerError != nil:
		return c.trailerError.Error()
	case !c.Trailers.refersTo(head, entries), c.Trailers.before != want.Before, c.Trailers.after != want.After:
		return "its trailers differ"
	case c.Parent != want.Parent || c.parents > 1:
		return "its parent differs"
	}
	return firstOtherFile(c.files, want.Files)
}

// firstOtherFile describes the first file in which two lists of changes differ.
func firstOtherFile(is, want []session.CommittedFile) string {
	all := map[string][2]session.CommittedFile{}
	for i, list := range [][]session.CommittedFile{is, want} {
		for _, f := range list {
			pair := all[f.Path]
			pair[i] = f
			all[f.Path] = pair
		}
	}
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if pair := all[path]; pair[0] != pair[1] {
			return "the change of " + path + " is another"
		}
	}
	return ""
}

// evidence is the source of a proof: the repository's own record, or a bundle.
type evidence struct {
	log         journal.Log
	recordError error // the fault of the record
	note        string
	attachment  func(sha string) ([]byte, error)
	object      func(oid string) ([]byte, error) // returns the bytes of a tree
	envelope    *envelope
}

// Prove proves a commit, step by step: its trailers refer to an entry of an intact record; the task
// was accepted at that entry; the commit has exactly the changes of the entry; they are the changes
// from the before snapshot to the accepted one; and the repeatable checks have the same verdict
// when they run again. An error means that something could not be read. A condition that is not met
// is a step that is not OK.
func (s *Service) Prove(ctx context.Context, q ProveRequest) (Proof, error) {
	p := Proof{Commit: q.Commit, Steps: []ProofStep{}}
	if q.Commit == "" || strings.HasPrefix(q.Commit, "-") {
		return p, belay.Refuse(belay.CodeUsage, "belay verify HEAD", "%q is not a commit", q.Commit)
	}
	out, err := s.Session.Repo.Run(ctx, nil, "rev-parse", "--verify", "--quiet", q.Commit+"^{commit}")
	if err != nil {
		return p, belay.Refuse(belay.CodeNotFound, "git log; belay log --verify TASK verifies a record",
			"there is no commit %s", belay.VisibleLine(q.Commit))
	}
	p.Commit = strings.TrimSpace(string(out))
	raw, err := s.Session.Repo.Run(ctx, nil, "cat-file", "commit", p.Commit)
	if err != nil || s.Session.Repo.HashObject("commit", raw) != p.Commit {
		p.addStep("commit", errors.New("its bytes do not match its name"), "")
		return p, nil
	}
	c, err := s.readCommit(ctx, p.Commit)
	if err != nil {
		return p, err
	}
	if !p.addStep("trailers", c.trailerError, "%s, entry %d", c.Trailers.task, c.Trailers.entries) {
		return p, nil
	}
	p.Task = belay.TaskID(c.Trailers.task)
	ev, err := s.readEvidence(p.Task, q.Bundle)
	if err != nil {
		return p, err
	}
	want, then, ok := p.checkRecord(c, ev)
	if !ok {
		return p, nil
	}
	p.checkChange(c, want, ev.log, q.Rebased)
	p.checkStates(s.Session.Repo, ev, want)
	if ev.envelope != nil || q.RequireSignature {
		who, err := s.verifyEnvelope(ctx, ev.envelope, c, then, ev, q.Signers)
		p.addStep("signature", err, "%s", who)
	}
	if p.allOK() {
		if err := p.rerunChecks(ctx, s, c, want, then, ev, q); err != nil {
			return p, err
		}
	}
	p.OK = p.allOK()
	return p, nil
}

func (p *Proof) allOK() bool {
	return !slices.ContainsFunc(p.Steps, func(s ProofStep) bool { return !s.OK })
}

// checkRecord checks the record, and returns its entry for the commit, and the task as it was then.
func (p *Proof) checkRecord(c commitObject, ev evidence) (want session.Committed, then *session.Record, ok bool) {
	t := c.Trailers
	n := len(ev.log.Entries)
	if !p.addStep("record", ev.recordError, "%d entries, intact%s", n, ev.note) {
		return want, nil, false
	}
	var err error
	if t.entries < 1 || t.entries > n {
		err = fmt.Errorf("the record has %d entries, and the commit names number %d", n, t.entries)
	} else if e := ev.log.Entries[t.entries-1]; e.Hash != t.head {
		err = fmt.Errorf("entry %d is not the one that the commit names", t.entries)
	} else {
		then, err = session.Fold(journal.Log{Task: ev.log.Task, Entries: ev.log.Entries[:t.entries], Head: journal.Head{Seq: e.Seq,
			Hash: e.Hash}})
	}
	if err == nil {
		if k := len(then.Notes); k == 0 || then.Notes[k-1].Kind != session.CommittingNote || then.Notes[k-1].Commit == nil {
			err = fmt.Errorf("entry %d is not about a commit", t.entries)
		} else if want = *then.Notes[k-1].Commit; want.Before != t.before || want.After != t.after {
			err = errors.New("the trees in the trailers differ from those in the record")
		}
	}
	if !p.addStep("entry", err, "number %d, %s", t.entries, t.head[:12]) {
		return want, nil, false
	}
	after, before := runner.ResultSnapshot(then), then.TreeOf(then.State.Before)
	if want.Follows != "" {
		before = ""
		if earlier := commitsOf(then)[want.Follows]; earlier != nil {
			before = earlier.After
		}
	}
	switch {
	case then.Task.ID != belay.TaskID(t.task):
		err = fmt.Errorf("the record is of %s", then.Task.ID)
	case then.State.Outcome != loop.OutcomePassed:
		err = errors.New("the task was not accepted then")
	case before == "" && want.Follows != "":
		err = fmt.Errorf("it follows %s, which the record does not have", shortID(want.Follows))
	case before != t.before || then.TreeOf(after) != t.after:
		err = errors.New("the trees are not those of the task's snapshots")
	}
	by := "by the checks"
	if k := len(then.Overrides); k > 0 {
		by = "despite a rejection, by " + cmp.Or(then.Overrides[k-1].By, "a person") + ": " + then.Overrides[k-1].String()
	}
	return want, then, p.addStep("accepted", err, "after %s, %s", belay.CountOf(len(then.State.Attempts), "attempt"), by)
}

// checkChange checks that the commit is the recorded one and has the recorded changes.
func (p *Proof) checkChange(c commitObject, want session.Committed, log journal.Log, rebased bool) {
	whole, err := session.Fold(log)
	known := ""
	if err == nil {
		for _, n := range whole.Notes {
			if n.Kind == session.CommittedNote && n.Commit != nil && known != c.ID {
				known = n.Commit.ID
			}
		}
		switch {
		case rebased && known != c.ID:
			known = "not the recorded commit (rebased or amended): only its change is compared"
		case known == "":
			err = errors.New("the record has no commit of belay's")
		case known != c.ID:
			err = fmt.Errorf("the record has %s instead: it was rebased, amended or copied (--rebased compares only its change)",
				shortID(known))
		}
	}
	p.addStep("commit", err, "%s", known)
	err = nil
	if !rebased && (c.Parent != want.Parent || c.parents > 1) {
		err = errors.New("its parent differs")
	} else if c.parents > 1 {
		err = errors.New("it is a merge")
	} else if other := firstOtherFile(c.files, want.Files); other != "" {
		err = errors.New(other)
	}
	p.addStep("change", err, "%s", belay.CountOf(len(want.Files), "file"))
}

// checkStates checks that the committed changes are those from the before snapshot to the accepted
// one.
func (p *Proof) checkStates(repo *git.Repo, ev evidence, want session.Committed) {
	diff := map[string][2]blob{}
	err := treeDiff(repo, ev.object, want.Before, want.After, "", diff)
	other := 0
	for _, f := range want.Files {
		pair, there := diff[f.Path]
		switch {
		case err != nil:
		case !there:
			err = fmt.Errorf("%s is the same before and after", f.Path)
		case (pair[0].oid == "") != (f.OldOID == "") || (pair[1].oid == "") != (f.NewOID == "") || pair[1].mode != f.NewMode:
			err = fmt.Errorf("%s has a different change", f.Path)
		case pair[0].oid != f.OldOID || pair[1].oid != f.NewOID:
			other++ // git stores it in a form that differs from the working tree's
		}
	}
	found := belay.CountOf(len(want.Files), "file") + " as accepted"
	if other > 0 {
		found += fmt.Sprintf(", %d stored in another form (line endings, filters)", other)
	}
	p.addStep("states", err, "%s", found)
}

// treeDiff compares two trees and verifies the hash of each tree object that it reads. diff
// receives the blobs that differ, by path.
func treeDiff(repo *git.Repo, object func(string) ([]byte, error), from, to, prefix string, diff map[string][2]blob) error {
	if from == to || len(prefix) > 4096 {
		return nil
	}
	both := map[string][2]git.TreeEntry{}
	for i, oid := range []string{from, to} {
		if oid == "" {
			continue
		}
		data, err := object(oid)
		if err != nil {
			return fmt.Errorf("the tree %s is not there: %w", shortID(oid), err)
		}
		if repo.HashObject("tree", data) != oid {
			return fmt.Errorf("the tree %s does not match its name", shortID(oid))
		}
		list, err := git.ParseTree(data, repo.HashSize())
		if err != nil {
			return err
		}
		for _, e := range list {
			pair := both[e.Path]
			pair[i] = e
			both[e.Path] = pair
		}
	}
	for name, pair := range both {
		if pair[0] == pair[1] {
			continue
		}
		var trees [2]string
		var blobs [2]blob
		for i, e := range pair {
			if e.Mode == 0o40000 {
				trees[i] = e.OID
			} else if e.OID != "" {
				blobs[i] = blob{e.Mode, e.OID}
			}
		}
		if blobs[0] != blobs[1] {
			diff[prefix+name] = blobs
		}
		if err := treeDiff(repo, object, trees[0], trees[1], prefix+name+"/", diff); err != nil {
			return err
		}
	}
	return nil
}

// readEvidence reads the record of this repository, or a bundle if it is not nil.
func (s *Service) readEvidence(task belay.TaskID, bundle []byte) (ev evidence, err error) {
	if bundle != nil {
		return readBundle(bundle, task)
	}
	if ev.log, err = s.Session.Journal.Read(task); err != nil {
		return ev, s.noRecordError(task, err)
	}
	v := VerifyRecord(s.Session, task)
	if !v.OK {
		ev.recordError = errors.New(v.Problems[0])
	}
	ev.note = ", but not anchored outside the repository: whoever can write to it could have written all of it"
	if v.Anchored {
		ev.note = ", as anchored outside the repository"
	}
	ev.attachment, ev.object = s.Session.Journal.Attachment, s.readTreeObject
	return ev, nil
}

func (s *Service) noRecordError(task belay.TaskID, err error) error {
	if belay.CodeOf(err) != belay.CodeNotFound {
		return err
	}
	return belay.Refuse(belay.CodeNotFound,
		"where it was made: belay pr "+string(task)+" --bundle FILE; here: belay verify COMMIT --bundle FILE",
		"this repository has no record of %s", task)
}

func (s *Service) readTreeObject(oid string) ([]byte, error) {
	rd, err := s.Session.Repo.Reader(context.Background())
	if err != nil {
		return nil, err
	}
	defer func() { _ = rd.Close() }()
	o, err := rd.Read(oid)
	return bytes.Clone(o.Data), err
}

// repeatableChecks are the checks that depend only on the two states and the task.
var repeatableChecks = map[string]bool{"change": true, "scope": true, "protect": true, "rules": true, "contract": true, "size": true,
	"secrets":   true,
	"integrity": true, "placeholder": true, "coverage": true, "style": true}

// rerunChecks runs the checks on the commit, compared with its parent or the parent of the task's
// first commit, and compares each verdict with the recorded one.
func (p *Proof) rerunChecks(ctx context.Context, s *Service, c commitObject, want session.Committed, then *session.Record, ev evidence,
	q ProveRequest) error {
	accepted := then.State.Attempts[len(then.State.Attempts)-1]
	var was belay.Report
	text, err := ev.attachment(accepted.Report)
	if err == nil {
		err = json.Unmarshal(text, &was)
	}
	var baseline testrun.Baseline
	if sha := then.State.BaselineReport; err == nil && sha != "" {
		if text, err = ev.attachment(sha); err == nil {
			err = json.Unmarshal(text, &baseline)
		}
	}
	if err != nil {
		p.addStep("verdict", fmt.Errorf("the recorded report cannot be read: %w", err), "")
		return nil
	}
	defer s.Session.Repo.ShareReader()()
	from := c.Parent
	if from == "" {
		p.addStep("verdict", nil, "not checked again: the commit has no parent")
		return nil
	}
	if want.Follows != "" {
		if why := s.otherCommits(ctx, c, want, then); why != "" {
			p.addStep("verdict", nil, "not checked again: %s", why)
			return nil
		}
		from = want.Base
	}
	before, err := worktree.Snapshot(ctx, s.Session.Restores, from, session.TemporaryMeta(nil, "the parent"))
	if err != nil {
		return err
	}
	after, err := worktree.Snapshot(ctx, s.Session.Restores, c.ID, session.TemporaryMeta(nil, "the commit"))
	if err != nil {
		return err
	}
	w := session.Work{}
	if w.All, err = s.Session.Snaps.Changes(ctx, before.ID, after.ID); err != nil {
		return err
	}
	w.Last = w.All
	task := then.Task
	run := map[string]bool{}
	for name := range repeatableChecks {
		run[name] = true
	}
	if q.Tests {
		run[testrun.Name] = true
		if err := s.offerTrust(programsOfChecks(task), q.Trust); err != nil {
			return err
		}
		if baseline.IsOf(task.Checks.Tests) {
			w.Baseline = baseline.KnownReport()
		}
	}
	for _, one := range was.Checks {
		if !run[one.Check] && !slices.Contains(task.Checks.Skip, one.Check) {
			task.Checks.Skip = append(task.Checks.Skip, one.Check)
		}
	}
	now, err := s.Session.Judge(ctx, task, w, before.ID, after.ID, q.Watch.Checking)
	if err != nil {
		return err
	}
	same, err := sameVerdicts(was, now, run)
	p.addStep("verdict", err, "%s run again on the commit: the same", belay.CountOf(same, "check"))
	return nil
}

// otherCommits returns a reason if there are commits of others between the parent of the task's
// first commit and this one, "" otherwise. Then the checks cannot be compared, because they were
// about the task's work alone.
func (s *Service) otherCommits(ctx context.Context, c commitObject, want session.Committed, then *session.Record) string {
	chain := commitsOf(then)
	out, err := s.Session.Repo.Run(ctx, nil, "rev-list", "--first-parent", "--max-count=1000", want.Base+".."+c.ID)
	if err != nil {
		return "the parent of its first commit, " + shortID(want.Base) + ", is not here"
	}
	for _, id := range strings.Fields(string(out)) {
		if _, ours := chain[id]; !ours && id != c.ID {
			return "other commits are between this one and the first of " + string(then.Task.ID)
		}
	}
	return ""
}

// sameVerdicts compares the recorded results of the checks in run with the new ones.
func sameVerdicts(was, now belay.Report, run map[string]bool) (same int, err error) {
	for _, w := range was.Checks {
		if w.Skipped || !run[w.Check] {
			continue
		}
		i := slices.IndexFunc(now.Checks, func(n belay.CheckResult) bool { return n.Check == w.Check })
		switch {
		case i < 0 || now.Checks[i].Skipped:
			return same, fmt.Errorf("%s was %s, and does not run on the commit", w.Check, w.Verdict)
		case now.Checks[i].Verdict != w.Verdict:
			return same, fmt.Errorf("%s was %s, and is %s on the commit: %s", w.Check, w.Verdict, now.Checks[i].Verdict,
				cmp.Or(now.Checks[i].Why, now.Checks[i].Summary))
		}
		same++
	}
	if same == 0 {
		return 0, errors.New("no check could be run again")
	}
	return same, nil
}
