package app

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/forge"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/review"
	"github.com/belay-dev/belay/internal/secret"
	"github.com/belay-dev/belay/internal/session"
)

// ForgeOptions selects the forge and its remote.
type ForgeOptions struct {
	Remote string // "" is the push remote of the branch, else origin
	Kind   string // "" detects it from the address
}

// forgeClient returns a client for the forge of a remote, and the remote's name.
func (s *Service) forgeClient(ctx context.Context, q ForgeOptions) (*forge.Client, string, error) {
	name := q.Remote
	if name == "" {
		branch, _ := git.RunUserCommand(s.Session.Repo.UserCommand(ctx, "symbolic-ref", "--quiet", "--short", "HEAD"), nil, nil)
		name = s.gitSetting(ctx, "", "branch."+strings.TrimSpace(string(branch))+".remote")
		if name == "" || name == "." {
			name = "origin"
		}
	}
	if strings.HasPrefix(name, "-") {
		return nil, "", belay.Refuse(belay.CodeUsage, "git remote", "%q is not a remote", name)
	}
	out, err := git.RunUserCommand(s.Session.Repo.UserCommand(ctx, "remote", "get-url", "--", name), nil, nil)
	if err != nil {
		return nil, "", belay.Refuse(belay.CodeNotFound, "git remote add origin URL, or --remote NAME", "there is no remote %s",
			belay.VisibleLine(name))
	}
	place, err := forge.Locate(strings.TrimSpace(string(out)), q.Kind)
	if err != nil {
		return nil, "", err
	}
	c, err := forge.New(ctx, place)
	return c, name, err
}

// PublishRequest asks for a pull request of a task or a feature.
type PublishRequest struct {
	ForgeOptions
	Name    string // a task or feature; "" is the latest task
	Version string
	Base    string // "" is the forge's default branch
	Title   string // "" is the task's title
	Push    bool
	Draft   bool
	Again   bool
	Comment bool // comment on the open pull request instead of changing its text
	Trust   bool
	Output  io.Writer
}

// PublishResult is the pull request and how it was published.
type PublishResult struct {
	forge.Opened
	Forge     string `json:"forge"`
	Via       string `json:"via"`
	Branch    string `json:"branch"`
	Pushed    bool   `json:"pushed"`
	Truncated bool   `json:"cut"`
}

// Publish opens a pull request of the current branch from the record, or updates the open one. It
// verifies what it can before it sends anything. It can be repeated: it finds what an earlier call
// did. It pushes only on request.
func (s *Service) Publish(ctx context.Context, q PublishRequest) (PublishResult, error) {
	pull, err := s.Pull(ctx, q.Name, q.Version)
	if err != nil {
		return PublishResult{}, err
	}
	c, remote, err := s.forgeClient(ctx, q.ForgeOptions)
	if err != nil {
		return PublishResult{}, err
	}
	out := PublishResult{Forge: c.Kind, Via: c.Via}
	ref, head, err := s.currentBranch(ctx)
	if err != nil {
		return out, err
	}
	out.Branch = ref
	base, err := c.DefaultBranch(ctx)
	if err != nil {
		return out, err
	}
	if q.Base != "" {
		base = q.Base
	}
	if base == ref {
		return out, belay.Refuse(belay.CodeUsage, "git switch -c NAME, or --base BRANCH", "%s is the target branch of pull requests",
			belay.VisibleLine(ref))
	}
	there, err := c.Branch(ctx, ref)
	if err != nil {
		return out, err
	}
	if there != head {
		if !q.Push {
			return out, belay.Refuse(belay.CodeRefused, "belay pr --open --push, or git push", "%s does not have your commits of %s yet",
				belay.VisibleLine(remote), belay.VisibleLine(ref))
		}
		if err := s.pushBranch(ctx, remote, ref, q); err != nil {
			return out, err
		}
		out.Pushed = true
	}
	mark := string(pull.Tasks[0].ID)
	if pull.Feature != "" {
		mark = "feature " + markerName(pull.Feature)
	}
	const around = 2000 // room for a person's own text and belay's markers
	text, cut := pull.Markdown(c.BodyLimit() - around)
	out.Truncated = cut
	if q.Comment {
		return out, s.commentOnPull(ctx, c, &out, text, mark)
	}
	title := q.Title
	if title == "" {
		title = prompt.PlainLine(pull.Title, 200)
	}
	out.Opened, err = c.Open(ctx, forge.OpenRequest{Title: title, Text: text, Head: ref, Base: base, Mark: mark, Draft: q.Draft,
		Again: q.Again})
	return out, err
}

// markerName returns a name in a form that cannot end an HTML comment.
func markerName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '>' || r == '<' || r < ' ' {
			return '_'
		}
		return r
	}, belay.VisibleLine(name))
}

func (s *Service) commentOnPull(ctx context.Context, c *forge.Client, out *PublishResult, text, mark string) error {
	open, err := c.FindOpen(ctx, out.Branch)
	if err != nil {
		return err
	}
	if open == nil {
		return belay.Refuse(belay.CodeNotFound, "belay pr --open opens one", "no pull request of %s is open",
			belay.VisibleLine(out.Branch))
	}
	out.Pull = *open
	out.Did, err = c.Comment(ctx, open.Number, text, mark)
	return err
}

