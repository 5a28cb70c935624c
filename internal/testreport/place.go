package testreport

import (
	"strconv"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// placePattern finds file:line in what compilers and test runners print, and
// pythonPlace the form of Python's tracebacks.
var (
	placePattern = lazyregexp.New(`([\w./@+\-]*\w\.[A-Za-z]\w{0,6}):(\d{1,7})\b`)
	pythonPlace  = lazyregexp.New(`File "([^"\n]+)", line (\d{1,7})`)
)

// Place is a line of a file as some output names it.
type Place struct {
	File string
	Line int
}

// Places returns every place a text mentions, in order, at most most.
func Places(text string, most int) []Place {
	var out []Place
	for _, re := range []*lazyregexp.Regexp{pythonPlace, placePattern} {
		for _, m := range re.FindAllStringSubmatch(text, most) {
			if n, err := strconv.Atoi(m[2]); err == nil && n > 0 && len(out) < most {
				out = append(out, Place{m[1], n})
			}
		}
	}
	return out
}

// firstPlace returns the first place a text mentions, "" and 0 when there is none.
func firstPlace(text string) (string, int) {
	if all := Places(text, 1); len(all) > 0 {
		return all[0].File, all[0].Line
	}
	return "", 0
}
