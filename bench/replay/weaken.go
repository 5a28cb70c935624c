package main

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/testdiff"

	"github.com/belay-dev/belay/internal/syntax"
)

// weakenings are ways to weaken a test, each applied to a real commit: the change must be rejected,
// or left to a person, whatever else it contains.
var weakenings = []struct {
	name string
	make func(l syntax.Language, lines []string, t testdiff.Test) []string
}{
	{"a test deleted", remove},
	{"a test emptied", empty},
	{"a test skipped", skip},
}

// span returns the lines of a test from 0, with its decorators and closing line, to is exclusive;
// and the first and last line of its body.
func span(l syntax.Language, lines []string, t testdiff.Test) (from, to, first, last int, ok bool) {
	n := len(t.Body)
	if n == 0 {
		return 0, 0, 0, 0, false
	}
	from, first, last = t.Line-1, t.Body[0].Line-1, t.Body[n-1].End-1
	for from > 0 && strings.ContainsAny(lines[from-1], "@[#") && slices.ContainsFunc([]string{"@", "[", "#["}, func(mark string) bool {
		return strings.HasPrefix(strings.TrimSpace(lines[from-1]), mark)
	}) {
		from--
	}
	if l == syntax.PHP && from > 0 && strings.HasSuffix(strings.TrimSpace(lines[from-1]), "*/") { // a comment that marks a test
		for from--; from > 0 && !strings.HasPrefix(strings.TrimSpace(lines[from]), "/*"); from-- {
		}
	}
	for first <= last && first > t.Line-1 && strings.TrimSpace(lines[first]) == "" {
		first++
	}
	to = last + 1
	if l != syntax.Python {
		for to < len(lines) && strings.TrimSpace(lines[to]) == "" {
			to++
		}
		if to >= len(lines) {
			return 0, 0, 0, 0, false
		}
		closing := strings.TrimSpace(lines[to])
		if !strings.HasPrefix(closing, "}") && closing != "end" {
			return 0, 0, 0, 0, false
		}
		to++
	}
	return from, to, first, last, first > t.Line-1 && from <= t.Line-1
}

func remove(l syntax.Language, lines []string, t testdiff.Test) []string {
	from, to, _, _, ok := span(l, lines, t)
	if !ok {
		return nil
	}
	return slices.Concat(lines[:from], lines[to:])
}

func empty(l syntax.Language, lines []string, t testdiff.Test) []string {
	_, _, first, last, ok := span(l, lines, t)
	if !ok {
		return nil
	}
	var body []string
	if l == syntax.Python {
		body = []string{indentOf(lines[first]) + "pass"}
	}
	return slices.Concat(lines[:first], body, lines[last+1:])
}

func skip(l syntax.Language, lines []string, t testdiff.Test) []string {
	from, _, first, _, ok := span(l, lines, t)
	if !ok {
		return nil
	}
	head := indentOf(lines[t.Line-1])
	insert := func(at int, line string) []string { return slices.Concat(lines[:at], []string{line}, lines[at:]) }
	switch l {
	case syntax.Go:
		return insert(first, indentOf(lines[first])+`t.Skip("flaky")`)
	case syntax.Python:
		return insert(from, head+"@pytest.mark.skip")
	case syntax.Rust:
		return insert(t.Line-1, head+"#[ignore]")
	case syntax.Java:
		return insert(from, head+"@Ignore")
	case syntax.CSharp:
		return insert(from, head+`[Ignore("flaky")]`)
	case syntax.Ruby:
		return insert(first, indentOf(lines[first])+"skip")
	case syntax.PHP:
		return insert(first, indentOf(lines[first])+"$this->markTestSkipped('flaky');")
	case syntax.JavaScript, syntax.TypeScript:
		line := lines[t.Line-1]
		for _, word := range []string{"test(", "it("} {
			if at := strings.Index(line, word); at >= 0 && strings.TrimSpace(line[:at]) == "" {
				out := slices.Clone(lines)
				out[t.Line-1] = line[:at] + strings.TrimSuffix(word, "(") + ".skip(" + line[at+len(word):]
				return out
			}
		}
	}
	return nil
}

func indentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// weakened is the result of weakening a test in each commit.
type weakened struct {
	Repository string
	Made       map[string]int
	Missed     []string // not detected
}

