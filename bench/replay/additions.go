package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	lists "github.com/belay-dev/belay/internal/count"
	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/syntax"
)

// additions is a sample of commits with a message that asks for something to be added and a change
// that adds most of it to one existing file. Those of the second half state a number.
type additions struct{ plain, most int }

var (
	asksToAdd = lazyregexp.New(`(?i)^[^\pL]*(?:[\w-]+(?:\([^)]*\))?!?:\s*)?(?:\[[^\]]*\]\s*)?(?:add|adds|added|adding|support|supports|` +
		`introduce|include|register|implement|allow)\b`)
	statesNumber = lazyregexp.New(`(?i)\b(?:add(?:s|ed|ing)?|support(?:s|ing)?|include|introduce)\s+(?:\pL+\s+)?` +
		`(?:two|three|four|five|six|seven|eight|nine|ten|\d{1,2})\s+(?:more\s+|new\s+)?\pL{3}`)
)

// Limits of a commit that can be read at a glance.
const (
	mostFiles = 8
	mostLines = 150
)

// may skips commits without a number once there are enough of them: few commits of a history state
// one.
func (k *additions) may(c *commit) bool {
	return len(c.changes) <= mostFiles && asksToAdd.MatchString(subject(c)) &&
		(k.plain < k.most || statesNumber.MatchString(c.Message))
}

func (k *additions) half(c *commit) int {
	at, added, deleted := grown(c), 0, 0
	for _, one := range c.changes {
		added, deleted = added+one.Added, deleted+one.Deleted
	}
	if at < 0 || added > mostLines || deleted*4 > added || c.changes[at].Added*2 < added {
		return -1
	}
	if statesNumber.MatchString(c.Message) {
		return 1
	}
	k.plain++
	return 0
}

func subject(c *commit) string {
	first, _, _ := strings.Cut(c.Message, "\n")
	return first
}

// grown returns the index of the existing file to which a commit adds the most lines; -1 for none.
func grown(c *commit) int {
	most := -1
	for i, one := range c.changes {
		if one.Status == "M" && !one.Binary && one.Added > 0 && (most < 0 || one.Added > c.changes[most].Added) {
			most = i
		}
	}
	return most
}

// added is a commit that adds something, with the contract's verdict on it and on wrong variants of
// it.
type added struct {
	verdict
	File, Language string
	Numbers        bool // its message states a number
	Mutants        []mutant
}

// mutant is a variant of a commit in one file: an existing item is replaced instead of a new one
// added, or one of several new ones is missing.
type mutant struct {
	Way      string
	Line     int // of the added items
	Items    int
	Rejected bool
	Said     []string // errors and warnings that the commit does not have
}

// addAll checks the samples of all repositories by the contract alone.
func addAll(ctx context.Context, n int, totals bool, file string) int {
	status := 0
	var all []added
	for _, dir := range flag.Args() {
		list, err := addIn(ctx, dir, n)
		if err != nil {
			fmt.Fprintf(os.Stderr, "replay: %s: %v\n", dir, err)
			status = 2
			continue
		}
		for _, a := range list {
			if !totals {
				a.print(os.Stdout, name(dir))
			}
		}
		all = append(all, list...)
	}
	tables(os.Stdout, all)
	if file != "" {
		if err := keep(file, all); err != nil {
			fmt.Fprintln(os.Stderr, "replay:", err)
			return 2
		}
	}
	return status
}

func addIn(ctx context.Context, dir string, n int) (all []added, err error) {
	repo, err := open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer repo.close()
	sample, err := repo.sample(ctx, n, &additions{most: n})
	if err != nil {
		return nil, err
	}
	for _, c := range sample {
		a, err := repo.addition(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("%.10s: %w", c.ID, err)
		}
		all = append(all, a)
	}
	return all, nil
}

