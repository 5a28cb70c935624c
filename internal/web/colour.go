package web

import (
	"context"
	"html/template"
	"path"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/secret"
	"github.com/belay-dev/belay/internal/syntax"
)

// maxColoured is the size of a file, in bytes, above which it is shown without colours.
const maxColoured = 512 << 10

// similarLanguages maps languages that package syntax does not know to one with similar words,
// strings and comments.
var similarLanguages = map[string]syntax.Language{
	".json": syntax.JavaScript, ".jsonc": syntax.JavaScript, ".vue": syntax.None, ".c": syntax.Java, ".h": syntax.Java, ".cc": syntax.Java,
	".cpp": syntax.Java, ".cxx": syntax.Java, ".hpp": syntax.Java, ".kt": syntax.Java, ".kts": syntax.Java, ".swift": syntax.Java,
	".scala": syntax.Java, ".dart": syntax.Java, ".proto": syntax.Java, ".zig": syntax.Rust,
}

// keywords are reserved words of most languages. A keyword of a single language is rarely a name in
// another.
var keywords = lazyregexp.Of(`
	abstract and as assert async await begin bool boolean break byte case catch chan char class const constexpr continue
	crate def default defer del delete do double dyn elif else elsif end ensure enum except export extends extern fallthrough false False
	final finally float fn for foreach from func function go goto if impl implements import in init int interface is lambda let long loop
	map match mod module move mut namespace new nil None nonlocal not null nullptr object operator or override package pass private
	protected protocol pub public raise range ref require rescue return select self Self short sizeof static string struct super switch
	template this throw throws trait true True try type typedef typeof undefined union unless unsafe until use using val var virtual void
	volatile when where while with yield`)

// colouredPart is a coloured part of a line, in bytes.
type colouredPart struct {
	from, to int
	class    string
}

// colourLines returns the coloured parts of each line of a text, nil for an unknown language.
func colourLines(name string, text []byte) [][]colouredPart {
	language := syntax.LanguageOf(name)
	if language == syntax.None {
		language = similarLanguages[path.Ext(name)]
	}
	if language == syntax.None || len(text) > maxColoured {
		return nil
	}
	lines := make([][]colouredPart, strings.Count(string(text), "\n")+1)
	for _, t := range syntax.Lex(language, text) {
		class := ""
		switch t.Kind {
		case syntax.Comment:
			class = "tc"
		case syntax.Text:
			class = "ts"
		case syntax.Number:
			class = "tn"
		case syntax.Word:
			if keywords.Has(t.Text) {
				class = "tk"
			}
		}
		if class == "" {
			continue
		}
		line, col := t.Line-1, t.Col
		for part := range strings.SplitSeq(t.Text, "\n") {
			if line < len(lines) && part != "" {
				lines[line] = append(lines[line], colouredPart{col, col + len(part), class})
			}
			line, col = line+1, 0
		}
	}
	return lines
}

// maxPainted is how many bytes of files are read for one page, for their colours and images. Files
// after that are shown without colours, and images as binary files.
const maxPainted = 24 << 20

// paint adds colours to the rows of files, and images to binary files, from the objects in the
// repository. Unreadable ones get none.
func (q *request) paint(ctx context.Context, files []*fileDiff) error {
	var names []string
	for _, f := range files {
		if f.Binary || len(f.Hunks) > 0 {
			names = append(names, f.blobs[0], f.blobs[1])
		}
	}
	names = slices.DeleteFunc(names, isNullObject)
	sizes, err := q.svc.Session.Repo.Sizes(ctx, names)
	if err != nil {
		return err
	}
	size := map[string]int64{}
	for i, name := range names {
		size[name] = sizes[i]
	}
	rd, err := q.svc.Session.Repo.Reader(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = rd.Close() }()
	room := int64(maxPainted)
	for _, f := range files {
		most := int64(maxColoured)
		if f.Binary {
			most = maxImage
		}
		var sides [2][]byte
		for i, name := range f.blobs {
			if n, is := size[name]; is && n >= 0 && n <= min(most, room) {
				sides[i] = readObject(rd, name, int(most))
				room -= n
			}
		}
		was := f.Path
		if f.Old != "" {
			was = f.Old
		}
		if f.Binary {
			f.setImages(sides)
		} else {
			f.paint(colourLines(was, sides[0]), colourLines(f.Path, sides[1]))
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// readObject returns the bytes of an object, nil if it is larger than most.
func readObject(rd *git.Reader, name string, most int) []byte {
	if isNullObject(name) {
		return nil
	}
	text := limitedBuffer{limit: most}
	if _, err := rd.Copy(name, &text); err != nil || text.exceeded {
		return nil
	}
	return text.data
}

// limitedBuffer keeps what is written to it, unless that exceeds limit bytes.
type limitedBuffer struct {
	limit    int
	data     []byte
	exceeded bool
}

func (l *limitedBuffer) Write(p []byte) (int, error) {
	if l.exceeded = l.exceeded || len(l.data)+len(p) > l.limit; !l.exceeded {
		l.data = append(l.data, p...)
	}
	return len(p), nil
}

func (f *fileDiff) paint(before, after [][]colouredPart) {
	of := func(lines [][]colouredPart, n int) []colouredPart {
		if n < 1 || n > len(lines) {
			return nil
		}
		return lines[n-1]
	}
	for h := range f.Hunks {
		for i := range f.Hunks[h].Rows {
			r := &f.Hunks[h].Rows[i]
			r.Left, r.Right = splitByColour(r.Left, of(before, r.Old)), splitByColour(r.Right, of(after, r.New))
		}
	}
}

// splitByColour splits the parts of a line where colours change.
func splitByColour(line []span, with []colouredPart) []span {
	if len(with) == 0 {
		return line
	}
	var out []span
	at := 0 // offset in the line, in bytes
	for _, s := range line {
		for s.Text != "" {
			for len(with) > 0 && with[0].to <= at {
				with = with[1:]
			}
			n, class := len(s.Text), ""
			if len(with) > 0 {
				if w := with[0]; w.from > at {
					n = min(n, w.from-at)
				} else {
					n, class = min(n, w.to-at), w.class
				}
			}
			out = append(out, span{Text: s.Text[:n], Changed: s.Changed, class: class})
			s.Text, at = s.Text[n:], at+n
		}
	}
	return out
}

// Before returns the left side of a row as HTML: changes are marked, secrets are masked, and no
// character reorders the text. A line with a secret has no marks and colours, because they could
// split it into parts that are not recognised as a secret.
func (r row) Before() template.HTML { return renderSide(r.Left, "del") }

// After is like Before, for the right side.
func (r row) After() template.HTML { return renderSide(r.Right, "ins") }

func renderSide(line []span, mark string) template.HTML {
	var whole, b strings.Builder
	for _, s := range line {
		whole.WriteString(s.Text)
	}
	if masked := secret.Mask(whole.String()); masked != whole.String() {
		line = []span{{Text: masked}}
	}
	for i, s := range line {
		if s.Changed && (i == 0 || !line[i-1].Changed) {
			b.WriteString("<" + mark + ">")
		}
		text := template.HTMLEscapeString(belay.Visible(s.Text))
		if s.class != "" {
			text = `<i class="` + s.class + `">` + text + "</i>"
		}
		b.WriteString(text)
		if s.Changed && (i == len(line)-1 || !line[i+1].Changed) {
			b.WriteString("</" + mark + ">")
		}
	}
	return template.HTML(b.String()) //nolint:gosec // each text in it is escaped
}
