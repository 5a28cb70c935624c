package check

import (
	"slices"
	"sort"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/count"
	"github.com/belay-dev/belay/internal/syntax"
)

// Limits of what is read besides the changed files, and of one file.
const (
	maxCounted    = 1 << 20   // bytes of one file
	mostUnchanged = 24        // unchanged files that are searched for one list
	maxMore       = 512 << 10 // bytes of all of them
)

// tree is one side of the change for counting: the changed files, and unchanged ones when they are
// needed.
type tree struct {
	paths   []string
	changed []string
	text    func(path string) ([]byte, bool)
}

func (t *tree) Paths() ([]string, error) { return t.paths, nil }

// Changed returns the paths that differ between the two sides.
func (t *tree) Changed() []string { return t.changed }

func (t *tree) Read(path string) ([]byte, error) {
	text, ok := t.text(path)
	if !ok {
		return nil, belay.Refuse(belay.CodeNotFound, "", "%s is not read", path)
	}
	return text, nil
}

// makeTrees makes both sides. An unchanged file is read once for both.
func (j *contractJudge) makeTrees() (before, after *tree) {
	beside := map[string][]byte{}
	read := func(path string) ([]byte, bool) {
		if text, known := beside[path]; known {
			return text, text != nil
		}
		var text []byte
		if j.in.Read != nil && len(beside) < 400 && count.LanguageOf(path) != "" {
			text, _ = j.in.Read(path)
		}
		beside[path] = text
		return text, text != nil
	}
	side := func(of func(*syntax.File) []byte) func(string) ([]byte, bool) {
		return func(path string) ([]byte, bool) {
			if f := j.changed[path]; f != nil {
				text := of(f)
				return text, text != nil && len(text) <= maxCounted
			}
			if j.isChanged(path) {
				return nil, false
			}
			return read(path)
		}
	}
	after = &tree{paths: slices.Clone(j.in.Paths), changed: j.differs, text: side(func(f *syntax.File) []byte { return f.After })}
	sort.Strings(after.paths)
	before = &tree{changed: j.differs, text: side(func(f *syntax.File) []byte { return f.Before })}
	for _, p := range after.paths {
		if f := j.changed[p]; f == nil || f.Before != nil {
			before.paths = append(before.paths, p)
		}
	}
	for _, f := range j.in.Files {
		if f.After == nil {
			before.paths = append(before.paths, f.Path)
		}
	}
	sort.Strings(before.paths)
	return before, after
}

// findListElsewhere searches unchanged files for the list: the file with a path that has the words
// of what is counted. It returns nil if there is none, or if there are too many to read.
func (j *contractJudge) findListElsewhere(r belay.Requirement) *belay.Requirement {
	if r.File != "" || j.in.Read == nil || j.mayBeDoneElsewhere(r) {
		return nil
	}
	found := slices.DeleteFunc(j.filesNamedBy(subjectWords(r.Text)), func(p string) bool {
		return count.LanguageOf(p) == "" || j.isChanged(p) || isTestPath(p) || !j.after.has(p)
	})
	if len(found) == 0 || len(found) > mostUnchanged {
		return nil
	}
	var best *belay.Requirement
	total := 0
	for _, p := range found {
		text, ok := j.after.text(p)
		if total += len(text); !ok || total > maxMore {
			continue
		}
		one := r
		one.File = p
		res, err := j.countPair.Check(one)
		if err != nil || !res.Certain || res.Counts.Before == nil {
			continue
		}
		if best != nil {
			return nil // two of them: ambiguous
		}
		best = &one
	}
	return best
}

// mayBeDoneElsewhere reports whether the request may have been done outside the unchanged list: in
// added lines, in new files, in unread files, or where no list is recognised.
func (j *contractJudge) mayBeDoneElsewhere(r belay.Requirement) bool {
	unlisted := slices.ContainsFunc(j.in.Files, func(f *syntax.File) bool {
		return count.LanguageOf(f.Path) == "" && f.AddedLines().Count() >= max(r.Many(), 1)
	})
	return unlisted || j.isMentioned(r, j.lines.addedStems) || j.countNewFiles(r) > 0 || len(j.in.Unread) > 0
}

// countNewFiles counts the new files that are themselves the things to add: pages, components,
// tests.
func (j *contractJudge) countNewFiles(r belay.Requirement) int {
	words, n := subjectWords(r.Text), 0
	for _, f := range j.in.Files {
		if f.Before == nil && mentions(count.TopicWords(f.Path), words) {
			n++
		}
	}
	return n
}

func (j *contractJudge) countCreated() int {
	n := 0
	for _, c := range j.in.Changes {
		if c.Status == "A" {
			n++
		}
	}
	return n
}

func isTestPath(p string) bool {
	p = strings.ToLower(p)
	return strings.Contains(p, "test") || strings.Contains(p, "spec")
}
