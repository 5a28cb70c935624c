package worktree

import (
	"maps"
	"slices"
	"strings"
)

// The merge itself is pure: it reads and writes no files, and prefers no side unless told to. Texts
// are merged by the function in Input.Join.

// Entry is the file, link or empty folder at a path. The zero value means that there is none.
type Entry struct {
	Mode uint32 // git's mode: 0100644, 0100755, 0120000, or 040000 for an empty folder
	OID  string // of the content, in hex; "" for a folder
	Perm uint16 // the permission bits, mask 07777; 0 for a link
}

func (e Entry) there() bool { return e.Mode != 0 }

// The git modes that occur here.
const (
	modeFile   = 0o100644
	modeExec   = 0o100755
	modeLink   = 0o120000
	modeFolder = 0o40000
)

func (e Entry) kind() string {
	switch e.Mode {
	case modeLink:
		return "link"
	case modeFolder:
		return "folder"
	}
	return "file"
}

// State is a whole tree, by path. It contains folders only if they are empty.
type State map[string]Entry

// Side is one of the two versions that are merged.
type Side string

// The sides: the worktree as it is now, and the task's version.
const (
	Ours   Side = "ours"
	Theirs Side = "theirs"
)

// Input is what is merged. OursMoved and TheirsMoved map the old path of a renamed file to the new
// one.
type Input struct {
	Base, Ours, Theirs     State
	OursMoved, TheirsMoved map[string]string
	OursHidden             func(path string) bool // something is at path that Ours does not contain
	Choose                 func(path string) Side // decides a conflict; nil, or "" as its result, leaves it open
	Join                   Join                   // merges two texts
	WriteMarkers           bool                   // write texts that conflict with conflict markers
}

// Join merges two texts with a common base, given by their object names. base is "" when there is
// none.
type Join func(base, ours, theirs string) (Joined, error)

// Joined is the result of Join: a clean text, or one with conflict markers. If the contents cannot
// be merged as text, OID is "" and Kind says why.
type Joined struct {
	OID   string
	Clean bool
	Kind  Kind
}

// Kind is the kind of a conflict.
type Kind string

// The kinds of conflict.
const (
	KindContent Kind = "content" // both changed the same lines
	KindAdded   Kind = "added"   // both added it, differently
	KindBinary  Kind = "binary"  // both changed it, and it is not text
	KindLarge   Kind = "large"   // both changed it, and it is too large to merge
	KindLink    Kind = "link"    // both changed the target of a link
	KindMode    Kind = "mode"    // both changed the mode, differently
	KindType    Kind = "type"    // a file on one side, a link or folder on the other
	KindFolder  Kind = "folder"  // a file on one side, a folder with files on the other
	KindDeleted Kind = "deleted" // changed on one side, deleted on the other
	KindRenamed Kind = "renamed" // renamed on one side, renamed differently or deleted on the other
	KindIgnored Kind = "ignored" // the task added a file where an ignored one is
)

// Conflict is a path on which the sides disagree.
type Conflict struct {
	Path   string `json:"path"`
	Kind   Kind   `json:"kind"`
	Says   string `json:"says"`
	Marked bool   `json:"marked"` // the file is written with conflict markers
}

// Change is a path that the merge writes or removes.
type Change struct {
	Path string
	Was  Entry // what is there now; the zero value is nothing
	Now  Entry // what will be there; the zero value removes it
	How  How
}

// How says where a change comes from.
type How string

// The values of How.
const (
	HowTaken  How = "taken"  // only the task changed it
	HowJoined How = "joined" // both changed it, and the texts merged cleanly
	HowMarked How = "marked" // both changed it, and it has conflict markers
	HowChosen How = "chosen" // both changed it, and a side was chosen
)

// Plan is what a merge does. It may be carried out when Open returns nothing.
type Plan struct {
	Changes   []Change   // sorted by path
	Agreed    []string   // both sides made the same change
	Own       int        // paths that only our side changed, which stay
	Conflicts []Conflict // those for which no side was chosen, including marked ones
}

// Open returns the conflicts that have to be decided before the plan may be carried out.
func (p Plan) Open() []Conflict {
	return slices.DeleteFunc(slices.Clone(p.Conflicts), func(c Conflict) bool { return c.Marked })
}

