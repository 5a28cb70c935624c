package reviews

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/drive"
	"github.com/belay-dev/belay/internal/flow"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/review/mine"
	"github.com/belay-dev/belay/internal/review/names"
)

// Mined is what a review's text asks to change, and why each named place was taken or
// left.
type Mined struct {
	Places  []mine.Place
	Reasons []mine.Reason
}

// Mine finds the places that a review asks to change among the tracked files. With
// why it tells of each place that is named why it was taken or left.
func Mine(ctx context.Context, d *flow.Desk, text string, why bool) (Mined, error) {
	files, err := tracked(ctx, d.Desk)
	if err != nil {
		return Mined{}, err
	}
	found := Mined{Places: mine.In(text, names.New(files))}
	if why {
		found.Reasons = mine.Explain(text, files)
	}
	return found, nil
}

// tracked lists the paths of the index, and those that are not ignored: what an agent has
// just made is spoken of in reviews as well.
func tracked(ctx context.Context, d *drive.Desk) ([]string, error) {
	out, err := git.Answer(d.Repo.Command(ctx, "ls-files", "-z", "--cached", "--others", "--exclude-standard"))
	if err != nil {
		return nil, fmt.Errorf("list the files: %w", err)
	}
	var files []string
	for f := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if f != "" {
			files = append(files, f)
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// MineText finds the places that a review asks to change among the files given; it needs
// no repository.
func MineText(text string, files []string) []mine.Place { return mine.Mine(text, files) }
