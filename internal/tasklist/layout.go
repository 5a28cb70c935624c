package tasklist

import (
	"bytes"
	"path"
	"strings"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// TaskFilePlace is where a tool keeps its task files, as a glob relative to the root.
type TaskFilePlace struct {
	Dialect Dialect
	Glob    string
}

// TaskFilePlaces are the known places.
var TaskFilePlaces = []TaskFilePlace{
	{SpecKit, "specs/*/tasks.md"},
	{SpecKit, ".specify/specs/*/tasks.md"},
	{SpecKitty, "kitty-specs/*/tasks.md"},
	{SpecKitty, "kitty-specs/*/tasks/**/WP*.md"},
	{OpenSpec, "openspec/changes/*/tasks.md"},
	{Kiro, ".kiro/specs/*/tasks.md"},
	{Workitems, ".workitems/**/tasks.md"},
	{TaskYAML, "**/*.task.yaml"},
	{TaskMaster, ".taskmaster/tasks/tasks.json"},
	{Backlog, "backlog/tasks/*.md"},
}

var dialectsByPath = []struct {
	dialect Dialect
	form    *lazyregexp.Regexp
}{
	{SpecKitty, lazyregexp.New(`(?:^|/)kitty-specs/[^/]+/tasks\.md$`)},
	{SpecKitty, lazyregexp.New(`(?:^|/)tasks/(?:[a-z_]+/)?WP\d+[^/]*\.md$`)},
	{OpenSpec, lazyregexp.New(`(?:^|/)openspec/changes/(?:[^/]+/)+tasks\.md$`)},
	{Kiro, lazyregexp.New(`(?:^|/)\.kiro/specs/[^/]+/tasks\.md$`)},
	{Workitems, lazyregexp.New(`(?:^|/)\.workitems/(?:[^/]+/)+tasks\.md$`)},
	{SpecKit, lazyregexp.New(`(?:^|/)(?:\.specify/)?specs/[^/]+/tasks\.md$`)},
	{TaskYAML, lazyregexp.New(`\.task\.ya?ml$`)},
	{TaskMaster, lazyregexp.New(`(?:^|/)tasks\.json$`)},
	{Backlog, lazyregexp.New(`(?:^|/)\.?backlog/tasks/[^/]+\.md$`)},
	{Issue, lazyregexp.New(`\.json[l]?$`)},
	{TaskYAML, lazyregexp.New(`\.ya?ml$`)},
}

var dialectsByText = []struct {
	dialect Dialect
	form    *lazyregexp.Regexp
}{
	{SpecKitty, lazyregexp.New(`(?m)^##+ Work Package WP\d+`)},
	{SpecKit, lazyregexp.New(`(?m)^\s*[-*+] \[[ xX]?\] T\d{3}\b`)},
	{Kiro, lazyregexp.New(`(?m)^\s*- _?\**(?:_Requirements|Requirements|_Validates): |^\s*- \[.\]\*? \d+\. `)},
	{OpenSpec, lazyregexp.New(`(?m)^- \[[ xX]\] \d+\.\d+ `)},
	{Workitems, lazyregexp.New(`(?m)^### (?:T\d+|Task \d+): `)},
}

// DialectOf returns the dialect of a file, by its path or else by its content.
func DialectOf(name string, data []byte) Dialect {
	name = strings.ReplaceAll(name, "\\", "/")
	for _, p := range dialectsByPath {
		if p.form.MatchString(name) {
			return p.dialect
		}
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), " \t\r\n")
	box := bytes.HasPrefix(text, []byte("[ ]")) || bytes.HasPrefix(text, []byte("[x]"))
	if !strings.HasSuffix(name, ".md") && len(text) > 0 && !box && (text[0] == '{' || text[0] == '[') {
		return Issue
	}
	if bytes.HasPrefix(text, []byte("---")) && workPackage.Match(text[:min(len(text), 4096)]) {
		return SpecKitty
	}
	some := data[:min(len(data), 256<<10)]
	for _, w := range dialectsByText {
		if w.form.Match(some) {
			return w.dialect
		}
	}
	return Checklist
}

var workPackage = lazyregexp.New(`(?m)^(?:work_package_id|wp_code):`)

// ReadTasks reads a file in its dialect. Errors name the problem and its line (belay.CodeUsage).
func ReadTasks(name string, data []byte) (Reading, error) {
	d := DialectOf(name, data)
	if isUTF16(data) {
		return Reading{Dialect: d}, belay.Refuse(belay.CodeUsage, "save it as UTF-8", "%s is not UTF-8 text", belay.VisibleLine(name))
	}
	var r Reading
	var err error
	switch {
	case d == TaskYAML:
		r, err = ReadTaskYAML(name, data)
	case d == TaskMaster:
		r, err = ReadMaster(name, data)
	case d == Backlog && bytes.HasPrefix(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), []byte("---")):
		r, err = ReadBacklog(name, data)
	case d == Issue:
		r, err = ReadIssues(name, data)
	case d == SpecKitty && workPackage.Match(data[:min(len(data), 4096)]):
		r, err = ReadWorkPackage(name, data)
	default:
		r = ReadChecklist(data, d)
	}
	if err != nil {
		return Reading{Dialect: d}, &belay.Error{Code: belay.CodeUsage, What: "its tasks cannot be read",
			Try: "fix the problems listed, then import it again", Err: err}
	}
	for i := range r.Tasks {
		r.Tasks[i].Source = name
	}
	for i := range r.Notes {
		r.Notes[i].Source = name
	}
	return r, nil
}

// isUTF16 reports whether a text begins with the byte order mark of UTF-16.
func isUTF16(data []byte) bool {
	return bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff"))
}

// FeatureOf returns the feature that a file's tasks belong to, the name of its folder; "" outside
// of a tool's layout.
func FeatureOf(name string) string {
	parts := strings.Split(strings.ReplaceAll(name, "\\", "/"), "/")
	for i := len(parts) - 2; i > 0; i-- {
		if isFeatureFolder(parts, i) {
			return parts[i]
		}
	}
	return ""
}

// isFeatureFolder reports whether element i of a path is the folder of a feature.
func isFeatureFolder(parts []string, i int) bool {
	if i == 0 || i == len(parts)-1 {
		return false
	}
	switch parts[i-1] {
	case "specs", "kitty-specs", "changes", ".workitems":
		return true
	}
	return parts[i-1] == "features" && i > 1 && parts[i-2] == "docs"
}

// IsIgnored reports whether a file of a layout has no tasks of the project: a template, a readme,
// or an archived change. A feature can be about templates.
func IsIgnored(name string) bool {
	low := strings.ToLower(name)
	parts := strings.Split(low, "/")
	for i, p := range parts {
		isTemplate := strings.Contains(p, "template")
		if isFeatureFolder(parts, i) {
			isTemplate = strings.TrimSuffix(strings.Trim(p, "0123456789-_."), "s") == "template"
		}
		if isTemplate {
			return true
		}
	}
	return strings.Contains(low, "/archive/") || path.Base(low) == "readme.md"
}
