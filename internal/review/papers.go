package review

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/tasklist"

	"github.com/belay-dev/belay/internal/fsroot"
)

const (
	maxDocuments     = 24
	maxDocument      = 256 << 10 // bytes that are read of one
	maxDocumentBytes = 256 << 10 // bytes of all together
)

// FeatureDocuments returns the documents of a feature, or those named instead, by paths relative to
// the root. A named one that does not exist is an error (CodeNotFound).
func FeatureDocuments(ctx context.Context, repo *git.Repo, feature string, named []string) ([]prompt.Document, error) {
	names := named
	if len(names) == 0 && feature != "" {
		all, err := prompt.ReviewPaths(ctx, repo)
		if err != nil {
			return nil, err
		}
		for _, p := range all {
			if isDocumentOf(p, feature) && len(names) < maxDocuments {
				names = append(names, p)
			}
		}
	}
	root, err := fsroot.OpenRoot(repo.Root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var docs []prompt.Document
	left := maxDocumentBytes
	for _, name := range names {
		text, err := readDocument(root, name)
		switch {
		case err == nil:
			if len(text) > left {
				text = "(omitted for length: read it in the checkout)"
			}
			left -= len(text)
			docs = append(docs, prompt.Document{Path: name, Text: text})
		case len(named) == 0: // listed a moment ago: it was deleted, or is a link
		case errors.Is(err, fs.ErrNotExist):
			return nil, belay.Refuse(belay.CodeNotFound, "give a path from the root of the repository",
				"there is no %s", belay.VisibleLine(name))
		default:
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
	}
	return docs, nil
}

// isDocumentOf reports whether a path is a document of the feature: Markdown in its folder, except
// templates and archives.
func isDocumentOf(p, feature string) bool {
	if path.Ext(p) != ".md" || tasklist.IsIgnored(p) {
		return false
	}
	return tasklist.FeatureOf(p) == feature || strings.Contains("/"+p, "/changes/"+feature+"/specs/")
}

func readDocument(root *fsroot.Root, name string) (string, error) {
	f, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxDocument))
	return strings.ToValidUTF8(string(text), "\ufffd"), err
}
