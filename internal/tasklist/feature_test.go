package tasklist

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/phase"
)

func lay(t *testing.T, files map[string]string) (*fsroot.Root, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := fsroot.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root, dir
}

// TestLayouts reads a project in each layout: whether it is in use, its features, and the artefact
// of each phase.
func TestLayouts(t *testing.T) {
	t.Parallel()
	b, s, d, p, k := phase.Brainstorm, phase.Specify, phase.Design, phase.CreatePlan, phase.CreateTasks
	for name, c := range map[string]struct {
		files   map[string]string
		dialect Dialect
		above   string
		feature string
		want    map[phase.Phase]phase.State
	}{
		"spec-kit": {map[string]string{".specify/templates/spec-template.md": "x", "specs/003-search/spec.md": "# s",
			"specs/003-search/plan.md": "\ufeff \n", "specs/003-search/checklists/ux.md": "x"}, SpecKit, "specs", "003-search",
			map[phase.Phase]phase.State{b: phase.None, s: phase.Present, d: phase.None, p: phase.Empty, k: phase.Missing}},
		"spec-kit without .specify": {map[string]string{"specs/readme.md": "x",
			"specs/002-b/spec.md": "# Feature Specification: B\n\n**Feature Branch**: `002-b`\n"}, SpecKit, "specs", "002-b",
			map[phase.Phase]phase.State{b: phase.None, s: phase.Present, d: phase.None, p: phase.Missing}},
		"spec-kit below .specify": {map[string]string{".specify/specs/001-a/spec.md": "# s"}, SpecKit, ".specify/specs", "001-a",
			map[phase.Phase]phase.State{s: phase.Present, p: phase.Missing}},
		"spec-kitty": {map[string]string{".kittify/metadata.yaml": "x", "kitty-specs/014-docs/spec.md": "# s", "kitty-specs/014-docs/tasks.md": "x"},
			SpecKitty, "kitty-specs", "014-docs", map[phase.Phase]phase.State{s: phase.Present, p: phase.Missing, k: phase.Present}},
		"OpenSpec": {map[string]string{"openspec/changes/dark-mode/proposal.md": "why", "openspec/changes/dark-mode/specs/ui/theme/spec.md": "## ADDED",
			"openspec/changes/dark-mode/design.md": "", "openspec/changes/archive/2025-01-01-x/proposal.md": "old"}, OpenSpec, "openspec/changes", "dark-mode",
			map[phase.Phase]phase.State{b: phase.Present, s: phase.Present, d: phase.Empty, p: phase.None, k: phase.Missing}},
		"OpenSpec without specs": {map[string]string{"openspec/changes/a/proposal.md": "why"}, OpenSpec, "openspec/changes", "a",
			map[phase.Phase]phase.State{b: phase.Present, s: phase.Missing}},
		"Kiro": {map[string]string{".kiro/steering/product.md": "x", ".kiro/specs/photo-album/requirements.md": "# R"}, Kiro, ".kiro/specs", "photo-album",
			map[phase.Phase]phase.State{b: phase.None, s: phase.Present, d: phase.Missing, p: phase.None, k: phase.Missing}},
		"Kiro, a bugfix": {map[string]string{".kiro/specs/crash/bugfix.md": "# B"}, Kiro, ".kiro/specs", "crash",
			map[phase.Phase]phase.State{s: phase.Present}},
		"work items": {map[string]string{".workitems/P12-F08-x/user_stories.md": "# U", ".workitems/P12-F08-x/design.md": "# D"}, Workitems, ".workitems",
			"P12-F08-x", map[phase.Phase]phase.State{s: phase.Present, d: phase.Present, k: phase.Missing}},
		"plain": {map[string]string{"specs/001-a/spec.md": "# S", "specs/001-a/design.md": " "}, Plain, "specs", "001-a",
			map[phase.Phase]phase.State{b: phase.Missing, s: phase.Present, d: phase.Empty, p: phase.Missing}},
	} {
		root, _ := lay(t, c.files)
		l := LayoutsInUse(root)[0]
		if l.Dialect != c.dialect || l.Parent != c.above {
			t.Errorf("%s: %s in %s", name, l.Dialect, l.Parent)
			continue
		}
		if names, err := l.Folders(root); err != nil || len(names) != 1 || names[0] != c.feature {
			t.Errorf("%s: the features %q, %v", name, names, err)
		}
		for ph, want := range c.want {
			if a, err := l.Artefact(root, c.above+"/"+c.feature, ph); err != nil || a.State != want || (a.SHA == "") != (len(a.Files) == 0) {
				t.Errorf("%s: %s is %s, expected %s (%v)", name, ph, a.State, want, err)
			}
		}
		if at, ok := LayoutAt(string(c.dialect), c.above+"/"+c.feature); !ok || at.Parent != c.above {
			t.Errorf("%s: its folder is in no layout", name)
		}
	}
}

// TestArtefactsOdd: links are not followed, and a file that is too large is named instead of read.
func TestArtefactsOdd(t *testing.T) {
	t.Parallel()
	root, dir := lay(t, map[string]string{"secret.md": "secret", "specs/a/plan.md": "x"})
	l := LayoutsInUse(root)[0]
	if err := os.Symlink("../../secret.md", filepath.Join(dir, "specs/a/spec.md")); err != nil {
		t.Fatal(err)
	}
	if a, err := l.Artefact(root, "specs/a", phase.Specify); err != nil || a.State != phase.Missing || len(a.Files) > 0 {
		t.Errorf("a link: %+v, %v", a, err)
	}
	if err := os.Truncate(filepath.Join(dir, "specs/a/plan.md"), 50<<20); err != nil {
		t.Fatal(err)
	}
	if a, err := l.Artefact(root, "specs/a", phase.CreatePlan); err != nil || a.State != phase.Present || a.TooLarge != "specs/a/plan.md" {
		t.Errorf("50 MB: %+v, %v", a, err)
	}
	if err := os.Rename(filepath.Join(dir, "specs"), filepath.Join(dir, "other")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("other", filepath.Join(dir, "specs")); err != nil {
		t.Fatal(err)
	}
	if names, err := l.Folders(root); err != nil || len(names) > 0 {
		t.Errorf("a folder behind a link: %q, %v", names, err)
	}
}

func TestNamesOfFeatures(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"Login": "login", "003-Search Page": "003-search-page", "Größe ändern!": "größe-ändern",
		"検索": "検索", "../../etc/passwd": "etc-passwd", "a\x1b[31mb": "a-31mb", "": "", "///": "", "123": "", strings.Repeat("a", 81): ""} {
		if got, err := Slug(name); got != want || (err != nil) != (want == "") {
			t.Errorf("%q is called %q, %v", name, got, err)
		}
	}
	for name, want := range map[string]int{"003-a": 3, "12": 12, "7_x": 7, "3d-view": -1, "a-1": -1, "99999999999999999999-x": -1} {
		if got := NumberOf(name); got != want {
			t.Errorf("%s has the number %d", name, got)
		}
	}
}

func FuzzSlug(f *testing.F) {
	for _, s := range []string{"Login", "../x", "a\u0301b", "\xff\xfe", "-", "İ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		slug, err := Slug(name)
		if err != nil {
			return
		}
		if strings.ContainsAny(slug, "/\\.\x00 \n") || slug[0] == '-' || len(slug) > maxName {
			t.Errorf("%q is called %q", name, slug)
		}
	})
}
