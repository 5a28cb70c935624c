package ask

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/named"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/settle"
	"github.com/belay-dev/belay/internal/ask/stay"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// answer puts together what was found.
func (p *parse) answer() belay.Request {
	req := belay.Request{Type: p.Kind(), Requirements: []belay.Requirement{}, Preserve: []string{}, Affected: []string{}, Doubts: []belay.Doubt{}}
	for _, f := range p.Out {
		if req.Type == belay.Fresh {
			f.Marker = belay.MarkAdd
		}
		req.Requirements = append(req.Requirements, belay.Requirement{Marker: f.Marker, Text: p.phrase(f), Count: p.counted(f)})
	}
	req.Preserve = append(req.Preserve, p.Preserve...)
	req.Doubts = append(req.Doubts, p.Doubts...)
	message := named.Message{Msg: p.Text, Blocks: p.Blocks, Acts: p.Acts, Preserve: p.Preserve, Kind: req.Type, Fresh: p.Fresh, PlanExists: p.PlanExists, Files: p.Files}
	if req.Type == belay.Unclear && slices.ContainsFunc(p.Acts, func(a deed.Act) bool { return a.Deed == deed.Doubt }) && !slices.ContainsFunc(p.Acts, func(a deed.Act) bool { return a.Deed == deed.Doubt && !a.Also }) {
		message.Kind = belay.Mutation // whichever is meant, it is done to what is named
	}
	for _, f := range p.Out {
		a := f.Act
		a.Marker = f.Marker
		message.Asked = append(message.Asked, a)
	}
	req.Affected = append(req.Affected, message.Paths()...)
	req.Bounds = stay.Bounds(p.Text)
	return req
}

// phrase is a requirement in at most eight words of the message: the verb and its
// object, without what was said before and after.
func (p *parse) phrase(f settle.Found) string {
	a := f.Act
	if a.Deed == deed.Material {
		return prose.CrashLine(a.C.Block.Text)
	}
	low := a.C.Low()
	from, to := a.Core.From, min(a.Core.To, len(low))
	for i := from + 3; i < to; i++ {
		if words.Subordinator(low[i]) {
			to = i
			break
		}
	}
	to = min(to, from+8)
	for to > from+1 && (words.Preposition(low[to-1]) || words.Determiner(low[to-1]) || low[to-1] == "and" || low[to-1] == ",") {
		to--
	}
	text := strings.Join(strings.Fields(a.C.Text(p.Text, grammar.Span{From: from, To: to})), " ")
	if a.C.Topic != "" && a.C.Topic != "wrong" && to-from < 6 {
		text = a.C.Topic + ": " + text
	}
	text = strings.Trim(text, "*_ ")
	if r := []rune(text); len(r) > 90 {
		text = strings.TrimSpace(string(r[:89])) + "…"
	}
	if text == "" {
		return strings.ToLower(string(f.Marker))
	}
	return text
}
