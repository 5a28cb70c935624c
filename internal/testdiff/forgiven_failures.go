package testdiff

import (
	"index/suffixarray"
	"path"
	"strings"
	"sync"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/syntax"
)

// runsTests matches commands that run tests, as in CI files and scripts.
var runsTests = lazyregexp.New(`\b(?:go test|gotestsum|py\.?test|python3? -m (?:pytest|unittest)|unittest|tox|nox|` +
	`(?:npm|pnpm|yarn|bun)(?: run)?(?: -\S+)* (?:t|test|coverage|test:\S+)\b|jest|vitest|mocha|ava|karma|` +
	`playwright test|cypress run|cargo (?:\+\S+ )?(?:test|nextest|llvm-cov|tarpaulin)|` +
	`mvnw?\b.*\b(?:test|verify|install)|gradlew?\b.*\b(?:test|check|build)|rspec|rake(?: test| spec|\s*$)|rails test|` +
	`minitest|dotnet test|vstest|make (?:\S+ )*(?:test|check)\S*|just test|ctest|` +
	`phpunit|paratest|pest|artisan test|composer (?:run(?:-script)? )?(?:test|phpunit|check)\S*|belay check)`)

var (
	// SavesExitCode matches a command that saves the exit code for a later step.
	SavesExitCode = lazyregexp.New(`\|\|\s*echo\s+"?\$\?"?\s*>`)
	// swallowOperator matches operators that make a command always succeed.
	swallowOperator = lazyregexp.New(`\|\|\s*(?:true|:|exit 0|echo\b|/bin/true)|;\s*(?:true|exit 0)\s*(?:$|["'])|^\s*set \+e\b|` +
		`^\s*-\s*(?:go test|pytest|npm|cargo)\b.*\|\|`)
	// allowFailure matches keys by which a step's failure is ignored.
	allowFailure = lazyregexp.New(`^[\s-]*["']?(continue-on-error|allow_failure|allow-failure|ignore_failure|failure|` +
		`testFailureIgnore|ignoreFailures|soft_fail|informational)["']?\s*[:=]\s*["']?(?:true|ignore|\$\{\{)|` +
		`<(testFailureIgnore|skipTests|maven\.test\.skip|maven\.test\.failure\.ignore)>\s*true|\b(ignoreFailures)\s*=\s*true`)
	// skipOption matches options that exclude tests.
	skipOption = lazyregexp.New(`-D(?:skipTests|maven\.test\.skip)(?:=true)?\b|--(?:deselect|ignore)[= ]\S+|` +
		`--passWithNoTests|--exclude-task[= ]test|\s-x test\b|--no-tests=pass|\btest\s*\{\s*enabled\s*=\s*false|` +
		`--exclude-pattern[= ]\S+|^\s*autotests\s*=\s*false|` +
		`\bcollect_ignore\b|testPathIgnorePatterns|\s-k ["']?not |--exitfirst=false|--no-cov\b`)
)

// findForgivenFailures returns findings for failures of tests that no longer fail the command that
// runs them.
func findForgivenFailures(f *syntax.File, before, after []configLine) []belay.Finding {
	var out []belay.Finding
	add := func(s belay.Severity, line int, what, detail string) {
		out = append(out, belay.Finding{Severity: s, File: f.Path, Line: line,
			Title: "test failures no longer count: " + what, Detail: clip(strings.TrimSpace(detail)),
			Recommendation: "remove it, so that a failing test fails the command that runs it"})
	}
	for i, line := range after {
		if !f.AddedLines().Has(line.number) {
			continue
		}
		if swallowOperator.MatchString(SavesExitCode.ReplaceAllString(line.text, "")) {
			switch {
			case runsTests.MatchString(line.text):
				add(belay.SeverityError, line.number, "the command always succeeds", line.text)
			case strings.Contains(line.text, "set +e") && anyRunsTests(after[i:min(len(after), i+20)]):
				add(belay.SeverityWarning, line.number, "set +e", line.text)
			}
		}
		if m := allowFailure.FindStringSubmatch(line.text); m != nil {
			key := m[1] + m[2] + m[3]
			switch {
			case key == "failure" || key == "informational" && !strings.Contains(f.Path, "codecov"):
			case strings.Contains(strings.ToLower(key), "test") || key == "ignoreFailures" || anyRunsTests(stepLines(after, i)):
				add(belay.SeverityError, line.number, key, line.text)
			default:
				add(belay.SeverityWarning, line.number, key, line.text)
			}
		}
	}
	if had, has := countTests(before), countTests(after); has < had && isCI(f.Path) {
		severity := belay.SeverityWarning
		if has == 0 {
			severity = belay.SeverityError
		}
		out = append(out, belay.Finding{Severity: severity, File: f.Path, Title: "CI runs fewer tests",
			Detail: "a command that runs tests was removed", Recommendation: "restore the command"})
	}
	return out
}

func anyRunsTests(lines []configLine) bool { return countTests(lines) > 0 }

func countTests(lines []configLine) int {
	n := 0
	for _, l := range lines {
		if runsTests.MatchString(packageRequirement.ReplaceAllString(l.text, "")) && !nonCommandLine.MatchString(l.text) {
			n++
		}
	}
	return n
}

// packageRequirement matches a package with its version, which is no command: pytest<9,
// "pytest^<9.0", tox[testing]~=4.1.
var packageRequirement = lazyregexp.New(`[\w.-]+(?:\[[\w,. -]*\])?(?:\^?[<>]=?|[=~!^]=+|\^)\d[\w.*]*`)

