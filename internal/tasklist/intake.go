package tasklist

// Dialect is the format in which a kind of file lists tasks.
type Dialect string

// The dialects. Checklist is any other Markdown with boxes.
const (
	SpecKit    Dialect = "spec-kit"
	SpecKitty  Dialect = "spec-kitty"
	OpenSpec   Dialect = "openspec"
	Kiro       Dialect = "kiro"
	Workitems  Dialect = "workitems"
	TaskYAML   Dialect = "task.yaml"
	TaskMaster Dialect = "task-master"
	Backlog    Dialect = "backlog"
	Issue      Dialect = "github-issue"
	Checklist  Dialect = "checklist"
)

// Task is one task of a file. Every reader sets the first five fields; the others are set if the
// file has them.
type Task struct {
	ID      string   `json:"id"`    // as in the file; "" for none
	Title   string   `json:"title"` // its first line, without id and tags
	Files   []string `json:"files"` // paths that its text names
	Done    bool     `json:"done"`
	Depends []string `json:"depends"` // ids of tasks that come first, as in the file

	State  State  `json:"state"`
	Source string `json:"source,omitempty"` // the file
	Line   int    `json:"line"`             // the line where it begins
	Text   string `json:"words"`            // its full text, as in the file
	// the part of Text that says what to do, without lists of files, order and criteria
	Request       string   `json:"-"`
	Parallel      bool     `json:"parallel,omitempty"`
	Optional      bool     `json:"optional,omitempty"`
	Story         string   `json:"story,omitempty"`
	Section       string   `json:"section,omitempty"`  // the heading above it
	Parent        string   `json:"parent,omitempty"`   // the task or group that it is part of
	Parts         int      `json:"parts,omitempty"`    // number of tasks that are parts of it
	PartOf        int      `json:"part_of,omitempty"`  // line of the task that it is part of
	FilesDeclared bool     `json:"declared,omitempty"` // Files is a list of the files that it may change
	Tests         []string `json:"tests,omitempty"`    // files with its tests

	Acceptance   []string `json:"acceptance,omitempty"`
	Requirements []string `json:"requirements,omitempty"`
	Steps        []Step   `json:"steps,omitempty"`
	Exclude      []string `json:"exclude,omitempty"` // what must not be done or changed
	Priority     string   `json:"priority,omitempty"`
	Area         string   `json:"area,omitempty"`
	QA           []string `json:"qa,omitempty"` // commands that check it
	Standards    []string `json:"standards,omitempty"`

	BoxLines []int `json:"-"` // lines of the boxes that show whether it is done

	StatusRange [2]int `json:"-"` // byte offsets of its status value, in JSON
}

// Step is a box inside a task.
type Step struct {
	Text string `json:"text"`
	Done bool   `json:"done"`
	Line int    `json:"line"`
}

// Note is a line that is not part of a task, or a problem of one that is.
type Note struct {
	Line   int    `json:"line"`
	Text   string `json:"text"`
	Why    string `json:"why"`
	Source string `json:"source,omitempty"`
}

// Lines counts the lines of a file: each belongs to a task, is structure (a heading, a blank line,
// a rule), or has a note.
type Lines struct {
	Total     int `json:"total"`
	Tasks     int `json:"tasks"`
	Structure int `json:"structure"`
	Notes     int `json:"notes"`
}

// Reading is the content of a file. Notes about lines of tasks do not count in Lines.Notes.
type Reading struct {
	Dialect Dialect `json:"dialect"`
	Tasks   []Task  `json:"tasks"`
	Notes   []Note  `json:"notes"`
	Lines   Lines   `json:"lines"`
}
