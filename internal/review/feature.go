package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// FeatureCheck is the check's name in findings about features.
const FeatureCheck = "feature"

// Task is a task of the feature with its result.
type Task struct {
	belay.Task
	Accepted        bool
	StatusText      string   // its status, if it is not accepted
	AcceptedDespite string   // why it was accepted despite a rejection, "" if it was not
	NotMerged       bool     // its work is in a task worktree that is not merged
	Changes         []string // paths that its attempts changed
}

// Spec is the content of the feature's documents.
type Spec struct {
	Items []Item // requirements with ids
	Boxes []Box  // tasks of its lists
}

// Item is a requirement of a document.
type Item struct {
	ID, Text, File string
	Line           int
}

// Box is a task of a task list.
type Box struct {
	ID, Text, File string
	Line           int
	Done           bool
}

// Fact is a finding with its tasks.
type Fact struct {
	belay.Finding
	Tasks []belay.TaskID `json:"tasks,omitempty"`
}

// FeatureFacts returns the findings that need no reviewer: errors for requirements without work and
// changes outside of scope, warnings for work without a requirement, and notes. changed are the
// paths that changed in the tree since the first task started; others are those changed meanwhile
// by tasks outside of the feature.
func FeatureFacts(tasks []Task, spec Spec, changed, others []string) []Fact {
	var out []Fact
	for _, t := range tasks {
		out = append(out, unmetFacts(t)...)
		out = append(out, outOfScopeFacts(t)...)
	}
	out = append(out, unclaimedFacts(tasks, spec)...)
	out = append(out, unexplainedChanges(tasks, changed, others)...)
	for i := range out {
		out[i].Check, out[i].Category = FeatureCheck, belay.CategoryReview
		out[i].Finding = out[i].Sign()
	}
	return out
}

func newFact(severity belay.Severity, task belay.TaskID, file, title, detail string) Fact {
	f := Fact{Finding: belay.Finding{Severity: severity, Title: title, Detail: detail, File: file}}
	if task != "" {
		f.Tasks = []belay.TaskID{task}
	}
	return f
}

// unmetFacts returns what a task was asked to do and demonstrably did not do.
func unmetFacts(t Task) []Fact {
	if !t.Accepted {
		detail := ""
		for _, r := range t.Request.Requirements {
			detail += requirement(r) + "\n"
		}
		return []Fact{newFact(belay.SeverityError, t.ID, "",
			fmt.Sprintf("%s is not accepted (%s): %s", t.ID, t.StatusText, t.Title), strings.TrimSpace(detail))}
	}
	var out []Fact
	if t.AcceptedDespite != "" {
		out = append(out, newFact(belay.SeverityWarning, t.ID, "",
			fmt.Sprintf("%s was accepted although it was rejected", t.ID), t.AcceptedDespite))
	}
	if t.NotMerged {
		out = append(out, newFact(belay.SeverityWarning, t.ID, "", fmt.Sprintf("%s is not merged: its work is not in this tree", t.ID), ""))
	}
	for _, e := range t.Scope.Expect {
		if !slices.ContainsFunc(t.Changes, func(c string) bool { return belay.Covers(e, c) }) {
			out = append(out, newFact(belay.SeverityError, t.ID, "", fmt.Sprintf("%s was expected to change %s but did not", t.ID, e), ""))
		}
	}
	var untouched []string
	for _, a := range t.Request.Affected {
		if !slices.Contains(t.Changes, a) && !slices.Contains(t.Scope.Expect, a) {
			untouched = append(untouched, a)
		}
	}
	for _, a := range untouched {
		detail := "its text names the file"
		if len(untouched) == len(t.Request.Affected) && len(t.Request.Requirements) > 0 {
			detail += "; it changed none of the files it names"
		}
		out = append(out, newFact(belay.SeverityWarning, t.ID, a, fmt.Sprintf("%s names %s but did not change it", t.ID, a), detail))
	}
	return out
}

func requirement(r belay.Requirement) string {
	if r.Count != nil {
		return fmt.Sprintf("%s (%d) %s", r.Marker, *r.Count, r.Text)
	}
	return fmt.Sprintf("%s %s", r.Marker, r.Text)
}

// outOfScopeFacts returns a task's changes outside of its scope, and those that its text does not
// name.
func outOfScopeFacts(t Task) []Fact {
	var out []Fact
	for _, c := range t.Changes {
		switch {
		case strings.HasPrefix(c, ".belay/"):
		case belay.Match(t.Scope.Protect, c):
			out = append(out, newFact(belay.SeverityError, t.ID, c, fmt.Sprintf("%s changed a protected file", t.ID), ""))
		case len(t.Scope.Files) > 0 && !belay.Match(t.Scope.Files, c):
			out = append(out, newFact(belay.SeverityError, t.ID, c,
				fmt.Sprintf("%s changed a file outside its scope", t.ID), "its files are "+strings.Join(t.Scope.Files, ", ")))
		case len(t.Scope.Files) == 0 && len(t.Request.Affected) > 0 && !isNear(t.Request.Affected, c) && !isTestPath(c):
			out = append(out, newFact(belay.SeverityWarning, t.ID, c,
				fmt.Sprintf("%s changed a file that its text does not name", t.ID), "it names "+strings.Join(t.Request.Affected, ", ")))
		}
	}
	return out
}

