package app

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/handoff"
	"github.com/belay-dev/belay/internal/journal"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/secret"
	"github.com/belay-dev/belay/internal/session"
)

// Request is what every request says: the task, who asks, and whether what looks like a
// secret may be written all the same.
type Request struct {
	Task  belay.TaskID
	By    string // "" is the user's name
	Force bool
}

// Place is where a task's context is worked on: the service of the tree that the task works
// in, and its record.
type Place struct {
	Session *session.Session
	Rec     *session.Record
	by      string
	force   bool
}

// at opens the place of a task.
func at(ctx context.Context, s *session.Session, q Request) (*Place, error) {
	r, err := s.Load(q.Task)
	if err != nil {
		return nil, err
	}
	inner, err := runner.At(ctx, s, r)
	if err != nil {
		return nil, err
	}
	return &Place{Session: inner, Rec: r, by: who(q.By), force: q.Force}, nil
}

// who gives the name of whoever asks.
func who(by string) string {
	for _, name := range []string{by, os.Getenv("BELAY_ACTOR"), os.Getenv("USER"), os.Getenv("LOGNAME")} {
		if name = strings.TrimSpace(name); name != "" {
			if r := []rune(belay.VisibleLine(name)); len(r) > 80 {
				return string(r[:80])
			}
			return belay.VisibleLine(name)
		}
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return belay.VisibleLine(u.Username)
	}
	return "somebody"
}

// Add appends what decide makes of the context as it stands; when somebody else wrote
// first, it decides again.
func (p *Place) Add(ctx context.Context, decide func(c *handoff.Context) (handoff.Event, error)) error {
	for {
		ev, err := decide(&p.Rec.Context)
		if err != nil {
			return err
		}
		if ev.By == "" {
			ev.By = p.by
		}
		err = p.Session.Append(ctx, p.Rec, session.EntryContext, ev)
		var moved *journal.MovedError
		if !errors.As(err, &moved) {
			return err
		}
	}
}

// Roles gives the roles that the config names, or the usual ones.
func Roles(c config.Config) ([]handoff.Role, error) {
	if len(c.Roles) == 0 {
		return handoff.DefaultRoles(), nil
	}
	var out []handoff.Role
	for _, r := range c.Roles {
		if err := handoff.ParseParts(r.Parts); err != nil {
			return nil, fmt.Errorf("roles.%s.parts: %w", r.Name, err)
		}
		out = append(out, handoff.Role{Name: r.Name, ReadOnly: r.ReadOnly, Parts: r.Parts})
	}
	return out, nil
}

// scope tells the paths that the task may change from the others.
func (p *Place) scope() (func(string) bool, error) {
	files, err := p.Session.Config.Expand(p.Rec.Task.Scope.Files)
	if err != nil {
		return nil, err
	}
	protect, err := p.Session.Config.Expand(p.Rec.Task.Scope.Protect)
	if err != nil {
		return nil, err
	}
	if len(files)+len(protect) == 0 {
		return nil, nil
	}
	return func(path string) bool {
		return (len(files) == 0 || belay.Match(files, path)) && !belay.Match(protect, path)
	}, nil
}

// Secrets refuses words that hold a secret, or, when they are forced, gives the
// fingerprints for the record. what names the words.
func (p *Place) Secrets(force bool, what string, words ...string) (let []string, err error) {
	for _, w := range words {
		for _, m := range secret.Find(w) {
			if m.Example || m.Marked || slices.Contains(p.Session.Config.Secrets.Allow, m.Fingerprint) {
				continue
			}
			if !force {
				return nil, belay.Refuse(belay.CodeRefused,
					fmt.Sprintf("remove it; if it is not a secret, add %s to secrets.allow in the config, or use --force-secrets "+
						"(recorded)", m.Fingerprint),
					"%s contains a possible secret: %s, line %d", what, m.Title, m.Line)
			}
			let = append(let, m.Fingerprint)
		}
	}
	return let, nil
}

// Text reads an attachment, decompressed.
func (p *Place) Text(sha string, zipped bool) ([]byte, error) {
	data, err := p.Session.Journal.Attachment(sha)
	if err != nil || !zipped {
		return data, err
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("read attachment %s: %w", sha, err)
	}
	data, err = io.ReadAll(io.LimitReader(r, fsroot.MaxSmallFile+1))
	if err == nil && len(data) > fsroot.MaxSmallFile {
		err = fmt.Errorf("it unpacks to more than %d MiB", fsroot.MaxSmallFile>>20)
	}
	if err != nil {
		return nil, fmt.Errorf("read attachment %s: %w", sha, err)
	}
	return data, nil
}

// Into reads an attachment that is JSON.
func (p *Place) Into(sha string, v any) error {
	data, err := p.Text(sha, false)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("read attachment %s: %w", sha, err)
	}
	return nil
}

// keep attaches v as canonical JSON and gives its hash and bytes.
func (p *Place) keep(v any) (sha string, text []byte, err error) {
	if text, err = handoff.Canonical(v); err != nil {
		return "", nil, err
	}
	sha, _, err = p.Session.Journal.Attach(bytes.NewReader(text))
	return sha, text, err
}

// Block reads the context's block.
func (p *Place) Block() (handoff.Block, error) {
	var b handoff.Block
	if err := p.Into(p.Rec.Context.Block.Block, &b); err != nil {
		return b, err
	}
	if b.Version != handoff.Version {
		return b, belay.Refuse(belay.CodeCannot, "use the version of belay that made it",
			"the context of %s has the version %d, which is not known", p.Rec.Task.ID, b.Version)
	}
	return b, nil
}

// Changes reads what was handed over last; nil when nothing was.
func (p *Place) Changes() (*handoff.Changes, error) {
	last := p.Rec.Context.Last
	if last == nil {
		return nil, nil
	}
	var c handoff.Changes
	return &c, p.Into(last.Report, &c)
}