// planner holds the state of a merge while Of plans it.
type planner struct {
	in    Input
	plan  Plan
	final State
	how   map[string]How
	done  map[string]bool // decided together with another path

	followed map[string]string // renamed paths, with the new path at which the change was merged
}

// Of plans a merge. It fails only when Join does.
func Of(in Input) (Plan, error) {
	p := &planner{in: in, final: maps.Clone(in.Ours), how: map[string]How{}, done: map[string]bool{}, followed: map[string]string{}}
	if p.final == nil {
		p.final = State{}
	}
	paths := map[string]bool{}
	for _, s := range []State{in.Base, in.Ours, in.Theirs} {
		for path := range s {
			paths[path] = true
		}
	}
	order := slices.Sorted(maps.Keys(paths))
	for _, path := range order { // renames first, because each decides two paths
		if err := p.moved(path); err != nil {
			return Plan{}, err
		}
	}
	for _, path := range order {
		if p.done[path] {
			continue
		}
		if err := p.path(path, in.Base[path]); err != nil {
			return Plan{}, err
		}
	}
	p.hidden()
	for p.folders(); p.unfollow(); {
		p.folders() // a file back at its old path may conflict with a folder there
	}
	p.finish()
	return p.plan, nil
}

// path decides one path. base is the common ancestor of its two sides.
func (p *planner) path(path string, base Entry) error {
	ours, theirs := p.in.Ours[path], p.in.Theirs[path]
	switch {
	case ours == theirs:
		if ours != base {
			p.plan.Agreed = append(p.plan.Agreed, path)
		}
		return nil
	case theirs == base:
		p.plan.Own++
		return nil
	case ours == base:
		p.put(path, theirs, HowTaken)
		return nil
	case !ours.there():
		p.conflict(path, KindDeleted, "modified in the task's, deleted in yours", theirs)
		return nil
	case !theirs.there():
		p.conflict(path, KindDeleted, "modified in yours, deleted in the task's", theirs)
		return nil
	}
	return p.both(path, base, ours, theirs)
}

// both merges two entries of a path that both differ from base.
func (p *planner) both(path string, base, ours, theirs Entry) error {
	if ours.kind() != theirs.kind() {
		p.conflict(path, KindType, "a "+ours.kind()+" in yours, a "+theirs.kind()+" in the task's", theirs)
		return nil
	}
	perm, agreed := permOf(base, ours, theirs)
	if !agreed {
		p.conflict(path, KindMode, "file mode changed differently in yours and the task's", theirs)
		return nil
	}
	if base.kind() != ours.kind() {
		base = Entry{}
	}
	joined, how := ours, HowTaken
	switch {
	case ours.OID == theirs.OID || theirs.OID == base.OID && base.there():
	case ours.OID == base.OID && base.there():
		joined.OID = theirs.OID
	case ours.kind() == "link":
		p.conflict(path, KindLink, "link target changed in both", theirs)
		return nil
	default:
		got, err := p.in.Join(base.OID, ours.OID, theirs.OID)
		if err != nil {
			return err
		}
		if joined, how = p.joined(path, base, ours, theirs, got), HowJoined; !joined.there() {
			return nil
		}
		if !got.Clean {
			how = HowMarked
		}
	}
	joined.Perm = perm
	if joined.kind() == "file" {
		joined.Mode = fileMode(perm)
	}
	p.put(path, joined, how)
	return nil
}

// joined returns the merged entry, or the zero value when the texts remain a conflict.
func (p *planner) joined(path string, base, ours, theirs Entry, got Joined) Entry {
	if got.Clean {
		ours.OID = got.OID
		return ours
	}
	kind, says := KindContent, "the same lines modified in both"
	switch {
	case got.Kind == KindBinary:
		kind, says = KindBinary, "not text, modified in both"
	case got.Kind == KindLarge:
		kind, says = KindLarge, "too large to merge, modified in both"
	case !base.there():
		kind, says = KindAdded, "added differently in yours and the task's"
	}
	if !p.in.WriteMarkers || got.OID == "" || p.chosen(path) != "" {
		p.conflict(path, kind, says, theirs)
		return Entry{}
	}
	p.plan.Conflicts = append(p.plan.Conflicts, Conflict{Path: path, Kind: kind, Says: says, Marked: true})
	ours.OID = got.OID
	return ours
}

