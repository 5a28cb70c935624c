package ask

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/belay-dev/belay/internal/ask/cue"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/weigh"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// lesson is a labelled message, as grammar reads it.
type lesson struct {
	sample
	m     cue.Message
	right []int // of each act, an index of answers
	trust float64
	acts  [][]string
	whole []string
}

func prepare(s sample, trust float64) lesson {
	msg, _ := shorten(s.Text)
	in := Input{s.Text, s.Context.PlanExists, s.Context.Files}
	l := lesson{sample: s, trust: trust, whole: read(msg, in, nil).cues().Whole()}
	is := s.Gold.Type == belay.Fresh
	p := read(msg, in, &is)
	if s.Gold.Type == belay.Unclear && len(p.doubts) == 0 {
		p.doubts = []belay.Doubt{{}}
	} else if s.Gold.Type != belay.Unclear {
		p.doubts = nil
	}
	l.m, l.right = p.cues(), make([]int, len(p.acts))
	l.m.Doubts = nil
	l.m.Type = s.Gold.Type
	for i, j := range p.matched(s) {
		if j >= 0 {
			for k, m := range answers {
				if m == s.Gold.Requirements[j].Marker {
					l.right[i] = k
				}
			}
		}
	}
	for i := range p.acts {
		l.acts = append(l.acts, l.m.Act(i))
		l.m.Decided = append(l.m.Decided, answers[l.right[i]])
	}
	return l
}

// content are the stems of the words of content.
func content(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }) {
		if !words.Preposition(w) && !words.Determiner(w) && w != "and" && w != "or" {
			w = words.Stem(w)
			out[w[:min(len(w), 6)]] = true
		}
	}
	return out
}

