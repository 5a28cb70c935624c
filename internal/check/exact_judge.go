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

// nameVerdict is the result for one name of a requirement.
type nameVerdict struct {
	is         string // belay.MetYes, MetNot or MetUnknown
	at         place
	why        string
	conclusive bool // counts even if the name is uncertain, e.g. because the file that should contain it is unchanged
}

func verdictMet(at place) nameVerdict { return nameVerdict{is: belay.MetYes, at: at} }
func verdictNotMet(at place, f string, a ...any) nameVerdict {
	return nameVerdict{is: belay.MetNot, at: at, why: fmt.Sprintf(f, a...)}
}
func verdictUnknown(at place, f string, a ...any) nameVerdict {
	return nameVerdict{is: belay.MetUnknown, at: at, why: fmt.Sprintf(f, a...)}
}

// judgeExact checks a requirement with exact names against the tree. ok is false if it has none:
// then counting and words must decide.
func (j *contractJudge) judgeExact(m *belay.Met, r belay.Requirement) (ok bool) {
	if r.Count != nil && r.Many() > 1 && r.Marker != belay.MarkModify {
		return false
	}
	o, ok := parseExactRequirement(r.Marker, fullClause(r.Text, j.in.Words), j.isKnownPath)
	if !ok {
		return false
	}
	var seen, not []string
	worst := belay.MetYes
	for _, n := range o.names {
		v := j.judgeName(o, n)
		if v.is == belay.MetNot && (o.kindUnknown || !n.certain && !v.conclusive ||
			len(j.in.Unread) > 0 || j.in.Request.Type == belay.Unclear) {
			v.is = belay.MetUnknown
		}
		if m.File == "" && v.at.path != "" {
			m.File, m.Line = v.at.path, v.at.line
		}
		if v.is == belay.MetYes {
			seen = append(seen, evidenceText(n.text, v.at))
			if a, ok := j.findNewItemNamed(n.text); ok && o.action == actionAdd && !n.path {
				j.warnDisplaced(a, r)
			}
			continue
		}
		not = append(not, n.text)
		if v.is == belay.MetNot {
			worst = belay.MetNot
			j.findings = append(j.findings, belay.Finding{
				Severity: belay.SeverityError, Category: belay.CategoryContract, File: v.at.path, Line: v.at.line,
				Title: v.why, Detail: askedForText(r), Recommendation: "do what the task asks for by name; if it cannot be done, say why",
			})
			continue
		}
		if worst == belay.MetYes {
			worst = belay.MetUnknown
		}
		j.addWarning(v.at.path, v.at.line, "not shown: "+v.why, r)
	}
	if worst == belay.MetYes && o.extraText != "" {
		worst, not = belay.MetUnknown, append(not, o.extraText)
		j.addWarning("", 0, "not shown: "+o.extraText, r)
	}
	m.Verdict, m.Evidence, m.Missing = worst, seen, not
	return true
}

// isKnownPath reports whether a word is a path of either side: a file, or a folder with its slash.
func (j *contractJudge) isKnownPath(p string) bool {
	below := func(t *tree) bool {
		i, _ := slices.BinarySearch(t.paths, p)
		return i < len(t.paths) && strings.HasPrefix(t.paths[i], p)
	}
	if j.after.has(p) || j.before.has(p) {
		return true
	}
	return len(p) > 1 && strings.HasSuffix(p, "/") && (below(j.after) || below(j.before))
}

// evidenceText returns what was found, with its place.
func evidenceText(what string, at place) string {
	switch {
	case at.path == "" || at.path == what:
		return what
	case at.line == 0:
		return what + ", " + at.path
	}
	return fmt.Sprintf("%s, %s:%d", what, at.path, at.line)
}

// judgeName checks one name of a requirement against the tree.
func (j *contractJudge) judgeName(o exactRequirement, n subjectName) nameVerdict {
	switch {
	case o.action == actionUpdate:
		return j.judgeUpdatedFile(o, n)
	case o.action == actionRename && n.path:
		return j.judgeMovedFile(n, o.newName)
	case o.action == actionRename:
		return j.judgeRenamed(o, n)
	case o.action == actionAdd && n.path && j.isPlaceExistingFile(o): // "add build.log to .gitignore" adds a line and no file
		return j.judgeAddedLiteral(n)
	case o.action == actionAdd && n.path:
		return j.judgeCreatedFile(n)
	case o.action == actionAdd:
		return j.judgeAddedName(o, n)
	case n.path:
		return j.judgeDeletedFile(n)
	}
	return j.judgeRemovedName(o, n)
}

