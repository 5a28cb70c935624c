package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
)

// Brief is a short summary of this repository for an agent or person who starts to work in it.
type Brief struct {
	Root               string         `json:"root"`
	Features           []BriefFeature `json:"features"`
	Tasks              []BriefTask    `json:"tasks"`              // open tasks
	Gates              []BriefTask    `json:"gates"`              // tasks that wait for a person
	Next               string         `json:"next,omitempty"`     // the command that continues
	InterruptedRestore string         `json:"standing,omitempty"` // an interrupted restore
	Busy               string         `json:"busy,omitempty"`     // the task or command that runs in this tree now
	Folder             string         `json:"folder,omitempty"`   // why this may be the wrong folder
	Problems           int            `json:"problems,omitempty"` // records that cannot be read
}

// BriefFeature is a feature in progress.
type BriefFeature struct {
	Feature string `json:"feature"`
	Open    int    `json:"open"`
	Tasks   int    `json:"tasks"`
	Phase   string `json:"phase,omitempty"` // its phase, while it is active
	Mode    string `json:"mode,omitempty"`
	Folder  string `json:"folder,omitempty"` // of its documents
	Next    string `json:"next,omitempty"`   // the command that continues it
}

// BriefTask is an open task, for one line of output.
type BriefTask struct {
	ID      belay.TaskID `json:"id"`
	Title   string       `json:"title"`
	Phase   string       `json:"phase"`
	Waits   string       `json:"waits,omitempty"`
	Feature string       `json:"feature,omitempty"`
	Tree    string       `json:"worktree,omitempty"`
}

// Brief collects the summary. It counts unreadable records and never returns an error, because a
// greeting must not fail.
func (s *Service) Brief(ctx context.Context) Brief {
	b := Brief{Root: s.Session.Repo.Root, Features: []BriefFeature{}, Tasks: []BriefTask{}, Gates: []BriefTask{}}
	if h, busy := s.Session.TreeLockHolder(); busy {
		b.Busy = h.String()
	}
	if st := s.Session.Restores.Unfinished(); st != nil {
		b.InterruptedRestore, b.Next = st.Message()
	}
	lines, err := s.Tasks()
	if err != nil {
		b.Problems++
	}
	views, bad, err := s.FeatureViews(ctx, lines, false)
	if b.Problems += bad; err != nil {
		b.Problems++
	}
	for _, v := range views {
		b.Features = append(b.Features, BriefFeature{Feature: v.Name, Open: v.Open, Tasks: v.Tasks, Phase: v.Summary(), Mode: v.Mode,
			Folder: v.Folder, Next: v.Next.Command})
	}
	for _, f := range sumFeatures(lines) {
		active := slices.ContainsFunc(views, func(v FeatureView) bool { return v.Name == f.Feature })
		if f.Open > 0 && !active {
			b.Features = append(b.Features, BriefFeature{Feature: f.Feature, Open: f.Open, Tasks: f.Tasks})
		}
	}
	for _, l := range lines {
		switch one := (BriefTask{ID: l.ID, Title: l.Title, Phase: l.Phase, Waits: l.Waits, Feature: l.Feature, Tree: l.Tree}); {
		case l.Problem != "":
			b.Problems++
		case l.Phase == string(loop.PhaseClosed):
		case l.Waits != "":
			b.Gates = append(b.Gates, one)
		default:
			b.Tasks = append(b.Tasks, one)
		}
	}
	switch {
	case b.Next != "":
	case len(b.Gates) > 0:
		b.Next = fmt.Sprintf("belay gate show %s", b.Gates[0].ID)
	case len(b.Tasks) > 0:
		b.Next = fmt.Sprintf("belay show %s", b.Tasks[0].ID)
	case len(views) > 0:
		b.Next = views[0].Next.Command
	}
	b.Folder = s.wrongFolder(lines)
	if elsewhere := slices.DeleteFunc(slices.Clone(views), func(v FeatureView) bool { return v.Elsewhere == "" }); b.Folder == "" &&
		len(views) > 0 && len(elsewhere) == len(views) {
		b.Folder = elsewhere[0].Elsewhere
	}
	return b
}

// wrongFolder explains why new work may belong in another folder: every open task has its own
// worktree. It returns "" otherwise.
func (s *Service) wrongFolder(lines []TaskLine) string {
	open, apart := 0, []string{}
	for _, l := range lines {
		if l.Phase == string(loop.PhaseClosed) || l.Problem != "" {
			continue
		}
		open++
		if l.Tree != "" && l.Tree != s.Session.Repo.Root {
			apart = append(apart, l.Tree)
		}
	}
	if cwd, err := os.Getwd(); err == nil && len(apart) > 0 {
		for _, tree := range apart {
			if rel, err := filepath.Rel(tree, cwd); err == nil && !strings.HasPrefix(rel, "..") {
				return ""
			}
		}
	}
	if open > 0 && open == len(apart) {
		return fmt.Sprintf("the open tasks have working trees of their own: %s", strings.Join(apart[:min(3, len(apart))], ", "))
	}
	return ""
}

// Text returns the greeting of a session, "" when there is nothing to report.
func (b Brief) Text() string {
	var s strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&s, format+"\n", args...) }
	for _, f := range b.Features {
		text := fmt.Sprintf("feature %s: ", f.Feature)
		if f.Phase != "" {
			text += f.Phase + "; "
		}
		if f.Tasks > 0 {
			text += fmt.Sprintf("%d of %s open; ", f.Open, belay.CountOf(f.Tasks, "task"))
		}
		if f.Next != "" {
			text += "next: " + f.Next
		}
		line("%s", belay.VisibleLine(strings.TrimSuffix(text, "; ")))
	}
	for _, g := range b.Gates {
		line("%s waits for a person: %s (%s)", g.ID, belay.VisibleLine(g.Waits), belay.VisibleLine(g.Title))
	}
	for _, t := range b.Tasks[:min(5, len(b.Tasks))] {
		line("%s is open (%s): %s", t.ID, t.Phase, belay.VisibleLine(t.Title))
	}
	if more := len(b.Tasks) - 5; more > 0 {
		line("%d more open tasks: belay status", more)
	}
	if b.InterruptedRestore != "" {
		line("%s", belay.VisibleLine(b.InterruptedRestore))
	}
	if b.Busy != "" {
		line("this working tree is in use by %s", belay.VisibleLine(b.Busy))
	}
	if b.Folder != "" {
		line("this may be the wrong folder: %s", belay.VisibleLine(b.Folder))
	}
	if b.Problems > 0 {
		line("%s cannot be read: belay doctor", belay.CountOf(b.Problems, "record"))
	}
	if s.Len() == 0 {
		return ""
	}
	if b.Next != "" {
		line("next: %s", b.Next)
	}
	return "belay supervises this repository.\n" + strings.TrimRight(s.String(), "\n")
}
