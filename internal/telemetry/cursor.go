package telemetry

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// Cursor records what was sent of a task: for each signal the number of the last entry that a
// collector accepted. It is valid for the record with this trace ID; a lost cursor only means that
// everything is sent again.
type Cursor struct {
	Trace     string         `json:"trace"`
	Collector string         `json:"to"` // hash of the collector's addresses
	Sent      map[Signal]int `json:"sent"`
}

// CursorFolder is the folder of cursors, below belay's own.
func CursorFolder(dir string) string { return filepath.Join(dir, "telemetry") }

// LoadCursor reads the cursor of a task; it is zero if it is missing, unreadable, or of another
// record or collector.
func LoadCursor(place string, task belay.TaskID, trace string, to Settings) Cursor {
	c := Cursor{Trace: trace, Collector: to.hash(), Sent: map[Signal]int{}}
	data, err := fsroot.ReadFile(filepath.Join(place, task.Key()+".json"), fsroot.MaxSmallFile)
	if err != nil {
		return c
	}
	var old Cursor
	if json.Unmarshal(data, &old) != nil || old.Trace != c.Trace || old.Collector != c.Collector || old.Sent == nil {
		return c
	}
	return old
}

// Save writes the cursor.
func (c Cursor) Save(place string, task belay.TaskID) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := fsroot.MkdirAll(place, 0o700); err != nil {
		return err
	}
	return fsroot.AtomicWrite(filepath.Join(place, task.Key()+".json"), fsroot.AtomicOptions{}, append(data, '\n'))
}

// hash identifies the collector.
func (s Settings) hash() string {
	h := sha256.New()
	for _, sig := range Signals {
		h.Write([]byte(s.Endpoints[sig] + "\x00"))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Trace returns the trace ID of the data.
func (d Data) Trace() string {
	if len(d.Logs) == 0 {
		return ""
	}
	return d.Logs[0].Trace
}
