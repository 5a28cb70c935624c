package plan

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/count"
)

// Unknown is the verdict on a marker that nobody can tell by counting: never a pass.
const Unknown count.Verdict = "unknown"

// Judged is what a marker comes to in the implementation.
type Judged struct {
	Section  string          `json:"section"` // its path
	Line     int             `json:"line"`    // of the marker, in the plan
	Task     string          `json:"task"`
	Marker   belay.Marker    `json:"marker"`
	Text     string          `json:"text"`
	Verdict  count.Verdict   `json:"verdict"`
	Counts   count.Counts    `json:"counts"`
	Before   *count.Place    `json:"list_before,omitempty"`
	After    *count.Place    `json:"list_after,omitempty"`
	Files    []string        `json:"files"` // known to be the section's own
	Findings []count.Finding `json:"findings"`
}

// Task holds the implementation to a task's markers. What counting cannot tell is unknown.
func Task(p *Plan, task belay.TaskID, s *Sides) ([]Judged, error) {
	var out []Judged
	asked := p.For(task)
	for _, a := range asked {
		j := Judged{Section: a.Section.Path, Line: a.Marker.Line, Task: string(task), Marker: a.Marker.Kind,
			Text: a.Marker.Text, Findings: []count.Finding{}}
		j.Files = files(p, a.Section, s.Paths)
		var err error
		if a.Marker.Kind == belay.MarkNoChanges {
			j.still(s)
		} else {
			err = j.counted(requirement(a, asked), s)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, j)
	}
	return out, nil
}

// requirement is a marker as counting reads it: with the section's name, because that is
// what the list may be called.
func requirement(a Asked, all []Asked) belay.Requirement {
	r := belay.Requirement{Marker: a.Marker.Kind, Text: a.Marker.Text, Count: a.Marker.Count}
	if r.Marker == belay.MarkPreserved { // what is there where something is added: the same list
		for _, other := range all {
			if other.Section.Path == a.Section.Path && other.Marker.Kind == belay.MarkAdd && strings.HasPrefix(r.Text, "what is there") {
				r.Text = other.Marker.Text
			}
		}
	}
	if r.Count == nil && (r.Marker == belay.MarkAdd || r.Marker == belay.MarkRemove) {
		if stated, err := count.ParseRequirement(string(r.Marker) + " " + r.Text); err == nil {
			r.Count = stated.Count
		}
	}
	said := Stems(r.Text)
	if stems, own := Proper(a.Section.Name); own && !slices.ContainsFunc(stems, func(s string) bool { return said[s] }) {
		r.Text += " in " + a.Section.Name
	}
	return r
}

// files returns the paths that are a section's own: called as it is, in a folder called so,
// or named in it.
func files(p *Plan, s Section, paths []string) []string {
	out := []string{}
	text := string(p.Text()[s.Start:s.End])
	names := map[string]bool{}
	for _, n := range s.Names {
		if stems, own := Proper(n); own {
			names[strings.Join(stems, " ")] = true
		}
	}
	for _, f := range paths {
		mine := names[Spelled(FileStem(f))] || Coded(FileStem(f)) && HasWord(text, FileStem(f)) || strings.Contains(text, path.Base(f))
		for dir := path.Dir(f); !mine && dir != "." && dir != "/"; dir = path.Dir(dir) {
			mine = names[Spelled(path.Base(dir))]
		}
		if mine {
			out = append(out, f)
		}
	}
	return out
}

