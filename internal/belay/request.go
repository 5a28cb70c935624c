package belay

import "slices"

// Marker is what a requirement asks for.
type Marker string

// Markers. Add is a new thing or capability; Modify changes something that exists; Fix repairs what
// is reported as wrong; Remove deletes, and is never implied. The last two state what stays: they
// are used in plans and counts, not for requirements of a request.
const (
	MarkAdd    Marker = "ADD"
	MarkModify Marker = "MODIFY"
	MarkFix    Marker = "FIX"
	MarkRemove Marker = "REMOVE"

	MarkPreserved Marker = "PRESERVED"  // not fewer than before
	MarkNoChanges Marker = "NO CHANGES" // the same bytes as before
)

// RequestType is the kind of work that a request asks for.
type RequestType string

// Types of requests. Unclear means that two readings lead to different work.
const (
	Fresh    RequestType = "fresh"
	Mutation RequestType = "mutation"
	Bugfix   RequestType = "bugfix"
	Unclear  RequestType = "needs-clarification"
)

// Requirement is one concern of a request, or one line of what is to be counted. Text is the
// complete clause that asks for it, quoted from the message; Count is the stated number of things,
// nil if none is stated. File and List are what it is about, if known in advance.
type Requirement struct {
	Marker Marker `json:"marker"`
	Text   string `json:"text"`
	Count  *int   `json:"count"`
	File   string `json:"file,omitempty"` // a slash path
	List   string `json:"list,omitempty"` // a list's name or path in the code
}

// Many returns the stated number of things, 0 if none is stated.
func (r Requirement) Many() int {
	if r.Count == nil {
		return 0
	}
	return *r.Count
}

// Doubt is a part of a message that can be read in more than one way. A vague one states what to do
// and to what, but no details ("clean up the parser"): it is reported, and work may begin.
type Doubt struct {
	Words    string   `json:"words"`
	Readings []string `json:"readings"`
	Vague    bool     `json:"vague,omitempty"`
}

// Waits reports whether a person must choose a reading before work begins.
func (r *Request) Waits() bool {
	return r.Type == Unclear && (len(r.Doubts) == 0 || slices.ContainsFunc(r.Doubts, func(d Doubt) bool { return !d.Vague }))
}

// ByGrammar means that no model read the request.
const ByGrammar = "grammar"

// Reading is which reading of its text a task uses, if a model was asked for one as well.
type Reading struct {
	By      string   `json:"by"`                // the model's name in the config, or grammar
	Grammar *Request `json:"grammar,omitempty"` // the grammar's reading, if the model's is used
	Differs []string `json:"differs,omitempty"` // how the two differ, a line each
	Note    string   `json:"note,omitempty"`    // why the model's is not used
}

// Request is what a message asks for. Preserve quotes what it says must stay; Affected are paths of
// the repository that it names. The message itself is the task's prose.
type Request struct {
	Type         RequestType   `json:"type"`
	Requirements []Requirement `json:"requirements"`
	Preserve     []string      `json:"preserve"`
	Affected     []string      `json:"affected"`
	Doubts       []Doubt       `json:"doubts"`
	Bounds       []Bound       `json:"bounds,omitempty"`
}

// Bound is a statement in a request about where the work may be. What is a file, a folder or a glob
// as named in the text, or tests, docs or readme; with Only, "" is everything else that the request
// names. Words is the sentence.
type Bound struct {
	Only  bool   `json:"only,omitempty"` // the work must be there and nowhere else; otherwise it must not be there
	What  string `json:"what"`
	Words string `json:"words"`
}
