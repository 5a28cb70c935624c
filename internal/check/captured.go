package check

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// Missed is something that came or changed in the attempt and that its snapshot does not
// hold, so that no other check sees it.
type Missed struct {
	Path   string // of a folder: ends in "/"
	What   string // one line: what it is, and why it is not held
	Harms  bool   // it may hold anything: it rejects outside the task's files. Otherwise it is only named
	Unsure bool   // whether it changed is not certain: it only warns
	Held   bool   // the snapshot holds it, and only its mode changed
	Tree   bool   // it may be a working tree that the check of git's state names
}

// captured asks whether the state that was judged holds all that the attempt left. What it
// does not hold is named, and rejects where a captured file would.
func captured(ctx context.Context, in Input) belay.CheckResult {
	if err := validGlobs(in.Scope.Files, in.Scope.Protect); err != nil {
		return belay.Unknown(nameCaptured, err.Error())
	}
	var found []belay.Finding
	in.Missed = unnamed(ctx, in)
	for _, m := range in.Missed {
		found = append(found, missed(in.Scope, m))
	}
	for _, repo := range repositories(in.Changes) {
		f := missed(in.Scope, Missed{Path: repo + "/", What: "a new repository inside this one", Harms: true})
		f.Recommendation = "remove " + repo + "/.git, or the folder"
		found = append(found, f)
	}
	summary := "all changes were captured"
	if n := len(slices.DeleteFunc(slices.Clone(in.Missed), func(m Missed) bool { return m.Held })); n > 0 {
		summary = belay.Count(n, "change was", "changes were") + " not captured"
	} else if modes := len(in.Missed); modes > 0 {
		summary = belay.Count(modes, "file has a different mode", "files have a different mode")
	} else if len(found) > 0 {
		summary = belay.Count(len(found), "new repository", "new repositories") + " inside this one"
	}
	return belay.Of(nameCaptured, summary, belay.Brief(found, "more changes were not captured"))
}

// unnamed leaves out what the check of git's state names with more: the working trees that
// were added.
func unnamed(ctx context.Context, in Input) []Missed {
	if in.skips(nameGit) != "" || !slices.ContainsFunc(in.Missed, func(m Missed) bool { return m.Tree }) {
		return in.Missed
	}
	facts, err := in.Git(ctx)
	if err != nil {
		return in.Missed // that check says why, and names nothing
	}
	return slices.DeleteFunc(slices.Clone(in.Missed), func(m Missed) bool {
		return m.Tree && slices.Contains(facts.Worktrees, filepath.Join(in.Root, filepath.FromSlash(m.Path)))
	})
}

func missed(s belay.Scope, m Missed) belay.Finding {
	path := strings.TrimSuffix(m.Path, "/")
	f := belay.Finding{
		Severity: belay.SeverityWarning, Category: belay.CategoryScope, File: path,
		Title: fmt.Sprintf("not captured: %s (%s)", m.Path, m.What),
	}
	if m.Held || strings.HasSuffix(m.Path, "/") && m.Harms {
		f.Title = fmt.Sprintf("%s: %s", m.Path, m.What)
	}
	if !m.Harms || m.Unsure {
		return f
	}
	switch guard := guardOf(s.Protect, path); {
	case guard != "":
		f.Severity, f.Category = belay.SeverityError, belay.CategoryProtected
		f.Detail = fmt.Sprintf("%s is protected by %s", path, guard)
	case len(s.Files) > 0 && !belay.Match(s.Files, path) && !leadsTo(s.Files, path):
		f.Severity = belay.SeverityError
		f.Detail = fmt.Sprintf("%s is outside the task's files, which are %s", path, listed(s.Files))
	}
	if f.Recommendation = "remove it, or keep it where the task's files are"; m.Held {
		f.Recommendation = "restore its previous mode"
	}
	return f
}

// leadsTo reports whether a glob names something below a folder by the folder's own name.
func leadsTo(globs []string, folder string) bool {
	return slices.ContainsFunc(globs, func(g string) bool { return strings.HasPrefix(strings.TrimPrefix(g, "./"), folder+"/") })
}

// repositories returns the folders of which a git folder came in a change.
func repositories(changes []belay.Change) (repos []string) {
	for _, c := range changes {
		if repo, _, in := strings.Cut(c.Path, "/.git/"); in && c.Status == "A" && !slices.Contains(repos, repo) {
			repos = append(repos, repo)
		}
	}
	return repos
}

// outsideGit leaves out the insides of git folders: they are not text that anybody wrote.
func outsideGit(changes []belay.Change) []belay.Change {
	return slices.DeleteFunc(slices.Clone(changes), func(c belay.Change) bool {
		return strings.Contains(c.Path, "/.git/") || strings.HasSuffix(c.Path, "/.git")
	})
}
