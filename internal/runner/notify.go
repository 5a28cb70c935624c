package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/notify"
	"github.com/belay-dev/belay/internal/proc"
	"github.com/belay-dev/belay/internal/session"
)

// notifyTimeout limits a notification. A run without a person ends that much later.
const notifyTimeout = 10 * time.Second

// Notifier notifies people of a repository's waiting tasks, as its config asks for.
type Notifier struct {
	session *session.Session
	Note    func(string) // called with each error, one line

	outbox     notify.Outbox
	hookConfig notify.Webhook
	hookErr    error // why the webhook cannot be used
}

// NewNotifier reads the settings and reports errors in them through note: the webhook then
// counts as unreachable.
func NewNotifier(s *session.Session, note func(string)) *Notifier {
	t := &Notifier{session: s, Note: note, outbox: notify.Outbox{Dir: filepath.Join(s.Repo.Common, "belay", "notify")}}
	var err error
	if t.outbox.Quiet, err = notify.ParseQuiet(s.Config.Notify.Quiet); err != nil {
		note("notify.quiet: " + session.ErrorLine(err))
	}
	if t.hookConfig, t.hookErr = t.webhook(); t.hookErr != nil {
		note("notify.webhook: " + session.ErrorLine(t.hookErr))
	}
	return t
}

// IsEnabled reports whether the config asks for anything but the bell.
func (t *Notifier) IsEnabled() bool {
	n := t.session.Config.Notify
	return len(n.Command) > 0 || n.Desktop || n.Webhook.URL != ""
}

func (t *Notifier) webhook() (notify.Webhook, error) {
	w := t.session.Config.Notify.Webhook
	if w.URL == "" {
		return notify.Webhook{}, nil
	}
	for key, value := range map[string]string{"url": w.URL, "secret_file": w.SecretFile, "link": w.Link} {
		if value == "" {
			continue
		}
		if ok, err := t.session.Gate.Setting("notify.webhook."+key, value); err != nil || !ok {
			return notify.Webhook{}, cmp.Or(err, error(belay.Refuse(belay.CodeCannot, "belay trust",
				"the settings of this repository are not trusted, so they have no effect")))
		}
	}
	file := w.SecretFile
	if rest, ok := strings.CutPrefix(file, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return notify.Webhook{}, err
		}
		file = filepath.Join(home, rest)
	}
	if file != "" {
		inside, err := filepath.Rel(t.session.Repo.Root, file)
		if !filepath.IsAbs(file) || err != nil || filepath.IsLocal(inside) {
			return notify.Webhook{}, belay.Refuse(belay.CodeUsage, "a full path outside of the repository, or ~/…",
				"the file with the secret is in the repository")
		}
	}
	return notify.NewWebhook(w.URL, notify.SecretEnv, file, os.Getenv)
}

// AddGate puts the message about a record's gate into the outbox, once.
func (t *Notifier) AddGate(r *session.Record) error {
	g := r.State.Gate
	m := notify.Message{ID: notify.ID(r.Log.Entries[0].Hash, g.Number), Task: string(r.Task.ID), Gate: g.Number, Kind: string(g.Kind),
		Repository: filepath.Base(strings.TrimSuffix(t.session.Repo.Common, string(filepath.Separator)+".git")),
		Reason:     notify.Reason(g.Kind), Since: r.Changed.UTC()}
	m.Link = notify.Link(t.session.Config.Notify.Webhook.Link, m)
	_, err := t.outbox.Add(m)
	return err
}

// Flush sends the messages that are due and, if eager, those that were rejected a moment ago. next
// is when another one is due, zero for never.
func (t *Notifier) Flush(ctx context.Context, eager bool) (next time.Time, err error) {
	box := t.outbox
	box.Eager = eager
	return box.Flush(ctx, t.isOpen, t.send)
}

// CountWaiting returns how many messages are not sent yet.
func (t *Notifier) CountWaiting() (int, error) { return t.outbox.Waiting() }

// SendTest sends a test message to the webhook, now. CodeUsage when there is none.
func (t *Notifier) SendTest(ctx context.Context) error {
	if t.hookErr == nil && !t.hookConfig.Set() {
		return belay.Refuse(belay.CodeUsage, "belay config explain notify", "no webhook is configured")
	}
	if t.hookErr != nil {
		return t.hookErr
	}
	return t.hookConfig.Send(ctx, notify.Test(time.Now()))
}

