package worktree

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"

	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/scan"
)

// Limits on what is read to compare two forms of a file.
const (
	maxLines   = 64 << 20 // bytes of a file whose line endings are compared
	maxPointer = 1024     // bytes of a Git LFS pointer, according to its specification
)

// forms finds out whether a file is only stored in another form by git. It compares content, never
// times, because those can be set.
type forms struct {
	repo   *git.Repo
	root   *os.Root
	reader *git.Reader
}

func openForms(ctx context.Context, repo *git.Repo) (*forms, error) {
	root, err := os.OpenRoot(repo.Root)
	if err != nil {
		return nil, fmt.Errorf("open the working tree: %w", err)
	}
	reader, err := repo.Reader(ctx)
	if err != nil {
		root.Close()
		return nil, err
	}
	return &forms{repo, root, reader}, nil
}

func (f *forms) close() {
	f.reader.Close()
	f.root.Close()
}

// same reports whether the file is the stored one with other line endings, or the large file of a
// stored LFS pointer. It returns false when one cannot be read.
func (f *forms) same(stored git.TreeEntry, here scan.Entry) bool {
	return f.otherLines(stored, here) || f.pointedTo(stored, here)
}

func (f *forms) otherLines(stored git.TreeEntry, here scan.Entry) bool {
	if here.Size > maxLines {
		return false
	}
	data, err := f.root.ReadFile(here.Path)
	if err != nil || !bytes.Contains(data, []byte("\r\n")) {
		return false
	}
	return f.repo.HashObject("blob", bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))) == stored.OID
}

// pointedTo reports whether the stored blob is a Git LFS pointer with the SHA-256 and size of the
// file.
func (f *forms) pointedTo(stored git.TreeEntry, here scan.Entry) bool {
	var pointer beginning
	if _, err := f.reader.Copy(stored.OID, &pointer); err != nil || pointer.longer ||
		!bytes.HasPrefix(pointer.text, []byte("version https://git-lfs.github.com/spec/")) {
		return false
	}
	file, err := f.root.Open(here.Path)
	if err != nil {
		return false
	}
	defer file.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, file)
	return err == nil && bytes.Contains(pointer.text, fmt.Appendf(nil, "\noid sha256:%x\n", sum.Sum(nil))) &&
		bytes.Contains(pointer.text, fmt.Appendf(nil, "\nsize %d\n", n))
}

// beginning keeps what is written to it, as long as it is small enough for a pointer.
type beginning struct {
	text   []byte
	longer bool
}

func (b *beginning) Write(p []byte) (int, error) {
	if b.longer = b.longer || len(b.text)+len(p) > maxPointer; !b.longer {
		b.text = append(b.text, p...)
	}
	return len(p), nil
}
