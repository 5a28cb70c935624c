package talk

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/review/token"
)

// Severity is a label the reviewer gave, in one of our five words.
type Severity string

const (
	Critical   Severity = "critical"
	Major      Severity = "major"
	Minor      Severity = "minor"
	Note       Severity = "note"
	Unlabelled Severity = "none"
)

var Rank = map[Severity]int{Critical: 4, Major: 3, Minor: 2, Note: 1, Unlabelled: 0, "": 0}

// labels are the words for a severity. Those that are common words count only where a
// label stands: before a colon, in brackets, after "severity", alone, in a heading.
var labels = map[Severity]string{
	Critical: `merge blocker|release blocker|hard blocker|real blocker|merge-blocker|release-blocker|critical|blocker|blockers|blocking|showstopper|show-stopper|show stopper|stop-ship|stop ship|p0|s1|bloccante|bloccanti|bloqueante|bloqueantes|bloquant|bloquante|bloquants|blockierend|blocker|kritisch|crítico|crítica|critique|critico|致命的|致命|阻塞|阻断|ブロッカー|クリティカル|치명적|🔴|🛑|🚨|⛔`,
	Major:    `major|high|error|p1|s2|must fix|must-fix|required|important|hoch|wichtig|zwingend|mayor|alto|alta|importante|obligatorio|maggiore|obbligatorio|majeur|majeure|obligatoire|élevé|élevée|必須|重要|严重|必须|고|높음|🟠`,
	Minor:    `minor|medium|warn|warning|p2|s3|want|moderate|mittel|gering|menor|medio|media|minore|minori|mineur|mineure|moyen|moyenne|médio|média|軽微|中|次要|一般|🟡`,
	Note: `nit|nits|nitpick|nitpicks|nit-pick|suggestion|suggestions|optional|non-blocking|nonblocking|non-blocker|nonblocker|lowest|not blocking|not a blocker|low|trivial|info|informational|imo|p3|p4|p5|s4|s5|cosmetic|kleinigkeit|kleinigkeiten|vorschlag|niedrig|opcional|sugerencia|sugerencias|
sugestão|sugestões|facoltativo|suggerimento|suggerimenti|facultatif|facultative|détail|détails|bajo|baja|baixo|baixa|faible|任意|提案|建议|可选|好み|ニット|小问题|🔵|⚪`,
}

// clear labels say a severity wherever a sentence says that something is one.
const plainWords = "|critical|blocker|blockers|blocking|showstopper|show-stopper|stop-ship|nit|nits|nitpick|nitpicks|non-blocking|not blocking|optional|trivial|must fix|must-fix|not a blocker|minor|cosmetic|bloccante|bloqueante|bloquant|kritisch|crítico|crítica|critique|kleinigkeit|"

var Severities = map[string]Severity{}

func init() {
	for sev, list := range labels {
		for _, w := range strings.Split(strings.ReplaceAll(list, "\n", ""), "|") {
			Severities[w] = sev
		}
	}
}

var Ranked = map[string]bool{"severity": true, "priority": true, "prio": true, "sev": true, "impact": true, "risk": true, "level": true, "schweregrad": true, "priorität": true,
	"gravedad": true, "severidad": true, "prioridad": true, "sévérité": true, "gravité": true, "priorité": true, "gravidade": true, "severidade": true, "prioridade": true, "優先度": true, "重要度": true, "严重程度": true, "优先级": true, "严重性": true}

// LabelAt reads the label that a line or a sentence starts with.
func LabelAt(toks []token.Token, i int) Severity {
	for j := i; j < len(toks) && j < i+4; j++ {
		t := toks[j]
		if t.Kind == 'p' && Severities[t.Text] == "" && strings.Contains("[(*{-–—#•【（", t.Text) {
			continue
		}
		sev, n := word(toks, j)
		if sev == "" {
			return ""
		}
		if t.Kind == 'p' || level(t.Text) || shouts(t) || standsAsLabel(toks, i, j, n) {
			return sev
		}
		return ""
	}
	return ""
}

func level(text string) bool {
	return len(text) == 2 && (text[0] == 'P' || text[0] == 'S') && text[1] >= '0' && text[1] <= '9'
}

// shouts tells the capitals of the RFCs.
func shouts(t token.Token) bool { return t.Text == "MUST" || t.Text == "MAY" }

