package snapshot

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// suspects are names that git fsck may reject, and similar names that it accepts.
var suspects = []string{
	".git", ".GIT", ".Git", ".gIT", "git~1", "GIT~1", "git~2", ".git ", ".git.", ".git. .", ".git...", ".git::$INDEX_ALLOCATION",
	".git:x", ".git\\x", "a\\.git", ".g\u200cit", "\u200c.git", ".git\ufeff", ".g" + strings.Repeat("\u200c", 30) + "it",
	".git" + strings.Repeat(" ", 80), ".gitx", "xgit", "git", ".gi", ".gitignore", ".github", "git~10", ".git-", "..git", ". git",
	"gitmod~1", "GITMOD~4", "gitmod~5", "gitmod~0", "gi7eba~1", "GI7EB~12", "gi7eba~9", "gi7eb~0", "gi7eb~123", "gi7eba~10", "gi7eba~a",
	"~1234567", "g~123456", "gi~12345", "gi7e~123", "gi7~1234", "GI7EBA~", "gi7ebb~1", "gi7d~123", "git7eba~1", "gitmod~1 ", "gi7eba~1.", "gi7eba~1:x",
	"GIT", "a.git", ".gitmodules", ".gitattributes", strings.Repeat("x", 100), "\xff\xfe", ".g\xffit", "\u0130.git", ".gıt", ".GIT\u200f.",
}

// TestIsOddAgreesWithFsck makes a tree with each name and runs git fsck on it: a snapshot with a
// name that is an error for fsck could not be pushed anywhere.
func TestIsOddAgreesWithFsck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	git := func(stdin []byte, args ...string) (string, error) {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Stdin = dir, bytes.NewReader(stdin)
		cmd.Env = append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C")
		out, err := cmd.CombinedOutput()
		return strings.TrimSpace(string(out)), err
	}
	if _, err := git(nil, "init", "-q"); err != nil {
		t.Fatal(err)
	}
	blob, err := git([]byte("x"), "hash-object", "-w", "--stdin")
	if err != nil {
		t.Fatal(blob, err)
	}
	names := map[string]string{}
	for _, link := range []bool{false, true} {
		mode := "100644"
		if link {
			mode = "120000"
		}
		for _, name := range suspects {
			tree, err := git(fmt.Appendf(nil, "%s blob %s\t%s\x00", mode, blob, name), "mktree", "-z")
			if err != nil {
				t.Fatalf("%q: %s", name, tree)
			}
			names[tree] = fmt.Sprint(name, "|", link)
		}
	}
	said, _ := git(nil, "fsck", "--full", "--strict", "--no-dangling") // it fails on the bad names
	bad := map[string]bool{}
	for line := range strings.Lines(said) {
		for tree, name := range names {
			if strings.Contains(line, tree) && strings.HasPrefix(line, "error in tree") {
				bad[name] = true
			}
		}
	}
	if len(bad) < 10 {
		t.Fatalf("fsck found only %v in\n%s", bad, said)
	}
	for _, name := range names {
		path, link, _ := strings.Cut(name, "|")
		if got := IsOdd(path, link == "true"); bad[name] && !got {
			t.Errorf("%q (link %s): git objects, IsOdd does not", path, link)
		}
		for _, at := range []string{path + "/below", "above/" + path, "a/" + path + "/b"} {
			if got, want := IsOdd(at, link == "true"), IsOdd(path, link == "true"); got != want && link == "false" {
				t.Errorf("%q: %v, but %q alone is %v", at, got, path, want)
			}
		}
	}
	for _, plain := range []string{"a", ".gitignore", ".github/x", "git", "x.git", ".gitx", "..git", ".gitmodules", "a~1", "b:c"} {
		if IsOdd(plain, false) {
			t.Errorf("%q is not odd", plain)
		}
	}
}
