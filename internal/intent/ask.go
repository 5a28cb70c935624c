package intent

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/belay"
)

// Input is a message and its project. Files are slash-separated paths of the repository. PlanExists
// reports that the project has a plan, or source code already (HasSource), so that a request is
// about a part of it.
type Input struct {
	Text       string
	PlanExists bool
	Files      []string
}

// Evidence is one reason for the answer: the words, and what was concluded from them.
type Evidence struct {
	Text    string
	Meaning string
}

// maxHeadBytes and maxTailBytes are how much of a long message is read. The request is before or
// after pasted material, hardly ever in the middle.
const (
	maxHeadBytes = 24 << 10
	maxTailBytes = 16 << 10
)

// Parse interprets a message. Every message has an answer; one that asks for nothing gets a doubt
// that states this.
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

// shorten cuts out the middle of a message longer than maxHeadBytes + maxTailBytes, and returns how
// many bytes it cut.
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

// parse is a message that is being interpreted: its blocks, its acts, and the results. Fresh means
// that the grammar reads it as a request for something new and complete; requestType is the type by
// learned weights, "" if they do not decide.
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

// readMessage interprets a message by grammar alone, without the learned weights.
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

// messageStart returns the quotation of the message for a doubt about all of it: at most 160 bytes,
// cut between words.
func messageStart(text string) string {
	return belay.Clip(strings.Join(strings.Fields(text), " "), 160)
}

// addEvidence records a reason for the answer.
func (p *parse) addEvidence(words, means string) {
	p.Evidence = append(p.Evidence, Evidence{words, means})
}
