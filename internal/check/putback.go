package check

import "github.com/belay-dev/belay/internal/belay"

// putBack says how to take one change back.
func putBack(c belay.Change) string {
	switch c.Status {
	case "A":
		return "remove the file"
	case "D":
		return "bring the file back as it was"
	}
	return "put the file back as it was"
}

// changeVerb says what happened to the file.
func changeVerb(c belay.Change) string {
	switch c.Status {
	case "A":
		return "added"
	case "D":
		return "deleted"
	case "T":
		return "turned into another kind of file"
	}
	return "modified"
}
