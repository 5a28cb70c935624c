package tasklist

import (
	"slices"
	"strings"
)

// Read reads a file. It never fails: what cannot be read is noted.
func Read(data []byte, dialect Dialect) Reading {
	r := &reader{data: data, dialect: dialect, lines: ReadPage(data), heading: -1}
	r.class = make([]class, len(r.lines))
	r.survey()
	for i := range r.lines {
		r.line(i)
		r.prev = r.lines[i].Kind
	}
	return r.finish()
}

// class says what became of a line: whose it is, when it is a task's.
type class struct {
	kind belongs
	task int
}

type belongs int

const (
	structure belongs = iota
	ofTask
	noted
)

// reader is a file being read, with what is open where it stands.
type reader struct {
	data    []byte
	dialect Dialect
	lines   []Line
	class   []class
	tasks   []draft
	notes   []Note

	named   int   // boxes of the file that have an id
	heads   []int // for each heading that is a task, the line at which it ends; by line
	heading int   // the task that is a heading and open, -1
	level   int   // of that heading
	open    []item
	prev    Kind
	section section
	titled  bool            // the first heading is over
	above   []section       // the sections that this one is in, and it
	listed  []bool          // for each heading: most boxes below it have ids; by line
	boxed   map[string]bool // ids of headings that are tasks and have boxes
	group   string          // the work package that the lines are in
	waits   []wait          // which work packages come first
}

// item is an open item of a list: its column, and the task that it is or belongs to, -1.
type item struct {
	indent int
	task   int
}

// section is the part of the file below a heading.
type section struct {
	text      string
	level     int
	order     bool // it tells which tasks come first
	checklist bool // its boxes are to check, not to do
	inherits  bool // and so are those of the sections in it
	listed    bool // most of its boxes have ids
	criteria  bool // a line of words says that what follows are criteria
}

// draft is a task being read.
type draft struct {
	Task
	body   []int // lines after the first
	label  string
	status string
	head   bool // it is a heading
	must   bool // it has parts that are not optional
	group  string
	parent int // the task that it is a part of, -1
	accept []int
	ask    []string
}

// survey looks at the whole file for what a line alone does not tell: whether its tasks
// have ids, and which headings are tasks rather than groups of tasks.
func (r *reader) survey() {
	r.heads = make([]int, len(r.lines))
	r.listed = make([]bool, len(r.lines)+1)
	r.boxed = map[string]bool{}
	withID := make([]bool, len(r.lines))
	head, boxes := len(r.lines), 0 // the heading above; how many of its boxes have an id, less those that have none
	if r.drawsBullets() {
		for i, l := range r.lines {
			if l.Box.State == Done && l.Box.drawn() && labelOf(l.Words, "").id == "" {
				r.lines[i].Box = Box{}
			}
		}
	}
	for i, l := range r.lines {
		switch {
		case l.Kind == Heading:
			head, boxes = i, 0
		case l.Kind != Item || l.Box.State == NoBox:
		case labelOf(l.Words, "").id != "":
			withID[i] = true
			r.named++
			boxes++
			r.listed[head] = boxes > 0
		default:
			boxes--
			r.listed[head] = boxes > 0
		}
	}
	for i, l := range r.lines {
		if l.Kind == Heading && isTask.MatchString(l.Words) {
			r.heads[i] = r.ends(i, withID)
		}
		if r.heads[i] > 0 && slices.ContainsFunc(r.lines[i:r.heads[i]], boxed) {
			r.boxed[labelOf(headWords(l), "").id] = true
		}
	}
}

// drawsBullets reports a file in which a drawn tick is a bullet of a summary: its boxes have brackets, and none is drawn open.
func (r *reader) drawsBullets() bool {
	brackets := false
	for _, l := range r.lines {
		if l.Kind != Item || l.Box.State == NoBox {
			continue
		}
		if l.Box.drawn() && l.Box.State == Open {
			return false
		}
		brackets = brackets || !l.Box.drawn()
	}
	return brackets
}

// boxed reports an item or a heading with a box.
func boxed(l Line) bool {
	return l.Kind == Item && l.Box.State != NoBox || l.Kind == Heading && headBox(l).State != NoBox
}

