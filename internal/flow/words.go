package flow

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/belay-dev/belay/internal/ask"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
)

// Understand reads a person's words against this repository: its tracked paths, and
// whether a plan of it was made before (a file called plan, or an earlier task). It
// writes nothing. Paths that cannot be listed leave the answer without affected files.
func (d *Desk) Understand(ctx context.Context, text string) (belay.Request, []ask.Evidence) {
	files := d.tracked(ctx)
	return ask.Parse(ask.Input{Text: text, PlanExists: d.planned(files), Files: files})
}

func (d *Desk) tracked(ctx context.Context) []string {
	index := filepath.Join(d.Repo.Dir, "index")
	data, err := os.ReadFile(index)
	if err != nil {
		return nil
	}
	entries, err := git.ParseIndex(data, d.Repo.HashSize())
	if err != nil {
		if entries, err = d.Repo.ListIndex(ctx, index); err != nil {
			return nil
		}
	}
	files := make([]string, 0, len(entries))
	for _, e := range entries {
		if n := len(files); n == 0 || files[n-1] != e.Path { // a conflict has several stages
			files = append(files, e.Path)
		}
	}
	return files
}

// planned reports whether this project was planned or worked on by a task before: then
// a request for something new is about a part of it.
func (d *Desk) planned(files []string) bool {
	if used, err := d.Journal.Tasks(); err == nil && len(used) > 0 {
		return true
	}
	for _, f := range files {
		base, _, _ := strings.Cut(strings.ToLower(path.Base(f)), ".")
		if base == "plan" {
			return true
		}
	}
	return false
}
