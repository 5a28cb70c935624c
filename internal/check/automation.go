package check

import (
	"path"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check/edit"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// asksFor tells whether a request speaks of one of the files that instruct agents or run by
// themselves: by its path or name, or by what people call such files. A sentence that denies
// something asks for nothing.
func asksFor(r belay.Request, prose, p, rule string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(prose), "\n")
	texts := []string{first}
	for _, q := range r.Requirements {
		texts = append(texts, q.Text)
	}
	for _, text := range texts {
		for sentence := range strings.SplitSeq(sentences.ReplaceAllString(strings.ToLower(text), "\n"), "\n") {
			if !denies.MatchString(sentence) && speaksOf(sentence, strings.ToLower(p), rule) {
				return true
			}
		}
	}
	return false
}

var (
	sentences = lazyregexp.New(`[.;!?](?:\s|$)|\n`)
	denies    = lazyregexp.New(`\b(?:not|never|without|don.?t|doesn.?t|avoid|except|but no|unchanged|untouched|as (?:it|they) (?:is|are)|alone)\b`)

	fileName     = lazyregexp.New(`[\w./-]+\.(?:ya?ml|json|md|toml|mdc)\b`)
	ofCI         = lazyregexp.New(`\bci\b|\bcontinuous integration\b|\bgithub[- ]actions?\b|\bgha\b|\bworkflows?\b|\bactions/|\bsetup-[a-z]+\b|\b(?:build|release|deploy(?:ment)?) pipeline\b|\btravis\b|\bcircle ?ci\b|\bgitlab-ci\b|\bazure[- ]pipelines?\b|\bjenkins|\bdependabot\b|\bbuild matrix\b`)
	ofHooks      = lazyregexp.New(`\bpre[- ]?commit\b|\bgit hooks?\b|\bhusky\b|\blefthook\b`)
	ofAgents     = lazyregexp.New(`\b(?:agents?|claude|gemini|copilot|cursor|codex|windsurf|qwen|aider|opencode|llms?|ai)['’]?s?[ -](?:\.?md|files?|rules?|instructions?|guide(?:lines?)?|settings|config(?:uration)?|docs?|hooks?|skills?|commands?|prompts?)\b|\b(?:instructions?|rules|guidelines|message|docs|documentation) for (?:the |ai |coding )*(?:agents?|ais?|llms?|claude|copilot|assistants?)\b|^\s*\w+\((?:ai|agents?)\):`)
	ofContainers = lazyregexp.New(`\bdev ?containers?\b|\bcodespaces?\b`)
	ofEditors    = lazyregexp.New(`\bvs ?code\b|\beditor settings\b`)
	ofDirenv     = lazyregexp.New(`\b(?:direnv|envrc)\b`)
)

// speaksOf tells whether a sentence, in lower case, is about the file p.
func speaksOf(sentence, p, rule string) bool {
	base := path.Base(p)
	for word := range strings.FieldsSeq(sentence) {
		word = strings.TrimPrefix(strings.Trim(word, "`'\"“”‘’()[]{}<>,;:!?"), "./")
		word = strings.TrimSuffix(word, ".")
		if word == p || word == base && strings.Contains(base, ".") || strings.Contains(word, "/") && strings.HasSuffix(p, "/"+word) ||
			strings.HasSuffix(word, "/") && strings.HasPrefix(p, word) || word == rule && strings.HasPrefix(rule, ".") {
			return true
		}
	}
	sentence = fileName.ReplaceAllString(sentence, " ") // one that is named is asked for, and no other of its kind
	switch {
	case runsInCI(p):
		return ofCI.MatchString(sentence)
	case rule == ".pre-commit-config.yaml" || rule == ".pre-commit-config.yml" || rule == ".husky" || rule == ".githooks" || strings.Contains(rule, "lefthook"):
		return ofHooks.MatchString(sentence)
	case strings.HasPrefix(rule, ".devcontainer"):
		return ofContainers.MatchString(sentence)
	case rule == ".vscode":
		return ofEditors.MatchString(sentence)
	case rule == ".envrc":
		return ofDirenv.MatchString(sentence)
	case strings.HasPrefix(p, ".belay/"):
		return false // by its path alone
	}
	return ofAgents.MatchString(sentence)
}

