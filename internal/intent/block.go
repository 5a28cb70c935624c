package intent

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// BlockKind is the kind of a block of a message.
type BlockKind int

// Para and Item are the author's own words; the others are material: pasted, quoted, or structure.
const (
	Para      BlockKind = iota
	Item                // of a list: a bullet, a number, a line "fix: …"
	Heading             // a heading or a line that only introduces what follows
	Fence               // code
	Log                 // lines of a log, a diagnostic, shell output
	Trace               // a crash: a stack trace, a panic, an exception
	Quote               // words of another person
	Signature           // a signature
)

// Block is a section of a message. At is its byte offset; Label is the heading, field or prefix
// above it, in lower case.
type Block struct {
	Kind  BlockKind
	At    int
	Text  string
	Label string
}

var (
	bullet     = lazyregexp.New(`^\s*(?:[-*•+–]|\(?\d{1,2}[.)]|\(?[a-z][.)])\s+(?:\[[ xX]?\]\s*)?`)
	hashes     = lazyregexp.New(`^\s{0,3}#{1,6}\s+(.+?)\s*#*\s*$`)
	bold       = lazyregexp.New(`^\s*(?:\*\*|__)([^*_]{2,60})(?:\*\*|__)\s*:?\s*$`)
	boldField  = lazyregexp.New(`^\s*\*\*([^*]{2,40}?):?\*\*\s*:?\s+`)
	field      = lazyregexp.New(`^\s*([\p{L}][\p{L} /-]{1,30}):\s+`)
	commit     = lazyregexp.New(`^\s*(feat|fix|chore|docs|refactor|perf|test|style|build|ci)(?:\([^()\n]+\))?!?:\s+`)
	quoteIntro = lazyregexp.New(`(?i)^\s*(?:on|am|le|el|em|il)\s.{4,80}\s(?:wrote|schrieb|écrit|escribió|escreveu|ha scritto)\s*:\s*$`)
	farewell   = lazyregexp.New(`(?i)^\s*(?:(?:with )?(?:my |our )?(?:best|kind|kindest|warm|many|friendly)\s+(?:regards|` +
		`wishes|greetings)|regards|cheers|sincerely|yours(?:\s+\w+)?|(?:many |kind )?thanks(?: a lot| in advance)?|` +
		`thank you|best|mit freundlichen grüßen|viele grüße|cordialement|saludos|atenciosamente|cordiali saluti)\s*[,!.]?\s*$`)
)

// commitType returns the Conventional Commits type if the block is the subject of such a commit, ""
// otherwise.
func (b Block) commitType(text string) string {
	line := text[strings.LastIndexByte(text[:b.At], '\n')+1 : b.At]
	if m := commit.FindStringSubmatch(line); m != nil {
		return m[1]
	}
	return ""
}

// Blocks cuts a message into its blocks, in order and without overlap. They leave out whitespace,
// the marks of lists and fences, and the names of fields, which become Label.
func Blocks(text string) []Block {
	c := blockCutter{text: text}
	for at := 0; at < len(text); {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			end = len(text)
		} else {
			end += at + 1
		}
		c.addLine(at, end)
		at = end
	}
	return splitEnumerations(c.finish())
}

// blockCutter keeps the context that the previous lines give the next one.
type blockCutter struct {
	text     string
	out      []Block
	label    string
	fence    string // the mark that closes the open fence
	gap      bool   // the line before was blank
	signed   bool
	isOutput bool // the entire paragraph is output
	inline   bool // the label was on the same line as its text, so it does not apply after a gap
}

func (c *blockCutter) addLine(at, end int) {
	raw := strings.TrimRight(c.text[at:end], "\r\n")
	trimmed := strings.TrimSpace(raw)
	if c.gap || len(c.out) == 0 {
		c.isOutput = trimmed != "" && c.fence == "" && isOutputParagraph(paragraphLines(c.text[at:]))
	}
	switch {
	case c.fence != "":
		if strings.HasPrefix(trimmed, c.fence) {
			c.fence = ""
			return
		}
		c.extend(Fence, at, raw)
	case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"):
		c.fence = trimmed[:3]
		c.gap = true
	case trimmed == "":
		c.gap = true
		return
	case c.signed, c.isClosing(trimmed):
		c.signed = true
		c.extend(Signature, at, raw)
	case strings.HasPrefix(trimmed, ">") || quoteIntro.MatchString(raw):
		c.extend(Quote, at, raw)
	case c.isPasted(raw, trimmed):
		c.extend(pasteKind(trimmed), at, raw)
	default:
		c.addProse(at, raw, trimmed)
	}
	c.gap = false
}

