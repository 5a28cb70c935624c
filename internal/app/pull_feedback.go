package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/forge"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/review"
	"github.com/belay-dev/belay/internal/secret"
	"github.com/belay-dev/belay/internal/session"
)

// PullFeedback is the feedback of CI and people on a task's pull request since its last attempt.
type PullFeedback struct {
	Task     belay.TaskID   `json:"task_id"`
	Pull     *forge.Pull    `json:"pull,omitempty"` // the branch's open pull request
	Checks   BranchChecks   `json:"checks"`
	Failed   []FailedCheck  `json:"failed"`
	Remarks  []forge.Remark `json:"remarks"`
	Others   int            `json:"others"`                     // number of ignored remarks, by people without write access
	Resolved int            `json:"resolved"`                   // number of ignored remarks that are resolved
	Unsure   string         `json:"resolved_unknown,omitempty"` // why resolved remarks may be among Remarks
	Reported int            `json:"told"`                       // number of checks and remarks that an earlier attempt received
}

// FailedCheck is a failed CI check and its explanation.
type FailedCheck struct {
	forge.Check
	Why string `json:"why,omitempty"`
}

// feedbackNote is the kind of the note that lists the feedback an attempt has received.
const feedbackNote = "pull-request"

// maxEmptyPolls is how often a commit without checks is polled before it counts as having none,
// because CI takes a while to start.
const maxEmptyPolls = 4

// PullFeedback waits until the checks of the current commit have ended, polling at the interval
// every, or until ctx ends. It returns the failed checks, and the remarks of people with write
// access to the repository. CodeRefused for a task that cannot continue after a review.
func (s *Service) PullFeedback(ctx context.Context, q ForgeOptions, name string, every time.Duration) (PullFeedback, error) {
	out := PullFeedback{Failed: []FailedCheck{}, Remarks: []forge.Remark{}}
	records, _, err := s.pullRecords(name)
	if err != nil {
		return out, err
	}
	r := records[len(records)-1]
	out.Task = r.Task.ID
	switch {
	case len(records) != 1:
		return out, belay.Refuse(belay.CodeUsage, "belay pr TASK --watch", "--watch needs one task")
	case !loop.IsReviewable(r.State):
		return out, belay.Refuse(belay.CodeRefused, fmt.Sprintf("belay show %s", r.Task.ID), "%s has no checked work to continue from",
			r.Task.ID)
	case len(r.Task.Agent) == 0:
		return out, belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay pr %s --checks shows them", r.Task.ID),
			"%s is worked on by hand: it has no agent to continue", r.Task.ID)
	}
	c, _, err := s.forgeClient(ctx, q)
	if err != nil {
		return out, err
	}
	none := 0
	ended := func(b BranchChecks) bool {
		if len(b.Checks) == 0 {
			none++
			return none > maxEmptyPolls
		}
		return !slices.ContainsFunc(b.Checks, func(c forge.Check) bool { return c.State == forge.Pending })
	}
	if out.Checks, err = s.checksUntil(ctx, c, every, ended); err != nil {
		return out, err
	}
	told := reportedKeys(r)
	asked := context.WithoutCancel(ctx) // the known checks are used even if the wait timed out
	for _, check := range out.Checks.Checks {
		switch {
		case check.State != forge.Failed:
		case told[checkKey(check, out.Checks.Commit)]:
			out.Reported++
		default:
			why, err := c.Why(asked, check)
			if err != nil {
				return out, err
			}
			out.Failed = append(out.Failed, FailedCheck{check, secret.Mask(why)})
		}
	}
	if out.Pull, err = c.FindOpen(asked, out.Checks.Branch); err != nil || out.Pull == nil {
		return out, err
	}
	remarks, err := c.Remarks(asked, out.Pull.Number)
	out.Others, out.Resolved, out.Unsure = remarks.Others, remarks.Resolved, remarks.Unsure
	for _, m := range remarks.List {
		if told[remarkKey(m, out.Pull.Number)] {
			out.Reported++
		} else {
			m.Text = secret.Mask(m.Text)
			out.Remarks = append(out.Remarks, m)
		}
	}
	return out, err
}

// IsEmpty reports whether there is no new feedback.
func (r PullFeedback) IsEmpty() bool { return len(r.Failed)+len(r.Remarks) == 0 }

// ReviewText returns the feedback as the text of a review that rejects the work, with the places in its front matter.
func (r PullFeedback) ReviewText() (string, error) {
	var b strings.Builder
	var places []review.Affected
	fmt.Fprintf(&b, "Commit %s was pushed, and this is to be changed.\n", shortID(r.Checks.Commit))
	for _, f := range r.Failed {
		fmt.Fprintf(&b, "\n### CI: %s failed\n\n", belay.VisibleLine(f.Name))
		if f.URL != "" {
			fmt.Fprintf(&b, "%s\n\n", belay.VisibleLine(f.URL))
		}
		if f.Why != "" {
			b.WriteString(codeBlock(f.Why) + "\n")
		}
	}
	for _, m := range r.Remarks {
		where := "The pull request"
		if m.Path != "" {
			where = fmt.Sprintf("`%s`", strings.ReplaceAll(belay.VisibleLine(m.Path), "`", "'"))
			at := review.Affected{Path: m.Path, Lines: review.FormatLines(m.Line, 0)}
			if at.Lines != "" {
				where = fmt.Sprintf("`%s:%s`", strings.ReplaceAll(belay.VisibleLine(m.Path), "`", "'"), at.Lines)
			}
			if !slices.Contains(places, at) {
				places = append(places, at)
			}
		}
		fmt.Fprintf(&b, "\n### %s, %s\n\n%s\n", where, belay.VisibleLine(m.By), belay.Visible(m.Text))
	}
	return review.DraftText(places, b.String())
}

// codeBlock returns text as a Markdown code block that the text cannot end.
func codeBlock(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + belay.Visible(text) + "\n" + fence
}

// RecordFeedback records that an attempt received the feedback, so that the next one receives only
// what is new.
func (s *Service) RecordFeedback(ctx context.Context, r PullFeedback) error {
	rec, err := s.Session.Load(r.Task)
	if err != nil {
		return err
	}
	var keys []string
	for _, f := range r.Failed {
		keys = append(keys, checkKey(f.Check, r.Checks.Commit))
	}
	for _, m := range r.Remarks {
		keys = append(keys, remarkKey(m, r.Pull.Number))
	}
	if len(keys) == 0 {
		return nil
	}
	text := fmt.Sprintf("the agent gets %s and %s on %s: %s", belay.CountOf(len(r.Failed), "failed check"),
		belay.CountOf(len(r.Remarks), "remark"), shortID(r.Checks.Commit), strings.Join(keys, " "))
	return s.Session.AddNote(ctx, rec, session.Note{Kind: feedbackNote, Text: text})
}

func reportedKeys(r *session.Record) map[string]bool {
	told := map[string]bool{}
	for _, n := range r.Notes {
		if n.Kind == feedbackNote {
			for _, key := range strings.Fields(n.Text) {
				told[key] = true
			}
		}
	}
	return told
}

// checkKey and remarkKey return a key of one word for a check or remark, because the name of a
// check may contain any characters.
func checkKey(c forge.Check, commit string) string { return reportedKey("check", commit, c.Name) }

func remarkKey(m forge.Remark, pull int) string { return reportedKey("remark", fmt.Sprint(pull), m.ID) }

func reportedKey(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:8])
}