// nonCommandLine matches lines that name a step or install packages.
var nonCommandLine = lazyregexp.New(`^[\s-]*(?:name|uses|id|key|title|description)\s*:|pip3? install|npm (?:ci|i|install)\b|yarn add`)

// stepLines returns the lines of the step or job with line i of a YAML file: the lines around it
// with at least its indentation, back to the dash that begins it.
func stepLines(lines []configLine, i int) []configLine {
	depth := indent(lines[i].text)
	from := i
	for from > 0 && !strings.HasPrefix(strings.TrimSpace(lines[from].text), "- ") && indent(lines[from-1].text) >= depth-2 {
		if indent(lines[from-1].text) < depth && !strings.HasPrefix(strings.TrimSpace(lines[from-1].text), "- ") {
			break
		}
		from--
	}
	to := i + 1
	for to < len(lines) && indent(lines[to].text) >= depth &&
		!(indent(lines[to].text) < indent(lines[from].text)+1 && strings.HasPrefix(strings.TrimSpace(lines[to].text), "- ")) {
		to++
	}
	return lines[from:to]
}

func indent(s string) int { return len(s) - len(strings.TrimLeft(s, " \t")) }

func isCI(p string) bool {
	base := strings.ToLower(path.Base(p))
	return startsWith(p, ".github/workflows/", ".circleci/", ".buildkite/") || ciNames.MatchString(base)
}

var ciNames = lazyregexp.New(`gitlab-ci|travis|pipelines|^jenkinsfile$`)

// findIgnoredTests returns findings for options that exclude tests, and for new exclusions of a
// linter.
func findIgnoredTests(f *syntax.File, after []configLine) []belay.Finding {
	var out []belay.Finding
	var exclusions []bool
	if strings.HasPrefix(path.Base(f.Path), ".golangci.") {
		exclusions = golangciExclusions(after)
	}
	for i, l := range after {
		if !f.AddedLines().Has(l.number) {
			continue
		}
		if m := skipOption.FindString(l.text); m != "" {
			out = append(out, belay.Finding{Severity: belay.SeverityWarning, File: f.Path, Line: l.number,
				Title:  "tests may be excluded: " + strings.TrimSpace(m),
				Detail: clip(strings.TrimSpace(l.text)), Recommendation: "make sure that every test still runs"})
		}
		if exclusions != nil && exclusions[i] {
			exclusions = nil // one finding is enough
			out = append(out, belay.Finding{Severity: belay.SeverityWarning, File: f.Path, Line: l.number,
				Title:  "the linter ignores more than before",
				Detail: clip(strings.TrimSpace(l.text)), Recommendation: "fix what the linter reports instead"})
		}
	}
	return out
}

var (
	exclusionKey = lazyregexp.New(`(?i)exclude|ignore`)
	quotedPath   = lazyregexp.New(`["'>]([^"'<>*\s]+)["'<]`)
)

// maxExcludedFiles is how many excluded test files are listed of one file.
const maxExcludedFiles = 10

// findExcludedTestFiles returns findings for single files of tests that a list of exclusions now names. The list begins
// in the same line, or before it.
func findExcludedTestFiles(f *syntax.File, after []configLine) []belay.Finding {
	var out []belay.Finding
	namedBefore := sync.OnceValue(func() *suffixarray.Index { return suffixarray.New(f.Before) })
	inList := false // a list of exclusions began before the line
	for _, l := range after {
		listed := inList
		key, sign := exclusionKey.FindStringIndex(l.text), strings.IndexAny(l.text, "[{:=")
		inList = key != nil || listed && sign < 0
		if !f.AddedLines().Has(l.number) || !f.IsCreated() && skipOption.MatchString(l.text) {
			continue
		}
		for _, m := range quotedPath.FindAllStringSubmatchIndex(l.text, -1) {
			name := l.text[m[2]:m[3]]
			excluded := key != nil && key[1] <= m[2] || listed && (sign < 0 || sign >= m[2])
			if !excluded || !syntax.IsTest(name) || path.Ext(name) == "" || namedBefore().Lookup([]byte(name), 1) != nil {
				continue
			}
			x := belay.Finding{Severity: belay.SeverityWarning, File: f.Path, Line: l.number,
				Title:  "tests may be excluded: " + clip(name),
				Detail: clip(strings.TrimSpace(l.text)), Recommendation: "make sure that every test still runs"}
			if len(out) == maxExcludedFiles {
				x.Title = "tests may be excluded: more of them"
				return append(out, x)
			}
			out = append(out, x)
			break
		}
	}
	return out
}

// golangciExclusions reports of each line whether it is below a key that lists exclusions.
func golangciExclusions(lines []configLine) []bool {
	type parent struct {
		depth     int
		excluding bool
	}
	var parents []parent // each deeper than the one before
	out := make([]bool, len(lines))
	for i, l := range lines {
		depth, text := indent(l.text), strings.TrimSpace(l.text)
		for len(parents) > 0 && parents[len(parents)-1].depth > depth {
			parents = parents[:len(parents)-1]
		}
		out[i] = len(parents) > 0 && parents[len(parents)-1].excluding
		key, _, _ := strings.Cut(text, ":")
		own := false
		switch strings.Trim(key, `"- `) {
		case "exclude", "exclude-rules", "exclude-files", "exclude-dirs", "exclusions", "skip-dirs", "skip-files", "disable":
			own = true
		}
		here := parent{depth, own || out[i] && (depth > 0 || strings.HasPrefix(text, "-"))}
		out[i] = out[i] || own
		if n := len(parents); n > 0 && parents[n-1].depth == depth {
			parents = parents[:n-1]
		}
		parents = append(parents, here)
	}
	return out
}