// word is the severity a token, with the one or two after it, names; n is how many.
func word(toks []token.Token, i int) (Severity, int) {
	t := toks[i]
	switch {
	case t.Kind == 'p':
		return Severities[t.Text], 1
	case t.Kind == 'c' && (strings.ToUpper(t.Text) == t.Text || strings.HasPrefix(t.Lower, "nit") || strings.HasPrefix(t.Lower, "block")): // `[HIGH]`, `nit`
		return Severities[strings.Trim(t.Lower, "[]() ")], 1
	case t.Kind == 'w' && t.Text == "MUST":
		return Major, 1
	case t.Kind == 'w' && t.Text == "MAY":
		return Note, 1
	case t.Kind == 'w' && t.Lower == "must" && i+1 < len(toks) && toks[i+1].Kind == 'p' && strings.Contains(":：])】", toks[i+1].Text):
		return Major, 1
	case t.Kind == 'w' && t.Lower == "sev" && i+1 < len(toks) && toks[i+1].Kind == 'n':
		return map[int]Severity{0: Critical, 1: Critical, 2: Major, 3: Minor, 4: Note, 5: Note}[toks[i+1].Num], 2
	case t.Kind != 'w':
		return "", 0
	}
	key := t.Lower
	if level, of, ok := strings.Cut(key, "-"); ok && Ranked[of] { // high-severity
		return Severities[level], 1
	}
	best, n := Severities[key], 1
	for k := 1; k < 3 && i+k < len(toks) && toks[i+k].Kind == 'w'; k++ {
		key += " " + toks[i+k].Lower
		if sev, ok := Severities[key]; ok {
			best, n = sev, k+1
		}
	}
	if best != "" && (len(t.Text) == 2) && (t.Lower[0] == 's' || t.Lower[0] == 'p') && !level(t.Text) && t.Lower[1] <= '9' {
		return "", 0
	}
	return best, n
}

// standsAsLabel tells whether the word at j, of n tokens, stands where a label does; from
// is where the sentence starts.
func standsAsLabel(toks []token.Token, from, j, n int) bool {
	end := j + n
	text := func(i int) string {
		if i >= from && i < len(toks) && toks[i].Kind == 'p' {
			return toks[i].Text
		}
		return ""
	}
	open, after := text(j-1), text(end)
	if open != "" && strings.Contains("([{【（", open) && (after == "" || strings.Contains(")]},:/】）!，、：", after)) {
		return after != ""
	}
	if open == "," && after != "" && strings.Contains(")],", after) && (after != "," || strings.Contains(plainWords, "|"+toks[j].Lower+"|")) { // "(CVSS 9.1, critical)"
		return true
	}
	for from < j && qualifies.Has(toks[from].Lower) { // "one minor thing:"
		from++
	}
	first := j == from || j == from+1 && (open != "" && (strings.Contains("-–—•*", open) || emoji(open)))
	if after == ":" && open != "" && strings.Contains(":-–—", open) {
		return true
	}
	if first && after != "" && strings.Contains(":：,.!-–—()/|", after) {
		return true
	}
	if open != "" && strings.Contains(":：|", open) && after != "" && strings.Contains(",;.|", after) && !strings.Contains("|error|warning|important|required|", "|"+toks[j].Lower+"|") {
		return true // "a.go: minor, naming", "a.go | high | leaks"
	}
	if first && end < len(toks) && toks[end].Kind == 'm' && (strings.Contains(plainWords, "|"+toks[j].Lower+"|") || strings.ToUpper(toks[j].Text) == toks[j].Text && !token.Wide([]rune(toks[j].Text)[0])) {
		return true
	}
	if first && end < len(toks) && toks[end].Strong {
		return true
	}
	// "Major issue:", "Minor thing:", "Blocking on two things."
	if first && end+1 < len(toks) && things.Has(toks[end].Lower) && (toks[end+1].Lower == "in" || toks[end+1].Lower == "with" || toks[end+1].Lower == "on" || toks[end+1].Lower == "about") {
		return true
	}
	if first && end+1 < len(toks) && toks[end].Kind == 'w' && (strings.Contains(":：(", text(end+1)) && text(end+1) != "" || toks[end].Lower == "on" && strings.HasPrefix(toks[j].Lower, "block")) {
		return true
	}
	return first && end == len(toks)
}

// emoji tells a picture: people set them before a label.
func emoji(s string) bool {
	for _, r := range s {
		return r >= 0x1f300 || r >= 0x2600 && r < 0x27c0
	}
	return false
}

// Found is a label in a sentence, and where.
type Found struct {
	Sev  Severity
	At   int
	Lead bool
}

