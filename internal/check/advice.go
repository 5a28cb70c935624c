package check

import "github.com/belay-dev/belay/internal/belay"

// revertAdvice says how to take one change back.
func revertAdvice(c belay.Change) string {
	switch c.Status {
	case "A":
		return "remove the file"
	case "D":
		return "restore the file"
	}
	return "restore the file"
}

// changeVerb says what happened to the file.
func changeVerb(c belay.Change) string {
	switch c.Status {
	case "A":
		return "added"
	case "D":
		return "deleted"
	case "T":
		return "changed to another file type"
	}
	return "modified"
}
