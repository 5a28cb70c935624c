package intent

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

// sample is a labelled message.
type sample struct {
	ID      string `json:"id"`
	Text    string `json:"text"`
	Context struct {
		PlanExists bool     `json:"plan_exists"`
		Files      []string `json:"files"`
	} `json:"context"`
	Gold struct {
		Type         belay.RequestType   `json:"type"`
		Requirements []wantedRequirement `json:"requirements"`
		Preserve     []string            `json:"preserve"`
		Affected     []string            `json:"affected"`
	} `json:"gold"`
}

type wantedRequirement struct {
	Marker belay.Marker `json:"marker"`
	Gist   string       `json:"gist"`
	Count  *int         `json:"count"`
}

// heldOut reports whether a message is held out, by its id alone: it is measured, but its failures
// are never looked at and nothing is learned from it. These are half of each batch from h to q, by
// hash, and a few later batches completely.
func heldOut(id string) bool { return heldOutIn(id) != "" }

// heldOutIn returns the set of a held-out message, "" for other messages.
func heldOutIn(id string) string {
	switch batch := strings.TrimRight(id, "0123456789"); batch {
	case "t", "u":
		return "held out: t, u"
	case "yj", "zj":
		return "held out: yj, zj"
	case "sc", "sd":
		return "held out: sc, sd"
	}
	if id[0] >= 'h' && id[0] <= 'q' && sha256.Sum256([]byte(id))[0]&1 == 1 {
		return "held out: half of h to q"
	}
	return ""
}

func load(t testing.TB, file string) []sample {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []sample
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var s sample
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		out = append(out, s)
	}
	return out
}

// score counts how well a set of messages was parsed.
type score struct {
	n, types, exact, multiset      int
	hit, predicted, gold           int // requirements by marker
	counts, aligned, counted, cHit int
	pHit, pPred, pGold             int
	aHit, aPred, aGold             int
	confusion                      map[[2]string]int
	several                        [4]share // by number of concerns in a message: 1, 2, 3, more
	worst                          []failure
}

// share counts the results of messages with the same number of concerns.
type share struct{ n, exact, hit, predicted, gold int }

func newScore() *score { return &score{confusion: map[[2]string]int{}} }

type failure struct {
	id, text, want, got string
	cost                int
}

// evaluate parses a set. Held-out messages are counted, but their failures are not kept.
func evaluate(set []sample) *score {
	s := newScore()
	for _, m := range set {
		got, _ := Parse(Input{m.Text, m.Context.PlanExists, m.Context.Files})
		s.add(m, got)
	}
	sort.SliceStable(s.worst, func(i, j int) bool { return s.worst[i].cost > s.worst[j].cost })
	return s
}

