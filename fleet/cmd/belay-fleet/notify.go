package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/notify"
	"github.com/belay-dev/belay/internal/session"
)

// notifier is the state of belay-fleet notify.
type notifier struct {
	box  notify.Outbox
	hook notify.Webhook
	link string
	say  func(string) // reports a problem in a line

	notified map[string]bool
}

func (a *program) notifyCommand() *cobra.Command {
	var address, file, quiet, home, link string
	var every time.Duration
	var once, test bool
	c := &cobra.Command{
		Use: "notify --webhook URL", Short: "Send a message for each gate that opens", Args: cobra.NoArgs,
		Long: `Notify watches the tasks of the fleet and sends one signed message to a webhook for each
gate that opens and each task that is quarantined. --home records what was sent: after a
restart only new messages are sent. Messages of quiet hours become one summary at their
end. docs/notifications.md describes the messages.

Run it on one machine, and not as the user of a worker: agents could read the secret,
which is in --secret-file or in BELAY_WEBHOOK_SECRET.

Exit codes: 0 stopped, or with --once everything due was accepted · 2 failed.`,
		Example: `  belay-fleet notify --webhook https://hooks.example.org/belay --quiet "22:00-07:00 Europe/Berlin"
  belay-fleet notify --webhook https://hooks.example.org/belay --test`,
		RunE: func(c *cobra.Command, _ []string) error {
			t, err := a.newNotifier(address, file, quiet, home, link)
			if err != nil {
				return err
			}
			if test {
				if err := t.hook.Send(c.Context(), notify.Test(time.Now())); err != nil {
					return err
				}
				return a.PrintResult(map[string]any{"sent": 1}, nil, func(w io.Writer) {
					fmt.Fprintln(w, "the webhook accepted a test message")
				})
			}
			cl, err := a.dial(c.Context())
			if err != nil {
				return err
			}
			defer cl.Close()
			open := func(ctx context.Context) (openGates, error) { return waiting(ctx, cl, t.sayOnce) }
			if once {
				t.box.Eager = true
				_, err := t.notifyRound(c.Context(), open)
				return a.PrintResult(map[string]any{"home": t.box.Dir}, err)
			}
			if err := a.PrintResult(map[string]any{"home": t.box.Dir}, nil, func(w io.Writer) {
				fmt.Fprintf(w, "notify: watching, quiet hours: %s, in %s\n", t.box.Quiet, t.box.Dir)
			}); err != nil {
				return err
			}
			t.watch(c.Context(), open, every)
			return nil
		},
	}
	f := c.Flags()
	f.StringVar(&address, "webhook", "", "the https address that gets the messages, as a `URL`")
	f.StringVar(&file, "secret-file", "", "the `FILE` with the secret that signs them")
	f.StringVar(&quiet, "quiet", "", "hours without messages, like 22:00-07:00 or \"22:00-07:00 Europe/Berlin\"")
	f.StringVar(&link, "link", "", "an address for people, in which {repository}, {task} and {gate} are filled in")
	f.StringVar(&home, "home", "", "the `FOLDER` for what was sent (default belay/fleet-notify in the state folder)")
	f.DurationVar(&every, "every", 10*time.Second, "how often to look")
	f.BoolVar(&once, "once", false, "look and send once")
	f.BoolVar(&test, "test", false, "send a test message")
	return c
}

func (a *program) newNotifier(address, file, quiet, home, link string) (t *notifier, err error) {
	t = &notifier{link: link, say: func(line string) { fmt.Fprintf(a.Err, "belay-fleet: %s\n", belay.VisibleLine(line)) }}
	if t.hook, err = notify.NewWebhook(address, notify.SecretEnv, file, os.Getenv); err != nil {
		return nil, err
	}
	if t.box.Quiet, err = notify.ParseQuiet(quiet); err != nil {
		return nil, err
	}
	if home == "" {
		state, err := session.StateFolder()
		if err != nil {
			return nil, err
		}
		home = filepath.Join(state, "fleet-notify")
	}
	t.box.Dir, err = filepath.Abs(home)
	return t, err
}

// watch runs rounds until ctx ends.
func (t *notifier) watch(ctx context.Context, open func(context.Context) (openGates, error), every time.Duration) {
	for {
		if _, err := t.notifyRound(ctx, open); err != nil && ctx.Err() == nil {
			t.sayOnce(session.ErrorLine(err))
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(every):
		}
	}
}

// sayOnce reports a line, unless it was reported before.
func (t *notifier) sayOnce(line string) {
	if t.notified == nil {
		t.notified = map[string]bool{}
	}
	if !t.notified[line] {
		t.say(line)
	}
	t.notified[line] = true
}

// notifyRound adds a message for each open gate to the outbox, unless it has it, and sends the due
// ones.
func (t *notifier) notifyRound(ctx context.Context, open func(context.Context) (openGates, error)) (time.Time, error) {
	all, err := open(ctx)
	if err != nil {
		return time.Time{}, err
	}
	now := map[string]bool{}
	for _, m := range all.messages {
		now[m.ID] = true
		m.Link = notify.Link(t.link, m)
		if _, err := t.box.Add(m); err != nil {
			return time.Time{}, err
		}
	}
	return t.box.Flush(ctx, func(m notify.Message) bool { return now[m.ID] || all.unknown[taskKey(m.Repository, m.Task)] },
		func(ctx context.Context, d notify.Delivery, _ int) error { return t.hook.Send(ctx, d) })
}

// openGates are the messages about open gates.
type openGates struct {
	messages []notify.Message
	unknown  map[[2]string]bool // the tasks that no worker answered for: their gates may be open
}

// taskKey identifies a task or feature among all repositories.
func taskKey(repository, id string) [2]string { return [2]string{repository, belay.TaskID(id).Key()} }

// waiting asks the server for the open gates. It reports a task that no worker answers for.
func waiting(ctx context.Context, c client.Client, say func(string)) (all openGates, err error) {
	rows, err := list(ctx, c, "ExecutionStatus = 'Running' AND "+waitingQuery)
	if err != nil {
		return all, err
	}
	all.unknown = map[[2]string]bool{}
	for _, r := range rows {
		v, err := c.QueryWorkflow(ctx, r.id, "", task.QueryStatus)
		var st task.FeatureStatus // has all fields of a task's status
		if err == nil {
			err = v.Get(&st)
		}
		if err != nil {
			say(fmt.Sprintf("%s: %v", r.id, err))
			all.unknown[taskKey(r.Repository, r.Task)] = true
			continue
		}
		all.messages = append(all.messages, messages(r, st)...)
	}
	return all, nil
}

// messages returns the messages about one waiting task or feature.
func messages(r row, st task.FeatureStatus) (all []notify.Message) {
	m := notify.Message{Task: string(st.Task.ID), Repository: r.Repository, Since: r.Started.UTC()}
	if n := len(st.Lines); n > 0 {
		m.Since = st.Lines[n-1].Time.UTC()
	}
	add := func(record string, gate int, kind string) {
		m.ID, m.Gate, m.Kind, m.Reason = notify.ID(record, gate), gate, kind, notify.Reason(loop.GateKind(kind))
		all = append(all, m)
	}
	switch {
	case st.Phase == task.PhaseQuarantined: // the time is part of the ID, because it can be quarantined again
		add(r.id+" "+m.Since.Format(time.RFC3339Nano), 0, notify.Quarantined)
	case st.Phase != string(loop.PhaseGate):
	case st.Gate != nil:
		add(r.id, st.Gate.Number, string(st.Gate.Kind))
	}
	for _, g := range st.Gates {
		add(r.id, g.Number, notify.Feature)
	}
	return all
}