// addition checks a commit and its mutants.
func (r *repository) addition(ctx context.Context, c commit) (a added, err error) {
	only := []string{"contract"}
	if a.verdict, err = r.judge(ctx, c, only); err != nil {
		return a, err
	}
	one := c.changes[grown(&c)]
	a.File, a.Language, a.Numbers = one.Path, language(one.Path), statesNumber.MatchString(c.Message)
	before, ok, err := r.blob(one.old)
	if err != nil || !ok {
		return a, err
	}
	after, ok, err := r.blob(one.new)
	if err != nil || !ok {
		return a, err
	}
	for _, m := range mutate(before, after) {
		v, err := r.judgeWith(ctx, c, only, &syntax.File{Path: one.Path, Before: before, After: m.text})
		if err != nil {
			return a, err
		}
		a.Mutants = append(a.Mutants, mutant{m.way, m.line, m.items, len(v.Rejected) > 0, a.news(v)})
	}
	return a, nil
}

// news returns the titles of errors and warnings that a mutant has and the commit has not.
func (a added) news(v verdict) (said []string) {
	had := map[string]bool{}
	for _, f := range a.Findings {
		had[string(f.Severity)+f.Title] = true
	}
	for _, f := range v.Findings {
		if !had[string(f.Severity)+f.Title] {
			said = append(said, string(f.Severity)+": "+f.Title)
		}
	}
	return said
}

func language(p string) string {
	if l := lists.LanguageOf(p); l != "" {
		return l
	}
	return strings.TrimPrefix(path.Ext(p), ".")
}

// ways of a mutant.
const (
	converted = "replaced"
	fewer     = "one less"
)

type mutation struct {
	way         string
	line, items int
	text        []byte
}

// mutate makes the mutants of a file with new items: lines of one shape, beside existing lines of
// the same shape. It parses nothing, so that it does not share the errors of counting.
func mutate(before, after []byte) (out []mutation) {
	lines := strings.SplitAfter(string(after), "\n")
	is := syntax.AddedLines(before, after)
	at, n := 0, 0
	for i := 0; i < len(lines); i++ {
		k := i
		for k < len(lines) && is.Has(k+1) {
			k++
		}
		if k-i > n {
			at, n = i, k-i
		}
		i = max(i, k)
	}
	unit, shapes := period(lines[at : at+n])
	if unit == 0 {
		return nil
	}
	items := n / unit
	have := func(from int) bool {
		if from < 0 || from+unit > len(lines) {
			return false
		}
		for i := range unit {
			if is.Has(from+i+1) || shape(lines[from+i]) != shapes[i] {
				return false
			}
		}
		return true
	}
	above := at
	for above > 0 && at-above < n && have(above-unit) {
		above -= unit
	}
	below := at + n
	for at-above+below-at-n < n && have(below) {
		below += unit
	}
	join := func(parts ...[]string) []byte { return []byte(strings.Join(slices.Concat(parts...), "")) }
	if above < at || below > at+n {
		if gone := (at - above + below - at - n) / unit; gone == items {
			out = append(out, mutation{converted, at + 1, items, join(lines[:above], lines[at:at+n], lines[below:])})
		}
		if items > 1 && items <= 12 {
			out = append(out, mutation{fewer, at + 1, items, join(lines[:at], lines[at+unit:])})
		}
	}
	return out
}

// period returns the smallest number of lines after which the shapes of lines repeat, and these
// shapes; 0 if they do not look like items.
func period(lines []string) (int, []string) {
	if len(lines) == 0 || len(lines) > 40 {
		return 0, nil
	}
	all := make([]string, len(lines))
	for i, line := range lines {
		if all[i] = shape(line); strings.TrimSpace(line) == "" {
			all[i] = ""
		}
	}
	for unit := 1; unit <= len(all); unit++ {
		if len(all)%unit != 0 {
			continue
		}
		same := true
		for i := unit; i < len(all) && same; i++ {
			same = all[i] == all[i-unit]
		}
		if same && all[0] != "" {
			return unit, all[:unit]
		}
	}
	return 0, nil
}

var (
	stringsIn = lazyregexp.New("\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|`[^`]*`")
	wordsIn   = lazyregexp.New(`[\pL\d_$][\pL\d_$-]*(?: +[\pL\d_$][\pL\d_$-]*)*`)
	keyword   = lazyregexp.New(`^\s*(?:case|default|return|if|else|for|while|func|function|def|class|import|from|const|let|var|type|` +
		`use|end|public|private|fn|pub|try|it|test|describe)\b`)
)

