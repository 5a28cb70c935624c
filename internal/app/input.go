package app

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/handoff"
)

// MaxLog is the size limit of a log or an attached file, in bytes.
const MaxLog = 64 << 20

// ReadInput reads a file that a person named, relative to dir.
func ReadInput(dir, name string) ([]byte, error) {
	path := fsroot.From(dir, name)
	info, err := os.Stat(path)
	if err != nil {
		return nil, &belay.Error{Code: belay.CodeNotFound, What: "cannot read " + belay.VisibleLine(name),
			Try: "give the path of a file", Err: errors.Unwrap(err)}
	}
	if !info.Mode().IsRegular() {
		return nil, belay.Refuse(belay.CodeUsage, "give the path of a file", "%s is not a regular file", belay.VisibleLine(name))
	}
	if info.Size() > MaxLog {
		return nil, belay.Refuse(belay.CodeUsage, "shorten it", "%s is %d MB; the limit is %d MB",
			belay.VisibleLine(name), info.Size()>>20, MaxLog>>20)
	}
	f, err := fsroot.OpenUserFile(path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", belay.VisibleLine(name), err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxLog))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", belay.VisibleLine(name), err)
	}
	return data, nil
}

// CheckCurrent fails when the task's text differs from that in the block.
func (p *TaskContext) CheckCurrent() error {
	b, err := p.Block()
	if err != nil {
		return err
	}
	if b.Git.Source == "" && b.Git.SHA != handoff.Hash([]byte(p.Rec.Task.Prose)) {
		return belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay context rebuild %s", b.Task.ID),
			"the text of %s changed after its context was made", b.Task.ID)
	}
	if b.Git.Source != "" {
		text, err := ReadInput(p.Session.Repo.Root, b.Git.Source)
		if err != nil || handoff.Hash(text) != b.Git.SHA {
			return belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay context rebuild %s", b.Task.ID),
				"%s changed after the context of %s was made from it", belay.VisibleLine(b.Git.Source), b.Task.ID)
		}
	}
	return nil
}
