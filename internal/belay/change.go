package belay

// Change is one path that differs between two snapshots.
type Change struct {
	Path    string `json:"path"`               // slash path from the root, in git's bytes
	Status  string `json:"status"`             // A added, M modified, D deleted, T type changed
	OldMode uint32 `json:"old_mode,omitempty"` // git's mode: 0100644, 0100755, 0120000; 0 if absent
	NewMode uint32 `json:"new_mode,omitempty"`
	Added   int    `json:"added"` // lines; 0 for binary files
	Deleted int    `json:"deleted"`
	Binary  bool   `json:"binary,omitempty"`
}
