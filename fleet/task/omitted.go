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

// The server takes 2 MiB at once: an input, a result, an answer. Many of them contain a task's
// state beside the task's text (MaxFeature). Of a larger state a part is sent; the record has all
// of it.
const (
	maxState = 512 << 10 // bytes of JSON of a state that is sent in full
	maxSteps = 1 << 20   // of all steps in one activity's result
)

// Omitted counts what was left out of a task's state; the record has it.
type Omitted struct {
	Findings int `json:"findings,omitempty"`
	Paths    int `json:"paths,omitempty"` // that a restore skipped
	Bytes    int `json:"bytes,omitempty"` // of shortened texts
}

// String lists the counts.
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

// stateLimit limits a state that is too large: the findings of each attempt, and the bytes of each
// text. At least two findings stay, because the rules distinguish one from several.
type stateLimit struct{ list, text int }

// stateLimits are tried in turn.
var stateLimits = []stateLimit{{200, 2000}, {50, 500}, {10, 200}, {2, 100}}

// RecordedEvent is an event of a record, with the state after it.
type RecordedEvent struct {
	Event loop.Event
	State loop.State
	Time  time.Time
}

// MakeSteps converts recorded events to steps for the workflow. before is the state that they
// follow. If the workflow has only a part of it (partial), or the steps are too large, they carry
// partial states too: the workflow cannot compute them, because the rules need the full state. They
// are then compared with the rules here. The error is an ErrDiverged if they differ.
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
	for _, c := range append([]stateLimit{{}}, stateLimits...) { // in full, if that fits again
		if size, err = c.fillSteps(steps, list); err != nil {
			return nil, err
		}
		if size <= maxSteps {
			break
		}
	}
	return steps, nil
}

// fillSteps fills in events and states within the limit. It returns their size; more than maxSteps
// if one state is too large.
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

// limitState returns the part of a state that is sent.
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

// limitEvent returns the part of an event that is sent, and the number of findings left out.
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

// firstItems returns the first items of a list, copied if it is cut, and the number of the others.
func firstItems[T any](list []T, most int) ([]T, int) {
	if len(list) <= most {
		return list, 0
	}
	return append([]T(nil), list[:most]...), len(list) - most
}

// limitTexts returns a copy of a value with every string in it shortened.
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

// shortenText returns the beginning of a text that is too long, and how many bytes were left out.
func shortenText(text string, most int) (string, int) {
	if len(text) <= most {
		return text, 0
	}
	head := strings.ToValidUTF8(text[:most], "")
	left := len(text) - len(head)
	return fmt.Sprintf("%s… (%s more in the record)", head, belay.CountOf(left, "byte")), left
}

// slimState returns a state without what SlimEvent removes from events.
func slimState(s loop.State) loop.State {
	attempts := make([]loop.Attempt, len(s.Attempts))
	for i, a := range s.Attempts {
		a.Findings = SlimEvent(loop.Event{Findings: a.Findings}).Findings
		attempts[i] = a
	}
	s.Attempts = attempts
	return s
}

// jsonSize is the size of a value as JSON, in bytes.
func jsonSize(v any) int {
	text, _ := json.Marshal(v) // stateHash reports the error
	return len(text)
}

// ShortLines cuts lines for people to what the server takes.
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

// shortLine returns the beginning of a line that is too long.
func shortLine(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
