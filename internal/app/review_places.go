package app

import (
	"context"

	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/review/comment"
)

// ReviewPlaces are the places that a review's text asks to change, and the reason for each named
// place that was taken or skipped.
type ReviewPlaces struct {
	Places  []comment.Place
	Reasons []comment.Reason
}

// FindReviewPlaces finds the places that a review asks to change among the tracked files. With why
// it also returns the reason for each named place, taken or skipped.
func FindReviewPlaces(ctx context.Context, s *Service, text string, why bool) (ReviewPlaces, error) {
	files, err := prompt.ReviewPaths(ctx, s.Session.Repo)
	if err != nil {
		return ReviewPlaces{}, err
	}
	x := comment.NewIndex(files)
	found := ReviewPlaces{Places: comment.FindPlaces(text, x)}
	if why {
		found.Reasons = comment.Explain(text, x)
	}
	return found, nil
}

// FindPlacesAmong finds the places that a review asks to change among the given files. It needs no
// repository.
func FindPlacesAmong(text string, files []string) []comment.Place {
	return comment.FindPlaces(text, comment.NewIndex(files))
}
