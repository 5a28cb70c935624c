package testreport

import (
	"strconv"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// placePattern matches file:line as compilers and test runners print it, pythonPlace a line of
// Python's tracebacks.
var (
	placePattern = lazyregexp.New(`([\w./@+\-]*\w\.[A-Za-z]\w{0,6}):(\d{1,7})\b`)
	pythonPlace  = lazyregexp.New(`File "([^"\n]+)", line (\d{1,7})`)
)

// Place is a line of a file, as the output names it.
type Place struct {
	File string
	Line int
}

// Places returns the places in a text, at most most: first those of Python's tracebacks, then the
// others.
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

// firstPlace returns the first of Places, "" and 0 for none.
func firstPlace(text string) (string, int) {
	if all := Places(text, 1); len(all) > 0 {
		return all[0].File, all[0].Line
	}
	return "", 0
}
