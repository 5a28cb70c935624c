package check

import (
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/syntax"
	"github.com/belay-dev/belay/internal/testdiff"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// asksForChange reports whether a request wants to change one of the files that instruct agents or
// run automatically: it names its path or file name, or the usual name of files of its kind. It
// reads the requirements, and the first line of words.
func asksForChange(r belay.Request, words, p, rule string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(words), "\n")
	r.Requirements = append(slices.Clip(r.Requirements), belay.Requirement{Text: first})
	return Permits(r, words, p) || slices.ContainsFunc(r.Requirements, func(q belay.Requirement) bool {
		for sentence := range strings.SplitSeq(sentenceBreaks.ReplaceAllString(strings.ToLower(q.Text), "\n"), "\n") {
			if !denialPattern.MatchString(sentence) && isAboutKind(sentence, strings.ToLower(p), rule) {
				return true
			}
		}
		return false
	})
}

var (
	sentenceBreaks = lazyregexp.New(`[.;!?](?:\s|$)|\n`)
	denialPattern  = lazyregexp.New(`\b(?:not|never|without|don.?t|doesn.?t|avoid|except|but no|unchanged|untouched|` +
		`as (?:it|they) (?:is|are)|alone)\b`)

	fileName = lazyregexp.New(`[\w./-]+\.(?:ya?ml|json|md|toml|mdc)\b`)
	ciWords  = lazyregexp.New(`\bci\b|\bcontinuous integration\b|\bgithub[- ]actions?\b|\bgha\b|\bworkflows?\b|` +
		`\bactions/|\bsetup-[a-z]+\b|\b(?:build|release|deploy(?:ment)?) pipeline\b|\btravis\b|\bcircle ?ci\b|` +
		`\bgitlab-ci\b|\bazure[- ]pipelines?\b|\bjenkins|\bdependabot\b|\bbuild matrix\b`)
	hookWords = lazyregexp.New(`\bpre[- ]?commit\b|\bgit hooks?\b|\bhusky\b|\blefthook\b|\blint(?:s|ers?|ing)?\b|` +
		`\bformatters?\b|\b(?:code|automatic|auto) ?-?formatting\b`)
	agentWords = lazyregexp.New(`\b(?:agents?|claude|gemini|copilot|cursor|codex|windsurf|qwen|aider|opencode|llms?|` +
		`ai)['’]?s?[ -](?:\.?md|files?|rules?|instructions?|guide(?:lines?)?|settings|config(?:uration)?|docs?|hooks?|` +
		`skills?|commands?|prompts?)\b|` +
		`\b(?:instructions?|rules|guidelines|message|docs|documentation) for (?:the |ai |coding )*(?:agents?|ais?|llms?|` +
		`claude|copilot|assistants?)\b|^\s*\w+\((?:ai|agents?)\):`)
	containerWords = lazyregexp.New(`\bdev ?containers?\b|\bcodespaces?\b|\bdev(?:elopment)?[- ](?:setup|environment|env)\b`)
	mcpWords       = lazyregexp.New(`\bmcp\b`)
	editorWords    = lazyregexp.New(`\bvs ?code\b|\beditor settings\b`)
	direnvWords    = lazyregexp.New(`\b(?:direnv|envrc)\b`)
)

// isAboutKind reports whether a sentence, in lower case, is about files of the kind of p.
func isAboutKind(sentence, p, rule string) bool {
	sentence = fileName.ReplaceAllString(sentence, " ") // a named file is requested, but no other file of its kind
	switch {
	case runsInCI(p):
		return ciWords.MatchString(sentence) || hasWordsOfName(sentence, p)
	case runsAtCommit(rule):
		return hookWords.MatchString(sentence)
	case strings.HasPrefix(rule, ".devcontainer"):
		return containerWords.MatchString(sentence)
	case strings.HasSuffix(p, "mcp.json"):
		return mcpWords.MatchString(sentence) || agentWords.MatchString(sentence)
	case rule == ".vscode":
		return editorWords.MatchString(sentence)
	case rule == ".envrc":
		return direnvWords.MatchString(sentence)
	case strings.HasPrefix(p, ".belay/"):
		return false // only by its path
	}
	return agentWords.MatchString(sentence)
}

