package snapshot

import (
	"bytes"
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

// Files that git ignores are in no commit, so nobody notices when one is overwritten. Those
// that somebody wrote are captured like any other file, so that a change is judged and
// restored; of the rest that is no build output it is noted what they look like, so that a
// change can at least be named. Which is which is decided by Extent.Ignored's rules:
//
//   - settings and secrets, by name (belay.Rule);
//   - a text that a rule for this file or kind ignores, not one for a folder above it, and that
//     was there in the state before, unless it says that it is generated. Most of these are
//     written by tools all the same (of 970 patterns in the public templates for .gitignore, names
//     tell that of a half), so that a change is restored and only warned of;
//   - a text that a rule of the person's own ignores, in .git/info/exclude or the global
//     excludes file: there is no reason for one but a file of somebody's own. One that is new
//     counts only for info/exclude: tools of every kind write what global excludes ignore.
//
// What tools rewrite by name, folders that begin with a dot, and repositories in ignored
// folders are not looked at.

// The bounds of one look. Beyond them nothing is captured, and nothing but the folder is named.
const (
	mostLooked   = 5000     // ignored files in all
	mostInFolder = 1000     // in one folder that is ignored as a whole
	mostHashed   = 64 << 10 // bytes of a file whose content reports whether it changed; otherwise its times do
	mostOwn      = 1 << 20  // bytes of one file that is captured, unless its name says what it is
	mostOwnFiles = 256      // of them
	mostOwnBytes = 8 << 20  // together
)

// ignoredFile is one that is looked at.
type ignoredFile struct {
	path   string
	single bool // a rule names it, not a folder above it
	size   int64
	stat   string // what of its print a stat tells
	hash   string
	text   bool // readable text that does not say it is generated
	link   bool
}

func (f *ignoredFile) print() string { return f.stat + " " + f.hash }

// LookAtIgnored notes what ignored files look like, and adds those to Wanted that are to be
// captured. more reports whether it did: then the tree has to be scanned once more.
func (s *Place) LookAtIgnored(ctx context.Context, c *Capture) (more bool, err error) {
	e := &c.Wanted.Extent
	c.looked = nil
	if !e.Ignored {
		return false, nil
	}
	l := ignoredLook{place: s, sel: e.Selector(), known: e.Since.left()}
	list := c.ignoredPaths()
	for _, p := range list {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if folder, is := strings.CutSuffix(p, "/"); is {
			l.folder(folder)
		} else if !byTools(path.Dir(p)) {
			l.add(p, true)
		}
	}
	theirs, err := l.sources(ctx, c.Rules)
	if err != nil {
		return false, err
	}
	// First those that are somebody's for sure: there is room for so many.
	files, size := len(e.Own)+len(e.Kept), int64(0)
	hold := func(list *[]string, kind string) {
		l.files = slices.DeleteFunc(l.files, func(f *ignoredFile) bool {
			if l.kind(f, theirs[f.path], e.Since != nil) != kind || l.was(f.path) || f.size > mostOwn ||
				files == mostOwnFiles || size+f.size > mostOwnBytes {
				return false
			}
			*list, more = append(*list, f.path), true
			files, size = files+1, size+f.size
			return true
		})
	}
	hold(&e.Own, LeftOwn)
	hold(&e.Kept, leftKept)
	for _, f := range l.files {
		kind := l.kind(f, theirs[f.path], e.Since != nil)
		if kind == leftKept {
			kind = LeftIgnored
		}
		c.looked = append(c.looked, Left{Kind: kind, Path: f.path, Print: f.print()})
	}
	for _, folder := range l.many {
		c.looked = append(c.looked, Left{Kind: LeftMany, Path: folder + "/"})
	}
	return more, nil
}

func (c *Capture) ignoredPaths() []string {
	if c.Seen != nil {
		return c.Seen.Man.Ignored
	}
	return c.Scan.Ignored
}

// left returns what the before state says of ignored files, by path; nil when it did not look.
func (n *Since) left() map[string]Left {
	if n == nil {
		return nil
	}
	if e, _ := ExtentOf(n.man); !e.Ignored {
		return nil
	}
	known := map[string]Left{}
	for _, l := range n.man.Left {
		if l.Kind == LeftOwn || l.Kind == LeftIgnored {
			known[l.Path] = l
		}
	}
	return known
}

// ignoredLook is one look at ignored files.
type ignoredLook struct {
	place *Place
	sel   scan.Selector
	known map[string]Left // of the before state
	files []*ignoredFile
	many  []string // folders with too many files
}

// byTools reports whether an ignored folder is one that programs fill.
func byTools(folder string) bool {
	for part := range strings.SplitSeq(folder, "/") {
		if len(part) > 1 && part[0] == '.' {
			return true
		}
	}
	return folder != "." && belay.Rewritten(folder+"/x")
}

// folder adds the files of a folder that is ignored as a whole.
func (l *ignoredLook) folder(folder string) {
	if byTools(folder) {
		return
	}
	from := len(l.files)
	if seen := 0; !l.walk(folder, &seen) {
		l.files, l.many = l.files[:from], append(l.many, folder)
	}
}

// walk adds what is below a folder; false when that is too much.
func (l *ignoredLook) walk(folder string, seen *int) bool {
	entries, err := l.list(folder, mostInFolder-*seen)
	if err != nil {
		return true // it is gone, or cannot be read
	}
	if *seen += len(entries); *seen > mostInFolder {
		return false
	}
	if slices.ContainsFunc(entries, func(d fs.DirEntry) bool { return d.Name() == ".git" }) {
		return true // somebody's place of work
	}
	for _, d := range entries {
		p := folder + "/" + d.Name()
		if !d.IsDir() {
			l.add(p, false)
		} else if !byTools(p) && !l.walk(p, seen) {
			return false
		}
	}
	return len(l.files) <= mostLooked
}

// list returns the names in a folder, in order, and at most one more than most.
func (l *ignoredLook) list(folder string, most int) ([]fs.DirEntry, error) {
	dir, err := fsroot.OpenDir(l.at(folder))
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

func (l *ignoredLook) at(p string) string {
	return filepath.Join(l.place.Repo.Root, filepath.FromSlash(p))
}

// add looks at one file. What is not a file or link, or cannot be looked at, is left out.
func (l *ignoredLook) add(p string, single bool) {
	if len(l.files) > mostLooked || belay.Rewritten(p) || belay.Own(p) || l.sel != nil && l.sel.Covers(p, false) {
		return
	}
	info, err := fsroot.Lstat(l.at(p))
	if err != nil {
		return
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	f := &ignoredFile{path: p, single: single, size: info.Size(), hash: "-", link: info.Mode()&fs.ModeSymlink != 0}
	if !ok || !f.link && !info.Mode().IsRegular() {
		return
	}
	f.stat = fmt.Sprintf("%o %d %d %d", st.Mode, info.Size(), info.ModTime().UnixNano(), changeTime(st))
	if was, known := l.known[p]; known {
		if stat, hash, _ := cutPrint(was.Print); stat == f.stat {
			f.hash = hash
			l.files = append(l.files, f)
			return
		}
	}
	l.read(f)
	l.files = append(l.files, f)
}

// cutPrint takes a print apart into what a stat tells and the hash of the content, "-" for none.
func cutPrint(print string) (stat, hash string, ok bool) {
	i := strings.LastIndexByte(print, ' ')
	if i < 0 {
		return "", "", false
	}
	return print[:i], print[i+1:], true
}

// IgnoredPrint takes apart what was noted of an ignored file. hash is "-" where only size and
// times tell whether it changed.
func IgnoredPrint(print string) (mode, size, modified, hash string, ok bool) {
	f := strings.Fields(print)
	if len(f) != 5 {
		return "", "", "", "", false
	}
	return f[0], f[1], f[2], f[4], true
}

// read hashes a small file and finds out whether it is a text that somebody wrote.
func (l *ignoredLook) read(f *ignoredFile) {
	if f.link {
		if target, err := fsroot.Readlink(l.at(f.path)); err == nil {
			f.hash = shortHash(sha256.Sum256([]byte(target)))
		}
		return
	}
	file, err := fsroot.Open(l.at(f.path))
	if err != nil {
		return
	}
	defer file.Close()
	most := int64(mostHashed)
	if f.size > most {
		most = 8 << 10 // enough to see what it is
	}
	data, err := io.ReadAll(io.LimitReader(file, most))
	if err != nil {
		return
	}
	if f.size <= mostHashed {
		f.hash = shortHash(sha256.Sum256(data))
	}
	f.text = !bytes.ContainsRune(data[:min(len(data), 8<<10)], 0) && !generated(data)
}

func shortHash(sum [sha256.Size]byte) string { return fmt.Sprintf("%x", sum[:12]) }

// generated reports whether a text says at its beginning that a program wrote it.
func generated(data []byte) bool {
	head := strings.ToLower(string(data[:min(len(data), 1<<10)]))
	return slices.ContainsFunc([]string{"do not edit", "don't edit", "do not modify", "generated by", "generated from",
		"autogenerated", "auto-generated",
		"automatically generated", "@generated", "created by"}, func(s string) bool { return strings.Contains(head, s) })
}

// was reports whether the before state knew a file that is not captured.
func (l *ignoredLook) was(p string) bool {
	_, known := l.known[p]
	return known
}

// leftKept is the kind of a file that may be somebody's.
const leftKept = "kept"

// Rules of a person's own.
const (
	sharedRule  = iota // of the repository, in a .gitignore
	globalRule         // for all of somebody's repositories
	excludeRule        // for this repository, in .git/info/exclude
)

// kind decides what a file is, given whose rule ignores it. One that the before state knew stays
// what it was: whoever edits a file does not make it another's.
func (l *ignoredLook) kind(f *ignoredFile, rule int, since bool) string {
	if was, known := l.known[f.path]; known {
		return was.Kind
	}
	switch {
	case f.text && (rule == excludeRule || !since && rule == globalRule):
		return LeftOwn
	case f.text && f.single && !since:
		return leftKept
	}
	return LeftIgnored
}

// sources asks git whose rules ignore the files of which that matters. Without rules of the
// person's own git is not asked.
func (l *ignoredLook) sources(ctx context.Context, rules outerRules) (map[string]int, error) {
	if !rules.any() {
		return nil, nil
	}
	var ask []string
	for _, f := range l.files {
		if f.text && !l.was(f.path) {
			ask = append(ask, f.path)
		}
	}
	if len(ask) == 0 {
		return nil, nil
	}
	git := l.place.Repo.Ignorer(ctx)
	defer git.Close()
	answers, err := git.Sources(ctx, ask)
	if err != nil {
		return nil, err
	}
	exclude := filepath.Join(l.place.Repo.Common, "info", "exclude")
	out := map[string]int{}
	for i, from := range answers {
		switch {
		case from == "":
		case from == exclude || l.at(from) == exclude:
			out[ask[i]] = excludeRule
		case filepath.IsAbs(from):
			out[ask[i]] = globalRule
		}
	}
	return out, nil
}

// any reports whether the rules outside the tree have a line that ignores something.
func (r outerRules) any() bool {
	for _, f := range r.files {
		for line := range strings.Lines(string(f.Data)) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				return true
			}
		}
	}
	return false
}

// exactly selects single paths, and enters the folders above them.
type exactly map[string]bool

func exactlyThose(paths []string) exactly {
	all := exactly{}
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
func (x exactly) Covers(p string, folder bool) bool { return !folder && x[p] }

// Reaches implements scan.Selector.
func (x exactly) Reaches(folder string) bool { return x[folder+"/"] }

// Absent reports whether an ignored file was certainly not there when a manifest was made that
// looked at ignored files: it would have
// been captured or noted.
func Absent(m *Manifest, p string) bool {
	if e, _ := ExtentOf(m); !e.Ignored || belay.Rewritten(p) || byTools(path.Dir(p)) {
		return false
	}
	if _, single := slices.BinarySearch(m.Ignored, p); single {
		return false
	}
	return !slices.ContainsFunc(m.Left, func(l Left) bool {
		return l.Path == p || l.Kind == LeftMany && strings.HasPrefix(p, l.Path)
	})
}

// Looked returns what a restore may take for looked at in the state that it goes back to: what is
// captured now beside git's own choice, and was captured then or certainly not there.
func (c *Capture) Looked(then *Manifest) scan.Selector {
	e := c.Wanted.Extent
	was, _ := ExtentOf(then)
	known := func(p string) bool {
		return slices.Contains(was.Own, p) || slices.Contains(was.Kept, p) || Absent(then, p)
	}
	e.Own = slices.DeleteFunc(slices.Clone(e.Own), func(p string) bool { return !known(p) })
	e.Kept = slices.DeleteFunc(slices.Clone(e.Kept), func(p string) bool { return !known(p) })
	return e.Selector()
}
