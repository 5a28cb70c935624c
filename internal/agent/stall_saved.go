package agent

import (
	"encoding/json"
	"slices"
	"strings"
)

// savedWatch is what a watch knows, for the process that is told of the next call.
type savedWatch struct {
	Calls   int                    `json:"calls"`
	Tree    string                 `json:"tree,omitempty"`
	Threads map[string]savedThread `json:"threads"`
}

type savedThread struct {
	Began int         `json:"began"`
	Last  []savedCall `json:"last"`
}

// savedCall is a call without its texts: hashes, and what a person reads of it.
type savedCall struct {
	N          int    `json:"n"`
	At         int    `json:"at"`
	Sign       []byte `json:"sign"`
	Output     []byte `json:"output"`
	Blank      []byte `json:"blank"`
	Figureless []byte `json:"figureless"`
	HasOutput  bool   `json:"told,omitempty"`
	Passed     bool   `json:"passed,omitempty"`
	Offline    bool   `json:"offline,omitempty"`
	Over       bool   `json:"over,omitempty"`
	Failed     bool   `json:"failed,omitempty"`
	Kind       kind   `json:"kind,omitempty"`
	Tree       string `json:"tree,omitempty"`
	Says       string `json:"says"`
	Edits      string `json:"edits,omitempty"`
}

// Made takes a call that has ended and left a tree; "" is not known. It gives the stall that the call completes, nil for none.
func (w *Watch) Made(c Call, e Ended, tree string) *Stall {
	if w.repeats < 2 || w.found != nil {
		return w.found
	}
	c.ID, e.ID = "made", "made"
	w.Tree = func() string { return tree }
	w.Began(c)
	w.Ended(e)
	w.settle(true)
	return w.found
}

// Save writes what the watch knows. mask is applied to what a person would read.
func (w *Watch) Save(mask func(string) string) ([]byte, error) {
	out := savedWatch{Calls: w.calls, Tree: w.tree, Threads: map[string]savedThread{}}
	for name, t := range w.threads {
		s := savedThread{Began: t.began}
		for _, c := range t.last {
			s.Last = append(s.Last, savedCall{N: c.n, At: c.at, Sign: c.sign[:], Output: c.output[:], Blank: c.blank[:],
				Figureless: c.figureless[:], HasOutput: c.hasOutput, Passed: c.passed, Offline: c.offline, Over: c.over, Failed: c.failed,
				Kind: c.kind, Tree: c.tree, Says: mask(c.says), Edits: c.edits})
		}
		out.Threads[name] = s
	}
	return json.Marshal(out)
}

// Load reads what Save wrote. What cannot be read is as if there had been no call.
func (w *Watch) Load(text []byte) {
	var in savedWatch
	if json.Unmarshal(text, &in) != nil {
		return
	}
	w.calls, w.tree = in.Calls, in.Tree
	for name, s := range in.Threads {
		t := &thread{began: s.Began}
		for _, c := range s.Last {
			one := call{n: c.N, at: c.At, settled: true, hasOutput: c.HasOutput, passed: c.Passed,
				offline: c.Offline, over: c.Over, failed: c.Failed,
				kind: c.Kind, tree: c.Tree, says: c.Says, edits: c.Edits}
			copy(one.sign[:], c.Sign)
			copy(one.output[:], c.Output)
			copy(one.blank[:], c.Blank)
			copy(one.figureless[:], c.Figureless)
			t.last = append(t.last, one)
		}
		w.threads[strings.Clone(name)] = t
	}
	for _, t := range w.threads { // of somebody who writes what he likes
		t.last = slices.Clip(t.last[max(0, len(t.last)-longest*w.repeats*patient):])
	}
}
