package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/handoff"
	"github.com/belay-dev/belay/internal/snapshot"
)

// blockSources is the material of a block, all read from one snapshot.
type blockSources struct {
	sources  handoff.Sources
	manifest []handoff.Source
	docs     []handoff.Document
}

// gatherSources reads the sources of the task's block. area and priority override the task's own.
func (p *TaskContext) gatherSources(ctx context.Context, from snapshot.Info, area, priority string) (blockSources, error) {
	end := p.Session.Repo.ShareReader()
	defer end()
	t := p.Rec.Task
	inScope, err := p.inScope()
	if err != nil {
		return blockSources{}, err
	}
	m, err := p.Session.Snaps.Manifest(ctx, from)
	if err != nil {
		return blockSources{}, err
	}
	entries, err := p.Session.Snaps.Entries(ctx, from.Tree, m)
	if err != nil {
		return blockSources{}, err
	}
	g := blockSources{sources: handoff.Sources{Task: t, Area: firstNonEmpty(area, t.Area), Priority: firstNonEmpty(priority, t.Priority),
		Acceptance: t.Acceptance, Head: from.Head, TestsFrom: testOrigin(t)}}
	if t.Scope.Files, err = p.Session.Config.Expand(t.Scope.Files); err != nil {
		return g, err
	}
	g.sources.Task.Scope.Files = t.Scope.Files
	rules := p.ruleSources(t)
	var read []snapshot.Entry
	for _, e := range entries {
		if e.OID == "" {
			continue
		}
		if inScope == nil || inScope(e.Path) {
			g.sources.Paths = append(g.sources.Paths, e.Path)
		}
		if e.Mode&0o170000 == 0o100000 && (isRuleSource(rules, e.Path) || p.isSource(t, e.Path)) {
			read = append(read, e)
		}
	}
	return g, p.readSources(ctx, &g, read, rules)
}

func firstNonEmpty(all ...string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}

// testOrigin returns where the task's test command comes from, for the list of commands.
func testOrigin(t belay.Task) string {
	switch from := t.Checks.Tests.From; from {
	case "flag":
		return "task"
	case "":
		return "detected"
	default:
		return from
	}
}

// ruleSources returns the config's standards, and one more rule for each standard that the task
// names.
func (p *TaskContext) ruleSources(t belay.Task) []handoff.Rule {
	var all []handoff.Rule
	for _, s := range p.Session.Config.Standards {
		all = append(all, handoff.Rule{Name: s.Name, Files: s.Files, Areas: s.Areas, Priorities: s.Priorities,
			Sections: s.Sections, Commands: s.Commands})
	}
	for _, name := range t.Standards {
		file, section := cutAnchor(name)
		if belay.Valid(file) != nil {
			continue
		}
		r := handoff.Rule{Name: "task", Files: []string{file}}
		if section != "" {
			r.Sections = []string{section}
		}
		all = append(all, r)
	}
	return all
}

func cutAnchor(name string) (file, section string) {
	for i := range len(name) {
		if name[i] == '#' {
			return name[:i], name[i+1:]
		}
	}
	return name, ""
}

func isRuleSource(rules []handoff.Rule, path string) bool {
	return slices.Contains(handoff.Instructions, path) ||
		slices.ContainsFunc(rules, func(r handoff.Rule) bool { return belay.Match(r.Files, path) })
}

func (p *TaskContext) isSource(t belay.Task, path string) bool {
	return t.Origin != nil && !t.Origin.Outside && filepath.ToSlash(t.Origin.File) == path
}

// readSources reads the files that are cited or that the task comes from.
func (p *TaskContext) readSources(ctx context.Context, g *blockSources, list []snapshot.Entry, rules []handoff.Rule) error {
	rd, err := p.Session.Repo.Reader(ctx)
	if err != nil {
		return err
	}
	defer rd.Close()
	for _, e := range list {
		sizes, err := p.Session.Repo.Sizes(ctx, []string{e.OID})
		if err != nil {
			return err
		}
		if sizes[0] > handoff.MaxSize {
			return belay.Refuse(belay.CodeUsage, "split it into several files, or remove it from standards",
				"%s cannot be cited: it is larger than %d MiB", belay.VisibleLine(e.Path), handoff.MaxSize>>20)
		}
		o, err := rd.Read(e.OID)
		if err != nil {
			return fmt.Errorf("read %s: %w", belay.VisibleLine(e.Path), err)
		}
		text := append([]byte{}, o.Data...)
		if p.isSource(g.sources.Task, e.Path) {
			g.sources.Source, g.sources.SourceText = e.Path, text
			g.addManifest("task", e.Path, text)
		}
		if !isRuleSource(rules, e.Path) {
			continue
		}
		d, err := handoff.Read(handoff.File{Path: e.Path, Text: text})
		if err != nil {
			return err
		}
		g.docs = append(g.docs, d)
	}
	g.sources.Standards = handoff.SelectStandards(rules, g.sources.Area, g.sources.Priority, g.docs)
	for _, d := range g.docs {
		if slices.Contains(g.sources.Standards.Files, d.Path) {
			kind := "standard"
			if slices.Contains(handoff.Instructions, d.Path) {
				kind = "instructions"
			}
			g.manifest = append(g.manifest, handoff.Source{Kind: kind, Path: handoff.PathText(d.Path), SHA: d.Hash, Bytes: d.Bytes})
		}
	}
	if g.sources.Source == "" {
		g.addManifest("task", "(the task's words)", []byte(g.sources.Task.Prose))
	}
	return nil
}

