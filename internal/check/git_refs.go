package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// maxRefs is the number of refs that are listed individually.
const maxRefs = 20

// judgeRefs reports changes of HEAD, branches, tags, the stash and the reflog. An agent may commit;
// a person should know that it did.
func (j *gitJudge) judgeRefs() {
	severity := belay.SeverityWarning
	if j.request.asksForCommit() {
		severity = belay.SeverityNote
	}
	moved := j.HeadFrom.Branch != j.HeadTo.Branch || j.HeadTo.Branch == "" && j.HeadFrom.OID != j.HeadTo.OID
	if moved {
		j.add(severity, "HEAD moved: "+headName(j.HeadFrom)+" → "+headName(j.HeadTo),
			"the working tree is on a different branch or commit than before", "")
	}
	rest, last := 0, ""
	for i, r := range j.Refs {
		switch {
		case r.Name == "refs/stash":
			continue // its entries are reported
		case strings.HasPrefix(r.Name, "refs/replace/"):
			j.reject(j.request.hasWord("replace"), "a replacement was "+refVerb(r)+": "+r.Name,
				"git shows another object in place of the real one", "remove it with: git replace -d")
			continue
		case i >= maxRefs:
			rest, last = rest+1, r.Name
			continue
		}
		title, detail := describeRef(r)
		s := severity
		removed, moved := r.From != "" && r.To == "", r.From != "" && strings.HasPrefix(r.Name, "refs/tags/")
		if removed || moved || r.CommitsRemoved > 0 || strings.HasPrefix(r.To, symbolic) {
			s = belay.SeverityWarning // a request to commit does not include this
		}
		if strings.HasPrefix(r.Name, "refs/remotes/") {
			s = belay.SeverityNote // a fetch or a push moves them
		}
		j.add(s, title, detail, "")
	}
	if rest > 0 {
		j.warn(belay.Count(rest, "more ref", "more refs")+" changed", "the last is "+last)
	}
	for _, m := range j.StashPushed {
		j.warn("stash entry made: "+m, "its changes are no longer in the files: git stash list, git stash pop")
	}
	for _, m := range j.StashDropped {
		if !slices.ContainsFunc(j.LostWork, func(l Loss) bool { return l.Kind == LostStash && l.Path == m }) {
			j.warn("stash entry dropped: "+m, "its changes are in the files, in a commit or in another entry")
		}
	}
	if j.ReflogTruncated {
		j.warn("the reflog of HEAD was expired or rewritten", "git reflog no longer shows where HEAD was before the task")
	}
}

const symbolic = "ref: "

// describeRef describes the change of a ref.
func describeRef(r RefChange) (title, detail string) {
	kind, name := refKind(r.Name)
	switch {
	case r.From == "" && r.CommitsAdded > 0:
		return fmt.Sprintf("%s %s was created at %s with %s", kind, name, shortOID(r.To),
			belay.Count(r.CommitsAdded, "new commit", "new commits")), ""
	case r.From == "":
		return fmt.Sprintf("%s %s was created at %s", kind, name, shortOID(r.To)), ""
	case r.To == "":
		return fmt.Sprintf("%s %s was deleted, it was at %s", kind, name, shortOID(r.From)),
			"recreate it at that commit with git branch or git tag"
	case r.CommitsRemoved < 0 || kind != "branch":
		return fmt.Sprintf("%s %s moved: %s → %s", kind, name,
			shortOID(r.From), shortOID(r.To)), ""
	case r.CommitsRemoved == 0:
		return fmt.Sprintf("%s on %s: %s → %s", belay.Count(r.CommitsAdded, "new commit", "new commits"), name,
			shortOID(r.From), shortOID(r.To)), ""
	case r.CommitsAdded == 0:
		return fmt.Sprintf("%s %s was reset by %s: %s → %s", kind, name, belay.Count(r.CommitsRemoved, "commit", "commits"),
				shortOID(r.From), shortOID(r.To)),
			"those commits are no longer in its history; git branch NAME " + shortOID(r.From) + " makes them reachable again"
	}
	return fmt.Sprintf("%s %s was rewritten: %s → %s, %s replaced by %d", kind, name, shortOID(r.From), shortOID(r.To),
			belay.Count(r.CommitsRemoved, "commit", "commits"), r.CommitsAdded),
		"an amend or a rebase; git branch NAME " + shortOID(r.From) + " makes the old history reachable again"
}

