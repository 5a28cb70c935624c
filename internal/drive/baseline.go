package drive

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"

	"github.com/belay-dev/belay/internal/baseline"
	"github.com/belay-dev/belay/internal/desk"
	"github.com/belay-dev/belay/internal/loop"
)

// baseline runs the tests on the state before, once for each state and command. What
// could not be run is recorded with its reason and stops nothing.
func (d *Driver) baseline(_ context.Context, c loop.Command) (loop.Event, error) {
	t := d.Rec.Task
	if t.Checks.Timeout == 0 {
		t.Checks.Timeout = desk.RunTimeout
	}
	keeper := baseline.Keeper{Snaps: d.Snaps.Store, Dir: filepath.Join(d.Repo.Common, "belay", "baseline"), Env: desk.TestEnv(t), May: d.May}
	b, err := keeper.Take(d.Soft, c.Target, t.Checks)
	if d.Soft.Err() != nil {
		return loop.Event{}, ErrParked
	}
	if err != nil {
		return loop.Event{}, err
	}
	text, err := json.Marshal(b)
	if err != nil {
		return loop.Event{}, err
	}
	sha, _, err := d.Journal.Attach(bytes.NewReader(text))
	if err != nil {
		return loop.Event{}, err
	}
	return loop.Event{Kind: loop.EvBaseline, Note: b.Says(), Report: sha}, nil
}