// isOpen reports whether a message's gate is still open.
func (t *Notifier) isOpen(m notify.Message) bool {
	r, err := t.session.Load(belay.TaskID(m.Task))
	return err != nil || r.State.Gate != nil && r.State.Gate.Number == m.Gate
}

// send is a notify.Send. Notifications on this machine are made at the first try only, and
// their result is ignored.
func (t *Notifier) send(ctx context.Context, d notify.Delivery, tries int) error {
	if tries == 0 {
		t.notifyLocally(ctx, d)
	}
	if t.hookErr != nil || !t.hookConfig.Set() {
		return t.hookErr
	}
	return t.hookConfig.Send(ctx, d)
}

// notifyLocally runs the notification program and shows the desktop notification. They may contain
// more than the webhook's messages, because they stay on this machine.
func (t *Notifier) notifyLocally(ctx context.Context, d notify.Delivery) {
	var tasks []string
	for _, m := range d.Messages {
		tasks = append(tasks, m.Task)
	}
	title, why, waits := belay.CountOf(len(tasks), "task"), d.Text, belay.CountOf(len(tasks), "task")+" wait for you"
	if len(tasks) == 1 {
		waits = tasks[0] + " waits for you"
		if r, err := t.session.Load(belay.TaskID(tasks[0])); err == nil {
			title = belay.VisibleLine(r.Task.Title)
			if g := r.State.Gate; g != nil && g.Number == d.Messages[0].Gate { // not answered meanwhile
				why = belay.VisibleLine(g.Why)
			}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, notifyTimeout)
	defer cancel()
	if argv := t.session.Config.Notify.Command; len(argv) > 0 {
		if err := t.runCommand(ctx, argv, strings.Join(tasks, " "), title, why); err != nil {
			t.Note("notify.command: " + session.ErrorLine(err))
		}
	}
	if t.session.Config.Notify.Desktop {
		argv := desktopCommand(waits, title+": "+why)
		if err := exec.CommandContext(ctx, argv[0], argv[1:]...).Run(); err != nil {
			t.Note("notify.desktop: " + session.ErrorLine(err))
		}
	}
}

func (t *Notifier) runCommand(ctx context.Context, argv []string, tasks, title, why string) error {
	command, err := t.session.Gate.Program(argv)
	if err != nil {
		return err
	}
	var said proc.HeadTail
	end := proc.Program{
		Command: command, Dir: t.session.Repo.Root, Stdout: &said, Grace: time.Second,
		Env: proc.Environ(append(os.Environ(), "BELAY_TASK="+tasks, "BELAY_TITLE="+title, "BELAY_REASON="+why), t.session.Repo.Root),
	}.Run(ctx)
	if end.Code != 0 || end.Failed != nil {
		return fmt.Errorf("%s %s: %s", command, end, strings.TrimSpace(said.Last(200)))
	}
	return nil
}

// notifyGate sends notifications of the open gate while it waits, and for notifyTimeout at least.
// The question does not wait for them. If another process drives the task, that one notifies.
func (d *Driver) notifyGate(ctx, waits context.Context) {
	if d.Stop != nil || !(&Notifier{session: d.Session}).IsEnabled() {
		return
	}
	if d.notifier == nil {
		d.notifier = NewNotifier(d.Session, d.Observer.Note)
	}
	t := d.notifier
	if err := t.AddGate(d.Record); err != nil {
		d.Observer.Note("notify: " + session.ErrorLine(err))
		return
	}
	d.notifying.Go(func() {
		until, said := time.Now().Add(notifyTimeout), ""
		for {
			next, err := t.Flush(ctx, false)
			if err != nil && err.Error() != said && !errors.Is(err, t.hookErr) {
				said = err.Error()
				d.Observer.Note("notify: " + session.ErrorLine(err))
			}
			if next.IsZero() {
				return
			}
			gone := waits.Done()
			if next.Before(until) && t.hookErr == nil {
				gone = nil // soon enough even without a person
			}
			select {
			case <-ctx.Done():
				return
			case <-gone:
				return
			case <-time.After(time.Until(next)):
			}
		}
	})
}

// desktopCommand returns the command that shows a desktop notification.
func desktopCommand(title, text string) []string {
	if runtime.GOOS == "darwin" { // the texts are arguments of the script, never part of its source
		return []string{"osascript", "-e", "on run argv", "-e", "display notification (item 2 of argv) with title (item 1 of argv)",
			"-e", "end run", title, text}
	}
	return []string{"notify-send", "--app-name=belay", "--", title, text}
}
