// Package mine finds in a review's text the places it asks to change: paths, lines and
// the severity the reviewer gave. It goes by rules a linguist and a reviewer would
// defend, never by a model, and never guesses: a name that could be several files is
// none. It touches no file; the tracked paths are handed in.
package mine

import (
	"github.com/belay-dev/belay/internal/review/clue"
	"github.com/belay-dev/belay/internal/review/ledger"
	"github.com/belay-dev/belay/internal/review/names"
	"github.com/belay-dev/belay/internal/review/output"
	"github.com/belay-dev/belay/internal/review/pasted"
	"github.com/belay-dev/belay/internal/review/prose"
	"github.com/belay-dev/belay/internal/review/setting"
	"github.com/belay-dev/belay/internal/review/spot"
	"github.com/belay-dev/belay/internal/review/talk"
)

// Place is one place a review asks to change. Start and End are lines from 1, both
// included. Both are 0 for a file as a whole; End alone is 0 from Start to the end.
type Place struct {
	Path       string
	Start, End int
	Severity   talk.Severity
}

// Reason tells why a place was taken or left.
type Reason struct {
	Place
	Line  int // in the review where it is named, from 1
	Taken bool
	Why   string
}

const longest = 1 << 20 // bytes of a review that are read

// Mine finds the places that a review asks to change, in the order of the text. files are
// the tracked paths, with slashes, relative to the top.
func Mine(text string, files []string) []Place { return In(text, names.New(files)) }

// In is Mine over an index that is kept for several reviews.
func In(text string, x *names.Index) []Place {
	return merge(read(text, x))
}

// Explain tells for every place that is named in a review whether it is asked to change,
// and why.
func Explain(text string, files []string) []Reason {
	mn := read(text, names.New(files))
	var out []Reason
	for _, h := range mn.Hits {
		out = append(out, Reason{Place: place(h), Line: h.Line, Taken: h.Off == "", Why: h.Reason()})
	}
	return out
}

// place is what an entry of the ledger says to whoever asks.
func place(h ledger.Entry) Place {
	sev := h.Severity
	if sev == "" {
		sev = talk.Unlabelled
	}
	return Place{h.Path, h.Span.Start, h.Span.End, sev}
}

// miner is one reading of one review.
type miner struct {
	setting.Setting
	places map[int][]pasted.Place // what pasted blocks name, by unit
	last   string                 // the file spoken of last, in whatever finding
	focus  string                 // the file spoken of last
	two    [2]string              // the two spoken of last
	spoke  int                    // the finding the focus is of
	blocks []*pasted.Block        // pasted and not yet spoken of
	prior  []int                  // the hits of the sentence before
	at     int                    // the unit that set prior
	mood   clue.Mood
	all    talk.Severity // "only nits from me"
	seen   [2]int        // the unit and the token that line is of
	line   int
	sides  []int     // two places of which one is wrong
	rename [2]string // the last rename that was reported
}

func read(text string, x *names.Index) *miner {
	if len(text) > longest {
		text = text[:longest]
	}
	mn := &miner{Setting: setting.New(x), places: map[int][]pasted.Place{}, spoke: prose.None}
	if mn.structured(text) {
		return mn
	}
	mn.Over(prose.Parse(text, output.Pasted))
	mn.prepare()
	for i := range mn.Units {
		mn.unit(i)
	}
	mn.Finish()
	return mn
}

// merge puts repeats together: the worst severity wins.
func merge(mn *miner) []Place {
	type key struct {
		path string
		span spot.Span
	}
	at := map[key]int{}
	out := []Place{}
	for _, h := range mn.Hits {
		if h.Off != "" {
			continue
		}
		p := place(h)
		k := key{h.Path, h.Span}
		if i, ok := at[k]; ok {
			if talk.Rank[p.Severity] > talk.Rank[out[i].Severity] {
				out[i].Severity = p.Severity
			}
			continue
		}
		at[k] = len(out)
		out = append(out, p)
	}
	return out
}
