package task

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
)

// The server takes 2 MiB at once: an input, a result, an answer. A task's state is in many of them, beside the task's text (MaxFeature).
// A larger one goes in part, and the record has the whole of it.
const (
	maxState = 512 << 10 // bytes of JSON of a state that goes whole
	maxSteps = 1 << 20   // of all steps that one activity gives
)

// Omitted is what of a task's state only its record has.
type Omitted struct {
	Findings int `json:"findings,omitempty"`
	Paths    int `json:"paths,omitempty"` // that a restore left alone
	Bytes    int `json:"bytes,omitempty"` // of texts that were cut
}

// String says how much it is.
func (o Omitted) String() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{o.Findings, "finding"}, {o.Paths, "path"}, {o.Bytes, "byte"}} {
		switch {
		case p.n == 1:
			parts = append(parts, "1 "+p.what)
		case p.n > 1:
			parts = append(parts, belay.Thousands(int64(p.n))+" "+p.what+"s")
		}
	}
	return strings.Join(parts, ", ")
}

// stateLimit is how much of a state goes when it is too large: so many findings of each attempt, and bytes of each text. The rules
// tell one finding from several, so two stay.
type stateLimit struct{ list, text int }

// stateLimits are tried in turn.
var stateLimits = []stateLimit{{200, 2000}, {50, 500}, {10, 200}, {2, 100}}

// RecordedEvent is an event of a record, and the state that it led to.
type RecordedEvent struct {
	Event loop.Event
	State loop.State
	Time  time.Time
}

// MakeSteps makes of what was recorded what the workflow is told. before is the state that it follows; where the workflow knows a part
// of that only, or any of it is too large, it is told states in part as well, because the rules need all of what it would decide by.
// They are compared with the rules here. Error: of type ErrDiverged where they differ.
func MakeSteps(p belay.Policy, before loop.State, partial bool, list []RecordedEvent) (steps []Step, err error) {
	size, large := 0, partial
	for _, r := range list {
		sum, n, err := stateHash(r.State)
		if err != nil {
			return nil, err
		}
		steps = append(steps, Step{Event: SlimEvent(r.Event), Sum: sum, Time: r.Time})
		size += jsonSize(steps[len(steps)-1])
		large = large || n > maxState
	}
	if !large && size <= maxSteps {
		return steps, nil
	}
	for i, r := range list {
		next, _, err := loop.Step(p, before, r.Event)
		if err != nil {
			return nil, refusedEventError(err)
		}
		sum, err := StateHash(next)
		if err != nil {
			return nil, err
		}
		if sum != steps[i].Sum {
			return nil, otherEventError(r.Event)
		}
		before = r.State
	}
	for _, c := range append([]stateLimit{{}}, stateLimits...) { // whole, where that fits again
		if size, err = c.fillSteps(steps, list); err != nil {
			return nil, err
		}
		if size <= maxSteps {
			break
		}
	}
	return steps, nil
}

// fillSteps fills in what goes of recorded events and states, and gives its size: more than fits where a state is too large.
func (c stateLimit) fillSteps(steps []Step, list []RecordedEvent) (size int, err error) {
	for i, r := range list {
		s := &steps[i]
		s.Event, s.More = c.limitEvent(r.Event)
		state, left := c.limitState(r.State)
		s.State, s.Omitted = &state, nil
		if left != (Omitted{}) {
			s.Omitted = &left
		}
		var n int
		if s.Sum, n, err = stateHash(state); err != nil {
			return 0, err
		}
		if n > maxState {
			size += maxSteps
		}
		size += jsonSize(*s)
	}
	return size, nil
}

// limitState is what goes of a state.
func (c stateLimit) limitState(s loop.State) (loop.State, Omitted) {
	s = slimState(s)
	var left Omitted
	if c == (stateLimit{}) {
		return s, left
	}
	for i := range s.Attempts {
		a := &s.Attempts[i]
		var more int
		if a.Findings, more = firstItems(a.Findings, c.list); more > 0 {
			left.Findings += more
			a.Findings = append(a.Findings, belay.Finding{Check: "fleet", Severity: belay.SeverityNote,
				Title: belay.Thousands(int64(more)) + " more in the record"}.Sign())
		}
		if a.Kept, more = firstItems(a.Kept, c.list); more > 0 {
			left.Paths += more
			a.Kept = append(a.Kept, belay.Thousands(int64(more))+" more in the record")
		}
	}
	s = c.limitTexts(s, &left).(loop.State)
	return s, left
}

// limitEvent is what goes of an event, and how many findings do not.
func (c stateLimit) limitEvent(e loop.Event) (loop.Event, int) {
	e = SlimEvent(e)
	if c == (stateLimit{}) {
		return e, 0
	}
	var more int
	e.Findings, more = firstItems(e.Findings, c.list)
	e.Kept, _ = firstItems(e.Kept, c.list)
	return c.limitTexts(e, new(Omitted)).(loop.Event), more
}

// firstItems are the first of a list, in a list of their own, and how many more there are.
func firstItems[T any](list []T, most int) ([]T, int) {
	if len(list) <= most {
		return list, 0
	}
	return append([]T(nil), list[:most]...), len(list) - most
}

// limitTexts is a copy of a value in which every text is short, whatever it is for.
func (c stateLimit) limitTexts(v any, left *Omitted) any {
	var short func(reflect.Value) reflect.Value
	short = func(v reflect.Value) reflect.Value {
		out := reflect.New(v.Type()).Elem()
		out.Set(v)
		switch v.Kind() {
		case reflect.String:
			text, n := shortenText(v.String(), c.text)
			left.Bytes += n
			out.SetString(text)
		case reflect.Struct:
			for i := range v.NumField() {
				if out.Field(i).CanSet() {
					out.Field(i).Set(short(v.Field(i)))
				}
			}
		case reflect.Pointer:
			if !v.IsNil() {
				out.Set(reflect.New(v.Type().Elem()))
				out.Elem().Set(short(v.Elem()))
			}
		case reflect.Slice:
			if !v.IsNil() {
				out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
				for i := range v.Len() {
					out.Index(i).Set(short(v.Index(i)))
				}
			}
		}
		return out
	}
	return short(reflect.ValueOf(v)).Interface()
}

// shortenText is the beginning of a text that is too long, and how many bytes are left out.
func shortenText(text string, most int) (string, int) {
	if len(text) <= most {
		return text, 0
	}
	head := strings.ToValidUTF8(text[:most], "")
	left := len(text) - len(head)
	return fmt.Sprintf("%s… (%s more in the record)", head, belay.CountOf(left, "byte")), left
}

// slimState is a state without what Slim takes out of events.
func slimState(s loop.State) loop.State {
	attempts := make([]loop.Attempt, len(s.Attempts))
	for i, a := range s.Attempts {
		a.Findings = SlimEvent(loop.Event{Findings: a.Findings}).Findings
		attempts[i] = a
	}
	s.Attempts = attempts
	return s
}

// jsonSize is how large a value is as JSON.
func jsonSize(v any) int {
	text, _ := json.Marshal(v) // Sum says what is wrong with it
	return len(text)
}

// ShortLines are lines for people as they go through the server.
func ShortLines(lines []string) []string {
	const most = 50
	all, more := firstItems(lines, most)
	out := make([]string, len(all), len(all)+1)
	for i, l := range all {
		out[i] = shortLine(l, maxLine)
	}
	if more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return out
}

// shortLine is the beginning of a line that is too long.
func shortLine(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
