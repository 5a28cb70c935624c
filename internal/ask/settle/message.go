// Package settle puts together what the clauses of a message say: what is one concern, what is
// the reason of something else, what stays, what is in doubt, and what nobody said. It is
// grammar and word lists: what was learned from labelled messages is for the room above. It
// touches no file, process, clock or network.
package settle

import (
	"strings"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/reading"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// Message is a message as grammar reads it: its blocks, what its clauses do, and what comes of
// that. Fresh says that something new is asked for as a whole.
type Message struct {
	Text       string
	PlanExists bool
	Files      []string
	Lang       string
	Blocks     []prose.Block
	Acts       []deed.Act
	Fresh      bool

	Out      []Found
	Preserve []string
	Doubts   []belay.Doubt
	Why      []Evidence
}

// Found is a requirement with the act it came from.
type Found struct {
	Marker belay.Marker
	Act    deed.Act
}

// Evidence is why the answer is as it is: the words, and what was concluded from them.
type Evidence struct {
	Words string
	Means string
}

// Read reads a message. planExists and files are what is known of the project: the words are read
// the same way whatever they are.
func Read(text string, planExists bool, files []string) *Message {
	p := &Message{Text: text, PlanExists: planExists, Files: files, Lang: words.Language(text)}
	n := prose.Greeting(p.Text)
	m := reading.Message{Text: p.Text, Blocks: prose.Blocks(strings.Repeat(" ", n) + prose.Dictated(p.Text[n:])), Lang: p.Lang}
	p.Blocks, p.Acts = m.Blocks, m.Acts()
	for i := range p.Acts {
		p.Acts[i].Nr = i
	}
	p.Fresh = p.isFresh()
	p.settle()
	return p
}

// Beginning is what a doubt about the whole message quotes of it: at most 160 bytes, whole words.
func Beginning(text string) string {
	return belay.Clip(strings.Join(strings.Fields(text), " "), 160)
}
