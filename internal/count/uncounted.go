package count

import (
	"bytes"
	"regexp"
	"slices"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// uncountableReason returns why and where a count may be wrong, "" if it is reliable. For example,
// what an unknown part refers to may have changed although its name is the same.
func (j *judge) uncountableReason(c *candidate) (why, at string, line int) {
	if c.before != nil && c.after == nil && j.after.scan(c.before.File).unreadable {
		return c.before.File + " can no longer be read", c.before.File, 1
	}
	for _, label := range c.countAfter.Unknown {
		for _, name := range identifier.FindAllString(label, -1) {
			if l := j.changedNamesake(name, c); l != nil {
				return label + " may be a different number: " + name + " changed", l.File, l.Line
			}
		}
	}
	if grown, told := c.countAfter.Minus(c.countBefore); told && c.after != nil && (c.after.Kind == Array || c.after.Kind == Object) {
		if at, line := j.findUncountedAppend(c.after.Name, max(grown, 0)); at != "" {
			return "items are added to " + c.after.Name + " elsewhere", at, line
		}
	}
	return "", "", 0
}

var identifier = lazyregexp.New(`[\pL_$][\pL\d_$]*`)

// changedNamesake returns a list of that name in a changed file with changed items.
func (j *judge) changedNamesake(name string, c *candidate) *List {
	for _, p := range j.changedPaths() {
		for _, l := range j.after.scan(p).lists {
			if l.Name != name || l == c.after || !definingKinds[l.Kind] {
				continue
			}
			was := slices.IndexFunc(j.before.scan(p).lists,
				func(b *List) bool { return b.Name == name && b.Kind == l.Kind && slices.Equal(b.Path, l.Path) })
			if was < 0 {
				return l
			}
			if gone, came := diffLabels(j.before.scan(p).lists[was].Items, l.Items); len(gone)+len(came) > 0 {
				return l
			}
		}
	}
	return nil
}

// findUncountedAppend finds a new statement that adds to a list and was not counted: in a loop, a
// condition, another function. counted is how many counted additions to ignore.
func (j *judge) findUncountedAppend(name string, counted int) (at string, line int) {
	if len(name) < 2 || IsStopWord.Has(name) {
		return "", 0
	}
	quoted := regexp.QuoteMeta(name)
	if c := name[len(name)-1]; c == '_' || isDigit(c) || isLetter(c) {
		quoted += `\b`
	}
	adds := regexp.MustCompile(`(?:^|[^\w.$-])(?:this\.|self\.|cls\.)?` + quoted +
		`\s*(?:\.(?:push|unshift|append|add|addAll|extend|insert|push_back|set|put|update|splice|putAll|setdefault|` +
		`register)\s*\(|\+=|<<|\[[^\]\n]*\]\s*=[^=])|=\s*append\(\s*` + quoted)
	n := -counted
	for _, p := range j.changedPaths() {
		was, is := j.before.load(p), j.after.load(p)
		if LanguageOf(p) == "" || !is.exists {
			continue
		}
		found := statementEnds(adds, is.src)
		if more := len(found) - len(statementEnds(adds, was.src)); more > 0 {
			n += more
			at, line = p, 1+bytes.Count(is.src[:found[len(found)-1]], []byte("\n"))
		}
	}
	if n <= 0 {
		return "", 0
	}
	return at, line
}

// statementEnds returns the ends of an expression's matches, except in comments.
func statementEnds(form *regexp.Regexp, src []byte) (ends []int) {
	for _, at := range form.FindAllIndex(src, -1) {
		line := bytes.TrimSpace(src[bytes.LastIndexByte(src[:at[0]+1], '\n')+1 : at[0]+1])
		if !bytes.Contains(line, []byte("//")) && !bytes.Contains(line, []byte("#")) &&
			!bytes.HasPrefix(line, []byte("*")) && !bytes.HasPrefix(line, []byte("/*")) {
			ends = append(ends, at[1])
		}
	}
	return ends
}
