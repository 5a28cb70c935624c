package snapshot

import (
	"crypto/rand"
	"encoding/binary"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
)

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// newID makes an id from the time in milliseconds (48 bits) and a random number (80 bits): 26
// characters of base 32, so that ids sort by time. When the clock is before the newest id, the
// new one follows that id instead: the order never depends on a clock that was set back.
func newID(now time.Time, newest belay.SnapshotID) belay.SnapshotID {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], uint64(max(0, now.UnixMilli()))<<16)
	_, _ = rand.Read(b[6:]) // never fails
	id := encodeID(b)
	if newest != "" && id <= newest {
		return nextID(newest)
	}
	return id
}

// maxClockAhead is the most that the clock of another machine may have been ahead when it took a
// snapshot. Some clocks are years off; later ids sort after such ids.
const maxClockAhead = 100 * 365 * 24 * time.Hour

// isForeignID reports whether belay cannot have made an id: its time is too far in the future, or
// it has more bits than an id has. An id that has to follow it might sort after everything forever,
// or not exist.
func isForeignID(id belay.SnapshotID, now time.Time) bool {
	return !id.IsComplete() || id[0] > '7' || idTime(id).After(now.Add(maxClockAhead))
}

// newestID returns the newest id among refs that the next id has to follow. Belay made every id
// that a record names, even one with a wrong time: the clock was wrong then.
func (s *Store) newestID(refs []git.Ref, now time.Time) belay.SnapshotID {
	newest := belay.SnapshotID("")
	for _, r := range refs {
		id, ours := strings.CutPrefix(r.Name, RefPrefix)
		if _, err := belay.ParseSnapshotID(id); !ours || err != nil || strings.ToLower(id) != id || len(id) != 26 {
			continue
		}
		if _, named := s.opts.Registry.Lookup(belay.SnapshotID(id)); named || !isForeignID(belay.SnapshotID(id), now) {
			newest = max(newest, belay.SnapshotID(id))
		}
	}
	return newest
}

// encodeID writes 128 bits as 26 characters, of which the first contains three bits.
func encodeID(b [16]byte) belay.SnapshotID {
	hi, lo := binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])
	var out [26]byte
	for i := 25; i >= 0; i-- {
		out[i] = alphabet[lo&31]
		lo = lo>>5 | hi<<59
		hi >>= 5
	}
	return belay.SnapshotID(out[:])
}

// nextID returns an id a little above another: the random part increases by a random amount, so
// that two processes that follow the same id get different ones.
func nextID(id belay.SnapshotID) belay.SnapshotID {
	var step [4]byte
	_, _ = rand.Read(step[:])
	carry := uint64(binary.BigEndian.Uint32(step[:])) + 1
	out := []byte(id)
	for i := len(out) - 1; i >= 0 && carry > 0; i-- {
		carry += uint64(digitValue(out[i]))
		out[i] = alphabet[carry&31]
		carry >>= 5
	}
	return belay.SnapshotID(out)
}

func digitValue(c byte) int {
	for i := range len(alphabet) {
		if alphabet[i] == c {
			return i
		}
	}
	return 0
}

// idTime returns the time inside an id.
func idTime(id belay.SnapshotID) time.Time {
	var ms uint64
	for i := range 10 {
		ms = ms<<5 | uint64(digitValue(id[i]))
	}
	return time.UnixMilli(int64(ms))
}
