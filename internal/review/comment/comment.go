// Package comment finds the places that a review asks to change: paths, lines and the
// reviewer's severity. A place is a path in the text that is a tracked path, or the end of
// exactly one. The structure of the text and a few cues decide whether the review asks for
// a change there or only mentions it. It uses no model and touches no file; the caller
// passes the tracked paths.
package comment

import (
	"fmt"
	"strings"
)

// Severity is a label the reviewer gave, in one of our five words.
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

// Place is one place a review asks to change. Start and End are lines from 1, both
// included. Both are 0 for a file as a whole; End alone is 0 from Start to the end.
type Place struct {
	Path       string
	Start, End int
	Severity   Severity
}

// Lines returns those lines as a review's front matter has them: 3, 3-5, 3- to the end, "" for the whole file.
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

// Reason tells why a place was taken or left.
type Reason struct {
	Place
	Line  int // in the review where it is named, from 1
	Taken bool
	Why   string
}

// What is read, so that no text takes long.
const (
	maxReviewBytes = 1 << 20  // bytes of a review
	maxUnitBytes   = 32 << 10 // bytes of a paragraph or a pasted block
	maxDepth       = 60       // nested blocks, and levels of JSON
	maxLines       = 10_000_000
	maxHits        = 200 // places of one finding
)

// FindPlaces finds the places that a review asks to change, in the order of the text. Of repeats
// the worst severity counts.
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

// Explain tells for every place that is named in a review whether it is asked to change,
// and why.
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
