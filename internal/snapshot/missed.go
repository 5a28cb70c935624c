package snapshot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// The kinds of Missed.
const (
	MissedOutput     = "output"     // a folder of build output that a new ignore rule hides
	MissedFile       = "file"       // a regular file that could not be captured
	MissedOther      = "other"      // something other than a file, folder or link
	MissedRepository = "repository" // a new worktree of this repository, or a new nested one, that was not entered
	MissedHeadMoved  = "moved"      // a known nested repository whose HEAD moved
	MissedInner      = "inside"     // a nested repository that was captured and now cannot be, or is missing
	MissedRefs       = "refs"       // a nested repository whose branches, tags or own git files changed
	MissedAuthored   = "own"        // an ignored file that a person wrote, and that is not captured
	MissedMode       = "mode"       // a protected or ignored file in both snapshots, with other permissions
	MissedIgnored    = "ignored"    // another ignored file, or a folder of them (ends in "/")
)

// Missed is a change between two snapshots that the later one does not contain: it can be reported
// but not checked.
type Missed struct {
	Kind, Path, Detail string
	Certain            bool // it certainly changed; otherwise only its change time did
}

// Missed returns what was added or changed between two snapshots without being captured.
func (s *Store) Missed(ctx context.Context, from, to belay.SnapshotID) ([]Missed, error) {
	defer s.Repo.ShareReader()()
	a, b, err := s.lookUpPair(ctx, from, to)
	if err != nil {
		return nil, err
	}
	then, now, err := s.manifests(ctx, a, b)
	if err != nil {
		return nil, err
	}
	var out []Missed
	was := map[string]string{}
	for _, l := range then.Uncaptured {
		was[l.Kind+l.Path] = l.Fingerprint
	}
	prints := map[string]string{}
	for _, l := range now.Uncaptured {
		switch before, known := was[l.Kind+l.Path]; {
		case l.Kind == UncapturedFile:
			prints[l.Path] = l.Fingerprint
		case l.Kind == UncapturedOutput && (!known || before != l.Fingerprint):
			out = append(out, Missed{Kind: MissedOutput, Path: l.Path, Detail: groupThousands(l.Fingerprint) + " files", Certain: true})
		}
	}
	inner, lost, err := s.missedInner(ctx, from, to, then, now)
	if err != nil {
		return nil, err
	}
	out = append(out, inner...)
	ignored, err := s.missedIgnored(ctx, b, then, now)
	if err != nil {
		return nil, err
	}
	out = append(out, ignored...)
	modes, err := s.missedModes(ctx, a, b, then, now)
	if err != nil {
		return nil, err
	}
	out = append(out, modes...)
	for _, g := range now.Gaps {
		if lost[g.Path] {
			continue
		}
		before := slices.ContainsFunc(then.Gaps, func(t ManifestGap) bool { return t.Path == g.Path })
		print, regular := prints[g.Path]
		m := Missed{Kind: MissedOther, Path: g.Path, Detail: g.Reason, Certain: true}
		if regular {
			m.Kind = MissedFile
		}
		if before || then.WasIgnored(g.Path) {
			old, known := was[UncapturedFile+g.Path]
			if !regular || !known || old == print {
				continue
			}
			m.Certain = sizeAndTime(old) != sizeAndTime(print)
		}
		out = append(out, m)
	}
	for _, n := range now.Nested {
		i := slices.IndexFunc(then.Nested, func(t NestedRepo) bool { return t.Path == n.Path })
		switch {
		case i < 0 && !then.WasIgnored(n.Path+"/x"):
			out = append(out, Missed{Kind: MissedRepository, Path: n.Path, Detail: "another worktree of this repository", Certain: true})
		case i >= 0 && then.Nested[i].Head != n.Head && !lost[n.Path]:
			out = append(out, Missed{Kind: MissedHeadMoved, Path: n.Path,
				Detail: fmt.Sprintf("its HEAD moved from %s to %s", shortOIDOrNone(then.Nested[i].Head),
					shortOIDOrNone(n.Head)), Certain: true})
		}
	}
	return out, nil
}

// missedInner returns what changed in nested repositories besides their files. lost contains the
// paths that need no further report.
func (s *Store) missedInner(ctx context.Context, from, to belay.SnapshotID, then, now *Manifest) (out []Missed,
	lost map[string]bool, err error) {
	lost = map[string]bool{}
	if len(then.Inner) == 0 {
		return nil, lost, nil
	}
	pairs, err := s.InnerPairs(ctx, from, to)
	if err != nil {
		return nil, nil, err
	}
	for _, in := range then.Inner {
		i := slices.IndexFunc(pairs, func(p InnerPair) bool { return p.Path == in.Path })
		if i < 0 {
			why := "its repository is gone"
			if g := slices.IndexFunc(now.Gaps, func(g ManifestGap) bool { return g.Path == in.Path }); g >= 0 {
				why = now.Gaps[g].Reason
			}
			lost[in.Path] = true
			out = append(out, Missed{Kind: MissedInner, Path: in.Path, Detail: why, Certain: true})
			continue
		}
		p := pairs[i]
		inside, err := p.Store.Missed(ctx, p.From, p.To)
		if err != nil {
			return nil, nil, err
		}
		for _, m := range inside {
			m.Path = p.Path + "/" + m.Path
			lost[m.Path] = true // the outer manifest has the same gap
			out = append(out, m)
		}
		names, err := p.Store.RefChanges(ctx, p.From, p.To)
		if err != nil {
			return nil, nil, err
		}
		steered, err := p.Store.ChangedGitFiles(ctx, p.From, p.To)
		if err != nil {
			return nil, nil, err
		}
		for _, name := range steered {
			if name != "index" && !strings.HasPrefix(name, "logs/") {
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			out = append(out, Missed{Kind: MissedRefs, Path: p.Path, Detail: listSome(names) + " changed", Certain: true})
		}
	}
	return out, lost, nil
}

// listSome joins the first few names and counts the rest.
func listSome(names []string) string {
	const most = 4
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// sizeAndTime removes the change time from a fingerprint: it changes when a file is renamed or
// gets another mode.
func sizeAndTime(print string) string { return print[:max(0, strings.LastIndexByte(print, ' '))] }

func shortOIDOrNone(oid string) string {
	if oid == "" {
		return "none"
	}
	return oid[:min(len(oid), 12)]
}

// groupThousands formats 31204 as 31,204.
func groupThousands(n string) string {
	digits, more := strings.CutSuffix(n, "+")
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	if more {
		return "more than " + digits
	}
	return digits
}
