package syntax

import (
	"errors"
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/testreport"
)

// Lines is a set of line numbers of the new files, by their slash paths from the root.
type LineSet map[string][]span

// span is a run of added lines, both ends included.
type span struct{ first, last int }

// Has reports whether any line of path from first to last was added; last below first is
// first.
func (l LineSet) Has(path string, first, last int) bool {
	last = max(first, last)
	spans := l[path]
	at := sort.Search(len(spans), func(i int) bool { return spans[i].last >= first })
	return at < len(spans) && spans[at].first <= last
}

// Touches reports whether the patch has the file at all.
func (l LineSet) Touches(path string) bool { _, ok := l[path]; return ok }

// mostSpans bounds what is held; a patch with more is not a change that anybody reads.
const mostSpans = 1_000_000

// Read reads a patch with the prefixes a/ and b/. A file that is deleted, or binary, has
// no lines in it. The error is r's own, or says where the patch is not one.
func Read(r io.Reader) (LineSet, error) {
	p := patch{lines: LineSet{}}
	in := testreport.NewLines(r)
	for n := 1; ; n++ {
		line, err := in.Next()
		long := errors.Is(err, testreport.ErrLong)
		if long { // a line of content: which of them it is tells its first byte, which is gone
			p.long()
			err = nil
		} else if len(line) > 0 && !p.line(strings.TrimSuffix(string(line), "\n")) {
			return nil, fmt.Errorf("line %d of a patch makes no sense: %s", n, testreport.Clip(testreport.Plain(string(line)), 80))
		}
		if err == io.EOF {
			return p.lines, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading a patch: %w", err)
		}
		if p.count > mostSpans {
			return nil, errors.New("the patch has too many places")
		}
	}
}

type patch struct {
	lines    LineSet
	path     string // of the new file, "" when it is gone
	old, new int    // lines left in the hunk
	at       int    // number of the next line of the new file
	count    int
}

// long takes a line too long to be held for one that was added, which errs on the side
// of looking.
func (p *patch) long() {
	if p.new > 0 {
		p.add()
	}
}

func (p *patch) add() {
	spans := p.lines[p.path]
	if n := len(spans); n > 0 && spans[n-1].last == p.at-1 {
		spans[n-1].last = p.at
	} else if p.path != "" {
		p.lines[p.path] = append(spans, span{p.at, p.at})
		p.count++
	}
	p.at++
	p.new--
}

func (p *patch) line(s string) bool {
	if p.old > 0 || p.new > 0 {
		return p.content(s)
	}
	switch {
	case strings.HasPrefix(s, "diff --git "):
		p.path = ""
	case strings.HasPrefix(s, "+++ "):
		name, ok := pathOf(strings.TrimPrefix(s, "+++ "))
		if p.path = name; ok && name != "" && !p.lines.Touches(name) {
			p.lines[name] = nil
		}
		return ok
	case strings.HasPrefix(s, "@@ "):
		return p.hunk(s)
	}
	return true // headers: modes, similarity, index, ---
}

func (p *patch) content(s string) bool {
	if s == "" { // some tools strip the space of an empty line
		s = " "
	}
	switch s[0] {
	case ' ':
		p.old--
		p.new--
		p.at++
	case '-':
		p.old--
	case '+':
		p.add()
	case '\\': // no newline at the end of the file
	default:
		return false
	}
	return p.old >= 0 && p.new >= 0
}

// hunk reads @@ -a,b +c,d @@.
func (p *patch) hunk(s string) bool {
	words := strings.Fields(s)
	if len(words) < 4 || words[3] != "@@" {
		return false
	}
	var ok1, ok2 bool
	_, p.old, ok1 = rangeOf(words[1], "-")
	p.at, p.new, ok2 = rangeOf(words[2], "+")
	return ok1 && ok2
}

func rangeOf(s, sign string) (first, count int, ok bool) {
	rest, ok := strings.CutPrefix(s, sign)
	if !ok {
		return 0, 0, false
	}
	a, b, two := strings.Cut(rest, ",")
	if !two {
		b = "1"
	}
	first, okFirst := lineNumber(a)
	count, okCount := lineNumber(b)
	return first, count, okFirst && okCount
}

// lineNumber reads a number of lines that a file may have.
func lineNumber(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0 && n < 1<<30
}

// pathOf reads the name after +++: b/path, "b/p\303\244th" in git's quotes, /dev/null.
func pathOf(s string) (string, bool) {
	s, _, _ = strings.Cut(s, "\t") // git ends a name with a space in it so
	if strings.HasPrefix(s, `"`) {
		var ok bool
		if s, ok = unquote(s); !ok {
			return "", false
		}
	}
	if s == "/dev/null" {
		return "", true
	}
	return strings.CutPrefix(s, "b/")
}

// unquote undoes git's quoting, which is C's: octal bytes and the usual letters.
func unquote(s string) (string, bool) {
	if len(s) < 2 || s[len(s)-1] != '"' {
		return "", false
	}
	s = s[1 : len(s)-1]
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch {
		case i+2 < len(s) && s[i] >= '0' && s[i] <= '3':
			n, err := strconv.ParseUint(s[i:i+3], 8, 8)
			if err != nil {
				return "", false
			}
			b.WriteByte(byte(n))
			i += 2
		case i < len(s) && strings.IndexByte(`abtnvfr"\`, s[i]) >= 0:
			b.WriteByte("\a\b\t\n\v\f\r\"\\"[strings.IndexByte(`abtnvfr"\`, s[i])])
		default:
			return "", false
		}
	}
	return b.String(), true
}
