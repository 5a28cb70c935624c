package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// Request says what to install or remove.
type Request struct {
	Agents  []string
	Skill   bool   // also the skill
	Project string // the project's root; "" to install for the user
	Remove  bool
	DryRun  bool
	Program string // path of belay, absolute
	State   string // belay's state folder; "" to record nothing
	Env     []string
}

// What was done to a file.
const (
	Wrote     = "wrote"
	Removed   = "removed"
	Unchanged = "unchanged"
)

// Change says what was or would be done to one file.
type Change struct {
	Agent       string   `json:"agent"`
	Path        string   `json:"path"`
	Action      string   `json:"did"`             // wrote, removed or unchanged
	Lines       []string `json:"lines,omitempty"` // in a dry run: the lines to be added or removed
	KeptFiles   []string `json:"kept,omitempty"`  // files with content that was saved while an earlier belay was killed
	Note        string   `json:"note,omitempty"`
	FileRemoved bool     `json:"gone,omitempty"` // the file was deleted
}

// step is one file to change.
type step struct {
	agent, path string
	edit        func(f settingsFile, rec *installRecord) (editResult, error)
	quiet       bool // report it only if it changes
}

// editResult is a file's new text, nil for no file, and its record, nil if nothing of belay's is
// left in it.
type editResult struct {
	text []byte
	rec  *installRecord
	note string
}

// Apply installs or removes. It tries all changes before it writes the first file. Errors:
// belay.CodeUsage for an unknown agent; belay.CodeCannot, with the reason, if a file cannot be
// changed. Then no file has changed, or the ones that have are returned.
func Apply(ctx context.Context, q Request) ([]Change, error) {
	steps, err := q.steps()
	if err != nil {
		return nil, err
	}
	if !q.DryRun {
		unlock, err := q.lock(ctx)
		if err != nil {
			return nil, err
		}
		defer unlock()
	}
	var tried []Change
	for _, s := range steps {
		c, err := q.applyOnce(s, true)
		if err != nil {
			return nil, err
		}
		if c.Action != Unchanged || !s.quiet {
			tried = append(tried, c)
		}
	}
	if q.DryRun {
		return tried, nil
	}
	var done []Change
	for _, s := range steps {
		c, err := q.perform(s)
		if err != nil {
			return done, err
		}
		if c.Action != Unchanged || !s.quiet {
			done = append(done, c)
		}
	}
	return done, nil
}

// lock prevents two processes from changing the same files at once.
func (q Request) lock(ctx context.Context) (unlock func(), err error) {
	if q.State == "" {
		return func() {}, nil
	}
	if err := fsroot.MkdirAll(q.State, 0o700); err != nil {
		return nil, err
	}
	l := fsroot.NewLock(filepath.Join(q.State, "agents.lock"))
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if ok, err := l.TryLockContext(ctx, 20*time.Millisecond); err != nil || !ok {
		return nil, belay.Refuse(belay.CodeBusy, "try again when it has ended", "another belay init is running")
	}
	return func() { _ = l.Unlock() }, nil
}

func (q Request) records() recordFolder {
	if q.State == "" {
		return ""
	}
	return recordFolder(filepath.Join(q.State, "agents"))
}

// steps returns the files to change.
func (q Request) steps() ([]step, error) {
	if !strings.HasPrefix(filepath.Base(q.Program), "belay") {
		return nil, belay.Refuse(belay.CodeCannot, "call it belay", "this program is called %s: its hooks could not be recognised later",
			filepath.Base(q.Program))
	}
	var steps []step
	for _, name := range q.Agents {
		in, err := integrationOf(name)
		if err != nil {
			return nil, err
		}
		path, err := q.file(in)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(steps, func(s step) bool { return s.path == path }) {
			continue
		}
		edit := q.editSettings(in)
		if in.ownFile != nil {
			text, err := in.ownFile(q.Program)
			if err != nil {
				return nil, err
			}
			edit = q.editOwnFile(text)
		}
		steps = append(steps, step{name, path, edit, false})
		if config, ok := homeFile("CODEX_HOME", ".codex", "config.toml")(q.Env); name == "codex" && q.Remove && ok {
			steps = append(steps, step{name, config, untrustHooks, true})
		}
	}
	if q.Skill {
		paths, err := q.skills()
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			steps = append(steps, step{"skill", path, q.editOwnFile(Skill), false})
		}
	}
	if q.Remove {
		slices.Reverse(steps) // so that the folder created first is removed last
	}
	return steps, nil
}

// file returns the agent's settings file for the user or project.
func (q Request) file(in integration) (string, error) {
	if q.Project != "" {
		return filepath.Join(q.Project, filepath.FromSlash(in.projectFile)), nil
	}
	path, ok := in.userFile(q.Env)
	if !ok {
		return "", noHome()
	}
	return path, nil
}

func noHome() error {
	return belay.Refuse(belay.CodeCannot, "set HOME, or use --project", "HOME is not set to an absolute path")
}

