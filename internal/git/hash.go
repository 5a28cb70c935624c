package git

import (
	"crypto/sha1" //nolint:gosec // git's object format, not a protection
	"crypto/sha256"
	"fmt"
	"hash"
)

// NewHash returns the hash function that names this repository's objects.
func (r *Repo) NewHash() hash.Hash {
	if r.Format == "sha256" {
		return sha256.New()
	}
	return sha1.New()
}

// HashSize returns the length in bytes of an object name.
func (r *Repo) HashSize() int {
	if r.Format == "sha256" {
		return sha256.Size
	}
	return sha1.Size
}

// HashObject returns the hex name of an object of a type with these bytes.
func (r *Repo) HashObject(typ string, data []byte) string {
	h := r.NewHash()
	fmt.Fprintf(h, "%s %d\x00", typ, len(data))
	h.Write(data)
	return fmt.Sprintf("%x", h.Sum(nil))
}