// runsAtCommit reports whether a rule is of files that are commit hooks or are run by them.
func runsAtCommit(rule string) bool {
	return rule == ".pre-commit-config.yaml" || rule == ".pre-commit-config.yml" || rule == ".husky" ||
		rule == ".githooks" || strings.Contains(rule, "lefthook")
}

// dependsOnPurpose reports whether the change of a file, in lower case, may be right or wrong
// depending on its purpose: CI, commit hooks, and plain text for agents. Nothing of it runs when
// the project is opened.
func dependsOnPurpose(p, rule string) bool {
	if strings.HasPrefix(p, ".belay/") {
		return false
	}
	text := slices.Contains([]string{".md", ".mdc", ".txt"}, path.Ext(p)) || strings.HasSuffix(rule, "rules") || rule == ".goosehints"
	return text || runsInCI(p) || runsAtCommit(rule)
}

// hasWordsOfName reports whether a sentence has all words of a file name with several words: "the
// API compatibility check" is check-api-compatibility.yml.
func hasWordsOfName(sentence, p string) bool {
	name := path.Base(p)
	words := strings.FieldsFunc(strings.TrimSuffix(name, path.Ext(name)), func(r rune) bool { return r == '-' || r == '_' || r == '.' })
	said := strings.FieldsFunc(sentence, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return len(words) > 1 && !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(said, w) })
}

// runsInCI reports whether a file, in lower case, is run by a service when commits are pushed, and
// not on a person's machine.
func runsInCI(p string) bool {
	for _, at := range []string{".github/workflows/", ".github/actions/", ".gitlab/ci/", ".circleci/", ".buildkite/", ".woodpecker/"} {
		if strings.HasPrefix(p, at) {
			return true
		}
	}
	return slices.Contains([]string{".github/dependabot.yml", ".gitlab-ci.yml", ".woodpecker.yml", ".travis.yml",
		".drone.yml", "azure-pipelines.yml", "bitbucket-pipelines.yml", "jenkinsfile"}, p)
}

var (
	// grantStatement matches lines that give a CI run more than the repository's own code (its
	// triggers, rights and secrets, foreign code, where it sends data), or that make it ignore
	// failures.
	grantStatement = lazyregexp.New(`(?i)\bpermissions\b|:\s*write\b|write-all|\bsecrets?\b|\btokens?\b|\bpassword|\bcredential|` +
		`\bapi[_-]?key|pull_request_target|workflow_run|workflow_dispatch|repository_dispatch|issue_comment|` +
		`^\s*(?:"?on"?|schedule|push|pull_request|branches|tags|environment)\s*:|\buses\s*:|\bimage\s*:|\bcontainer\s*:|` +
		`\bservices\s*:|\b(?:curl|wget|invoke-webrequest|iwr|nc|ncat|ssh|scp|eval|base64)\b|\bgit push\b|` +
		`\b(?:npm|cargo|gem|twine|mvn|gradle|dotnet nuget|docker)\b.*\b(?:publish|push|upload|deploy|release)\b|` +
		`https?://|\bself-hosted\b|\brepo\s*:|\borbs?\s*:|\binclude\s*:|continue-on-error|allow_failure|` +
		`\|\|\s*(?:true|:|exit 0|echo)|;\s*(?:true|exit 0)\b|set \+e|\bif\s*:\s*(?:\$\{\{\s*)?false`)
	// restrictStatement matches lines that restrict a run.
	restrictStatement = lazyregexp.New(`(?i)\bpermissions\b|:\s*(?:read|none)\b|^\s*-?\s*if\s*:|` +
		`\benvironment\s*:|persist-credentials|\bneeds\s*:`)
	// usesStatement matches lines that use foreign code.
	usesStatement = lazyregexp.New(`(?i)^-?\s*uses\s*:`)
	// testStatement matches lines that run tests and checks, and entitled those that only name
	// something.
	testStatement = lazyregexp.New(`(?i)\b(?:tests?|specs?|check|verify|lint|coverage|pytest|jest|vitest|mocha|phpunit|rspec|` +
		`tox|nox|vet|clippy|mypy|audit|scan)\b`)
	titleStatement = lazyregexp.New(`(?i)^-?\s*(?:name|id|key|title|description|files?|path|labels?)\s*:`)
	// trailingComment matches a comment after a value. With a quote it may be part of a script's
	// text.
	trailingComment = lazyregexp.New(`\s#[\w\s.,:/@()-]*$`)
	versionPattern  = lazyregexp.New(`\b[0-9a-f]{40}\b|\bv?\d+(?:\.(?:\d+|x))*(?:[-.]?(?:rc|beta|alpha|dev)[-.]?\d*|t)?\b`)
)

