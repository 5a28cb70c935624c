package intent

import (
	"slices"
	"strings"
	"unicode/utf8"

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

// Evidence is why the answer is as it is: the words, and what was concluded from them.
type Evidence struct {
	Text    string
	Meaning string
}

// maxHeadBytes and tail are how much of a long message is read, in bytes: what is asked stands
// before or after what is pasted, hardly ever in the middle.
const (
	maxHeadBytes = 24 << 10
	maxTailBytes = 16 << 10
)

// Parse reads a message. Every message has an answer; one that asks for nothing gets a
// doubt that says so.
func Parse(in Input) (belay.Request, []Evidence) {
	text, cut := shorten(in.Text)
	in.Text = text
	p := readWeighed(in, ActScale(), MessageScale())
	req := p.buildRequest()
	if cut > 0 {
		req.Doubts = append(req.Doubts, belay.Doubt{Words: "", Readings: slices.Clone(readings[middle])})
	}
	return req, p.Evidence
}

// shorten leaves the middle out of a message that is longer than anybody writes.
func shorten(msg string) (string, int) {
	msg = strings.ToValidUTF8(msg, "\uFFFD")
	if len(msg) <= maxHeadBytes+maxTailBytes {
		return msg, 0
	}
	a, b := maxHeadBytes, len(msg)-maxTailBytes
	for a > 0 && !utf8.RuneStart(msg[a]) {
		a--
	}
	for b < len(msg) && !utf8.RuneStart(msg[b]) {
		b++
	}
	return msg[:a] + "\n\n" + msg[b:], b - a
}

// parse is a message on its way to an answer: its blocks, what its clauses do, and what comes of
// that. Fresh says that its words ask for something new as a whole; is is what it is as it is weighed,
// "" when nothing is.
type parse struct {
	Input
	Lang   string
	Blocks []Block
	Acts   []Act
	Fresh  bool

	Requirements []foundRequirement
	Preserve     []string
	Doubts       []belay.Doubt
	Evidence     []Evidence
	requestType  belay.RequestType
}

// foundRequirement is a requirement with the act it came from.
type foundRequirement struct {
	Marker belay.Marker
	Act    Act
}

// readMessage returns a message as grammar reads it: its words, whatever is known of the project.
func readMessage(in Input) *parse {
	p := &parse{Input: in, Lang: DetectLanguage(in.Text)}
	n := GreetingLength(p.Text)
	p.Blocks = Blocks(strings.Repeat(" ", n) + PunctuateDictation(p.Text[n:]))
	r := &reader{Text: p.Text, Blocks: p.Blocks, Lang: p.Lang}
	r.read()
	p.Acts = r.acts
	for i := range p.Acts {
		p.Acts[i].Index = i
	}
	p.Fresh = p.asksForWhole()
	p.settle()
	return p
}

// messageStart returns what a doubt about the whole message quotes of it: at most 160 bytes, whole words.
func messageStart(text string) string {
	return belay.Clip(strings.Join(strings.Fields(text), " "), 160)
}

// addEvidence notes why the answer is as it is.
func (p *parse) addEvidence(words, means string) {
	p.Evidence = append(p.Evidence, Evidence{words, means})
}
