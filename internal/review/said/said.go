// Package said remembers which files and folders a review names in full, and explains
// its short names by them: "worker.go" is the one whose path stands in the heading, in
// the folder spoken of, in the same finding. It never chooses between several that fit.
// What is asked of a file is not its business, and it touches no file.
package said

import (
	"path"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/review/names"
	"github.com/belay-dev/belay/internal/review/spot"
)

// Said is what one review has named so far. A finding is known by a number.
type Said struct {
	x         *names.Index
	anywhere  map[string]bool            // tracked paths that the review names in full
	inFinding map[int]map[string]bool    // the same for each finding
	untracked map[string]map[string]bool // untracked paths with folders, by their last element
	dirs      map[int]string             // the folder a finding speaks of
}

// New makes the memory of a review over the tracked files.
func New(x *names.Index) *Said {
	return &Said{x: x, anywhere: map[string]bool{}, inFinding: map[int]map[string]bool{}, untracked: map[string]map[string]bool{}, dirs: map[int]string{}}
}

// Around is what stands around a short name, nearest first.
type Around struct {
	Dir      string   // the folder of the heading or the item above
	Topic    []string // the files of the heading or the item above
	Finding  int
	Findings []int // the finding, and those it stands in
}

// Note keeps what a mention settles for others.
func (s *Said) Note(finding int, m *spot.Mention) {
	if len(m.Cands) == 1 && !m.Soft {
		s.Path(finding, m.Cands[0])
	}
	if m.Fresh && strings.Contains(m.Spelled, "/") {
		s.Untracked(m.Spelled)
	}
}

// Untracked keeps a full spelling of a file that is not there (any more, or yet).
func (s *Said) Untracked(p string) {
	base := path.Base(p)
	if s.untracked[base] == nil {
		s.untracked[base] = map[string]bool{}
	}
	s.untracked[base][p] = true
}

// Path keeps that a finding names a tracked file.
func (s *Said) Path(finding int, p string) {
	s.anywhere[p] = true
	if s.inFinding[finding] == nil {
		s.inFinding[finding] = map[string]bool{}
	}
	s.inFinding[finding][p] = true
}

// Named tells whether a finding names a tracked file.
func (s *Said) Named(finding int, p string) bool { return s.inFinding[finding][p] }

// Turn makes dir the folder that a finding speaks of.
func (s *Said) Turn(finding int, dir string) { s.dirs[finding] = dir }

// Resolve is the tracked file a mention means, or "".
func (s *Said) Resolve(m *spot.Mention, a Around) string {
	for _, dir := range []string{a.Dir, s.dirs[a.Finding]} {
		if dir != "" && m.Spelled != "" && !m.Soft && !m.Link {
			if p, ok := s.x.Tracked(dir + "/" + m.Spelled); ok {
				return p
			}
		}
	}
	return s.One(m.Cands, a)
}

// One chooses among candidates by what is said around, if that leaves one; else it is "".
func (s *Said) One(cands []string, a Around) string {
	if len(cands) == 1 {
		return cands[0]
	}
	if len(cands) == 0 || len(cands) > 500 {
		return ""
	}
	var tests []func(string) bool
	for _, dir := range []string{a.Dir, s.dirs[a.Finding]} {
		if dir != "" {
			tests = append(tests, func(c string) bool { return strings.HasPrefix(c, dir+"/") }, func(c string) bool { return path.Dir(c) == dir })
		}
	}
	if len(a.Topic) > 0 {
		tests = append(tests, func(c string) bool { return slices.Contains(a.Topic, c) })
	}
	for _, f := range a.Findings {
		named := s.inFinding[f]
		tests = append(tests, func(c string) bool { return named[c] })
	}
	return names.Only(cands, append(tests, func(c string) bool { return s.anywhere[c] })...)
}

// Spell spells a file that is not tracked: by a fuller spelling elsewhere, or in the
// folder that is spoken of.
func (s *Said) Spell(m *spot.Mention, a Around) string {
	if p := names.Fuller(s.untracked[path.Base(m.Spelled)], m.Spelled); p != "" {
		return p
	}
	if !strings.Contains(m.Spelled, "/") {
		for _, dir := range []string{a.Dir, s.dirs[a.Finding]} {
			if dir != "" {
				return dir + "/" + m.Spelled
			}
		}
	}
	return m.Spelled
}
