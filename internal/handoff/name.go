package handoff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

const (
	modeLink = 0o120000
	modeType = 0o170000
)

// NameDifferences returns all differences: first those of the repository as a whole, then by path.
func NameDifferences(f Facts) Report {
	n := driftNamer{Facts: f}
	n.nameHead()
	n.nameStash()
	if f.Then.Operation != f.Now.Operation {
		n.addRepositoryWide(Operation, f.Then.Operation, f.Now.Operation)
	}
	for _, g := range f.GitFiles {
		n.add(Difference{Kind: GitConfig, Path: ".git/" + g, Is: "changed", Was: "as handed over"})
	}
	n.nameFiles()
	n.nameIndex()
	n.nameRest()
	n.nameScope()
	slices.SortStableFunc(n.paths, func(a, b Difference) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(string(a.Kind), string(b.Kind)))
	})
	r := Report{Differences: append(n.tree, n.paths...)}
	if r.Differences == nil {
		r.Differences = []Difference{}
	}
	return r
}

type driftNamer struct {
	Facts
	tree, paths []Difference
	then        map[string]DriftEntry // by path, of files that differ
}

func (n *driftNamer) addRepositoryWide(k DriftKind, was, is string) {
	n.tree = append(n.tree, Difference{Kind: k, Was: was, Is: is})
}

func (n *driftNamer) add(d Difference) {
	if strings.HasPrefix(d.Path, ".git/") {
		n.tree = append(n.tree, d)
		return
	}
	d.OutOfScope = n.InScope != nil && !n.InScope(d.Path)
	n.paths = append(n.paths, d)
}

func (n *driftNamer) nameHead() {
	then, now := n.Then, n.Now
	if then.Branch != now.Branch {
		n.addRepositoryWide(Switched, branchName(then.Branch), branchName(now.Branch))
	}
	if then.Head == now.Head {
		return
	}
	was, is := commitName(then), commitName(now)
	switch {
	case n.Descends && n.WorkCommitted:
		n.addRepositoryWide(Committed, was, is)
	case then.Branch != now.Branch && now.Head != "": // another branch usually has another commit
		n.addRepositoryWide(HeadMoved, was, is)
	case n.SameParents:
		n.addRepositoryWide(Amended, was, is)
	case n.Precedes:
		n.addRepositoryWide(Reset, was, is)
	default:
		n.addRepositoryWide(HeadMoved, was, is)
	}
}

func branchName(ref string) string {
	if ref == "" {
		return "no branch"
	}
	return strings.TrimPrefix(ref, "refs/heads/")
}

func commitName(s Side) string {
	if s.Head == "" {
		return "no commit"
	}
	name := s.Head[:min(10, len(s.Head))]
	if s.Subject != "" {
		name += " (" + s.Subject + ")"
	}
	return name
}

// nameStash names added or removed stash entries. Which work was stashed shows in the paths.
func (n *driftNamer) nameStash() {
	switch then, now := n.Then, n.Now; {
	case then.Stash == now.Stash:
	case now.Stash == "" || now.Stashes < then.Stashes:
		n.addRepositoryWide(StashRemoved, countStashEntries(then.Stashes), countStashEntries(now.Stashes))
	default:
		n.addRepositoryWide(Stashed, countStashEntries(then.Stashes), countStashEntries(now.Stashes))
	}
}

func countStashEntries(n int) string { return belay.Count(n, "stash entry", "stash entries") }

// nameFiles names the differences of files.
func (n *driftNamer) nameFiles() {
	n.then = map[string]DriftEntry{}
	renamed, left := n.pairRenames()
	for _, p := range n.Files {
		n.then[p.Path] = p.Then
	}
	for _, p := range n.Files {
		if from, ok := renamed[p.Path]; ok {
			n.add(Difference{Kind: Renamed, Path: p.Path, From: from})
			n.nameModes(p.Path, n.then[from], p.Now)
			continue
		}
		if !left[p.Path] {
			n.nameFile(p)
		}
	}
	if n.Discarded && n.Then.Head == n.Now.Head && n.Then.Stash == n.Now.Stash {
		n.addRepositoryWide(Discarded, "uncommitted work", "same as HEAD")
	}
}

// pairRenames pairs each added path with a deleted one of the same bytes, in the order of the
// paths: renamed maps new to old, left has the old ones. An empty file is no evidence of a rename.
func (n *driftNamer) pairRenames() (renamed map[string]string, left map[string]bool) {
	gone := map[string][]string{}
	for _, p := range n.Files {
		if p.Then.Exists() && !p.Now.Exists() && p.Then.Size > 0 {
			gone[p.Then.OID] = append(gone[p.Then.OID], p.Path)
		}
	}
	renamed, left = map[string]string{}, map[string]bool{}
	for _, p := range n.Files {
		if !p.Then.Exists() && p.Now.Exists() && len(gone[p.Now.OID]) > 0 {
			list := gone[p.Now.OID]
			renamed[p.Path], gone[p.Now.OID] = list[0], list[1:]
			left[list[0]] = true
		}
	}
	return renamed, left
}

