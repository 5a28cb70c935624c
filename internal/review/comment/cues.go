package comment

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// mark says how what is named somewhere is meant.
type mark int

const (
	plain   mark = iota // says something, no more
	asks                // asks for a change
	aside               // names without asking: a summary, evidence
	praises             // finds good
	settles             // done, or not to be done here
	wonders             // asks a question
)

var reasons = map[mark]string{aside: "only mentioned", praises: "found good", settles: "settled, or not for this change", wonders: "a question"}

var (
	// headings that say what stands below them
	goodHead  = lazyregexp.New(`(?i)\b(?:strengths?|positives?|praise|highlights?|kudos|pros|done well|well done|works well|went well|looks? good|looking good|is good|are good|was good|what'?s good|what is good|good (?:parts?|points?|practices?|things?|stuff|news)|what (?:is |was |i )?(?:already )?(?:works?|worked|working|right|good|well|liked?|correct|fine)|everything else|non-issues?|not (?:a |an )?(?:issue|finding|bug)s?|no (?:\w+ )?(?:issues?|findings?|concerns?|blockers?|problems?)|appreciated|stärken|fortalezas|points forts)\b|良い点|亮点|优点|优势|장점|긍정|잘된|👍|^\W*(?:good|nice|excellent|correct|ok|clean|pass(?:es|ed|ing)?)\W*$`)
	doneHead  = lazyregexp.New(`(?i)^\W*(?:already |previously |recently )?(?:resolved|fixed|addressed|done|completed?|closed|withdrawn|dismissed|verified|approved|rejected findings|false positives?|accepted (?:risks?|as)|won'?t fix|wontfix)\b|(?:[\[(—–:-]\s*|\bis\s+|\bnow\s+)(?:already |all )?(?:resolved|fixed|addressed|done|closed|withdrawn|dismissed|accepted|verified|wontfix|won't fix|completed?|false positive|no (?:code )?(?:actions?|changes?|fix(?:es)?)[\w ]*)\b|\b(?:issues?|findings?|bugs?|blockers?|comments?|items?|concerns?)\s+(?:that were |were |all )?(?:resolved|fixed|addressed|closed|verified)|\b(?:resolved|fixed|addressed|verified|passed|passes)\b[^:]{0,30}$|^\W*(?:✅|☑|✔)|(?:✅|☑|✔)\W*$|no (?:\w+ )?(?:actions?|changes?|fix(?:es)?) (?:needed|required)|what (?:was |i )?(?:passed|passes|verified)|informational only|已修复|已解决|已完成|対応済|해결됨`)
	laterHead = lazyregexp.New(`(?i)\b(?:out[- ]of[- ]scope|not in scope|deferred|follow[- ]?ups?|future|later|backlog|pre-?existing|unrelated|parking lot)\b|不要|範囲外`)
	askHead   = lazyregexp.New(`(?i)\b(?:issues?|findings?|problems?|bugs?|blockers?|blocking|critical|major|minor|high|medium|low|nits?|nitpicks?|must|required|changes? (?:requested|required|needed)|requested changes?|needs?|action items?|actions?|todos?|to[- ]do|fix(?:es)?|concerns?|recommend(?:ations?|ed)|suggest(?:ions?|ed)|improvements?|weakness(?:es)?|vulnerabilit(?:y|ies)|risks?|defects?|gaps?|errors?|warnings?|violations?|smells?|missing|remaining|open|optional|polish|typos?|regressions?|incorrect|wrong|broken|fail(?:s|ed|ing|ures?)?|debt|cons|feedback|inconsistenc(?:y|ies)|P[0-4]|mängel|probleme|fehler|problemas?|problèmes?|errores)\b|❌|⚠|🔴|🟠|🟡|指摘|修正|問題|问题|缺陷|建议|문제|개선|이슈`)
	asideHead = lazyregexp.New(`(?i)\b(?:summary|overview|scope|method(?:ology)?|context|background|references?|related|see also|appendix|files?|changed|changes (?:made|reviewed)|what (?:changed|was|i|we)|checks?|checked|commands?|tests?|coverage|evidence|environment|metrics|statistics|stats|checklist|criteria|requirements?|traceability|architecture|glossary|timeline|history|previous(?:ly)?|prior|earlier|questions?|observations?|conclusion|verdict|verification|verify|validation|table of contents|contents|introduction|structure|process|purpose|assessment|score|rating|inventory|results?)\b`)
	strongest = lazyregexp.New(`(?i)\b(?:must[- ]fix|blocking|blockers?|issues?|findings?|required|requested)\b`)
	rounds    = lazyregexp.New(`(?i)\b(?:round|cycle|iteration|revision|review|pass)\s*#?(\d{1,3})\b`)

	// sentences
	goodWords = lazyregexp.New(`(?i)\b(?:looks? (?:good|great|fine|right|correct|ok|okay|solid|clean|nice|reasonable|sane)|look(?:s|ing)? much better|lgtm|nice(?:ly)?(?: work| job| touch)?|great|excellent|well[- ](?:done|structured|written|tested|factored|organi[sz]ed|designed|documented|covered|thought|isolated)|good (?:job|work|call|catch|idea|test|use|coverage|separation|design)|(?:is|are|was|were|seems?|reads?|all|both) (?:very |all |really |quite |perfectly |also |now |a |pretty )*(?:good|fine|great|ok|okay|correct|right|clean|solid|well|perfect|sound|clear|complete|harmless|intact|unaffected|exemplary|joy|pleasure|impeccable)|works? (?:well|fine|correctly|as (?:expected|intended|designed))|(?:correctly|properly|cleanly|faithfully|appropriately|elegantly) (?:implement|handle|use|wire|test|cover|follow|import|reject|raise|return|validate|extend|isolate|guard|set|call|add|updat|preserv|delegat|report|separat)\w*|no (?:issues?|concerns?|problems?|objections?|comments?|remarks?|complaints?|findings?|scope creep|regressions?)|checks? out|good that|glad (?:that|you)|i trust you|i don'?t mind|gracefully|unaffected|needs nothing|goed zo|mechanical|compliant|innocent|looks? complete|verified accurate|(?:zero|no) (?:\w+ ){0,2}(?:errors?|failures?|hits|warnings?|violations?)|nothing to (?:add|change|do|complain|fix)|couldn'?t find anything|i (?:really )?(?:like|love|agree|appreciate)|big fan|happy with|kudos|thanks for|ship it|can stay|may stay|approved?|confirmed|gefällt|keine anmerkung|in ordnung|kann so bleiben|está (?:bien|muy bien|perfecto|impecável|ótimo)|très (?:bien|propre)|rien à (?:redire|signaler)|n'ai rien trouvé|perfecto|está (?:ótimo|perfeito)|muy bien|impecable|impecável|tudo certo|va bene|nessuna osservazione|rien à dire|nichts zu meckern|ziet er goed uit|gut so|finde ich gut|sieht gut aus|nada (?:que|a)|praise)\b|👍|👌|✅|✔|問題ありません|大丈夫|没问题|良い|いいですね|没有问题|没有意见|写得`)
	briefGood = lazyregexp.New(`(?i)^\W*(?:ok|okay|good|fine|lgtm|nice|great|perfect|clean|correct|pass(?:es|ed)?|yes|✓|👍|👌|✅|none)\W*$|(?:[:：—–-]|\s)\s*(?:ok|okay|good|fine|lgtm|nice|ras|👍|👌|✅|✓|ok as is|as is)\W*$`)
	doneWords = lazyregexp.New(`(?i)\b(?:already (?:fixed|done|handled|addressed|resolved|covered|merged|in place|exists?|correct|does)|(?:is|are|was|were|been|now|both|all|has been|have been) (?:now |all |already |both |fully |since |correctly |properly )?(?:fixed|resolved|addressed|handled|done|withdrawn|restored|reverted|corrected|verified|untouched|unchanged|unaffected|deferred|obsolete|moot|superseded)|(?:fixed|resolved|addressed) (?:in|by|with|since|now)|no (?:change|changes|action|actions|fix|fixes|edit|work|follow-up)(?: is| are| was| were)? (?:needed|required|necessary|asked|requested)|no (?:action|change|fix)\W*$|not (?:a |an )?(?:issue|problem|bug|blocker for|regression|in scope|needed|required|necessary|introduced|touched|part of|related|caused by|affected|for this|now|this (?:pr|change|task|wp))|needs? no (?:change|fix|action)|does(?:n't| not) have (?:this|that|the same)|nothing (?:needed|required|wrong)|harmless|not now|not (?:blocking|ours|yours) but i noticed|leave (?:it|this|that|them|\S+) (?:as|alone|be|for)|out[- ]of[- ]scope|unrelated|pre-?existing|(?:separate|another|different|follow-?up|later|next|future) (?:pr|pull request|mr|ticket|issue|change|commit|task|cycle|release|wp|sprint|patch)|follow-?up|deferred?|post-?poned?|accepted risk|false positive|scratch that|not in this (?:pr|mr|change)|gone (?:now|in)|no hay que cambiar|not reviewed|only skimmed|skimmed|never ?mind|ignore (?:this|that|it|my)|don'?t (?:touch|change|worry|bother|modify|edit)|do not (?:touch|change|modify|edit)|must not (?:be )?(?:change|touch)\w*|not to be (?:changed|touched)|will be (?:fixed|handled|done|addressed)|retract\w*|disregard|won'?t ?fix|separater? pr|nicht in diesem|später)\b|^\W*(?:done|fixed|resolved|ack|acknowledged|addressed|withdrawn|wontfix|dismissed)\b|[:：]\s*(?:ack|done|fixed|resolved|wontfix)\W*$|^\W*(?:status|state)\W{1,5}(?:resolved|fixed|done|closed|deferred|accepted|dismissed|wontfix|won't fix|addressed|complete|completed|verified|✅|ok|pass|yes)|\[[xX✓]\]\s|[\[(](?:done|fixed|resolved|wontfix|closed)[\])]|別(?:の)?PR|対応済|已修复|已解决|不用改|下一个PR|\b(?:otro|outro|siguiente|próximo|autre|prochaine?|nächste[nr]?|eigene[nr]?) PR\b|\b(?:lo dejamos|no lo toques|sin cambios|tal cual|plus tard|ne changez rien|nichts (?:zu )?ändern)\b`)
	verbs     = `add|adjust|align|allow|amend|annotate|apply|assert|avoid|await|backfill|bump|bring|cache|call|cap|catch|change|check|clamp|clean|clear|close|commit|confine|consider|convert|correct|cover|create|declare|decode|dedupe|define|delete|derive|disable|document|drop|eliminate|emit|enable|encode|enforce|ensure|escape|exclude|expand|export|expose|extend|extract|factor|fail|fix|fold|gate|generate|give|guard|handle|harden|hoist|implement|import|include|initiali[sz]e|inline|insert|introduce|invalidate|invert|isolate|keep|let|limit|link|list|load|lock|log|make|mark|mask|memoi[sz]e|merge|migrate|mirror|mock|move|name|narrow|normali[sz]e|parametri[sz]e|parse|pass|persist|pin|populate|prefer|prefix|preserve|prevent|propagate|protect|pull|purge|push|put|quote|raise|read|rebase|record|reduce|refactor|refresh|regenerate|register|reject|release|remove|rename|reorder|replace|report|require|reset|resolve|restore|restrict|restructure|rethrow|retry|return|reuse|revert|reword|rewrite|rotate|route|run|sanitize|save|scope|seed|separate|serialize|set|shorten|simplify|skip|sort|specify|split|squash|standardi[sz]e|stop|store|strengthen|strip|swap|switch|sync|take|test|throw|tidy|tighten|track|trim|truncate|turn|type|undo|unify|update|upgrade|use|validate|verify|widen|wire|wrap|write`
	askWords  = lazyregexp.New(`(?i)(?:^|[.:;—–→(]\s+|[:：]\s*|\*\*\s*|^\W*(?:\d+[.)]\s*|step \d+\W*|fix\W+|please\s+|and\s+|then\s+|also\s+|first,?\s+|second,?\s+|third,?\s+|instead,?\s+|in [^,]{1,80}, |so\s+|either\s+|or\s+)+|,\s+(?:so |then |please |and (?:then )?)?|\bto fix(?: this)?,?\s+|\bcan you (?:please )?|\bcould you (?:please )?|\blet'?s\s+|\bplease (?:also |just )?)(?:` + verbs + `)\s+[^\s:=]`)
	wishWords = lazyregexp.New(`(?i)\b(?:please|pls|should(?:n'?t)?|must|needs? (?:to|a|an|more|its?|the|some|[a-z]+ing|fix\w*|update\w*)|has to|have to|ought to|required to|i'?d (?:like|prefer|rather|also|move|rename|use|drop|expect)|would (?:prefer|be (?:better|good|nice|cleaner|safer)|like|rather)|could (?:be|use|we|you|also|carry)|can you|can we|forg[eo]t(?:ten)? to|puedes|podrías|kannst du|könntest du|peux-tu|pourrais|better to|we want|recommend(?:ed|ation)?|suggest(?:ed|ion)?|required (?:fix|change|action)s?|fix(?:es)?\s*[:：]|to ?do\b|bitte|muss|müssen|sollte|debe|debería|falta|doit|devrait|faut|precisa|deve)\b|してください|ください|べき|お願い|请|需要|应该`)
	offStart  = lazyregexp.New(`(?i)^\W*(?:see also|not findings?|not reviewed|not touched|unchanged|references?|related|background|context|cf\.?|e\.g\.|for (?:context|reference|example|comparison)|fyi|scope|reviewed|files? (?:reviewed|changed|read|examined|checked)|reviewer|branch|commits?|worktree|verified|verification|checked|tests? (?:run|passed)|command|ran|owned files|positive|strengths?|good|not to be changed|untouched|source|plan|spec|task|task file|document|documentation reviewed|praise|question)\b[^:.\n]{0,30}[:：]|^\W*(?:i|we)(?: have|'ve)? (?:only |also |just )?(?:read|looked at|checked|reviewed|skimmed|went through)\b|^\W*ich habe\b.*\b(?:gelesen|überflogen|angesehen|angeschaut)|^\W*(?:contract|spec|requirement)(?: requirements?)?\W+[(:]`)

	// what stands around a name
	before  = lazyregexp.New(`(?i)(?:\b(?:see|like|as in|as|cf\.?|per|follow(?:s|ing)?|match(?:es|ing)?|mirrors?|mirroring|same as|similar to|unlike|compared? (?:to|with|against)|(?:called|used|consumed|imported|invoked) (?:from|by|in)(?: [^,.;]{1,60} (?:in|at))?|caller[s]? (?:is |are )?in|used (?:in|by)|imported (?:by|from|in|into)|(?:pattern|approach|convention|example|style|syntax|logic|one|way|handling|helper) (?:in|from|of)|(?:record|evidence|details?|notes?|log|report|docs|documentation|discussion|analysis|rationale) (?:is |are )?(?:at|in|under)|except(?: for| from)?|apart from|aside from|besides|other than|excluding|außer|excepto|sauf|when|if|unless|until|because|since|once|while|example|based on|according to|documented in|described in|specified in|derived from|copied from|copy of|consistent with|aligned? with|in line with|identical to|than|via|against|refer(?:s|ring)? to|reference[sd]?|e\.g\.|i\.e\.|such as|vs\.?|versus|rather than|instead of|surfaces in|shows up in|breaks?|by|with|not|isn'?t|how|what|wie|siehe|wie in|como|ver|véase|voir|comme)|見て|参照)[\s:*]*(?:the |our |also |its |at |file |what |how |existing |other |in |from |does in |is done in |did in |already )*["'(\[*` + "`" + `\s]*$`)
	after   = lazyregexp.New(`(?i)^["'` + "`" + `)*\]]*[,;]?\s*(?:\([^)]{0,60}\)\s*)?(?:already|shows?|has the (?:pattern|same)|has it right|does (?:it|this|that|so)\b|do(?:es)? it|did|gets it right|is the (?:example|pattern|reference|model)|is (?:just |only )?(?:fine|ok|okay|good|right|unaffected|unchanged|untouched|correct)\b|is out of scope|as (?:an |the )?(?:example|reference|model|template|guide)|for (?:reference|the pattern|an example|comparison|context|inspiration)|still calls|calls it|は問題|passes\s*(?:[.,;(—–-]|$))`)
	rules   = lazyregexp.New(`(?i)^["'` + "`" + `)*\]]*\s*(?:explicitly |clearly |also |still )*(?:says|states|requires|mandates|forbids|is explicit|prescribes)\b`)
	opens   = lazyregexp.New(`^(?i)[^\pL\pN` + "`" + `]*(?:(?:\d+|[a-z])[.)]\s*)?(?:(?:[A-Z]{1,5}-?\d{1,4}|P\d|in|on|at|inside|within|under|for|the|file|and|also|but|then|first|second|third|finally|lastly|so|however|meanwhile|similarly|likewise|plus|next|additionally|furthermore|nit|lines?|of|around|near|\d+|l\d+|critical|major|minor|high|medium|low|sev(?:erity)?|same(?: (?:thing|problem|issue|here|for|goes for))?|both|new|from|there is|now)[\s:,;.()\[\]*|—–-]*)*["'(\[*` + "`" + `\s]*$`)
	joins   = lazyregexp.New(`^(?i)["'` + "`" + `)\]*\s]*(?:\([^)]{0,40}\)\s*)?(?:,|/|&|\+|and|or|und|y|et|e|と|、|;)*(?:\s*(?:and|or|also|in|the|und))*["'` + "`" + `(\[*\s]*$`)
	turns   = lazyregexp.New(`(?i)[,;.—–]?\s+(?:but|however|except|although|though|aber|pero|mais|mas|yet)\b[,]?\s+|が、|但是?`)
	field   = lazyregexp.New(`(?i)^[\s*_>#-]*(?:\d+[.)]\s*)?(?:affected )?(?:files?|locations?|where|paths?|source|component|module|code|lines?|at|in|evidence|datei(?:en)?|파일|위치|文件|位置|ファイル|場所|archivos?|fichiers?|arquivos?|place|target|対象|ファイル)(?:\(s\)|/lines?| and lines?| path| affected| location| involved| changed|\(s\) affected| to (?:change|fix|modify|update))*\s*[*_]*\s*[:：]`)
	label   = lazyregexp.New(`(?i)^[\s*_-]*(?:(?:affected )?files?|locations?|where|paths?|lines?|problem|issue|impact|fix|suggest(?:ion|ed)[\w ]*|severity|priority|recommend(?:ation|ed)?[\w ]*|description|observation|reason(?:ing)?|why[\w ]*|risk|evidence|cause|root cause|symptoms?|expected|actual|current|proposed[\w ]*|required[\w ]*|remediation|action|details?|effort|category|type|status|code|example|solution|benefit|consequence|effect|reproduction|repro|note|component|function|confidence|test|resolution|what|how|result|before|after|verdict|finding|rule|source|rationale)(?:\(s\))?\s*[*_]*\s*[:：]`)
	verdict = lazyregexp.New(`(?im)^[\s#*_>-]*(?:(?:overall|final|review)\s+)?(?:verdict|decision|result|status|outcome|recommendation|conclusion)\s*[*_]*\s*[:：—–-]\s*[*_` + "`" + `✅\s]*(?:approved?|accept(?:ed)?|lgtm|ship it|pass(?:ed)?|ready to merge|ok to merge)\b([^\n]*)`)
	lgtm    = lazyregexp.New(`(?i)^[\s#*_>✅🎉👍-]*(?:lgtm|approved?|approving|ship it)[\s*_!.✅🎉👍]*$`)
	limited = lazyregexp.New(`(?i)\b(?:with|once|after|if|pending|condition\w*|but|except|provided|when|subject)\b`)
	nothing = lazyregexp.New(`(?i)^\W*(?:none|n/?a|no issues?[^.]*|-+|nothing[^.]*)\W*$`)
	wants   = lazyregexp.New(`(?i)\b(?:fix|mend|address|clean|zero|must|should|need|please|resolve|update|red|broken|fails?|failing|bug|wrong|can'?t take|object|reject|nack|behoben|corrige|corriger)\b|直して|修正`)
)

