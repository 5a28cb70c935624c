package review

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
)

// TestOf: the documents of a feature's folder in each tool's layout, or those named; never through
// a link, and no more than fit into a prompt.
func TestOf(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	root := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", root).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	big := strings.Repeat("words\n", 50_000)
	for name, text := range map[string]string{
		"specs/login/spec.md": "FR-001: log in", "specs/login/tasks.md": "- [ ] T001", "specs/logout/spec.md": "other", "specs/login/data.json": "{}",
		"specs/login/README.md": "about", "openspec/changes/login/specs/auth/spec.md": "### Requirement: x", ".workitems/login/design.md": "design",
		"specs/large/a.md": big, "specs/large/b.md": big, "secret.txt": "outside",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(home, "..", "secret.md"), filepath.Join(root, "specs", "login", "link.md")); err != nil {
		t.Skip(err)
	}
	repo, err := git.Open(t.Context(), root, true)
	if err != nil {
		t.Fatal(err)
	}
	docs, err := FeatureDocuments(t.Context(), repo, "login", nil)
	var names []string
	for _, d := range docs {
		names = append(names, d.Path)
	}
	want := []string{".workitems/login/design.md", "openspec/changes/login/specs/auth/spec.md", "specs/login/spec.md", "specs/login/tasks.md"}
	if err != nil || !slices.Equal(names, want) {
		t.Errorf("%q, %v", names, err)
	}
	if docs, err = FeatureDocuments(t.Context(), repo, "login", []string{"secret.txt"}); err != nil || len(docs) != 1 || docs[0].Text != "outside" {
		t.Errorf("%+v, %v", docs, err)
	}
	if _, err = FeatureDocuments(t.Context(), repo, "", []string{"none.md"}); belay.CodeOf(err) != belay.CodeNotFound {
		t.Error(err)
	}
	if docs, err = FeatureDocuments(t.Context(), repo, "", nil); err != nil || len(docs) != 0 {
		t.Errorf("%+v, %v", docs, err)
	}
	docs, err = FeatureDocuments(t.Context(), repo, "large", nil)
	if err != nil || len(docs) != 2 || len(docs[0].Text) != maxDocument || !strings.HasPrefix(docs[1].Text, "(omitted for length") {
		t.Errorf("%d documents, %v", len(docs), err)
	}
}
