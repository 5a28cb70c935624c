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

// Bounds on what is read to compare two forms of a file.
const (
	maxLines   = 64 << 20 // bytes of a file whose line endings are looked at
	maxPointer = 1024     // bytes of a pointer to a large file, by its specification
)

// forms reports whether a file in the working tree is what git stores in another form. It
// looks at bytes, never at times: those can be set.
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

// same reports whether the file here is the stored one with other line endings, or the
// large file that the stored one points to. One that cannot be read is not.
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

// pointedTo compares with a pointer as Git LFS writes it: lines of a key and a value, the
// first being the version, with the SHA-256 and the size of the file.
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

// beginning keeps what may be a pointer of what is written to it.
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
