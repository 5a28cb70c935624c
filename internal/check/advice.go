package check

import "github.com/belay-dev/belay/internal/belay"

// revertAdvice returns how to revert one change.
func revertAdvice(c belay.Change) string {
	switch c.Status {
	case "A":
		return "remove the file"
	case "D":
		return "restore the file"
	}
	return "restore the file"
}

// changeVerb returns what happened to the file.
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
