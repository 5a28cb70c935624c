package testreport

import (
	"slices"
	"strings"
)

// crashLines limits the first lines of a crash that are kept: Go prints the reason first, and then
// every goroutine.
const crashLines = 20

// lineCost is the memory of a line besides its bytes.
const lineCost = 24

// outputLines keeps the last lines of a text that arrives in pieces, and the first lines of a crash
// in it.
type outputLines struct {
	kept            []string
	crash           []string
	linesSinceCrash int  // lines since the crash began
	size            int  // bytes kept, including lineCost
	lineOpen        bool // the last line has no line end yet
}

func (l *outputLines) add(s string) {
	for line := range strings.Lines(s) {
		if len(line) > 2*lineBytes {
			line = line[:2*lineBytes] + "\n"
		}
		if l.lineOpen {
			l.extend(line)
		} else {
			l.next(line)
		}
		l.lineOpen = !strings.HasSuffix(line, "\n")
	}
}

func (l *outputLines) extend(line string) {
	if last := &l.kept[len(l.kept)-1]; len(*last) < 2*lineBytes {
		*last += line
		l.size += len(line)
	} else if strings.HasSuffix(line, "\n") && !strings.HasSuffix(*last, "\n") {
		*last += "\n"
		l.size++
	}
}

func (l *outputLines) next(line string) {
	if l.crash != nil || isCrash(line) {
		if l.linesSinceCrash++; len(l.crash) < crashLines {
			l.crash = append(l.crash, line)
			l.size += lineCost + len(line)
		}
	}
	l.kept = append(l.kept, line)
	l.size += lineCost + len(line)
	if len(l.kept) < 2*messageLines {
		return
	}
	old := len(l.kept) - messageLines
	for _, line := range l.kept[:old] {
		l.size -= lineCost + len(line)
	}
	l.kept = slices.Clone(l.kept[old:])
}

func isCrash(line string) bool {
	return strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")
}

// String returns the end of the text, and before it the start of a crash that is no longer part of
// the end.
func (l *outputLines) String() string {
	if l.linesSinceCrash <= messageLines {
		return strings.Join(l.kept, "")
	}
	end := l.kept[max(0, len(l.kept)-(messageLines-crashLines-1)):]
	return strings.Join(l.crash, "") + "…\n" + strings.Join(end, "")
}
