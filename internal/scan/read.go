package scan

import (
	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/fsroot"
)

const maxReadTries = 4 // one try and three more

// readFile hashes a regular file, several times if it changes meanwhile.
func (w *worker) readFile(n *node, it *item) error {
	for try := range maxReadTries {
		if try > 0 {
			w.scan.unstable.Store(true)
		}
		steady, err := w.readOnce(it)
		if err != nil {
			if fsroot.IsExhausted(err) {
				return fsroot.WrapPathError("read", it.path, err)
			}
			return w.addUnreadable(it, err)
		}
		if steady || w.scan.pool.Err() != nil {
			break
		}
	}
	if it.oid == "" && it.gap == "" {
		it.gap = "it changed while it was read"
	}
	w.scan.staleRecords.Add(1)
	return nil
}

// addUnreadable records why a file could not be read.
func (w *worker) addUnreadable(it *item, err error) error {
	switch err {
	case unix.ENOENT, unix.ENOTDIR, unix.ELOOP, unix.ESTALE:
		w.scan.unstable.Store(true)
		it.vanished = true
	default:
		it.gap = "cannot be read: " + err.Error()
	}
	return nil
}

// readOnce hashes as many bytes as the stat of the open file states. steady is false when the file
// changed meanwhile; the OID is then of the bytes that were read, or missing when there were fewer.
func (w *worker) readOnce(it *item) (steady bool, err error) {
	fd, err := fsroot.OpenFileAt(w.scan.root, it.path)
	if err != nil {
		return false, err
	}
	defer unix.Close(fd)
	fsroot.AwaitWrite(fd)
	if err := unix.Fstat(fd, &w.st); err != nil {
		return false, err
	}
	f := fsroot.FactsOf(&w.st)
	if k := f.Kind(); k != fsroot.File && k != fsroot.Exec {
		return false, unix.ESTALE
	}
	if f != *it.facts { // not the file that was checked
		w.scan.unstable.Store(true)
		w.scan.noteChange(&f)
		*it.facts, it.kind = f, f.Kind()
	}
	it.oid = ""
	whole, err := w.hash.File(fd, f.Size, func() bool { return w.scan.pool.Err() != nil })
	if err != nil {
		return false, err
	}
	if err := unix.Fstat(fd, &w.st); err != nil {
		return false, err
	}
	after := fsroot.FactsOf(&w.st)
	if whole {
		it.oid, it.fresh = w.finishHash(f.Size), true
	}
	return whole && after.Size == f.Size && after.Mtime == f.Mtime && after.Ctime == f.Ctime, nil
}

// readLink hashes the target of a link. A link never changes: it can only be replaced by another
// one, with another inode or change time.
func (w *worker) readLink(n *node, it *item, fd int) error {
	for try := range maxReadTries {
		if try > 0 {
			w.scan.unstable.Store(true)
		}
		target, err := fsroot.ReadLinkAt(fd, n.name(it))
		if err == nil {
			err = fsroot.StatAt(fd, n.name(it), &w.st)
		}
		if err == unix.EINVAL { // no longer a link
			err = unix.ENOENT
		}
		if err != nil {
			return w.addUnseen(it, err)
		}
		f := fsroot.FactsOf(&w.st)
		if f.Kind() != fsroot.SymbolicLink {
			return w.addUnseen(it, unix.ENOENT)
		}
		w.hash.Text(target)
		it.oid, it.fresh = w.finishHash(int64(len(target))), true
		steady := f == *it.facts
		f.Size = int64(len(target)) // 0 on some file systems
		*it.facts = f
		if steady {
			break
		}
	}
	w.scan.staleRecords.Add(1)
	return nil
}

// finishHash counts the bytes read, and returns their object name.
func (w *worker) finishHash(size int64) fsroot.OID {
	w.scan.hashed.Add(1)
	w.scan.bytes.Add(size)
	return w.hash.OID()
}
