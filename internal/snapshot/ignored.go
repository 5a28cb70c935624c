package snapshot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// ignoredState contains what a manifest recorded about ignored files that are not captured, by
// path.
type ignoredState struct {
	files   map[string]Uncaptured
	tooMany []string // folders about which nothing was recorded; they end in "/"
}

func ignoredStateOf(m *Manifest) ignoredState {
	t := ignoredState{files: map[string]Uncaptured{}}
	for _, l := range m.Uncaptured {
		switch l.Kind {
		case UncapturedAuthored, UncapturedIgnored:
			t.files[l.Path] = l
		case UncapturedMany:
			t.tooMany = append(t.tooMany, l.Path)
		}
	}
	return t
}

func (t ignoredState) isUnknown(path string) bool {
	return slices.ContainsFunc(t.tooMany, func(folder string) bool { return strings.HasPrefix(path, folder) })
}

// missedIgnored returns the ignored files that were added, changed or deleted and that neither
// snapshot contains. b is the later one. Files of one ignored folder are reported together unless
// a person is known to have written them.
func (s *Store) missedIgnored(ctx context.Context, b Info, then, now *Manifest) (out []Missed, err error) {
	was, _ := ExtentOf(then)
	is, _ := ExtentOf(now)
	if !was.Ignored || !is.Ignored { // one of the two did not inspect ignored files
		return nil, nil
	}
	one, two := ignoredStateOf(then), ignoredStateOf(now)
	var gone []string
	groups := map[string][]string{}
	name := func(l Uncaptured, path, what string) {
		if l.Kind == UncapturedAuthored {
			out = append(out, Missed{Kind: MissedAuthored, Path: path, Detail: what + ", ignored by git", Certain: true})
		} else {
			at := ignoredFolder(then, now, path)
			groups[at] = append(groups[at], path+" "+what)
		}
	}
	for path, l := range two.files {
		old, known := one.files[path]
		switch {
		case known:
			if what := ignoredChange(old.Fingerprint, l.Fingerprint); what != "" {
				name(old, path, what)
			}
		case !one.isUnknown(path):
			name(l, path, "new")
		}
	}
	for path := range one.files {
		if _, still := two.files[path]; !still && !two.isUnknown(path) {
			gone = append(gone, path)
		}
	}
	if gone, err = s.withoutCaptured(ctx, b, gone); err != nil {
		return nil, err
	}
	for _, path := range gone {
		name(one.files[path], path, "deleted")
	}
	for at, list := range groups {
		slices.Sort(list)
		m := Missed{Kind: MissedIgnored, Path: at, Certain: true}
		if single, what, ok := cutLastSpace(list[0]); ok && len(list) == 1 {
			m.Path, m.Detail = single, what+", ignored by git"
		} else {
			for i := range list {
				list[i] = strings.TrimPrefix(list[i], at)
			}
			m.Detail = fmt.Sprintf("ignored by git; %s files differ: %s", groupThousands(fmt.Sprint(len(list))), listSome(list))
		}
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b Missed) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

func cutLastSpace(s string) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, ' ')
	if i < 0 {
		return "", "", false
	}
	return s[:i], s[i+1:], true
}

// ignoredFolder returns the ignored folder that contains a path in one of two manifests; the path
// itself when there is none.
func ignoredFolder(then, now *Manifest, path string) string {
	for i := range path {
		if path[i] != '/' {
			continue
		}
		for _, m := range []*Manifest{then, now} {
			if _, found := slices.BinarySearch(m.Ignored, path[:i+1]); found {
				return path[:i+1]
			}
		}
	}
	return path
}

// ignoredChange describes how a file differs, "" when it is certainly unchanged or only its times
// differ. A file without a hash counts as changed when size or times differ.
func ignoredChange(then, now string) string {
	mode, size, time, hash, ok := ParseFingerprint(then)
	mode2, size2, time2, hash2, ok2 := ParseFingerprint(now)
	switch {
	case !ok || !ok2:
		return ""
	case size != size2, hash != "-" && hash2 != "-" && hash != hash2, (hash == "-" || hash2 == "-") && time != time2:
		return "modified"
	case mode != mode2:
		return "mode-changed"
	}
	return ""
}