// runsInCI tells a file, in lower case, that a service runs when commits are pushed, and nobody's
// own machine.
func runsInCI(p string) bool {
	for _, at := range []string{".github/workflows/", ".github/actions/", ".gitlab/ci/", ".circleci/", ".buildkite/", ".woodpecker/"} {
		if strings.HasPrefix(p, at) {
			return true
		}
	}
	return slices.Contains([]string{".github/dependabot.yml", ".gitlab-ci.yml", ".woodpecker.yml", ".travis.yml", ".drone.yml", "azure-pipelines.yml", "bitbucket-pipelines.yml", "jenkinsfile"}, p)
}

var (
	// grants are lines that give a run of CI more than the repository's own code has: when it
	// runs, with what rights and secrets, whose code it brings in, where it sends things.
	grants = lazyregexp.New(`(?i)\bpermissions\b|:\s*write\b|write-all|\bsecrets?\b|\btokens?\b|\bpassword|\bcredential|\bapi[_-]?key|pull_request_target|workflow_run|workflow_dispatch|repository_dispatch|issue_comment|^\s*(?:"?on"?|schedule|push|pull_request|branches|tags|environment)\s*:|\buses\s*:|\bimage\s*:|\bcontainer\s*:|\bservices\s*:|\b(?:curl|wget|invoke-webrequest|iwr|nc|ncat|ssh|scp|eval|base64)\b|\bgit push\b|\b(?:npm|cargo|gem|twine|mvn|gradle|dotnet nuget|docker)\b.*\b(?:publish|push|upload|deploy|release)\b|https?://|\bself-hosted\b|\brepo\s*:|\borbs?\s*:|\binclude\s*:`)
	// keeps are lines that keep a run from more.
	keeps    = lazyregexp.New(`(?i)\bpermissions\b|:\s*(?:read|none)\b|^\s*-?\s*if\s*:|\benvironment\s*:|persist-credentials|\bneeds\s*:`)
	anything = lazyregexp.New(`\S`)
	version  = lazyregexp.New(`@?\b[0-9a-f]{40}\b|\bv?\d+(?:\.(?:\d+|x))*(?:[-.]?(?:rc|beta|alpha|dev)[-.]?\d*|t)?\b`)
)

// grantsNothing tells whether the change of a file that CI runs leaves alone when it runs, with what
// rights, and whose code it brings in. What is left are other commands and versions: such a run
// executes the repository's own code anyway, which every change may alter.
func grantsNothing(f *edit.File) bool {
	if f.Before == nil || f.After == nil || edit.Binary(f.Before) || edit.Binary(f.After) {
		return false
	}
	return !loses(f.After, f.Before, grants) && !loses(f.Before, f.After, keeps)
}

// onlyVersions tells whether nothing but comments and versions differs, in what was there and what
// is.
func onlyVersions(f *edit.File) bool {
	return f.Before != nil && f.After != nil && !edit.Binary(f.Before) && !edit.Binary(f.After) && !loses(f.After, f.Before, anything) && !loses(f.Before, f.After, anything)
}

// loses tells whether a text has lines of a kind that the other lacks, comments and versions
// aside.
func loses(text, other []byte, kind *lazyregexp.Regexp) bool {
	counts := map[string]int{}
	for line := range strings.Lines(string(other)) {
		counts[plainLine(line)]++
	}
	for line := range strings.Lines(string(text)) {
		plain := plainLine(line)
		if counts[plain]--; counts[plain] < 0 && kind.MatchString(plain) {
			return true
		}
	}
	return false
}

func plainLine(line string) string {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "#") {
		return ""
	}
	if at := strings.Index(line, " #"); at >= 0 {
		line = strings.TrimSpace(line[:at])
	}
	return version.ReplaceAllString(strings.Trim(line, `"'`), "0")
}
