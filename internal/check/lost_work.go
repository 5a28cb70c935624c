package check

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/syntax"
)

// Limits of what is read to find lost work. Larger files are only compared as a whole.
const (
	maxLines  = 1 << 20 // size of a file of which the lines are compared, in bytes
	maxOthers = 200     // changed files that are searched for lines
)

// findLostWork finds work that was uncommitted when an attempt began, and that is now in no file,
// no index, no commit and no stash. It only examines paths that the attempt deleted or reset to the
// content of a commit; further edits are judged like any edit.
//
// Lines that the attempt moved to another file are not lost: a missing file counts only if half of
// its own lines are missing from everything that changed.
//
// A commit to compare with, in a snapshot that only this command uses, has nothing uncommitted.
func (r *factReader) findLostWork(ctx context.Context, f *GitFacts) error {
	if r.before.info.Transient {
		return r.findLostStashes(ctx, f)
	}
	var touched []map[string]git.Difference
	any := map[string]bool{}
	for _, s := range r.spans {
		list, err := r.diffTrees(ctx, s.from.info.Tree, s.to.info.Tree)
		if err != nil {
			return err
		}
		touched = append(touched, list)
		for p := range list {
			any[p] = true
		}
	}
	skip := map[string]bool{} // known losses, and changes of earlier attempts, which are not a person's
	for i, s := range r.spans {
		from := s.from
		if i == 0 {
			from = r.before
		}
		if err := r.findLostSince(ctx, f, from, any, skip); err != nil {
			return err
		}
		for p := range touched[i] {
			skip[p] = true
		}
	}
	return r.findLostStashes(ctx, f)
}

func (r *factReader) diffTrees(ctx context.Context, a, b string) (map[string]git.Difference, error) {
	list, err := r.snaps.Repo.DiffTrees(ctx, a, b)
	if err != nil {
		return nil, err
	}
	all := make(map[string]git.Difference, len(list))
	for _, d := range list {
		all[d.Path] = d
	}
	return all, nil
}

