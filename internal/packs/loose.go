package packs

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
	"github.com/belay-dev/belay/internal/git"
)

// readLoose reads a loose object and compares its bytes with its name. No more is inflated
// than the object says of itself.
func readLoose(ctx context.Context, r *git.Repo, path, oid string) error {
	f, err := fsroot.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := zlib.NewReader(bufio.NewReader(f))
	if err != nil {
		return fmt.Errorf("%w: %w", git.ErrDamaged, err)
	}
	defer z.Close()
	in := bufio.NewReaderSize(until{ctx, z}, 32<<10)
	var head []byte
	for len(head) < 32 && !bytes.HasSuffix(head, []byte{0}) {
		b, err := in.ReadByte()
		if err != nil {
			return fmt.Errorf("%w: %w", git.ErrDamaged, err)
		}
		head = append(head, b)
	}
	_, digits, _ := strings.Cut(strings.TrimSuffix(string(head), "\x00"), " ")
	size, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || size < 0 {
		return fmt.Errorf("%w: it has no size", git.ErrDamaged)
	}
	h := r.NewHash()
	h.Write(head)
	n, err := io.Copy(h, io.LimitReader(in, size+1))
	if err != nil {
		return fmt.Errorf("%w: %w", git.ErrDamaged, err)
	}
	if n != size || hex.EncodeToString(h.Sum(nil)) != oid {
		return fmt.Errorf("%w: its bytes are not those of its name", git.ErrDamaged)
	}
	return nil
}

// until reads until a context ends.
type until struct {
	ctx context.Context
	in  io.Reader
}

func (u until) Read(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.in.Read(b)
}

// unquote reads a path that git quoted as C does.
func unquote(s string) string {
	s = strings.TrimSuffix(strings.TrimPrefix(s, `"`), `"`)
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if k := strings.IndexByte("abtnvfr", s[i]); k >= 0 {
			b.WriteByte("\a\b\t\n\v\f\r"[k])
		} else if n, err := strconv.ParseUint(s[i:min(len(s), i+3)], 8, 8); err == nil {
			b.WriteByte(byte(n))
			i += 2
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
