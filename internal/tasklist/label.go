package tasklist

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// label is the parsed first line of a task.
type label struct {
	id, title, story string
	parallel         bool
	struckThrough    bool // the id or the text is struck through
	optional         bool
}

// The forms of an id at the start of a task's text. One that could be a word too, such as HTTP2,
// needs punctuation after it.
var (
	idNamed = lazyregexp.New(`^(?i:task|work package|` +
		`subtask)\s+#?((?:[A-Za-z]{1,10}[-_]?)?\d+(?:\.\d+)*[a-z]?)(?:\s*[:.)–—-]|\*\*|\s*$|\s+\[)`)
	idRange        = lazyregexp.New(`^((?:T|TASK-|T-|Task-|WP|WP-)\d+[-–—](?:T|TASK-|T-|Task-|WP|WP-)?\d+)(?:[\s:.)\[\]*]|$)`)
	idPlain        = lazyregexp.New(`^((?:T|TASK-|T-|Task-|WP|WP-)\d+(?:\.\d+)*[a-z]?|T?X{3,4})(?:[\s:.)\[\]*–—-]|$)`)
	idInside       = lazyregexp.New(`^[(\[]((?:T|TASK-|T-|Task-|WP|WP-)\d+(?:\.\d+)*[a-z]?)[)\]]`)
	idSigned       = lazyregexp.New(`^([A-Z][A-Za-z]{0,9}[-_]?\d+(?:\.\d+)*[a-z]?)(?:\*\*)?(?::|\s+[–—-]\s)`)
	idLevels       = lazyregexp.New(`^(\d+[A-Za-z]?(?:\.\d+)+[a-z]?)[.):]?(?:\s|\*\*|\\?\*\s|$)`)
	idNumber       = lazyregexp.New(`^(\d+[a-z]?)[.):](?:\s|\*\*|$)`)
	linkedID       = lazyregexp.New(`^\[((?:T|TASK-|T-|Task-|WP|WP-)\d[^\]\n]*)\]\([^)\n]*\)`) // a link with a text that begins with an id
	tagPattern     = lazyregexp.New(`^(?:\[([^\]\n]{1,24})\]|\((P|p|(?i:optional))\))`)
	parallelSuffix = lazyregexp.New(`\s+(?:\[P\]|\(P\)|[(（](?:並行可|可并行|可並行|병렬 ?가능)[)）])$`) // the same tag at the end
	storyPattern   = lazyregexp.New(`^(?i:us|story)[-_ ]?\d+[a-z]?(?:\s*[-–—,/+&]\s*(?i:us|story)?[-_ ]?\d+[a-z]?)*$`)
)

// parseLabel splits the text of an item into id, tags in brackets and title. number is the item's
// number in a numbered list, and the id if the text has none.
func parseLabel(words, number string) label {
	l := label{title: strings.TrimSpace(words)}
	if m := linkedID.FindStringSubmatch(l.title); m != nil {
		l.title = m[1] + l.title[len(m[0]):]
	}
	l.readTags()
	l.struckThrough = strings.HasPrefix(l.title, "~~")
	bare, bold := trimBold(l.title)
	for _, form := range []*lazyregexp.Regexp{idNamed, idRange, idPlain, idInside, idSigned, idLevels, idNumber} {
		m := form.FindStringSubmatchIndex(bare)
		if m == nil {
			continue
		}
		l.id = bare[m[2]:m[3]]
		rest := bare[m[3]:]
		if bold >= m[3] {
			rest = bare[m[3]:bold] + strings.TrimPrefix(bare[bold:], "**")
		}
		if star := starLength(rest); star > 0 {
			l.optional, rest = true, rest[star:]
		}
		l.title = strings.TrimSpace(strings.TrimLeft(rest, ":.)]–—- \t"))
		break
	}
	if l.id == "" {
		l.id = number
	}
	l.readTags()
	l.struckThrough = l.struckThrough || strings.HasPrefix(l.title, "~~")
	if at := parallelSuffix.FindStringIndex(l.title); at != nil {
		l.parallel, l.title = true, l.title[:at[0]]
	}
	if l.title == "" {
		l.title = l.id
	}
	return l
}

// trimBold removes the mark before a text that begins in bold, and returns the offset where the
// bold ends in the result; -1 if nothing is bold.
func trimBold(words string) (bare string, end int) {
	for _, mark := range []string{"**", "__", "~~"} {
		if rest, ok := strings.CutPrefix(words, mark); ok {
			if at := strings.Index(rest, mark); at > 0 {
				return rest[:at] + "**" + rest[at+len(mark):], at
			}
		}
	}
	return words, -1
}

// readTags reads the tags in brackets between the id and the title. Unknown tags stay in the title.
// A second box after the id is a tag that was not filled in.
func (l *label) readTags() {
	rest := l.title
	for range 6 {
		m := tagPattern.FindStringSubmatch(rest)
		if m == nil {
			return
		}
		behind := rest[len(m[0]):]
		if behind != "" && strings.IndexByte(" \t[:", behind[0]) < 0 {
			return
		}
		name := strings.TrimSuffix(strings.TrimSpace(m[1]+m[2]), "?")
		switch {
		case strings.EqualFold(name, "P"):
			l.parallel = true
		case storyPattern.MatchString(name) && l.story != "":
			l.story += ", " + name
		case storyPattern.MatchString(name):
			l.story = name
		case strings.EqualFold(name, "Story"):
		case strings.EqualFold(name, "optional"):
			l.optional = true
		case l.id != "" && (name == "" || strings.EqualFold(name, "x")):
		default:
			return
		}
		rest = strings.TrimLeft(behind, ": \t")
		l.title = rest
	}
}

// taskHeading is a heading of a task: "T01: …", "Task 3 - …".
var taskHeading = lazyregexp.New(`^(?:\[.?\]\s*)?(?:\*\*)?(?:(?i:task|` +
	`work package)\s+#?(?:[A-Za-z]{1,10}[-_]?)?\d+(?:\.\d+)*|(?:T|TASK-|T-|Task-|WP|WP-)\d+(?:\.\d+)*[a-z]?)(?:\*\*)?(?:\s*[:.)–—-]|\s|$)`)
