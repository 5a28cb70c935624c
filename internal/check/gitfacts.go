package check

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/git"

	"github.com/belay-dev/belay/internal/snapshot"
)

// Facts come from snapshots and the repository's objects, never from the working tree.

// Span is a time in which an attempt worked, between two snapshots.
type Span struct{ From, To belay.SnapshotID }

// ReadGitFacts returns the differences between two snapshots that arose in one of the spans.
// Without spans it is unknown who made them, and all count.
func ReadGitFacts(ctx context.Context, snaps *snapshot.Store, before, after belay.SnapshotID, spans []Span) (GitFacts, error) {
	f := GitFacts{Root: snaps.Repo.Root, Dir: snaps.Repo.Common, ByAttempt: len(spans) > 0, Snapshot: string(before.Short())}
	defer snaps.Repo.ShareReader()()
	rd, err := snaps.Repo.Reader(ctx)
	if err != nil {
		return f, err
	}
	defer rd.Close()
	r := &factReader{snaps: snaps, rd: rd, sides: map[belay.SnapshotID]*side{}}
	if r.before, err = r.side(ctx, before); err != nil {
		return f, err
	}
	if r.after, err = r.side(ctx, after); err != nil {
		return f, err
	}
	if len(spans) == 0 {
		spans = []Span{{before, after}}
	}
	for _, s := range spans {
		from, err := r.side(ctx, s.From)
		if err != nil {
			return f, err
		}
		to, err := r.side(ctx, s.To)
		if err != nil {
			return f, err
		}
		r.spans = append(r.spans, span{from, to})
	}
	for _, read := range []func(context.Context, *GitFacts) error{r.readFiles, r.readRefs, r.readStash, r.compareIndexes, r.findLostWork} {
		if err := read(ctx, &f); err != nil {
			return f, err
		}
	}
	return f, nil
}

type factReader struct {
	snaps         *snapshot.Store
	rd            *git.Reader
	sides         map[belay.SnapshotID]*side
	before, after *side
	spans         []span
	dropped       []reflogEntry // entries of the stash dropped in a span
}

type span struct{ from, to *side }

// side is one snapshot, read as needed.
type side struct {
	info     snapshot.Info
	manifest *snapshot.Manifest
	refs     snapshot.RefState
	meta     map[string]string // content of meta/, by name
	index    []git.IndexEntry
	state    indexState
}

type indexState int

const (
	indexUnread indexState = iota
	indexRead
	indexForeign // in a format that only git reads
	indexDamaged
)

func (r *factReader) side(ctx context.Context, id belay.SnapshotID) (*side, error) {
	if s := r.sides[id]; s != nil {
		return s, nil
	}
	info, err := r.snaps.LookUp(ctx, id)
	if err != nil {
		return nil, err
	}
	s := &side{info: info, meta: map[string]string{}}
	if s.manifest, err = r.snaps.Manifest(ctx, info); err != nil {
		return nil, err
	}
	if s.refs, err = r.snaps.ReadRefs(ctx, info); err != nil {
		return nil, err
	}
	list, err := r.rd.Folder(info.Commit + ":meta")
	if err != nil {
		return nil, fmt.Errorf("read snapshot %s: %w", id, err)
	}
	for _, e := range list {
		s.meta[e.Path] = e.OID
	}
	r.sides[id] = s
	return s, nil
}

// groups are the folders of meta/ with git's own files.
var groups = []string{"admin", "own", "links"}

// changedGitFiles returns git's own files that differ between two sides, with the object of each; a
// link's name begins with "links/".
func (r *factReader) changedGitFiles(a, b *side) (map[string][2]string, error) {
	all := map[string][2]string{}
	for _, group := range groups {
		if a.meta[group] == b.meta[group] {
			continue
		}
		for i, tree := range []string{a.meta[group], b.meta[group]} {
			if tree == "" {
				continue
			}
			list, err := r.rd.Walk(tree)
			if err != nil {
				return nil, err
			}
			for _, e := range list {
				both := all[group+"/"+e.Path]
				both[i] = e.OID
				all[group+"/"+e.Path] = both
			}
		}
	}
	maps.DeleteFunc(all, func(_ string, both [2]string) bool { return both[0] == both[1] })
	// the mode alone decides whether a hook runs
	modes := map[string]bool{}
	for _, m := range onlyIn(a.manifest.AdminModes, b.manifest.AdminModes) {
		modes[m] = true
	}
	for _, m := range onlyIn(b.manifest.AdminModes, a.manifest.AdminModes) {
		modes[m] = true
	}
	for path := range modes {
		group, name, _ := strings.Cut(path, "/")
		if _, known := all[path]; known || !slices.Contains(groups, group) {
			continue
		}
		list, err := r.rd.Walk(b.meta[group])
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			if e.Path == name {
				all[path] = [2]string{e.OID, e.OID}
			}
		}
	}
	return all, nil
}

