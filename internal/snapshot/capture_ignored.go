package snapshot

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/scan"
)

// No commit contains the files that git ignores, so nobody notices when one is overwritten. Those
// that a person wrote are captured like any other file: a change to one is checked and can be
// restored. Of the rest, except build output, a fingerprint is recorded, so that a change can at
// least be reported. Extent.Ignored captures:
//
//   - settings and secrets, by name (belay.Rule);
//   - a text file that existed in the baseline, does not say that it is generated, and is ignored by
//     a rule for this file or kind, not for a folder above it. Tools write most of these (of 970
//     patterns in the public templates for .gitignore, the name shows it for half), so a change is
//     restored and only a warning;
//   - a text file that a personal rule ignores, in .git/info/exclude or the global excludes file:
//     such rules are for personal files. A new file counts only for info/exclude: all kinds of tools
//     write files that global excludes ignore.
//
// Not inspected: files that tools rewrite, by name; folders that begin with a dot; repositories in
// ignored folders.

// Limits of one inspection of ignored files. Beyond them nothing is captured, and only the folder
// is recorded.
const (
	maxIgnoredFiles  = 5000     // ignored files in all
	maxFolderFiles   = 1000     // files in one ignored folder
	maxHashedSize    = 64 << 10 // bytes of a file that is hashed; a larger one counts as changed when its times change
	maxAuthoredSize  = 1 << 20  // bytes of one captured file, unless its name says what it is
	maxAuthoredFiles = 256      // captured files
	maxAuthoredBytes = 8 << 20  // bytes of all captured files
)

// ignoredFile is an ignored file that was inspected.
type ignoredFile struct {
	path           string
	hasOwnRule     bool // a rule names the file, not a folder above it
	size           int64
	stat           string // the part of the fingerprint that stat gives
	hash           string
	isAuthoredText bool // readable text that does not say it is generated
	isLink         bool
}

func (f *ignoredFile) fingerprint() string { return f.stat + " " + f.hash }

// InspectIgnored records fingerprints of ignored files, and adds those that are to be captured to
// c.Options. more reports whether it added any: then the tree has to be scanned again.
func (s *Worktree) InspectIgnored(ctx context.Context, c *Capture) (more bool, err error) {
	e := &c.Options.Extent
	c.ignoredFiles = nil
	if !e.Ignored {
		return false, nil
	}
	l := ignoredInspection{worktree: s, selector: e.Selector(), baseline: e.Baseline.uncapturedByPath()}
	list := c.ignoredPaths()
	for _, p := range list {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if folder, is := strings.CutSuffix(p, "/"); is {
			l.addFolder(folder)
		} else if !isToolFolder(path.Dir(p)) {
			l.addFile(p, true)
		}
	}
	theirs, err := l.ruleSources(ctx, c.Rules)
	if err != nil {
		return false, err
	}
	// First the files that a person certainly wrote: the number is limited.
	files, size := len(e.Authored)+len(e.MaybeAuthored), int64(0)
	hold := func(list *[]string, kind string) {
		l.files = slices.DeleteFunc(l.files, func(f *ignoredFile) bool {
			if l.classify(f, theirs[f.path], e.Baseline != nil) != kind || l.wasKnown(f.path) || f.size > maxAuthoredSize ||
				files == maxAuthoredFiles || size+f.size > maxAuthoredBytes {
				return false
			}
			*list, more = append(*list, f.path), true
			files, size = files+1, size+f.size
			return true
		})
	}
	hold(&e.Authored, UncapturedAuthored)
	hold(&e.MaybeAuthored, maybeAuthored)
	for _, f := range l.files {
		kind := l.classify(f, theirs[f.path], e.Baseline != nil)
		if kind == maybeAuthored {
			kind = UncapturedIgnored
		}
		c.ignoredFiles = append(c.ignoredFiles, Uncaptured{Kind: kind, Path: f.path, Fingerprint: f.fingerprint()})
	}
	for _, folder := range slices.Compact(slices.Sorted(slices.Values(l.tooMany))) {
		c.ignoredFiles = append(c.ignoredFiles, Uncaptured{Kind: UncapturedMany, Path: folder})
	}
	return more, nil
}

func (c *Capture) ignoredPaths() []string {
	if c.Answer != nil {
		return c.Answer.Manifest.Ignored
	}
	return c.Scan.Ignored
}

// uncapturedByPath returns what the baseline recorded about ignored files, by path; nil when it
// recorded nothing.
func (n *Baseline) uncapturedByPath() map[string]Uncaptured {
	if n == nil {
		return nil
	}
	if e, _ := ExtentOf(n.manifest); !e.Ignored {
		return nil
	}
	known := map[string]Uncaptured{}
	for _, l := range n.manifest.Uncaptured {
		if l.Kind == UncapturedAuthored || l.Kind == UncapturedIgnored {
			known[l.Path] = l
		}
	}
	return known
}

