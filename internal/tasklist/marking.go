package tasklist

import (
	"bytes"
	"crypto/sha1"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/restore"
)

// Links are not followed. A file stays unchanged if somebody saves it at the same moment, or if the
// task is not found for certain.

// MaxTaskFile is the maximum size of a file with tasks, in bytes.
const MaxTaskFile = 64 << 20

// MarkDone marks the task of an origin as done in the working tree at root, and returns the changed
// lines; none if it was done already. tmp is the folder for the temporary file; "" means the folder
// of the file. If killed, the file is the old or the new one, and a second call has the same
// result. Errors (belay.CodeCannot) say why the file is unchanged.
func MarkDone(root, tmp string, o belay.Origin) ([]int, error) {
	if err := checkMarkable(o); err != nil {
		return nil, err
	}
	tree, err := fsroot.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	for range 3 { // again if somebody saved the file meanwhile
		lines, err := markOnce(tree, tmp, o)
		var saved *fsroot.SavedError
		if !errors.As(err, &saved) {
			return lines, err
		}
	}
	return nil, belay.Refuse(belay.CodeCannot, "mark it by hand", "%s is being written by another program", belay.VisibleLine(o.File))
}

// PlanMark returns the edit that MarkDone would make, in a form that can be undone, and its lines;
// nil if the task is done already. It writes nothing. Errors: as MarkDone.
func PlanMark(root string, o belay.Origin) (*restore.Edit, []int, error) {
	if err := checkMarkable(o); err != nil {
		return nil, nil, err
	}
	tree, err := fsroot.OpenRoot(root)
	if err != nil {
		return nil, nil, err
	}
	defer tree.Close()
	_, data, err := readTaskFile(tree, o.File)
	if err != nil {
		return nil, nil, err
	}
	out, lines, err := TickDone(data, o)
	if err != nil || len(lines) == 0 {
		return nil, nil, err
	}
	return restore.NewEdit(o.File, data, out), lines, nil
}

// checkMarkable returns an error for a task in a file that cannot be marked.
func checkMarkable(o belay.Origin) error {
	if o.Dialect == string(Issue) {
		return belay.Refuse(belay.CodeCannot, "close it there", "%s is an issue of the forge", belay.VisibleLine(o.ID))
	}
	if o.Outside {
		return belay.Refuse(belay.CodeCannot, "mark it by hand", "%s is not in this repository", belay.VisibleLine(o.File))
	}
	return nil
}

// MarkingText describes what MarkDone did, for the record.
func MarkingText(o belay.Origin, lines []int) string {
	file := belay.VisibleLine(o.File)
	switch len(lines) {
	case 0:
		return file + " is already marked as done"
	case 1:
		return fmt.Sprintf("done in %s, line %d", file, lines[0])
	}
	return fmt.Sprintf("done in %s, %d boxes from line %d", file, len(lines), lines[0])
}

func markOnce(tree *fsroot.Root, tmp string, o belay.Origin) ([]int, error) {
	var lines []int
	_, _, err := Rewrite(tree, tmp, o.File, func(data []byte) (out []byte, err error) {
		if out, lines, err = TickDone(data, o); err != nil || len(lines) == 0 {
			removeLeftover(tmp, o, data)
			return data, err
		}
		return out, nil
	})
	if err != nil {
		return nil, err
	}
	return lines, nil
}

// Rewrite atomically replaces a file of the tree with what change makes of its bytes, and returns
// both texts. It writes nothing if they are equal. tmp is as for MarkDone. Errors:
// *fsroot.SavedError if somebody saved the file meanwhile, which then stays; belay.CodeCannot if it
// is not a file or is reached through a link.
func Rewrite(tree *fsroot.Root, tmp, path string, change func([]byte) ([]byte, error)) (was, is []byte, err error) {
	info, was, err := readTaskFile(tree, path)
	if err != nil {
		return nil, nil, err
	}
	is, err = change(was)
	if err != nil || bytes.Equal(was, is) {
		return was, was, err
	}
	held := fsroot.Expected{OID: blobID(was), New: blobID(is), NewHash: func() hash.Hash { return sha1.New() }}
	err = tree.ReplaceFile(path, info.Perm, tmp, held, func(w io.Writer) error {
		_, err := w.Write(is)
		return err
	})
	if err == nil {
		err = tree.Sync()
	}
	return was, is, err
}

// readTaskFile reads a regular file of the tree, up to MaxTaskFile.
func readTaskFile(tree *fsroot.Root, path string) (fsroot.Info, []byte, error) {
	info, err := tree.Lstat(path)
	name := belay.VisibleLine(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return info, nil, belay.Refuse(belay.CodeCannot, "mark it by hand in its new place", "%s no longer exists", name)
	case errors.Is(err, fsroot.ErrNotFolder), err == nil && info.Kind == fsroot.SymbolicLink:
		return info, nil, belay.Refuse(belay.CodeCannot, "mark it by hand", "%s is reached through a link", name)
	case err != nil:
		return info, nil, err
	case info.Kind != fsroot.File && info.Kind != fsroot.Exec:
		return info, nil, belay.Refuse(belay.CodeCannot, "mark it by hand", "%s is not a file", name)
	case info.Size > MaxTaskFile:
		return info, nil, belay.Refuse(belay.CodeCannot, "mark it by hand", "%s is larger than %d MiB", name, MaxTaskFile>>20)
	}
	f, err := tree.Open(path)
	if err != nil {
		return info, nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxTaskFile+1))
	if err != nil {
		err = fmt.Errorf("read %s: %w", name, err)
	}
	return info, data, err
}

// blobID returns git's SHA-1 blob ID of data.
func blobID(data []byte) fsroot.OID {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(data))
	_, _ = io.Copy(h, bytes.NewReader(data))
	return fsroot.OID(h.Sum(nil))
}
