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

// Unknown is the verdict on a marker that counting cannot decide. It is never a pass.
const Unknown count.Verdict = "unknown"

// MarkerVerdict is the verdict on one marker, from the implementation.
type MarkerVerdict struct {
	Section  string          `json:"section"` // the section's path
	Line     int             `json:"line"`    // the marker's line in the plan
	Task     string          `json:"task"`
	Marker   belay.Marker    `json:"marker"`
	Text     string          `json:"text"`
	Verdict  count.Verdict   `json:"verdict"`
	Counts   count.Counts    `json:"counts"`
	Before   *count.Place    `json:"list_before,omitempty"`
	After    *count.Place    `json:"list_after,omitempty"`
	Files    []string        `json:"files"` // files that certainly belong to the section
	Findings []count.Finding `json:"findings"`
}

// CheckTask compares the implementation with a task's markers. The verdict is Unknown where
// counting cannot decide.
func CheckTask(p *Plan, task belay.TaskID, s *Implementation) ([]MarkerVerdict, error) {
	var out []MarkerVerdict
	asked := p.MarkersFor(task)
	for _, a := range asked {
		j := MarkerVerdict{Section: a.Section.Path, Line: a.Marker.Line, Task: string(task), Marker: a.Marker.Kind,
			Text: a.Marker.Text, Findings: []count.Finding{}}
		j.Files = ownFiles(p, a.Section, s.Paths)
		var err error
		if a.Marker.Kind == belay.MarkNoChanges {
			j.judgeNoChanges(s)
		} else {
			err = j.judgeByCounting(requirementOf(a, asked), s)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, j)
	}
	return out, nil
}

