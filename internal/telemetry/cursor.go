package telemetry

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// Cursor is how far a task was sent: for each signal the number of the last entry that a collector accepted. It is kept
// for the record with this first entry; a lost cursor costs a resend.
type Cursor struct {
	Trace     string         `json:"trace"`
	Collector string         `json:"to"` // which collector, by hash
	Sent      map[Signal]int `json:"sent"`
}

// CursorFolder is the folder of cursors, below belay's own.
func CursorFolder(dir string) string { return filepath.Join(dir, "telemetry") }

// LoadCursor reads the cursor of a task; one that is not there, cannot be read, or is of another record or collector is zero.
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

// hash names the collector.
func (s Settings) hash() string {
	h := sha256.New()
	for _, sig := range Signals {
		h.Write([]byte(s.Endpoints[sig] + "\x00"))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Trace is the trace id of the data.
func (d Data) Trace() string {
	if len(d.Logs) == 0 {
		return ""
	}
	return d.Logs[0].Trace
}
