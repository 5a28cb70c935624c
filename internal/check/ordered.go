package check

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/syntax"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// verdict is what the tree says of one name of an order.
type verdict struct {
	is    string // belay.MetYes, MetNot or MetUnknown
	at    place
	why   string
	proof bool // whatever the name is: the file it was to be in is as it was
}

func shown(at place) verdict { return verdict{is: belay.MetYes, at: at} }
func absent(at place, f string, a ...any) verdict {
	return verdict{is: belay.MetNot, at: at, why: fmt.Sprintf(f, a...)}
}
func unsure(at place, f string, a ...any) verdict {
	return verdict{is: belay.MetUnknown, at: at, why: fmt.Sprintf(f, a...)}
}

// ordered holds a requirement that names things exactly against the tree. ok is false when
// it names none: then counting and words have to do.
func (j *contractJudge) ordered(m *belay.Met, r belay.Requirement) (ok bool) {
	if r.Count != nil && r.Many() > 1 && r.Marker != belay.MarkModify {
		return false
	}
	o, ok := readOrder(r.Marker, clause(r.Text, j.in.Words), j.known)
	if !ok {
		return false
	}
	var seen, not []string
	worst := belay.MetYes
	for _, n := range o.names {
		v := j.name(o, n)
		if v.is == belay.MetNot && (o.untold || !n.sure && !v.proof || len(j.in.Unread) > 0 || j.in.Request.Type == belay.Unclear) {
			v.is = belay.MetUnknown
		}
		if m.File == "" && v.at.path != "" {
			m.File, m.Line = v.at.path, v.at.line
		}
		if v.is == belay.MetYes {
			seen = append(seen, evidence(n.text, v.at))
			if a, ok := j.arrivedAs(n.text); ok && o.deed == adds && !n.path {
				j.displaced(a, r)
			}
			continue
		}
		not = append(not, n.text)
		if v.is == belay.MetNot {
			worst = belay.MetNot
			j.findings = append(j.findings, belay.Finding{
				Severity: belay.SeverityError, Category: belay.CategoryContract, File: v.at.path, Line: v.at.line,
				Title: v.why, Detail: asked(r), Recommendation: "do what the task asks for by name; if it cannot be done, say why",
			})
			continue
		}
		if worst == belay.MetYes {
			worst = belay.MetUnknown
		}
		j.warn(v.at.path, v.at.line, "not shown: "+v.why, r)
	}
	if worst == belay.MetYes && o.more != "" {
		worst, not = belay.MetUnknown, append(not, o.more)
		j.warn("", 0, "not shown: "+o.more, r)
	}
	m.Verdict, m.Evidence, m.Missing = worst, seen, not
	return true
}

// known reports whether a word is a path of either side: a file, or a folder with its slash.
func (j *contractJudge) known(p string) bool {
	below := func(t *tree) bool {
		i, _ := slices.BinarySearch(t.paths, p)
		return i < len(t.paths) && strings.HasPrefix(t.paths[i], p)
	}
	if j.after.has(p) || j.before.has(p) {
		return true
	}
	return len(p) > 1 && strings.HasSuffix(p, "/") && (below(j.after) || below(j.before))
}

// evidence says what was found where.
func evidence(what string, at place) string {
	switch {
	case at.path == "" || at.path == what:
		return what
	case at.line == 0:
		return what + ", " + at.path
	}
	return fmt.Sprintf("%s, %s:%d", what, at.path, at.line)
}

// name holds one name of an order against the tree.
func (j *contractJudge) name(o order, n name) verdict {
	switch {
	case o.deed == updates:
		return j.updated(o, n)
	case o.deed == renames && n.path:
		return j.moved(n, o.to)
	case o.deed == renames:
		return j.renamed(o, n)
	case o.deed == adds && n.path && j.entered(o): // "add build.log to .gitignore" makes an entry and no file
		return j.literal(n)
	case o.deed == adds && n.path:
		return j.made(n)
	case o.deed == adds:
		return j.came(o, n)
	case n.path:
		return j.gone(n)
	}
	return j.went(o, n)
}

