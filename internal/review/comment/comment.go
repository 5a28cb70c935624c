// Package comment finds the places that a review asks to change: paths, lines and the reviewer's
// severity. A place is a path in the text that is a tracked path, or the end of exactly one. The
// structure of the text and a few cues decide whether the review asks for a change there or only
// mentions it. It uses no model and touches no file; the caller passes the tracked paths.
package comment

import (
	"fmt"
	"strings"
)

// Severity is the reviewer's label, as one of five words.
type Severity string

// The severities, the worst first. Unlabelled is a place without a label.
const (
	Critical   Severity = "critical"
	Major      Severity = "major"
	Minor      Severity = "minor"
	Note       Severity = "note"
	Unlabelled Severity = "none"
)

var severityRank = map[Severity]int{Critical: 4, Major: 3, Minor: 2, Note: 1}

// Place is a place that a review asks to change. Start and End are lines from 1, both included.
// Both are 0 for an entire file; only End is 0 for the lines from Start to the end.
type Place struct {
	Path       string
	Start, End int
	Severity   Severity
}

// Lines formats the lines as in a review's front matter: 3, 3-5, 3- to the end, "" for the entire
// file.
func (p Place) Lines() string {
	switch {
	case p.Start == 0:
		return ""
	case p.End == 0:
		return fmt.Sprintf("%d-", p.Start)
	case p.Start == p.End:
		return fmt.Sprint(p.Start)
	}
	return fmt.Sprintf("%d-%d", p.Start, p.End)
}

// Reason says why a place was taken or skipped.
type Reason struct {
	Place
	Line  int // the review's line that names it, from 1
	Taken bool
	Why   string
}

// Limits, so that no text takes long.
const (
	maxReviewBytes = 1 << 20  // bytes of a review
	maxUnitBytes   = 32 << 10 // bytes of a paragraph or a pasted block
	maxDepth       = 60       // nested blocks, and levels of JSON
	maxLines       = 10_000_000
	maxHits        = 200 // places of one finding
)

// FindPlaces returns the places that a review asks to change, in the order of the text. A repeated
// place has the worst of its severities.
func FindPlaces(text string, x *Index) []Place {
	at, out := map[Place]int{}, []Place{}
	for _, r := range Explain(text, x) {
		key := r.Place
		key.Severity = ""
		if i, known := at[key]; !r.Taken {
			continue
		} else if !known {
			at[key] = len(out)
			out = append(out, r.Place)
		} else if severityRank[r.Severity] > severityRank[out[i].Severity] {
			out[i].Severity = r.Severity
		}
	}
	return out
}

// Explain returns every place that a review names, whether the review asks to change it, and why.
func Explain(text string, x *Index) []Reason {
	if len(text) > maxReviewBytes {
		text = strings.ToValidUTF8(text[:maxReviewBytes], "")
	}
	if out, ok := readJSON(text, 1, x); ok {
		return out
	}
	r := &reader{resolver: x.newResolver(text)}
	d := parse(text, r.resolver)
	r.approved = hasCue("approving", cue("frontMatter").FindString(text))
	r.readSections(d)
	for i, u := range d.units {
		if u.kind == pasted {
			r.readPasted(d.units, i)
		} else {
			r.readUnit(u)
		}
	}
	for _, b := range r.blocks {
		r.decidePasted(b)
	}
	return r.finish()
}
