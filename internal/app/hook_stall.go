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

// stallState is stored between two hook calls, to detect an agent that repeats the same tool call.
type stallState struct {
	Warnings int             `json:"told"` // warnings to the agent since the last prompt
	Watch    json.RawMessage `json:"watch"`
}

// markStall is the kind of mark that records a warning to the agent that it repeats itself.
const markStall session.MarkKind = "stall"

func (h *hookCall) stallPath() string {
	return h.svc.Session.Scratch(filepath.Join("calls", string(h.id)+".json"))
}

// resetStall deletes the stored tool calls, after a prompt or at the end of the session. With all
// it also deletes files older than a day, of sessions without an end event.
func (h *hookCall) resetStall(all bool) {
	_ = os.Remove(h.stallPath())
	if !all {
		return
	}
	list, _ := os.ReadDir(filepath.Dir(h.stallPath()))
	for _, e := range list {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
			_ = os.Remove(filepath.Join(filepath.Dir(h.stallPath()), e.Name()))
		}
	}
}

// checkStall compares a finished call with the previous ones. At a stall it asks the agent to
// change its approach, and notifies the person.
func (h *hookCall) checkStall(ctx context.Context, m session.Mark) error {
	repeats := h.svc.Session.Config.Stall.Repeats
	if repeats < 2 {
		return nil
	}
	t := h.ev.Tool
	args := map[string]any{}
	for name, v := range t.Args {
		args[name] = v
	}
	w, seen := agent.NewStallWatch(h.svc.Session.Repo.Root, repeats), stallState{}
	if text, err := fsroot.ReadFile(h.stallPath(), 1<<20); err == nil && json.Unmarshal(text, &seen) == nil {
		w.Load(seen.Watch)
	}
	call := agent.Call{Thread: h.ev.Thread, Tool: t.Name, Args: args}
	found := w.Made(call, agent.CallResult{Output: t.Output, HasOutput: t.Output != "", Failed: t.Failed}, m.SnapshotDigest)
	if found != nil {
		seen.Warnings++
		w = agent.NewStallWatch(h.svc.Session.Repo.Root, repeats) // so that each stall is reported once
		what := oneLineOf(found.String())
		h.ans.Context = "belay: " + what + ", with the same result. Repeating it will not help: read the result, and " +
			"change your approach before you call it again. If you cannot continue, say what is missing, and stop."
		h.ans.Note = "belay: the agent repeats itself: " + what
		if n := h.svc.Session.Config.Stall.Recoveries; seen.Warnings > n {
			h.ans.Note += fmt.Sprintf(" (warned %d times); belay undo --turn reverses the turn", seen.Warnings)
		}
		s := h.nextMark(markStall)
		s.Tool, s.Text = m.Tool, what
		if err := h.svc.Session.AddMark(ctx, h.sess, s); err != nil {
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
	if err := fsroot.MkdirAll(filepath.Dir(h.stallPath()), 0o700); err != nil {
		return err
	}
	return fsroot.WriteFile(h.stallPath(), text, 0o600)
}