// entered reports whether the place of an order is a file that was there, and no folder.
func (j *contractJudge) entered(o order) bool {
	return o.place != "" && slices.ContainsFunc(j.before.find(o.place), func(p string) bool { return !strings.HasPrefix(p, o.place+"/") })
}

// find returns the paths of a tree that a text names: whole, or by their end. A folder is
// named by all that is in it.
func (t *tree) find(named string) []string {
	if t.has(named) {
		return []string{named}
	}
	var out []string
	for _, p := range t.paths {
		if strings.EqualFold(p, named) ||
			len(p) > len(named) && strings.EqualFold(p[len(p)-len(named)-1:], "/"+named) || strings.HasPrefix(p, named+"/") {
			out = append(out, p)
		}
	}
	return out
}

// gone: a file that was to be deleted.
func (j *contractJudge) gone(n name) verdict {
	had, has := j.before.find(n.text), j.after.find(n.text)
	switch {
	case len(had) == 0:
		return unsure(place{}, "%s: no such file before", n.text)
	case len(has) == 0:
		return shown(place{had[0], 0})
	case len(has) < len(had):
		return unsure(place{has[0], 0}, "%s: partly still there: %s", n.text, has[0])
	}
	return absent(place{has[0], 0}, "should be deleted but is still there: %s", has[0])
}

// made: a file that was to be created.
func (j *contractJudge) made(n name) verdict {
	has, had := j.after.find(n.text), j.before.find(n.text)
	for _, p := range has {
		if !slices.Contains(had, p) {
			return shown(place{p, 0})
		}
	}
	if len(has) > 0 {
		return unsure(place{has[0], 0}, "%s existed before", n.text)
	}
	for _, c := range j.in.Changes {
		if c.Status == "A" && fold(path.Base(c.Path)) == fold(path.Base(n.text)) {
			return unsure(place{c.Path, 0}, "%s: %s was created", n.text, c.Path)
		}
	}
	return absent(place{}, "should be created but is missing: %s", n.text)
}

// moved: a file that was to have another path.
func (j *contractJudge) moved(n, to name) verdict {
	had, has := j.before.find(n.text), j.after.find(n.text)
	came := slices.DeleteFunc(j.after.find(to.text), j.before.has)
	switch {
	case len(had) == 0:
		return unsure(place{}, "%s: no such file before", n.text)
	case len(had) > 1:
		return unsure(place{had[0], 0}, "%s: several files have that name", n.text)
	case len(has) > 0 && slices.Equal(had, has):
		return absent(place{has[0], 0}, "should be moved to %s but is still there: %s", to.text, has[0])
	case len(came) == 0 && len(j.after.find(to.text)) == 0:
		return absent(place{}, "should be moved from %s but is missing: %s", n.text, to.text)
	case len(came) == 0:
		return unsure(place{}, "%s existed before", to.text)
	}
	return shown(place{came[0], 0})
}

// updated: a file that was to be changed. Blank lines are not a change.
func (j *contractJudge) updated(o order, n name) verdict {
	had := j.after.find(n.text)
	for _, p := range had {
		if line, ok := j.touched(p); ok && o.tail {
			return unsure(place{p, line}, "%s changed; whether as requested could not be checked", p)
		} else if ok {
			return shown(place{p, line})
		}
	}
	if len(had) > 0 {
		return unsure(place{had[0], 0}, "%s untouched", had[0])
	}
	return unsure(place{}, "%s: no such file", n.text)
}

// touched returns the first line of a path that came and is not blank, or that something went.
func (j *contractJudge) touched(p string) (line int, ok bool) {
	f := j.changed[p]
	if f == nil {
		return 0, j.differ(p)
	}
	if n := firstFull(f.After, f.AddedLines()); n > 0 {
		return n, true
	}
	return 0, firstFull(f.Before, syntax.AddedLines(f.After, f.Before)) > 0
}

func firstFull(text []byte, set syntax.Lines) int {
	n := 0
	for line := range bytes.Lines(text) {
		if n++; set.Has(n) && len(bytes.TrimSpace(line)) > 0 {
			return n
		}
	}
	return 0
}

