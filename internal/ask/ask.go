// Package ask turns what a person wrote into requirements: what is to be added,
// changed, fixed or removed, how many, what must stay, which files are meant, and what
// can be read in two ways. Grammar and word lists read it, and what was learned from labelled
// messages weighs what they make of it; no model is asked: the same words always give the same
// answer, and every part of the answer names the words it comes from. What is pasted, quoted or
// in a log is material and never asks for anything. It touches no file, process, clock or
// network.
package ask

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/ask/fresh"
	"github.com/belay-dev/belay/internal/ask/settle"
	"github.com/belay-dev/belay/internal/ask/weigh"
	"github.com/belay-dev/belay/internal/belay"
)

// Input is a message and what it is about. Files are paths of the repository with
// slashes; PlanExists says that a plan of the project was made before, or that there is a
// program already (Sourced): a request is about a part of it then.
type Input struct {
	Text       string
	PlanExists bool
	Files      []string
}

// Sourced reports that there is a program among files.
func Sourced(files []string) bool { return fresh.Sourced(files) }

// Evidence is why the answer is as it is: the words, and what was concluded from them.
type Evidence = settle.Evidence

// head and tail are how much of a long message is read, in bytes: what is asked stands
// before or after what is pasted, hardly ever in the middle.
const (
	head = 24 << 10
	tail = 16 << 10
)

// Parse reads a message. Every message has an answer; one that asks for nothing gets a
// doubt that says so.
func Parse(in Input) (belay.Request, []Evidence) {
	text, cut := shorten(in.Text)
	in.Text = text
	p := weighed(in, weigh.Acts(), weigh.Wholes())
	req := p.answer()
	if cut > 0 {
		req.Doubts = append(req.Doubts, belay.Doubt{Words: "", Readings: slices.Clone(readings[middle])})
	}
	return req, p.Why
}

// shorten leaves the middle out of a message that is longer than anybody writes.
func shorten(msg string) (string, int) {
	msg = strings.ToValidUTF8(msg, "\uFFFD")
	if len(msg) <= head+tail {
		return msg, 0
	}
	a, b := head, len(msg)-tail
	for a > 0 && !utf8.RuneStart(msg[a]) {
		a--
	}
	for b < len(msg) && !utf8.RuneStart(msg[b]) {
		b++
	}
	return msg[:a] + "\n\n" + msg[b:], b - a
}

// parse is one message on its way from what grammar made of it to an answer.
type parse struct {
	*settle.Message
	is belay.RequestType // as it is weighed; "" when nothing is
}

// read is a message as grammar reads it.
func read(in Input) *parse {
	return &parse{Message: settle.Read(in.Text, in.PlanExists, in.Files)}
}
