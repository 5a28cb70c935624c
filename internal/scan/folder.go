package scan

// Folder is a folder of a Tree, with the memo of its reader. Folders that two trees share are
// equal.
type Folder struct {
	node *node
	scan *scan
}

// Top returns the root folder of the scan.
func (t *Tree) Top() Folder { return Folder{t.scan.top, t.scan} }

// Same reports whether nothing in the folder and below it was scanned again between two trees.
func (f Folder) Same(g Folder) bool { return f.node == g.node }

// Path returns the path, "" for the top.
func (f Folder) Path() string { return f.node.path }

// Perm returns the 07777 bits.
func (f Folder) Perm() uint16 { return f.node.stat.Perm() }

// Memo returns the value of SetMemo, nil without one.
func (f Folder) Memo() any { return f.node.memo }

// SetMemo stores a value computed from the folder and everything below it. It is dropped when
// something there is scanned again.
func (f Folder) SetMemo(memo any) { f.node.memo = memo }

// Gap returns the reason why the folder was not entered, "" if it was.
func (f Folder) Gap() string { return f.node.gap }

// Tracked reports whether the folder, or something below it, is in the index.
func (f Folder) Tracked() bool { return f.node.hasTrackedBelow || f.node.gitlink }

// Nested reports whether it has a repository of its own.
func (f Folder) Nested() bool { return f.node.nested }

// Entered reports whether the folder was listed; most nested repositories are not.
func (f Folder) Entered() bool { return f.node.state == nodeListed }

// IsIgnored reports whether the folder is ignored and was entered only for paths that Include may
// match. If there is none, the complete folder is one ignored path.
func (f Folder) IsIgnored() bool { return f.node.ignored && !f.node.isIncluded }

// NameKind is the result of a scan for a name.
type NameKind uint8

// The kinds of names.
const (
	NameCaptured NameKind = iota // in Entry
	NameFolder                   // a folder that was entered, or could not be
	NameGap                      // a gap, with Reason
	NameIgnored
)

// Named is one name of a folder. Path ends in "/" for an ignored folder.
type Named struct {
	Kind       NameKind
	Path       string
	Entry      Entry // of a captured name, and of a rule file
	Folder     Folder
	Reason     string
	Tracked    bool
	IsRuleFile bool // a .gitignore that git reads, captured or not
	Linked     bool // has had several hard links
}

// Each calls do with the names of the folder, sorted by path, without the git folder and names that
// vanished during the scan.
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