// isNear reports whether a path is named, inside a named folder, or has the stem of a named file.
func isNear(named []string, p string) bool {
	return slices.ContainsFunc(named, func(n string) bool {
		return n == p || strings.HasPrefix(p, strings.TrimSuffix(n, "/")+"/") || pathStem(n) == pathStem(p)
	})
}

// pathStem returns a path without extensions and _test: a/b for a/b.test.ts.
func pathStem(p string) string {
	dir, base := "", p
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		dir, base = p[:i+1], p[i+1:]
	}
	if i := strings.IndexByte(base, '.'); i > 0 {
		base = base[:i]
	}
	return dir + strings.TrimSuffix(base, "_test")
}

func isTestPath(p string) bool {
	low := strings.ToLower(p)
	for _, mark := range []string{"test/", "tests/", "__tests__/", "spec/"} {
		if strings.HasPrefix(low, mark) || strings.Contains(low, "/"+mark) {
			return true
		}
	}
	return strings.Contains(low, "_test.") || strings.Contains(low, ".test.") || strings.Contains(low, ".spec.") ||
		strings.Contains(low, "/test_") || strings.HasPrefix(low, "test_")
}

// unclaimedFacts returns the specification's requirements without an accepted task or checked box
// that names their ID, and the open boxes. If no ID is named anywhere, it is unknown which
// requirements are met.
func unclaimedFacts(tasks []Task, spec Spec) []Fact {
	var out []Fact
	named := map[string]bool{}
	for _, i := range spec.Items {
		for _, t := range tasks {
			if t.Accepted && namesRequirement(t.Prose, i.ID) {
				named[i.ID] = true
			}
		}
		for _, b := range spec.Boxes {
			if b.Done && namesRequirement(b.Text, i.ID) {
				named[i.ID] = true
			}
		}
	}
	for _, b := range spec.Boxes {
		if !b.Done {
			f := newFact(belay.SeverityError, "", b.File, "open in the task list: "+strings.TrimSpace(b.ID+" "+b.Text), "")
			f.Line = b.Line
			out = append(out, f)
		}
	}
	if len(spec.Items) > 0 && len(named) == 0 {
		f := newFact(belay.SeverityNote, "", spec.Items[0].File,
			fmt.Sprintf("no task names a requirement of the specification by its id (%s unchecked)",
				belay.Count(len(spec.Items), "requirement", "requirements")), "")
		return append(out, f)
	}
	for _, i := range spec.Items {
		if !named[i.ID] {
			f := newFact(belay.SeverityError, "", i.File, fmt.Sprintf("no accepted task is for %s: %s", i.ID, i.Text), "")
			f.Line = i.Line
			out = append(out, f)
		}
	}
	return out
}

// requirementNumbers is how Kiro's tasks name requirements: _Requirements: 1.1, 2.3_.
var requirementNumbers = lazyregexp.New(`(?i)requirements?:\s*([0-9][0-9., ]*)`)

// namesRequirement reports whether a text names a requirement.
func namesRequirement(text, id string) bool {
	if mentions(text, id) {
		return true
	}
	number, kiro := strings.CutPrefix(id, "Requirement ")
	if !kiro {
		return false
	}
	for _, line := range requirementNumbers.FindAllString(text, -1) {
		_, list, _ := strings.Cut(line, ":")
		for one := range strings.SplitSeq(list, ",") {
			if whole, _, _ := strings.Cut(strings.TrimSpace(one), "."); whole == number {
				return true
			}
		}
	}
	return false
}

// mentions reports whether a text names an ID, not just a longer one that contains it.
func mentions(text, id string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], id)
		if i < 0 {
			return false
		}
		end := at + i + len(id)
		if (at+i == 0 || !isWordByte(text[at+i-1])) && (end == len(text) || !isWordByte(text[end])) {
			return true
		}
		at = end
	}
}

func isWordByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_'
}

// unexplainedChanges returns the changes in the tree that no task made.
func unexplainedChanges(tasks []Task, changed, others []string) []Fact {
	known := map[string]bool{}
	for _, t := range tasks {
		for _, c := range t.Changes {
			known[c] = true
		}
	}
	for _, c := range others {
		known[c] = true
	}
	var out []Fact
	for _, c := range changed {
		if !known[c] && !strings.HasPrefix(c, ".belay/") {
			out = append(out, newFact(belay.SeverityWarning, "", c, "changed since the feature began, but not by a task",
				"a person or another program changed it"))
		}
	}
	return out
}

// TasksOfFindings returns the tasks that errors are about: those that they name, or else the last
// task that changed the file. tasks are sorted by their start.
func TasksOfFindings(tasks []Task, findings []belay.Finding) []belay.TaskID {
	hit := map[belay.TaskID]bool{}
	for _, f := range findings {
		if f.Severity != belay.SeverityError {
			continue
		}
		named := false
		for _, t := range tasks {
			if mentions(f.Title+"\n"+f.Detail+"\n"+f.Recommendation, string(t.ID)) {
				hit[t.ID], named = true, true
			}
		}
		for _, t := range slices.Backward(tasks) {
			if !named && f.File != "" && slices.Contains(t.Changes, f.File) {
				hit[t.ID] = true
				break
			}
		}
	}
	var out []belay.TaskID
	for _, t := range tasks {
		if hit[t.ID] {
			out = append(out, t.ID)
		}
	}
	return out
}