// currentBranch returns the name of the current branch and its commit.
func (s *Service) currentBranch(ctx context.Context) (name, commit string, err error) {
	refs, err := s.Session.Repo.Refs(ctx, "refs/heads/")
	if err != nil {
		return "", "", err
	}
	head, err := s.Session.Repo.Head(ctx, refs)
	if err != nil {
		return "", "", err
	}
	name, on := strings.CutPrefix(head.Branch, "refs/heads/")
	if !on || head.OID == "" {
		return "", "", belay.Refuse(belay.CodeRefused, "git switch -c NAME", "no branch with commits is checked out")
	}
	return name, head.OID, nil
}

// pushBranch pushes a branch as git push does, never by force and without submodules.
func (s *Service) pushBranch(ctx context.Context, remote, branch string, q PublishRequest) error {
	programs, err := s.Session.Repo.PushPrograms(ctx, remote)
	if err != nil {
		return err
	}
	if err := s.checkCommitPrograms(ctx, true, q.Trust, programs...); err != nil {
		return err
	}
	ref := "refs/heads/" + branch // hooks of submodules have not been shown
	_, err = git.RunUserCommand(s.Session.Repo.UserCommand(ctx, "push", "--quiet", "--no-recurse-submodules", "--set-upstream", "--",
		remote, ref+":"+ref), nil, q.Output)
	if err != nil {
		return &belay.Error{Code: belay.CodeRefused, What: fmt.Sprintf("%s was not pushed", belay.VisibleLine(branch)), Err: err,
			Try: "see what git says above: fetch and merge first, or push to a branch that is not protected"}
	}
	return nil
}

// BranchChecks is the state of CI for the current branch.
type BranchChecks struct {
	Branch string        `json:"branch"`
	Commit string        `json:"commit"`
	State  string        `json:"state"` // pass, fail, pending, none
	Checks []forge.Check `json:"checks"`
}

// ChecksNone is the state of a commit without checks.
const ChecksNone = "none"

// BranchChecks asks the forge for the checks of the commit that is checked out. With every set it
// polls at that interval while checks are running or none has started. If ctx ends between two
// polls, it returns the last state.
func (s *Service) BranchChecks(ctx context.Context, q ForgeOptions, every time.Duration) (BranchChecks, error) {
	c, _, err := s.forgeClient(ctx, q)
	if err != nil {
		return BranchChecks{}, err
	}
	return s.checksUntil(ctx, c, every, func(out BranchChecks) bool { return out.State == forge.Passed || out.State == forge.Failed })
}

// checksUntil polls the checks of the current commit until as accepts them. If ctx ends, it returns
// the last known state.
func (s *Service) checksUntil(ctx context.Context, c *forge.Client, every time.Duration, as func(BranchChecks) bool) (BranchChecks, error) {
	var last BranchChecks
	for {
		out, err := s.branchChecks(ctx, c)
		if err != nil && ctx.Err() != nil && last.Commit != "" {
			return last, nil
		}
		last = out
		if err != nil || every == 0 || as(out) {
			return out, err
		}
		select {
		case <-ctx.Done():
			return out, nil
		case <-time.After(every):
		}
	}
}

func (s *Service) branchChecks(ctx context.Context, c *forge.Client) (out BranchChecks, err error) {
	out = BranchChecks{State: ChecksNone, Checks: []forge.Check{}}
	if out.Branch, out.Commit, err = s.currentBranch(ctx); err != nil {
		return out, err
	}
	list, err := c.Checks(ctx, out.Commit)
	out.Checks = append(out.Checks, list...)
	has := func(state string) bool {
		return slices.ContainsFunc(list, func(c forge.Check) bool { return c.State == state })
	}
	switch {
	case has(forge.Failed):
		out.State = forge.Failed
	case has(forge.Pending):
		out.State = forge.Pending
	case len(list) > 0:
		out.State = forge.Passed
	}
	return out, err
}

// KnownIssue is a task that a person skipped at a gate.
type KnownIssue struct {
	Task    belay.TaskID `json:"task_id"`
	Title   string       `json:"title"`
	Feature string       `json:"feature,omitempty"`
	Why     string       `json:"why"`
	Reasons []string     `json:"reasons"` // the findings that rejected its last attempt
	URL     string       `json:"url,omitempty"`
}

// issueNote is the kind of the note with an issue's address.
const issueNote = "issue"

// KnownIssues returns the known issues in order of creation.
func (s *Service) KnownIssues() ([]KnownIssue, error) {
	out := []KnownIssue{}
	all, err := s.Session.Records(nil)
	for _, r := range all {
		if r.State.Outcome == loop.OutcomeSkipped {
			out = append(out, knownIssue(r))
		}
	}
	return out, err
}