// editSettings returns the edit of an agent's settings file.
func (q Request) editSettings(in integration) func(f settingsFile, rec *installRecord) (editResult, error) {
	return func(f settingsFile, rec *installRecord) (editResult, error) {
		fault := func(err error) error {
			return belay.Refuse(belay.CodeCannot, "fix it, then run belay init again; nothing was changed", "%s: %s", f.path, err)
		}
		if ok, err := in.isCurrent(f.text, q.Program); err != nil {
			return editResult{}, fault(err)
		} else if ok && !q.Remove {
			return editResult{text: f.text, rec: rec}, nil
		}
		base, err := in.strip(f.text, rec)
		if err != nil {
			return editResult{}, fault(err)
		}
		created := !f.exists || rec != nil && rec.Created && isBare(base)
		if q.Remove {
			if f.exists && !created {
				return editResult{text: base}, nil
			}
			return editResult{}, nil
		}
		d, err := in.insert(base, q.Program)
		if err != nil {
			return editResult{}, fault(err)
		}
		return editResult{text: d.text, rec: &installRecord{Original: digest(base), AddedSpans: d.addedSpans,
			Created: created, KeptContainers: in.containers(base)}}, nil
	}
}

// editOwnFile returns the edit of a file that is only belay's.
func (q Request) editOwnFile(text []byte) func(f settingsFile, rec *installRecord) (editResult, error) {
	return func(f settingsFile, rec *installRecord) (editResult, error) {
		ours := sameText(f.text, text) || rec != nil && digest(f.text) == rec.Result
		switch {
		case !f.exists && q.Remove:
			return editResult{}, nil
		case f.exists && !ours && q.Remove:
			return editResult{text: f.text, rec: rec, note: "was changed since belay wrote it; remove it yourself"}, nil
		case f.exists && !ours:
			return editResult{}, belay.Refuse(belay.CodeCannot, "move it away, then run belay init again",
				"%s was not written by belay, or was changed since", f.path)
		case q.Remove:
			return editResult{}, nil
		}
		return editResult{text: text, rec: &installRecord{Original: digest(nil), Created: true, AddedSpans: []span{{0, len(text)}}}}, nil
	}
}

// perform changes one file, and tries again if somebody saves it meanwhile.
func (q Request) perform(s step) (c Change, err error) {
	for range 10 {
		c, err = q.applyOnce(s, false)
		var saved *fsroot.SavedError
		if !errors.As(err, &saved) || saved.SetAsideAt != "" {
			break
		}
	}
	if err != nil && belay.CodeOf(err) == belay.CodeCannot {
		return c, err
	}
	return c, wrapError(err, s.path)
}

func wrapError(err error, path string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("write %s: %w", path, err)
}

// boundary returns the folder that a project's file must not leave.
func (q Request) boundary(s step) string {
	if q.Project == "" || !strings.HasPrefix(s.path, q.Project+string(filepath.Separator)) {
		return ""
	}
	return q.Project
}

// applyOnce changes one file. If dry is set, it only computes the change.
func (q Request) applyOnce(s step, dry bool) (Change, error) {
	c := Change{Agent: s.agent, Path: s.path, Action: Unchanged}
	f, err := openFile(s.path, q.boundary(s))
	if err != nil {
		return c, err
	}
	rec := q.records().read(f.realPath)
	if !dry {
		c.KeptFiles = removeLeftovers(filepath.Dir(f.realPath), rec)
	}
	now := f.text
	if !f.exists {
		now = nil
	}
	e, err := s.edit(f, rec)
	if err != nil {
		return c, err
	}
	c.Note = e.note
	if sameText(now, e.text) {
		if q.Remove && !dry && e.note == "" {
			return c, q.records().remove(f.realPath)
		}
		return c, nil
	}
	c.Action = Wrote
	if q.Remove {
		c.Action, c.FileRemoved = Removed, e.text == nil
	}
	if dry {
		c.Lines = changedLines(now, e.text)
		return c, nil
	}
	return c, q.write(f, rec, e)
}

// write creates the folders, then the record, then the file: a record without its file does no
// harm.
func (q Request) write(f settingsFile, old *installRecord, e editResult) error {
	if e.rec == nil {
		if err := f.replace(e.text); err != nil {
			return err
		}
		if e.text == nil && old != nil {
			for _, dir := range slices.Backward(old.Folders) {
				_ = os.Remove(dir) // fails if it is not empty
			}
		}
		return q.records().remove(f.realPath)
	}
	made, err := makeFolders(filepath.Dir(f.realPath))
	if err != nil {
		return err
	}
	if old != nil && e.rec.Created {
		made = append(old.Folders, made...)
	}
	e.rec.Path, e.rec.Result, e.rec.Folders = f.realPath, digest(e.text), made
	if err := q.records().write(e.rec); err != nil {
		return fmt.Errorf("record what is written: %w", err)
	}
	return f.replace(e.text)
}

// changedLines returns the lines that differ, without the common start and end.
func changedLines(old, new []byte) (out []string) {
	a, b := strings.SplitAfter(string(old), "\n"), strings.SplitAfter(string(new), "\n")
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	show := func(sign string, list []string) {
		for _, line := range list {
			if line = strings.TrimRight(line, "\r\n"); line != "" {
				out = append(out, sign+line)
			}
		}
	}
	show("- ", a)
	show("+ ", b)
	return out
}
