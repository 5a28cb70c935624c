// Package epithet finds files that a review describes rather than spells: "the orders
// router", "every SQL file", "the handler.go in billing". It leaves alone what could be
// several, and touches no file.
package epithet

import (
	"strings"

	"github.com/belay-dev/belay/internal/review/names"
	"github.com/belay-dev/belay/internal/review/spot"
	"github.com/belay-dev/belay/internal/review/talk"
	"github.com/belay-dev/belay/internal/review/token"
)

// Find gives the words of a unit the files they describe.
func Find(rd *spot.Reader, toks []token.Token) {
	roles(rd, toks)
	placed(toks)
	kinds(rd, toks)
	namesakes(toks)
	stems(rd, toks)
	migrations(rd, toks)
}

// namesakes finds "both main.go files", "all three index.ts": every file of a name.
func namesakes(toks []token.Token) {
	for i, t := range toks {
		if t.M == nil || len(t.M.Cands) < 2 || len(t.M.Cands) > 20 || t.M.Link || len(t.M.Spans) > 0 {
			continue
		}
		for j := i - 1; j >= 0 && j >= i-3 && toks[j].Kind == 'w'; j-- {
			count, all := counts[toks[j].Lower]
			if all && (count == 0 || count == len(t.M.Cands)) {
				t.M.Set, t.M.Cands = t.M.Cands, nil
				break
			}
			if toks[j].Lower != "the" && toks[j].Lower != "of" && toks[j].Lower != "your" {
				break
			}
		}
	}
}

// counts are words before a name that several files have; 0 is all there are.
var counts = map[string]int{"all": 0, "every": 0, "each": 0, "both": 2, "two": 2, "three": 3, "four": 4, "five": 5, "alle": 0, "beide": 2, "beiden": 2, "todos": 0, "ambos": 2, "tous": 0}

// stems finds "the lexer drops the last token": the only source file of that name, where it
// is what a sentence without any other name begins with.
func stems(rd *spot.Reader, toks []token.Token) {
	for _, part := range talk.Sentences(toks) {
		i := part[0]
		if i+2 >= part[1] || toks[i].Lower != "the" || toks[i+1].Kind != 'w' && toks[i+1].Kind != 'c' || !roleWords[toks[i+1].Lower] || named(toks) {
			continue
		}
		if v := toks[i+2]; v.Kind != 'w' || v.Class&(token.Bad|token.Need|token.Not) == 0 && !strings.HasSuffix(v.Lower, "s") {
			continue
		}
		var found []string
		for _, p := range rd.X.Plain(toks[i+1].Lower) {
			if !names.IsTest(p) {
				found = append(found, p)
			}
		}
		if len(found) == 1 {
			toks[i+1].M, toks[i+1].Kind = &spot.Mention{Spelled: toks[i+1].Text, Cands: found, Role: true}, 'm'
		}
	}
}

func named(toks []token.Token) bool {
	for _, t := range toks {
		if t.M != nil {
			return true
		}
	}
	return false
}

// migrations finds "the migration 0007", "migration 12": the file that begins with the number.
func migrations(rd *spot.Reader, toks []token.Token) {
	for i := 0; i+1 < len(toks); i++ {
		if n := toks[i+1]; n.Kind == 'n' && len(n.Text) > 1 && (toks[i].Lower == "migration" || toks[i].Lower == "migración" || toks[i].Lower == "adr") {
			if found := rd.X.Beginning(n.Text); len(found) == 1 {
				toks[i+1].M, toks[i+1].Kind = &spot.Mention{Spelled: n.Text, Cands: found, Role: true}, 'm'
			}
		}
	}
}

var roleWords = map[string]bool{}

func init() {
	for _, w := range strings.Fields(`module router routes handler controller service model view component serializer schema worker job store reducer middleware hook repository resolver mailer
		guard strategy pipe interceptor decorator resolver directive store slice saga provider entity dto schema command listener event presenter validator builder scheduler
		parser codec lexer migration workflow template page script class file header package partial stylesheet fixture factory policy plugin adapter gateway notebook helper`) {
		roleWords[w] = true
	}
}

