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

// ContextRequest has the fields of every request about a context: the task, the author, and whether text that looks
// like a secret may be written anyway.
type ContextRequest struct {
	Task  belay.TaskID
	By    string // "" is the user's name
	Force bool
}

// TaskContext is the handoff context of a task: its record, and the session of the task's tree.
type TaskContext struct {
	Session *session.Session
	Rec     *session.Record
	by      string
	force   bool
}

// openContext opens the context of a task.
func openContext(ctx context.Context, s *session.Session, q ContextRequest) (*TaskContext, error) {
	r, err := s.Load(q.Task)
	if err != nil {
		return nil, err
	}
	inner, err := runner.TaskSession(ctx, s, r)
	if err != nil {
		return nil, err
	}
	return &TaskContext{Session: inner, Rec: r, by: authorName(q.By), force: q.Force}, nil
}

// authorName returns by, or else the current user's name.
func authorName(by string) string {
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

// Add appends the event that decide makes from the current context. If another process wrote first,
// it calls decide again.
func (p *TaskContext) Add(ctx context.Context, decide func(c *handoff.Context) (handoff.Event, error)) error {
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

// Roles returns the roles in the config, or the default ones.
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

// inScope returns a predicate for the paths that the task may change, nil without a scope.
func (p *TaskContext) inScope() (func(string) bool, error) {
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

// RefuseSecrets fails when texts contain a secret; with force it returns the secrets' fingerprints for the record
// instead. what describes the texts in the error.
func (p *TaskContext) RefuseSecrets(force bool, what string, words ...string) (let []string, err error) {
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

// ReadAttachment reads an attachment, decompressed.
func (p *TaskContext) ReadAttachment(sha string, zipped bool) ([]byte, error) {
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

// ReadJSON decodes an attachment that is JSON into v.
func (p *TaskContext) ReadJSON(sha string, v any) error {
	data, err := p.ReadAttachment(sha, false)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("read attachment %s: %w", sha, err)
	}
	return nil
}

// attachJSON attaches v as canonical JSON and returns its hash and bytes.
func (p *TaskContext) attachJSON(v any) (sha string, text []byte, err error) {
	if text, err = handoff.CanonicalJSON(v); err != nil {
		return "", nil, err
	}
	sha, _, err = p.Session.Journal.Attach(bytes.NewReader(text))
	return sha, text, err
}

// Block reads the context's block.
func (p *TaskContext) Block() (handoff.Block, error) {
	var b handoff.Block
	if err := p.ReadJSON(p.Rec.Context.Block.Block, &b); err != nil {
		return b, err
	}
	if b.Version != handoff.Version {
		return b, belay.Refuse(belay.CodeCannot, "use the version of belay that made it",
			"the context of %s has the version %d, which is not known", p.Rec.Task.ID, b.Version)
	}
	return b, nil
}

// Changes reads the last handover's changes, nil when there was none.
func (p *TaskContext) Changes() (*handoff.Changes, error) {
	last := p.Rec.Context.LastHandoff
	if last == nil {
		return nil, nil
	}
	var c handoff.Changes
	return &c, p.ReadJSON(last.Report, &c)
}