// Owned returns the paths that are those of a task's sections.
func Owned(p *Plan, task belay.TaskID, paths []string) []string {
	var out []string
	for _, a := range p.For(task) {
		out = append(out, files(p, a.Section, paths)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (j *Judged) warn(file, format string, args ...any) {
	line := 0
	if file != "" {
		line = 1
	}
	j.Findings = append(j.Findings, count.Finding{Severity: "warning", Message: fmt.Sprintf(format, args...), File: file, Line: line})
}

// still judges NO CHANGES by the section's own files.
func (j *Judged) still(s *Sides) {
	j.Verdict = count.Pass
	if len(s.Changed) == 0 {
		return
	}
	if len(j.Files) == 0 {
		j.Verdict = Unknown
		j.warn("", "no file is known to belong to %s, so it is not known whether it stayed unchanged", j.Section)
		return
	}
	for _, f := range j.Files {
		if slices.Contains(s.Changed, f) {
			j.Verdict = count.Warn
			j.warn(f, "changed although the plan says NO CHANGES for %s", j.Section)
		}
	}
}

// touched reports whether one of the section's own files changed.
func (j *Judged) touched(s *Sides) bool {
	return slices.ContainsFunc(j.Files, func(f string) bool { return slices.Contains(s.Changed, f) })
}

// counted judges all other markers by counting, and by the section's own files where no list
// is certain to be meant.
func (j *Judged) counted(r belay.Requirement, s *Sides) error {
	res, err := count.Check(s.Before, s.After, r)
	if err != nil {
		return fmt.Errorf("count for %s: %w", j.Section, err)
	}
	j.take(r, res, s)
	switch r.Marker {
	case belay.MarkPreserved:
		j.stays(s)
	case belay.MarkModify:
		j.modified(s)
	case belay.MarkFix:
		j.fixed(s)
	case belay.MarkRemove:
		j.gone(r, s)
	}
	return nil
}

// lists names the lists that came into question, "" for none.
func lists(res count.Result) string {
	var out []string
	for _, l := range res.Candidates {
		out = append(out, l.String())
	}
	if len(out) == 0 {
		return ""
	}
	return "; possible lists: " + strings.Join(out, ", ")
}

// take believes what counting says as far as it is certain: only what nobody stated a
// number for can be told wrong by another list.
func (j *Judged) take(r belay.Requirement, res count.Result, s *Sides) {
	j.Verdict, j.Counts, j.Before, j.After = res.Verdict, res.Counts, res.Before, res.After
	j.Findings = append(j.Findings, res.Findings...)
	switch uncounted := res.Counts.Before == nil || res.Counts.After == nil; {
	case res.Certain:
	case res.Verdict == count.Fail && len(s.Changed) == 0:
	case res.Verdict == count.Fail && !uncounted && r.Count != nil:
		j.Verdict = Unknown
		for i := range j.Findings {
			j.Findings[i].Severity = "warning"
		}
		j.warn("", "not certain that this is the list of %s%s", j.Section, lists(res))
	case r.Count != nil && !uncounted:
	default: // some list, or none
		j.Verdict, j.Counts, j.Before, j.After = Unknown, count.Counts{}, nil, nil
		j.Findings = []count.Finding{}
		if r.Marker == belay.MarkAdd {
			j.unknown("no list certainly belongs to %s%s", j.Section, lists(res))
		}
	}
}

func (j *Judged) unknown(format string, args ...any) {
	j.Verdict = Unknown
	j.warn("", format, args...)
}

// unchanged reports whether it is known that nothing of the section changed.
func (j *Judged) unchanged(s *Sides) bool {
	return len(s.Changed) == 0 || len(j.Files) > 0 && !j.touched(s)
}

func (j *Judged) stays(s *Sides) {
	switch {
	case j.Verdict != Unknown || len(j.Findings) > 0:
	case j.unchanged(s):
		j.Verdict = count.Pass
	case len(j.Files) == 0:
		j.unknown("no list or file is known to belong to %s", j.Section)
	default:
		j.shrunk(s)
	}
}

func (j *Judged) modified(s *Sides) {
	listed := j.After != nil && slices.Contains(s.Changed, j.After.File)
	switch {
	case j.Verdict == count.Fail:
	case j.unchanged(s) && !listed:
		j.Verdict = count.Warn
		j.warn("", "%s should be changed but nothing in it changed", j.Section)
	case j.Verdict == Unknown && len(j.Findings) == 0 && len(j.Files) == 0:
		j.unknown("no list or file is known to belong to %s", j.Section)
	case j.Verdict == Unknown && len(j.Findings) == 0:
		j.shrunk(s)
	}
}

func (j *Judged) fixed(s *Sides) {
	switch {
	case j.unchanged(s):
		j.Findings = []count.Finding{}
		j.unknown("something in %s should be fixed but nothing in it changed", j.Section)
	case j.Verdict == count.Pass || j.Verdict == Unknown && len(j.Findings) == 0:
		j.unknown("only tests can show whether it works now")
	}
}

// shrunk passes a section whose own files changed without any list in them losing items.
func (j *Judged) shrunk(s *Sides) {
	j.Verdict = count.Pass
	for _, f := range j.Files {
		if !slices.Contains(s.Changed, f) {
			continue
		}
		before, after := itemsIn(s.Before, f), itemsIn(s.After, f)
		for _, name := range slices.Sorted(maps.Keys(before)) {
			if was, is := before[name], after[name]; is < was {
				j.unknown("%s had %d items in %s and now has %d", name, was, f, is)
			}
		}
	}
}

// itemsIn counts the items of the lists in one file, by their names.
func itemsIn(t count.Tree, f string) map[string]int {
	out := map[string]int{}
	text, err := t.Read(f)
	if err != nil {
		return out
	}
	lists, _, _ := count.ScanFile(f, text)
	for _, l := range lists {
		out[l.FullName()] += len(l.Items)
	}
	return out
}

// gone judges the removal of a whole section by its own files.
func (j *Judged) gone(r belay.Requirement, s *Sides) {
	if r.Count != nil || j.Verdict == count.Fail || j.Verdict == count.Pass {
		return
	}
	if len(j.Files) == 0 {
		if j.Verdict == Unknown {
			j.unknown("no list or file is known to belong to %s", j.Section)
		}
		return
	}
	left := 0
	for _, f := range j.Files {
		if _, err := s.After.Read(f); err == nil {
			left++
		}
	}
	j.Verdict, j.Findings = count.Pass, []count.Finding{}
	if left > 0 {
		j.Verdict = count.Warn
		j.warn(j.Files[0], "%s should be removed but its file is still there", j.Section)
	}
}

// Verdict is what all markers come to: fail if one fails, then unknown, then warn.
func Verdict(all []Judged) count.Verdict {
	worst := count.Pass
	rank := map[count.Verdict]int{count.Pass: 0, count.Warn: 1, Unknown: 2, count.Fail: 3}
	for _, j := range all {
		if rank[j.Verdict] > rank[worst] {
			worst = j.Verdict
		}
	}
	return worst
}