func (n *driftNamer) nameFile(p Pair) {
	then, now := p.Then, p.Now
	switch {
	case p.Ignored:
		n.add(Difference{Kind: NowIgnored, Path: p.Path, Was: kindOf(then), Is: "ignored"})
		return
	case !now.Exists():
		n.add(Difference{Kind: Deleted, Path: p.Path, Was: kindOf(then)})
		return
	case !then.Exists():
		n.add(Difference{Kind: Added, Path: p.Path, Is: kindOf(now)})
		return
	case then.Mode&modeType != now.Mode&modeType:
		n.add(Difference{Kind: TypeChanged, Path: p.Path, Was: kindOf(then), Is: kindOf(now)})
		return
	}
	if then.OID != now.OID {
		d := Difference{Kind: Content, Path: p.Path, Was: short(then.OID), Is: short(now.OID)}
		switch {
		case now.Mode == modeLink:
			d.Kind, d.Was, d.Is = LinkTarget, "", ""
		case p.SameLines:
			d.Kind, d.IsNote = LineEndings, n.IgnoreEnds
		case p.Shape != "":
			d.Is += ", " + p.Shape
		}
		n.add(d)
	}
	n.nameModes(p.Path, then, now)
}

// nameModes names a change of mode, except of links, which have none.
func (n *driftNamer) nameModes(path string, then, now DriftEntry) {
	if then.Perm != now.Perm && then.Mode != modeLink && now.Mode != modeLink {
		n.add(Difference{Kind: Mode, Path: path, Was: fmt.Sprintf("%04o", then.Perm), Is: fmt.Sprintf("%04o", now.Perm)})
	}
}

func kindOf(e DriftEntry) string {
	switch {
	case e.Mode == modeLink:
		return "link"
	case e.Mode == 0o100755:
		return "executable file"
	}
	return "file"
}

func short(oid string) string { return oid[:min(10, len(oid))] }

// nameIndex names differences of the index alone. If the file changed too, or HEAD moved, the index
// follows from that.
func (n *driftNamer) nameIndex() {
	moved := n.Then.Head != n.Now.Head
	for _, p := range n.Index {
		if p.Then.Flags != p.Now.Flags {
			n.add(Difference{Kind: IndexFlag, Path: p.Path, Was: cmp.Or(p.Then.Flags, "none"), Is: cmp.Or(p.Now.Flags, "none")})
			continue
		}
		if _, touched := n.then[p.Path]; !touched && !moved {
			n.add(Difference{Kind: Index, Path: p.Path, Was: stagedAs(p.Then), Is: stagedAs(p.Now)})
		}
	}
}

func stagedAs(s Staged) string {
	switch {
	case s.Extra != "":
		return "a conflict"
	case s.OID == "":
		return "not in the index"
	}
	text := short(s.OID)
	if s.Mode == 0o100755 {
		text += " executable"
	}
	return text
}

func (n *driftNamer) nameRest() {
	for _, f := range n.Folders {
		switch {
		case f.WasEmpty != f.IsEmpty && f.IsEmpty:
			n.add(Difference{Kind: EmptyFolder, Path: f.Path + "/", Is: "an empty folder"})
		case f.WasEmpty != f.IsEmpty:
			n.add(Difference{Kind: EmptyFolder, Path: f.Path + "/", Was: "an empty folder"})
		case f.WasPerm != f.NowPerm:
			n.add(Difference{Kind: Mode, Path: f.Path + "/", Was: fmt.Sprintf("%04o", f.WasPerm), Is: fmt.Sprintf("%04o", f.NowPerm)})
		}
	}
	for _, g := range n.Gaps {
		if g.Is != "" {
			n.add(Difference{Kind: Unreadable, Path: g.Path, Was: g.Was, Is: g.Is})
		}
	}
	for _, g := range n.Nested {
		n.add(Difference{Kind: Nested, Path: g.Path + "/", Was: g.Was, Is: g.Is})
	}
}

// nameScope names a change of the set of paths in the task's scope.
func (n *driftNamer) nameScope() {
	came, went := 0, 0
	for _, d := range n.paths {
		if d.OutOfScope || n.InScope == nil {
			continue
		}
		switch d.Kind {
		case Added:
			came++
		case Deleted:
			went++
		case Renamed:
			came, went = came+1, went+1
		}
	}
	if came+went > 0 {
		n.addRepositoryWide(ScopeFiles, "the paths handed over", fmt.Sprintf("%d more, %d fewer", came, went))
	}
}