// shape is a line without the content of its words and strings: its indent, its keyword and its
// first characters.
func shape(line string) string {
	line = strings.TrimRight(line, " \t\r\n,;")
	word := keyword.FindString(line)
	rest := []rune(wordsIn.ReplaceAllString(stringsIn.ReplaceAllString(line[len(word):], "\x01"), "w"))
	return word + strings.ReplaceAll(string(rest[:min(len(rest), len(line)-len(strings.TrimLeft(line, " \t"))+8)]), "\x01", "s")
}

// print prints what a reader must examine of a commit: findings, and undetected mutants.
func (a added) print(w io.Writer, repository string) {
	var missed []string
	for _, m := range a.Mutants {
		if !m.Rejected && len(m.Said) == 0 {
			missed = append(missed, m.Way)
		}
	}
	if len(a.Rejected)+len(a.Findings)+len(missed) == 0 {
		return
	}
	fmt.Fprintf(w, "%s %.10s %s %q\n", repository, a.ID, a.File, belay.VisibleLine(strings.SplitN(a.Message, "\n", 2)[0]))
	for _, f := range a.Findings {
		fmt.Fprintf(w, "    %s: %s (%s)\n", f.Severity, f.Title, belay.VisibleLine(f.Detail))
	}
	for _, way := range missed {
		fmt.Fprintf(w, "    missed: %s\n", way)
	}
}

// tables prints the figures: of the commits by language, and of the mutants.
func tables(w io.Writer, all []added) {
	by := map[string][]added{"all": all}
	var languages []string
	for _, a := range all {
		if by[a.Language] == nil {
			languages = append(languages, a.Language)
		}
		by[a.Language] = append(by[a.Language], a)
	}
	slices.Sort(languages)
	fmt.Fprint(w, "\n| language | commits | rejected | requirements shown | with a number | with a warning |"+
		" replaced: rejected, warned, silent of | one less: the same |\n|---|---|---|---|---|---|---|---|\n")
	for _, l := range append(languages, "all") {
		s := sums(by[l])
		fmt.Fprintf(w, "| %s | %d | %d | %d of %d | %d of %d | %d | %s | %s |\n", l, len(by[l]), s.rejected, s.shown, s.asked,
			s.countShown, s.countAsked, s.warned, s.ways[converted], s.ways[fewer])
	}
}

type sum struct {
	rejected, warned, shown, asked, countShown, countAsked int
	ways                                                   map[string]seen
}

// seen counts the mutants of one way. silent counts undetected ones of commits with all
// requirements shown; for the rest of the undetected ones, the commit itself lacked one.
type seen struct{ made, rejected, warned, silent int }

func (s seen) String() string {
	if s.made == 0 {
		return "-"
	}
	return fmt.Sprintf("%d, %d, %d of %d", s.rejected, s.warned, s.silent, s.made)
}

func sums(list []added) sum {
	s := sum{ways: map[string]seen{}}
	for _, a := range list {
		if len(a.Rejected) > 0 {
			s.rejected++
		}
		if slices.ContainsFunc(a.Findings, func(f belay.Finding) bool { return f.Severity == belay.SeverityWarning }) {
			s.warned++
		}
		for _, m := range a.Met {
			yes := 0
			if m.Verdict == belay.MetYes {
				yes = 1
			}
			s.asked, s.shown = s.asked+1, s.shown+yes
			if a.many(m) > 0 {
				s.countAsked, s.countShown = s.countAsked+1, s.countShown+yes
			}
		}
		for _, m := range a.Mutants {
			k := s.ways[m.Way]
			k.made++
			if m.Rejected {
				k.rejected++
			} else if len(m.Said) > 0 {
				k.warned++
			} else if a.allShown() {
				k.silent++
			}
			s.ways[m.Way] = k
		}
	}
	return s
}

// allShown reports whether all requirements of the commit are shown.
func (a added) allShown() bool {
	return len(a.Met) > 0 && !slices.ContainsFunc(a.Met, func(m belay.Met) bool { return m.Verdict != belay.MetYes })
}

// many returns the number that a result's requirement states, 0 for none.
func (a added) many(m belay.Met) int {
	for _, r := range a.Asked {
		if r.Text == m.Text && r.Marker == m.Marker {
			return r.Many()
		}
	}
	return 0
}
