package tasklist

import (
	"slices"
	"strings"
)

// ReadChecklist reads a Markdown file. It never fails: lines that are not read as tasks get a note.
func ReadChecklist(data []byte, dialect Dialect) Reading {
	r := &checklistReader{data: data, dialect: dialect, lines: ReadPage(data), openHeading: -1}
	r.classes = make([]lineClass, len(r.lines))
	r.survey()
	for i := range r.lines {
		r.readLine(i)
		r.prev = r.lines[i].Kind
	}
	return r.finish()
}

// lineClass says how a line is counted. task is the index of its task, or of its note for
// lineNoted.
type lineClass struct {
	kind lineKind
	task int
}

type lineKind int

const (
	lineStructure lineKind = iota
	lineOfTask
	lineNoted
)

// checklistReader is the state of reading a file.
type checklistReader struct {
	data    []byte
	dialect Dialect
	lines   []Line
	classes []lineClass
	tasks   []taskDraft
	notes   []Note

	boxesWithID int   // boxes in the file that have an id
	headingEnds []int // by line: for a heading that is a task, the line at which it ends
	openHeading int   // the task of the current heading; -1 for none
	level       int   // level of that heading
	openItems   []item
	prev        Kind
	section     section
	titled      bool            // the first heading was read
	above       []section       // the current section and those that contain it
	listed      []bool          // by line of a heading: most boxes below it have ids
	boxed       map[string]bool // ids of headings that are tasks and contain boxes
	group       string          // the current work package
	groupOrders []groupOrder    // lines that may order work packages
}

// item is an open list item: its column and its task, -1 for none.
type item struct {
	indent int
	task   int
}

// section is the part of a file below a heading.
type section struct {
	text       string
	level      int
	tellsOrder bool // it states the order of tasks
	checklist  bool // its boxes are checks, not tasks
	inherits   bool // the boxes of its subsections are checks too
	mostlyIDs  bool // most of its boxes have ids
	criteria   bool // the last line of text announces acceptance criteria
}

// taskDraft is a task while its lines are read.
type taskDraft struct {
	Task
	body             []int // line indexes after the first line
	label            string
	status           string
	isHeading        bool // the task is a heading
	hasRequiredParts bool // at least one part is not optional
	group            string
	parent           int // the task that contains it; -1 for none
	criteriaLines    []int
	ask              []string
}

// survey collects what a single line does not show: whether the tasks of the file have ids, and
// which headings are tasks rather than groups of tasks.
func (r *checklistReader) survey() {
	r.headingEnds = make([]int, len(r.lines))
	r.listed = make([]bool, len(r.lines)+1)
	r.boxed = map[string]bool{}
	withID := make([]bool, len(r.lines))
	head, boxes := len(r.lines), 0 // boxes: those below head with an id, minus those without
	if r.drawsBullets() {
		for i, l := range r.lines {
			if l.Box.State == Done && l.Box.isDrawn() && parseLabel(l.Text, "").id == "" {
				r.lines[i].Box = Box{}
			}
		}
	}
	for i, l := range r.lines {
		switch {
		case l.Kind == Heading:
			head, boxes = i, 0
		case l.Kind != Item || l.Box.State == NoBox:
		case parseLabel(l.Text, "").id != "":
			withID[i] = true
			r.boxesWithID++
			boxes++
			r.listed[head] = boxes > 0
		default:
			boxes--
			r.listed[head] = boxes > 0
		}
	}
	for i, l := range r.lines {
		if l.Kind == Heading && taskHeading.MatchString(l.Text) {
			r.headingEnds[i] = r.headingTaskEnd(i, withID)
		}
		if r.headingEnds[i] > 0 && slices.ContainsFunc(r.lines[i:r.headingEnds[i]], hasBox) {
			r.boxed[parseLabel(headingText(l), "").id] = true
		}
	}
}

// drawsBullets reports whether drawn ticks are bullets of a summary: the boxes of the file have
// brackets, and no drawn box is open.
func (r *checklistReader) drawsBullets() bool {
	brackets := false
	for _, l := range r.lines {
		if l.Kind != Item || l.Box.State == NoBox {
			continue
		}
		if l.Box.isDrawn() && l.Box.State == Open {
			return false
		}
		brackets = brackets || !l.Box.isDrawn()
	}
	return brackets
}

// hasBox reports whether a line is an item or a heading with a box.
func hasBox(l Line) bool {
	return l.Kind == Item && l.Box.State != NoBox || l.Kind == Heading && headingBox(l).State != NoBox
}