// came: something that was to be added under a name.
func (j *contractJudge) came(o order, n name) verdict {
	in, only := j.within(o)
	if o.kind == aRoute || o.kind == aFlag || o.kind == anything {
		return j.literal(n)
	}
	var old place
	var elsewhere place
	for _, f := range j.in.Files {
		was, is := declared(f.Path, f.Before, n.text), declared(f.Path, f.After, n.text)
		if len(is) > len(was) {
			at := place{f.Path, newLine(f, is)}
			if only && !slices.Contains(in, f.Path) {
				elsewhere = at
				continue
			}
			return shown(at)
		}
		if len(is) > 0 {
			old = place{f.Path, is[0]}
		}
	}
	if a, ok := j.arrivedAs(n.text); ok && o.untold && (!only || slices.Contains(in, a.List.File)) {
		return shown(place{a.List.File, a.Line})
	}
	mention := j.mention(n.text, in, only)
	switch {
	case mention.path != "" && o.kind == aValue:
		return shown(mention)
	case mention.path != "":
		return unsure(mention, "%s: no declaration found", n.text)
	case elsewhere.path != "":
		return absent(elsewhere, "should be added in %s but was added elsewhere: %s", o.place, n.text)
	case only && len(in) > 0:
		v := absent(place{in[0], 0}, "should be added in %s but is missing: %s", in[0], n.text)
		v.proof = !j.differ(in[0]) && syntax.LanguageOf(in[0]) != syntax.None
		return v
	case old.path != "":
		return unsure(old, "%s existed before", n.text)
	case j.anywhere(n.text):
		return unsure(place{}, "%s: no declaration was added", n.text)
	}
	if at := j.stands(n.text); at.path != "" {
		return unsure(at, "%s existed before", n.text)
	}
	if j.takenBack(n.text) {
		return unsure(place{}, "%s is not there, and the request renames or removes it", n.text)
	}
	return absent(place{}, "should be added but is missing: %s", n.text)
}

// within returns the files that an order names as the place; only is false when it names none
// that is there.
func (j *contractJudge) within(o order) (in []string, only bool) {
	if o.place == "" {
		return nil, false
	}
	in = j.after.find(o.place)
	return in, len(in) == 1
}

// newLine returns the first of the lines that came.
func newLine(f *syntax.File, lines []int) int {
	added := f.AddedLines()
	for _, n := range lines {
		if added.Has(n) {
			return n
		}
	}
	return lines[0]
}

// mention returns where a name came as a word of its own in code.
func (j *contractJudge) mention(name string, in []string, only bool) place {
	for _, f := range j.in.Files {
		if only && !slices.Contains(in, f.Path) || textFile(f.Path) {
			continue
		}
		n := 0
		added := f.AddedLines()
		for line := range bytes.Lines(f.After) {
			if n++; added.Has(n) && (wordLine(line, name) > 0 || strings.Contains(fold(string(line)), fold(name)) && len(name) > 5) {
				return place{f.Path, n}
			}
		}
	}
	return place{}
}

// anywhere reports whether a name, in any spelling, is in something that came: a line or a path.
func (j *contractJudge) anywhere(name string) bool {
	key := fold(name)
	for _, f := range j.in.Files {
		if f.Before == nil && strings.Contains(fold(f.Path), key) {
			return true
		}
		for line := range picked(f.After, f.AddedLines()) {
			if strings.Contains(fold(string(line)), key) {
				return true
			}
		}
	}
	return slices.ContainsFunc(j.in.Changes, func(c belay.Change) bool { // a file that is no text may hold anything
		return j.changed[c.Path] == nil && c.Status != "D" || strings.Contains(fold(c.Path), key) && c.Status == "A"
	})
}

