package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// Attach stores the bytes of r under their SHA-256 and returns it as 64 lower-case hex digits, with
// their number. They are synced to the disk when it returns. Equal bytes are stored once; attaching
// them again repairs an attachment that was damaged on the disk. After an error of r or of the disk
// nothing is stored.
func (s *Store) Attach(r io.Reader) (sha string, size int64, err error) {
	if err := s.makeDirs(s.newFiles()); err != nil {
		return "", 0, err
	}
	s.sweep()
	f, done, err := s.newFile()
	if err != nil {
		return "", 0, err
	}
	defer done()
	sum := sha256.New()
	count := &counter{}
	if err := s.fill(f, io.TeeReader(r, io.MultiWriter(sum, count))); err != nil {
		return "", 0, fmt.Errorf("attach: %w", err)
	}
	sha = hex.EncodeToString(sum.Sum(nil))
	path := filepath.Join(s.filesDir(), sha)
	if err := s.step("rename", path); err != nil {
		return "", 0, couldNot("write", path, err)
	}
	if err := fsroot.Rename(f.Name(), path); err != nil { // replaces equal bytes, if any
		return "", 0, couldNot("write", path, err)
	}
	if err := s.syncDir(s.filesDir()); err != nil {
		return "", 0, err
	}
	return sha, count.n, nil
}

type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) { c.n += int64(len(p)); return len(p), nil }

// newFile creates a file in files/.new and holds its lock until done is called, which also removes
// the file if it still exists. The lock shows sweep that the file has a writer.
func (s *Store) newFile() (f *os.File, done func(), err error) {
	for {
		if err := s.step("create", s.newFiles()); err != nil {
			return nil, nil, couldNot("write", s.newFiles(), err)
		}
		f, err := fsroot.CreateTemp(s.newFiles(), "") // 0600
		if err != nil {
			return nil, nil, couldNot("write", s.newFiles(), err)
		}
		unlock, held := tryLock(f.Name())
		if _, err := fsroot.Lstat(f.Name()); held && err == nil {
			return f, func() { f.Close(); fsroot.Remove(f.Name()); unlock() }, nil
		}
		f.Close() // sweep ran between the file's creation and its lock
		unlock()
	}
}

// tryLock locks an existing file unless another process has locked it.
func tryLock(path string) (unlock func(), ok bool) {
	fl := fsroot.NewExistingLock(path)
	ok, err := fl.TryLock()
	return func() { fl.Unlock() }, ok && err == nil
}

// sweep removes files in files/.new of which the writer has died. Their names are random and not
// reused, so a file that can be locked has no writer.
func (s *Store) sweep() {
	left, _ := fsroot.ReadDir(s.newFiles())
	for _, e := range left {
		path := filepath.Join(s.newFiles(), e.Name())
		if unlock, ok := tryLock(path); ok {
			s.remove(path)
			unlock()
		}
	}
}

// OpenAttachment opens the attachment sha for reading. It verifies the hash at the end: damaged
// bytes give an error (belay.CodeCannot) instead of EOF, so only complete reads are verified.
// Errors: belay.CodeUsage if sha is not 64 lower-case hex digits, belay.CodeNotFound if there is no
// such attachment.
func (s *Store) OpenAttachment(sha string) (io.ReadCloser, error) {
	if !IsHash(sha) {
		return nil, belay.Refuse(belay.CodeUsage, "use the 64 hex digits of its hash", "%q is not the name of an attachment", sha)
	}
	f, err := openRecord(filepath.Join(s.filesDir(), sha), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &belay.Error{Code: belay.CodeNotFound, What: "there is no attachment " + sha,
			Try: "belay log --verify lists what else is missing", Err: fs.ErrNotExist}
	}
	if err != nil {
		return nil, fmt.Errorf("open attachment: %w", err)
	}
	return &proving{f: f, sum: sha256.New(), sha: sha}, nil
}

// Attachment returns the bytes of the attachment sha, see OpenAttachment; *fsroot.SizeError if it
// is larger than belay writes.
func (s *Store) Attachment(sha string) ([]byte, error) {
	f, err := s.OpenAttachment(sha)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, fsroot.MaxSmallFile+1))
	if err = errors.Join(err, f.Close()); err == nil && len(data) > fsroot.MaxSmallFile {
		err = &fsroot.SizeError{Path: filepath.Join(s.filesDir(), sha), Max: fsroot.MaxSmallFile}
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

type proving struct {
	f   *os.File
	sum hash.Hash
	sha string
}

// Read reads and, at the end, compares the hash.
func (p *proving) Read(b []byte) (int, error) {
	n, err := p.f.Read(b)
	p.sum.Write(b[:n])
	if errors.Is(err, io.EOF) && hex.EncodeToString(p.sum.Sum(nil)) != p.sha {
		return n, belay.Refuse(belay.CodeCannot, "belay log --verify lists what else is damaged", "the attachment %s is damaged", p.sha)
	}
	return n, err
}

// Close closes the file.
func (p *proving) Close() error { return p.f.Close() }

// AttachmentSize returns the size of an attachment, without reading it. Errors are those of
// OpenAttachment, and of the disk.
func (s *Store) AttachmentSize(sha string) (int64, error) {
	f, err := s.OpenAttachment(sha)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.(*proving).f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
