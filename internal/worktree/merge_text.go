package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
)

// maxTextSize is the size in bytes above which texts are not merged.
const maxTextSize = 32 << 20

// textMerger merges texts with git merge-file, which ignores attributes and runs no program that
// the repository configures.
type textMerger struct {
	ctx  context.Context
	repo *git.Repo
	rd   *git.Reader
	tmp  string
	task string
	made []git.NewObject // merged texts that are not stored yet
	size int             // of these, in bytes
}

func (m *merger) newTextMerger(ctx context.Context) (*textMerger, error) {
	rd, err := m.to.Snapshots.Repo.Reader(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := m.to.Snapshots.Worktree.MakeScratchDir("tmp")
	if err == nil {
		dir, err = fsroot.MkdirTemp(dir, "merge-")
	}
	if err != nil {
		return nil, errors.Join(err, rd.Close())
	}
	return &textMerger{ctx: ctx, repo: m.to.Snapshots.Repo, rd: rd, tmp: dir, task: string(m.q.Task)}, nil
}

func (j *textMerger) close() {
	_ = j.rd.Close()
	_ = fsroot.RemoveAll(j.tmp)
}

// join implements Join. The result is a blob, which store stores.
func (j *textMerger) join(base, ours, theirs string) (Joined, error) {
	var wanted []string
	for _, oid := range []string{base, ours, theirs} {
		if oid != "" {
			wanted = append(wanted, oid)
		}
	}
	sizes, err := j.repo.Sizes(j.ctx, wanted)
	if err != nil {
		return Joined{}, err
	}
	for _, n := range sizes {
		if n > maxTextSize {
			return Joined{Kind: KindLarge}, nil
		}
	}
	var files []string
	for i, oid := range []string{ours, base, theirs} {
		var text []byte
		if oid != "" {
			o, err := j.rd.Read(oid)
			if err != nil {
				return Joined{}, fmt.Errorf("read what is to be merged: %w", err)
			}
			text = o.Data
		}
		if bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 { // git's rule for binary files
			return Joined{Kind: KindBinary}, nil
		}
		file := filepath.Join(j.tmp, []string{"ours", "base", "theirs"}[i])
		if err := fsroot.WriteFile(file, text, 0o600); err != nil {
			return Joined{}, fmt.Errorf("merge texts: %w", err)
		}
		files = append(files, file)
	}
	return j.run(files)
}

func (j *textMerger) run(files []string) (Joined, error) {
	text, err := j.repo.Run(j.ctx, nil,
		append([]string{"merge-file", "-p", "-q", "-L", "here", "-L", "before " + j.task, "-L", j.task, "--"}, files...)...)
	var f *git.CommandError
	clean := err == nil
	if errors.As(err, &f) && f.Exit > 0 && f.Exit < 128 { // the number of conflicts
		err = nil
	}
	if err != nil {
		return Joined{}, fmt.Errorf("merge texts: %w", err)
	}
	oid := j.repo.HashObject("blob", text)
	j.made, j.size = append(j.made, git.NewObject{OID: oid, Type: "blob", Data: text}), j.size+len(text)
	if j.size > maxTextSize {
		err = j.store()
	}
	return Joined{OID: oid, Clean: clean}, err
}

// store stores the merged texts in one pack.
func (j *textMerger) store() error {
	store := git.Packs{Repo: j.repo, Scratch: filepath.Dir(j.tmp)}
	_, err := store.Store(j.ctx, j.made)
	j.made, j.size = nil, 0
	return err
}
