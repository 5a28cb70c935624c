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

// Request is what is to be installed, or removed.
type Request struct {
	Agents  []string
	Skill   bool   // the skill as well
	Project string // the root of the project to install for; "" is for the user
	Remove  bool
	DryRun  bool
	Program string // belay's, absolute
	State   string // belay's state folder; "" records nothing
	Env     []string
}

// What became of a file.
const (
	Wrote     = "wrote"
	Removed   = "removed"
	Unchanged = "unchanged"
)

// Change is what was done to one file, or would be.
type Change struct {
	Agent       string   `json:"agent"`
	Path        string   `json:"path"`
	Action      string   `json:"did"`             // wrote, removed, unchanged
	Lines       []string `json:"lines,omitempty"` // with a dry run: those that would be added, or removed
	KeptFiles   []string `json:"kept,omitempty"`  // files with what somebody saved while an earlier belay was killed
	Note        string   `json:"note,omitempty"`
	FileRemoved bool     `json:"gone,omitempty"` // the whole file was removed
}

// step is one file to change.
type step struct {
	agent, path string
	edit        func(f settingsFile, rec *installRecord) (editResult, error)
	quiet       bool // not worth a line when nothing changes
}

// editResult is a file's new text, nil for none, and what to record of it; no record for what is not belay's any more.
type editResult struct {
	text []byte
	rec  *installRecord
	note string
}

// Apply installs or removes. Everything is tried before the first file is written. Errors: belay.CodeUsage for an unknown
// agent, belay.CodeCannot with the reason why a file cannot be changed; then all files are as they were, or are named.
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

// lock keeps two belays from changing the same files at the same time.
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

// steps are the files of the agents.
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
		slices.Reverse(steps) // the folder that was created first goes last
	}
	return steps, nil
}

// file is the agent's file for the user or for the project.
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

// editSettings edits a file of the agent's.
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

// editOwnFile edits a file of belay's own.
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

// perform changes one file, once more when somebody saves it meanwhile.
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

// boundary is the folder that a file of a project may not leave.
func (q Request) boundary(s step) string {
	if q.Project == "" || !strings.HasPrefix(s.path, q.Project+string(filepath.Separator)) {
		return ""
	}
	return q.Project
}

// applyOnce reads one file and changes it, unless only what would change is wanted.
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

// write makes the folders, the record and the file, in this order: with a record alone nothing is lost.
func (q Request) write(f settingsFile, old *installRecord, e editResult) error {
	if e.rec == nil {
		if err := f.replace(e.text); err != nil {
			return err
		}
		if e.text == nil && old != nil {
			for _, dir := range slices.Backward(old.Folders) {
				_ = os.Remove(dir) // one that is not empty stays
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

// changedLines are those between the common start and the common end.
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
