// Package output reads what tools print and people paste into a review: compiler and
// linter diagnostics, stack traces, coverage, lists of changed files, and diffs. It tells
// which places are named and in which role; what the reviewer wants of them is not its
// business. It touches no file.
package output

import (
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// Kind is the role of a place in pasted output.
type Kind int

const (
	Diagnostic Kind = iota // a tool's complaint about this place
	Panic                  // where a program gave up
	Frame                  // a frame of a trace
	Hunk                   // a hunk of a diff, by its new side
	Listed                 // a changed file in a list
	Aside                  // named in passing: a make rule, a failing test's name
)

// Place is one place in pasted output. Start and End are 0 without a line.
type Place struct {
	Path       string // as it is spelled
	Start, End int
	Kind       Kind
	Line       int    // in the block, from 0
	Text       string // the line
	Last       bool   // of a trace whose innermost frame comes last
	Old        string
}

// reader carries what earlier lines set.
type reader struct {
	places []Place
	file   string // of the diff or of the section of a linter
	old    string
	last   bool
	table  bool // the section's lines begin with a number alone
}

// Read finds the places in a pasted block. file is the file that a diff begun in an
// earlier block was at; the one this block ends at comes back.
func Read(text, file string) ([]Place, string) {
	r := &reader{file: file}
	above := "" // a line that only says what the next is about
	for i, line := range strings.Split(text, "\n") {
		if len(line) > 2000 {
			line = line[:2000]
		}
		n := len(r.places)
		before := n
		r.line(line)
		for ; n < len(r.places); n++ {
			r.places[n].Line, r.places[n].Text = i, above+" "+line
		}
		if n == before {
			above = line
		}
	}
	return r.places, r.file
}

const name = `([^\s:()"'<>\[\]]*[\w)\]}-])`

var (
	hunk     = lazyregexp.New(`^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@`)
	arrow    = lazyregexp.New(`^\s*(?:-->|╭─\[|┌─|at:?|,-\[|❯)\s*` + name + `:(\d+):(\d+)\]?`)
	stylish  = lazyregexp.New(`^\s+(\d+):(\d+)\s+(?:error|warning|info|✖|⚠)`)
	inLine   = lazyregexp.New(`^\s*In ` + name + ` line (\d+):`)
	python   = lazyregexp.New(`^\s*File "([^"]+)", line (\d+)`)
	onLine   = lazyregexp.New(` in ((?:[A-Za-z]:)?[^\s:()]+)(?: on line |:line |:)(\d+)`)
	panicked = lazyregexp.New(`panicked at (?:'[^']*', )?` + name + `:(\d+)`)
	atFrame  = lazyregexp.New(`^\s*(?:at |#\d+:? )(.*)$`)
	inParens = lazyregexp.New(`\(?((?:file://|[A-Za-z]:)?[^\s:()]+?)[:(](\d+)(?::\d+)?\)?:?`)
	java     = lazyregexp.New(`^\s*at (?:[\w.]+/)*([\w.$]+)\.[\w$<>]+\((\w+\.(?:java|kt|scala|groovy)):(\d+)\)`)
	msvc     = lazyregexp.New(`^\s*(?:##\[\w+\])?((?:[A-Za-z]:)?[^\s:()]+)\((\d+)(?:,\d+)*\)\s*:`)
	plain    = lazyregexp.New(`^\s*(?:[EW]\s+|[ew]: |\[(?i:error|warn|warning|info)\]\s+|(?i:error|warning):\s+)?(?:file://)?((?:[A-Za-z]:[\\/])?[^\s:()"'<>]+):(\d+)(?:-(\d+))?(?::(\d+))?(:|\s|$)(.*)`)
	goFrame  = lazyregexp.New(`^\s+(\S+\.go):(\d+)(?: \+0x[0-9a-f]+)?$`)
	actions  = lazyregexp.New(`^::(?:error|warning|notice) .*file=([^,:]+),.*?line=(\d+)(?:,endLine=(\d+))?`)
	kotlin   = lazyregexp.New(`(\S+\.kts?): \((\d+), \d+\)`)
	haskell  = lazyregexp.New(`^\s*(\S+\.l?hs):\((\d+),\d+\)-\((\d+),\d+\):`)
	braced   = lazyregexp.New(`^\s*rename (\S*)\{(\S*) => (\S*)\}(\S*) \(\d+%\)`)
	moded    = lazyregexp.New(`^\s*(?:create|delete) mode \d+ (\S+)$`)
	section  = lazyregexp.New(`^\s*(?:Line\s{2,}(\S+\.\w+)\s*$|FILE: (\S+)\s*$|== \[(\S+)\] )`)
	numbered = lazyregexp.New(`^\s*(?:(\d+)(?:\s{2,}\S|\s+\|\s+(?:ERROR|WARNING))|L:\s*(\d+) \|)`)
	whole    = lazyregexp.New(`^(?:would reformat|reformatted|Would fix|unformatted:?)\s+(\S+\.\w+)\s*$`)
	valgrind = lazyregexp.New(`^==\d+==\s+(?:at|by) 0x[0-9A-Fa-f]+: .*\(([^\s():]+):(\d+)\)\s*$`)
	inFile   = lazyregexp.New(`(?:^(?:ERROR|WARNING|Error|Warning) in |^[\s│]*on |\bat )(\S+\.\w+)(?: line |:| )(\d+)(?::\d+|[,.]|\s|$)`)
	anywhere = lazyregexp.New(`(?:^|[\s"'(\[<•↗┃@])((?:[A-Za-z]:)?[\w./\\@+-]*\w\.[A-Za-z]\w*)(?::|\()(\d+)(?:[:,) ]|$)`)
	xmlFile  = lazyregexp.New(`<file name="([^"]+)"`)
	xmlLine  = lazyregexp.New(`<(?:error|violation|bug)\b[^>]*\bline="(\d+)"`)
	coverage = lazyregexp.New(`^\s*([^\s|]+\.\w+)[\s|]+.*?\d+(?:\.\d+)?\s*%?[\s|]+(\d+(?:-\d+)?(?:,\s*\d+(?:-\d+)?)*(?:,?\s*\.\.\.)?)\s*$`)
	status   = lazyregexp.New(`^\s*(?:[AMDTU]|R\d*|\?\?|new file:|deleted:|modified:|renamed:)\s+(\S+)(?:\s+(?:->\s+)?(\S+))?\s*$`)
	aside    = lazyregexp.New(`^\s*(?:make(?:\[\d+\])?: \*\*\* \[([^\s:\]]+):(\d+)|(?:FAILED|ERROR|FAIL|PASSED|ok)\s+([\w./-]+\.\w+))`)
	pathOnly = lazyregexp.New(`^(?:file://)?(\S*[/.]\S+)$`)
	ruby     = lazyregexp.New(`^\s*(?:from |\d+: from )?([^\s:]+):(\d+):in [` + "`" + `']`)
	apple    = lazyregexp.New(`^\s*\d+\s+\S+\s+0x[0-9a-f]+ .*\(([^\s():]+):(\d+)\)\s*$`)
	atLine   = lazyregexp.New(`^\s*([^\s:]+\.\w+): .* at line (\d+)(?:, (?:column|col|char) \d+)?\.?\s*$`)
	swift    = lazyregexp.New(`: file ([^\s:,]+), line (\d+)\s*$`)
	elixir   = lazyregexp.New(`^\s*(?:\([\w.]+ [\d.]+\) |\(\w+\) )([^\s:]+):(\d+): `)
)

func (r *reader) line(line string) {
	if r.diff(line) || r.digit(line) {
		return
	}
	if m := braced.FindStringSubmatch(line); m != nil {
		r.put(Listed, strings.ReplaceAll(m[1]+m[3]+m[4], "//", "/"), "", "")
		r.places[len(r.places)-1].Old = strings.ReplaceAll(m[1]+m[2]+m[4], "//", "/")
		return
	}
	if m := moded.FindStringSubmatch(line); m != nil {
		r.put(Listed, m[1], "", "")
		return
	}
	if m := status.FindStringSubmatch(line); m != nil {
		r.put(Listed, m[1], "", "")
		if m[2] != "" {
			r.places[len(r.places)-1].Old = m[1]
			r.places[len(r.places)-1].Path = m[2]
		}
		return
	}
	if m := xmlFile.FindStringSubmatch(line); m != nil {
		r.file = m[1]
	}
	if m := section.FindStringSubmatch(line); m != nil {
		r.file, r.table = first(m[1:]), true
		return
	}
	if m := whole.FindStringSubmatch(line); m != nil {
		r.put(Diagnostic, m[1], "", "")
		return
	}
	if m := pathOnly.FindStringSubmatch(strings.TrimSpace(line)); m != nil && !strings.HasPrefix(line, " ") {
		r.file = strings.TrimSuffix(m[1], ":")
	}
	if m := aside.FindStringSubmatch(line); m != nil && m[3] != "" {
		r.put(Aside, m[3], "", "")
	}
	if strings.HasPrefix(line, "Traceback (most recent call last)") {
		r.last = true
	}
}

// diff reads the headers of a unified diff.
func (r *reader) diff(line string) bool {
	switch {
	case strings.HasPrefix(line, "--- "):
		r.old = header(line[4:])
		return true
	case strings.HasPrefix(line, "+++ "):
		r.file = header(line[4:])
		if r.file == "/dev/null" {
			r.file = r.old
		}
		return true
	case strings.HasPrefix(line, "diff --git "):
		if parts := strings.Fields(line); len(parts) == 4 {
			r.file = header(parts[3])
		}
		return true
	case strings.HasPrefix(line, "@@ "):
		if r.file == "" || hunk.FindStringSubmatch(line) == nil {
			return true
		}
		start, end, _ := HunkHeader(line)
		r.places = append(r.places, Place{Path: r.file, Start: start, End: end, Kind: Hunk})
		return true
	}
	return len(line) > 0 && (line[0] == '+' || line[0] == '-') && len(r.places) > 0 && r.places[len(r.places)-1].Kind == Hunk
}

// HunkHeader reads the new side of a hunk's header, "@@ -10,6 +12,8 @@": its first and last
// line, 0 for both where nothing is left. ok is false where there are no lines.
func HunkHeader(line string) (start, end int, ok bool) {
	m := hunk.FindStringSubmatch(line)
	if m == nil {
		return 0, 0, false
	}
	count := 1
	if start = number(m[1]); m[2] != "" {
		count = number(m[2])
	}
	if start == 0 || count == 0 {
		return 0, 0, false
	}
	return start, start + count - 1, true
}

func header(s string) string {
	s, _, _ = strings.Cut(s, "\t")
	s = strings.Trim(strings.TrimSpace(s), `"`)
	if len(s) > 2 && s[1] == '/' && strings.ContainsRune("abciw", rune(s[0])) {
		s = s[2:]
	}
	return s
}

// digit reads the lines that name a line.
func (r *reader) digit(line string) bool {
	if !strings.ContainsAny(line, "0123456789") {
		return false
	}
	if m := aside.FindStringSubmatch(line); m != nil && m[1] != "" {
		return r.put(Aside, m[1], m[2], "")
	}
	if m := stylish.FindStringSubmatch(line); m != nil && r.file != "" {
		return r.put(Diagnostic, r.file, m[1], "")
	}
	if m := numbered.FindStringSubmatch(line); m != nil && r.table && r.file != "" {
		return r.put(Diagnostic, r.file, first(m[1:]), "")
	}
	if m := section.FindStringSubmatch(line); m != nil {
		return false
	}
	if m := xmlLine.FindStringSubmatch(line); m != nil && r.file != "" {
		return r.put(Diagnostic, r.file, m[1], "")
	}
	if m := actions.FindStringSubmatch(line); m != nil {
		return r.put(Diagnostic, m[1], m[2], m[3])
	}
	if m := inLine.FindStringSubmatch(line); m != nil {
		return r.put(Diagnostic, m[1], m[2], "")
	}
	if m := panicked.FindStringSubmatch(line); m != nil {
		return r.put(Panic, m[1], m[2], "")
	}
	return r.frame(line) || r.complaint(line)
}

func (r *reader) frame(line string) bool {
	if m := python.FindStringSubmatch(line); m != nil {
		r.last = true
		return r.put(Frame, m[1], m[2], "")
	}
	if m := java.FindStringSubmatch(line); m != nil {
		class := strings.Split(m[1], ".")
		return r.put(Frame, strings.Join(append(class[:len(class)-1:len(class)-1], m[2]), "/"), m[3], "")
	}
	if m := ruby.FindStringSubmatch(line); m != nil {
		return r.put(Frame, m[1], m[2], "")
	}
	if m := elixir.FindStringSubmatch(line); m != nil {
		return r.put(Frame, m[1], m[2], "")
	}
	if m := goFrame.FindStringSubmatch(line); m != nil {
		return r.put(Frame, m[1], m[2], "")
	}
	if all := onLine.FindAllStringSubmatch(line, 4); all != nil {
		for _, m := range all {
			r.put(Frame, m[1], m[2], "")
		}
		return true
	}
	if m := swift.FindStringSubmatch(line); m != nil {
		return r.put(Panic, m[1], m[2], "")
	}
	if m := apple.FindStringSubmatch(line); m != nil {
		return r.put(Frame, m[1], m[2], "")
	}
	if m := valgrind.FindStringSubmatch(line); m != nil {
		return r.put(Frame, m[1], m[2], "")
	}
	if m := atFrame.FindStringSubmatch(line); m != nil {
		if all := inParens.FindAllStringSubmatch(m[1], -1); len(all) > 0 {
			return r.put(Frame, all[len(all)-1][1], all[len(all)-1][2], "")
		}
	}
	return false
}

func (r *reader) complaint(line string) bool {
	if m := kotlin.FindStringSubmatch(line); m != nil {
		return r.put(Diagnostic, m[1], m[2], "")
	}
	if m := haskell.FindStringSubmatch(line); m != nil {
		return r.put(Diagnostic, m[1], m[2], m[3])
	}
	if m := arrow.FindStringSubmatch(line); m != nil {
		return r.put(Diagnostic, m[1], m[2], "")
	}
	if m := msvc.FindStringSubmatch(line); m != nil {
		return r.put(Diagnostic, m[1], m[2], "")
	}
	if m := atLine.FindStringSubmatch(line); m != nil {
		return r.put(Diagnostic, m[1], m[2], "")
	}
	if m := inFile.FindStringSubmatch(line); m != nil {
		return r.put(Diagnostic, m[1], m[2], "")
	}
	if m := plain.FindStringSubmatch(line); m != nil && (strings.ContainsAny(m[1], "./") || strings.HasSuffix(m[1], "file")) {
		if strings.HasPrefix(strings.TrimSpace(m[6]), "in ") || m[6] == "" && r.last {
			r.last = true
			return r.put(Frame, m[1], m[2], "")
		}
		return r.put(Diagnostic, m[1], m[2], m[3])
	}
	if m := coverage.FindStringSubmatch(line); m != nil && (strings.Contains(line, "%") || strings.Contains(line, "|")) {
		for _, part := range strings.FieldsFunc(m[2], func(c rune) bool { return c == ',' || c == ' ' || c == '.' }) {
			from, to, _ := strings.Cut(part, "-")
			r.put(Diagnostic, m[1], from, to)
		}
		return true
	}
	if m := anywhere.FindStringSubmatch(line); m != nil {
		return r.put(Diagnostic, m[1], m[2], "")
	}
	return false
}

func first(groups []string) string {
	for _, g := range groups {
		if g != "" {
			return g
		}
	}
	return ""
}

func (r *reader) put(kind Kind, path, start, end string) bool {
	p := Place{Path: path, Start: number(start), End: number(end), Kind: kind, Last: r.last}
	if p.End < p.Start {
		p.End = p.Start
	}
	r.places = append(r.places, p)
	return true
}

func number(s string) int {
	if len(s) > 7 {
		return 0
	}
	n, _ := strconv.Atoi(s)
	return n
}