// isClosing reports whether the closing of a mail begins: a farewell alone on its line behind other
// text, or two dashes.
func (c *blockCutter) isClosing(trimmed string) bool {
	return len(c.out) > 0 && (trimmed == "--" || c.gap && farewell.MatchString(trimmed))
}

// paragraphLines returns the lines up to the next blank one, at most forty.
func paragraphLines(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" || len(lines) == 40 {
			break
		}
		lines = append(lines, line)
	}
	return lines
}

// isPasted reports whether the person did not write a line: it looks like output, or continues
// output.
func (c *blockCutter) isPasted(raw, trimmed string) bool {
	if c.isOutput && !bullet.MatchString(raw) || IsOutput(trimmed) || isStackFrame(raw) {
		return true
	}
	if n := len(c.out); n > 0 && c.out[n-1].Kind == Trace && !c.gap && strings.HasPrefix(trimmed, "note: ") {
		return true
	}
	if len(c.out) == 0 || (c.out[len(c.out)-1].Kind != Log && c.out[len(c.out)-1].Kind != Trace) {
		return false
	}
	if c.gap {
		return raw != trimmed && strings.ContainsAny(trimmed, "={}|^~()[]") && !bullet.MatchString(raw)
	}
	return !isProse(trimmed) || raw != trimmed
}

func pasteKind(trimmed string) BlockKind {
	if isStackFrame(trimmed) || crash.MatchString(trimmed) {
		return Trace
	}
	return Log
}

// addProse adds a line that a person wrote.
func (c *blockCutter) addProse(at int, raw, trimmed string) {
	if m := hashes.FindStringSubmatch(raw); m != nil {
		c.addHeading(at, raw, m[1])
		return
	}
	if m := bold.FindStringSubmatch(raw); m != nil {
		c.addHeading(at, raw, m[1])
		return
	}
	for _, shape := range []*lazyregexp.Regexp{boldField, commit, field} {
		if m := shape.FindStringSubmatchIndex(raw); m != nil && (shape != field || IsKnownLabel(raw[m[2]:m[3]])) {
			c.label, c.inline = NormalizeLabel(raw[m[2]:m[3]]), shape != commit
			kind := Para
			if shape == commit {
				kind = Item
			}
			c.out = append(c.out, Block{kind, at + m[1], raw[m[1]:], c.label})
			return
		}
	}
	if m := bullet.FindStringIndex(raw); m != nil && m[1] < len(raw) {
		c.out = append(c.out, Block{Item, at + m[1], raw[m[1]:], c.label})
		return
	}
	if strings.HasSuffix(trimmed, ":") && len(strings.Fields(trimmed)) <= 10 && !strings.ContainsAny(trimmed[:len(trimmed)-1], ".?!") {
		c.addHeading(at, raw, strings.TrimSuffix(trimmed, ":"))
		return
	}
	c.addParagraph(at, raw, trimmed)
}

func (c *blockCutter) addHeading(at int, raw, label string) {
	c.label, c.inline = NormalizeLabel(label), false
	c.out = append(c.out, Block{Heading, at, raw, c.label})
}

// startsSentence reports whether a line begins a new sentence behind a short block.
func (c *blockCutter) startsSentence(trimmed string) bool {
	if len(c.out) == 0 || !isUpper(trimmed[0]) {
		return false
	}
	return len(c.out[len(c.out)-1].Text) < 50 && strings.Contains(trimmed, " ")
}

// addParagraph adds a line of prose, or extends the previous block if the line is wrapped or
// belongs to a list item.
func (c *blockCutter) addParagraph(at int, raw, trimmed string) {
	if last := len(c.out) - 1; last >= 0 && !c.gap {
		b := &c.out[last]
		lower := trimmed[0] >= 'a' && trimmed[0] <= 'z'
		line := b.Text[strings.LastIndexByte(b.Text, '\n')+1:]
		wrapped := b.Kind == Para && len(line) >= 55 && !strings.ContainsAny(line[len(line)-1:], ".!?:")
		if wrapped && (lower || len(line) >= 70) || b.Kind == Item && raw != trimmed {
			b.Text = c.text[b.At : at+len(raw)]
			return
		}
	}
	about := sectionHeadings()[c.label] == Circumstances || sectionHeadings()[c.label] == Title
	if c.inline && about && (c.gap || c.startsSentence(trimmed)) {
		c.label, c.inline = "", false
	}
	label := c.label
	if last := len(c.out) - 1; last >= 0 && c.gap && (c.out[last].Kind == Item || c.out[last].Kind >= Fence) {
		label, c.label = "", "" // prose after a list is no longer under its heading
	}
	c.out = append(c.out, Block{Para, at, raw, label})
}

