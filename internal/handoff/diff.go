package handoff

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/secret"
)

// attachDiff attaches the diff of two snapshots, compressed if it is large.
func (r DeltaReader) attachDiff(ctx context.Context, from, to belay.SnapshotID) (Diff, error) {
	sum := &lineHash{sum: sha256.New()}
	keep := NewAttachmentWriter(r.Attach)
	masked := 0
	m := secret.NewWriter(keep, func(secret.Match) bool { masked++; return false })
	var diff io.Writer = m
	if r.Unmasked {
		diff = keep
	}
	err := r.Snaps.PatchForModels(ctx, from, to, io.MultiWriter(sum, diff))
	err = errors.Join(err, m.Close())
	kept, kerr := keep.Close(err)
	if err = errors.Join(err, kerr); err != nil {
		return Diff{}, err
	}
	return Diff{Attachment: kept.SHA, Gzip: kept.Gzip, Bytes: sum.n, SHA: sum.String(), Masked: masked, Large: sum.n > LargeDiff}, nil
}

// lineHash hashes a text with LF line ends.
type lineHash struct {
	sum hash.Hash
	n   int64
	cr  bool // a CR is pending: an LF may follow
	end bool // the last byte is a line end
}

func (l *lineHash) Write(p []byte) (int, error) {
	l.n += int64(len(p))
	for rest := p; len(rest) > 0; {
		if l.cr {
			l.cr = false
			l.write([]byte("\n"))
			if rest[0] == '\n' {
				rest = rest[1:]
				continue
			}
		}
		at := bytes.IndexByte(rest, '\r')
		if at < 0 {
			l.write(rest)
			break
		}
		l.write(rest[:at])
		l.cr, rest = true, rest[at+1:]
	}
	return len(p), nil
}

func (l *lineHash) write(p []byte) {
	if len(p) > 0 {
		l.sum.Write(p)
		l.end = p[len(p)-1] == '\n'
	}
}

// String adds a line end unless the text is empty or has one, and returns the hash in hex.
func (l *lineHash) String() string {
	if l.cr {
		l.cr = false
		l.write([]byte("\n"))
	}
	if l.n > 0 && !l.end {
		l.write([]byte("\n"))
	}
	return hex.EncodeToString(l.sum.Sum(nil))
}

// MaskSecrets masks the secrets of a text and counts them. Examples from documentation are not
// masked.
func MaskSecrets(text []byte) ([]byte, int) {
	n := 0
	for _, s := range secret.Find(string(text)) {
		if !s.Example {
			n++
		}
	}
	if n == 0 {
		return text, 0
	}
	return []byte(secret.Mask(string(text))), n
}

// AttachmentWriter attaches the bytes written to it, compressed if they are large.
type AttachmentWriter struct {
	attach func(io.Reader) (string, int64, error)
	small  []byte
	pipe   *io.PipeWriter
	gz     *gzip.Writer
	done   chan error
	ref    AttachmentRef
}

// AttachmentRef identifies an attachment. Bytes is the uncompressed size.
type AttachmentRef struct {
	SHA   string
	Bytes int64
	Gzip  bool
}

// NewAttachmentWriter returns a writer that must be closed.
func NewAttachmentWriter(attach func(io.Reader) (string, int64, error)) *AttachmentWriter {
	return &AttachmentWriter{attach: attach}
}

// Write adds bytes.
func (k *AttachmentWriter) Write(p []byte) (int, error) {
	k.ref.Bytes += int64(len(p))
	if k.gz != nil {
		return k.gz.Write(p)
	}
	k.small = append(k.small, p...)
	if IsLarge(int64(len(k.small))) {
		pr, pw := io.Pipe()
		k.pipe, k.gz, k.done, k.ref.Gzip = pw, gzip.NewWriter(pw), make(chan error, 1), true
		go func() {
			var err error
			k.ref.SHA, _, err = k.attach(pr)
			pr.CloseWithError(err) // fails pending writes
			k.done <- err
		}()
		if _, err := k.gz.Write(k.small); err != nil {
			return 0, err
		}
		k.small = nil
	}
	return len(p), nil
}

// Close attaches the bytes, or nothing if why is an error.
func (k *AttachmentWriter) Close(why error) (AttachmentRef, error) {
	if k.gz == nil {
		if why != nil {
			return k.ref, nil
		}
		var err error
		k.ref.SHA, _, err = k.attach(bytes.NewReader(k.small))
		return k.ref, err
	}
	if why != nil {
		k.pipe.CloseWithError(why)
		<-k.done
		return k.ref, nil
	}
	err := k.gz.Close()
	k.pipe.CloseWithError(err) // nil means EOF
	return k.ref, errors.Join(err, <-k.done)
}
