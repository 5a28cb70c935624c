package check

import (
	"regexp"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// requestText is the requirements of a task, in lower case, a sentence each. Only what is named
// explicitly counts as requested: a task about a React hook does not ask for a git hook.
type requestText []string

func newRequestText(r belay.Request) requestText {
	var all requestText
	for _, q := range r.Requirements {
		for s := range strings.SplitSeq(sentenceBreak.ReplaceAllString(strings.ToLower(q.Text), "\n"), "\n") {
			if !denialWords.MatchString(s) {
				all = append(all, s)
			}
		}
	}
	return all
}

var (
	sentenceBreak  = lazyregexp.New(`[.;!?](?:\s|$)|\n`)
	denialWords    = lazyregexp.New(`\b(?:not|never|without|no|don't|doesn't|avoid|except)\b`)
	commitWords    = lazyregexp.New(`\b(?:commit|amend|squash|rebase|merge|cherry-pick|branch|tag)\b`)
	gitHookWords   = lazyregexp.New(`\bgit(?:'s)?[ -]hooks?\b`)
	gitRemoteWords = lazyregexp.New(`\bgit remotes?\b|` +
		`\b(?:set|add|change|update|rename|remove) (?:the |a )?remote(?:$| (?:to|at|url|named|called)\b| [\w-]+ (?:to|at|url)\b)`)
)

// hasWord reports whether a word occurs separately.
func (w requestText) hasWord(word string) bool {
	if word == "" {
		return false
	}
	re, err := regexp.Compile(`(?:^|[^\w./-])` + regexp.QuoteMeta(strings.ToLower(word)) + `(?:$|[^\w./-]|\.(?:$|\W))`)
	return err == nil && w.anySentence(re.MatchString)
}

func (w requestText) anySentence(is func(string) bool) bool {
	for _, s := range w {
		if is(s) {
			return true
		}
	}
	return false
}

func (w requestText) asksForCommit() bool { return w.anySentence(commitWords.MatchString) }

func (w requestText) asksForHook(name string) bool {
	return w.hasWord(name) || w.anySentence(gitHookWords.MatchString)
}

// namesKey reports whether a key of the config occurs, in any case.
func (w requestText) namesKey(key string) bool { return w.hasWord(key) }

func (w requestText) namesRemote(name string) bool {
	return w.anySentence(gitRemoteWords.MatchString) || w.hasWord("remote "+name) || w.hasWord(name+" remote")
}

// namesPath reports whether a file occurs, by its path or by its name.
func (w requestText) namesPath(p string) bool {
	return w.hasWord(p) || w.hasWord(p[strings.LastIndexByte(p, '/')+1:])
}