// isPlaceExistingFile reports whether the place of a requirement is an existing file, and no
// folder.
func (j *contractJudge) isPlaceExistingFile(o exactRequirement) bool {
	return o.place != "" && slices.ContainsFunc(j.before.findPaths(o.place), func(p string) bool {
		return !strings.HasPrefix(p, o.place+"/")
	})
}

// findPaths returns the paths of a tree that a text names: complete, or by suffix. For a folder it
// returns everything in it.
func (t *tree) findPaths(named string) []string {
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

// judgeDeletedFile judges a file to be deleted.
func (j *contractJudge) judgeDeletedFile(n subjectName) nameVerdict {
	had, has := j.before.findPaths(n.text), j.after.findPaths(n.text)
	switch {
	case len(had) == 0:
		return verdictUnknown(place{}, "%s: no such file before", n.text)
	case len(has) == 0:
		return verdictMet(place{had[0], 0})
	case len(has) < len(had):
		return verdictUnknown(place{has[0], 0}, "%s: partly still there: %s", n.text, has[0])
	}
	return verdictNotMet(place{has[0], 0}, "should be deleted but is still there: %s", has[0])
}

// judgeCreatedFile judges a file to be created.
func (j *contractJudge) judgeCreatedFile(n subjectName) nameVerdict {
	has, had := j.after.findPaths(n.text), j.before.findPaths(n.text)
	for _, p := range has {
		if !slices.Contains(had, p) {
			return verdictMet(place{p, 0})
		}
	}
	if len(has) > 0 {
		return verdictUnknown(place{has[0], 0}, "%s existed before", n.text)
	}
	for _, c := range j.in.Changes {
		if c.Status == "A" && foldName(path.Base(c.Path)) == foldName(path.Base(n.text)) {
			return verdictUnknown(place{c.Path, 0}, "%s: %s was created", n.text, c.Path)
		}
	}
	return verdictNotMet(place{}, "should be created but is missing: %s", n.text)
}

// judgeMovedFile judges a file to be moved.
func (j *contractJudge) judgeMovedFile(n, to subjectName) nameVerdict {
	had, has := j.before.findPaths(n.text), j.after.findPaths(n.text)
	came := slices.DeleteFunc(j.after.findPaths(to.text), j.before.has)
	switch {
	case len(had) == 0:
		return verdictUnknown(place{}, "%s: no such file before", n.text)
	case len(had) > 1:
		return verdictUnknown(place{had[0], 0}, "%s: several files have that name", n.text)
	case len(has) > 0 && slices.Equal(had, has):
		return verdictNotMet(place{has[0], 0}, "should be moved to %s but is still there: %s", to.text, has[0])
	case len(came) == 0 && len(j.after.findPaths(to.text)) == 0:
		return verdictNotMet(place{}, "should be moved from %s but is missing: %s", n.text, to.text)
	case len(came) == 0:
		return verdictUnknown(place{}, "%s existed before", to.text)
	}
	return verdictMet(place{came[0], 0})
}

// judgeUpdatedFile judges a file to be changed. Blank lines are not a change.
func (j *contractJudge) judgeUpdatedFile(o exactRequirement, n subjectName) nameVerdict {
	had := j.after.findPaths(n.text)
	for _, p := range had {
		if line, ok := j.firstChangedLine(p); ok && o.hasDetails {
			return verdictUnknown(place{p, line}, "%s changed; whether as requested could not be checked", p)
		} else if ok {
			return verdictMet(place{p, line})
		}
	}
	if len(had) > 0 {
		return verdictUnknown(place{had[0], 0}, "%s untouched", had[0])
	}
	return verdictUnknown(place{}, "%s: no such file", n.text)
}

// firstChangedLine returns the first added line of a path that is not blank, or the place of a
// removed one.
func (j *contractJudge) firstChangedLine(p string) (line int, ok bool) {
	f := j.changed[p]
	if f == nil {
		return 0, j.isChanged(p)
	}
	if n := firstNonBlankLine(f.After, f.AddedLines()); n > 0 {
		return n, true
	}
	return 0, firstNonBlankLine(f.Before, syntax.AddedLines(f.After, f.Before)) > 0
}

func firstNonBlankLine(text []byte, set syntax.Lines) int {
	n := 0
	for line := range bytes.Lines(text) {
		if n++; set.Has(n) && len(bytes.TrimSpace(line)) > 0 {
			return n
		}
	}
	return 0
}

// judgeAddedName judges a name to be added.
func (j *contractJudge) judgeAddedName(o exactRequirement, n subjectName) nameVerdict {
	in, only := j.placeFiles(o)
	if o.kind == kindRoute || o.kind == kindFlag || o.kind == kindAny {
		return j.judgeAddedLiteral(n)
	}
	var old place
	var elsewhere place
	for _, f := range j.in.Files {
		was, is := declarationLines(f.Path, f.Before, n.text), declarationLines(f.Path, f.After, n.text)
		if len(is) > len(was) {
			at := place{f.Path, firstAddedLine(f, is)}
			if only && !slices.Contains(in, f.Path) {
				elsewhere = at
				continue
			}
			return verdictMet(at)
		}
		if len(is) > 0 {
			old = place{f.Path, is[0]}
		}
	}
	if a, ok := j.findNewItemNamed(n.text); ok && o.kindUnknown && (!only || slices.Contains(in, a.List.File)) {
		return verdictMet(place{a.List.File, a.Line})
	}
	mention := j.findAddedMention(n.text, in, only)
	switch {
	case mention.path != "" && o.kind == kindValue:
		return verdictMet(mention)
	case mention.path != "":
		return verdictUnknown(mention, "%s: no declaration found", n.text)
	case elsewhere.path != "":
		return verdictNotMet(elsewhere, "should be added in %s but was added elsewhere: %s", o.place, n.text)
	case only && len(in) > 0:
		v := verdictNotMet(place{in[0], 0}, "should be added in %s but is missing: %s", in[0], n.text)
		v.conclusive = !j.isChanged(in[0]) && syntax.LanguageOf(in[0]) != syntax.None
		return v
	case old.path != "":
		return verdictUnknown(old, "%s existed before", n.text)
	case j.isInAddedText(n.text):
		return verdictUnknown(place{}, "%s: no declaration was added", n.text)
	}
	if at := j.findUnchangedDeclaration(n.text); at.path != "" {
		return verdictUnknown(at, "%s existed before", n.text)
	}
	if j.isRevokedElsewhere(n.text) {
		return verdictUnknown(place{}, "%s is not there, and the request renames or removes it", n.text)
	}
	return verdictNotMet(place{}, "should be added but is missing: %s", n.text)
}

// placeFiles returns the files that a requirement names as the place; only is false if it names no
// existing one.
func (j *contractJudge) placeFiles(o exactRequirement) (in []string, only bool) {
	if o.place == "" {
		return nil, false
	}
	in = j.after.findPaths(o.place)
	return in, len(in) == 1
}

// firstAddedLine returns the first of the lines that was added.
func firstAddedLine(f *syntax.File, lines []int) int {
	added := f.AddedLines()
	for _, n := range lines {
		if added.Has(n) {
			return n
		}
	}
	return lines[0]
}

// findAddedMention returns where a name was added as a separate word in code.
func (j *contractJudge) findAddedMention(name string, in []string, only bool) place {
	for _, f := range j.in.Files {
		if only && !slices.Contains(in, f.Path) || isTextFile(f.Path) {
			continue
		}
		n := 0
		added := f.AddedLines()
		for line := range bytes.Lines(f.After) {
			if n++; added.Has(n) && (lineOfWord(line, name) > 0 ||
				strings.Contains(foldName(string(line)), foldName(name)) && len(name) > 5) {
				return place{f.Path, n}
			}
		}
	}
	return place{}
}

// isInAddedText reports whether an added line or path contains a name, in any spelling.
func (j *contractJudge) isInAddedText(name string) bool {
	key := foldName(name)
	for _, f := range j.in.Files {
		if f.Before == nil && strings.Contains(foldName(f.Path), key) {
			return true
		}
		for line := range linesIn(f.After, f.AddedLines()) {
			if strings.Contains(foldName(string(line)), key) {
				return true
			}
		}
	}
	return slices.ContainsFunc(j.in.Changes, func(c belay.Change) bool { // a binary file may contain anything
		return j.changed[c.Path] == nil && c.Status != "D" || strings.Contains(foldName(c.Path), key) && c.Status == "A"
	})
}

// isRevokedElsewhere reports whether another part of the request renames or removes what was to be
// added: the combined message of several commits describes both.
func (j *contractJudge) isRevokedElsewhere(name string) bool {
	away := regexp.MustCompile(
		`(?i)\b(renam|replac|drop|remov|revert|delet)\w*\s+(the\s+)?(\w+\s+)?` + "`?" + regexp.QuoteMeta(name) + `\b`)
	return slices.ContainsFunc(j.in.Request.Requirements, func(r belay.Requirement) bool { return away.MatchString(r.Text) })
}

// judgeAddedLiteral judges a route or a flag to be added, which is a literal in the code.
func (j *contractJudge) judgeAddedLiteral(n subjectName) nameVerdict {
	for _, f := range j.in.Files {
		if isTextFile(f.Path) {
			continue
		}
		k := 0
		added := f.AddedLines()
		for line := range bytes.Lines(f.After) {
			if k++; added.Has(k) && hasLiteral(string(line), n.text) {
				return verdictMet(place{f.Path, k})
			}
		}
	}
	last := n.text
	for _, part := range strings.Split(n.text, "/") {
		if part != "" && !strings.ContainsAny(part, ":{<[*") {
			last = part
		}
	}
	if j.isInAddedText(last) {
		return verdictUnknown(place{}, "%s: not found in the added code", n.text)
	}
	return verdictNotMet(place{}, "should be added but is missing: %s", n.text)
}

// hasLiteral reports whether a line has a route or a flag: /health not followed by more of a word.
func hasLiteral(line, literal string) bool {
	bare := strings.TrimLeft(literal, "-")
	at := strings.Index(line, bare)
	if at < 0 {
		return false
	}
	end := at + len(bare)
	begins := bare == literal || at == 0 || !isWordByte(line[at-1])
	return begins && (end == len(line) || !isWordByte(line[end]) && line[end] != '-')
}

// judgeRemovedName judges a name to be removed.
func (j *contractJudge) judgeRemovedName(o exactRequirement, n subjectName) nameVerdict {
	if o.kind == kindRoute || o.kind == kindFlag || strings.HasPrefix(n.text, "--") {
		return j.judgeRemovedLiteral(n)
	}
	in, only := j.placeFiles(o)
	var left, was place
	less := false
	for _, f := range j.in.Files {
		if only && !slices.Contains(in, f.Path) && f.After != nil {
			continue
		}
		had, has := declarationLines(f.Path, f.Before, n.text), declarationLines(f.Path, f.After, n.text)
		if len(had) > len(has) {
			was, less = place{f.Path, had[0]}, true
		}
		if len(has) > 0 {
			left = place{f.Path, has[0]}
		}
	}
	switch {
	case less && left.path == "":
		return verdictMet(place{was.path, 0})
	case less:
		return verdictUnknown(left, "%s is still declared elsewhere", n.text)
	}
	if left.path == "" {
		left = j.searchUnchanged(in, func(p string, text []byte) int { return firstOrZero(declarationLines(p, text, n.text)) })
	}
	switch {
	case left.path == "":
		return verdictUnknown(place{}, "%s: no declaration found", n.text)
	case o.conditional || o.kind == kindAny && j.isInRemovedText(n.text):
		return verdictUnknown(left, "%s is still declared", n.text)
	}
	return verdictNotMet(left, "should be removed but is still declared: %s", n.text)
}

// judgeRemovedLiteral judges a route or a flag to be removed.
func (j *contractJudge) judgeRemovedLiteral(n subjectName) nameVerdict {
	for _, f := range j.in.Files {
		if isTextFile(f.Path) {
			continue
		}
		for line := range linesIn(f.Before, syntax.AddedLines(f.After, f.Before)) {
			if hasLiteral(string(line), n.text) {
				return verdictMet(place{f.Path, 0})
			}
		}
	}
	at := j.searchUnchanged(nil, func(p string, text []byte) int {
		k := 0
		for line := range bytes.Lines(text) {
			if k++; hasLiteral(string(line), n.text) && !isTextFile(p) {
				return k
			}
		}
		return 0
	})
	if at.path == "" || j.isInRemovedText(n.text) {
		return verdictUnknown(at, "%s: not found in the removed code", n.text)
	}
	return verdictNotMet(at, "should be removed but is still there: %s", n.text)
}

// isInRemovedText reports whether a removed line or file contains a name, in any spelling.
func (j *contractJudge) isInRemovedText(name string) bool {
	key := foldName(name)
	for _, f := range j.in.Files {
		if f.After == nil && strings.Contains(foldName(f.Path), key) {
			return true
		}
		for line := range linesIn(f.Before, syntax.AddedLines(f.After, f.Before)) {
			if strings.Contains(foldName(string(line)), key) {
				return true
			}
		}
	}
	return false
}

// keepsOldName matches text of a request to keep the old name beside the new one.
var keepsOldName = lazyregexp.New(`(?i)\b(?:alias|wrapper|deprecat\w*|compat\w*|backwards?|keep|old name|both)\b`)

// judgeRenamed judges a name to be renamed.
func (j *contractJudge) judgeRenamed(o exactRequirement, n subjectName) nameVerdict {
	in, only := j.placeFiles(o)
	sure := o.newName.certain || o.kind != kindAny && n.certain
	var came, went, both place
	for _, f := range j.in.Files {
		if only && !slices.Contains(in, f.Path) {
			continue
		}
		newHad, newHas := declarationLines(f.Path, f.Before, o.newName.text), declarationLines(f.Path, f.After, o.newName.text)
		oldHad, oldHas := declarationLines(f.Path, f.Before, n.text), declarationLines(f.Path, f.After, n.text)
		if foldName(o.newName.text) == foldName(n.text) { // only the spelling changes
			newHad, newHas = nil, nil
			if lineOfWord(f.After, o.newName.text) > 0 && lineOfWord(f.Before, o.newName.text) == 0 {
				newHas = []int{lineOfWord(f.After, o.newName.text)}
				oldHas = nil
			}
		}
		if len(newHas) > len(newHad) {
			came = place{f.Path, firstAddedLine(f, newHas)}
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
		return verdictMet(came)
	case came.path != "" && both.path != "" && (sure || n.text != strings.ToLower(n.text)) && !keepsOldName.MatchString(j.in.Words):
		v := verdictNotMet(both, "should be renamed to %s but is still declared: %s", o.newName.text, n.text)
		v.conclusive = true // both are names in the code
		return v
	case came.path != "":
		return verdictUnknown(came, "%s: %s was added but %s was not removed", n.text, o.newName.text, n.text)
	}
	if at := j.findAddedMention(o.newName.text, in, only); at.path != "" && o.kind == kindValue && j.isInRemovedText(n.text) {
		return verdictMet(at)
	}
	if j.isInAddedText(o.newName.text) || !sure {
		return verdictUnknown(place{}, "%s: no declaration of %s was added", n.text, o.newName.text)
	}
	if at := j.searchUnchanged(in, func(p string, text []byte) int { return lineOfWord(text, n.text) }); at.path != "" {
		return verdictNotMet(at, "should be renamed to %s but is still there: %s", o.newName.text, n.text)
	}
	return verdictUnknown(place{}, "%s: not found", n.text)
}

// findUnchangedDeclaration returns where a name is declared in unchanged files.
func (j *contractJudge) findUnchangedDeclaration(name string) place {
	return j.searchUnchanged(nil, func(p string, text []byte) int { return firstOrZero(declarationLines(p, text, name)) })
}

func firstOrZero(lines []int) int {
	if len(lines) == 0 {
		return 0
	}
	return lines[0]
}

// Limits of the search for a name in unchanged files.
const (
	maxSearched = 2000
	maxBytes    = 16 << 20
)

// searchUnchanged calls look for the files after the change, or for those of in if it has any,
// until it returns a line. It returns no place if there is none, or if there are too many files to
// read.
func (j *contractJudge) searchUnchanged(in []string, look func(p string, text []byte) int) place {
	if len(in) == 0 {
		in = j.after.paths
	}
	files, total := 0, 0
	for _, p := range in {
		if syntax.LanguageOf(p) == syntax.None && (isTextFile(p) || !fileEndings.Has(path.Ext(p))) {
			continue
		}
		if files++; files > maxSearched || total > maxBytes {
			return place{}
		}
		text, ok := j.readAfter(p)
		if total += len(text); !ok {
			continue
		}
		if n := look(p, text); n > 0 {
			return place{p, n}
		}
	}
	return place{}
}

// readAfter reads a file after the change.
func (j *contractJudge) readAfter(p string) ([]byte, bool) {
	if f := j.changed[p]; f != nil {
		return f.After, f.After != nil && len(f.After) <= maxCounted
	}
	if j.isChanged(p) || j.in.Read == nil {
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
