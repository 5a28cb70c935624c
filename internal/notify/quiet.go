package notify

import (
	"fmt"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
)

// Quiet are daily hours in which nothing is sent. The zero value is never.
type Quiet struct {
	from, to int // minutes after midnight, in local time
	zone     *time.Location
}

// ParseQuiet parses "22:00-07:00", in the time zone of the machine, or with a zone: "22:00-07:00
// Europe/Berlin". "" is never. Error: CodeUsage for anything else, and for a zone that this machine
// does not know.
func ParseQuiet(text string) (Quiet, error) {
	if text == "" {
		return Quiet{}, nil
	}
	bad := func(why string) (Quiet, error) {
		return Quiet{}, belay.Refuse(belay.CodeUsage, `write it like "22:00-07:00" or "22:00-07:00 Europe/Berlin"`,
			"the quiet hours %q cannot be used: %s", belay.VisibleLine(text), why)
	}
	hours, name, zoned := strings.Cut(text, " ")
	first, last, _ := strings.Cut(hours, "-")
	from, ferr := time.Parse("15:04", first)
	to, terr := time.Parse("15:04", last)
	if ferr != nil || terr != nil || len(hours) != len("22:00-07:00") {
		return bad("they are not two times of day")
	}
	q := Quiet{from: from.Hour()*60 + from.Minute(), to: to.Hour()*60 + to.Minute(), zone: time.Local}
	if q.from == q.to {
		return bad("they are the whole day")
	}
	if zoned {
		var err error
		if q.zone, err = time.LoadLocation(name); err != nil || name == "" {
			return bad("this machine does not know the time zone")
		}
	}
	return q, nil
}

// In reports whether t is in the quiet hours. The first minute is, the last one is not.
func (q Quiet) In(t time.Time) bool {
	if q.zone == nil {
		return false
	}
	t = t.In(q.zone)
	at := t.Hour()*60 + t.Minute()
	if q.from < q.to {
		return q.from <= at && at < q.to
	}
	return at >= q.from || at < q.to
}

// End returns the first time from t on that is not in the quiet hours. It goes minute by minute,
// because a time of day may occur twice, or never, when clocks change.
func (q Quiet) End(t time.Time) time.Time {
	if !q.In(t) {
		return t
	}
	for t = t.Truncate(time.Minute); q.In(t); t = t.Add(time.Minute) {
	}
	return t
}

// String formats the hours with their zone.
func (q Quiet) String() string {
	if q.zone == nil {
		return "never"
	}
	return fmt.Sprintf("%02d:%02d-%02d:%02d %s", q.from/60, q.from%60, q.to/60, q.to%60, q.zone)
}
