package journal

import (
	"encoding/json"
	"time"
)

// Limits of the format.
const (
	Version = 1        // of the line format
	MaxLine = 64 << 20 // maximum bytes of a line, without its newline
)

// Entry is one line of a task's record. Seq counts from 1. Time is in UTC and never before that of
// the previous entry. Data is the caller's JSON, byte for byte. Prev and Hash are 64 lower-case hex
// digits; the first entry's Prev is all zeros.
type Entry struct {
	Seq  int             `json:"seq"`
	Time time.Time       `json:"time"`
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
	Prev string          `json:"prev"`
	Hash string          `json:"hash"`
}

// Head is the end of a record, to which the next entry is chained. The zero Head is that of a
// record that does not exist yet.
type Head struct {
	Seq  int    `json:"seq"`
	Hash string `json:"hash"`
}
