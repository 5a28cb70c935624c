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

// stallState is what is stored of a session's tool calls between two hook calls, to detect an agent that repeats the
// same call.
type stallState struct {
	Warnings int             `json:"told"` // how often the agent was told since the last prompt
	Watch    json.RawMessage `json:"watch"`
}

// markStall is the kind of mark that records that the agent was told it repeats itself.
const markStall session.MarkKind = "stall"

func (h *hookCall) stallPath() string {
	return h.svc.Session.Scratch(filepath.Join("calls", string(h.id)+".json"))
}

// resetStall forgets the tool calls: a person wrote a prompt, or the session ended. With all it also deletes, after a
// day, files of sessions that ended without an event.
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

// checkStall compares a finished call with those before it. At a stall it tells the agent to try something else, and
// notifies the person.
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
		w = agent.NewStallWatch(h.svc.Session.Repo.Root, repeats) // one message for each stall
		what := oneLineOf(found.String())
		h.ans.Context = "belay: " + what + ", with the same result. Repeating it will not help: read the result, and " +
			"change your approach before you call it again. If you cannot continue, say what is missing, and stop."
		h.ans.Note = "belay: the agent repeats itself: " + what
		if n := h.svc.Session.Config.Stall.Recoveries; seen.Warnings > n {
			h.ans.Note += fmt.Sprintf(" (told %d times); belay undo --turn reverses the turn", seen.Warnings)
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