// matched is which labelled requirement each act stands for, or -1: the order of both is that
// of the message, and they share words.
func (p *parse) matched(s sample) []int {
	n, k := len(p.acts), len(s.Gold.Requirements)
	made := map[int]belay.Marker{}
	for _, f := range p.out {
		made[f.a.Nr] = f.Marker
	}
	said := make([]map[string]bool, n)
	for i, a := range p.acts {
		if text := prose.CrashLine(a.C.Block.Text); len(a.C.T) == 0 {
			said[i] = content(text)
		} else {
			said[i] = content(a.C.Text(p.msg, grammar.Span{To: len(a.C.T)}))
		}
	}
	fit := func(i, j int) float64 {
		a, r := p.acts[i], s.Gold.Requirements[j]
		gist, shared := content(r.Gist), 0.0
		for w := range gist {
			if said[i][w] {
				shared++
			}
		}
		shared /= float64(max(1, len(gist)))
		f := 2 * shared
		if made[i] != "" {
			f += 0.5
		}
		if made[i] == r.Marker {
			f += 0.5
		}
		if a.Deed >= 1 && a.Deed <= 3 {
			f += 0.3
		}
		if a.Deed == 0 && shared == 0 && len(gist) > 0 || a.Deed == 5 {
			f--
		}
		if a.Marker == r.Marker {
			f += 0.2
		}
		return f
	}
	best, move := make([][]float64, n+1), make([][]byte, n+1)
	for i := range best {
		best[i], move[i] = make([]float64, k+1), make([]byte, k+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := k; j >= 0; j-- {
			best[i][j], move[i][j] = best[i+1][j], 'a'
			if j == k {
				continue
			}
			if f := fit(i, j); f > 0.6 && best[i+1][j+1]+f > best[i][j] {
				best[i][j], move[i][j] = best[i+1][j+1]+f, 'm'
			}
			if best[i][j+1] > best[i][j] {
				best[i][j], move[i][j] = best[i][j+1], 'g'
			}
		}
	}
	out := make([]int, n)
	for i := range out {
		out[i] = -1
	}
	for i, j := 0, 0; i < n; {
		switch move[i][j] {
		case 'a':
			i++
		case 'm':
			out[i] = j
			i, j = i+1, j+1
		default:
			j++
		}
	}
	return out
}

type settings struct {
	rare             int
	strength, doubts float64
}

func learn(lessons []lesson, set settings) (acts, doubts *weigh.Scale) {
	var a, d []weigh.Example
	for _, l := range lessons {
		if len(l.acts) > mostActs {
			continue
		}
		for i, cues := range l.acts {
			a = append(a, weigh.Example{Cues: cues, Answer: l.right[i], Trust: l.trust})
		}
		sort := asPlain
		switch l.Gold.Type {
		case belay.Unclear:
			sort = asUnclear
		case belay.Fresh:
			sort = asWhole
		case belay.Bugfix:
			sort = asBugfix
		}
		d = append(d, weigh.Example{Cues: l.whole, Answer: sort, Trust: l.trust})
	}
	return weigh.Learn(a, len(answers), set.rare, set.strength), weigh.Learn(d, sorts, set.rare, set.doubts)
}

func TestCross(t *testing.T) {
	if os.Getenv("LEARN") == "" {
		t.Skip()
	}
	var all []lesson
	for _, file := range strings.Split(os.Getenv("LEARN"), ",") {
		for _, s := range load(t, file) {
			trust := 1.0
			if !strings.Contains(file, "/b/") && !heldOut(s.ID) {
				trust = envf("OLD", 0.2)
			}
			all = append(all, prepare(s, trust))
		}
	}
	if w := envf("LINES", 0); w > 0 {
		for _, s := range shortLines(t) {
			all = append(all, prepare(s, w))
		}
	}
	for _, set := range []settings{{int(envf("RARE", 2)), envf("CA", .5), envf("CD", .5)}} {
		folds := 5
		by := map[string][2]*score{}
		before, after, ys := &score{confusion: map[[2]string]int{}}, &score{confusion: map[[2]string]int{}}, &score{confusion: map[[2]string]int{}}
		for fold := range folds {
			var train []lesson
			var test []sample
			for _, l := range all {
				if sum := sha256.Sum256([]byte("x" + l.ID)); l.trust == 1 && int(sum[0])%folds == fold {
					test = append(test, l.sample)
				} else if l.trust < 1 || float64(sum[1])/256 < envf("PART", 1) {
					train = append(train, l)
				}
			}
			acts, doubts := learn(train, set)
			for _, s := range test {
				msg, _ := shorten(s.Text)
				in := Input{s.Text, s.Context.PlanExists, s.Context.Files}
				before.add(s, read(msg, in, nil).answer())
				got := weighed(msg, in, acts, doubts).answer()
				after.add(s, got)
				if show := os.Getenv("SHOW"); show != "" && (show == "ALL" || strings.HasPrefix(s.ID, show)) && (os.Getenv("SHOWT") == "" || string(s.Gold.Type) == os.Getenv("SHOWT")) && (s.ID[:2] == "yb" || s.ID[:2] == "yc" || s.ID[:2] == "ya") {
					one := &score{confusion: map[[2]string]int{}}
					if one.add(s, got); one.types == 0 || one.exact == 0 {
						fmt.Printf("%s plan=%v %q\n     want %s\n     got  %s\n", s.ID, s.Context.PlanExists, s.Text, wanted(s), answered(got))
						p := weighed(msg, in, acts, doubts)
						m := read(msg, in, &p.fresh).cues()
						for i, a := range p.acts {
							if len(a.C.T) == 0 {
								continue
							}
							sum := acts.Weigh(m.Act(i))
							mk, _ := weigh.Best(sum)
							m.Decided = append(m.Decided, answers[mk])
							fmt.Printf("          %v %s | %s | rule %s\n", sum, a.C.Text(p.msg, grammar.Span{To: len(a.C.T)}), m.Acts[i].Verb, m.Made[i].Marker)
						}
					}
				}
				if s.ID[0] == 'y' {
					ys.add(s, got)
				}
				b := strings.TrimRight(s.ID, "0123456789")
				if by[b][0] == nil {
					by[b] = [2]*score{{confusion: map[[2]string]int{}}, {confusion: map[[2]string]int{}}}
				}
				by[b][0].add(s, read(msg, in, nil).answer())
				by[b][1].add(s, got)
			}
			if fold == 0 {
				fmt.Println(set, len(acts.String()), len(doubts.String()))
			}
		}
		fmt.Println(before.row("before"))
		fmt.Println(after.row("after"))
		fmt.Println(ys.row("of these y"))
		for b, s := range by {
			if os.Getenv("BY") != "" {
				fmt.Println("by", s[0].row(b), s[1].row(b))
			}
		}
		fmt.Print(after.matrix())
	}
}

func envf(name string, f float64) float64 {
	fmt.Sscan(os.Getenv(name), &f)
	return f
}

func TestDumpCues(t *testing.T) {
	if os.Getenv("CUES") == "" {
		t.Skip()
	}
	out, _ := os.Create(os.Getenv("CUES"))
	defer out.Close()
	enc := json.NewEncoder(out)
	for _, file := range strings.Split(os.Getenv("LEARN"), ",") {
		for _, s := range load(t, file) {
			l := prepare(s, 1)
			var g []string
			for _, r := range s.Gold.Requirements {
				g = append(g, string(r.Marker))
			}
			enc.Encode(map[string]any{"id": s.ID, "honest": strings.Contains(file, "/b/") || heldOut(s.ID), "gold": g, "type": s.Gold.Type, "acts": l.acts, "right": l.right, "whole": l.whole, "fresh": l.m.Type == belay.Fresh})
		}
	}
}

// shortLines are the lines of testdata/lines.txt as labelled messages.
func shortLines(t *testing.T) []sample {
	text, err := os.ReadFile("testdata/lines.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []sample
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		want, text, _ := strings.Cut(line, " ")
		want, bare := strings.CutPrefix(want, "n:")
		keep, rest, kept := strings.Cut(text, "||")
		if !kept {
			keep, rest = "", text
		}
		var s sample
		s.ID, s.Text = "line", strings.ReplaceAll(strings.TrimSpace(rest), `\n`, "\n")
		s.Context.PlanExists = !bare
		if keep = strings.TrimSpace(keep); keep != "" {
			s.Gold.Preserve = strings.Split(keep, "|")
		}
		s.Gold.Type = belay.Bugfix
		for _, c := range want {
			for m, letter := range letters {
				if letter == string(c) {
					s.Gold.Requirements = append(s.Gold.Requirements, struct {
						Marker belay.Marker `json:"marker"`
						Gist   string       `json:"gist"`
						Count  *int         `json:"count"`
					}{Marker: m})
					if m != belay.MarkFix {
						s.Gold.Type = belay.Mutation
					}
				}
			}
		}
		if strings.Contains(want, "D") {
			s.Gold.Type = belay.Unclear
		}
		if strings.HasPrefix(want, "f") {
			s.Gold.Type = belay.Fresh
		}
		out = append(out, s)
	}
	return out
}

func TestLinesWeighed(t *testing.T) {
	if os.Getenv("LEARN") == "" {
		t.Skip()
	}
	var all []lesson
	for _, file := range strings.Split(os.Getenv("LEARN"), ",") {
		for _, s := range load(t, file) {
			if s.ID[0] == 't' || s.ID[0] == 'u' {
				continue
			}
			trust := 1.0
			if !strings.Contains(file, "/b/") && !heldOut(s.ID) {
				trust = envf("OLD", .2)
			}
			all = append(all, prepare(s, trust))
		}
	}
	if w := envf("LINES", 0); w > 0 {
		for _, s := range shortLines(t) {
			all = append(all, prepare(s, w))
		}
	}
	acts, wholes := learn(all, settings{2, 1, 1})
	before, after := &score{confusion: map[[2]string]int{}}, &score{confusion: map[[2]string]int{}}
	for _, s := range shortLines(t) {
		in := Input{s.Text, s.Context.PlanExists, s.Context.Files}
		before.add(s, read(s.Text, in, nil).answer())
		after.add(s, weighed(s.Text, in, acts, wholes).answer())
	}
	fmt.Println(before.row("lines"))
	fmt.Println(after.row("lines"))
	names, of := sets(t)
	for _, n := range append(names, "") {
		before, after := &score{confusion: map[[2]string]int{}}, &score{confusion: map[[2]string]int{}}
		set := of[n]
		if n == "" {
			for _, s := range load(t, "testdata/own.jsonl") {
				if s.ID[0] == 't' || s.ID[0] == 'u' {
					set = append(set, s)
				}
			}
		}
		for _, s := range set {
			in := Input{s.Text, s.Context.PlanExists, s.Context.Files}
			msg, _ := shorten(s.Text)
			before.add(s, read(msg, in, nil).answer())
			after.add(s, weighed(msg, in, acts, wholes).answer())
		}
		fmt.Println(before.row(n))
		fmt.Println(after.row(n))
	}
}
