package remote

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// PackBytes are the bytes of packs sent to and received from a remote, by git's progress messages:
// above 1 KiB they are rounded to three digits or so. Requests, headers and the list of refs do not
// count.
type PackBytes struct {
	Sent     int64 `json:"sent,omitempty"`
	Received int64 `json:"received,omitempty"`
}

// Git's progress messages. Those of the other side begin with "remote: ".
var (
	packProgress = lazyregexp.New(`^(Writing|Receiving) objects: 100% \(\d+/\d+\), (\d+(?:\.\d+)?) (bytes?|KiB|MiB|GiB)\b`)
	progressLine = lazyregexp.New(`^(remote: )?((Enumerating|Counting|Compressing|Writing|Receiving|Unpacking) objects|Resolving deltas|` +
		`Delta compression using|Total \d+ \(delta)\b`)
)

// parseProgress reads git's standard error: the packs that it sent or received in full, and the
// rest, which is for people.
func parseProgress(said []byte) (m PackBytes, rest string) {
	var b strings.Builder
	for line := range bytes.FieldsFuncSeq(said, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if !progressLine.Match(line) {
			b.Write(append(line[:len(line):len(line)], '\n'))
			continue
		}
		found := packProgress.FindSubmatch(line)
		if found == nil || !bytes.Contains(line, []byte("done.")) { // 100 % is printed twice
			continue
		}
		n, err := strconv.ParseFloat(string(found[2]), 64)
		for _, unit := range []string{"KiB", "MiB", "GiB"} {
			if !strings.HasPrefix(string(found[3]), "byte") {
				n *= 1 << 10
			}
			if string(found[3]) == unit {
				break
			}
		}
		if err != nil || n > math.MaxInt64/4 {
			continue
		}
		if string(found[1]) == "Writing" {
			m.Sent += int64(n)
		} else {
			m.Received += int64(n)
		}
	}
	return m, strings.TrimSpace(b.String())
}