// SeverityOf lists the labels of a sentence.
func SeverityOf(toks []token.Token, a, b int) []Found {
	var out []Found
	lead := true
	for i := a; i < b; i++ {
		sev, n := word(toks[:b], i)
		t := toks[i]
		if sev != "" && (t.Kind == 'p' || t.Kind == 'c' || level(t.Text) && !counted(toks, a, i) || shouts(t) || token.Wide([]rune(t.Text)[0]) && n == 1 && standsAsLabel(toks[:b], a, i, n) ||
			standsAsLabel(toks[:b], a, i, n) || afterRank(toks, a, i) || i+n < b && Ranked[toks[i+n].Lower] && n == 1 || predicated(toks, a, b, i, n) || trailing(toks, a, b, i, n)) {
			if (sev == Critical) && i > a && toks[i-1].Class&token.Not != 0 {
				sev = Note
			} else if i > a && toks[i-1].Class&token.Not != 0 && t.Kind == 'w' && sev != Note {
				continue
			}
			out = append(out, Found{sev, i, lead})
			i += n - 1
		}
		if t.Kind == 'm' || t.Kind == 'L' {
			lead = false
		}
	}
	return out
}

// counted tells "1×P0", "2 P1": a tally, no label.
func counted(toks []token.Token, a, i int) bool {
	return i > a && (toks[i-1].Kind == 'n' || toks[i-1].Text == "×" || toks[i-1].Lower == "x")
}

func afterRank(toks []token.Token, a, i int) bool {
	for j := i - 1; j >= a && j >= i-3; j-- {
		if toks[j].Kind == 'w' {
			return Ranked[toks[j].Lower]
		}
	}
	return false
}

// predicated tells "this is a blocker", "not critical", "consider it blocking".
func predicated(toks []token.Token, a, b, i, n int) bool {
	if !strings.Contains(plainWords, "|"+toks[i].Lower+"|") && n == 1 {
		return false
	}
	if strings.HasPrefix(toks[i].Lower, "nit") { // there is no other use of the word
		return true
	}
	if i+n >= b || toks[i+n].Kind == 'p' { // "I consider the leak in a.go a blocker"
		for j := i - 1; j >= a && j >= i-10; j-- {
			switch toks[j].Lower {
			case "consider", "call", "regard", "deem", "treat", "considero", "considère", "halte":
				return true
			}
		}
	}
	if i+n < b && toks[i+n].Kind == 'w' && toks[i+n].Class&(token.But|token.Copula) == 0 && !strings.Contains(" for to and imo here anyway until because since as ", " "+toks[i+n].Lower+" ") {
		return false
	}
	for j := i - 1; j >= a && j >= i-4; j-- {
		if toks[j].Class&token.Copula != 0 || toks[j].Lower == "as" || toks[j].Lower == "consider" || toks[j].Lower == "call" || toks[j].Lower == "isn't" || toks[j].Lower == "aren't" {
			return true
		}
	}
	return i == a || i == a+1 && toks[a].Lower == "not"
}

// qualifies may come before a label at the start, things after it.
var (
	qualifies = lazyregexp.Of(`one a an another small tiny very super just only some few two three couple of`)
	things    = lazyregexp.Of(`thing things point points issue issues remark remarks comment comments detail details stuff concern concerns finding findings problem problems`)
)

// trailing tells a label at the end after a comma or a dash.
func trailing(toks []token.Token, a, b, i, n int) bool {
	rest := i + n
	if rest < b && toks[rest].Kind == 'p' && strings.Contains(".!", toks[rest].Text) {
		rest++
	}
	return rest >= b && (i == a || toks[i-1].Kind == 'p' && strings.Contains(",;-–—:→|：、", toks[i-1].Text))
}

// Headed is the label of a heading, anywhere in it.
func Headed(toks []token.Token) Severity {
	best := Severity("")
	for i := range toks {
		sev, n := word(toks, i)
		if sev == "" || counted(toks, 0, i) && level(toks[i].Text) {
			continue
		}
		if i > 0 && toks[i-1].Class&token.Not != 0 || i > 0 && toks[i-1].Lower == "non" {
			sev = Note
		}
		if toks[i].Kind == 'w' && toks[i].Lower == "error" && i+n < len(toks) && toks[i+n].Kind == 'w' {
			continue // "Error handling"
		}
		if best == "" || Rank[sev] > Rank[best] && best != Note {
			best = sev
		}
	}
	if best == "" && len(toks) > 0 && (toks[0].Lower == "must" && len(toks) <= 2) {
		return Major
	}
	if best == "" && len(toks) > 0 && toks[0].Lower == "may" && len(toks) <= 2 {
		return Note
	}
	return best
}

// LabelFor is the label that covers the token at i: the only one, the last before it when
// labels lead, else the first after it.
func LabelFor(labels []Found, i int) Severity {
	switch {
	case len(labels) == 0:
		return ""
	case len(labels) == 1:
		return labels[0].Sev
	case labels[0].Lead:
		sev := labels[0].Sev
		for _, l := range labels {
			if l.At < i {
				sev = l.Sev
			}
		}
		return sev
	}
	for _, l := range labels {
		if l.At > i {
			return l.Sev
		}
	}
	return labels[len(labels)-1].Sev
}
