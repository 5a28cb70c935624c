package review

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"syscall"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/tasklist"
)

// CycleFolder is the folder of one task's review cycles. Links do not lead out of the repository.
type CycleFolder struct {
	root *os.Root
	dir  string // relative to the repository's root
}

// CycleEntry is a review cycle in the folder. Err says why it could not be read.
type CycleEntry struct {
	Number   int
	Document *Document
	Cycle    Cycle
	Err      error
}

// OpenCycleFolder opens the folder of a task in the repository at top. It creates nothing.
func OpenCycleFolder(top, feature, task string) (*CycleFolder, error) {
	if !IsPathElement(feature) || !IsPathElement(task) {
		return nil, belay.Refuse(belay.CodeUsage, "feature and task must be one path element each",
			"%q/%q cannot be used as a path for reviews", feature, task)
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", top, err)
	}
	return &CycleFolder{root: root, dir: path.Join(CyclesDir, feature, task)}, nil
}

// Close closes the folder.
func (s *CycleFolder) Close() error { return s.root.Close() }

// openDir opens the folder; if there is something else it fails without blocking.
func (s *CycleFolder) openDir() (*os.File, error) {
	return s.root.OpenFile(s.dir, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_DIRECTORY, 0)
}

// Path returns the path of cycle n, relative to the repository's root.
func (s *CycleFolder) Path(n int) string { return path.Join(s.dir, CycleName(n)) }

// List reads all cycles, sorted by number. A cycle that cannot be read is listed with the reason.
func (s *CycleFolder) List() ([]CycleEntry, error) {
	dir, err := s.openDir()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", s.dir, err)
	}
	names, err := dir.Readdirnames(-1)
	if cerr := dir.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", s.dir, err)
	}
	var out []CycleEntry
	for _, name := range names {
		if n, ok := CycleNumber(name); ok {
			out = append(out, s.Read(n))
		}
	}
	slices.SortFunc(out, func(a, b CycleEntry) int { return a.Number - b.Number })
	return out, nil
}

const maxFile = 16 << 20

// Read reads cycle n.
func (s *CycleFolder) Read(n int) CycleEntry {
	e := CycleEntry{Number: n}
	info, err := s.root.Lstat(s.Path(n))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Err = belay.Refuse(belay.CodeNotFound, "belay review list TASK", "there is no %s", s.Path(n))
		return e
	case err == nil && !info.Mode().IsRegular():
		err = belay.Refuse(belay.CodeCannot, "put a file there, or move it away", "%s is not a file", s.Path(n))
	case err == nil && info.Size() > maxFile:
		err = belay.Refuse(belay.CodeCannot, "cut it", "%s is larger than %d MB", s.Path(n), maxFile>>20)
	}
	var data []byte
	if err == nil {
		data, err = fsroot.ReadIn(s.root, s.Path(n), maxFile)
	}
	if err == nil {
		e.Document, err = Parse(data)
	}
	if err == nil {
		e.Cycle, err = e.Document.Cycle()
	}
	if err != nil {
		e.Err = fmt.Errorf("read %s: %w", s.Path(n), err)
	}
	return e
}

// Add writes the document that make returns for the next number, the highest plus one. It fails if
// an existing cycle cannot be read, because its verdict is unknown. It overwrites nothing: if
// another process wrote that number meanwhile, it takes the next one. If killed, the file is
// complete or missing.
func (s *CycleFolder) Add(make func(n int) (*Document, error)) (int, error) {
	for range 100 {
		all, err := s.List()
		if err != nil {
			return 0, err
		}
		n := 1
		for _, e := range all {
			if e.Err != nil {
				return 0, &belay.Error{Code: belay.CodeCannot,
					What: "another review of the task cannot be read, so nothing is written",
					Try:  "fix or move " + s.Path(e.Number), Err: e.Err}
			}
			n = max(n, e.Number+1)
		}
		d, err := make(n)
		if err != nil {
			return 0, err
		}
		err = s.writeFile(n, d.Bytes())
		if !errors.Is(err, fs.ErrExist) {
			return n, err
		}
	}
	return 0, belay.Refuse(belay.CodeBusy, "try again", "another program keeps writing reviews to %s", s.dir)
}

// Replace replaces a cycle by a changed one. It fails (CodeBusy) if the file is no longer was.
func (s *CycleFolder) Replace(n int, was []byte, d *Document) error {
	tree, err := fsroot.OpenRoot(s.root.Name())
	if err != nil {
		return err
	}
	defer tree.Close()
	_, _, err = tasklist.Rewrite(tree, "", s.Path(n), func(now []byte) ([]byte, error) {
		if !bytes.Equal(now, was) {
			return nil, belay.Refuse(belay.CodeBusy, "check it and try again", "%s changed meanwhile", s.Path(n))
		}
		return d.Bytes(), nil
	})
	var saved *fsroot.SavedError
	if errors.As(err, &saved) {
		return &belay.Error{Code: belay.CodeBusy, What: "the review is not written", Try: "check it and try again", Err: err}
	}
	return err
}

// writeFile writes a temporary file, and then links it, which never overwrites.
func (s *CycleFolder) writeFile(n int, data []byte) error {
	if err := s.root.MkdirAll(s.dir, 0o777); err != nil {
		return fmt.Errorf("make %s: %w", s.dir, err)
	}
	tmp := path.Join(s.dir, ".review-cycle-"+rand.Text()+".tmp")
	f, err := s.root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("make %s: %w", tmp, err)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = s.root.Link(tmp, s.Path(n))
	}
	_ = s.root.Remove(tmp)
	if err != nil {
		return fmt.Errorf("write %s: %w", s.Path(n), err)
	}
	return s.sync()
}

func (s *CycleFolder) sync() error {
	dir, err := s.openDir()
	if err != nil {
		return fmt.Errorf("open %s: %w", s.dir, err)
	}
	err = dir.Sync()
	if cerr := dir.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("sync %s: %w", s.dir, err)
	}
	return nil
}
