package clue

import (
	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/review/talk"
	"github.com/belay-dev/belay/internal/review/token"
)

var numerals = map[string]int{"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "both": 2, "zwei": 2, "drei": 3, "vier": 4, "dos": 2, "tres": 3, "cuatro": 4, "deux": 2, "trois": 3, "quatre": 4, "dois": 2, "três": 3, "quatro": 4}

// Count reads "the three other" before a folder: whether others are meant, and how many.
func Count(toks []token.Token, from, to int) (others bool, count int) {
	for i := from; i < to; i++ {
		t := toks[i]
		switch {
		case t.Lower == "other" || t.Lower == "others" || t.Lower == "remaining" || t.Lower == "rest":
			others = true
		case t.Kind == 'n' && t.Num < 100 && i >= to-5: // of files, not of what is wrong in them
			count = t.Num
		case numerals[t.Lower] > 0:
			count = numerals[t.Lower]
		}
	}
	return others, count
}

// Definite are the words of what a clause points at: "the unused import", "this warning",
// "die Warnung".
func Definite(toks []token.Token, c *talk.Clause) []string {
	var out []string
	for i := c.A; i < c.B; i++ {
		if i == c.A && i+1 < c.B && (remarks[toks[i+1].Lower] || toks[i+1].Text == ":") && toks[i].Kind == 'w' { // "errcheck finding: …", "TestMerge: …"
			out = append(out, toks[i].Lower)
		}
		if k := toks[i].Lower; len(k) >= 5 && k[0] >= 'a' && k[0] <= 'z' && k[len(k)-1] >= '0' && k[len(k)-1] <= '9' { // a rule's number: DL3006, SC2086
			out = append(out, k)
		}
		switch toks[i].Lower {
		case "the", "this", "that", "both", "these", "those", "der", "die", "das", "den", "el", "la", "los", "las", "le", "les", "o", "a", "os", "as":
		default:
			continue
		}
		for j := i + 1; j < c.B && j <= i+3 && (toks[j].Kind == 'w' || toks[j].Kind == 'c') && toks[j].Class&(token.Ask|token.But) == 0; j++ {
			if w := native[toks[j].Lower]; w != "" {
				out = append(out, w)
			} else if !talk.Skipped[toks[j].Lower] && toks[j].Lower != "i" && toks[j].Lower != "of" && toks[j].Lower != "is" {
				out = append(out, toks[j].Lower)
			}
		}
	}
	return out
}

// Points are the numbers of the remarks that a clause speaks of: "2 is done", "my first
// point", "#3 and #4".
func Points(toks []token.Token, c *talk.Clause) []int {
	var out []int
	for i := c.A; i < c.B; i++ {
		t := toks[i]
		if t.Kind == 'n' && t.Num > 0 && t.Num < 100 && (i == c.A || i+1 < c.B && token.Phrase(toks[i+1].Lower)&token.Copula != 0 || pointed(toks, c.A, i)) {
			out = append(out, t.Num)
		}
		if n := ordinals[t.Lower]; n > 0 && i+1 < c.B && remarks[toks[i+1].Lower] {
			out = append(out, n)
		}
	}
	return out
}

// pointed tells a number after "point", "#", or after another such number.
func pointed(toks []token.Token, a, i int) bool {
	for j := i - 1; j >= a; j-- {
		switch {
		case toks[j].Text == "#" || remarks[toks[j].Lower] || toks[j].Lower == "no" || toks[j].Lower == "nr" || toks[j].Class&token.Recall != 0:
			return true
		case toks[j].Kind == 'n' || toks[j].Text == "," || token.Joins[toks[j].Lower]:
		default:
			return false
		}
	}
	return false
}

var remarks = map[string]bool{"point": true, "points": true, "item": true, "items": true, "comment": true, "comments": true, "remark": true, "remarks": true, "finding": true, "findings": true, "one": true, "issue": true, "nit": true,
	"punkt": true, "punkte": true, "anmerkung": true, "punto": true, "puntos": true, "comentario": true, "remarque": true, "ponto": true, "pontos": true, "comentário": true}

// native are words for what tools print in English.
var native = map[string]string{"fehler": "error", "warnung": "warning", "warnungen": "warning", "errores": "error", "advertencia": "warning", "advertencias": "warning", "erreur": "error", "erreurs": "error",
	"avertissement": "warning", "avertissements": "warning", "erro": "error", "erros": "error", "aviso": "warning", "avisos": "warning"}

// FormerLatter is 0 where a clause speaks of the former of two, 1 of the latter, else -1.
func FormerLatter(toks []token.Token, c *talk.Clause) int {
	for i := c.A; i < c.B; i++ {
		switch toks[i].Lower {
		case "former":
			return 0
		case "latter":
			return 1
		}
	}
	return -1
}

// There tells "fix it there".
func There(toks []token.Token, c *talk.Clause) bool {
	for i := c.A; i < c.B; i++ {
		switch toks[i].Lower {
		case "there", "dort", "ahí", "allí", "lá", "là":
			return true
		}
	}
	return false
}

// Numbers reads which numbered items the labels of a sentence are given to, and what the
// rest gets.
func Numbers(toks []token.Token, from int, labels []talk.Found) (given map[int]talk.Severity, rest talk.Severity) {
	given = map[int]talk.Severity{}
	for _, l := range labels {
		numbered := false
		for i := from; i < l.At; i++ {
			switch t := toks[i]; {
			case t.Kind == 'n':
				given[t.Num], numbered = l.Sev, true
			case !numbered && (t.Lower == "rest" || t.Lower == "others" || t.Lower == "else" || t.Lower == "remaining"):
				rest = l.Sev
			}
		}
		from = l.At
	}
	return given, rest
}

// Patterned tells a clause with a pattern: a folder in it only says where.
func Patterned(toks []token.Token, c *talk.Clause) bool {
	for i := c.A; i < c.B; i++ {
		if m := toks[i].M; m != nil && len(m.Set) > 0 {
			return true
		}
	}
	return false
}

// SamePlace tells "in the same package", "in that folder".
func SamePlace(toks []token.Token, c *talk.Clause) bool {
	for i := c.A + 1; i < c.B; i++ {
		switch toks[i].Lower {
		case "package", "folder", "directory", "dir", "crate", "verzeichnis", "paket", "carpeta", "dossier", "pasta":
			switch toks[i-1].Lower {
			case "same", "that", "this", "selben", "gleichen", "misma", "même", "mesma", "mesmo":
				return true
			}
		}
	}
	return false
}

// Others tells a clause about what is left of what was pasted: "the other two I do mind".
func Others(toks []token.Token, c *talk.Clause) bool {
	for i := c.A; i+1 < c.B && i < c.A+3; i++ {
		if toks[i].Lower != "the" && toks[i].Lower != "die" && toks[i].Lower != "los" && toks[i].Lower != "les" {
			continue
		}
		switch toks[i+1].Lower {
		case "other", "others", "remaining", "anderen", "otros", "autres", "outros":
			end := c.B - 1
			for end > i && toks[end].Kind == 'p' {
				end--
			}
			return minded.Has(toks[end].Lower)
		}
	}
	return false
}

var minded = lazyregexp.Of(`do matter count care stand stay schon doch sí si oui sim`)