func (s *score) add(m sample, got belay.Request) {
	cost := 0
	s.n++
	s.confusion[[2]string{string(m.Gold.Type), string(got.Type)}]++
	if m.Gold.Type == got.Type {
		s.types++
	} else {
		cost += 2
	}
	var want, have []string
	for _, r := range m.Gold.Requirements {
		want = append(want, string(r.Marker))
	}
	for _, r := range got.Requirements {
		have = append(have, string(r.Marker))
	}
	hit := overlap(want, have)
	s.hit, s.predicted, s.gold = s.hit+hit, s.predicted+len(have), s.gold+len(want)
	if slices.Equal(want, have) {
		s.exact++
	}
	if hit == len(want) && hit == len(have) {
		s.multiset++
	}
	if len(want) > 0 {
		by := &s.several[min(len(want), len(s.several))-1]
		by.n, by.hit, by.predicted, by.gold = by.n+1, by.hit+hit, by.predicted+len(have), by.gold+len(want)
		if slices.Equal(want, have) {
			by.exact++
		}
	}
	cost += 2 * (len(want) + len(have) - 2*hit)
	for _, pair := range align(want, have) {
		s.aligned++
		g, h := m.Gold.Requirements[pair[0]].Count, got.Requirements[pair[1]].Count
		if g == nil && h == nil || g != nil && h != nil && *g == *h {
			s.counts++
		} else {
			cost++
		}
		if g != nil {
			s.counted++
			if h != nil && *h == *g {
				s.cHit++
			}
		}
	}
	p := 0
	for _, g := range m.Gold.Preserve {
		if slices.ContainsFunc(got.Preserve, func(h string) bool { return alike(g, h) }) {
			p++
		}
	}
	s.pHit, s.pPred, s.pGold = s.pHit+p, s.pPred+len(got.Preserve), s.pGold+len(m.Gold.Preserve)
	a := overlap(m.Gold.Affected, got.Affected)
	s.aHit, s.aPred, s.aGold = s.aHit+a, s.aPred+len(got.Affected), s.aGold+len(m.Gold.Affected)
	cost += len(m.Gold.Preserve) + len(got.Preserve) - 2*p
	if !heldOut(m.ID) && (cost > 0 || len(m.Gold.Affected)+len(got.Affected) != 2*a) {
		s.worst = append(s.worst, failure{m.ID, m.Text, wanted(m), answered(got), cost*10 + len(m.Gold.Affected) + len(got.Affected) - 2*a})
	}
}

func wanted(m sample) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:", m.Gold.Type)
	for _, r := range m.Gold.Requirements {
		fmt.Fprintf(&b, " %s(%s%s)", r.Marker, r.Gist, times(r.Count))
	}
	fmt.Fprintf(&b, " keep %q files %v", m.Gold.Preserve, m.Gold.Affected)
	return b.String()
}

func answered(r belay.Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:", r.Type)
	for _, q := range r.Requirements {
		fmt.Fprintf(&b, " %s(%s%s)", q.Marker, q.Text, times(q.Count))
	}
	fmt.Fprintf(&b, " keep %q files %v", r.Preserve, r.Affected)
	return b.String()
}

func times(n *int) string {
	if n == nil {
		return ""
	}
	return fmt.Sprintf(" ×%d", *n)
}

// alike compares preserved phrases: one contains the other, and the longer is at most twice as
// long.
func alike(a, b string) bool {
	a, b = strings.ToLower(strings.TrimSpace(a)), strings.ToLower(strings.TrimSpace(b))
	if a == b {
		return true
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	return strings.Contains(b, a) && 2*len(a) >= len(b)
}

func overlap(a, b []string) int {
	left := map[string]int{}
	for _, x := range a {
		left[x]++
	}
	n := 0
	for _, x := range b {
		if left[x] > 0 {
			left[x]--
			n++
		}
	}
	return n
}

// align pairs equal markers in order, as many as possible.
func align(a, b []string) [][2]int {
	l := make([][]int, len(a)+1)
	for i := range l {
		l[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			l[i][j] = max(l[i+1][j], l[i][j+1])
			if a[i] == b[j] {
				l[i][j] = max(l[i][j], l[i+1][j+1]+1)
			}
		}
	}
	var out [][2]int
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j] && l[i][j] == l[i+1][j+1]+1:
			out = append(out, [2]int{i, j})
			i, j = i+1, j+1
		case l[i+1][j] >= l[i][j+1]:
			i++
		default:
			j++
		}
	}
	return out
}

func pct(a, b int) string {
	if b == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", 100*float64(a)/float64(b))
}

func f1(hit, pred, gold int) string {
	if pred+gold == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", 200*float64(hit)/float64(pred+gold))
}

func (s *score) row(name string) string {
	return fmt.Sprintf("| %s | %d | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |", name, s.n, pct(s.types, s.n),
		pct(s.exact, s.n), pct(s.multiset, s.n), pct(s.hit, s.predicted), pct(s.hit, s.gold), f1(s.hit, s.predicted, s.gold),
		pct(s.counts, s.aligned), fmt.Sprintf("%d/%d", s.cHit, s.counted), pct(s.pHit, s.pGold)+" / "+pct(s.pHit, s.pPred),
		pct(s.aHit, s.aGold), pct(s.aHit, s.aPred))
}

