package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/handoff"
)

// ContextVar is the environment variable that names the file with a role's part of the task's
// context. The file is read-only for agents; changes go through belay context.
const ContextVar = "BELAY_TASK_CONTEXT"

// ContextFolder returns the folder of the context files that belay writes for a task's agents.
func (s *Session) ContextFolder(task belay.TaskID) string { return s.Scratch("context", task.Key()) }

// WriteContext writes the context that a role was last given to a file for its agent and returns
// the path. The path is "" if the task has no context or the role was given nothing. role "" is the
// first one.
func (s *Session) WriteContext(r *Record, role string) (string, error) {
	if !r.Context.IsSet() {
		return "", nil
	}
	if role == "" && len(r.Context.Roles) > 0 {
		role = r.Context.Roles[0].Name
	}
	ref, given := r.Context.Exports[role]
	if !given {
		return "", nil
	}
	text, err := s.Journal.Attachment(ref.Attachment)
	if err != nil {
		return "", err
	}
	dir := s.ContextFolder(r.Task.ID)
	if err := fsroot.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make %s: %w", dir, err)
	}
	path := filepath.Join(dir, strings.ToLower(role)+".json")
	if err := fsroot.AtomicWrite(path, fsroot.AtomicOptions{Perm: 0o400}, text); err != nil {
		return "", fmt.Errorf("write %s: %w", path, err)
	}
	return path, nil
}

// ContextFiles returns the names of the files with a role's part of a task's context.
func (s *Session) ContextFiles(task belay.TaskID, role string) (there []string) {
	for _, f := range s.contextFiles(task, role) {
		there = append(there, f.shownPath)
	}
	return there
}

// EditedContext returns the context files that were edited. A deleted file does not count. A file
// with an earlier version written by belay is rewritten: belay may have been killed between writing
// the record and the file.
func (s *Session) EditedContext(r *Record) (edited []string) {
	for _, role := range r.Context.Roles {
		ref, given := r.Context.Exports[role.Name]
		if !given {
			continue
		}
		for _, f := range s.contextFiles(r.Task.ID, role.Name) {
			if !r.wasGiven(role.Name, ref, handoff.SHA256Hex(f.text)) {
				edited = append(edited, f.shownPath)
			}
		}
	}
	return edited
}

// wasGiven reports whether a role was given a part with this hash, the latest or an earlier
// one.
func (r *Record) wasGiven(role string, latest handoff.ExportRef, sha string) bool {
	if sha == latest.Attachment {
		return true
	}
	for _, e := range r.Log.Entries {
		var ev handoff.Event
		if e.Type != EntryContext || json.Unmarshal(e.Data, &ev) != nil {
			continue
		}
		for _, x := range ev.Exports {
			if x.Role == role && x.Attachment == sha {
				return true
			}
		}
	}
	return false
}

// maxContextFile is the maximum size in bytes of a context file that is read.
const maxContextFile = 64 << 20

// contextFile is a file written for an agent.
type contextFile struct {
	shownPath string
	text      []byte
}

// contextFiles reads the existing files with a role's part, in the git folder and in the tree.
func (s *Session) contextFiles(task belay.TaskID, role string) (there []contextFile) {
	dir, name, inTree := s.ContextFolder(task), strings.ToLower(role)+".json", ".belay/now/"+ContextFileName(task, role)
	if text, ok := FileReader(dir, maxContextFile)(name); ok {
		there = append(there, contextFile{filepath.Join(dir, name), text})
	}
	if text, ok := FileReader(s.Repo.Root, maxContextFile)(inTree); ok {
		there = append(there, contextFile{inTree, text})
	}
	return there
}

// PurgeContext removes the context files and records that. Snapshots and the data in the record
// stay. It is safe to repeat.
func (s *Session) PurgeContext(ctx context.Context, r *Record, by string) error {
	if err := s.removeContext(r); err != nil {
		return err
	}
	if !r.Context.IsSet() {
		return nil
	}
	return s.Append(ctx, r, EntryContext, handoff.Event{Kind: handoff.EventPurged, By: by})
}

func (s *Session) removeContext(r *Record) error {
	if err := fsroot.RemoveAll(s.ContextFolder(r.Task.ID)); err != nil {
		return fmt.Errorf("purge the context of %s: %w", r.Task.ID, err)
	}
	root, err := fsroot.OpenRoot(s.Repo.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, role := range r.Context.Roles {
		err := root.Remove(".belay/now/" + ContextFileName(r.Task.ID, role.Name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fsroot.ErrNotFolder) {
			return fmt.Errorf("purge the context of %s: %w", r.Task.ID, err)
		}
	}
	return nil
}

// SweepContexts removes context files that no task will purge: those of tasks that have ended or
// have no record, in the git folder of every worktree and in this tree's .belay/now. It returns
// these tasks. All these files can be made again from records; a task with an unreadable record
// keeps its files.
func (s *Session) SweepContexts() (swept []string, err error) {
	found := map[string][]func() error{} // functions that remove them, by the task's key
	folders := []string{filepath.Join(s.Repo.Common, "belay", "context")}
	trees, err := fsroot.ReadDir(filepath.Join(s.Repo.Common, "worktrees"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the working trees: %w", err)
	}
	for _, e := range trees {
		folders = append(folders, filepath.Join(s.Repo.Common, "worktrees", e.Name(), "belay", "context"))
	}
	for _, folder := range folders {
		list, err := fsroot.ReadDir(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("list %s: %w", folder, err)
		}
		for _, e := range list {
			path := filepath.Join(folder, e.Name())
			found[e.Name()] = append(found[e.Name()], func() error { return fsroot.RemoveAll(path) })
		}
	}
	root, err := fsroot.OpenRoot(s.Repo.Root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	names, err := root.ReadFolder(".belay/now")
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fsroot.ErrNotFolder) {
		return nil, err
	}
	live, err := s.liveContextKeys() // after listing the files, so that a task created meanwhile is in this list
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		path := ".belay/now/" + name
		part, ok := FileReader(s.Repo.Root, maxContextFile)(path)
		var of handoff.Export
		if ok = ok && strings.HasPrefix(name, "context-") && json.Unmarshal(part,
			&of) == nil; !ok || name != ContextFileName(of.TaskID, of.Role) {
			continue // not written by belay
		}
		key := of.TaskID.Key()
		found[key] = append(found[key], func() error { return root.Remove(path) })
	}
	for _, key := range slices.Sorted(maps.Keys(found)) {
		if slices.Contains(live, key) {
			continue
		}
		for _, remove := range found[key] {
			if err := remove(); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return swept, fmt.Errorf("purge the context of %s: %w", belay.VisibleLine(key), err)
			}
		}
		swept = append(swept, key)
	}
	return swept, nil
}

// liveContextKeys returns the keys of tasks that may be using their contexts: open tasks, and
// tasks with an unreadable record.
func (s *Session) liveContextKeys() (keys []string, err error) {
	tasks, err := s.Journal.Tasks()
	if err != nil {
		return nil, err
	}
	for _, id := range tasks {
		if r, err := s.Load(id); err != nil || r.Open() {
			keys = append(keys, id.Key())
		}
	}
	return keys, nil
}

// ContextFileName returns the name of the file in .belay/now with a role's part of a task's
// context.
func ContextFileName(task belay.TaskID, role string) string {
	return fmt.Sprintf("context-%s-%s.json", task.Key(), strings.ToLower(role))
}
