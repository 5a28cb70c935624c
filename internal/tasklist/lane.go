package tasklist

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
)

// LaneLog is the name of spec-kitty's log in a feature's folder.
const LaneLog = "status.events.jsonl"

// LanePosition is the lane of a work package, and the line of the log that set it.
type LanePosition struct {
	Lane string
	Line int
}

// BadLine is a line that cannot be read, and the reason.
type BadLine struct {
	Line int
	Text string
	Why  string
}

// laneEvent is a line of the log. A project's log has plain events; a log that was sent elsewhere
// has them in an envelope. Other kinds of events have no lane.
type laneEvent struct {
	ID      string     `json:"event_id"`
	At      string     `json:"at"`
	Time    string     `json:"timestamp"`
	Package string     `json:"wp_id"`
	To      string     `json:"to_lane"`
	Payload *laneEvent `json:"payload"`

	line int
}

// ReadLanes returns the lanes of a log's work packages by their ids, and the lines that are not
// events. It sorts events by time and then by id, because git may have merged two logs line by
// line. A duplicate event has no effect.
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
