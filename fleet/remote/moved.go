package remote

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// PackBytes are the bytes of packs that git sent to a remote and received from it. It is what git's progress says: three digits are
// exact of more than a KiB, and requests, headers and the list of refs are not in it.
type PackBytes struct {
	Sent     int64 `json:"sent,omitempty"`
	Received int64 `json:"received,omitempty"`
}

// Git's words about its progress. What the other side says begins with "remote: ".
var (
	packProgress = lazyregexp.New(`^(Writing|Receiving) objects: 100% \(\d+/\d+\), (\d+(?:\.\d+)?) (bytes?|KiB|MiB|GiB)\b`)
	progressLine = lazyregexp.New(`^(remote: )?((Enumerating|Counting|Compressing|Writing|Receiving|Unpacking) objects|Resolving deltas|` +
		`Delta compression using|Total \d+ \(delta)\b`)
)

// parseProgress reads what git said: the packs that it sent or received as a whole, and the rest, which is for people.
func parseProgress(said []byte) (m PackBytes, rest string) {
	var b strings.Builder
	for line := range bytes.FieldsFuncSeq(said, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if !progressLine.Match(line) {
			b.Write(append(line[:len(line):len(line)], '\n'))
			continue
		}
		found := packProgress.FindSubmatch(line)
		if found == nil || !bytes.Contains(line, []byte("done.")) { // it says 100 % twice
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
