package mine

import (
	"strings"

	"github.com/belay-dev/belay/internal/review/ledger"
	"github.com/belay-dev/belay/internal/review/prose"
	"github.com/belay-dev/belay/internal/review/result"
)

// structured reads a review that is JSON as a whole.
func (mn *miner) structured(text string) bool {
	text = strings.TrimSpace(text)
	if text == "" || text[0] != '{' && text[0] != '[' {
		return false
	}
	mn.Over([]prose.Unit{{Kind: prose.Code, Text: text, Line: 1, Parent: prose.None, Intro: prose.None}})
	if mn.structuredBlock(0) {
		return true
	}
	mn.Hits = nil
	return false
}

// structuredBlock takes what a pasted JSON result gives. It is false when the block is
// none.
func (mn *miner) structuredBlock(i int) bool {
	all, ok := result.JSON(mn.Reader, mn.Units[i].Text, mn.Scopes[i].Sev, mn.Scopes[i].Neg)
	if !ok {
		return false
	}
	n := len(mn.Hits)
	for _, f := range all {
		p, off := mn.One(f.Name.Cands, i), f.Off
		if p == "" && f.Name.Fresh {
			p = f.Name.Spelled
			if off == "" {
				off = "not tracked, and not asked to be made"
			}
		}
		for _, s := range f.Spans {
			if p != "" {
				mn.Hits = append(mn.Hits, ledger.Entry{Path: p, Span: s, Severity: f.Severity, Unit: i, Line: mn.Units[i].Line, Why: "in the structured result", Off: off})
			}
		}
	}
	return len(mn.Hits) > n
}
