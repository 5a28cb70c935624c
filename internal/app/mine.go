package app

import (
	"context"

	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/review/comment"
)

// Mined is what a review's text asks to change, and why each named place was taken or
// left.
type Mined struct {
	Places  []comment.Place
	Reasons []comment.Reason
}

// Mine finds the places that a review asks to change among the tracked files. With
// why it tells of each place that is named why it was taken or left.
func Mine(ctx context.Context, s *Service, text string, why bool) (Mined, error) {
	files, err := prompt.Paths(ctx, s.Session.Repo)
	if err != nil {
		return Mined{}, err
	}
	x := comment.NewIndex(files)
	found := Mined{Places: comment.FindPlaces(text, x)}
	if why {
		found.Reasons = comment.Explain(text, x)
	}
	return found, nil
}

// MineText finds the places that a review asks to change among the files given; it needs
// no repository.
func MineText(text string, files []string) []comment.Place {
	return comment.FindPlaces(text, comment.NewIndex(files))
}