// headingTaskEnd returns the line at which the task of a heading ends. It is 0 if the heading is a
// group of tasks, or has no text or items below it.
func (r *checklistReader) headingTaskEnd(i int, withID []bool) int {
	level, work := r.lines[i].Level, false
	if r.boxesWithID > 0 && idRange.MatchString(headingText(r.lines[i])) {
		return 0 // refers to several tasks listed elsewhere
	}
	j := i + 1
	for ; j < len(r.lines); j++ {
		l := r.lines[j]
		if l.Kind == Heading && l.Level <= level {
			break
		}
		if withID[j] || l.Kind == Heading && taskHeading.MatchString(l.Text) {
			return 0
		}
		work = work || l.Kind == Text || l.Kind == Item
	}
	if !work && headingBox(r.lines[i]).State == NoBox {
		return 0
	}
	return j
}

// continuesBlock reports whether line i continues a block of code, a comment or front matter.
func (r *checklistReader) continuesBlock(i int) bool {
	kind := r.lines[i].Kind
	return i > 0 && kind == r.prev && (kind == Fence || kind == Comment || kind == Front)
}

func (r *checklistReader) readLine(i int) {
	l := &r.lines[i]
	raw := strings.TrimSpace(l.Raw(r.data))
	switch {
	case raw == "" && l.Kind != Front:
		return
	case l.Kind == Heading:
		r.readHeading(i)
	case l.Kind == Rule:
		r.openItems = nil
	case l.Kind == Item:
		r.readItem(i)
	case r.continuesBlock(i) && r.classes[i-1].kind != lineStructure:
		r.classes[i] = r.classes[i-1]
		r.classifyLine(i, r.classes[i])
	default:
		r.placeLine(i)
	}
}

// readHeading begins a section, and a task if the heading is one.
func (r *checklistReader) readHeading(i int) {
	l := r.lines[i]
	r.openItems = nil
	if r.openHeading >= 0 && l.Level > r.level {
		r.tasks[r.openHeading].label = ""
		if kind, words := parseField(l.Text + ":"); words == "" {
			r.tasks[r.openHeading].label = kind
		}
		r.enterSection(i)
		return
	}
	r.openHeading = -1
	r.enterSection(i)
	if r.headingEnds[i] > 0 {
		r.beginTask(i, parseLabel(headingText(l), ""), headingBox(l))
		r.openHeading, r.level = len(r.tasks)-1, l.Level
		r.tasks[r.openHeading].isHeading = true
	} else if taskHeading.MatchString(l.Text) {
		r.group = parseLabel(l.Text, "").id
	} else if l.Level <= 2 {
		r.group = ""
	}
}

// enterSection begins the section of a heading. Subsections of a checklist are checklists too. The
// title of the file does not make the file a checklist.
func (r *checklistReader) enterSection(i int) {
	l := r.lines[i]
	for n := len(r.above); n > 0 && r.above[n-1].level >= l.Level; n-- {
		r.above = r.above[:n-1]
	}
	below := r.titled || l.Level > 1
	inherits := below && checkOnlyHeading.MatchString(l.Text) || len(r.above) > 0 && r.above[len(r.above)-1].inherits
	r.section = section{text: l.Text, level: l.Level, tellsOrder: orderly.MatchString(l.Text), inherits: inherits, mostlyIDs: r.listed[i]}
	r.section.checklist = inherits || below && checkHeading.MatchString(l.Text)
	r.above, r.titled = append(r.above, r.section), true
}

// readItem reads a list item.
func (r *checklistReader) readItem(i int) {
	l := &r.lines[i]
	lab := parseLabel(l.Text, l.Number)
	if l.Box.State != NoBox && lab.id != "" {
		r.closeItems(l.Indent - 1) // an indentation of one blank is a mistake, not a level
	} else {
		r.closeItems(l.Indent)
	}
	owner := r.ownerTask()
	if l.Box.State == NoBox {
		r.classifyLine(i, r.ownedOrNoted(owner, "an item without a box"))
		r.openItems = append(r.openItems, item{l.Indent, owner})
		return
	}
	switch {
	case l.Text == "":
		r.classifyLine(i, r.ownedOrNoted(owner, "a box without text"))
	case r.isOwnTask(lab, owner):
		parent := -1
		if n := len(r.openItems); n > 0 {
			parent = r.openItems[n-1].task
		}
		r.beginTask(i, lab, l.Box)
		owner = len(r.tasks) - 1
		r.tasks[owner].parent = parent
	case owner >= 0:
		r.classifyLine(i, lineClass{lineOfTask, owner})
	default:
		r.classifyLine(i, r.ownedOrNoted(-1, "a box of a checklist, not of a task"))
	}
	r.openItems = append(r.openItems, item{l.Indent, owner})
}

// isOwnTask reports whether a box is a task rather than a step of the task owner or a check.
func (r *checklistReader) isOwnTask(lab label, owner int) bool {
	toCheck := (r.section.checklist && (!r.section.mostlyIDs || r.boxed[lab.id]) || r.section.criteria && lab.id == "") &&
		(r.boxesWithID > 0 || slices.Max(r.headingEnds) > 0)
	switch {
	case owner < 0 && toCheck:
		return false
	case lab.id != "" && r.openHeading < 0:
		return true
	case owner >= 0:
		return r.openHeading < 0 && r.tasks[owner].ID == ""
	}
	return true
}

