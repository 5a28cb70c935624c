package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/handoff"
)

// CheckCitations fails when a rule that the context cites was changed or deleted, because a role
// would get outdated text. A rule that only moved is still valid. Error: belay.CodeRefused, which
// lists the changed rules.
func (p *TaskContext) CheckCitations(ctx context.Context) error {
	b, err := p.Block()
	if err != nil {
		return err
	}
	followed, err := p.FollowCitations(ctx, b.Citations)
	if err != nil {
		return err
	}
	var stale []string
	for _, f := range followed {
		if !f.Change.StillApplies() {
			stale = append(stale, fmt.Sprintf("%s#%s (%s)", f.Was.File, f.Was.Section, f.Change))
		}
	}
	if len(stale) == 0 {
		return nil
	}
	more := ""
	if n := len(stale) - 5; n > 0 {
		stale, more = stale[:5], fmt.Sprintf(" and %d more", n)
	}
	return belay.Refuse(belay.CodeRefused, fmt.Sprintf("belay context rebuild %s", p.Rec.Task.ID),
		"rules that the context of %s cites have changed: %s%s", p.Rec.Task.ID, belay.VisibleLine(strings.Join(stale, ", ")), more)
}

// FollowCitations looks for cited sections in the files on disk.
func (p *TaskContext) FollowCitations(ctx context.Context, cited []handoff.Citation) ([]handoff.FollowedCitation, error) {
	var docs []handoff.Document
	read1 := map[string]bool{}
	for _, c := range cited {
		if read1[c.File] {
			continue
		}
		read1[c.File] = true
		text, err := p.FileText(c.File)
		if err != nil {
			return nil, err
		}
		if text == nil {
			continue
		}
		if d, err := handoff.Read(handoff.File{Path: c.File, Text: text}); err == nil {
			docs = append(docs, d)
		}
	}
	var out []handoff.FollowedCitation
	for _, c := range cited {
		out = append(out, handoff.FollowCitation(c, docs))
	}
	return out, ctx.Err()
}

// FileText reads a file of the tree without following links. It returns nil for a file that does
// not exist there, or is reached through a link.
func (p *TaskContext) FileText(path string) ([]byte, error) {
	root, err := fsroot.OpenRoot(p.Session.Repo.Root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.Open(path)
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("read %s: %w", belay.VisibleLine(path), err)
	}
	if err != nil {
		return nil, nil
	}
	text, err := io.ReadAll(io.LimitReader(f, handoff.MaxSize+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("read %s: %w", belay.VisibleLine(path), err)
	}
	return text, nil
}
