package testdiff

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/syntax"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// findWeakenedSettings returns findings for what a change of CI, build and test configuration
// weakens: lowered limits, ignored failures, excluded tests.
func findWeakenedSettings(f *syntax.File) []belay.Finding {
	if f.IsDeleted() || syntax.IsBinary(f.After) || !isConfigFile(f.Path) || len(f.After) > 2<<20 {
		return nil
	}
	before, after := uncommentedLines(f.Path, f.Before), uncommentedLines(f.Path, f.After)
	if f.IsCreated() {
		return findExcludedTestFiles(f, after)
	}
	out := append(findLoweredLimits(f, before, after), findExcludedTestFiles(f, after)...)
	out = append(out, findForgivenFailures(f, before, after)...)
	out = append(out, findSilencedCommands(f, before, after)...)
	return append(out, findIgnoredTests(f, after)...)
}

var configNames = lazyregexp.New(`(?i)^(?:pyproject\.toml|setup\.cfg|tox\.ini|noxfile\.py|\.?pytest\.ini|\.coveragerc|` +
	`package\.json|composer\.json|\.?codecov\.ya?ml|\.nycrc(?:\..*)?|\.c8rc(?:\..*)?|` +
	`(?:jest|vitest|vite|karma|ava|playwright|cypress|wdio)\.config\.[a-z.]+|\.mocharc\..*|karma\.conf\.js|makefile|` +
	`gnumakefile|.*\.mk|justfile|taskfile\.ya?ml|rakefile|\.simplecov|spec_helper\.rb|rails_helper\.rb|test_helper\.rb|` +
	`\.rspec|pom\.xml|build\.gradle(?:\.kts)?|cargo\.toml|tarpaulin\.toml|.*\.csproj|directory\.build\.props|` +
	`.*\.runsettings|\.golangci\.(?:ya?ml|toml|json)|\.?testcoverage\.ya?ml|jenkinsfile|\.gitlab-ci\.ya?ml|` +
	`\.travis\.ya?ml|\.drone\.ya?ml|azure-pipelines.*\.ya?ml|bitbucket-pipelines\.ya?ml|conftest\.py|` +
	`sonar-project\.properties|phpunit\.xml.*)$`)

// isConfigFile reports by its path whether a file configures how the project is built and tested.
func isConfigFile(p string) bool {
	for _, dir := range []string{".github/workflows/", ".github/actions/", ".circleci/", ".buildkite/", ".gitlab/", ".woodpecker"} {
		if strings.HasPrefix(p, dir) {
			return true
		}
	}
	switch syntax.LanguageOf(p) {
	case syntax.Go, syntax.Rust, syntax.Java, syntax.CSharp:
		return false // faster than the expressions
	}
	return configNames.MatchString(path.Base(p)) ||
		strings.HasSuffix(p, ".sh") && (strings.Contains(p, "test") || strings.Contains(p, "ci"))
}

// configLine is a line without its comment.
type configLine struct {
	number int
	text   string
}

// uncommentedLines returns the lines of a text without comments: # or // after a space, outside of
// quotes. JSON and XML are returned unchanged.
func uncommentedLines(p string, text []byte) []configLine {
	var out []configLine
	n := 0
	ext := path.Ext(p)
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimRight(line, "\r\n")
		switch ext {
		case ".json", ".xml", ".csproj", ".props", ".runsettings":
		case ".js", ".ts", ".mjs", ".cjs", ".mts", ".cts", ".gradle", ".kts":
			line = cutComment(line, "//")
		default:
			line = cutComment(line, "#")
		}
		if strings.TrimSpace(line) != "" {
			out = append(out, configLine{n, line})
		}
	}
	return out
}

func cutComment(line, sign string) string {
	var quote byte
	for i := range len(line) {
		c := line[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case strings.HasPrefix(line[i:], sign) && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t'):
			return line[:i]
		}
	}
	return line
}

// limit is a bound on the number of tests or their coverage.
type limit struct {
	pattern       *lazyregexp.Regexp
	files         *lazyregexp.Regexp // names of files in which it has this meaning; nil is any
	lowerIsWeaker bool               // a smaller value is weaker
}

