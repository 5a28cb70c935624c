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

// Attach keeps the bytes of r under their SHA-256, which it gives as 64 lower-case hex
// digits, with their number. They are on the disk, synced, when it returns. The same
// bytes are one attachment however often they come; one that was damaged on the disk is
// made good by attaching its bytes again. An error of r or of the disk leaves nothing.
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
	if err := fsroot.Rename(f.Name(), path); err != nil { // over the same bytes, if any
		return "", 0, couldNot("write", path, err)
	}
	if err := s.syncDir(s.filesDir()); err != nil {
		return "", 0, err
	}
	return sha, count.n, nil
}

type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) { c.n += int64(len(p)); return len(p), nil }

// newFile makes a file below files/.new and holds its lock until done, which also
// removes the file if it is still there. The lock tells sweep that it has a writer.
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
		f.Close() // a sweep came between the file's creation and its lock
		unlock()
	}
}

// tryLock locks an existing file if nobody else has locked it.
func tryLock(path string) (unlock func(), ok bool) {
	fl := fsroot.NewExistingLock(path)
	ok, err := fl.TryLock()
	return func() { fl.Unlock() }, ok && err == nil
}

// sweep removes files below files/.new whose writer has died. Names there are random
// and not used twice, so a file that could be locked has no writer left.
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

// OpenAttachment opens the attachment sha for reading. The hash is computed on the way:
// instead of the end, damaged bytes give an error (belay.CodeCannot), so only what was
// read to its end is proved. Errors: belay.CodeUsage when sha is not 64 lower-case hex
// digits, belay.CodeNotFound when there is no such attachment.
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

// Attachment returns the bytes of the attachment sha, see OpenAttachment; *fsroot.SizeError
// when there are more than belay writes.
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

// AttachmentSize returns the size of an attachment, without a look at its bytes. Errors are
// those of OpenAttachment, and of the disk.
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