func refVerb(r RefChange) string {
	switch {
	case r.From == "":
		return "added"
	case r.To == "":
		return "removed"
	}
	return "changed"
}

func refKind(ref string) (kind, name string) {
	for _, k := range [][2]string{{"refs/heads/", "branch"}, {"refs/tags/", "tag"}, {"refs/remotes/", "remote branch"},
		{"refs/notes/", "notes"}} {
		if name, ok := strings.CutPrefix(ref, k[0]); ok {
			return k[1], belay.VisibleLine(name)
		}
	}
	return "ref", belay.VisibleLine(ref)
}

func headName(h Head) string {
	switch {
	case h.Branch != "":
		return belay.VisibleLine(strings.TrimPrefix(h.Branch, "refs/heads/"))
	case h.OID != "":
		return shortOID(h.OID)
	}
	return "nothing"
}

func shortOID(oid string) string {
	if name, ok := strings.CutPrefix(oid, symbolic); ok {
		return belay.VisibleLine(name)
	}
	return oid[:min(len(oid), 9)]
}

// judgeIndex reports what was staged; an entry that hides changes from the person is rejected.
func (j *gitJudge) judgeIndex() {
	if j.Index.Unreadable {
		j.add(belay.SeverityError, "the index cannot be read", "neither belay nor git can read what is staged",
			"do not write .git/index directly")
		return
	}
	if n := len(j.Index.Hidden); n > 0 {
		j.reject(j.request.hasWord("skip-worktree") || j.request.hasWord("assume-unchanged") || j.request.hasWord("sparse"),
			belay.Count(n, "file is hidden", "files are hidden")+" from git status: "+joinNames(j.Index.Hidden),
			"marked assume-unchanged or skip-worktree, so that changes are neither shown nor committed",
			"unmark them with: git update-index --no-assume-unchanged --no-skip-worktree")
	}
	if n := len(j.Index.Staged); n > 0 {
		j.add(belay.SeverityNote, belay.Count(n, "path", "paths")+" staged or unstaged: "+joinNames(j.Index.Staged), "", "")
	}
}

// asksForLoss reports whether the task asks for the action that lost something.
func (j *gitJudge) asksForLoss(l Loss) bool {
	switch l.Kind {
	case LostStash:
		return j.request.hasWord("stash")
	case LostStaged:
		return j.request.namesPath(l.Path) || j.request.asksForCommit()
	}
	return j.request.namesPath(l.Path)
}

// judgeLost rejects the loss of a person's work.
func (j *gitJudge) judgeLost() {
	for _, l := range j.LostWork {
		severity := belay.SeverityError
		if l.Unsure || !j.ByAttempt || j.asksForLoss(l) {
			severity = belay.SeverityWarning
		}
		f := belay.Finding{Severity: severity, Category: belay.CategoryGit, File: l.Path}
		switch l.Kind {
		case LostEdits:
			f.Title, f.Detail = "uncommitted edits are gone: "+l.Path, "its uncommitted edits were overwritten with a committed version"
		case LostFile:
			f.Title, f.Detail = "uncommitted work is gone: "+l.Path, "it had uncommitted edits and was deleted"
		case LostNew:
			f.Title, f.Detail = "uncommitted work is gone: "+l.Path, "it was untracked, and its content is now in no file, commit or stash"
		case LostStaged:
			f.Title, f.Detail = "staged work is gone: "+l.Path, "its content is now in no file, commit or stash"
			if l.Unsure {
				f.Title = "staged work was replaced: " + l.Path
			}
		case LostStash:
			f.File, f.Title, f.Detail = "", "a stash entry is gone: "+l.Path, "its changes are now in no file, commit or other entry"
		}
		if j.Snapshot != "" {
			f.Recommendation = "restore it with: belay snapshot restore " + j.Snapshot
			if l.Kind != LostStash && l.Kind != LostStaged {
				f.Recommendation += " -- " + l.Path
			}
		}
		j.findings = append(j.findings, f)
	}
}

func joinNames(names []string) string {
	var shown []string
	for _, n := range names[:min(len(names), 8)] {
		shown = append(shown, belay.VisibleLine(n))
	}
	text := strings.Join(shown, ", ")
	if n := len(names) - len(shown); n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}
