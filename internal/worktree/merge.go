package worktree

import (
	"maps"
	"slices"
	"strings"
)

// These are rules alone: no file is read or written, and neither side is preferred without
// being told to. The caller merges texts.

// Entry is what is at a path. The zero value is nothing.
type Entry struct {
	Mode uint32 // git's: 0100644, 0100755, 0120000; 040000 is a folder without files
	OID  string // of the bytes, in hex; "" for a folder
	Perm uint16 // the mode's 07777 bits; 0 for a link
}

func (e Entry) there() bool { return e.Mode != 0 }

// The git modes that matter here.
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

// State is a whole tree: each path that holds something. A folder is in it only
// when nothing is below it.
type State map[string]Entry

// Side is one of the two that are brought together.
type Side string

// The sides: the tree as it is here now, and the task's work.
const (
	Ours   Side = "ours"
	Theirs Side = "theirs"
)

// Input is what is merged. Moved says, for each side, where a path went that is gone
// from its old place.
type Input struct {
	Base, Ours, Theirs     State
	OursMoved, TheirsMoved map[string]string
	OursHidden             func(path string) bool // something is there that Ours does not hold
	Choose                 func(path string) Side // the side a conflict is decided for; "" or nil: it stays one
	Join                   Join                   // joins two texts
	WriteMarkers           bool                   // a text that does not join is written with markers
}

// Join brings two texts with a common base together. Base is "" when there is none.
type Join func(base, ours, theirs string) (Joined, error)

// Joined is what became of two texts: Clean, or with conflict markers in it; or, when it
// is not text that can be joined, Kind says why and OID is "".
type Joined struct {
	OID   string
	Clean bool
	Kind  Kind
}

// Kind says what two sides disagree about.
type Kind string

// The kinds of conflict.
const (
	KindContent Kind = "content" // both changed the same lines
	KindAdded   Kind = "added"   // both made it, differently
	KindBinary  Kind = "binary"  // both changed it, and it is not text
	KindLarge   Kind = "large"   // both changed it, and it is too large to be joined
	KindLink    Kind = "link"    // both changed where a link leads
	KindMode    Kind = "mode"    // both changed its mode, differently
	KindType    Kind = "type"    // a file on one side, a link or folder on the other
	KindFolder  Kind = "folder"  // a file on one side where the other has a folder of files
	KindDeleted Kind = "deleted" // changed on one side, deleted on the other
	KindRenamed Kind = "renamed" // renamed on one side, renamed elsewhere or deleted on the other
	KindIgnored Kind = "ignored" // something ignored lies here where the task wrote
)

// Conflict is a path on which the sides disagree.
type Conflict struct {
	Path   string `json:"path"`
	Kind   Kind   `json:"kind"`
	Says   string `json:"says"`
	Marked bool   `json:"marked"` // it is written with markers
}

// Change is a path that the merge writes or removes.
type Change struct {
	Path string
	Was  Entry // what is there now; the zero value is nothing
	Now  Entry // what is to be there; the zero value removes it
	How  How
}

// How says where a change comes from.
type How string

// The ways.
const (
	HowTaken  How = "taken"  // only the task changed it
	HowJoined How = "joined" // both did, and their texts join
	HowMarked How = "marked" // both did, and it has conflict markers
	HowChosen How = "chosen" // both did, and a side was chosen
)

// Plan is what a merge does. It may be carried out when Open is empty.
type Plan struct {
	Changes   []Change   // by path
	Agreed    []string   // both sides changed it alike
	Own       int        // paths that only this side changed, and that stay
	Conflicts []Conflict // all that were met and not chosen for, marked ones too
}

// Open returns the conflicts that keep the plan from being carried out.
func (p Plan) Open() []Conflict {
	return slices.DeleteFunc(slices.Clone(p.Conflicts), func(c Conflict) bool { return c.Marked })
}

// planner is a merge under way.
type planner struct {
	in    Input
	plan  Plan
	final State
	how   map[string]How
	done  map[string]bool // decided along with another path

	followed map[string]string // the new places of paths whose change went along
}

// Of plans a merge. An error is one of Join's.
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
	for _, path := range order { // what went elsewhere first: it decides about two paths
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
		p.folders() // what is back at its place may be in the way there
	}
	p.finish()
	return p.plan, nil
}

// path decides about one path, with the entry its two sides come from.
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

// both brings two entries at a path together that both differ from base.
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

// joined returns what is written of two texts, the zero value when they stay a conflict.
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

// permOf brings two modes together. Of a path that both sides made, only the bit that
// makes it a program has to be the same: the rest is each one's umask.
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

// put sets what is to be at a path.
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

// conflict names a path, or decides it as was chosen. It reports whether the task's side
// was chosen.
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

// folders looks for files in the place of folders: each side was fine alone, and both
// together cannot be. A folder that holds files by now is not an entry of its own.
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

// inPlaceOf decides about a file on one side that is a folder on the other. Both are left
// as they are here, unless the task's side was chosen.
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

// hidden finds what would be written over something that this side does not hold, like
// an ignored file.
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

// finish lists what changes.
func (p *planner) finish() {
	for path, how := range p.how {
		if was, now := p.in.Ours[path], p.final[path]; was != now {
			p.plan.Changes = append(p.plan.Changes, Change{Path: path, Was: was, Now: now, How: how})
		}
	}
	for path, was := range p.in.Ours { // empty folders that filled up
		if _, still := p.final[path]; !still && p.how[path] == "" {
			p.plan.Changes = append(p.plan.Changes, Change{Path: path, Was: was, How: HowTaken})
		}
	}
	slices.SortFunc(p.plan.Changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(p.plan.Conflicts, func(a, b Conflict) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(p.plan.Agreed)
}
