package check

import (
	"regexp"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// words are the requirements of a task, in lower case, a sentence each. Only what is named
// outright counts as asked for: a task about a React hook asks for no hook of git's.
type words []string

func wordsOf(r belay.Request) words {
	var all words
	for _, q := range r.Requirements {
		for s := range strings.SplitSeq(sentence.ReplaceAllString(strings.ToLower(q.Text), "\n"), "\n") {
			if !denied.MatchString(s) {
				all = append(all, s)
			}
		}
	}
	return all
}

var (
	sentence = lazyregexp.New(`[.;!?](?:\s|$)|\n`)
	denied   = lazyregexp.New(`\b(?:not|never|without|no|don't|doesn't|avoid|except)\b`)
	commits  = lazyregexp.New(`\b(?:commit|amend|squash|rebase|merge|cherry-pick|branch|tag)\b`)
	gitHook  = lazyregexp.New(`\bgit(?:'s)?[ -]hooks?\b`)
	remotes  = lazyregexp.New(`\bgit remotes?\b|` +
		`\b(?:set|add|change|update|rename|remove) (?:the |a )?remote(?:$| (?:to|at|url|named|called)\b| [\w-]+ (?:to|at|url)\b)`)
)

// has reports whether a word is there, by itself.
func (w words) has(word string) bool {
	if word == "" {
		return false
	}
	re, err := regexp.Compile(`(?:^|[^\w./-])` + regexp.QuoteMeta(strings.ToLower(word)) + `(?:$|[^\w./-]|\.(?:$|\W))`)
	return err == nil && w.match(re.MatchString)
}

func (w words) match(is func(string) bool) bool {
	for _, s := range w {
		if is(s) {
			return true
		}
	}
	return false
}

func (w words) commit() bool { return w.match(commits.MatchString) }

func (w words) hook(name string) bool { return w.has(name) || w.match(gitHook.MatchString) }

// key reports whether a key of the config is named, in any case.
func (w words) key(key string) bool { return w.has(key) }

func (w words) remote(name string) bool {
	return w.match(remotes.MatchString) || w.has("remote "+name) || w.has(name+" remote")
}

// path reports whether a file is named, by its path or by its name.
func (w words) path(p string) bool { return w.has(p) || w.has(p[strings.LastIndexByte(p, '/')+1:]) }
