package testdiff

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/syntax"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// settings says what a change of CI, build and test configuration takes away: limits
// that were lowered, failures that no longer count, tests that no longer run.
func settings(f *syntax.File) []belay.Finding {
	if f.Created() || f.Deleted() || syntax.Binary(f.After) || !configures(f.Path) || len(f.After) > 2<<20 {
		return nil
	}
	before, after := plainLines(f.Path, f.Before), plainLines(f.Path, f.After)
	out := limits(f, before, after)
	out = append(out, forgiven(f, before, after)...)
	out = append(out, silenced(f, before, after)...)
	return append(out, ignored(f, after)...)
}

var configNames = lazyregexp.New(`(?i)^(?:pyproject\.toml|setup\.cfg|tox\.ini|noxfile\.py|\.?pytest\.ini|\.coveragerc|` +
	`package\.json|composer\.json|\.?codecov\.ya?ml|\.nycrc(?:\..*)?|\.c8rc(?:\..*)?|` +
	`(?:jest|vitest|vite|karma|ava|playwright|cypress|wdio)\.config\.[a-z.]+|\.mocharc\..*|karma\.conf\.js|makefile|` +
	`gnumakefile|.*\.mk|justfile|taskfile\.ya?ml|rakefile|\.simplecov|spec_helper\.rb|rails_helper\.rb|test_helper\.rb|` +
	`\.rspec|pom\.xml|build\.gradle(?:\.kts)?|cargo\.toml|tarpaulin\.toml|.*\.csproj|directory\.build\.props|` +
	`.*\.runsettings|\.golangci\.(?:ya?ml|toml|json)|\.?testcoverage\.ya?ml|jenkinsfile|\.gitlab-ci\.ya?ml|` +
	`\.travis\.ya?ml|\.drone\.ya?ml|azure-pipelines.*\.ya?ml|bitbucket-pipelines\.ya?ml|conftest\.py|` +
	`sonar-project\.properties|phpunit\.xml.*)$`)

// configures reports by its path whether a file says how the project is built and tested.
func configures(p string) bool {
	for _, dir := range []string{".github/workflows/", ".github/actions/", ".circleci/", ".buildkite/", ".gitlab/", ".woodpecker"} {
		if strings.HasPrefix(p, dir) {
			return true
		}
	}
	switch syntax.Of(p) {
	case syntax.Go, syntax.Rust, syntax.Java, syntax.CSharp:
		return false // quicker than asking
	}
	return configNames.MatchString(path.Base(p)) ||
		strings.HasSuffix(p, ".sh") && (strings.Contains(p, "test") || strings.Contains(p, "ci"))
}

// confLine is a line without its comment.
type confLine struct {
	n    int
	text string
}

// plainLines takes comments away: what follows # or // after a space, outside
// quotes, and <!-- … --> of a line. JSON has none.
func plainLines(p string, text []byte) []confLine {
	var out []confLine
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
			out = append(out, confLine{n, line})
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

// limit is a number that tests or their coverage are held to.
type limit struct {
	form *lazyregexp.Regexp
	in   *lazyregexp.Regexp // names of the files in which it means that; nil is any
	less bool               // smaller is weaker
}

func least(form, in string) limit {
	l := limit{form: lazyregexp.New(form), less: true}
	if in != "" {
		l.in = lazyregexp.New(in)
	}
	return l
}

const scriptConfig = `(?i)package\.json|nycrc|c8rc|jest|vitest|vite|karma`

var limitKinds = []limit{
	least(`(?i)\b((?:cov-)?fail[-_]under)\b["']?\s*[=:\s]\s*["']?(\d+(?:\.\d+)?)`, ""),
	least(`["']?\b(branches|functions|lines|statements|perFile)\b["']?\s*:\s*(\d+(?:\.\d+)?)`, scriptConfig),
	least(`--(branches|functions|lines|statements)[= ](\d+(?:\.\d+)?)`, ""),
	least(`\b(minimum_coverage(?:_by_file)?)\b[\s(:a-z]*(\d+(?:\.\d+)?)`, ""),
	least(`\b(target|range)["']?\s*:\s*["']?(\d+(?:\.\d+)?)`, `(?i)codecov`),
	{form: lazyregexp.New(`\b(threshold)["']?\s*:\s*["']?(\d+(?:\.\d+)?)`), in: lazyregexp.New(`(?i)codecov`)},
	least(`\b(total|file|package)\s*:\s*(\d+(?:\.\d+)?)`, `(?i)testcoverage`),
	least(`<(minimum)>\s*(\d+(?:\.\d+)?)`, `(?i)pom\.xml`),
	least(`\b(minimum)\s*=\s*["']?(\d+(?:\.\d+)?)`, `(?i)gradle`),
	least(`(?i)<(threshold)>\s*(\d+(?:\.\d+)?)|[/-]p:(threshold)=(\d+(?:\.\d+)?)`, ""),
	{form: lazyregexp.New(`--(max-warnings)[= ](\d+)`)},
}

type value struct {
	n      int // its line
	amount float64
	text   string
}

// values finds a kind of limit, by its name, in the order of the text.
func (l limit) values(p string, lines []confLine) map[string][]value {
	out := map[string][]value{}
	if l.in != nil && !l.in.MatchString(path.Base(p)) {
		return out
	}
	for _, line := range lines {
		for _, m := range l.form.FindAllStringSubmatch(line.text, -1) {
			name, number := m[1], m[2]
			if name == "" && len(m) > 4 {
				name, number = m[3], m[4]
			}
			if amount, err := strconv.ParseFloat(number, 64); err == nil {
				name = strings.ToLower(strings.ReplaceAll(name, "_", "-"))
				out[name] = append(out[name], value{line.n, amount, number})
			}
		}
	}
	return out
}

// limits compares the limits of both texts, each with the one in its place.
func limits(f *syntax.File, before, after []confLine) []belay.Finding {
	var out []belay.Finding
	for _, l := range limitKinds {
		had, has := l.values(f.Path, before), l.values(f.Path, after)
		for name, was := range had {
			is := has[name]
			if len(is) < len(was) && l.less {
				out = append(out, lowered(f, belay.SeverityWarning, 0, name,
					fmt.Sprintf("%s was %s and was removed", name, was[len(is)].text)))
			}
			for i := range min(len(was), len(is)) {
				if l.less == (is[i].amount < was[i].amount) && is[i].amount != was[i].amount && f.Added().Has(is[i].n) {
					out = append(out, lowered(f, belay.SeverityError, is[i].n, name,
						fmt.Sprintf("%s was %s and is now %s", name, was[i].text, is[i].text)))
				}
			}
		}
	}
	return out
}

func lowered(f *syntax.File, s belay.Severity, line int, name, detail string) belay.Finding {
	return belay.Finding{Severity: s, File: f.Path, Line: line, Title: "limit lowered: " + name, Detail: detail,
		Recommendation: "restore the limit and add the tests it requires; only a person can lower it"}
}