// takenBack reports whether another part of the request renames or removes what was to be
// added: the message of several commits in one tells of both.
func (j *contractJudge) takenBack(name string) bool {
	away := regexp.MustCompile(
		`(?i)\b(renam|replac|drop|remov|revert|delet)\w*\s+(the\s+)?(\w+\s+)?` + "`?" + regexp.QuoteMeta(name) + `\b`)
	return slices.ContainsFunc(j.in.Request.Requirements, func(r belay.Requirement) bool { return away.MatchString(r.Text) })
}

// literal: a route or a flag, which is in the code as it is named.
func (j *contractJudge) literal(n name) verdict {
	for _, f := range j.in.Files {
		if textFile(f.Path) {
			continue
		}
		k := 0
		added := f.AddedLines()
		for line := range bytes.Lines(f.After) {
			if k++; added.Has(k) && stated(string(line), n.text) {
				return shown(place{f.Path, k})
			}
		}
	}
	last := n.text
	for _, part := range strings.Split(n.text, "/") {
		if part != "" && !strings.ContainsAny(part, ":{<[*") {
			last = part
		}
	}
	if j.anywhere(last) {
		return unsure(place{}, "%s: not found in the added code", n.text)
	}
	return absent(place{}, "should be added but is missing: %s", n.text)
}

// stated reports whether a line has a route or a flag: /health not followed by more of a word.
func stated(line, literal string) bool {
	bare := strings.TrimLeft(literal, "-")
	at := strings.Index(line, bare)
	if at < 0 {
		return false
	}
	end := at + len(bare)
	begins := bare == literal || at == 0 || !wordByte(line[at-1])
	return begins && (end == len(line) || !wordByte(line[end]) && line[end] != '-')
}

// went: something that was to be removed.
func (j *contractJudge) went(o order, n name) verdict {
	if o.kind == aRoute || o.kind == aFlag || strings.HasPrefix(n.text, "--") {
		return j.struck(n)
	}
	in, only := j.within(o)
	var left, was place
	less := false
	for _, f := range j.in.Files {
		if only && !slices.Contains(in, f.Path) && f.After != nil {
			continue
		}
		had, has := declared(f.Path, f.Before, n.text), declared(f.Path, f.After, n.text)
		if len(had) > len(has) {
			was, less = place{f.Path, had[0]}, true
		}
		if len(has) > 0 {
			left = place{f.Path, has[0]}
		}
	}
	switch {
	case less && left.path == "":
		return shown(place{was.path, 0})
	case less:
		return unsure(left, "%s is still declared elsewhere", n.text)
	}
	if left.path == "" {
		left = j.search(in, func(p string, text []byte) int { return first(declared(p, text, n.text)) })
	}
	switch {
	case left.path == "":
		return unsure(place{}, "%s: no declaration found", n.text)
	case o.under || o.kind == anything && j.struckOut(n.text):
		return unsure(left, "%s is still declared", n.text)
	}
	return absent(left, "should be removed but is still declared: %s", n.text)
}

// struck: a route or a flag that was to be removed.
func (j *contractJudge) struck(n name) verdict {
	for _, f := range j.in.Files {
		if textFile(f.Path) {
			continue
		}
		for line := range picked(f.Before, syntax.AddedLines(f.After, f.Before)) {
			if stated(string(line), n.text) {
				return shown(place{f.Path, 0})
			}
		}
	}
	at := j.search(nil, func(p string, text []byte) int {
		k := 0
		for line := range bytes.Lines(text) {
			if k++; stated(string(line), n.text) && !textFile(p) {
				return k
			}
		}
		return 0
	})
	if at.path == "" || j.struckOut(n.text) {
		return unsure(at, "%s: not found in the removed code", n.text)
	}
	return absent(at, "should be removed but is still there: %s", n.text)
}

// struckOut reports whether a line or a file that went has a name, in any spelling.
func (j *contractJudge) struckOut(name string) bool {
	key := fold(name)
	for _, f := range j.in.Files {
		if f.After == nil && strings.Contains(fold(f.Path), key) {
			return true
		}
		for line := range picked(f.Before, syntax.AddedLines(f.After, f.Before)) {
			if strings.Contains(fold(string(line)), key) {
				return true
			}
		}
	}
	return false
}