// ignoredInspection is one inspection of ignored files.
type ignoredInspection struct {
	worktree *Worktree
	selector scan.Selector
	baseline map[string]Uncaptured // what the baseline recorded
	files    []*ignoredFile
	tooMany  []string // folders with too many files, with a slash, and files beyond the limit
}

// isToolFolder reports whether an ignored folder is one that programs fill.
func isToolFolder(folder string) bool {
	for part := range strings.SplitSeq(folder, "/") {
		if len(part) > 1 && part[0] == '.' {
			return true
		}
	}
	return folder != "." && belay.Rewritten(folder+"/x")
}

// addFolder adds the files of an ignored folder.
func (l *ignoredInspection) addFolder(folder string) {
	if isToolFolder(folder) {
		return
	}
	from := len(l.files)
	if seen := 0; !l.walkFolder(folder, &seen) {
		l.files, l.tooMany = l.files[:from], append(l.tooMany, folder+"/")
	}
}

// walkFolder adds the files below a folder; false means that there are too many.
func (l *ignoredInspection) walkFolder(folder string, seen *int) bool {
	entries, err := l.listFolder(folder, maxFolderFiles-*seen)
	if err != nil {
		return true // missing, or cannot be read
	}
	if *seen += len(entries); *seen > maxFolderFiles {
		return false
	}
	if slices.ContainsFunc(entries, func(d fs.DirEntry) bool { return d.Name() == ".git" }) {
		return true // a repository
	}
	for _, d := range entries {
		p := folder + "/" + d.Name()
		if !d.IsDir() {
			l.addFile(p, false)
		} else if !isToolFolder(p) && !l.walkFolder(p, seen) {
			return false
		}
	}
	return len(l.files) <= maxIgnoredFiles
}

