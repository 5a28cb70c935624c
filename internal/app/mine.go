package app

import (
	"context"

	"github.com/belay-dev/belay/internal/prompt"
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
func Mine(ctx context.Context, d *Desk, text string, why bool) (Mined, error) {
	files, err := prompt.Paths(ctx, d.Repo)
	if err != nil {
		return Mined{}, err
	}
	found := Mined{Places: mine.In(text, names.New(files))}
	if why {
		found.Reasons = mine.Explain(text, files)
	}
	return found, nil
}

// MineText finds the places that a review asks to change among the files given; it needs
// no repository.
func MineText(text string, files []string) []mine.Place { return mine.Mine(text, files) }