// ends returns the line at which the task that a heading is ends; 0 when it is none: a group
// of tasks, or a title with nothing below it.
func (r *reader) ends(i int, withID []bool) int {
	level, work := r.lines[i].Level, false
	if r.named > 0 && idRange.MatchString(headWords(r.lines[i])) {
		return 0 // words about several tasks that stand elsewhere
	}
	j := i + 1
	for ; j < len(r.lines); j++ {
		l := r.lines[j]
		if l.Kind == Heading && l.Level <= level {
			break
		}
		if withID[j] || l.Kind == Heading && isTask.MatchString(l.Words) {
			return 0
		}
		work = work || l.Kind == Text || l.Kind == Item
	}
	if !work && headBox(r.lines[i]).State == NoBox {
		return 0
	}
	return j
}

// goesOn tells whether line i is a further one of a block: of code, of a comment, of front matter.
func (r *reader) goesOn(i int) bool {
	kind := r.lines[i].Kind
	return i > 0 && kind == r.prev && (kind == Fence || kind == Comment || kind == Front)
}

func (r *reader) line(i int) {
	l := &r.lines[i]
	raw := strings.TrimSpace(l.Raw(r.data))
	switch {
	case raw == "" && l.Kind != Front:
		return
	case l.Kind == Heading:
		r.head(i)
	case l.Kind == Rule:
		r.open = nil
	case l.Kind == Item:
		r.item(i)
	case r.goesOn(i) && r.class[i-1].kind != structure:
		r.class[i] = r.class[i-1]
		r.put(i, r.class[i])
	default:
		r.other(i)
	}
}

// head begins a section, and a task when the heading is one.
func (r *reader) head(i int) {
	l := r.lines[i]
	r.open = nil
	if r.heading >= 0 && l.Level > r.level {
		r.tasks[r.heading].label = ""
		if kind, words := fieldOf(l.Words + ":"); words == "" {
			r.tasks[r.heading].label = kind
		}
		r.sectionOf(i)
		return
	}
	r.heading = -1
	r.sectionOf(i)
	if r.heads[i] > 0 {
		r.begin(i, labelOf(headWords(l), ""), headBox(l))
		r.heading, r.level = len(r.tasks)-1, l.Level
		r.tasks[r.heading].head = true
	} else if isTask.MatchString(l.Words) {
		r.group = labelOf(l.Words, "").id
	} else if l.Level <= 2 {
		r.group = ""
	}
}

// sectionOf enters the section that a heading begins. What is in a checklist is one, too;
// the title of the file says nothing of the sort.
func (r *reader) sectionOf(i int) {
	l := r.lines[i]
	for n := len(r.above); n > 0 && r.above[n-1].level >= l.Level; n-- {
		r.above = r.above[:n-1]
	}
	below := r.titled || l.Level > 1
	inherits := below && onlyToCheck.MatchString(l.Words) || len(r.above) > 0 && r.above[len(r.above)-1].inherits
	r.section = section{text: l.Words, level: l.Level, order: orderly.MatchString(l.Words), inherits: inherits, listed: r.listed[i]}
	r.section.checklist = inherits || below && toCheck.MatchString(l.Words)
	r.above, r.titled = append(r.above, r.section), true
}

// item reads an item of a list.
func (r *reader) item(i int) {
	l := &r.lines[i]
	lab := labelOf(l.Words, l.Number)
	if l.Box.State != NoBox && lab.id != "" {
		r.close(l.Indent - 1) // one blank is a slip, not a level
	} else {
		r.close(l.Indent)
	}
	owner := r.owner()
	if l.Box.State == NoBox {
		r.put(i, r.ownedOr(owner, "an item without a box"))
		r.open = append(r.open, item{l.Indent, owner})
		return
	}
	switch {
	case l.Words == "":
		r.put(i, r.ownedOr(owner, "a box without text"))
	case r.isOwn(lab, owner):
		parent := -1
		if n := len(r.open); n > 0 {
			parent = r.open[n-1].task
		}
		r.begin(i, lab, l.Box)
		owner = len(r.tasks) - 1
		r.tasks[owner].parent = parent
	case owner >= 0:
		r.put(i, class{ofTask, owner})
	default:
		r.put(i, r.ownedOr(-1, "a box of a checklist, not of a task"))
	}
	r.open = append(r.open, item{l.Indent, owner})
}

// isOwn decides whether a box is a task of its own, or a step of the task it is in.
func (r *reader) isOwn(lab label, owner int) bool {
	toCheck := (r.section.checklist && (!r.section.listed || r.boxed[lab.id]) || r.section.criteria && lab.id == "") &&
		(r.named > 0 || slices.Max(r.heads) > 0)
	switch {
	case owner < 0 && toCheck:
		return false
	case lab.id != "" && r.heading < 0:
		return true
	case owner >= 0:
		return r.heading < 0 && r.tasks[owner].ID == ""
	}
	return true
}

