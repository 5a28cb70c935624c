package check

import (
	"maps"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check/edit"
	"github.com/belay-dev/belay/internal/contract"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// asksFor tells whether a request wants one of the files that instruct agents or run by
// themselves changed: by its path or name, or by what people call files of its kind. Its
// requirements are read, and the first line of its words.
func asksFor(r belay.Request, words, p, rule string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(words), "\n")
	r.Requirements = append(slices.Clip(r.Requirements), belay.Requirement{Text: first})
	return contract.Permits(r, words, p) || slices.ContainsFunc(r.Requirements, func(q belay.Requirement) bool {
		for sentence := range strings.SplitSeq(sentences.ReplaceAllString(strings.ToLower(q.Text), "\n"), "\n") {
			if !denies.MatchString(sentence) && ofKind(sentence, strings.ToLower(p), rule) {
				return true
			}
		}
		return false
	})
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

// ofKind tells whether a sentence, in lower case, is about files of the kind of p.
func ofKind(sentence, p, rule string) bool {
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
	// remark is a comment behind a value. What holds a quote may be text of a script.
	remark  = lazyregexp.New(`\s#[\w\s.,:/@()-]*$`)
	version = lazyregexp.New(`\b[0-9a-f]{40}\b|\bv?\d+(?:\.(?:\d+|x))*(?:[-.]?(?:rc|beta|alpha|dev)[-.]?\d*|t)?\b`)
)

// byVersions tells a file, in lower case, that names others' programs by their versions.
func byVersions(p, rule string) bool {
	return runsInCI(p) || strings.HasPrefix(rule, ".pre-commit-config.")
}

// onlyVersions tells whether nothing but comments and versions differs.
func onlyVersions(f *edit.File) bool {
	return f.Before != nil && f.After != nil && !edit.Binary(f.Before) && !edit.Binary(f.After) && maps.Equal(statements(f.Before), statements(f.After))
}

// statements counts what a text says, comments and versions aside.
func statements(text []byte) map[string]int {
	counts := map[string]int{}
	for line := range strings.Lines(string(text)) {
		if plain := plainLine(line); plain != "" {
			counts[plain]++
		}
	}
	return counts
}

// plainLine is a line without its comment, and 0 for each version in it.
func plainLine(line string) string {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "#") {
		return ""
	}
	line = strings.TrimSpace(remark.ReplaceAllString(line, ""))
	return version.ReplaceAllString(strings.Trim(line, `"'`), "0")
}
