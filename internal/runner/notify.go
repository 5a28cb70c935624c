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

// notifyTime is how long telling somebody may take, and a run that nobody waits for ends that much later.
const notifyTime = 10 * time.Second

// Teller tells people of the tasks of a repository that wait, as its config asks for.
type Teller struct {
	session *session.Session
	Note    func(string) // takes what went wrong, a line each

	box    notify.Outbox
	hook   notify.Webhook
	failed error // why the webhook cannot be used
}

// NewTeller reads the settings. What is wrong with them is noted: the webhook then counts as one that is down.
func NewTeller(s *session.Session, note func(string)) *Teller {
	t := &Teller{session: s, Note: note, box: notify.Outbox{Dir: filepath.Join(s.Repo.Common, "belay", "notify")}}
	var err error
	if t.box.Quiet, err = notify.ParseQuiet(s.Config.Notify.Quiet); err != nil {
		note("notify.quiet: " + session.Sentence(err))
	}
	if t.hook, t.failed = t.webhook(); t.failed != nil {
		note("notify.webhook: " + session.Sentence(t.failed))
	}
	return t
}

// On reports whether the config asks for anything but the bell.
func (t *Teller) On() bool {
	n := t.session.Config.Notify
	return len(n.Command) > 0 || n.Desktop || n.Webhook.URL != ""
}

func (t *Teller) webhook() (notify.Webhook, error) {
	w := t.session.Config.Notify.Webhook
	if w.URL == "" {
		return notify.Webhook{}, nil
	}
	for key, value := range map[string]string{"url": w.URL, "secret_file": w.SecretFile, "link": w.Link} {
		if value == "" {
			continue
		}
		if ok, err := t.session.May.Setting("notify.webhook."+key, value); err != nil || !ok {
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

// Add puts the message about a record's gate into the outbox, once.
func (t *Teller) Add(r *session.Record) error {
	g := r.State.Gate
	m := notify.Message{ID: notify.ID(r.Log.Entries[0].Hash, g.Number), Task: string(r.Task.ID), Gate: g.Number, Kind: string(g.Kind),
		Repository: filepath.Base(strings.TrimSuffix(t.session.Repo.Common, string(filepath.Separator)+".git")),
		Reason:     notify.Reason(g.Kind), Since: r.Changed.UTC()}
	m.Link = notify.Link(t.session.Config.Notify.Webhook.Link, m)
	_, err := t.box.Add(m)
	return err
}

// Flush sends what is due, and with eager what was not accepted a moment ago. next is when something is due again, zero for
// never.
func (t *Teller) Flush(ctx context.Context, eager bool) (next time.Time, err error) {
	box := t.box
	box.Eager = eager
	return box.Flush(ctx, t.open, t.send)
}

// Waiting is how many messages are not sent yet.
func (t *Teller) Waiting() (int, error) { return t.box.Waiting() }

// Try sends a test message to the webhook, now. CodeUsage when there is none.
func (t *Teller) Try(ctx context.Context) error {
	if t.failed == nil && !t.hook.Set() {
		return belay.Refuse(belay.CodeUsage, "belay config explain notify", "no webhook is configured")
	}
	if t.failed != nil {
		return t.failed
	}
	return t.hook.Send(ctx, notify.Test(time.Now()))
}

// open reports whether a message's gate still waits.
func (t *Teller) open(m notify.Message) bool {
	r, err := t.session.Load(belay.TaskID(m.Task))
	return err != nil || r.State.Gate != nil && r.State.Gate.Number == m.Gate
}

// send is a notify.Send. What tells people at this machine is done at the first try only, and how it ends changes nothing.
func (t *Teller) send(ctx context.Context, d notify.Delivery, tries int) error {
	if tries == 0 {
		t.here(ctx, d)
	}
	if t.failed != nil || !t.hook.Set() {
		return t.failed
	}
	return t.hook.Send(ctx, d)
}

// here runs the program and shows the notification. They may say more than the webhook: they run on this machine.
func (t *Teller) here(ctx context.Context, d notify.Delivery) {
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
	ctx, cancel := context.WithTimeout(ctx, notifyTime)
	defer cancel()
	if argv := t.session.Config.Notify.Command; len(argv) > 0 {
		if err := t.command(ctx, argv, strings.Join(tasks, " "), title, why); err != nil {
			t.Note("notify.command: " + session.Sentence(err))
		}
	}
	if t.session.Config.Notify.Desktop {
		argv := desktop(waits, title+": "+why)
		if err := exec.CommandContext(ctx, argv[0], argv[1:]...).Run(); err != nil {
			t.Note("notify.desktop: " + session.Sentence(err))
		}
	}
}

func (t *Teller) command(ctx context.Context, argv []string, tasks, title, why string) error {
	command, err := t.session.May.Program(argv)
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

// tell tells people of the open gate for as long as it waits, and notifyTime at least. The question does not wait for it.
// Where somebody else drives the task, that one tells people.
func (d *Driver) tell(ctx, waits context.Context) {
	if d.Stop != nil || !(&Teller{session: d.Session}).On() {
		return
	}
	if d.teller == nil {
		d.teller = NewTeller(d.Session, d.Watch.Note)
	}
	t := d.teller
	if err := t.Add(d.Rec); err != nil {
		d.Watch.Note("notify: " + session.Sentence(err))
		return
	}
	d.telling.Go(func() {
		until, said := time.Now().Add(notifyTime), ""
		for {
			next, err := t.Flush(ctx, false)
			if err != nil && err.Error() != said && !errors.Is(err, t.failed) {
				said = err.Error()
				d.Watch.Note("notify: " + session.Sentence(err))
			}
			if next.IsZero() {
				return
			}
			gone := waits.Done()
			if next.Before(until) && t.failed == nil {
				gone = nil // soon enough even when nobody waits
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

// desktop gives the command that shows a notification.
func desktop(title, text string) []string {
	if runtime.GOOS == "darwin" { // the texts are arguments of the script: they are no part of its source
		return []string{"osascript", "-e", "on run argv", "-e", "display notification (item 2 of argv) with title (item 1 of argv)",
			"-e", "end run", title, text}
	}
	return []string{"notify-send", "--app-name=belay", "--", title, text}
}