func (r *factReader) findLostSince(ctx context.Context, f *GitFacts, from *side, any, skip map[string]bool) error {
	if from.info.Tree == r.after.info.Tree && from.meta["index"] == r.after.meta["index"] {
		return nil
	}
	changed, err := r.diffTrees(ctx, from.info.Tree, r.after.info.Tree)
	if err != nil {
		return err
	}
	dirty, err := r.diffTrees(ctx, r.headTree(from), from.info.Tree)
	if err != nil {
		return err
	}
	h := &lostWorkSearch{reader: r, from: from, changed: changed, dirty: dirty, headAfter: map[string]string{}}
	var paths []string
	for p, c := range changed {
		d, uncommitted := dirty[p]
		was := d.NewMode != 0 && c.OldMode != 0
		if uncommitted && was && any[p] && !skip[p] && !isBelayPath(p) {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	for _, p := range paths {
		loss, err := h.findLoss(ctx, p)
		if err != nil {
			return err
		}
		if loss != nil {
			skip[p] = true
			f.LostWork = append(f.LostWork, *loss)
		}
	}
	staged, err := h.findLostStaged(ctx, skip)
	f.LostWork = append(f.LostWork, staged...)
	return err
}

// isBelayPath reports whether belay itself may write a file during a task.
func isBelayPath(p string) bool { return strings.HasPrefix(p, ".belay/") }

// headTree returns the tree ID of a side's HEAD.
func (r *factReader) headTree(s *side) string {
	if s.refs.Head.OID == "" {
		return r.snaps.Repo.HashObject("tree", nil)
	}
	return s.refs.Head.OID + "^{tree}"
}

// lostWorkSearch searches for work lost between one side and the after snapshot.
type lostWorkSearch struct {
	reader         *factReader
	from           *side
	changed, dirty map[string]git.Difference
	blobsAfter     map[string]bool   // blobs anywhere in the after snapshot
	lines          map[string]bool   // lines of everything that changed, in the current version
	headAfter      map[string]string // blobs in HEAD of the after snapshot, by path
	oldHead        bool              // HEAD is at a commit that existed before
	headRead       bool              // headAfter and oldHead are set
}

// findLoss returns the loss of a path's uncommitted content, nil for none.
func (h *lostWorkSearch) findLoss(ctx context.Context, p string) (*Loss, error) {
	was, now := h.dirty[p], h.changed[p]
	loss := &Loss{Path: p}
	tracked := was.OldMode != 0
	switch {
	case now.NewMode == 0 && h.mayBeOnDisk(p):
		return nil, nil // it is on the disk, but not captured
	case now.NewMode == 0 && tracked:
		loss.Kind = LostFile
	case now.NewMode == 0:
		loss.Kind = LostNew
	default:
		back, err := h.isCommitted(ctx, p)
		if !back || err != nil {
			return nil, err
		}
		if loss.Kind = LostEdits; !tracked {
			loss.Kind = LostNew
		}
	}
	if lost, err := h.isBlobMissing(ctx, was.NewOID); !lost || err != nil {
		return nil, err
	}
	mine, err := h.readBlob(was.NewOID)
	if err != nil {
		return nil, err
	}
	var base []byte
	if tracked {
		if base, err = h.readBlob(was.OldOID); err != nil {
			return nil, err
		}
	}
	if len(bytes.TrimSpace(mine)) == 0 || tracked && h.isConversion(base, mine) {
		return nil, nil
	}
	loss.Unsure = syntax.IsGenerated(p) || isThrowaway(p) || tracked && h.hasUnknownFilter(p)
	if was.NewMode == 0o120000 || len(mine) > maxLines || bytes.IndexByte(mine, 0) >= 0 {
		return loss, nil
	}
	own := linesNotIn(mine, base)
	if len(own) == 0 {
		if now.NewMode == 0 {
			return nil, nil // a commit's version with lines removed
		}
		return loss, nil
	}
	moved, err := h.areLinesMoved(own)
	if moved || err != nil {
		return nil, err
	}
	return loss, nil
}

// mayBeOnDisk reports whether a path that is missing in the after snapshot may still exist on the
// disk.
func (h *lostWorkSearch) mayBeOnDisk(p string) bool {
	m := h.reader.after.manifest
	if snapshot.ListCovers(m.Ignored, p) {
		return true
	}
	for _, g := range m.Gaps {
		if g.Path == p || strings.HasPrefix(p, g.Path+"/") {
			return true
		}
	}
	for _, n := range m.Nested {
		if strings.HasPrefix(p, n.Path+"/") {
			return true
		}
	}
	return false
}

// isCommitted reports whether a path now has the content of a commit that existed before: of HEAD,
// or of the commit that HEAD was moved to.
func (h *lostWorkSearch) isCommitted(ctx context.Context, p string) (bool, error) {
	now := h.changed[p].NewOID
	if d := h.dirty[p]; d.OldMode != 0 && d.OldOID == now {
		return true, nil
	}
	if h.reader.after.refs.Head.OID == "" || h.reader.after.refs.Head.OID == h.from.refs.Head.OID {
		return false, nil
	}
	if !h.headRead {
		h.headRead = true
		_, came := h.reader.countCommits(ctx, h.from.refs.Head.OID, h.reader.after.refs.Head.OID)
		made, err := h.listAddedObjects(ctx, "--count")
		if err != nil {
			return false, err
		}
		if h.oldHead = came == 0 || strings.TrimSpace(made) == "0"; h.oldHead {
			var changed []string
			for c := range h.changed {
				changed = append(changed, c)
			}
			list, err := h.reader.diffTrees(ctx, h.reader.headTree(h.from), h.reader.headTree(h.reader.after))
			if err != nil {
				return false, err
			}
			for _, c := range changed {
				h.headAfter[c] = list[c].NewOID
			}
		}
	}
	return h.oldHead && h.headAfter[p] == now, nil
}

// listAddedObjects lists the objects of the attempt's commits and stash entries that were not in
// the repository's history before.
func (h *lostWorkSearch) listAddedObjects(ctx context.Context, args ...string) (string, error) {
	var ask strings.Builder
	old := map[string]bool{}
	for _, oid := range h.from.refs.Refs {
		old[oid] = true
	}
	old[h.from.refs.Head.OID] = true
	names := []string{h.reader.after.refs.Head.OID}
	if slices.Contains(args, "--objects") {
		for _, oid := range h.reader.after.refs.Refs {
			names = append(names, oid)
		}
		list, err := h.reader.readReflog(h.reader.after, "refs/stash")
		if err != nil {
			return "", err
		}
		for _, e := range list {
			names = append(names, e.oid)
		}
	}
	for _, oid := range names {
		if git.IsOID(oid) && !old[oid] {
			fmt.Fprintln(&ask, oid)
		}
	}
	if ask.Len() == 0 {
		if slices.Contains(args, "--count") {
			return "0", nil
		}
		return "", nil
	}
	for oid := range old {
		if git.IsOID(oid) {
			fmt.Fprintln(&ask, "^"+oid)
		}
	}
	out, err := h.reader.snaps.Repo.Run(ctx, strings.NewReader(ask.String()),
		append([]string{"rev-list", "--ignore-missing"}, append(args, "--stdin")...)...)
	return string(out), err
}

// isBlobMissing reports whether the after snapshot has a blob in no file, not in the index, and in
// no new commit or stash.
func (h *lostWorkSearch) isBlobMissing(ctx context.Context, oid string) (bool, error) {
	if h.blobsAfter == nil {
		if err := h.listBlobs(ctx); err != nil {
			return false, err
		}
	}
	return !h.blobsAfter[oid], nil
}

func (h *lostWorkSearch) listBlobs(ctx context.Context) error {
	h.blobsAfter = map[string]bool{}
	files, err := h.reader.rd.Walk(h.reader.after.info.Tree)
	if err != nil {
		return err
	}
	for _, e := range files {
		h.blobsAfter[e.OID] = true
	}
	if err := h.reader.readIndex(h.reader.after); err != nil {
		return err
	}
	for _, e := range h.reader.after.index {
		h.blobsAfter[hexOf(e.OID)] = true
	}
	objects, err := h.listAddedObjects(ctx, "--objects")
	for line := range strings.Lines(objects) {
		oid, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		h.blobsAfter[oid] = true
	}
	return err
}

func (h *lostWorkSearch) readBlob(oid string) ([]byte, error) {
	o, err := h.reader.rd.Read(oid)
	return o.Data, err
}

// isConversion reports whether two contents are the committed and the checked-out form of the same
// file: line endings, or a pointer of git-lfs.
func (h *lostWorkSearch) isConversion(committed, disk []byte) bool {
	if bytes.Equal(unixLineEnds(committed), unixLineEnds(disk)) {
		return true
	}
	if !bytes.HasPrefix(committed, []byte("version https://git-lfs")) {
		return false
	}
	return bytes.Contains(committed, fmt.Appendf(nil, "oid sha256:%x", sha256.Sum256(disk)))
}

func unixLineEnds(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }

// hasUnknownFilter reports whether attributes for a path convert content in ways that belay does
// not know: a difference from the commit may then be no edit.
func (h *lostWorkSearch) hasUnknownFilter(p string) bool {
	names := []string{h.from.info.Commit + ":meta/admin/info/attributes"}
	for dir := path.Dir(p); ; dir = path.Dir(dir) {
		names = append(names, h.from.info.Commit+":tree/"+path.Join(dir, ".gitattributes"))
		if dir == "." {
			break
		}
	}
	for _, name := range names {
		if strings.ContainsAny(name, "\n") {
			return true
		}
		o, err := h.reader.rd.Read(name)
		if err == nil && (bytes.Contains(o.Data, []byte("filter=")) || bytes.Contains(o.Data, []byte("ident")) ||
			bytes.Contains(o.Data, []byte("working-tree-encoding"))) {
			return true
		}
	}
	return false
}

// throwawayPatterns are extensions and folders of files that tools create and remove.
var throwawayPatterns = []string{".log", ".tmp", ".temp", ".bak", ".swp", ".pyc", ".o", ".a", ".so", ".class", ".out", ".test",
	".pid", ".orig", ".rej", "~", ".coverage", ".DS_Store", ".tsbuildinfo", ".sum", ".lock"}

// isThrowaway reports whether a path looks like a product of a build or a test.
func isThrowaway(p string) bool {
	for _, end := range throwawayPatterns {
		if strings.HasSuffix(p, end) {
			return true
		}
	}
	for _, part := range strings.Split(path.Dir(p), "/") {
		switch part {
		case "build", "dist", "out", "target", "bin", "obj", "tmp", "temp", "coverage", "node_modules", "__pycache__",
			".cache", ".pytest_cache", ".mypy_cache", ".next", "htmlcov":
			return true
		}
	}
	return false
}

// linesNotIn returns the lines of a text that its base lacks, without blank lines and those without
// letters or digits.
func linesNotIn(text, base []byte) []string {
	had := distinctLines(base)
	var own []string
	for line := range distinctLines(text) {
		if !had[line] {
			own = append(own, line)
		}
	}
	return own
}

// distinctLines returns the set of meaningful lines of a text, trimmed, because moved lines are
// often indented differently.
func distinctLines(text []byte) map[string]bool {
	lines := map[string]bool{}
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if bytes.ContainsFunc(line, func(r rune) bool { return r > ' ' && !strings.ContainsRune("{}()[];,", r) }) {
			lines[string(line)] = true
		}
	}
	return lines
}

// areLinesMoved reports whether at least half of the lines are in the current versions of changed
// files.
func (h *lostWorkSearch) areLinesMoved(own []string) (bool, error) {
	if h.lines == nil {
		h.lines = map[string]bool{}
		n := 0
		for _, c := range h.changed {
			if c.NewMode != 0o100644 && c.NewMode != 0o100755 || n == maxOthers {
				continue
			}
			n++
			text, err := h.readBlob(c.NewOID)
			if err != nil {
				return false, err
			}
			if len(text) > maxLines || bytes.IndexByte(text, 0) >= 0 {
				continue
			}
			for line := range distinctLines(text) {
				h.lines[line] = true
			}
		}
	}
	return hasHalf(own, h.lines), nil
}

func hasHalf(own []string, in map[string]bool) bool {
	n := 0
	for _, line := range own {
		if in[line] {
			n++
		}
	}
	return 2*n >= len(own)
}

// findLostStaged finds content that was only in the index and is now missing.
func (h *lostWorkSearch) findLostStaged(ctx context.Context, skip map[string]bool) ([]Loss, error) {
	byAttempt := slices.ContainsFunc(h.reader.spans, func(s span) bool { return s.from.meta["index"] != s.to.meta["index"] })
	if h.from.meta["index"] == h.reader.after.meta["index"] || !byAttempt {
		return nil, nil
	}
	only, err := h.reader.rd.Folder(h.from.info.Commit + ":staged")
	if err != nil || len(only) == 0 {
		return nil, nil // there was none
	}
	if err := h.reader.readIndex(h.from); err != nil {
		return nil, err
	}
	held := map[string]bool{}
	for _, e := range only {
		held[e.OID] = true
	}
	var lost []Loss
	for _, e := range h.from.index {
		oid := hexOf(e.OID)
		d := h.dirty[e.Path]
		if e.Stage != 0 || !held[oid] || d.NewOID == oid || skip[e.Path] || isBelayPath(e.Path) {
			continue // it is or was in the file itself
		}
		if mine, err := h.wasUnstaged(e); err != nil {
			return nil, err
		} else if !mine {
			continue
		}
		gone, err := h.isBlobMissing(ctx, oid)
		if err != nil {
			return nil, err
		}
		if !gone {
			continue
		}
		list, err := h.linesOnlyStaged(e, d)
		if err != nil {
			return nil, err
		}
		if len(list) == 0 {
			continue // the staged content is part of the file's
		}
		if moved, err := h.areLinesMoved(list); err != nil {
			return nil, err
		} else if moved {
			continue
		}
		skip[e.Path] = true
		lost = append(lost, Loss{Path: e.Path, Kind: LostStaged,
			Unsure: h.reader.after.state == indexForeign || h.wasRestaged(e.Path) || syntax.IsGenerated(e.Path) || isThrowaway(e.Path)})
	}
	return lost, nil
}

// linesOnlyStaged returns the lines of a staged entry that neither the file nor its committed
// content has; d is the file's difference.
func (h *lostWorkSearch) linesOnlyStaged(e git.IndexEntry, d git.Difference) ([]string, error) {
	text, err := h.readBlob(hexOf(e.OID))
	if err != nil {
		return nil, err
	}
	own := distinctLines(text)
	others := []string{d.OldOID, d.NewOID}
	if d.NewOID == "" && !strings.Contains(e.Path, "\n") { // the file is unchanged from HEAD
		others = []string{h.from.refs.Head.OID + ":" + e.Path}
	}
	for _, other := range others {
		if strings.Trim(other, "0") == "" {
			continue
		}
		o, err := h.readBlob(other)
		if err != nil && !errors.Is(err, git.ErrNoObject) {
			return nil, err
		}
		for line := range distinctLines(o) {
			delete(own, line)
		}
	}
	return slices.Collect(maps.Keys(own)), nil
}

// wasUnstaged reports whether an attempt removed an entry from the index, or changed its content.
// If an index cannot be read, it returns true.
func (h *lostWorkSearch) wasUnstaged(e git.IndexEntry) (bool, error) {
	is := func(o git.IndexEntry) bool { return o.Path == e.Path && o.Stage == e.Stage && o.OID == e.OID }
	for _, s := range h.reader.spans {
		if s.from.meta["index"] == s.to.meta["index"] {
			continue
		}
		if err := errors.Join(h.reader.readIndex(s.from), h.reader.readIndex(s.to)); err != nil {
			return false, err
		}
		if (s.from.state != indexRead || slices.ContainsFunc(s.from.index, is)) && !slices.ContainsFunc(s.to.index, is) {
			return true, nil
		}
	}
	return false, nil
}

// wasRestaged reports whether the index now has the file's content: a git add replaced earlier
// staged edits by later ones.
func (h *lostWorkSearch) wasRestaged(p string) bool {
	now := h.dirty[p].NewOID
	if c, changed := h.changed[p]; changed {
		now = c.NewOID
	}
	return slices.ContainsFunc(h.reader.after.index, func(e git.IndexEntry) bool { return e.Path == p && hexOf(e.OID) == now })
}

// findLostStashes finds dropped stash entries with content that is in no file, commit or other
// entry.
func (r *factReader) findLostStashes(ctx context.Context, f *GitFacts) error {
	if len(r.dropped) == 0 {
		return nil
	}
	h := &lostWorkSearch{reader: r, from: r.before}
	var err error
	if h.changed, err = r.diffTrees(ctx, r.before.info.Tree, r.after.info.Tree); err != nil {
		return err
	}
	for _, e := range r.dropped {
		lost, err := h.isStashLost(ctx, e.oid)
		if err != nil {
			return err
		}
		if lost {
			f.LostWork = append(f.LostWork, Loss{Path: belay.VisibleLine(e.message), Kind: LostStash})
		}
	}
	return nil
}

// isStashLost reports whether an entry contains a file of which the content, and most of its own
// lines, are missing.
func (h *lostWorkSearch) isStashLost(ctx context.Context, oid string) (bool, error) {
	held, err := h.reader.diffTrees(ctx, oid+"^1^{tree}", oid+"^{tree}")
	if err != nil {
		return true, nil // its content can no longer be read
	}
	if untracked, err := h.reader.rd.Walk(oid + "^3^{tree}"); err == nil {
		for _, e := range untracked {
			held[e.Path] = git.Difference{Path: e.Path, NewMode: e.Mode, NewOID: e.OID}
		}
	}
	for _, d := range held {
		if d.NewMode != 0o100644 && d.NewMode != 0o100755 {
			continue
		}
		gone, err := h.isBlobMissing(ctx, d.NewOID)
		if err != nil {
			return false, err
		}
		if !gone {
			continue
		}
		mine, err := h.readBlob(d.NewOID)
		if err != nil {
			return false, err
		}
		var base []byte
		if d.OldMode != 0 {
			if base, err = h.readBlob(d.OldOID); err != nil {
				return false, err
			}
		}
		own := linesNotIn(mine, base)
		if moved, err := h.areLinesMoved(own); !moved || len(own) == 0 || err != nil {
			return true, err
		}
	}
	return false, nil
}