const tableHead = "| set | messages | type | sequence | multiset | marker P | marker R | marker F1 | counts | stated counts found | preserve R / P | affected R | affected P |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|"

// sets returns the labelled messages by source, with the held-out ones separate.
func sets(t testing.TB) (names []string, of map[string][]sample) {
	names = []string{"shared", "own, looked at", "held out: half of h to q", "held out: t, u", "held out: yj, zj", "held out: sc, sd"}
	of = map[string][]sample{names[0]: load(t, "testdata/ask/shared.jsonl")}
	for _, m := range load(t, "testdata/ask/own.jsonl") {
		name := cmp.Or(heldOutIn(m.ID), names[1])
		if batch := os.Getenv("BELAY_ASK_BATCH"); batch == "" || strings.TrimRight(m.ID, "0123456789") == batch {
			of[name] = append(of[name], m)
		}
	}
	return names, of
}

// TestEvaluation parses every labelled message, prints the figures, and fails if they are below
// their bounds. BELAY_ASK_SETS selects sets by a part of their names, BELAY_ASK_BATCH a batch by
// its letters, BELAY_ASK_FAILURES is how many failures are shown, and BELAY_ASK_DOC the document to
// write the figures into.
func TestEvaluation(t *testing.T) {
	names, of := sets(t)
	show := 0
	fmt.Sscan(os.Getenv("BELAY_ASK_FAILURES"), &show)
	var doc strings.Builder
	fmt.Fprintln(&doc, tableHead)
	whole, held := newScore(), newScore()
	for _, name := range names {
		if want := os.Getenv("BELAY_ASK_SETS"); want != "" && !strings.Contains(name, want) {
			continue
		}
		s := evaluate(of[name])
		fmt.Fprintln(&doc, s.row(name))
		whole.merge(s)
		if strings.HasPrefix(name, "held out") {
			held.merge(s)
		}
		for _, f := range s.worst[:min(show, len(s.worst))] {
			t.Logf("%s %q\n     want %s\n     got  %s", f.id, f.text, f.want, f.got)
		}
	}
	fmt.Fprintln(&doc, held.row("**all held out**"))
	fmt.Fprintln(&doc, whole.row("**all**"))
	fmt.Fprint(&doc, "\nHeld-out messages, by number of concerns.\n\n", held.concerns())
	fmt.Print(doc.String())
	if os.Getenv("BELAY_ASK_BATCH") != "" {
		fmt.Print("\n", whole.matrix())
	}
	if os.Getenv("BELAY_ASK_SETS") == "" {
		whole.hold(t)
		held.unseen(t)
		fmt.Fprint(&doc, "\nTypes of the held-out messages: rows are the labels, columns the answers.\n\n", held.matrix(), "\nTypes, all sets together.\n\n", whole.matrix(), "\n", whole.failures(10))
		if file := os.Getenv("BELAY_ASK_DOC"); file != "" {
			rewrite(t, file, "figures", doc.String())
		}
	}
}

// unseen fails if held-out messages are parsed less well than required.
func (s *score) unseen(t *testing.T) {
	for what, v := range map[string][3]int{"types": {s.types, s.n, 90}, "markers": {2 * s.hit, s.predicted + s.gold, 85}, "counts": {s.counts, s.aligned, 95}, "kept phrases": {s.pHit, s.pGold, 85}} {
		if 100*v[0] <= v[2]*v[1] {
			t.Errorf("%s of held-out messages: %d of %d are right, want more than %d %%", what, v[0], v[1], v[2])
		}
	}
}