func minimumLimit(form, in string) limit {
	l := limit{pattern: lazyregexp.New(form), lowerIsWeaker: true}
	if in != "" {
		l.files = lazyregexp.New(in)
	}
	return l
}

const scriptConfig = `(?i)package\.json|nycrc|c8rc|jest|vitest|vite|karma`

var limitKinds = []limit{
	minimumLimit(`(?i)\b((?:cov-)?fail[-_]under)\b["']?\s*[=:\s]\s*["']?(\d+(?:\.\d+)?)`, ""),
	minimumLimit(`["']?\b(branches|functions|lines|statements|perFile)\b["']?\s*:\s*(\d+(?:\.\d+)?)`, scriptConfig),
	minimumLimit(`--(branches|functions|lines|statements)[= ](\d+(?:\.\d+)?)`, ""),
	minimumLimit(`\b(minimum_coverage(?:_by_file)?)\b[\s(:a-z]*(\d+(?:\.\d+)?)`, ""),
	minimumLimit(`\b(target|range)["']?\s*:\s*["']?(\d+(?:\.\d+)?)`, `(?i)codecov`),
	{pattern: lazyregexp.New(`\b(threshold)["']?\s*:\s*["']?(\d+(?:\.\d+)?)`), files: lazyregexp.New(`(?i)codecov`)},
	minimumLimit(`\b(total|file|package)\s*:\s*(\d+(?:\.\d+)?)`, `(?i)testcoverage`),
	minimumLimit(`<(minimum)>\s*(\d+(?:\.\d+)?)`, `(?i)pom\.xml`),
	minimumLimit(`\b(minimum)\s*=\s*["']?(\d+(?:\.\d+)?)`, `(?i)gradle`),
	minimumLimit(`(?i)<(threshold)>\s*(\d+(?:\.\d+)?)|[/-]p:(threshold)=(\d+(?:\.\d+)?)`, ""),
	{pattern: lazyregexp.New(`--(max-warnings)[= ](\d+)`)},
}

type limitValue struct {
	line   int // number
	amount float64
	text   string
}

// values returns the limits of this kind by name, in the order of the text.
func (l limit) values(p string, lines []configLine) map[string][]limitValue {
	out := map[string][]limitValue{}
	if l.files != nil && !l.files.MatchString(path.Base(p)) {
		return out
	}
	for _, line := range lines {
		for _, m := range l.pattern.FindAllStringSubmatch(line.text, -1) {
			name, number := m[1], m[2]
			if name == "" && len(m) > 4 {
				name, number = m[3], m[4]
			}
			if amount, err := strconv.ParseFloat(number, 64); err == nil {
				name = strings.ToLower(strings.ReplaceAll(name, "_", "-"))
				out[name] = append(out[name], limitValue{line.number, amount, number})
			}
		}
	}
	return out
}

// findLoweredLimits compares the limits of both texts by name and position.
func findLoweredLimits(f *syntax.File, before, after []configLine) []belay.Finding {
	var out []belay.Finding
	for _, l := range limitKinds {
		had, has := l.values(f.Path, before), l.values(f.Path, after)
		for _, name := range slices.Sorted(maps.Keys(had)) {
			was, is := had[name], has[name]
			if len(is) < len(was) && l.lowerIsWeaker {
				out = append(out, loweredFinding(f, belay.SeverityWarning, 0, name,
					fmt.Sprintf("%s was %s and was removed", name, was[len(is)].text)))
			}
			for i := range min(len(was), len(is)) {
				if l.lowerIsWeaker == (is[i].amount < was[i].amount) && is[i].amount != was[i].amount && f.AddedLines().Has(is[i].line) {
					out = append(out, loweredFinding(f, belay.SeverityError, is[i].line, name,
						fmt.Sprintf("%s was %s and is now %s", name, was[i].text, is[i].text)))
				}
			}
		}
	}
	return out
}

func loweredFinding(f *syntax.File, s belay.Severity, line int, name, detail string) belay.Finding {
	return belay.Finding{Severity: s, File: f.Path, Line: line, Title: "limit lowered: " + name, Detail: detail,
		Recommendation: "restore the limit and add the tests it requires; only a person can lower it"}
}