// roles finds "the codec module", "the orders router".
func roles(rd *spot.Reader, toks []token.Token) {
	for j := 0; j+1 < len(toks); j++ {
		t, role := toks[j], toks[j+1]
		if role.Kind != 'w' || !roleWords[role.Lower] || t.Kind != 'w' && t.Kind != 'c' || len(t.Lower) < 2 || talk.Skipped[t.Lower] {
			continue
		}
		if j == 0 && (j+2 >= len(toks) || toks[j+2].Text != ":") { // "auth guard: no scope is checked"
			continue
		}
		if j > 0 && toks[j-1].Lower != "the" && toks[j-1].Lower != "our" && toks[j-1].Lower != "your" && toks[j-1].Lower != "that" {
			continue
		}
		if d, ok := rd.X.Dir(t.Lower); ok && role.Lower == "package" && len(rd.Role(t.Lower, role.Lower)) == 0 {
			toks[j+1].M, toks[j+1].Kind = &spot.Mention{Spelled: t.Text, Dir: d}, 'm'
			continue
		}
		if found := rd.Role(t.Lower, role.Lower); len(found) > 0 {
			if n := j + 2; n < len(toks) && toks[n].Kind == 'm' {
				continue // the name itself follows
			}
			toks[j+1].M, toks[j+1].Kind = &spot.Mention{Spelled: t.Text + " " + role.Text, Cands: found, Role: true}, 'm'
		}
	}
}

// kinds finds "all SQL files", "every Dockerfile", "each of the test files": a set by what its
// files are.
func kinds(rd *spot.Reader, toks []token.Token) {
	for j := 0; j < len(toks); j++ {
		if w := toks[j].Lower; w == "the" && j+1 < len(toks) && (toks[j+1].Lower == "workflows" || toks[j+1].Lower == "dockerfiles") {
		} else if w != "all" && w != "every" && w != "each" && w != "both" || toks[j].Kind != 'w' {
			continue
		}
		k := j + 1
		for k < len(toks) && (toks[k].Lower == "of" || toks[k].Lower == "the" || toks[k].Lower == "your" || toks[k].Lower == "our" || toks[k].Lower == "new" || toks[k].Text == ".") {
			k++
		}
		if k >= len(toks) || toks[k].M != nil {
			continue
		}
		kind, files := strings.TrimSuffix(toks[k].Lower, "s"), k+1 < len(toks) && (toks[k+1].Lower == "files" || toks[k+1].Lower == "file")
		alone := kind == "dockerfile" || kind == "workflow" || kind == "makefile" || kind == "readme"
		if !files && !alone {
			continue
		}
		if files {
			kind = toks[k].Lower
		}
		if set := rd.Kind(kind); len(set) > 0 && len(set) <= 500 {
			toks[k].M, toks[k].Kind = &spot.Mention{Spelled: toks[k].Text, Set: set}, 'm'
		}
	}
}

// placed settles "the handler.go in billing", "billing's handler.go" by the folder named
// beside it.
func placed(toks []token.Token) {
	for i, t := range toks {
		if t.M == nil || len(t.M.Cands) < 2 || t.M.Link {
			continue
		}
		for _, j := range []int{i - 1, i + 2, i + 3} {
			if j < 0 || j >= len(toks) || toks[j].Kind != 'w' && toks[j].Kind != 'c' {
				continue
			}
			if j > i && (!inside[toks[i+1].Lower] || j == i+3 && !talk.Skipped[toks[i+2].Lower]) {
				continue
			}
			word := strings.TrimSuffix(toks[j].Lower, "'s")
			var fit []string
			for _, p := range t.M.Cands {
				if strings.Contains("/"+strings.ToLower(p), "/"+word+"/") {
					fit = append(fit, p)
				}
			}
			if len(fit) == 1 {
				t.M.Cands = fit
				break
			}
		}
	}
}

var inside = map[string]bool{"in": true, "of": true, "from": true, "under": true, "inside": true, "for": true, "im": true, "von": true, "aus": true, "en": true, "de": true, "dans": true, "em": true, "do": true, "da": true}