// placeLine assigns a line that is neither a heading nor an item.
func (r *checklistReader) placeLine(i int) {
	l := &r.lines[i]
	lazy := l.Kind == Text && (r.prev == Item || r.prev == Text) && len(r.openItems) > 0
	if !lazy {
		r.closeItems(l.Indent)
	}
	owner := r.ownerTask()
	if l.Kind == Text {
		kind, words := parseField(l.Text)
		r.section.criteria = kind == "acceptance" && words == ""
	}
	r.classifyLine(i, r.ownedOrNoted(owner, noteReasons[l.Kind]))
}

var noteReasons = map[Kind]string{
	Text: "text outside a task", Quote: "a quotation", Table: "a table: tables are not read as tasks",
	Fence:   "code: boxes in code are not tasks",
	Comment: "a comment: boxes in comments are not tasks", Front: "front matter",
}

// closeItems closes the items that a line at this column does not belong to.
func (r *checklistReader) closeItems(indent int) {
	n := len(r.openItems)
	for n > 0 && r.openItems[n-1].indent >= indent {
		n--
	}
	r.openItems = r.openItems[:n]
}

// ownerTask returns the task that the next line belongs to; -1 for none.
func (r *checklistReader) ownerTask() int {
	if n := len(r.openItems); n > 0 && r.openItems[n-1].task >= 0 {
		return r.openItems[n-1].task
	}
	return r.openHeading
}

func (r *checklistReader) ownedOrNoted(owner int, why string) lineClass {
	if owner >= 0 {
		return lineClass{lineOfTask, owner}
	}
	return lineClass{kind: lineNoted, task: r.reserveNote(why)}
}

// reserveNote adds a note; classifyLine sets its line.
func (r *checklistReader) reserveNote(why string) int {
	r.notes = append(r.notes, Note{Why: why})
	return len(r.notes) - 1
}

// classifyLine adds a line to its task, or fills in its note.
func (r *checklistReader) classifyLine(i int, c lineClass) {
	l := r.lines[i]
	r.classes[i] = c
	if c.kind == lineNoted {
		if r.notes[c.task].Line != 0 { // the next line of a code block or comment
			c.task = r.reserveNote(r.notes[c.task].Why)
			r.classes[i] = c
		}
		r.notes[c.task].Line, r.notes[c.task].Text = l.N, strings.TrimSpace(l.Raw(r.data))
		if r.group != "" && (l.Kind == Text || l.Kind == Item) {
			r.groupOrders = append(r.groupOrders, groupOrder{r.group, i, r.section.tellsOrder})
		}
		return
	}
	t := &r.tasks[c.task]
	t.body = append(t.body, i)
	t.readBodyLine(l)
}

// beginTask adds a task that begins at line i.
func (r *checklistReader) beginTask(i int, lab label, box Box) {
	l := r.lines[i]
	t := taskDraft{parent: -1}
	t.ID, t.Title, t.Story, t.Parallel, t.Optional = lab.id, lab.title, lab.story, lab.parallel, box.Star || lab.optional
	t.Line, t.Section, t.Parent, t.group = l.N, r.section.text, r.group, r.group
	if l.Kind == Heading {
		t.Section = ""
	}
	t.State = r.boxState(box)
	struck := lab.struckThrough && t.State != Done
	if struck {
		t.State = Unclear
	}
	if box.State != NoBox {
		t.BoxLines = []int{l.N}
	}
	r.tasks = append(r.tasks, t)
	r.classes[i] = lineClass{lineOfTask, len(r.tasks) - 1}
	switch {
	case struck:
		r.addNote(l, "it is struck through: the task is not treated as open")
	case t.State == Unclear:
		r.addNote(l, "the box "+box.Sign+" means neither open nor done: the task is not treated as open")
	case box.Problem != "" && !(r.dialect == Kiro && kiroBoxes[box.Sign]):
		r.addNote(l, "the box "+box.Sign+" is read as "+string(t.State)+": "+box.Problem)
	}
}

// boxState returns the state of a box in this dialect. In Kiro [-] is a started task and [~] a
// queued one.
func (r *checklistReader) boxState(b Box) State {
	if r.dialect == Kiro && b.Sign == "[-]" {
		return Doing
	}
	if r.dialect == Kiro && b.Sign == "[~]" || b.State == NoBox {
		return Open
	}
	return b.State
}

// kiroBoxes are the boxes with a meaning in Kiro.
var kiroBoxes = map[string]bool{"[-]": true, "[~]": true}

// addNote adds a note about a line of a task.
func (r *checklistReader) addNote(l Line, why string) {
	r.notes = append(r.notes, Note{Line: l.N, Text: strings.TrimSpace(l.Raw(r.data)), Why: why})
}
