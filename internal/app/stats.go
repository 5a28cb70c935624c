package app

import (
	"context"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/handoff"
)

// Cost is what a role's part costs, and what its sources would.
type Cost struct {
	Role     string `json:"role"`
	Bytes    int    `json:"bytes"`
	Tokens   int    `json:"tokens"`
	Sections int    `json:"pasted_sections_tokens"` // the task, the cited sections, and what it needs of diff and logs
	Files    int    `json:"pasted_files_tokens"`    // the same with the cited files whole
	Saved    int    `json:"saved_percent"`          // against sections
	Changed  int    `json:"changed_tokens"`         // of this part since the handover before
}

// Stats is what a context costs to hand on. Tokens are estimated: a quarter of the bytes.
type Stats struct {
	Task      belay.TaskID `json:"task_id"`
	Estimate  string       `json:"estimate"`
	Citations int          `json:"citations"`
	Sources   int          `json:"sources"`
	Roles     []Cost       `json:"roles"`
}

// Stats measures it; it writes nothing.
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
	sections, err := p.sections(b.Citations)
	if err != nil {
		return Stats{}, err
	}
	s := Stats{Task: p.Rec.Task.ID, Estimate: "bytes / 4, rounded up: an estimate, models differ",
		Citations: len(b.Citations), Sources: len(m.Sources)}
	for _, state := range p.Rec.Context.Roles {
		_, text, err := p.measured(state.Role, b, changes)
		if err != nil {
			return s, err
		}
		s.Roles = append(s.Roles, p.cost(state.Role, text, m, sections))
	}
	return s, ctx.Err()
}

func (p *TaskContext) measured(r handoff.Role, b handoff.Block, changes *handoff.Changes) (handoff.Export, []byte, error) {
	e := handoff.ExportFor(r, b, p.Rec.Context, changes)
	text, err := handoff.CanonicalJSON(e)
	return e, text, err
}

// sections counts the bytes of the cited sections as they are now.
func (p *TaskContext) sections(cited []handoff.Citation) (int, error) {
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

// cost compares a part with its sources: the task's words; the rules, for those who get
// citations; the diff, for those who get changes; logs, for those who get them.
func (p *TaskContext) cost(r handoff.Role, text []byte, m handoff.Manifest, sections int) Cost {
	c := Cost{Role: r.Name, Bytes: len(text), Tokens: handoff.Tokens(len(text))}
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
			c.Changed = handoff.Tokens(differing(old, text))
		}
	}
	return c
}

// differing counts the bytes of b between what it shares with a at its start and its end.
func differing(a, b []byte) int {
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