// hold fails if fewer of all messages are parsed correctly than before.
func (s *score) hold(t *testing.T) {
	for what, v := range map[string][3]int{"types": {s.types, s.n, 94}, "sequences of markers": {s.exact, s.n, 80}, "counts": {s.counts, s.aligned, 97},
		"kept phrases": {s.pHit, s.pGold, 88}, "affected files": {s.aHit, s.aGold, 76}} {
		if 100*v[0] < v[2]*v[1] {
			t.Errorf("%s: %d of %d are right, want at least %d %%", what, v[0], v[1], v[2])
		}
	}
}

func (s *score) merge(o *score) {
	s.n, s.types, s.exact, s.multiset = s.n+o.n, s.types+o.types, s.exact+o.exact, s.multiset+o.multiset
	s.hit, s.predicted, s.gold = s.hit+o.hit, s.predicted+o.predicted, s.gold+o.gold
	s.counts, s.aligned, s.counted, s.cHit = s.counts+o.counts, s.aligned+o.aligned, s.counted+o.counted, s.cHit+o.cHit
	s.pHit, s.pPred, s.pGold = s.pHit+o.pHit, s.pPred+o.pPred, s.pGold+o.pGold
	s.aHit, s.aPred, s.aGold = s.aHit+o.aHit, s.aPred+o.aPred, s.aGold+o.aGold
	for k, n := range o.confusion {
		s.confusion[k] += n
	}
	for i, b := range o.several {
		a := &s.several[i]
		a.n, a.exact, a.hit, a.predicted, a.gold = a.n+b.n, a.exact+b.exact, a.hit+b.hit, a.predicted+b.predicted, a.gold+b.gold
	}
	s.worst = append(s.worst, o.worst...)
	sort.SliceStable(s.worst, func(i, j int) bool { return s.worst[i].cost > s.worst[j].cost })
}

// concerns formats the results by the number of concerns in a message.
func (s *score) concerns() string {
	var b strings.Builder
	fmt.Fprintln(&b, "| concerns | messages | sequence | marker R | marker P |\n|---|---|---|---|---|")
	for i, name := range []string{"1", "2", "3", "4 and more"} {
		c := s.several[i]
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s |\n", name, c.n, pct(c.exact, c.n), pct(c.hit, c.gold), pct(c.hit, c.predicted))
	}
	return b.String()
}

// matrix formats the confusion matrix of types.
func (s *score) matrix() string {
	kinds := []string{"fresh", "mutation", "bugfix", "needs-clarification"}
	var b strings.Builder
	fmt.Fprintf(&b, "| | %s |\n|---|---|---|---|---|\n", strings.Join(kinds, " | "))
	for _, want := range kinds {
		fmt.Fprintf(&b, "| **%s** |", want)
		for _, got := range kinds {
			fmt.Fprintf(&b, " %d |", s.confusion[[2]string{want, got}])
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

func (s *score) failures(n int) string {
	var b strings.Builder
	fmt.Fprintln(&b, "The ten worst failures:")
	for _, f := range s.worst[:min(n, len(s.worst))] {
		text := strings.Join(strings.Fields(f.text), " ")
		if r := []rune(text); len(r) > 300 {
			text = string(r[:299]) + "…"
		}
		fmt.Fprintf(&b, "\n- `%s` “%s”\n  - label: %s\n  - answer: %s\n", f.id, strings.ReplaceAll(text, "`", "'"), strings.ReplaceAll(f.want, "\n", " "), strings.ReplaceAll(f.got, "\n", " "))
	}
	return b.String()
}

// rewrite writes figures into a document, between its marks of that name.
func rewrite(t *testing.T, file, name, figures string) {
	from, to := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), from)
	_, after, closed := strings.Cut(rest, to)
	if !ok || !closed {
		t.Fatalf("%s has no place for the figures", file)
	}
	if err := os.WriteFile(file, []byte(before+from+"\n"+figures+"\n"+to+after), 0o666); err != nil {
		t.Fatal(err)
	}
}
