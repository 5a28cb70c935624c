// Package notify sends messages about tasks that wait for a person: one for each gate, also after a kill or a restart,
// and none in quiet hours. A message contains no prompt, code, file name or other text of the project.
package notify

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
)

// Message is about one waiting task.
type Message struct {
	ID         string    `json:"id"` // of the gate: a receiver drops duplicates
	Task       string    `json:"task"`
	Repository string    `json:"repository"`
	Gate       int       `json:"gate,omitempty"` // its number; 0 for a quarantined task
	Kind       string    `json:"kind"`           // loop.GateKind, Quarantined or Feature
	Reason     string    `json:"reason"`
	Link       string    `json:"link,omitempty"`
	Since      time.Time `json:"since"`
}

// Kinds of messages besides those of gates.
const (
	Quarantined = "quarantined" // no worker of the fleet could do a step
	Feature     = "feature"     // a feature of the fleet waits
)

// ID returns the ID of a gate's message: record is the hash of the first entry of the task's
// record, or the ID of its workflow.
func ID(record string, gate int) string {
	sum := sha256.Sum256([]byte("belay gate\x00" + record + "\x00" + strconv.Itoa(gate)))
	return hex.EncodeToString(sum[:16])
}

var reasons = map[loop.GateKind]string{
	loop.GateRetries:   "all automatic retries were rejected",
	loop.GateLimit:     "a limit was reached",
	loop.GateUnknown:   "the work could not be checked",
	loop.GateBroken:    "a step failed",
	loop.GateLost:      "attempts kept getting lost",
	loop.GateCancelled: "a person stopped the run",
	loop.GateClarify:   "the task is ambiguous",
	loop.GateQuestion:  "an attempt needs approval",
	loop.GateRecheck:   "the work was rejected again on recheck",
	loop.GateReview:    "the work waits for a review",
	Quarantined:        "no worker could do a step",
	Feature:            "the feature needs a decision",
}

// Reason returns a fixed text for the kind of a gate: the gate's own sentence may contain texts of
// the project.
func Reason(kind loop.GateKind) string {
	if r := reasons[kind]; r != "" {
		return r
	}
	return "a decision is needed"
}

// Link fills {repository}, {task} and {gate} into an address, each escaped for a path. "" stays "".
func Link(address string, m Message) string {
	return strings.NewReplacer("{repository}", escape(m.Repository), "{task}", escape(m.Task),
		"{gate}", strconv.Itoa(m.Gate)).Replace(address)
}

// Kinds of deliveries.
const (
	EventGate    = "gate"    // one waiting task
	EventSummary = "summary" // several messages of quiet hours
	EventTest    = "test"    // test of the address
)

// Delivery is the content of one request. A retry sends the same bytes.
type Delivery struct {
	ID       string    `json:"id"`
	Event    string    `json:"event"`
	Time     time.Time `json:"time"`
	Text     string    `json:"text"` // a line for people
	Messages []Message `json:"messages"`
}

// deliver returns the delivery of one or more messages.
func deliver(all []Message, at time.Time) Delivery {
	if len(all) == 1 {
		m := all[0]
		where := "waits"
		if m.Gate > 0 {
			where = fmt.Sprintf("waits at gate %d", m.Gate)
		}
		return Delivery{ID: m.ID, Event: EventGate, Time: at.UTC(), Messages: all,
			Text: fmt.Sprintf("%s: %s %s: %s", m.Repository, m.Task, where, m.Reason)}
	}
	const most = 10
	var ids, names []string
	for _, m := range all {
		ids, names = append(ids, m.ID), append(names, m.Repository+" "+m.Task)
	}
	more := ""
	if len(names) > most {
		more = fmt.Sprintf(" and %d more", len(names)-most)
	}
	sum := sha256.Sum256([]byte("belay summary\x00" + strings.Join(ids, "\x00")))
	return Delivery{ID: hex.EncodeToString(sum[:16]), Event: EventSummary, Time: at.UTC(), Messages: all,
		Text: belay.CountOf(len(all), "task") + " wait: " + strings.Join(names[:min(len(names), most)], ", ") + more}
}

// Test returns a delivery without messages.
func Test(at time.Time) Delivery {
	sum := sha256.Sum256([]byte("belay test\x00" + at.UTC().Format(time.RFC3339Nano)))
	return Delivery{ID: hex.EncodeToString(sum[:16]), Event: EventTest, Time: at.UTC(), Text: "a test message of belay",
		Messages: []Message{}}
}