// over is how a heading means what stands below it.
func over(s string) mark {
	short := len(strings.Fields(s)) <= 7
	switch {
	case doneHead.MatchString(s), laterHead.MatchString(s) && short:
		return settles
	case goodHead.MatchString(s) && short:
		return praises
	case askHead.MatchString(s), short && labelOver(s) != "":
		return asks
	case asideHead.MatchString(s) && short:
		return aside
	}
	return plain
}

// meant is how a sentence means what it names. After a "but" the rest counts.
func meant(s string) mark {
	if at := turns.FindAllStringIndex(s, -1); at != nil {
		last := at[len(at)-1]
		if rest := clause(s[last[1]:]); rest != plain {
			return rest
		}
		if first := clause(s[:last[0]]); first != praises {
			return first
		}
		return asks // "good, but …" names what is not
	}
	return clause(s)
}

func clause(s string) mark {
	wish := askWords.MatchString(s) || wishWords.MatchString(s)
	question := strings.HasSuffix(strings.TrimRight(s, " *_`)\"'\n"), "?") || strings.HasSuffix(strings.TrimSpace(s), "？")
	switch {
	case doneWords.MatchString(s):
		return settles
	case offStart.MatchString(s):
		return aside
	case question && !polite.MatchString(s):
		return wonders
	case wish:
		return asks
	case goodWords.MatchString(s), briefGood.MatchString(s):
		return praises
	}
	return plain
}

var polite = lazyregexp.New(`(?i)\b(?:please|puedes|podrías|kannst du|könntest du|peux-tu|pourrais|can you|could you|can we|could we|should(?:n't)? (?:we|this|it|that))\b`)
