package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
)

// CurrentTask returns the task in progress that changed last, "" when there is none.
func (s *Service) CurrentTask() (belay.TaskID, error) {
	records, err := s.Session.Records(nil)
	if err != nil {
		return "", err
	}
	var id belay.TaskID
	var last int64
	for _, r := range records {
		if r.Task.Session == nil && r.Open() && r.State.Before != "" && r.Changed.UnixNano() > last {
			id, last = r.Task.ID, r.Changed.UnixNano()
		}
	}
	return id, nil
}

// targetVariables are the environment variables in which CI systems name the branch that a change is merged into:
// GitHub, GitLab, Bitbucket, Azure, Jenkins, Buildkite, Drone and Woodpecker; then the default branch as GitLab names
// it.
var targetVariables = []string{"GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "BITBUCKET_PR_DESTINATION_BRANCH",
	"SYSTEM_PULLREQUEST_TARGETBRANCH", "CHANGE_TARGET", "BUILDKITE_PULL_REQUEST_BASE_BRANCH", "DRONE_TARGET_BRANCH",
	"CI_COMMIT_TARGET_BRANCH", "CI_DEFAULT_BRANCH"}

// Base is the commit that a branch is compared with.
type Base struct {
	Commit string // its object name
	Branch string // the branch to merge into
}

// String names the commit and its branch for a person.
func (b Base) String() string {
	return fmt.Sprintf("%.10s, the merge base with %s", b.Commit, belay.VisibleLine(b.Branch))
}

// Base finds the merge base of HEAD with the branch that it is to be merged into: the one that env,
// the environment of a CI system, names; else the default branch of origin; else main or master.
// Errors: belay.CodeUsage if there is no such branch, belay.CodeCannot if the clone lacks the
// history up to the merge base.
func (s *Service) Base(ctx context.Context, env func(string) string) (Base, error) {
	refs, err := s.Session.Repo.Refs(ctx)
	if err != nil {
		return Base{}, err
	}
	onto, named := targetRef(refs, env)
	if commit := env("CI_MERGE_REQUEST_DIFF_BASE_SHA"); git.IsOID(commit) { // GitLab fetches no other branch
		onto, named = commit, true
	}
	if onto == "" {
		return Base{}, belay.Refuse(belay.CodeUsage, "belay check --before HEAD, or belay check T7",
			"nothing to compare with: there is no branch origin/HEAD, main or master")
	}
	if git.IsOID(onto) || slices.ContainsFunc(refs, func(r git.Ref) bool { return r.Name == onto }) {
		out, err := s.Session.Repo.Run(ctx, nil, "merge-base", onto, "HEAD")
		commit := strings.TrimSpace(string(out))
		if err == nil && git.IsOID(commit) {
			return Base{Commit: commit, Branch: plainName(onto)}, nil
		}
		if failed := (*git.CommandError)(nil); err != nil && !errors.As(err, &failed) {
			return Base{}, err
		}
	}
	_, err = os.Lstat(filepath.Join(s.Session.Repo.Common, "shallow"))
	return Base{}, noBaseError(onto, err == nil, named, env)
}

// noBaseError is the error when no merge base is found; it suggests what to fetch.
func noBaseError(onto string, shallow, named bool, env func(string) string) error {
	what, try := "HEAD and "+plainName(onto)+" have no common commit", "belay check --before COMMIT"
	if shallow {
		what = "this clone is shallow: the merge base with " + plainName(onto) + " is not in it"
	} else if named {
		what = "the merge base with " + plainName(onto) + " is not in this clone"
	}
	branch, remote := strings.CutPrefix(onto, "refs/remotes/origin/")
	switch {
	case !shallow && !named:
	case env("GITHUB_ACTIONS") != "":
		try = "set fetch-depth: 0 for actions/checkout, which fetches all history"
	case env("GITLAB_CI") != "":
		try = "set the variable GIT_DEPTH: 0 of the job, which fetches all history"
		if remote {
			try += ", and run git fetch origin " + branch
		}
	case shallow:
		try = "git fetch --unshallow origin"
		if remote {
			try += " " + branch + ":" + onto
		}
	case remote:
		try = "git fetch origin " + branch + ":" + onto
	}
	return belay.Refuse(belay.CodeCannot, belay.VisibleLine(try), "%s", what)
}

// targetRef returns the ref that HEAD is to be merged into, "" for none. named reports that env names it.
func targetRef(refs []git.Ref, env func(string) string) (ref string, named bool) {
	const origin = "refs/remotes/origin/"
	for _, variable := range targetVariables {
		if branch := strings.TrimPrefix(env(variable), "refs/heads/"); branch != "" {
			return origin + branch, true
		}
	}
	for _, name := range []string{origin + "HEAD", origin + "main", origin + "master", "refs/heads/main", "refs/heads/master"} {
		for _, r := range refs {
			if r.Name == name && r.Symref != "" {
				return r.Symref, false
			}
			if r.Name == name {
				return name, false
			}
		}
	}
	return "", false
}

func plainName(ref string) string {
	if git.IsOID(ref) {
		return ref[:10]
	}
	for _, head := range []string{"refs/remotes/", "refs/heads/"} {
		ref = strings.TrimPrefix(ref, head)
	}
	return belay.VisibleLine(ref)
}
