package desk

import (
	"errors"

	"github.com/belay-dev/belay/internal/belay"
)

// Sentence is an error with what to try, on one line, for the record.
func Sentence(err error) string {
	text := err.Error()
	var e *belay.Error
	if errors.As(err, &e) && e.Try != "" {
		text += " (try: " + e.Try + ")"
	}
	return text
}