func knownIssue(r *session.Record) KnownIssue {
	k := KnownIssue{Task: r.Task.ID, Title: r.Task.Title, Feature: r.Task.Feature, Why: r.State.Why, Reasons: []string{}}
	if a := r.State.Current(); a != nil {
		for _, f := range a.Reasons() {
			k.Reasons = append(k.Reasons, prompt.Reason(f))
		}
	}
	for _, n := range r.Notes {
		if n.Kind == issueNote {
			k.URL = n.Text
		}
	}
	return k
}

// FileIssues opens an issue for each known issue that has none and records its address. An existing
// issue is found by its marker.
func (s *Service) FileIssues(ctx context.Context, q ForgeOptions, version string) ([]KnownIssue, error) {
	list, err := s.KnownIssues()
	if err != nil || !slices.ContainsFunc(list, func(k KnownIssue) bool { return k.URL == "" }) {
		return list, err
	}
	c, _, err := s.forgeClient(ctx, q)
	if err != nil {
		return list, err
	}
	for i, k := range list {
		if k.URL != "" {
			continue
		}
		pull, err := s.Pull(ctx, string(k.Task), version)
		if err != nil {
			return list, err
		}
		text, _ := pull.Markdown(c.BodyLimit() - 1000)
		mark := "issue " + string(k.Task)
		if list[i].URL, err = s.fileIssue(ctx, c, k.Task, k.Title, text, mark, session.Note{Kind: issueNote}); err != nil {
			return list, err
		}
	}
	return list, nil
}

// fileIssue opens an issue, or finds the one with the marker mark, and returns its address. It adds
// the note n to the task, with the address appended to the note's text.
func (s *Service) fileIssue(ctx context.Context, c *forge.Client, task belay.TaskID, title, text, mark string,
	n session.Note) (string, error) {
	issue, err := c.FileIssue(ctx, prompt.PlainLine(title, 200), text, mark)
	if err != nil {
		return "", err
	}
	r, err := s.Session.Load(task)
	if err != nil {
		return "", err
	}
	n.Text += issue.URL
	return issue.URL, s.Session.AddNote(ctx, r, n)
}

// ReviewIssue is a finding of the newest reviews of a task, with the issue that was filed for it.
type ReviewIssue struct {
	belay.ReviewerRemark
	By  string `json:"by"`
	URL string `json:"url,omitempty"`
}

// ReviewIssues returns the findings of the newest reviewed attempt, including those that did not
// block accepted work.
func (s *Service) ReviewIssues(task belay.TaskID) ([]ReviewIssue, error) {
	out := []ReviewIssue{}
	shown, r, err := s.Show(task)
	if err != nil {
		return out, err
	}
	filed := map[string]string{}
	for _, n := range r.Notes {
		if mark, address, ok := strings.Cut(n.Text, " "); ok && n.Kind == findingNote {
			filed[mark] = address
		}
	}
	for _, a := range slices.Backward(shown.Attempts) {
		for _, reviewed := range a.Reviews {
			for _, f := range reviewed.Findings {
				i := ReviewIssue{ReviewerRemark: f, By: reviewed.Reviewer}
				i.URL = filed[i.marker(task)]
				out = append(out, i)
			}
		}
		if len(a.Reviews) > 0 {
			break
		}
	}
	return out, nil
}

// findingNote is the kind of the note with a finding's key and the address of its issue.
const findingNote = "finding-issue"

// marker returns the marker of a finding's issue: it is equal for the same finding in two reviews.
func (i ReviewIssue) marker(task belay.TaskID) string {
	return reportedKey("finding", task.Key(), i.File, strings.Join(strings.Fields(i.Title), " "))
}

// FileReviewIssues opens an issue for each finding of a task's newest reviews that has none, and
// records its address.
func (s *Service) FileReviewIssues(ctx context.Context, q ForgeOptions, task belay.TaskID) ([]ReviewIssue, error) {
	list, err := s.ReviewIssues(task)
	if err != nil || !slices.ContainsFunc(list, func(i ReviewIssue) bool { return i.URL == "" }) {
		return list, err
	}
	c, _, err := s.forgeClient(ctx, q)
	if err != nil {
		return list, err
	}
	for n, i := range list {
		if i.URL != "" {
			continue
		}
		mark := i.marker(task)
		note := session.Note{Kind: findingNote, Text: mark + " "}
		if list[n].URL, err = s.fileIssue(ctx, c, task, i.Title, i.text(task), "finding "+mark, note); err != nil {
			return list, err
		}
	}
	return list, nil
}

// text returns the text of the issue. A reviewer may be a model, so its text is put into a code
// block, in which the forge renders no markup, mentions or references.
func (i ReviewIssue) text(task belay.TaskID) string {
	lines := []string{"severity: " + i.Severity, "reviewer: " + i.By}
	if i.File != "" {
		at := i.File
		if l := review.FormatLines(i.Line, i.EndLine); l != "" {
			at += ":" + l
		}
		lines = append(lines, "place: "+at)
	}
	for _, part := range []string{i.Detail, i.Recommendation} {
		if part != "" {
			lines = append(lines, "", part)
		}
	}
	return fmt.Sprintf("A review of %s found this.\n\n%s\n", task, codeBlock(belay.Clip(secret.Mask(strings.Join(lines, "\n")), 8000)))
}
