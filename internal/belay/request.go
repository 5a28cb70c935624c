package belay

import "slices"

// Marker says what a requirement asks for.
type Marker string

// Markers. Add is a new thing or capability; Modify changes something that exists; Fix
// repairs what is reported as wrong; Remove deletes, and is never implied. The last two
// say what stays: they mark what a plan or a count holds, and no concern of a request.
const (
	MarkAdd    Marker = "ADD"
	MarkModify Marker = "MODIFY"
	MarkFix    Marker = "FIX"
	MarkRemove Marker = "REMOVE"

	MarkPreserved Marker = "PRESERVED"  // not fewer than before
	MarkNoChanges Marker = "NO CHANGES" // the same bytes as before
)

// RequestType says what kind of work a request is.
type RequestType string

// Types of requests. Unclear means that two readings lead to different work.
const (
	Fresh    RequestType = "fresh"
	Mutation RequestType = "mutation"
	Bugfix   RequestType = "bugfix"
	Unclear  RequestType = "needs-clarification"
)

// Requirement is one concern of a request, or one line of what is to be counted. Text is
// the whole clause that asks for it, in the words of the message; Count is the stated number of things, nil when
// none is stated. File and List are what it is about when that is known beforehand.
type Requirement struct {
	Marker Marker `json:"marker"`
	Text   string `json:"text"`
	Count  *int   `json:"count"`
	File   string `json:"file,omitempty"` // a slash path
	List   string `json:"list,omitempty"` // a list's name or path, as the code names it
}

// Many is the stated number of things, 0 when none is stated.
func (r Requirement) Many() int {
	if r.Count == nil {
		return 0
	}
	return *r.Count
}

// Doubt is a place of a message that can be read in more than one way. A vague one says what
// is to be done and to what, but not in detail ("clean up the parser"): it is told, and work
// may begin.
type Doubt struct {
	Words    string   `json:"words"`
	Readings []string `json:"readings"`
	Vague    bool     `json:"vague,omitempty"`
}

// Waits reports whether a person has to say which reading is meant before work begins.
func (r *Request) Waits() bool {
	return r.Type == Unclear && (len(r.Doubts) == 0 || slices.ContainsFunc(r.Doubts, func(d Doubt) bool { return !d.Vague }))
}

// ByGrammar is who read a request when no model did.
const ByGrammar = "grammar"

// Reading says whose reading of its words a task goes by, when a model was to read them as
// well.
type Reading struct {
	By      string   `json:"by"`                // the model's name in the config, or grammar
	Grammar *Request `json:"grammar,omitempty"` // what the grammar read, when the model's counts
	Differs []string `json:"differs,omitempty"` // in what the two differ, a line each
	Note    string   `json:"note,omitempty"`    // why the model's does not count
}

// Request is what a message asks for. Preserve are its own words about what must stay;
// Affected are paths of the repository that it names. The words themselves are the
// task's prose.
type Request struct {
	Type         RequestType   `json:"type"`
	Requirements []Requirement `json:"requirements"`
	Preserve     []string      `json:"preserve"`
	Affected     []string      `json:"affected"`
	Doubts       []Doubt       `json:"doubts"`
	Bounds       []Bound       `json:"bounds,omitempty"`
}

// Bound is what a request says of where the work may be. What is a file, a folder or a glob as
// the text names it, or tests, docs or readme; with Only, "" is whatever else the request
// names. Words is the sentence that says so.
type Bound struct {
	Only  bool   `json:"only,omitempty"` // the work is there and nowhere else; otherwise it is not there
	What  string `json:"what"`
	Words string `json:"words"`
}
