package belay

// Origin is where a task was imported from: a file of another tool, and the task's name there.
type Origin struct {
	File    string `json:"file"`              // slash path from the root, or as given if outside
	Dialect string `json:"dialect"`           // spec-kit, openspec …
	ID      string `json:"id,omitempty"`      // in the file
	Title   string `json:"title"`             // in the file
	Line    int    `json:"line"`              // where the task was
	Part    string `json:"part,omitempty"`    // the task or group that it is a part of
	Section string `json:"section,omitempty"` // the heading above it
	Words   string `json:"words"`             // SHA-256 of its text, in hex
	Outside bool   `json:"outside,omitempty"` // the file is not in the repository: nothing is ticked there
}