// onlyIn returns the paths with modes that are only in the first list.
func onlyIn(a, b []snapshot.Mode) (paths []string) {
	had := map[snapshot.Mode]bool{}
	for _, m := range b {
		had[m] = true
	}
	for _, m := range a {
		if !had[m] {
			paths = append(paths, m.Path)
		}
	}
	return paths
}

// nameBelowGit returns the name of a file relative to the git folder.
func nameBelowGit(path string) string {
	path = strings.TrimPrefix(path, "links/")
	_, name, _ := strings.Cut(path, "/")
	return name
}

func (r *factReader) readFiles(ctx context.Context, f *GitFacts) error {
	f.OperationBefore, f.OperationAfter = r.before.info.Operation, r.after.info.Operation
	if !slices.ContainsFunc(r.spans, func(s span) bool { return s.from.info.Operation != s.to.info.Operation }) {
		f.OperationAfter = f.OperationBefore
	}
	if oid, err := r.rd.Read(r.before.info.Commit + ":meta/admin/config"); err == nil {
		f.ConfigBefore = oid.Data
	} else if !errors.Is(err, git.ErrNoObject) {
		return err
	}
	net, err := r.changedGitFiles(r.before, r.after)
	if err != nil || len(net) == 0 {
		return err
	}
	touched, keys, err := r.changedInSpans(ctx, net)
	if err != nil {
		return err
	}
	if keys != nil {
		f.KeyChanged = func(file, key string) bool { return keys[file][key] }
	}
	changes := map[string]*FileChange{}
	for path, oids := range net {
		name := nameBelowGit(path)
		if !touched[name] {
			continue
		}
		c := changes[name]
		if c == nil {
			c = &FileChange{Name: name}
			changes[name] = c
		}
		for i, to := range []**GitFile{&c.Before, &c.After} {
			if oids[i] == "" {
				continue
			}
			if *to, err = r.readFile(path, oids[i], []*side{r.before, r.after}[i]); err != nil {
				return err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		f.Files = append(f.Files, *changes[name])
	}
	return nil
}

func (r *factReader) readFile(path, oid string, s *side) (*GitFile, error) {
	o, err := r.rd.Read(oid)
	if err != nil {
		return nil, err
	}
	f := &GitFile{Data: o.Data, Link: strings.HasPrefix(path, "links/"), Perm: 0o644}
	for _, m := range s.manifest.AdminModes {
		if m.Path == path {
			f.Perm = m.Perm
		}
	}
	return f, nil
}

// changedInSpans returns the files that changed in a span; and, if that may be less than the total
// difference, the changed keys of each config.
func (r *factReader) changedInSpans(ctx context.Context, net map[string][2]string) (map[string]bool, map[string]map[string]bool, error) {
	names := map[string]bool{}
	if len(r.spans) == 1 && r.spans[0].from == r.before && r.spans[0].to == r.after {
		for path := range net {
			names[nameBelowGit(path)] = true
		}
		return names, nil, nil
	}
	keys := map[string]map[string]bool{}
	for _, s := range r.spans {
		list, err := r.changedGitFiles(s.from, s.to)
		if err != nil {
			return nil, nil, err
		}
		for path, oids := range list {
			name := nameBelowGit(path)
			names[name] = true
			if !strings.HasSuffix(name, "config") && name != "config.worktree" {
				continue
			}
			if err := r.addChangedKeys(oids, name, keys); err != nil {
				return nil, nil, err
			}
		}
	}
	return names, keys, nil
}

// addChangedKeys adds the keys with different values in two versions of a config. If one cannot be
// parsed, all keys count as changed.
func (r *factReader) addChangedKeys(oids [2]string, name string, into map[string]map[string]bool) error {
	var values [2]map[string][]string
	for i, oid := range oids {
		if oid == "" {
			continue
		}
		o, err := r.rd.Read(oid)
		if err != nil {
			return err
		}
		if list, err := git.ParseConfig(o.Data); err == nil {
			values[i] = git.ConfigValues(list)
		}
	}
	if into[name] == nil {
		into[name] = map[string]bool{}
	}
	for i := range values {
		for key, list := range values[i] {
			if !slices.Equal(list, values[1-i][key]) {
				into[name][key] = true
			}
		}
	}
	return nil
}

// mostCountedRefs is the number of refs of which the commits are counted.
const mostCountedRefs = 20

func (r *factReader) readRefs(ctx context.Context, f *GitFacts) error {
	f.HeadFrom, f.HeadTo = sideHead(r.before), sideHead(r.before)
	moved := map[string]bool{}
	for _, s := range r.spans {
		if sideHead(s.from) != sideHead(s.to) {
			f.HeadTo = sideHead(r.after)
		}
		for name := range refChanges(s.from, s.to) {
			moved[name] = true
		}
	}
	counted := 0
	net := refChanges(r.before, r.after)
	for _, name := range slices.Sorted(maps.Keys(net)) {
		if !moved[name] || r.mayBeChangedElsewhere(name, net[name]) {
			continue
		}
		c := RefChange{Name: name, From: net[name][0], To: net[name][1], CommitsRemoved: -1, CommitsAdded: -1}
		if git.IsOID(c.From) && git.IsOID(c.To) && counted < mostCountedRefs && name != "refs/stash" {
			counted++
			c.CommitsRemoved, c.CommitsAdded = r.countCommits(ctx, c.From, c.To)
		} else if base := r.before.refs.Head.OID; c.From == "" && base != "" &&
			strings.HasPrefix(name, "refs/heads/") && counted < mostCountedRefs {
			counted++
			_, c.CommitsAdded = r.countCommits(ctx, base, c.To)
		}
		f.Refs = append(f.Refs, c)
	}
	return r.readWorktrees(f)
}

// mayBeChangedElsewhere reports whether a process in another worktree may have changed a ref:
// worktrees share all refs except HEAD. A deleted ref is reported anyway.
func (r *factReader) mayBeChangedElsewhere(name string, was [2]string) bool {
	return r.snaps.Repo.Linked() && was[1] != "" && name != r.before.refs.Head.Branch && name != r.after.refs.Head.Branch
}

func sideHead(s *side) Head {
	h := Head{OID: s.refs.Head.OID, Branch: s.refs.Head.Branch}
	if h.Branch != "" {
		h.OID = "" // the branch is compared separately
	}
	return h
}

func refChanges(a, b *side) map[string][2]string {
	all := map[string][2]string{}
	for name, to := range b.refs.Refs {
		if from := a.refs.Refs[name]; from != to {
			all[name] = [2]string{from, to}
		}
	}
	for name, from := range a.refs.Refs {
		if _, still := b.refs.Refs[name]; !still {
			all[name] = [2]string{from, ""}
		}
	}
	return all
}

// countCommits counts the commits that only one of two commits has; -1 if git cannot tell.
func (r *factReader) countCommits(ctx context.Context, from, to string) (gone, came int) {
	out, err := r.snaps.Repo.Run(ctx, nil, "rev-list", "--left-right", "--count", from+"..."+to, "--")
	parts := strings.Fields(string(out))
	if err != nil || len(parts) != 2 {
		return -1, -1
	}
	gone, err1 := strconv.Atoi(parts[0])
	came, err2 := strconv.Atoi(parts[1])
	if err1 != nil || err2 != nil {
		return -1, -1
	}
	return gone, came
}

func (r *factReader) readWorktrees(f *GitFacts) error {
	if r.before.meta["worktrees"] == r.after.meta["worktrees"] {
		return nil
	}
	then, err := r.listWorktrees(r.before)
	if err != nil {
		return err
	}
	now, err := r.listWorktrees(r.after)
	if err != nil {
		return err
	}
	added, err := r.worktreesAdded()
	for name, folder := range now {
		if _, had := then[name]; !had && added[name] && !isTaskWorktree(folder) {
			f.Worktrees = append(f.Worktrees, folder)
		}
	}
	slices.Sort(f.Worktrees)
	return err
}

// isTaskWorktree reports whether belay made a worktree for a task, by its place.
func isTaskWorktree(folder string) bool {
	return strings.Contains(folder, "/belay/trees/") || strings.HasSuffix(path.Dir(folder), ".belay")
}

// worktreesAdded returns the names of the worktrees that were added in a span.
func (r *factReader) worktreesAdded() (map[string]bool, error) {
	added := map[string]bool{}
	for _, s := range r.spans {
		if s.from.meta["worktrees"] == s.to.meta["worktrees"] {
			continue
		}
		from, err := r.listWorktrees(s.from)
		if err != nil {
			return nil, err
		}
		to, err := r.listWorktrees(s.to)
		if err != nil {
			return nil, err
		}
		for name := range to {
			if _, had := from[name]; !had {
				added[name] = true
			}
		}
	}
	return added, nil
}

func (r *factReader) listWorktrees(s *side) (map[string]string, error) {
	all := map[string]string{}
	if s.meta["worktrees"] == "" {
		return all, nil
	}
	o, err := r.rd.Read(s.meta["worktrees"])
	for line := range strings.Lines(string(o.Data)) {
		name, folder, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		all[name] = folder
	}
	return all, err
}

// reflogEntry is one line of a reflog.
type reflogEntry struct{ oid, message string }

// readReflog returns the entries of a reflog in a snapshot, oldest first.
func (r *factReader) readReflog(s *side, ref string) ([]reflogEntry, error) {
	if s.meta["logs"] == "" {
		return nil, nil
	}
	pieces, err := r.rd.Folder(s.meta["logs"] + ":" + ref)
	if errors.Is(err, git.ErrNoObject) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	for _, p := range pieces {
		o, err := r.rd.Read(p.OID)
		if err != nil {
			return nil, err
		}
		text.Write(o.Data)
	}
	var all []reflogEntry
	for line := range strings.Lines(text.String()) {
		who, message, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if fields := strings.Fields(who); len(fields) > 2 {
			all = append(all, reflogEntry{fields[1], message})
		}
	}
	return all, nil
}

func (r *factReader) readStash(ctx context.Context, f *GitFacts) error {
	if r.before.meta["logs"] == r.after.meta["logs"] && r.before.refs.Refs["refs/stash"] == r.after.refs.Refs["refs/stash"] {
		return nil
	}
	if !r.snaps.Repo.Linked() { // all worktrees share one stash
		then, err := r.readReflog(r.before, "refs/stash")
		if err != nil {
			return err
		}
		now, err := r.readReflog(r.after, "refs/stash")
		if err != nil {
			return err
		}
		pushed, dropped, err := r.reflogChanges("refs/stash")
		if err != nil {
			return err
		}
		for _, e := range missingEntries(now, then) {
			if pushed[e.oid] {
				f.StashPushed = append(f.StashPushed, belay.VisibleLine(e.message))
			}
		}
		for _, e := range missingEntries(then, now) {
			if dropped[e.oid] {
				r.dropped = append(r.dropped, e)
				f.StashDropped = append(f.StashDropped, belay.VisibleLine(e.message))
			}
		}
	}
	if r.before.meta["logs"] == r.after.meta["logs"] {
		return nil
	}
	then, err := r.readReflog(r.before, "HEAD")
	if err != nil || len(then) == 0 {
		return err
	}
	now, err := r.readReflog(r.after, "HEAD")
	if err != nil {
		return err
	}
	last := then[len(then)-1]
	for _, s := range r.spans {
		if slices.Contains(now, last) || s.from.meta["logs"] == s.to.meta["logs"] {
			continue
		}
		from, err1 := r.readReflog(s.from, "HEAD")
		to, err2 := r.readReflog(s.to, "HEAD")
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		f.ReflogTruncated = f.ReflogTruncated || slices.Contains(from, last) && !slices.Contains(to, last)
	}
	return nil
}

// reflogChanges returns the objects of the lines that were added to a reflog in a span, and of
// those that were removed.
func (r *factReader) reflogChanges(ref string) (came, went map[string]bool, err error) {
	came, went = map[string]bool{}, map[string]bool{}
	for _, s := range r.spans {
		if s.from.meta["logs"] == s.to.meta["logs"] {
			continue
		}
		from, err := r.readReflog(s.from, ref)
		if err != nil {
			return nil, nil, err
		}
		to, err := r.readReflog(s.to, ref)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range missingEntries(to, from) {
			came[e.oid] = true
		}
		for _, e := range missingEntries(from, to) {
			went[e.oid] = true
		}
	}
	return came, went, nil
}

// missingEntries returns the entries of a that b lacks.
func missingEntries(a, b []reflogEntry) []reflogEntry {
	return slices.DeleteFunc(slices.Clone(a), func(e reflogEntry) bool {
		return slices.ContainsFunc(b, func(o reflogEntry) bool { return o.oid == e.oid })
	})
}

// readIndex reads the index in a snapshot.
func (r *factReader) readIndex(s *side) error {
	if s.state != indexUnread {
		return nil
	}
	s.state = indexRead
	if s.meta["index"] == "" {
		return nil
	}
	pieces, err := r.rd.Folder(s.meta["index"] + ":main")
	if err != nil {
		return err
	}
	var data []byte
	for _, p := range pieces {
		o, err := r.rd.Read(p.OID)
		if err != nil {
			return err
		}
		data = append(data, o.Data...)
	}
	s.index, err = git.ParseIndex(data, r.snaps.Repo.HashSize())
	switch {
	case errors.Is(err, git.ErrUnsupportedIndex):
		s.state, s.index = indexForeign, nil
	case err != nil:
		s.state, s.index = indexDamaged, nil
	}
	return nil
}

func (r *factReader) compareIndexes(_ context.Context, f *GitFacts) error {
	if r.before.meta["index"] == r.after.meta["index"] {
		return nil
	}
	hidden, touched := map[string]bool{}, false
	for _, s := range r.spans {
		if s.from.meta["index"] == s.to.meta["index"] {
			continue
		}
		touched = true
		if err := errors.Join(r.readIndex(s.from), r.readIndex(s.to)); err != nil {
			return err
		}
		for _, p := range newlyHidden(s.from.index, s.to.index) {
			hidden[p] = true
		}
	}
	if err := errors.Join(r.readIndex(r.before), r.readIndex(r.after)); err != nil || !touched {
		return err
	}
	f.Index.Unreadable = r.after.state == indexDamaged && r.before.state != indexDamaged
	for _, p := range newlyHidden(r.before.index, r.after.index) {
		if hidden[p] {
			f.Index.Hidden = append(f.Index.Hidden, p)
		}
	}
	if r.before.refs.Head.OID == r.after.refs.Head.OID && r.before.state == indexRead && r.after.state == indexRead {
		f.Index.Staged = stagedPaths(r.before.index, r.after.index)
	}
	return nil
}

// newlyHidden returns the paths that are hidden from git status in b and were not in a.
func newlyHidden(a, b []git.IndexEntry) (paths []string) {
	was := map[string]bool{}
	for _, e := range a {
		was[e.Path] = e.AssumeUnchanged || e.SkipWorktree
	}
	for _, e := range b {
		if (e.AssumeUnchanged || e.SkipWorktree) && !was[e.Path] {
			paths = append(paths, e.Path)
		}
	}
	return paths
}

// stagedPaths returns the paths that differ between two indexes.
func stagedPaths(a, b []git.IndexEntry) []string {
	type value struct {
		mode uint32
		oid  string
	}
	type key struct {
		path  string
		stage int
	}
	was, paths := map[key]value{}, map[string]bool{}
	for _, e := range a {
		was[key{e.Path, e.Stage}] = value{e.Mode, e.OID}
	}
	for _, e := range b {
		k := key{e.Path, e.Stage}
		if v, had := was[k]; !had || v != (value{e.Mode, e.OID}) {
			paths[e.Path] = true
		}
		delete(was, k)
	}
	for k := range was {
		paths[k.path] = true
	}
	return slices.Sorted(maps.Keys(paths))
}

func hexOf(raw string) string { return hex.EncodeToString([]byte(raw)) }