// missedModes returns the captured ignored files of which only the permissions changed. No diff
// shows that, and a secret that others may read is no longer secret.
func (s *Store) missedModes(ctx context.Context, a, b Info, then, now *Manifest) (out []Missed, err error) {
	is, _ := ExtentOf(now)
	sel := is.Selector()
	if sel == nil {
		return nil, nil
	}
	var ask []string
	for _, m := range slices.Concat(then.Modes, now.Modes) {
		if sel.Covers(m.Path, false) && then.Perm(m.Path, false) != now.Perm(m.Path, false) {
			ask = append(ask, m.Path)
		}
	}
	if then.FilePerm != now.FilePerm || then.ExecPerm != now.ExecPerm { // also of paths that no list names
		files, err := s.Repo.ListTree(ctx, b.Tree)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if sel.Covers(f.Path, false) {
				ask = append(ask, f.Path)
			}
		}
	}
	slices.Sort(ask)
	ask = slices.Compact(ask)
	was, err := s.treeModes(ctx, a, ask)
	if err != nil {
		return nil, err
	}
	are, err := s.treeModes(ctx, b, ask)
	for _, p := range ask {
		exec := are[p] == "100755"
		if was[p] == are[p] && (exec || are[p] == "100644") && then.Perm(p, exec) != now.Perm(p, exec) {
			out = append(out, Missed{Kind: MissedMode, Path: p,
				Detail: fmt.Sprintf("its mode changed from %o to %o", then.Perm(p, exec), now.Perm(p, exec)), Certain: true})
		}
	}
	return out, err
}

// MaybeAuthored returns the ignored files of a snapshot that a person or a tool may have written.
func (s *Store) MaybeAuthored(ctx context.Context, id belay.SnapshotID) ([]string, error) {
	defer s.Repo.ShareReader()()
	info, err := s.LookUp(ctx, id)
	if err != nil {
		return nil, err
	}
	m, err := s.Manifest(ctx, info)
	if err != nil {
		return nil, err
	}
	e, _ := ExtentOf(m)
	return e.MaybeAuthored, nil
}

// CapturedIgnored returns which of the paths a snapshot contains although git ignores them,
// because a person wrote them. Tracked paths are left out, whatever the rules say.
func (s *Store) CapturedIgnored(ctx context.Context, id belay.SnapshotID, paths []string) (map[string]bool, error) {
	info, err := s.LookUp(ctx, id)
	if err != nil {
		return nil, err
	}
	m, err := s.Manifest(ctx, info)
	if err != nil {
		return nil, err
	}
	was, _ := ExtentOf(m)
	sel := CaptureExtent{Ignored: was.Ignored, Authored: was.Authored, MaybeAuthored: was.MaybeAuthored}.Selector()
	if sel == nil {
		return nil, nil
	}
	var ask []string
	for _, p := range paths {
		if sel.Covers(p, false) {
			ask = append(ask, p)
		}
	}
	if len(ask) == 0 {
		return nil, nil
	}
	git := s.Repo.Ignorer(ctx)
	defer git.Close()
	answers, err := git.Ask(ctx, ask)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for i, p := range ask {
		out[p] = answers[i]
	}
	for some := range slices.Chunk(ask, 500) { // on one command line
		list, err := s.Repo.Run(ctx, nil, append([]string{"ls-files", "-z", "--"}, some...)...)
		if err != nil {
			return nil, err
		}
		for p := range strings.SplitSeq(string(list), "\x00") {
			delete(out, p)
		}
	}
	return out, nil
}

// withoutCaptured returns the paths that a snapshot does not contain.
func (s *Store) withoutCaptured(ctx context.Context, i Info, paths []string) ([]string, error) {
	there, err := s.treeModes(ctx, i, paths)
	return slices.DeleteFunc(slices.Sorted(slices.Values(paths)), func(p string) bool { return there[p] != "" }), err
}

// treeModes returns git's mode, as text, of the paths that a snapshot's tree has.
func (s *Store) treeModes(ctx context.Context, i Info, paths []string) (map[string]string, error) {
	there := map[string]string{}
	for some := range slices.Chunk(paths, 500) { // on one command line
		out, err := s.Repo.Run(ctx, nil, append([]string{"ls-tree", "-z", i.Tree, "--"}, some...)...)
		if err != nil {
			return nil, err
		}
		for line := range strings.SplitSeq(string(out), "\x00") {
			head, path, _ := strings.Cut(line, "\t")
			mode, _, _ := strings.Cut(head, " ")
			there[path] = mode
		}
	}
	return there, nil
}