// listFolder returns the names in a folder, sorted, and at most one more than most.
func (l *ignoredInspection) listFolder(folder string, most int) ([]fs.DirEntry, error) {
	dir, err := fsroot.OpenDir(l.absPath(folder))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(most + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

func (l *ignoredInspection) absPath(p string) string {
	return filepath.Join(l.worktree.Repo.Root, filepath.FromSlash(p))
}

// addFile inspects one file. Anything but a file or link, and what cannot be read, is left out.
func (l *ignoredInspection) addFile(p string, single bool) {
	if belay.Rewritten(p) || belay.Own(p) || l.selector != nil && l.selector.Covers(p, false) {
		return
	}
	if _, known := l.baseline[p]; len(l.files) > maxIgnoredFiles && !known { // what is known is compared
		folder, _ := path.Split(p)
		if single {
			l.tooMany = append(l.tooMany, cmp.Or(folder, p))
		}
		return
	}
	info, err := fsroot.Lstat(l.absPath(p))
	if err != nil {
		return
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	f := &ignoredFile{path: p, hasOwnRule: single, size: info.Size(), hash: "-", isLink: info.Mode()&fs.ModeSymlink != 0}
	if !ok || !f.isLink && !info.Mode().IsRegular() {
		return
	}
	f.stat = fmt.Sprintf("%o %d %d %d", st.Mode, info.Size(), info.ModTime().UnixNano(), fsroot.ChangeTime(st))
	if was, known := l.baseline[p]; known {
		if stat, hash, _ := splitFingerprint(was.Fingerprint); stat == f.stat {
			f.hash = hash
			l.files = append(l.files, f)
			return
		}
	}
	l.readFile(f)
	l.files = append(l.files, f)
}

// splitFingerprint splits a fingerprint into the part from stat and the hash of the content, "-"
// for none.
func splitFingerprint(print string) (stat, hash string, ok bool) {
	i := strings.LastIndexByte(print, ' ')
	if i < 0 {
		return "", "", false
	}
	return print[:i], print[i+1:], true
}

// ParseFingerprint splits the fingerprint of an ignored file. hash is "-" where only size and
// times show a change.
func ParseFingerprint(print string) (mode, size, modified, hash string, ok bool) {
	f := strings.Fields(print)
	if len(f) != 5 {
		return "", "", "", "", false
	}
	return f[0], f[1], f[2], f[4], true
}

// readFile hashes a small file and decides whether it is text that a person wrote.
func (l *ignoredInspection) readFile(f *ignoredFile) {
	if f.isLink {
		if target, err := fsroot.Readlink(l.absPath(f.path)); err == nil {
			f.hash = shortHash(sha256.Sum256([]byte(target)))
		}
		return
	}
	file, err := fsroot.Open(l.absPath(f.path))
	if err != nil {
		return
	}
	defer file.Close()
	most := int64(maxHashedSize)
	if f.size > most {
		most = 8 << 10 // enough to classify it
	}
	data, err := io.ReadAll(io.LimitReader(file, most))
	if err != nil {
		return
	}
	if f.size <= maxHashedSize {
		f.hash = shortHash(sha256.Sum256(data))
	}
	f.isAuthoredText = !bytes.ContainsRune(data[:min(len(data), 8<<10)], 0) && !isGenerated(data)
}

func shortHash(sum [sha256.Size]byte) string { return fmt.Sprintf("%x", sum[:12]) }

// isGenerated reports whether a text says at its beginning that a program wrote it.
func isGenerated(data []byte) bool {
	head := strings.ToLower(string(data[:min(len(data), 1<<10)]))
	return slices.ContainsFunc([]string{"do not edit", "don't edit", "do not modify", "generated by", "generated from",
		"autogenerated", "auto-generated",
		"automatically generated", "@generated", "created by"}, func(s string) bool { return strings.Contains(head, s) })
}

// wasKnown reports whether the baseline recorded a file that is not captured.
func (l *ignoredInspection) wasKnown(p string) bool {
	_, known := l.baseline[p]
	return known
}

// maybeAuthored is the kind of a file that a person may have written.
const maybeAuthored = "kept"

// Where the ignore rule of a file comes from.
const (
	sharedRule  = iota // a .gitignore of the repository
	globalRule         // the user's global excludes file
	excludeRule        // .git/info/exclude
)

// classify decides what kind a file is, given the source of its ignore rule. A file that the
// baseline recorded keeps its kind: editing a file does not change who wrote it.
func (l *ignoredInspection) classify(f *ignoredFile, rule int, since bool) string {
	if was, known := l.baseline[f.path]; known {
		return was.Kind
	}
	switch {
	case f.isAuthoredText && (rule == excludeRule || !since && rule == globalRule):
		return UncapturedAuthored
	case f.isAuthoredText && f.hasOwnRule && !since:
		return maybeAuthored
	}
	return UncapturedIgnored
}

// ruleSources asks git which rules ignore the unknown text files. Without personal ignore rules git
// is not asked.
func (l *ignoredInspection) ruleSources(ctx context.Context, rules outerRules) (map[string]int, error) {
	if !rules.hasPatterns() {
		return nil, nil
	}
	var ask []string
	for _, f := range l.files {
		if f.isAuthoredText && !l.wasKnown(f.path) {
			ask = append(ask, f.path)
		}
	}
	if len(ask) == 0 {
		return nil, nil
	}
	git := l.worktree.Repo.Ignorer(ctx)
	defer git.Close()
	answers, err := git.Sources(ctx, ask)
	if err != nil {
		return nil, err
	}
	exclude := filepath.Join(l.worktree.Repo.Common, "info", "exclude")
	out := map[string]int{}
	for i, from := range answers {
		switch {
		case from == "":
		case from == exclude || l.absPath(from) == exclude:
			out[ask[i]] = excludeRule
		case filepath.IsAbs(from):
			out[ask[i]] = globalRule
		}
	}
	return out, nil
}

// hasPatterns reports whether the rules outside the tree contain a pattern.
func (r outerRules) hasPatterns() bool {
	for _, f := range r.files {
		for line := range strings.Lines(string(f.Data)) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				return true
			}
		}
	}
	return false
}

// exactPaths selects single paths, and enters the folders above them.
type exactPaths map[string]bool

func newExactPaths(paths []string) exactPaths {
	all := exactPaths{}
	for _, p := range paths {
		all[p] = true
		for i := range p {
			if p[i] == '/' {
				all[p[:i+1]] = true
			}
		}
	}
	return all
}

// Covers implements scan.Selector.
func (x exactPaths) Covers(p string, folder bool) bool { return !folder && x[p] }

// Reaches implements scan.Selector.
func (x exactPaths) Reaches(folder string) bool { return x[folder+"/"] }

// WasAbsent reports whether an ignored file certainly did not exist when a manifest was made that
// inspected ignored files: it would have been captured or recorded.
func WasAbsent(m *Manifest, p string) bool {
	if e, _ := ExtentOf(m); !e.Ignored || belay.Rewritten(p) || isToolFolder(path.Dir(p)) {
		return false
	}
	if _, single := slices.BinarySearch(m.Ignored, p); single {
		return false
	}
	return !slices.ContainsFunc(m.Uncaptured, func(l Uncaptured) bool {
		return l.Path == p || l.Kind == UncapturedMany && strings.HasPrefix(p, l.Path)
	})
}

// KnownSince selects the ignored paths whose state is known both now and in the manifest then:
// captured now, and captured then or certainly absent. A restore to then may change them.
func (c *Capture) KnownSince(then *Manifest) scan.Selector {
	e := c.Options.Extent
	was, _ := ExtentOf(then)
	known := func(p string) bool {
		return slices.Contains(was.Authored, p) || slices.Contains(was.MaybeAuthored, p) || WasAbsent(then, p)
	}
	e.Authored = slices.DeleteFunc(slices.Clone(e.Authored), func(p string) bool { return !known(p) })
	e.MaybeAuthored = slices.DeleteFunc(slices.Clone(e.MaybeAuthored), func(p string) bool { return !known(p) })
	return e.Selector()
}
