package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/secret"
	"github.com/belay-dev/belay/internal/session"
)

// callsSeen is what is kept of a session's calls between two hook calls: the agent goes round in circles when it makes the
// same one again and again.
type callsSeen struct {
	Told  int             `json:"told"` // how often it was told so since a person last said something
	Watch json.RawMessage `json:"watch"`
}

// markStall is a mark of the record: the agent was told that it repeats itself.
const markStall session.MarkKind = "stall"

func (h *hooks) callsPath() string {
	return h.d.Session.Scratch(filepath.Join("calls", string(h.id)+".json"))
}

// forgetCalls begins anew: a person has said something, or the session is over. Files of sessions that ended without a
// word are removed after a day.
func (h *hooks) forgetCalls(all bool) {
	_ = os.Remove(h.callsPath())
	if !all {
		return
	}
	list, _ := os.ReadDir(filepath.Dir(h.callsPath()))
	for _, e := range list {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
			_ = os.Remove(filepath.Join(filepath.Dir(h.callsPath()), e.Name()))
		}
	}
}

// stalled compares a call that has ended with those before it. When it completes a stall the agent is told to try something
// else, and the person that it was told.
func (h *hooks) stalled(ctx context.Context, m session.Mark) error {
	repeats := h.d.Session.Config.Stall.Repeats
	if repeats < 2 {
		return nil
	}
	t := h.ev.Tool
	args := map[string]any{}
	for name, v := range t.Args {
		args[name] = v
	}
	w, seen := agent.NewStallWatch(h.d.Session.Repo.Root, repeats), callsSeen{}
	if text, err := fsroot.ReadFile(h.callsPath(), 1<<20); err == nil && json.Unmarshal(text, &seen) == nil {
		w.Load(seen.Watch)
	}
	call := agent.Call{Thread: h.ev.Thread, Tool: t.Name, Args: args}
	found := w.Made(call, agent.Ended{Output: t.Output, HasOutput: t.Output != "", Failed: t.Failed}, m.Whole)
	if found != nil {
		seen.Told++
		w = agent.NewStallWatch(h.d.Session.Repo.Root, repeats) // told once for each time
		what := oneLineOf(found.String())
		h.ans.Context = "belay: " + what + ", with the same result. Repeating it will not help: read the result, and " +
			"change your approach before you call it again. If you cannot continue, say what is missing, and stop."
		h.ans.Note = "belay: the agent repeats itself: " + what
		if n := h.d.Session.Config.Stall.Recoveries; seen.Told > n {
			h.ans.Note += fmt.Sprintf(" (told %d times); belay undo --turn reverses the turn", seen.Told)
		}
		s := h.mark(markStall)
		s.Tool, s.Text = m.Tool, what
		if err := h.d.Session.AddMark(ctx, h.sit, s); err != nil {
			return err
		}
	}
	watch, err := w.Save(secret.Mask)
	if err != nil {
		return err
	}
	seen.Watch = watch
	text, err := json.Marshal(seen)
	if err != nil {
		return err
	}
	if err := fsroot.MkdirAll(filepath.Dir(h.callsPath()), 0o700); err != nil {
		return err
	}
	return fsroot.WriteFile(h.callsPath(), text, 0o600)
}
