package restore

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/fsroot"
)

// maxEditedSize limits the size in bytes of a file in which lines are replaced.
const maxEditedSize = 64 << 20

// dueEdits returns the requested edits that change something now, and the files in which somebody
// has changed those lines meanwhile.
func (s *Store) dueEdits(root *fsroot.Root, o Options) (due []Edit, kept []Kept) {
	for _, e := range o.Edits {
		if !o.selection().Includes(string(e.Path)) {
			continue
		}
		_, before, err := readText(root, string(e.Path))
		if err != nil {
			kept = append(kept, Kept{Path: string(e.Path), Reason: notEditedReason(err)})
			continue
		}
		after, ok := e.Apply(before)
		switch {
		case !ok:
			kept = append(kept, Kept{Path: string(e.Path), Reason: notEditedReason(errLineChanged)})
		case !bytes.Equal(before, after):
			due = append(due, e)
		}
	}
	return due, kept
}

var errLineChanged = errors.New("the line that belay wrote was changed")

func notEditedReason(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "it no longer exists"
	}
	return err.Error()
}

// applyEdits replaces lines in place. It is the last step of a restore that changes files, and
// can be repeated. A line that cannot be replaced is reported and does not leave the restore
// unfinished.
func (s *Store) applyEdits(root *fsroot.Root, tmp string, j *intent) error {
	j.unedited = nil
	for _, e := range j.Edits {
		if err := s.applyEdit(root, tmp, e); err != nil {
			j.unedited = append(j.unedited, Kept{Path: string(e.Path), Reason: notEditedReason(err)})
		}
	}
	if len(j.Edits) == 0 {
		return nil
	}
	return root.Sync()
}

func (s *Store) applyEdit(root *fsroot.Root, tmp string, e Edit) error {
	for range 3 { // somebody saved the file meanwhile: try again
		info, before, err := readText(root, string(e.Path))
		if err != nil {
			return err
		}
		after, ok := e.Apply(before)
		if !ok {
			return errLineChanged
		}
		if bytes.Equal(before, after) {
			return nil
		}
		held := fsroot.Expected{OID: s.blobOID(before), New: s.blobOID(after), NewHash: s.Snapshots.Repo.NewHash}
		err = root.ReplaceFile(string(e.Path), info.Perm, tmp, held, func(w io.Writer) error {
			_, err := w.Write(after)
			return err
		})
		var saved *fsroot.SavedError
		if !errors.As(err, &saved) {
			return err
		}
	}
	return errors.New("another program is writing it")
}

// readText reads a file of the tree; anything else is an error.
func readText(root *fsroot.Root, path string) (fsroot.Info, []byte, error) {
	info, err := root.Lstat(path)
	switch {
	case errors.Is(err, fsroot.ErrNotFolder), err == nil && info.Kind != fsroot.File && info.Kind != fsroot.Exec:
		return info, nil, errors.New("it is no longer a file")
	case err != nil:
		return info, nil, err
	case info.Size > maxEditedSize:
		return info, nil, fmt.Errorf("it is larger than %d MiB", maxEditedSize>>20)
	}
	f, err := root.Open(path)
	if err != nil {
		return info, nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxEditedSize+1))
	if err != nil {
		err = fmt.Errorf("read %s: %w", belay.VisibleLine(path), err)
	}
	return info, text, err
}

func (s *Store) blobOID(data []byte) fsroot.OID {
	raw, _ := hex.DecodeString(s.Snapshots.Repo.HashObject("blob", data)) // always valid hex
	return fsroot.OID(raw)
}

// editedPaths returns the paths of the files of edits.
func editedPaths(edits []Edit) (paths []RawPath) {
	for _, e := range edits {
		paths = append(paths, e.Path)
	}
	return paths
}

// addEdits adds the outcome of the edits to a result. A file with replaced lines is not listed as
// kept, whatever else it contains. If the restore wrote the complete file, lines that were not
// found in it are not reported.
func (r *Restored) addEdits(edits []Edit, left []Kept) {
	is := func(path string) func(Kept) bool { return func(k Kept) bool { return k.Path == path } }
	for _, e := range edits {
		path := string(e.Path)
		if slices.ContainsFunc(left, is(path)) {
			continue
		}
		r.Kept = slices.DeleteFunc(r.Kept, is(path))
		if !slices.Contains(r.Written, path) {
			r.Written = append(r.Written, path)
		}
	}
	slices.Sort(r.Written)
	for _, k := range left {
		if !slices.Contains(r.Written, k.Path) {
			r.Kept = append(slices.DeleteFunc(r.Kept, is(k.Path)), k)
		}
	}
}
