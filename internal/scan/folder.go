package scan

// Folder is a folder of a Tree, with what the reader stores with it. Folders that two trees share
// are equal.
type Folder struct {
	node *node
	scan *scan
}

// Top returns the folder that was scanned.
func (t *Tree) Top() Folder { return Folder{t.scan.top, t.scan} }

// Same reports whether nothing in the folder and below it was scanned again between the trees of
// the two.
func (f Folder) Same(g Folder) bool { return f.node == g.node }

// Path returns the path, "" for the top.
func (f Folder) Path() string { return f.node.path }

// Perm returns the 07777 bits.
func (f Folder) Perm() uint16 { return f.node.stat.Perm() }

// Memo returns the value of SetMemo, nil at first.
func (f Folder) Memo() any { return f.node.memo }

// SetMemo stores what is computed from the folder and everything below it: it is dropped when
// something in there is scanned again.
func (f Folder) SetMemo(memo any) { f.node.memo = memo }

// Gap returns why the folder was not entered, "" when it was.
func (f Folder) Gap() string { return f.node.gap }

// Tracked reports whether the index names it, or something below it.
func (f Folder) Tracked() bool { return f.node.hasTrackedBelow || f.node.gitlink }

// Nested reports whether it has a repository of its own.
func (f Folder) Nested() bool { return f.node.nested }

// Entered reports whether it was listed; a nested repository mostly is not.
func (f Folder) Entered() bool { return f.node.state == nodeListed }

// IsIgnored reports whether the folder is ignored and was entered only for what Include may match
// in it: if that is nothing, the complete folder is one ignored path.
func (f Folder) IsIgnored() bool { return f.node.ignored && !f.node.isIncluded }

// NameKind says what a scan did with a name.
type NameKind uint8

// The kinds of names.
const (
	NameCaptured NameKind = iota // Entry has it
	NameFolder                   // a folder that was entered, or could not be
	NameGap                      // a gap: Reason says why
	NameIgnored
)

// Named is one name of a folder. Path ends in "/" for an ignored folder.
type Named struct {
	Kind       NameKind
	Path       string
	Entry      Entry // Captured, and of a Rule
	Folder     Folder
	Reason     string
	Tracked    bool
	IsRuleFile bool // a .gitignore that git reads, captured or not
	Linked     bool // had several hard links
}

// Each calls do with the names of the folder, sorted by path. What vanished during the scan is
// left out, and so is the git folder.
func (f Folder) Each(do func(Named)) {
	for i := range f.node.items {
		if m, there := f.nameAt(i, &f.node.items[i]); there {
			do(m)
		}
	}
}

func (f Folder) nameAt(i int, it *item) (m Named, there bool) {
	if it.vanished {
		return Named{}, false
	}
	if c := it.child; c != nil {
		return Named{Kind: NameFolder, Path: it.path, Folder: Folder{c, f.scan}}, c.gap != "" || c.nested || c.state == nodeListed
	}
	return f.newNamed(i, it), true
}

func (f Folder) newNamed(i int, it *item) Named {
	m := Named{Path: it.path, Tracked: !it.isUntracked(), Linked: it.hadLinks}
	if i == f.node.ruleFile && it.oid != "" {
		m.IsRuleFile, m.Entry = true, f.scan.newEntry(it)
	}
	switch {
	case it.folder || !f.scan.isCapturedFile(f.node, it):
		m.Kind, m.Path = NameIgnored, it.queryPath()
	case it.gap != "":
		m.Kind, m.Reason = NameGap, it.gap
	default:
		m.Entry = f.scan.newEntry(it)
	}
	return m
}