// aliasing are text of the request that has the old name stay beside the new one.
var aliasing = lazyregexp.New(`(?i)\b(?:alias|wrapper|deprecat\w*|compat\w*|backwards?|keep|old name|both)\b`)

// renamed: something that was to have another name.
func (j *contractJudge) renamed(o order, n name) verdict {
	in, only := j.within(o)
	sure := o.to.sure || o.kind != anything && n.sure
	var came, went, both place
	for _, f := range j.in.Files {
		if only && !slices.Contains(in, f.Path) {
			continue
		}
		newHad, newHas := declared(f.Path, f.Before, o.to.text), declared(f.Path, f.After, o.to.text)
		oldHad, oldHas := declared(f.Path, f.Before, n.text), declared(f.Path, f.After, n.text)
		if fold(o.to.text) == fold(n.text) { // only its spelling changes
			newHad, newHas = nil, nil
			if wordLine(f.After, o.to.text) > 0 && wordLine(f.Before, o.to.text) == 0 {
				newHas = []int{wordLine(f.After, o.to.text)}
				oldHas = nil
			}
		}
		if len(newHas) > len(newHad) {
			came = place{f.Path, newLine(f, newHas)}
			if len(oldHas) > 0 && len(oldHas) >= len(oldHad) {
				both = place{f.Path, oldHas[0]}
			}
		}
		if len(oldHad) > len(oldHas) {
			went = place{f.Path, 0}
		}
	}
	switch {
	case came.path != "" && went.path != "":
		return shown(came)
	case came.path != "" && both.path != "" && (sure || n.text != strings.ToLower(n.text)) && !aliasing.MatchString(j.in.Words):
		v := absent(both, "should be renamed to %s but is still declared: %s", o.to.text, n.text)
		v.proof = true // both are names in the code
		return v
	case came.path != "":
		return unsure(came, "%s: %s was added but %s was not removed", n.text, o.to.text, n.text)
	}
	if at := j.mention(o.to.text, in, only); at.path != "" && o.kind == aValue && j.struckOut(n.text) {
		return shown(at)
	}
	if j.anywhere(o.to.text) || !sure {
		return unsure(place{}, "%s: no declaration of %s was added", n.text, o.to.text)
	}
	if at := j.search(in, func(p string, text []byte) int { return wordLine(text, n.text) }); at.path != "" {
		return absent(at, "should be renamed to %s but is still there: %s", o.to.text, n.text)
	}
	return unsure(place{}, "%s: not found", n.text)
}

// stands returns where a name is declared in files that did not change.
func (j *contractJudge) stands(name string) place {
	return j.search(nil, func(p string, text []byte) int { return first(declared(p, text, name)) })
}

func first(lines []int) int {
	if len(lines) == 0 {
		return 0
	}
	return lines[0]
}

// Bounds on the search for a name in files that did not change.
const (
	maxSearched = 2000
	maxBytes    = 16 << 20
)

// search looks through the files after the change for what look finds, those of in when it
// has any. No place: it is not there, or there is more than is read.
func (j *contractJudge) search(in []string, look func(p string, text []byte) int) place {
	if len(in) == 0 {
		in = j.after.paths
	}
	files, total := 0, 0
	for _, p := range in {
		if syntax.LanguageOf(p) == syntax.None && (textFile(p) || !endings.Has(path.Ext(p))) {
			continue
		}
		if files++; files > maxSearched || total > maxBytes {
			return place{}
		}
		text, ok := j.text(p)
		if total += len(text); !ok {
			continue
		}
		if n := look(p, text); n > 0 {
			return place{p, n}
		}
	}
	return place{}
}

// text reads a file after the change.
func (j *contractJudge) text(p string) ([]byte, bool) {
	if f := j.changed[p]; f != nil {
		return f.After, f.After != nil && len(f.After) <= maxCounted
	}
	if j.differ(p) || j.in.Read == nil {
		return nil, false
	}
	if t, known := j.read[p]; known {
		return t, t != nil
	}
	t, ok := j.in.Read(p)
	if !ok {
		t = nil
	}
	j.read[p] = t
	return t, ok
}