// other places a line that begins nothing.
func (r *reader) other(i int) {
	l := &r.lines[i]
	lazy := l.Kind == Text && (r.prev == Item || r.prev == Text) && len(r.open) > 0
	if !lazy {
		r.close(l.Indent)
	}
	owner := r.owner()
	if l.Kind == Text {
		kind, words := fieldOf(l.Words)
		r.section.criteria = kind == "acceptance" && words == ""
	}
	r.put(i, r.ownedOr(owner, why[l.Kind]))
}

var why = map[Kind]string{
	Text: "text outside a task", Quote: "a quotation", Table: "a table: tables are not read as tasks",
	Fence:   "code: boxes in code are not tasks",
	Comment: "a comment: boxes in comments are not tasks", Front: "front matter",
}

// close ends the items that a line at a column does not belong to.
func (r *reader) close(indent int) {
	n := len(r.open)
	for n > 0 && r.open[n-1].indent >= indent {
		n--
	}
	r.open = r.open[:n]
}

// owner is the task that a line belongs to where the file stands, -1.
func (r *reader) owner() int {
	if n := len(r.open); n > 0 && r.open[n-1].task >= 0 {
		return r.open[n-1].task
	}
	return r.heading
}

func (r *reader) ownedOr(owner int, why string) class {
	if owner >= 0 {
		return class{ofTask, owner}
	}
	return class{kind: noted, task: r.note(why)}
}

// note reserves a note; put gives it its line.
func (r *reader) note(why string) int {
	r.notes = append(r.notes, Note{Why: why})
	return len(r.notes) - 1
}

// put gives a line to a task, or its note to the file.
func (r *reader) put(i int, c class) {
	l := r.lines[i]
	r.class[i] = c
	if c.kind == noted {
		if r.notes[c.task].Line != 0 { // a further line of the same code or comment
			c.task = r.note(r.notes[c.task].Why)
			r.class[i] = c
		}
		r.notes[c.task].Line, r.notes[c.task].Text = l.N, strings.TrimSpace(l.Raw(r.data))
		if r.group != "" && (l.Kind == Text || l.Kind == Item) {
			r.waits = append(r.waits, wait{r.group, i, r.section.order})
		}
		return
	}
	t := &r.tasks[c.task]
	t.body = append(t.body, i)
	t.read(l)
}

// begin begins a task.
func (r *reader) begin(i int, lab label, box Box) {
	l := r.lines[i]
	t := draft{parent: -1}
	t.ID, t.Title, t.Story, t.Parallel, t.Optional = lab.id, lab.title, lab.story, lab.parallel, box.Star || lab.optional
	t.Line, t.Section, t.Parent, t.group = l.N, r.section.text, r.group, r.group
	if l.Kind == Heading {
		t.Section = ""
	}
	t.State = r.state(box)
	struck := lab.struck && t.State != Done
	if struck {
		t.State = Unclear
	}
	if box.State != NoBox {
		t.Marks = []int{l.N}
	}
	r.tasks = append(r.tasks, t)
	r.class[i] = class{ofTask, len(r.tasks) - 1}
	switch {
	case struck:
		r.remark(l, "it is struck through: the task is not treated as open")
	case t.State == Unclear:
		r.remark(l, "the box "+box.Sign+" means neither open nor done: the task is not treated as open")
	case box.Odd != "" && !(r.dialect == Kiro && kiros[box.Sign]):
		r.remark(l, "the box "+box.Sign+" is read as "+string(t.State)+": "+box.Odd)
	}
}

// state is what a box says in this dialect: with Kiro a task that is begun has [-], and one
// that waits for its turn [~].
func (r *reader) state(b Box) State {
	if r.dialect == Kiro && b.Sign == "[-]" {
		return Doing
	}
	if r.dialect == Kiro && b.Sign == "[~]" || b.State == NoBox {
		return Open
	}
	return b.State
}

// kiros are boxes that say something with Kiro.
var kiros = map[string]bool{"[-]": true, "[~]": true}

// remark notes something about a line that belongs to a task.
func (r *reader) remark(l Line, why string) {
	r.notes = append(r.notes, Note{Line: l.N, Text: strings.TrimSpace(l.Raw(r.data)), Why: why})
}