// extend lengthens the last block if it is of the same kind. Traces and logs are merged into one
// block, a trace if any of its lines is one.
func (c *blockCutter) extend(kind BlockKind, at int, raw string) {
	if last := len(c.out) - 1; last >= 0 {
		b := &c.out[last]
		paste := (b.Kind == Log || b.Kind == Trace) && (kind == Log || kind == Trace)
		if paste || b.Kind == kind && !(c.gap && kind == Quote) {
			b.Kind = max(b.Kind, kind)
			b.Text = c.text[b.At : at+len(raw)]
			return
		}
	}
	c.out = append(c.out, Block{kind, at, raw, c.label})
}

func (c *blockCutter) finish() []Block {
	for i, b := range c.out {
		if b.Kind != Fence {
			continue
		}
		for line := range strings.Lines(b.Text) {
			if trimmed := strings.TrimSpace(line); isStackFrame(line) || crash.MatchString(trimmed) {
				c.out[i].Kind = Trace
			} else if IsOutput(trimmed) && c.out[i].Kind == Fence {
				c.out[i].Kind = Log
			}
		}
	}
	return c.out
}

// inlineFields are the fields of a ticket written on one line.
var inlineFields = lazyregexp.New(`(?i)(?:^|[.;!]\s+)(steps|steps to reproduce|repro|result|actual|actual result|observed|` +
	`expected|expected result)\s*:\s+`)

var (
	numberedItem = lazyregexp.New(`(?:^|[\s:])\(?([1-9])[.)]\s+`)
	letteredItem = lazyregexp.New(`(?:^|[\s:])\(([a-h])\)\s+`)
)

// splitEnumerations makes items of "(1) …; (2) …" inside a line.
func splitEnumerations(in []Block) []Block {
	var out []Block
	for _, b := range in {
		if f := inlineFields.FindAllStringSubmatchIndex(b.Text, 8); b.Kind == Para &&
			(len(f) > 1 && f[0][0] == 0 || len(f) > 0 && sectionHeadings()[b.Label] != Open) {
			if f[0][0] > 0 {
				out = append(out, Block{Para, b.At, b.Text[:f[0][0]+1], b.Label})
			}
			for i, m := range f {
				end := len(b.Text)
				if i+1 < len(f) {
					end = f[i+1][0] + 1
				}
				out = append(out, Block{Para, b.At + m[1], b.Text[m[1]:end], NormalizeLabel(b.Text[m[2]:m[3]])})
			}
			continue
		}
		found := numberedItem.FindAllStringSubmatchIndex(b.Text, 20)
		if len(found) == 0 {
			found = letteredItem.FindAllStringSubmatchIndex(b.Text, 20)
		}
		if b.Kind == Item && len(found) > 0 && (b.Text[found[0][2]] == '2' || b.Text[found[0][2]] == 'b') { // item 1 begins the line
			out = append(out, splitItems(b, found)...)
			continue
		}
		if b.Kind != Para || len(found) < 2 || !isAscending(b.Text, found) {
			out = append(out, b)
			continue
		}
		if lead := b.Text[:found[0][0]]; strings.TrimSpace(lead) != "" {
			out = append(out, Block{Heading, b.At, lead, NormalizeLabel(strings.TrimRight(lead, " :"))})
		}
		for i, m := range found {
			end := len(b.Text)
			if i+1 < len(found) {
				end = found[i+1][0]
			}
			out = append(out, Block{Item, b.At + m[1], strings.TrimRight(b.Text[m[1]:end], "; \t\n"), b.Label})
		}
	}
	return out
}

// splitItems cuts an item that contains the next numbers of its list.
func splitItems(b Block, found [][]int) []Block {
	out := []Block{{Item, b.At, strings.TrimRight(b.Text[:found[0][0]], "; \t\n"), b.Label}}
	for i, m := range found {
		end := len(b.Text)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		out = append(out, Block{Item, b.At + m[1], strings.TrimRight(b.Text[m[1]:end], "; \t\n"), b.Label})
	}
	return out
}

func isAscending(text string, found [][]int) bool {
	first := text[found[0][2]]
	for i, m := range found {
		if int(text[m[2]]-first) != i {
			return false
		}
	}
	return first == '1' || first == 'a'
}
