package app

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/tasklist"
)

// ImportOutcome is what an import does with a task of a file.
type ImportOutcome string

// The outcomes. Open tasks are those to add.
const (
	ImportOpen    ImportOutcome = "open"
	ImportAdded   ImportOutcome = "added"
	ImportDone    ImportOutcome = "done"    // marked as done in the file
	ImportKnown   ImportOutcome = "known"   // imported before
	ImportChanged ImportOutcome = "changed" // imported before, with another text
	ImportParts   ImportOutcome = "parts"   // its parts are the tasks, or it is a part of a task
	ImportUnclear ImportOutcome = "unclear" // its box is neither open nor done
	ImportLeft    ImportOutcome = "left"    // not requested, or cannot be recorded
)

// ImportLine is a task of a file and its outcome.
type ImportLine struct {
	tasklist.Task
	Outcome ImportOutcome `json:"outcome"`
	Belay   belay.TaskID  `json:"task,omitempty"` // its ID in belay, if it has one

	outside      bool
	predecessors []int // the lines that come first
	dependencies []int // the predecessors that its file declares as dependencies
}

// ImportOptions select which tasks are imported and how.
type ImportOptions struct {
	KeepParts    bool     // import a task with parts as one task, not one for each part
	InOrder      bool     // each comes after the previous one, unless it is marked as parallel
	Only         []string // IDs; nil is all
	UseMentioned bool     // files that a task only mentions also limit what it may change
	IgnoreFiles  bool     // files never limit what a task may change
}

// Import is the result of reading and recording task files.
type Import struct {
	Tasks []ImportLine    `json:"tasks"`
	Notes []tasklist.Note `json:"notes"`
	Lines tasklist.Lines  `json:"lines"`
	Files []ImportFile    `json:"files"`
}

// Count returns the number of tasks with an outcome.
func (im Import) Count(o ImportOutcome) int {
	n := 0
	for _, l := range im.Tasks {
		if l.Outcome == o {
			n++
		}
	}
	return n
}

// PlanImport computes what recording the files' tasks would do, given the recorded tasks.
func PlanImport(files []ImportFile, have []belay.Task, o ImportOptions) Import {
	im := Import{Tasks: []ImportLine{}, Notes: []tasklist.Note{}, Files: files}
	if files == nil {
		im.Files = []ImportFile{}
	}
	before, packed := indexImported(have), workPackageFeatures(files)
	first := map[string]int{} // the lines of tasks with the same ID and text
	for _, f := range files {
		im.Notes = append(im.Notes, f.reading.Notes...)
		im.Lines.Total, im.Lines.Tasks = im.Lines.Total+f.Lines.Total, im.Lines.Tasks+f.Lines.Tasks
		im.Lines.Structure, im.Lines.Notes = im.Lines.Structure+f.Lines.Structure, im.Lines.Notes+f.Lines.Notes
		if f.Problem != "" {
			im.Notes = append(im.Notes, tasklist.Note{Source: f.Path, Text: f.Path, Why: f.Problem})
		}
		listing := f.Dialect == tasklist.SpecKitty && path.Base(f.Path) == "tasks.md" && packed[tasklist.FeatureOf(f.Path)]
		for _, t := range f.reading.Tasks {
			l := ImportLine{Task: t, outside: f.outside, Outcome: outcomeOf(t, o)}
			if listing && l.Outcome == ImportOpen {
				l.Outcome = ImportParts
			}
			if why := before.compare(&l, f); why != "" {
				im.addNote(l, why)
			}
			key := l.Source + "\x00" + l.ID + "\x00" + textHash(l.Text)
			if line, twice := first[key]; twice && l.Outcome == ImportOpen {
				l.Outcome = ImportLeft
				im.addNote(l, fmt.Sprintf("the same task is already in line %d", line))
			} else if !twice {
				first[key] = l.Line
			}
			im.Tasks = append(im.Tasks, l)
		}
	}
	im.setDependencies(o)
	return im
}

func (im *Import) addNote(l ImportLine, why string) {
	im.Notes = append(im.Notes, tasklist.Note{Line: l.Line, Text: l.Title, Why: why, Source: l.Source})
}

// outcomeOf returns the outcome that follows from the task's own state and the options.
func outcomeOf(t tasklist.Task, o ImportOptions) ImportOutcome {
	switch {
	case t.Done:
		return ImportDone
	case t.State == tasklist.Unclear:
		return ImportUnclear
	case len(o.Only) > 0 && !slices.Contains(o.Only, t.ID):
		return ImportLeft
	case t.Parts > 0 && !o.KeepParts, isPart(t) && o.KeepParts:
		return ImportParts
	}
	return ImportOpen
}

// isPart reports whether a task is a part of another task, not of a group.
func isPart(t tasklist.Task) bool { return t.PartOf > 0 }

// workPackageFeatures returns the features that have files of work packages. Their tasks.md only
// lists the packages.
func workPackageFeatures(files []ImportFile) map[string]bool {
	m := map[string]bool{}
	for _, f := range files {
		if f.Dialect == tasklist.SpecKitty && path.Base(f.Path) != "tasks.md" && f.Tasks > 0 {
			m[tasklist.FeatureOf(f.Path)] = true
		}
	}
	return m
}

// importedTasks indexes the tasks of earlier imports by their origin.
type importedTasks struct {
	byText map[string]belay.TaskID // by file, ID and text hash
	byID   map[string]belay.TaskID // by file and ID
}

func indexImported(have []belay.Task) importedTasks {
	r := importedTasks{map[string]belay.TaskID{}, map[string]belay.TaskID{}}
	for _, t := range have {
		if t.Origin == nil {
			continue
		}
		key := t.Origin.File + "\x00" + t.Origin.ID
		r.byText[key+"\x00"+t.Origin.Words] = t.ID
		if t.Origin.ID != "" {
			r.byID[key] = t.ID
		}
	}
	return r
}

// compare looks for an earlier import of a task, and returns a note if its text changed since then.
func (r importedTasks) compare(l *ImportLine, f ImportFile) (why string) {
	key := l.Source + "\x00" + l.ID
	if id, ok := r.byText[key+"\x00"+textHash(l.Text)]; ok {
		if l.Belay = id; l.Outcome == ImportOpen {
			l.Outcome = ImportKnown
		}
		return ""
	}
	id, ok := r.byID[key]
	if !ok || !hasOneTask(f, l.ID) {
		return ""
	}
	if l.Belay = id; l.Outcome != ImportOpen {
		return ""
	}
	l.Outcome = ImportChanged
	as := ""
	if string(id) != l.ID {
		as = " as " + string(id)
	}
	return fmt.Sprintf("%s changed after it was imported%s: belay task edit %s, or add it again by hand", l.ID, as, id)
}

// hasOneTask reports whether exactly one task of the file has the ID.
func hasOneTask(f ImportFile, id string) bool {
	n := 0
	for _, t := range f.reading.Tasks {
		if t.ID == id {
			n++
		}
	}
	return n == 1
}

// textHash returns a hash of a task's text; ticking a box in the text does not change it.
func textHash(words string) string {
	h := sha256.Sum256([]byte(tasklist.ComparableText(words)))
	return hex.EncodeToString(h[:])
}

// origin returns where a line comes from, for the record.
func (l ImportLine) origin(dialect tasklist.Dialect) *belay.Origin {
	return &belay.Origin{File: l.Source, Dialect: string(dialect), ID: l.ID, Title: l.Title, Line: l.Line,
		Part: l.Parent, Section: l.Section, Words: textHash(l.Text), Outside: l.outside}
}