// permOf merges two modes, and reports whether they agree. If both sides added the file, only the
// executable bit has to agree, because the other bits depend on the umask.
func permOf(base, ours, theirs Entry) (uint16, bool) {
	switch {
	case ours.Perm == theirs.Perm:
		return ours.Perm, true
	case !base.there() || base.kind() != ours.kind():
		return ours.Perm, ours.Perm&0o100 == theirs.Perm&0o100
	case theirs.Perm == base.Perm:
		return ours.Perm, true
	case ours.Perm == base.Perm:
		return theirs.Perm, true
	}
	return 0, false
}

func fileMode(perm uint16) uint32 {
	if perm&0o100 != 0 {
		return modeExec
	}
	return modeFile
}

// put decides what will be at a path.
func (p *planner) put(path string, e Entry, how How) {
	if e.there() {
		p.final[path] = e
	} else {
		delete(p.final, path)
	}
	p.how[path] = how
}

func (p *planner) chosen(path string) Side {
	if p.in.Choose == nil {
		return ""
	}
	return p.in.Choose(path)
}

// conflict records a conflict, or decides it if a side was chosen. It reports whether that was the
// task's side.
func (p *planner) conflict(path string, kind Kind, says string, theirs Entry) bool {
	switch p.chosen(path) {
	case Ours:
	case Theirs:
		p.put(path, theirs, HowChosen)
		return true
	default:
		p.plan.Conflicts = append(p.plan.Conflicts, Conflict{Path: path, Kind: kind, Says: says})
	}
	return false
}

// folders finds paths that are a file and also a folder with files, which happens when each side
// added one of them. It also removes empty-folder entries that now have files.
func (p *planner) folders() {
	named := map[string]bool{}
	for _, path := range slices.Sorted(maps.Keys(p.final)) {
		below, still := p.final[path]
		if !still {
			continue
		}
		for i := strings.LastIndexByte(path, '/'); i > 0; i = strings.LastIndexByte(path[:i], '/') {
			above := path[:i]
			e, there := p.final[above]
			switch {
			case !there || named[above]:
			case e.kind() == "folder" && below.kind() == "folder":
			case e.kind() == "folder":
				delete(p.final, above)
			default:
				named[above] = true
				p.inPlaceOf(above)
			}
		}
	}
}

// inPlaceOf decides a path that is a file on one side and a folder on the other. Everything at and
// below it stays as in ours, unless the task's side was chosen.
func (p *planner) inPlaceOf(path string) {
	here := func(q string) bool { return q == path || strings.HasPrefix(q, path+"/") }
	says := "a file in yours, a folder in the task's"
	if !p.in.Ours[path].there() {
		says = "a folder in yours, a " + p.in.Theirs[path].kind() + " in the task's"
	}
	from, how := p.in.Ours, How("")
	switch p.chosen(path) {
	case Ours:
	case Theirs:
		from, how = p.in.Theirs, HowChosen
	default:
		p.plan.Conflicts = append(p.plan.Conflicts, Conflict{Path: path, Kind: KindFolder, Says: says})
	}
	for _, s := range []State{p.in.Ours, p.in.Theirs, maps.Clone(p.final)} {
		for q := range s {
			if here(q) {
				p.put(q, from[q], how)
			}
		}
	}
}

// hidden finds files that would overwrite something that ours does not contain, such as an ignored
// file.
func (p *planner) hidden() {
	if p.in.OursHidden == nil {
		return
	}
	for _, path := range slices.Sorted(maps.Keys(p.how)) {
		e, there := p.final[path]
		if !there || e.kind() == "folder" || p.in.Ours[path].there() || p.how[path] == HowChosen || !p.in.OursHidden(path) {
			continue
		}
		delete(p.final, path)
		p.conflict(path, KindIgnored, "added in the task's where yours has an ignored file", e)
	}
}

// finish fills in the changes and sorts the plan.
func (p *planner) finish() {
	for path, how := range p.how {
		if was, now := p.in.Ours[path], p.final[path]; was != now {
			p.plan.Changes = append(p.plan.Changes, Change{Path: path, Was: was, Now: now, How: how})
		}
	}
	for path, was := range p.in.Ours { // empty folders that got files
		if _, still := p.final[path]; !still && p.how[path] == "" {
			p.plan.Changes = append(p.plan.Changes, Change{Path: path, Was: was, How: HowTaken})
		}
	}
	slices.SortFunc(p.plan.Changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(p.plan.Conflicts, func(a, b Conflict) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(p.plan.Agreed)
}
