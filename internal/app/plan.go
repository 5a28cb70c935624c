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

// Outcome is what becomes of a task of a file.
type Outcome string

// The outcomes. Open is of one that is there to be added.
const (
	ImportOpen Outcome = "open"
	Added      Outcome = "added"
	Done       Outcome = "done"    // it is done there
	Known      Outcome = "known"   // it was imported before
	Changed    Outcome = "changed" // it was imported before, with other words
	Parts      Outcome = "parts"   // its parts are the tasks, or it is part of one
	Unclear    Outcome = "unclear" // its box says neither open nor done
	Left       Outcome = "left"    // it was not asked for, or cannot be recorded
)

// Line is a task of a file and what became of it.
type ImportLine struct {
	tasklist.Task
	Outcome Outcome      `json:"outcome"`
	Belay   belay.TaskID `json:"task,omitempty"` // its id with belay, when there is one

	outside bool
	after   []int // the lines that come first
	needs   []int // those of them that it depends on, as its file says
}

// Options say which tasks are taken and how.
type Options struct {
	Whole   bool     // what has parts is one task, not one for each of them
	InOrder bool     // each comes after the one before, unless it says that it runs beside others
	Only    []string // ids; none is all
	Mention bool     // files that a task only mentions limit what it may change, too
	Free    bool     // no files of a task's limit it
}

// Import is what came of reading and recording.
type Import struct {
	Tasks []ImportLine    `json:"tasks"`
	Notes []tasklist.Note `json:"notes"`
	Lines tasklist.Lines  `json:"lines"`
	Files []ImportFile    `json:"files"`
}

// Count is how many tasks ended so.
func (im Import) Count(o Outcome) int {
	n := 0
	for _, l := range im.Tasks {
		if l.Outcome == o {
			n++
		}
	}
	return n
}

// Plan says what recording the files' tasks would do, given the tasks that belay has.
func Plan(files []ImportFile, have []belay.Task, o Options) Import {
	im := Import{Tasks: []ImportLine{}, Notes: []tasklist.Note{}, Files: files}
	if files == nil {
		im.Files = []ImportFile{}
	}
	before, packed := recorded(have), packaged(files)
	first := map[string]int{} // the lines of tasks with the same id and words
	for _, f := range files {
		im.Notes = append(im.Notes, f.reading.Notes...)
		im.Lines.Total, im.Lines.Tasks = im.Lines.Total+f.Lines.Total, im.Lines.Tasks+f.Lines.Tasks
		im.Lines.Structure, im.Lines.Notes = im.Lines.Structure+f.Lines.Structure, im.Lines.Notes+f.Lines.Notes
		if f.Problem != "" {
			im.Notes = append(im.Notes, tasklist.Note{Source: f.Path, Text: f.Path, Why: f.Problem})
		}
		listing := f.Dialect == tasklist.SpecKitty && path.Base(f.Path) == "tasks.md" && packed[tasklist.FeatureOf(f.Path)]
		for _, t := range f.reading.Tasks {
			l := ImportLine{Task: t, outside: f.outside, Outcome: outcome(t, o)}
			if listing && l.Outcome == ImportOpen {
				l.Outcome = Parts
			}
			if why := before.compare(&l, f); why != "" {
				im.note(l, why)
			}
			key := l.Source + "\x00" + l.ID + "\x00" + sum(l.Text)
			if line, twice := first[key]; twice && l.Outcome == ImportOpen {
				l.Outcome = Left
				im.note(l, fmt.Sprintf("the same task is already in line %d", line))
			} else if !twice {
				first[key] = l.Line
			}
			im.Tasks = append(im.Tasks, l)
		}
	}
	im.order(o)
	return im
}

func (im *Import) note(l ImportLine, why string) {
	im.Notes = append(im.Notes, tasklist.Note{Line: l.Line, Text: l.Title, Why: why, Source: l.Source})
}

// outcome is what a task itself says.
func outcome(t tasklist.Task, o Options) Outcome {
	switch {
	case t.Done:
		return Done
	case t.State == tasklist.Unclear:
		return Unclear
	case len(o.Only) > 0 && !slices.Contains(o.Only, t.ID):
		return Left
	case t.Parts > 0 && !o.Whole, part(t) && o.Whole:
		return Parts
	}
	return ImportOpen
}

// part reports a task that is a part of another task, rather than of a group.
func part(t tasklist.Task) bool { return t.PartOf > 0 }

// packaged gives the features whose work packages are among the files: their tasks.md only
// lists what these say.
func packaged(files []ImportFile) map[string]bool {
	m := map[string]bool{}
	for _, f := range files {
		if f.Dialect == tasklist.SpecKitty && path.Base(f.Path) != "tasks.md" && f.Tasks > 0 {
			m[tasklist.FeatureOf(f.Path)] = true
		}
	}
	return m
}

// records are the tasks that were imported before, by what names them in their file.
type records struct {
	words map[string]belay.TaskID // by file, id and words
	ids   map[string]belay.TaskID // by file and id
}

func recorded(have []belay.Task) records {
	r := records{map[string]belay.TaskID{}, map[string]belay.TaskID{}}
	for _, t := range have {
		if t.Origin == nil {
			continue
		}
		key := t.Origin.File + "\x00" + t.Origin.ID
		r.words[key+"\x00"+t.Origin.Words] = t.ID
		if t.Origin.ID != "" {
			r.ids[key] = t.ID
		}
	}
	return r
}

// compare looks whether a task was imported before, and says so when its words have
// changed since.
func (r records) compare(l *ImportLine, f ImportFile) (why string) {
	key := l.Source + "\x00" + l.ID
	if id, ok := r.words[key+"\x00"+sum(l.Text)]; ok {
		if l.Belay = id; l.Outcome == ImportOpen {
			l.Outcome = Known
		}
		return ""
	}
	id, ok := r.ids[key]
	if !ok || !alone(f, l.ID) {
		return ""
	}
	if l.Belay = id; l.Outcome != ImportOpen {
		return ""
	}
	l.Outcome = Changed
	as := ""
	if string(id) != l.ID {
		as = " as " + string(id)
	}
	return fmt.Sprintf("%s changed after it was imported%s: belay task edit %s, or add it again by hand", l.ID, as, id)
}

// alone reports an id that one task of the file has.
func alone(f ImportFile, id string) bool {
	n := 0
	for _, t := range f.reading.Tasks {
		if t.ID == id {
			n++
		}
	}
	return n == 1
}

// sum names a task's words; boxes in them may be ticked without a change.
func sum(words string) string {
	h := sha256.Sum256([]byte(tasklist.ComparableText(words)))
	return hex.EncodeToString(h[:])
}

// origin is where a line comes from, for the record.
func (l ImportLine) origin(dialect tasklist.Dialect) *belay.Origin {
	return &belay.Origin{File: l.Source, Dialect: string(dialect), ID: l.ID, Title: l.Title, Line: l.Line,
		Part: l.Parent, Section: l.Section, Words: sum(l.Text), Outside: l.outside}
}