// isHarmlessChange reports whether the change of an automation leaves its purpose unchanged. For
// CI, that is its triggers, its rights, the foreign code it uses and what it tests; other commands
// and versions run the repository's own code, which every change may alter. A renamed CI file is
// compared with its old content. For files that run on people's machines only versions and comments
// may change.
func isHarmlessChange(f *syntax.File, files []*syntax.File) bool {
	ofCI := runsInCI(strings.ToLower(f.Path))
	if ofCI && (f.Before == nil) != (f.After == nil) {
		return slices.ContainsFunc(files, func(o *syntax.File) bool {
			other := runsInCI(strings.ToLower(o.Path)) && (o.Before == nil) == (f.After == nil) && (o.After == nil) == (f.Before == nil)
			return other && isHarmlessChange(&syntax.File{Path: f.Path, Before: slices.Concat(f.Before, o.Before),
				After: slices.Concat(f.After, o.After)}, nil)
		})
	}
	if f.Before == nil || f.After == nil || syntax.IsBinary(f.Before) || syntax.IsBinary(f.After) {
		return false
	}
	was, is := countStatements(f.Before), countStatements(f.After)
	if ofCI {
		for line := range was {
			if usesStatement.MatchString(line) {
				is[line] = min(is[line], was[line]) // repetitions do not matter
			}
		}
		return !losesStatements(is, was, grantStatement) && !losesStatements(was, is, restrictStatement) &&
			countTestStatements(is) >= countTestStatements(was)
	}
	return strings.HasPrefix(f.Path, ".pre-commit-config.") && maps.Equal(was, is)
}

// losesStatements reports whether these has statements of a kind that others lacks.
func losesStatements(these, others map[string]int, kind *lazyregexp.Regexp) bool {
	for line, n := range these {
		if n > others[line] && kind.MatchString(line) {
			return true
		}
	}
	return false
}

// countTestStatements counts the statements that run tests and checks.
func countTestStatements(list map[string]int) int {
	all := 0
	for line, n := range list {
		if testStatement.MatchString(line) && !titleStatement.MatchString(line) {
			all += n
		}
	}
	return all
}

// countStatements counts the lines of a text, without comments and versions.
func countStatements(text []byte) map[string]int {
	counts := map[string]int{}
	for line := range strings.Lines(string(text)) {
		if plain := normalizeLine(line); plain != "" {
			counts[plain]++
		}
	}
	return counts
}

// normalizeLine returns a line without its comment, and with 0 for each version in it.
func normalizeLine(line string) string {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "#") {
		return ""
	}
	line = strings.TrimSpace(trailingComment.ReplaceAllString(testdiff.SavesExitCode.ReplaceAllString(line, ""), ""))
	return versionPattern.ReplaceAllString(strings.Trim(line, `"'`), "0")
}
