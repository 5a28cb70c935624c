package app

import (
	"context"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/handoff"
)

// RoleCost is the size of a role's part, and of its sources.
type RoleCost struct {
	Role     string `json:"role"`
	Bytes    int    `json:"bytes"`
	Tokens   int    `json:"tokens"`
	Sections int    `json:"pasted_sections_tokens"` // the task, the cited sections, and the role's diff and logs
	Files    int    `json:"pasted_files_tokens"`    // the same with complete files instead of the cited sections
	Saved    int    `json:"saved_percent"`          // against sections
	Changed  int    `json:"changed_tokens"`         // of this part since the previous handover
}

// Stats is the size of a context at a handover. Tokens are estimated: a quarter of the bytes.
type Stats struct {
	Task      belay.TaskID `json:"task_id"`
	Estimate  string       `json:"estimate"`
	Citations int          `json:"citations"`
	Sources   int          `json:"sources"`
	Roles     []RoleCost   `json:"roles"`
}

// Stats measures the context; it writes nothing.
func (p *TaskContext) Stats(ctx context.Context) (Stats, error) {
	b, err := p.Block()
	if err != nil {
		return Stats{}, err
	}
	changes, err := p.Changes()
	if err != nil {
		return Stats{}, err
	}
	var m handoff.Manifest
	if err := p.ReadJSON(p.Rec.Context.Block.Manifest, &m); err != nil {
		return Stats{}, err
	}
	sections, err := p.citedBytes(b.Citations)
	if err != nil {
		return Stats{}, err
	}
	s := Stats{Task: p.Rec.Task.ID, Estimate: "bytes / 4, rounded up: an estimate, models differ",
		Citations: len(b.Citations), Sources: len(m.Sources)}
	for _, state := range p.Rec.Context.Roles {
		_, text, err := p.exportFor(state.Role, b, changes)
		if err != nil {
			return s, err
		}
		s.Roles = append(s.Roles, p.costOf(state.Role, text, m, sections))
	}
	return s, ctx.Err()
}

func (p *TaskContext) exportFor(r handoff.Role, b handoff.Block, changes *handoff.Changes) (handoff.Export, []byte, error) {
	e := handoff.ExportFor(r, b, p.Rec.Context, changes)
	text, err := handoff.CanonicalJSON(e)
	return e, text, err
}

// citedBytes counts the bytes of the cited sections in the current files.
func (p *TaskContext) citedBytes(cited []handoff.Citation) (int, error) {
	total := 0
	for _, c := range cited {
		text, err := p.FileText(c.File)
		if err != nil {
			return 0, err
		}
		d, err := handoff.Read(handoff.File{Path: c.File, Text: text})
		if err != nil || text == nil {
			continue
		}
		for _, s := range d.Sections {
			if s.Slug == c.Section && c.WithSubsections {
				total += len(s.Text)
			} else if s.Slug == c.Section {
				total += len(s.Body)
			}
		}
	}
	return total, nil
}

// costOf compares a part with its sources: the task's text; the rules, for roles that get citations; the diff, for
// roles that get changes; logs, for roles that get them.
func (p *TaskContext) costOf(r handoff.Role, text []byte, m handoff.Manifest, sections int) RoleCost {
	c := RoleCost{Role: r.Name, Bytes: len(text), Tokens: handoff.Tokens(len(text))}
	both, files := 0, 0
	parts := map[string]bool{}
	for _, part := range handoff.PartsOf(r) {
		parts[part] = true
	}
	for _, s := range m.Sources {
		if s.Kind == "task" {
			both += s.Bytes
		} else if parts["citations"] {
			files += s.Bytes
		}
	}
	if parts["changes"] && p.Rec.Context.LastHandoff != nil {
		both += int(p.Rec.Context.LastHandoff.FromBase.Bytes)
	}
	if parts["qa"] {
		for _, proof := range p.Rec.Context.Proofs {
			both += int(proof.Bytes)
		}
	}
	if !parts["citations"] {
		sections = 0
	}
	c.Sections, c.Files = handoff.Tokens(both+sections), handoff.Tokens(both+files)
	if c.Sections > 0 {
		c.Saved = 100 - 100*c.Tokens/c.Sections
	}
	if ref, given := p.Rec.Context.EarlierExports[r.Name]; given {
		if old, err := p.ReadAttachment(ref.Attachment, false); err == nil {
			c.Changed = handoff.Tokens(differingBytes(old, text))
		}
	}
	return c
}

// differingBytes counts the bytes of b between the prefix and the suffix that it shares with a.
func differingBytes(a, b []byte) int {
	start := 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < min(len(a), len(b))-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return len(b) - start - end
}
