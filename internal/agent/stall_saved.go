package agent

import (
	"encoding/json"
	"slices"
	"strings"
)

// savedWatch is the state of a watch, saved for the process that gets the next call.
type savedWatch struct {
	Calls   int                    `json:"calls"`
	Tree    string                 `json:"tree,omitempty"`
	Threads map[string]savedThread `json:"threads"`
}

type savedThread struct {
	Began int         `json:"began"`
	Last  []savedCall `json:"last"`
}

// savedCall is a call without its texts: hashes, and a readable form.
type savedCall struct {
	N          int      `json:"n"`
	At         int      `json:"at"`
	ArgsSum    []byte   `json:"sign"`
	Output     []byte   `json:"output"`
	Blank      []byte   `json:"blank"`
	Figureless []byte   `json:"figureless"`
	HasOutput  bool     `json:"told,omitempty"`
	Passed     bool     `json:"passed,omitempty"`
	Offline    bool     `json:"offline,omitempty"`
	WaitOver   bool     `json:"over,omitempty"`
	Failed     bool     `json:"failed,omitempty"`
	Kind       callKind `json:"kind,omitempty"`
	Tree       string   `json:"tree,omitempty"`
	Says       string   `json:"says"`
	Edits      string   `json:"edits,omitempty"`
}

// Made adds a call that has ended and the tree after it; "" is unknown. It returns the stall that
// the call completes, nil for none.
func (w *StallWatch) Made(c Call, e CallResult, tree string) *Stall {
	if w.repeats < 2 || w.found != nil {
		return w.found
	}
	c.ID, e.ID = "made", "made"
	w.Tree = func() string { return tree }
	w.CallBegan(c)
	w.CallEnded(e)
	w.checkPending(true)
	return w.found
}

// Save returns the state of the watch. mask is applied to readable text.
func (w *StallWatch) Save(mask func(string) string) ([]byte, error) {
	out := savedWatch{Calls: w.calls, Tree: w.tree, Threads: map[string]savedThread{}}
	for name, t := range w.threads {
		s := savedThread{Began: t.began}
		for _, c := range t.last {
			s.Last = append(s.Last, savedCall{N: c.number, At: c.position, ArgsSum: c.argsSum[:],
				Output: c.outputSum[:], Blank: c.argsSumNoSpace[:],
				Figureless: c.outputSumNoNumbers[:], HasOutput: c.hasOutput, Passed: c.testsPassed,
				Offline: c.offline, WaitOver: c.waitOver, Failed: c.failed,
				Kind: c.kind, Tree: c.tree, Says: mask(c.description), Edits: c.editedFile})
		}
		out.Threads[name] = s
	}
	return json.Marshal(out)
}

// Load restores what Save returned. Invalid data is ignored.
func (w *StallWatch) Load(text []byte) {
	var in savedWatch
	if json.Unmarshal(text, &in) != nil {
		return
	}
	w.calls, w.tree = in.Calls, in.Tree
	for name, s := range in.Threads {
		t := &thread{began: s.Began}
		for _, c := range s.Last {
			one := call{number: c.N, position: c.At, hasResult: true, hasOutput: c.HasOutput, testsPassed: c.Passed,
				offline: c.Offline, waitOver: c.WaitOver, failed: c.Failed,
				kind: c.Kind, tree: c.Tree, description: c.Says, editedFile: c.Edits}
			copy(one.argsSum[:], c.ArgsSum)
			copy(one.outputSum[:], c.Output)
			copy(one.argsSumNoSpace[:], c.Blank)
			copy(one.outputSumNoNumbers[:], c.Figureless)
			t.last = append(t.last, one)
		}
		w.threads[strings.Clone(name)] = t
	}
	for _, t := range w.threads { // an untrusted process may have written the file
		t.last = slices.Clip(t.last[max(0, len(t.last)-maxCycle*w.repeats*patientFactor):])
	}
}