// weaken checks each commit of the sample once for each way of weakening a test. The test is in a
// file that the commit changed, if that has one, otherwise in any other.
func (r *repository) weaken(ctx context.Context, sample []commit, out *weakened) error {
	out.Made = map[string]int{}
	for _, c := range sample {
		v, err := r.judge(ctx, c, []string{"integrity"})
		if err != nil {
			return err
		}
		if v.stopped() {
			continue // rejected or asked about without the weakening
		}
		for i, kind := range weakenings {
			path, before, after, test, err := r.victim(ctx, c, i)
			if err != nil {
				return err
			}
			if path == "" {
				continue
			}
			v, err := r.judgeWith(ctx, c, []string{"integrity"}, &syntax.File{Path: path, Before: before, After: after})
			if err != nil {
				return err
			}
			out.Made[kind.name]++
			if !v.stopped() {
				said := ""
				for _, f := range v.Findings {
					if f.File == path && (strings.Contains(f.Title, test) || said == "") {
						said = string(f.Severity) + ": " + f.Title + " (" + f.Detail + ")"
					}
				}
				subject, _, _ := strings.Cut(v.Message, "\n")
				out.Missed = append(out.Missed,
					fmt.Sprintf("%.10s %q %s: %s of %s: %s", c.ID, belay.VisibleLine(subject), kind.name, test, path, said))
			}
		}
	}
	return nil
}

// testFiles returns the changes of a commit by path, and the files with tests to choose from: those
// that it changed first, then at most forty others, chosen by at.
func (c commit) testFiles(files []string, at uint32) (changed map[string]change, tests []string) {
	var far []string
	changed = map[string]change{}
	for _, one := range c.changes {
		changed[one.Path] = one
		if one.Status == "M" && syntax.IsTest(one.Path) {
			tests = append(tests, one.Path)
		}
	}
	for _, p := range files {
		if _, is := changed[p]; !is && syntax.IsTest(p) && syntax.IsForTests(p) {
			far = append(far, p)
		}
	}
	sort.Strings(far)
	if len(far) > 40 {
		from := int(at % uint32(len(far)-40))
		far = far[from : from+40]
	}
	return changed, append(tests, far...)
}

// victim finds a test to weaken, the same one for the same commit and way.
func (r *repository) victim(ctx context.Context, c commit, way int) (path string, before, after []byte, name string, err error) {
	files, err := r.files(ctx, c.ID)
	if err != nil {
		return "", nil, nil, "", err
	}
	at := number(c.ID, way)
	changed, tests := c.testFiles(slices.Collect(maps.Keys(files)), at)
	for _, p := range tests {
		text, ok, err := r.blob(files[p])
		if err != nil || !ok {
			return "", nil, nil, "", err
		}
		old := text
		if one, is := changed[p]; is {
			if old, ok, err = r.blob(one.old); err != nil || !ok {
				return "", nil, nil, "", err
			}
		}
		if bytes.Contains(text, []byte("\r\n")) || syntax.IsGenerated(p) || strings.Contains(p, "fixtures/") {
			continue
		}
		l := syntax.LanguageOf(p)
		had := map[string]bool{}
		for _, t := range testdiff.ReadTests(l, old) {
			had[t.Name] = true
		}
		tests := testdiff.ReadTests(l, text)
		for n := range tests {
			t := tests[(n+int(at%1000))%len(tests)]
			if t.Group || !had[t.Name] || !t.CanFail() || len(t.Skips) > 0 || len(t.Body) < 12 {
				continue
			}
			lines := weakenings[way].make(l, strings.Split(string(text), "\n"), t)
			if lines == nil {
				continue
			}
			after := []byte(strings.Join(lines, "\n"))
			if did(l, after, t, tests, way) {
				return p, old, after, t.Name, nil
			}
		}
	}
	return "", nil, nil, "", nil
}

// did reports whether exactly the intended test was weakened, and the other tests are unchanged.
func did(l syntax.Language, text []byte, t testdiff.Test, tests []testdiff.Test, way int) bool {
	now := testdiff.ReadTests(l, text)
	want := len(tests)
	if way == 0 {
		want--
	}
	if len(now) != want {
		return false
	}
	for _, u := range now {
		if u.Name == t.Name {
			switch way {
			case 0:
				return false
			case 1:
				return len(testdiff.FindAssertions(l, u.Body).Vacuous) == 0 && u.Asserts == 0
			}
			return true
		}
	}
	return way == 0
}

func number(id string, way int) uint32 {
	h := fnv.New32a()
	fmt.Fprint(h, id, way)
	return h.Sum32()
}
