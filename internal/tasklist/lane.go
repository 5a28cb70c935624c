package tasklist

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
)

// LaneLog is the name of the file, in the folder of a feature.
const LaneLog = "status.events.jsonl"

// LanePosition is where a work package is, and the line of the log that says so.
type LanePosition struct {
	Lane string
	Line int
}

// BadLine is a line that cannot be read, and why.
type BadLine struct {
	Line int
	Text string
	Why  string
}

// laneEvent is a line. The log of a project has moves as they are; the same log sent elsewhere
// has them in an envelope. Events of other kinds name no lane.
type laneEvent struct {
	ID      string     `json:"event_id"`
	At      string     `json:"at"`
	Time    string     `json:"timestamp"`
	Package string     `json:"wp_id"`
	To      string     `json:"to_lane"`
	Payload *laneEvent `json:"payload"`

	line int
}

// Read gives where the work packages of a log are, by their ids, and the lines that are no
// events. Events are put in the order of their times, then of their ids, as git may have
// merged two logs line by line; one that stands twice counts once, as it must.
func ReadLanes(data []byte) (map[string]LanePosition, []BadLine) {
	var moves []laneEvent
	var bad []BadLine
	n := 0
	for line := range bytes.Lines(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))) {
		n++
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		var e laneEvent
		if err := json.Unmarshal(line, &e); err != nil {
			bad = append(bad, BadLine{n, string(line[:min(len(line), 200)]), "it is not an event"})
			continue
		}
		if p := e.Payload; p != nil && e.To == "" {
			e.Package, e.To, e.At = p.Package, p.To, cmp.Or(p.At, e.At)
		}
		e.At = cmp.Or(e.At, e.Time)
		if e.line = n; e.Package != "" && e.To != "" {
			moves = append(moves, e)
		}
	}
	slices.SortStableFunc(moves, func(a, b laneEvent) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.ID, b.ID)) })
	at := map[string]LanePosition{}
	for _, e := range moves {
		at[e.Package] = LanePosition{e.To, e.line}
	}
	return at, bad
}
