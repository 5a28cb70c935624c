package scan

// Folder is a folder of a Tree, with what its reader wants to keep about it. Folders
// that two trees share are equal.
type Folder struct {
	n *node
	s *scan
}

// Top returns the folder that was scanned.
func (t *Tree) Top() Folder { return Folder{t.s.top, t.s} }

// Same reports whether nothing in the folder and below it was looked at between the
// trees that the two belong to.
func (f Folder) Same(g Folder) bool { return f.n == g.n }

// Path is "" for the top.
func (f Folder) Path() string { return f.n.path }

// Perm returns the 07777 bits.
func (f Folder) Perm() uint16 { return f.n.stat.Perm() }

// Memo returns what Keep was given, nil at first.
func (f Folder) Memo() any { return f.n.memo }

// Keep keeps what is computed of the folder and all below it: it is lost when
// something in there is looked at again.
func (f Folder) Keep(memo any) { f.n.memo = memo }

// Gap returns why the folder was not entered, "" when it was.
func (f Folder) Gap() string { return f.n.gap }

// Tracked reports whether the index names it, or something below it.
func (f Folder) Tracked() bool { return f.n.below || f.n.gitlink }

// Nested reports whether it has a repository of its own.
func (f Folder) Nested() bool { return f.n.nested }

// Entered reports whether it was listed; a nested repository mostly is not.
func (f Folder) Entered() bool { return f.n.state == nodeListed }

// Aside reports whether it is ignored and was entered only for what Include may name
// in it: when that is nothing, the whole folder is one ignored path.
func (f Folder) Aside() bool { return f.n.ignored && !f.n.covered }

// What says what became of a name.
type What uint8

// What a name can be.
const (
	Captured What = iota // Entry holds
	Below                // a folder that was entered, or tried to
	Missed               // a gap: Reason says why
	Ignored
)

// Named is one name of a folder. Path ends in "/" for an ignored folder.
type Named struct {
	What    What
	Path    string
	Entry   Entry // Captured, and of a Rule
	Folder  Folder
	Reason  string
	Tracked bool
	Rule    bool // a .gitignore that git reads, captured or not
	Linked  bool // has had several names
}

// Each gives the names of the folder in the order of paths. What vanished while it
// was looked at is left out, and so is the git folder.
func (f Folder) Each(do func(Named)) {
	for i := range f.n.items {
		if m, there := f.at(i, &f.n.items[i]); there {
			do(m)
		}
	}
}

func (f Folder) at(i int, it *item) (m Named, there bool) {
	if it.gone {
		return Named{}, false
	}
	if c := it.child; c != nil {
		return Named{What: Below, Path: it.path, Folder: Folder{c, f.s}}, c.gap != "" || c.nested || c.state == nodeListed
	}
	return f.named(i, it), true
}

func (f Folder) named(i int, it *item) Named {
	m := Named{Path: it.path, Tracked: !it.outside(), Linked: it.linked}
	if i == f.n.ruleFile && it.oid != "" {
		m.Rule, m.Entry = true, f.s.entry(it)
	}
	switch {
	case it.folder || !f.s.wanted(f.n, it):
		m.What, m.Path = Ignored, it.asked()
	case it.gap != "":
		m.What, m.Reason = Missed, it.gap
	default:
		m.Entry = f.s.entry(it)
	}
	return m
}
