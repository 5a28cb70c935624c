package check

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// UncapturedPath is something that was created or changed in the attempt and that its snapshot does
// not contain, so that no other check sees it.
type UncapturedPath struct {
	Path        string // ends in "/" for a folder
	Description string // one line: what it is, and why it is not in the snapshot
	Rejects     bool   // it may contain anything, so it rejects outside the task's files; otherwise it is only reported
	Unsure      bool   // it may be unchanged, so it only warns
	ModeOnly    bool   // its content is in the snapshot, only its mode changed
	Worktree    bool   // it may be a worktree that the check of git's state reports
}

// checkCaptured checks whether the snapshot contains everything that the attempt left. Paths that
// it lacks are reported, and reject like captured files.
func checkCaptured(ctx context.Context, in Input) belay.CheckResult {
	if err := validateGlobs(in.Scope.Files, in.Scope.Protect); err != nil {
		return belay.Unknown(nameCaptured, err.Error())
	}
	var found []belay.Finding
	in.Uncaptured = withoutWorktrees(ctx, in)
	for _, m := range in.Uncaptured {
		found = append(found, uncapturedFinding(in.Scope, m))
	}
	for _, repo := range newRepositories(in.Changes) {
		f := uncapturedFinding(in.Scope, UncapturedPath{Path: repo + "/", Description: "a new repository inside this one", Rejects: true})
		f.Recommendation = "remove " + repo + "/.git, or the folder"
		found = append(found, f)
	}
	summary := "all changes were captured"
	if n := len(slices.DeleteFunc(slices.Clone(in.Uncaptured), func(m UncapturedPath) bool { return m.ModeOnly })); n > 0 {
		summary = belay.Count(n, "change was", "changes were") + " not captured"
	} else if modes := len(in.Uncaptured); modes > 0 {
		summary = belay.Count(modes, "file has a different mode", "files have a different mode")
	} else if len(found) > 0 {
		summary = belay.Count(len(found), "new repository", "new repositories") + " inside this one"
	}
	return belay.Of(nameCaptured, summary, belay.Brief(found, "more changes were not captured"))
}

// withoutWorktrees leaves out added worktrees, which the check of git's state reports with more
// details.
func withoutWorktrees(ctx context.Context, in Input) []UncapturedPath {
	if in.skipReason(nameGit) != "" || !slices.ContainsFunc(in.Uncaptured, func(m UncapturedPath) bool { return m.Worktree }) {
		return in.Uncaptured
	}
	facts, err := in.Git(ctx)
	if err != nil {
		return in.Uncaptured // that check reports the error, and no paths
	}
	return slices.DeleteFunc(slices.Clone(in.Uncaptured), func(m UncapturedPath) bool {
		return m.Worktree && slices.Contains(facts.Worktrees, filepath.Join(in.Root, filepath.FromSlash(m.Path)))
	})
}

func uncapturedFinding(s belay.Scope, m UncapturedPath) belay.Finding {
	path := strings.TrimSuffix(m.Path, "/")
	f := belay.Finding{
		Severity: belay.SeverityWarning, Category: belay.CategoryScope, File: path,
		Title: fmt.Sprintf("not captured: %s (%s)", m.Path, m.Description),
	}
	if m.ModeOnly || strings.HasSuffix(m.Path, "/") && m.Rejects {
		f.Title = fmt.Sprintf("%s: %s", m.Path, m.Description)
	}
	if !m.Rejects || m.Unsure {
		return f
	}
	switch guard := coveringGlob(s.Protect, path); {
	case guard != "":
		f.Severity, f.Category = belay.SeverityError, belay.CategoryProtected
		f.Detail = fmt.Sprintf("%s is protected by %s", path, guard)
	case len(s.Files) > 0 && !belay.Match(s.Files, path) && !globEntersFolder(s.Files, path):
		f.Severity = belay.SeverityError
		f.Detail = fmt.Sprintf("%s is outside the task's files, which are %s", path, joinGlobs(s.Files))
	}
	if f.Recommendation = "revert it, or keep it within the task's files"; m.ModeOnly {
		f.Recommendation = "restore its previous mode"
	}
	return f
}

// globEntersFolder reports whether a glob names something below a folder, including the folder's
// own name.
func globEntersFolder(globs []string, folder string) bool {
	return slices.ContainsFunc(globs, func(g string) bool { return strings.HasPrefix(strings.TrimPrefix(g, "./"), folder+"/") })
}

// newRepositories returns the folders in which a change created a git folder.
func newRepositories(changes []belay.Change) (repos []string) {
	for _, c := range changes {
		if repo, _, in := strings.Cut(c.Path, "/.git/"); in && c.Status == "A" && !slices.Contains(repos, repo) {
			repos = append(repos, repo)
		}
	}
	return repos
}

// withoutGitFolders leaves out the content of git folders, which nobody wrote as text.
func withoutGitFolders(changes []belay.Change) []belay.Change {
	return slices.DeleteFunc(slices.Clone(changes), func(c belay.Change) bool {
		return strings.Contains(c.Path, "/.git/") || strings.HasSuffix(c.Path, "/.git")
	})
}
