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

// Round is what CI and people say of a task's pull request and its next attempt has not been told.
type Round struct {
	Task    belay.TaskID   `json:"task_id"`
	Pull    *forge.Pull    `json:"pull,omitempty"` // the open one of the branch
	Checks  BranchChecks   `json:"checks"`
	Failed  []FailedCheck  `json:"failed"`
	Remarks []forge.Remark `json:"remarks"`
	Others  int            `json:"others"` // remarks of people who may not write to the repository: nobody is told of them
	Told    int            `json:"told"`   // of what there is, what an attempt was told before
}

// FailedCheck is a check that failed, and what it says of that.
type FailedCheck struct {
	forge.Check
	Why string `json:"why,omitempty"`
}

// roundNote is the kind of note that says what of a pull request an attempt was told.
const roundNote = "pull-request"

// beginMost is how often a commit without a check is asked about, until it counts as one that has none: CI takes a while to begin.
const beginMost = 4

// Round waits until the checks of the current commit have ended, asking each time after every, or ctx ends, and gives what
// they and the people who may write to the repository say. CodeRefused for a task that no review leads on from.
func (s *Service) Round(ctx context.Context, q Forge, name string, every time.Duration) (Round, error) {
	out := Round{Failed: []FailedCheck{}, Remarks: []forge.Remark{}}
	records, _, err := s.pulled(name)
	if err != nil {
		return out, err
	}
	r := records[len(records)-1]
	out.Task = r.Task.ID
	switch {
	case len(records) != 1:
		return out, belay.Refuse(belay.CodeUsage, "belay pr TASK --watch", "--watch needs one task")
	case !loop.Reviewable(r.State):
		return out, belay.Refuse(belay.CodeRefused, fmt.Sprintf("belay show %s", r.Task.ID), "%s has no checked work to continue from",
			r.Task.ID)
	case len(r.Task.Agent) == 0:
		return out, belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay pr %s --checks shows them", r.Task.ID),
			"%s is worked on by hand: it has no agent to continue", r.Task.ID)
	}
	c, _, err := s.client(ctx, q)
	if err != nil {
		return out, err
	}
	none := 0
	ended := func(b BranchChecks) bool {
		if len(b.Checks) == 0 {
			none++
			return none > beginMost
		}
		return !slices.ContainsFunc(b.Checks, func(c forge.Check) bool { return c.State == forge.Pending })
	}
	if out.Checks, err = s.checksUntil(ctx, c, every, ended); err != nil {
		return out, err
	}
	told := toldOn(r)
	asked := context.WithoutCancel(ctx) // the time to wait is over, which what is known by then is not
	for _, check := range out.Checks.Checks {
		switch {
		case check.State != forge.Failed:
		case told[checkKey(check, out.Checks.Commit)]:
			out.Told++
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
	remarks, others, err := c.Remarks(asked, out.Pull.Number)
	out.Others = others
	for _, m := range remarks {
		if told[remarkKey(m, out.Pull.Number)] {
			out.Told++
		} else {
			m.Text = secret.Mask(m.Text)
			out.Remarks = append(out.Remarks, m)
		}
	}
	return out, err
}

// Empty reports whether there is nothing that an attempt has to be told.
func (r Round) Empty() bool { return len(r.Failed)+len(r.Remarks) == 0 }

// Review is the round as the text of a review that rejects, with the places in its front matter.
func (r Round) Review() (string, error) {
	var b strings.Builder
	var places []review.Affected
	fmt.Fprintf(&b, "Commit %s was pushed, and this is to be changed.\n", short(r.Checks.Commit))
	for _, f := range r.Failed {
		fmt.Fprintf(&b, "\n### CI: %s failed\n\n", belay.VisibleLine(f.Name))
		if f.URL != "" {
			fmt.Fprintf(&b, "%s\n\n", belay.VisibleLine(f.URL))
		}
		if f.Why != "" {
			b.WriteString(quoted(f.Why) + "\n")
		}
	}
	for _, m := range r.Remarks {
		where := "The pull request"
		if m.Path != "" {
			where = fmt.Sprintf("`%s`", strings.ReplaceAll(belay.VisibleLine(m.Path), "`", "'"))
			at := review.Affected{Path: m.Path, Lines: review.Lines(m.Line, 0)}
			if at.Lines != "" {
				where = fmt.Sprintf("`%s:%s`", strings.ReplaceAll(belay.VisibleLine(m.Path), "`", "'"), at.Lines)
			}
			if !slices.Contains(places, at) {
				places = append(places, at)
			}
		}
		fmt.Fprintf(&b, "\n### %s, %s\n\n%s\n", where, belay.VisibleLine(m.By), belay.Visible(m.Text))
	}
	return review.Draft(places, b.String())
}

// quoted is a text as a block of code that it cannot end.
func quoted(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + belay.Visible(text) + "\n" + fence
}

// TellRound records what of a round an attempt was told, so that the next one is told what is new.
func (s *Service) TellRound(ctx context.Context, r Round) error {
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
	text := fmt.Sprintf("told of %s and %s on %s: %s", belay.CountOf(len(r.Failed), "failed check"),
		belay.CountOf(len(r.Remarks), "remark"), short(r.Checks.Commit), strings.Join(keys, " "))
	return s.Session.AddNote(ctx, rec, session.Note{Kind: roundNote, Text: text})
}

func toldOn(r *session.Record) map[string]bool {
	told := map[string]bool{}
	for _, n := range r.Notes {
		if n.Kind == roundNote {
			for _, key := range strings.Fields(n.Text) {
				told[key] = true
			}
		}
	}
	return told
}

// checkKey and remarkKey name what was told in one word: names of checks may have any characters.
func checkKey(c forge.Check, commit string) string { return toldKey("check", commit, c.Name) }

func remarkKey(m forge.Remark, pull int) string { return toldKey("remark", fmt.Sprint(pull), m.ID) }

func toldKey(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:8])
}
