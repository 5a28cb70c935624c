package intent

import (
	"slices"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// reference matches a clause that only names issues, pull requests or addresses, as commits and tasks end with them.
var reference = lazyregexp.New(`(?i)^\W*(?:(?:closes?|closed|fix(?:es|ed)?|resolves?|resolved|refs?|references?|see(?: also)?|` +
	`relate[sd] to|part of|follow(?:s|-)? ?up (?:on|to|of)|continues)\s*:?\s+)?` +
	`(?:(?:[\w.-]+/[\w.-]+)?#\d+|GH-\d+|https?://\S+)` +
	`(?:(?:\s*(?:,|&|\band\b)\s*|\s+)(?:(?:[\w.-]+/[\w.-]+)?#\d+|GH-\d+|https?://\S+))*\W*$`)

// withoutReferences drops requirements that only refer to something, unless nothing else is asked
// for.
func (p *parse) withoutReferences() []foundRequirement {
	out := slices.DeleteFunc(slices.Clone(p.Requirements), func(f foundRequirement) bool { return reference.MatchString(p.phrase(f)) })
	if len(out) == 0 {
		return p.Requirements
	}
	return out
}

// buildRequest assembles the result.
func (p *parse) buildRequest() belay.Request {
	p.Requirements = p.withoutReferences()
	fresh := p.requestType == belay.Fresh || p.requestType == "" && p.Fresh && !p.PlanExists
	req := belay.Request{Type: p.decideType(fresh), Requirements: []belay.Requirement{}, Preserve: []string{},
		Affected: []string{}, Doubts: []belay.Doubt{}}
	for _, f := range p.Requirements {
		if req.Type == belay.Fresh {
			f.Marker = belay.MarkAdd
		}
		req.Requirements = append(req.Requirements, belay.Requirement{Marker: f.Marker, Text: p.phrase(f), Count: p.statedCount(f)})
	}
	req.Preserve = append(req.Preserve, p.Preserve...)
	req.Doubts = append(req.Doubts, p.completeDoubts(p.Doubts)...)
	message := FileMessage{Msg: p.Text, Blocks: p.Blocks, Acts: p.Acts, Preserve: p.Preserve, Kind: req.Type,
		Fresh: p.Fresh, PlanExists: p.PlanExists, Files: p.Files}
	if req.Type == belay.Unclear && slices.ContainsFunc(p.Acts, func(a Act) bool { return a.Kind == Doubt }) &&
		!slices.ContainsFunc(p.Acts, func(a Act) bool { return a.Kind == Doubt && !a.IsVague }) {
		message.Kind = belay.Mutation // every reading changes what is named
	}
	for _, f := range p.Requirements {
		a := f.Act
		a.Marker = f.Marker
		message.Asked = append(message.Asked, a)
	}
	req.Affected = append(req.Affected, message.Paths()...)
	req.Bounds = Bounds(p.Text)
	return req
}

// decideType returns the type of a message. The types are checked in order: doubt, fresh (as the
// caller determined), and otherwise the type of the requirements.
func (p *parse) decideType(fresh bool) belay.RequestType {
	switch {
	case len(p.Doubts) > 0:
		return belay.Unclear
	case fresh:
		return belay.Fresh
	}
	if slices.ContainsFunc(p.Requirements, func(f foundRequirement) bool { return f.Marker != belay.MarkFix }) {
		return belay.Mutation
	}
	return belay.Bugfix
}
