package fsroot

import (
	"hash"
	"io"
	"strconv"

	"golang.org/x/sys/unix"
)

const bufferSize = 128 << 10

// BlobHash computes git's object names of blobs, with one buffer.
type BlobHash struct {
	hash hash.Hash
	buf  []byte
	sum  []byte
}

// NewBlobHash returns a BlobHash that uses h.
func NewBlobHash(h hash.Hash) *BlobHash { return &BlobHash{hash: h} }

// File hashes the next size bytes of an open file. whole is false when there were fewer, or when
// stop returned true.
func (b *BlobHash) File(fd int, size int64, stop func() bool) (whole bool, err error) {
	if b.buf == nil {
		b.buf = make([]byte, bufferSize)
	}
	b.writeHeader(size)
	for left := size; left > 0; {
		n, err := unix.Read(fd, b.buf[:min(left, bufferSize)])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return false, err
		}
		if n == 0 || stop() {
			return false, nil
		}
		b.hash.Write(b.buf[:n])
		left -= int64(n)
	}
	b.sum = b.hash.Sum(b.sum[:0])
	return true, nil
}

// Text hashes a text, such as the target of a link.
func (b *BlobHash) Text(text string) {
	b.writeHeader(int64(len(text)))
	_, _ = io.WriteString(b.hash, text)
	b.sum = b.hash.Sum(b.sum[:0])
}

// OID returns the object name of the last hashed blob.
func (b *BlobHash) OID() OID { return OID(b.sum) }

func (b *BlobHash) writeHeader(size int64) {
	b.hash.Reset()
	b.sum = append(strconv.AppendInt(append(b.sum[:0], "blob "...), size, 10), 0)
	b.hash.Write(b.sum)
}
