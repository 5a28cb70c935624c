package git

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/fsroot"
)

// ReadLoose writes the bytes of the loose object at path to w and compares them with its name. It
// inflates no more bytes than the object's header states. The error wraps ErrDamaged when the bytes
// do not match; some of them may have been written to w.
func (r *Repo) ReadLoose(ctx context.Context, path, oid string, w io.Writer) (typ string, err error) {
	f, err := fsroot.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	file := bufio.NewReader(f)
	z, err := zlib.NewReader(file) // reads byte by byte, not beyond the end of its stream
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	defer z.Close()
	in := bufio.NewReaderSize(contextReader{ctx, z}, 32<<10)
	var head []byte
	for len(head) < 32 && !bytes.HasSuffix(head, []byte{0}) {
		b, err := in.ReadByte()
		if err != nil {
			return "", fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		head = append(head, b)
	}
	typ, digits, _ := strings.Cut(strings.TrimSuffix(string(head), "\x00"), " ")
	size, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || size < 0 {
		return "", fmt.Errorf("%w: it has no size", ErrDamaged)
	}
	h := r.NewHash()
	h.Write(head)
	n, err := io.Copy(io.MultiWriter(h, w), io.LimitReader(in, size+1))
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if n != size || hex.EncodeToString(h.Sum(nil)) != oid {
		return "", fmt.Errorf("%w: its content does not match its name", ErrDamaged)
	}
	if _, err := file.ReadByte(); err != io.EOF {
		return "", fmt.Errorf("%w: something is behind its end", ErrDamaged)
	}
	return typ, nil
}

// contextReader reads until a context is done.
type contextReader struct {
	ctx context.Context
	in  io.Reader
}

func (u contextReader) Read(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.in.Read(b)
}
