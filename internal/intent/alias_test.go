package intent

import (
	"slices"
	"testing"
)

// TestAliases: which files people call by another word, one case for each alias.
func TestAliases(t *testing.T) {
	files := []string{".github/workflows/test.yml", ".github/workflows/release.yml", "README.md", "CHANGELOG.md", "src/auth.ts", "src/register.ts", "src/user.ts", "docker-compose.yml", "Dockerfile",
		"infra/backend.tf", "Brewfile", "docs/man/belay.1", "ios/HealthKitStore.swift", "locales/de.po", "locales/fr.po", "src/main.go"}
	for text, want := range map[string][]string{
		"the pipeline is red":           {".github/workflows/test.yml"},
		"the release pipeline is red":   {".github/workflows/test.yml", ".github/workflows/release.yml"},
		"say so in the readme":          {"README.md"},
		"a line in the changelog":       {"CHANGELOG.md"},
		"nobody can log in any more":    {"src/auth.ts"},
		"the registration is slow":      {"src/register.ts"},
		"usernames with a space":        {"src/user.ts"},
		"the container stops":           {"docker-compose.yml"},
		"a smaller base image":          {"Dockerfile"},
		"keep the state in s3":          {"infra/backend.tf"},
		"the state of the order":        nil,
		"install it with brew too":      {"Brewfile"},
		"the man page is old":           {"docs/man/belay.1"},
		"show the heart rate":           {"ios/HealthKitStore.swift"},
		"the german strings are wrong":  {"locales/de.po"},
		"a german customer called":      nil,
		"a translation is missing here": {"locales/de.po", "locales/fr.po"},
		"the french translation is old": {"locales/fr.po"},
	} {
		n := nouns{text: " " + text + " "}
		if got := n.aliases(files, FileMessage{}); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	n := nouns{text: " the pipeline in test.yml is red ", literals: map[string]bool{"test.yml": true}}
	if got := n.aliases(files, FileMessage{}); len(got) > 0 {
		t.Errorf("one workflow is named, so the others are not meant: %q", got)
	}
}

func TestTopmost(t *testing.T) {
	files := []string{"web/package.json", "api/go.mod", "web/ui/package.json", "README.md"}
	if got, want := topmostManifests(files), []string{"web/package.json", "api/go.mod"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	n := nouns{literalPaths: []string{"web/ui/", "x:3"}}
	if got, want := topmostManifests(n.filesBelow(files)), []string{"web/ui/package.json"}; !slices.Equal(got, want) {
		t.Errorf("below a folder: %q, want %q", got, want)
	}
}
