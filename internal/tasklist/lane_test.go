package tasklist_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/belay-dev/belay/internal/tasklist"
)

func TestRead(t *testing.T) {
	t.Parallel()
	const move = `{"actor": "me", "at": "2026-04-06T16:4`
	for name, c := range map[string]struct {
		log  string
		want map[string]tasklist.LanePosition
		bad  []tasklist.BadLine
	}{
		"the last one counts": {
			move + `1:00+00:00", "event_id": "01A", "from_lane": "planned", "to_lane": "in_progress", "wp_id": "WP01"}` + "\n" +
				move + `2:00+00:00", "event_id": "01B", "from_lane": "in_progress", "to_lane": "done", "wp_id": "WP01"}` + "\r\n" +
				move + `3:00+00:00", "event_id": "01C", "from_lane": "planned", "to_lane": "claimed", "wp_id": "WP02"}`,
			map[string]tasklist.LanePosition{"WP01": {"done", 2}, "WP02": {"claimed", 3}}, nil},
		"merged out of order": {
			move + `9:00+00:00", "event_id": "01B", "to_lane": "planned", "wp_id": "WP01"}` + "\n" +
				move + `2:00+00:00", "event_id": "01A", "to_lane": "done", "wp_id": "WP01"}` + "\n",
			map[string]tasklist.LanePosition{"WP01": {"planned", 1}}, nil},
		"at the same time the ids say": {
			move + `2:00+00:00", "event_id": "01B", "to_lane": "in_progress", "wp_id": "WP01"}` + "\n" +
				move + `2:00+00:00", "event_id": "01A", "to_lane": "claimed", "wp_id": "WP01"}` + "\n",
			map[string]tasklist.LanePosition{"WP01": {"in_progress", 1}}, nil},
		"other events": {
			`{"event_type": "MissionCreated", "payload": {"mission_slug": "x", "wp_count": 0}, "timestamp": "2026-08-14T00:35:09Z"}` + "\n" +
				`{"actor": "user", "at": "2026-08-14T09:48:15Z", "delta": {"subtasks": {"T001": "done"}}, "kind": "annotation", "wp_id": "WP04"}` + "\n\n",
			map[string]tasklist.LanePosition{}, nil},
		"in an envelope": {
			`{"event_type": "WPStatusChanged", "aggregate_id": "WP01", "payload": {"wp_id": "WP01", "from_lane": "in_review", "to_lane": "approved"}, "timestamp": "2026-08-14T00:35:09Z"}`,
			map[string]tasklist.LanePosition{"WP01": {"approved", 1}}, nil},
		"no events": {
			"\xef\xbb\xbf" + move + `2:00+00:00", "to_lane": "done", "wp_id": "WP01"}` + "\n<<<<<<< HEAD\n[1]\n{\"wp_id\": 4}\n{",
			map[string]tasklist.LanePosition{"WP01": {"done", 1}},
			[]tasklist.BadLine{{2, "<<<<<<< HEAD", "it is not an event"}, {3, "[1]", "it is not an event"}, {4, `{"wp_id": 4}`, "it is not an event"}, {5, "{", "it is not an event"}}},
		"nothing": {"", map[string]tasklist.LanePosition{}, nil},
	} {
		got, bad := tasklist.ReadLanes([]byte(c.log))
		if d := cmp.Diff(c.want, got) + cmp.Diff(c.bad, bad); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

// FuzzRead: any bytes can be read, each position has a line of the log, and a log that is appended
// to itself gives the same result.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"at":"1","event_id":"2","to_lane":"done","wp_id":"WP01"}`))
	f.Add([]byte("{\"payload\":{\"payload\":{}},\"to_lane\":\"x\"}\n\x00\n{}"))
	f.Add([]byte("\xef\xbb\xbf\r\n\r\n[]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		at, bad := tasklist.ReadLanes(data)
		lines := 1
		for _, b := range data {
			if b == '\n' {
				lines++
			}
		}
		for id, one := range at {
			if id == "" || one.Lane == "" || one.Line < 1 || one.Line > lines {
				t.Fatalf("%q: %+v", id, one)
			}
		}
		for _, b := range bad {
			if b.Line < 1 || b.Line > lines {
				t.Fatalf("%+v", b)
			}
		}
		twice, _ := tasklist.ReadLanes(append(append(append([]byte{}, data...), '\n'), data...))
		for id, one := range at {
			if twice[id].Lane != one.Lane {
				t.Fatalf("%q: %+v, then %+v", id, one, twice[id])
			}
		}
	})
}
