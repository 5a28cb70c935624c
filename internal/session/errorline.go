package session

import (
	"errors"

	"github.com/belay-dev/belay/internal/belay"
)

// ErrorLine returns an error with its suggested next step, on one line, for the record.
func ErrorLine(err error) string {
	text := err.Error()
	var e *belay.Error
	var odd interface{ Try() string } // as the errors of packages fsroot and git have it
	switch {
	case errors.As(err, &e) && e.Try != "":
		text += " (try: " + e.Try + ")"
	case errors.As(err, &odd):
		text += " (try: " + odd.Try() + ")"
	}
	return text
}
