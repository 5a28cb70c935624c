// Package ask turns what a person wrote into requirements: what is to be added,
// changed, fixed or removed, how many, what must stay, which files are meant, and what
// can be read in two ways. It is grammar and word lists, no model: the same words
// always give the same answer, and every part of the answer names the words it comes
// from. What is pasted, quoted or in a log is material and never asks for anything.
// It touches no file, process, clock or network.
package ask

import (
	"strings"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/ask/reading"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/weigh"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// Input is a message and what it is about. Files are paths of the repository with
// slashes; PlanExists says that a plan of the project was made before.
type Input struct {
	Text       string
	PlanExists bool
	Files      []string
}

// Evidence is why the answer is as it is: the words, and what was concluded from them.
type Evidence struct {
	Words string
	Means string
}

// head and tail are how much of a long message is read, in bytes: what is asked stands
// before or after what is pasted, hardly ever in the middle.
const (
	head = 24 << 10
	tail = 16 << 10
)

// Parse reads a message. Every message has an answer; one that asks for nothing gets a
// doubt that says so.
func Parse(in Input) (belay.Request, []Evidence) {
	msg, cut := shorten(in.Text)
	p := weighed(msg, in, weigh.Acts(), weigh.Wholes())
	req := p.answer()
	if cut > 0 {
		req.Doubts = append(req.Doubts, belay.Doubt{Words: "", Readings: []string{"the message is long: its middle was taken as pasted material and not read"}})
	}
	return req, p.why
}

// read is a message as grammar reads it. whole, if it is not nil, says whether something new is
// asked for as a whole.
func read(msg string, in Input, whole *bool) *parse {
	p := &parse{msg: msg, in: in}
	if lang := words.Language(msg); lang != "" {
		p.lang = lang
	}
	p.hear(whole)
	p.settle()
	return p
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

// parse is one message on its way.
type parse struct {
	msg    string
	in     Input
	lang   string
	blocks []prose.Block
	acts   []deed.Act
	fresh  bool

	out      []found
	preserve []string
	doubts   []belay.Doubt
	why      []Evidence
	reasons  []string // why each act is what it is
}

// found is a requirement with what it came from.
type found struct {
	Marker belay.Marker
	a      deed.Act
	count  *int
}

// hear reads the message, and once more as something new when it turns out to be that.
func (p *parse) hear(whole *bool) {
	n := prose.Greeting(p.msg)
	m := reading.Message{Text: p.msg, Blocks: prose.Blocks(strings.Repeat(" ", n) + prose.Dictated(p.msg[n:])), Lang: p.lang, PlanExists: p.in.PlanExists}
	p.blocks = m.Blocks
	p.heard(m.Acts())
	if p.fresh = p.isFresh(); whole != nil {
		p.fresh = *whole
	}
	if p.fresh {
		m.Fresh = true
		p.heard(m.Acts())
	}
}

func (p *parse) heard(acts []deed.Act) {
	p.acts, p.reasons = acts, make([]string, len(acts))
	for i := range acts {
		acts[i].Nr = i
	}
}
