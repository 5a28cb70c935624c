package tasklist

// Dialect is the way in which a kind of file writes tasks down.
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

// Task is one task of a file. The first five are what every reader finds; the others are
// there when the file says them.
type Task struct {
	ID      string   `json:"id"`    // as the file names it; "" when it does not
	Title   string   `json:"title"` // its first words, without id and tags
	Files   []string `json:"files"` // paths that it names
	Done    bool     `json:"done"`
	Depends []string `json:"depends"` // ids of tasks that come first, as the file names them

	State  State  `json:"state"`
	Source string `json:"source,omitempty"` // the file
	Line   int    `json:"line"`             // where it begins
	Text   string `json:"words"`            // all it asks for, as the file has it
	// of the words, those that say what is to be done: no lists of files, order or criteria
	Request       string   `json:"-"`
	Parallel      bool     `json:"parallel,omitempty"`
	Optional      bool     `json:"optional,omitempty"`
	Story         string   `json:"story,omitempty"`
	Section       string   `json:"section,omitempty"`  // the heading it stands below
	Parent        string   `json:"parent,omitempty"`   // the task or group that it is a part of
	Parts         int      `json:"parts,omitempty"`    // how many tasks are parts of this one
	PartOf        int      `json:"part_of,omitempty"`  // the line of the task that it is a part of
	FilesDeclared bool     `json:"declared,omitempty"` // Files are a list that says what it may change
	Tests         []string `json:"tests,omitempty"`    // files with its tests

	Acceptance   []string `json:"acceptance,omitempty"`
	Requirements []string `json:"requirements,omitempty"`
	Steps        []Step   `json:"steps,omitempty"`
	Exclude      []string `json:"exclude,omitempty"` // what is not to be done or touched
	Priority     string   `json:"priority,omitempty"`
	Area         string   `json:"area,omitempty"`
	QA           []string `json:"qa,omitempty"` // commands that judge it
	Standards    []string `json:"standards,omitempty"`

	BoxLines []int `json:"-"` // the lines whose boxes say that it is done; none when none do

	StatusRange [2]int `json:"-"` // the bytes of the value that says its state, in JSON
}

// Step is a box within a task.
type Step struct {
	Text string `json:"text"`
	Done bool   `json:"done"`
	Line int    `json:"line"`
}

// Note is a line that is no task, or something about one that a person should know.
type Note struct {
	Line   int    `json:"line"`
	Text   string `json:"text"`
	Why    string `json:"why"`
	Source string `json:"source,omitempty"`
}

// Lines says what became of the lines of a file: each belongs to a task, is structure (a
// heading, a blank line, a line across the page), or has a note.
type Lines struct {
	Total     int `json:"total"`
	Tasks     int `json:"tasks"`
	Structure int `json:"structure"`
	Notes     int `json:"notes"`
}

// Reading is what a file holds. Notes about lines of tasks are not among Lines.Notes.
type Reading struct {
	Dialect Dialect `json:"dialect"`
	Tasks   []Task  `json:"tasks"`
	Notes   []Note  `json:"notes"`
	Lines   Lines   `json:"lines"`
}