// requirementOf returns a marker as a requirement for counting. It adds the section's name, because
// the list may have that name.
func requirementOf(a TaskMarker, all []TaskMarker) belay.Requirement {
	r := belay.Requirement{Marker: a.Marker.Kind, Text: a.Marker.Text, Count: a.Marker.Count}
	if r.Marker == belay.MarkPreserved { // "what is there" next to an ADD is the list that the ADD extends
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
	if stems, own := NameStems(a.Section.Name); own && !slices.ContainsFunc(stems, func(s string) bool { return said[s] }) {
		r.Text += " in " + a.Section.Name
	}
	return r
}

// ownFiles returns the paths that belong to a section: the file or one of its folders has the
// section's name, or the section names the file.
func ownFiles(p *Plan, s Section, paths []string) []string {
	out := []string{}
	text := string(p.Text()[s.Start:s.End])
	names := map[string]bool{}
	for _, n := range s.Names {
		if stems, own := NameStems(n); own {
			names[strings.Join(stems, " ")] = true
		}
	}
	for _, f := range paths {
		mine := names[SpellOut(FileStem(f))] || IsCodeName(FileStem(f)) && HasWord(text, FileStem(f)) ||
			strings.Contains(text, path.Base(f))
		for dir := path.Dir(f); !mine && dir != "." && dir != "/"; dir = path.Dir(dir) {
			mine = names[SpellOut(path.Base(dir))]
		}
		if mine {
			out = append(out, f)
		}
	}
	return out
}

// OwnedFiles returns the paths that belong to the sections of a task.
func OwnedFiles(p *Plan, task belay.TaskID, paths []string) []string {
	var out []string
	for _, a := range p.MarkersFor(task) {
		out = append(out, ownFiles(p, a.Section, paths)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (j *MarkerVerdict) warn(file, format string, args ...any) {
	line := 0
	if file != "" {
		line = 1
	}
	j.Findings = append(j.Findings, count.Finding{Severity: "warning", Message: fmt.Sprintf(format, args...), File: file, Line: line})
}

// judgeNoChanges judges NO CHANGES by the section's files.
func (j *MarkerVerdict) judgeNoChanges(s *Implementation) {
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

// isTouched reports whether one of the section's files changed.
func (j *MarkerVerdict) isTouched(s *Implementation) bool {
	return slices.ContainsFunc(j.Files, func(f string) bool { return slices.Contains(s.Changed, f) })
}

// judgeByCounting judges all other markers by counting, and by the section's files where no list
// certainly belongs to it.
func (j *MarkerVerdict) judgeByCounting(r belay.Requirement, s *Implementation) error {
	res, err := count.Check(s.Before, s.After, r)
	if err != nil {
		return fmt.Errorf("count for %s: %w", j.Section, err)
	}
	j.takeCountResult(r, res, s)
	switch r.Marker {
	case belay.MarkPreserved:
		j.judgePreserved(s)
	case belay.MarkModify:
		j.judgeModify(s)
	case belay.MarkFix:
		j.judgeFix(s)
	case belay.MarkRemove:
		j.judgeRemoved(r, s)
	}
	return nil
}

// listNames lists the candidates for a message; "" for none.
func listNames(res count.Result) string {
	var out []string
	for _, l := range res.Candidates {
		out = append(out, l.String())
	}
	if len(out) == 0 {
		return ""
	}
	return "; possible lists: " + strings.Join(out, ", ")
}

// takeCountResult adopts the result of counting as far as it is certain. Without a stated number,
// an uncertain list cannot prove a requirement wrong.
func (j *MarkerVerdict) takeCountResult(r belay.Requirement, res count.Result, s *Implementation) {
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
		j.warn("", "not certain that this is the list of %s%s", j.Section, listNames(res))
	case r.Count != nil && !uncounted:
	default:
		j.Verdict, j.Counts, j.Before, j.After = Unknown, count.Counts{}, nil, nil
		j.Findings = []count.Finding{}
		if r.Marker == belay.MarkAdd {
			j.setUnknown("no list certainly belongs to %s%s", j.Section, listNames(res))
		}
	}
}

func (j *MarkerVerdict) setUnknown(format string, args ...any) {
	j.Verdict = Unknown
	j.warn("", format, args...)
}

// isUnchanged reports whether the section is certainly unchanged.
func (j *MarkerVerdict) isUnchanged(s *Implementation) bool {
	return len(s.Changed) == 0 || len(j.Files) > 0 && !j.isTouched(s)
}

func (j *MarkerVerdict) judgePreserved(s *Implementation) {
	switch {
	case j.Verdict != Unknown || len(j.Findings) > 0:
	case j.isUnchanged(s):
		j.Verdict = count.Pass
	case len(j.Files) == 0:
		j.setUnknown("no list or file is known to belong to %s", j.Section)
	default:
		j.judgeShrunk(s)
	}
}

func (j *MarkerVerdict) judgeModify(s *Implementation) {
	listed := j.After != nil && slices.Contains(s.Changed, j.After.File)
	switch {
	case j.Verdict == count.Fail:
	case j.isUnchanged(s) && !listed:
		j.Verdict = count.Warn
		j.warn("", "%s should be changed but nothing in it changed", j.Section)
	case j.Verdict == Unknown && len(j.Findings) == 0 && len(j.Files) == 0:
		j.setUnknown("no list or file is known to belong to %s", j.Section)
	case j.Verdict == Unknown && len(j.Findings) == 0:
		j.judgeShrunk(s)
	}
}

func (j *MarkerVerdict) judgeFix(s *Implementation) {
	switch {
	case j.isUnchanged(s):
		j.Findings = []count.Finding{}
		j.setUnknown("something in %s should be fixed but nothing in it changed", j.Section)
	case j.Verdict == count.Pass || j.Verdict == Unknown && len(j.Findings) == 0:
		j.setUnknown("only tests can show whether it works now")
	}
}

// judgeShrunk passes the section unless a list in one of its changed files lost items.
func (j *MarkerVerdict) judgeShrunk(s *Implementation) {
	j.Verdict = count.Pass
	for _, f := range j.Files {
		if !slices.Contains(s.Changed, f) {
			continue
		}
		before, after := countItems(s.Before, f), countItems(s.After, f)
		for _, name := range slices.Sorted(maps.Keys(before)) {
			if was, is := before[name], after[name]; is < was {
				j.setUnknown("%s had %d items in %s and now has %d", name, was, f, is)
			}
		}
	}
}

// countItems returns the number of items of each list in a file, by the list's name.
func countItems(t count.Tree, f string) map[string]int {
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

// judgeRemoved judges the removal of an entire section by its files.
func (j *MarkerVerdict) judgeRemoved(r belay.Requirement, s *Implementation) {
	if r.Count != nil || j.Verdict == count.Fail || j.Verdict == count.Pass {
		return
	}
	if len(j.Files) == 0 {
		if j.Verdict == Unknown {
			j.setUnknown("no list or file is known to belong to %s", j.Section)
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

// OverallVerdict returns the worst verdict; fail is worse than unknown, unknown worse than warn.
func OverallVerdict(all []MarkerVerdict) count.Verdict {
	worst := count.Pass
	rank := map[count.Verdict]int{count.Pass: 0, count.Warn: 1, Unknown: 2, count.Fail: 3}
	for _, j := range all {
		if rank[j.Verdict] > rank[worst] {
			worst = j.Verdict
		}
	}
	return worst
}