func (g *blockSources) addManifest(kind, path string, text []byte) {
	text = handoff.Normalise(text)
	g.manifest = append([]handoff.Source{{Kind: kind, Path: handoff.PathText(path), SHA: handoff.Hash(text),
		Bytes: len(text)}}, g.manifest...)
}

// takeSnapshot takes a snapshot for the task's context.
func (p *TaskContext) takeSnapshot(ctx context.Context, role, message string) (snapshot.Info, error) {
	t := p.Rec.Task
	info, err := p.Session.Snaps.TakeWith(ctx, snapshot.Meta{
		Kind: belay.KindHandoff, Task: t.ID, Message: message, Feature: t.Feature, Agent: role, Journal: p.Rec.Log.Head.Hash,
	}, p.Session.SnapshotExtent(p.Rec))
	if err != nil {
		return info, fmt.Errorf("snapshot the tree of %s: %w", t.ID, err)
	}
	return info, nil
}

// storeBlock makes the block and its manifest from the sources and stores both.
func (p *TaskContext) storeBlock(g blockSources, without bool) (handoff.Block, handoff.BlockRef, error) {
	b, err := handoff.MakeBlock(g.sources)
	if err != nil {
		return b, handoff.BlockRef{}, err
	}
	if len(b.Citations) == 0 && !without {
		return b, handoff.BlockRef{}, belay.Refuse(belay.CodeUsage,
			"name the project's rules below standards: in .belay/config.yaml, or write an AGENTS.md; or use --without-standards",
			"no standard to cite for %s%s", b.Task.ID, taskPurpose(b.Task))
	}
	ref := handoff.BlockRef{Head: b.Git.Head, WithoutStandards: len(b.Citations) == 0}
	if ref.Roles, err = Roles(p.Session.Config); err != nil {
		return b, ref, err
	}
	if ref.Block, _, err = p.attachJSON(b); err != nil {
		return b, ref, err
	}
	ref.Manifest, _, err = p.attachJSON(handoff.Manifest{Version: handoff.Version, Serialiser: handoff.Serialiser,
		Normaliser: handoff.Normaliser, Block: ref.Block, Sources: g.manifest})
	return b, ref, err
}

func taskPurpose(t handoff.TaskPart) string {
	switch {
	case t.Area != "" && t.Priority != "":
		return fmt.Sprintf(" (area %s, priority %s)", t.Area, t.Priority)
	case t.Area != "":
		return fmt.Sprintf(" (area %s)", t.Area)
	}
	return ""
}

// isDirty reports whether tracked files differ from HEAD.
func (p *TaskContext) isDirty(ctx context.Context, now snapshot.Info) (bool, error) {
	if now.Head == "" {
		return false, nil
	}
	rd, err := p.Session.Repo.Reader(ctx)
	if err != nil {
		return false, err
	}
	o, err := rd.Read(now.Head + "^{tree}")
	if err = errors.Join(err, rd.Close()); err != nil {
		return false, err
	}
	list, err := p.Session.Repo.DiffTrees(ctx, o.OID, now.Tree)
	if err != nil {
		return false, err
	}
	if rd, err = p.Session.Repo.Reader(ctx); err != nil {
		return false, err
	}
	defer rd.Close()
	for _, d := range list {
		if d.OldMode == 0 {
			continue // untracked
		}
		if d.OldMode != d.NewMode || d.OldMode == 0o120000 {
			return true, nil
		}
		same, err := differsInLineEnds(rd, d)
		if err != nil || !same {
			return true, err
		}
	}
	return false, nil
}

// differsInLineEnds reports whether a file differs from the commit only in line ends, as in a checkout that converts
// them.
func differsInLineEnds(rd *git.Reader, d git.Difference) (bool, error) {
	o, err := rd.Read(d.OldOID)
	if err != nil {
		return false, fmt.Errorf("read %s: %w", belay.VisibleLine(d.Path), err)
	}
	was := handoff.Hash(o.Data)
	if o, err = rd.Read(d.NewOID); err != nil {
		return false, fmt.Errorf("read %s: %w", belay.VisibleLine(d.Path), err)
	}
	return handoff.Hash(o.Data) == was, nil
}
