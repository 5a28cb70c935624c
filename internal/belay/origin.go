package belay

// Origin is where a task was imported from: a file of another tool, and what names the
// task there.
type Origin struct {
	File    string `json:"file"`              // from the root, with slashes; or as it was given, outside of it
	Dialect string `json:"dialect"`           // spec-kit, openspec …
	ID      string `json:"id,omitempty"`      // as the file names it
	Title   string `json:"title"`             // as the file has it
	Line    int    `json:"line"`              // where it stood
	Part    string `json:"part,omitempty"`    // the task or group that it is a part of
	Section string `json:"section,omitempty"` // the heading it stood below
	Words   string `json:"words"`             // SHA-256 of its words, in hex
	Outside bool   `json:"outside,omitempty"` // the file is not in the repository: nothing is ticked there
}
