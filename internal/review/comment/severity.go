package comment

import (
	"regexp"
	"sort"
	"strings"
	"sync"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// labels are the words for a severity. They count only where a label stands: at the start,
// in brackets, after "severity", in a heading, as "is a blocker".
var labels = map[Severity]string{
	Critical: `critical|blocker|blockers|blocking|merge blocker|release blocker|showstopper|show-stopper|stop-ship|sev 1|sev-1|sev1|bloqueante|bloqueantes|bloquant|bloquante|blockierend|kritisch|crítico|crítica|critique|致命的|致命|阻塞|阻断|ブロッカー|🔴|🛑|🚨|⛔`,
	Major:    `major|high|error|must fix|must-fix|required|important|sev 2|sev2|hoch|wichtig|zwingend|mayor|alto|alta|importante|obligatorio|majeur|majeure|obligatoire|必須|重要|严重|必须|🟠`,
	Minor:    `minor|medium|moderate|warn|warning|want|sev 3|sev3|mittel|gering|menor|media|mineur|mineure|moyen|moyenne|médio|média|軽微|次要|一般|🟡`,
	Note: `nit|nits|nitpick|nitpicks|suggestion|suggestions|optional|non-blocking|nonblocking|non blocking|non-blocker|not blocking|not a blocker|not critical|low|trivial|info|informational|imo|cosmetic|sev 4|sev4|
kleinigkeit|vorschlag|niedrig|opcional|sugerencia|sugestão|facultatif|suggestion|bajo|baja|baixo|baixa|faible|任意|提案|建议|可选|🔵|⚪`,
}

var (
	labelOf = map[string]Severity{"must": Major, "may": Note}
	word    string // matches any label
	shapes  []*regexp.Regexp
	titled  *regexp.Regexp
)

// prepared makes the expressions when the first review is read.
var prepared = sync.OnceFunc(func() {
	var all []string
	for sev, list := range labels {
		for _, w := range strings.Split(strings.ReplaceAll(list, "\n", ""), "|") {
			labelOf[w] = sev
			all = append(all, w)
		}
	}
	sort.Slice(all, func(i, k int) bool { return len(all[i]) > len(all[k]) || len(all[i]) == len(all[k]) && all[i] < all[k] })
	for i, w := range all {
		all[i] = regexp.QuoteMeta(w)
	}
	word = `(` + strings.Join(all, "|") + `|[ps][0-5])`
	ascii := `(?:^|[^\pL\pN_-])`
	shapes = []*regexp.Regexp{
		regexp.MustCompile(`(?i)(?:severity|priority|prio|sev|impact|risk|level|schweregrad|priorität|gravedad|prioridad|sévérité|gravité|priorité|優先度|重要度|严重程度|优先级)\W{0,6}` + word + `(?:[^\pL-]|$)`),
		regexp.MustCompile(`(?i)^[^\pL\pN\[(]*(?:\d+[.)]\s*|[a-z]{1,4}-?\d+\b[ .:)—–-]*|(?:one|a|an|another|small|tiny|very|super|just|only|some|few)\s+)*[\[(*_【]*\s*` + word + `\s*(?:[:：\-–—|/,.!?()\]*_】\n→]|$|(?:-?(?:severity|priority|risk))?\s*(?:issues?|things?|points?|remarks?|comments?|details?|findings?|problems?|on\b|bugs?)[^.]{0,40}(?:[:：]|\b(?:in|with|on|about)\b|$))`),
		regexp.MustCompile(`(?i)[\[({【（][*_]*(?:[^\])}]{0,24}[,:/·]\s*)?` + word + `\s*[\])}】）,:/*–—-]`),
		regexp.MustCompile(`(?i)(?:\bis|\bare|'s|\bas|\bthis|\bconsider(?: it| this)?|\bcall(?: it| this)?|isn't|ist|es|est)\s+(?:a |an |definitely |really |ein |eine |un )?(blocker|blocking|critical|showstopper|show-stopper|non-blocking|not blocking|not a blocker|not critical|optional|trivial|cosmetic|nit|kritisch|bloqueante|bloquant|minor)\b(?:[^\pL]|$| for| to)`),
		regexp.MustCompile(`(?i)[,;:—–→-]\s*(blocker|blocking|critical|major|minor|nit|trivial|optional|non-blocking|cosmetic|showstopper|high|medium|low|p[0-4])\s*[.!)\]]?\s*$`),
		regexp.MustCompile(`(?i)` + ascii + `(nit|nits|nitpick|showstopper|p[0-4])(?:[^\pL\pN_-]|$)`),
		regexp.MustCompile(`(🔴|🛑|🚨|⛔|🟠|🟡|🔵|⚪)`),
	}
	titled = regexp.MustCompile(`(?i)` + ascii + word + `(?:[^\pL_]|$)`)
})

var tally = lazyregexp.New(`(?i)\d\s*[×x]?\s*[ps][0-5]\b`)

var shouted = lazyregexp.New(`(?:^|[^\pL])(MUST|MAY)(?:[^\pL]|$)|(?i:^\W*(must)\s*(?:[:：\])】]|$))`)

// labelIn is the label that a sentence gives what it names, "" when it gives none.
func labelIn(s string) Severity {
	prepared()
	if tally.MatchString(s) {
		return ""
	}
	for _, re := range shapes {
		if m := re.FindStringSubmatch(s); m != nil {
			return severityOf(m[1])
		}
	}
	if m := shouted.FindStringSubmatch(s); m != nil {
		return labelOf[strings.ToLower(m[1]+m[2])]
	}
	return ""
}

// labelOver is the label that a heading gives what stands below it. A short one may be
// made of any label, a title of several words is read as a sentence.
func labelOver(s string) Severity {
	prepared()
	if tally.MatchString(s) {
		return ""
	}
	if got := labelIn(s); got != "" {
		return got
	}
	if len(strings.Fields(s)) > 5 {
		return ""
	}
	if m := titled.FindStringSubmatch(s); m != nil {
		return severityOf(m[1])
	}
	return ""
}

func severityOf(w string) Severity {
	w = strings.ToLower(w)
	if len(w) == 2 && w[1] >= '0' && w[1] <= '5' {
		level := int(w[1] - '0')
		if w[0] == 's' {
			level--
		}
		return []Severity{Critical, Critical, Major, Minor, Note, Note, Note}[level+1]
	}
	return labelOf[w]
}
