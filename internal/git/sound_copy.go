package git

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/fsroot"
)

// readSoundCopy reads an object from the first pack of the repository with a sound, non-delta copy
// of it, or as a loose object. git reads the pack that it used last: while a damaged copy there
// still looks like an object, it never reads the sound one that belay stored too.
func (b *Reader) readSoundCopy(oid string, w io.Writer) (Object, error) {
	raw, err := hex.DecodeString(oid)
	if err != nil {
		return Object{}, fmt.Errorf("read %s: %w", oid, ErrNoObject)
	}
	folders := b.repo.ObjectFolders()
	for _, dir := range folders {
		list, _ := fsroot.ReadDir(filepath.Join(dir, "pack")) // a missing folder has none
		for _, e := range list {
			name, ok := strings.CutSuffix(e.Name(), ".idx")
			if !ok || b.ctx.Err() != nil {
				continue
			}
			o, err := b.readSoundCopyFrom(filepath.Join(dir, "pack", name), oid, string(raw), w)
			if err == nil || !errors.Is(err, ErrPack) {
				return o, err
			}
		}
	}
	for _, dir := range folders {
		typ, err := b.repo.ReadLoose(b.ctx, filepath.Join(dir, oid[:2], oid[2:]), oid, w)
		if !errors.Is(err, fs.ErrNotExist) {
			return Object{OID: oid, Type: typ}, err
		}
	}
	return Object{}, fmt.Errorf("read %s: %w", oid, ErrDamaged)
}

func (b *Reader) readSoundCopyFrom(path, oid, raw string, w io.Writer) (o Object, err error) {
	unusable := func(err error) error { return fmt.Errorf("%w: %w", ErrPack, err) }
	idx, err := fsroot.Open(path + ".idx")
	if err != nil {
		return o, unusable(err)
	}
	defer idx.Close()
	pack, err := fsroot.Open(path + ".pack")
	if err != nil {
		return o, unusable(err)
	}
	defer pack.Close()
	one, err1 := idx.Stat()
	two, err2 := pack.Stat()
	if err := errors.Join(err1, err2); err != nil {
		return o, unusable(err)
	}
	f := PackFiles{Index: idx, Pack: pack, IndexSize: one.Size(), PackSize: two.Size()}
	typ, err := ReadPacked(b.ctx, f, b.repo.NewHash, raw, w)
	return Object{OID: oid, Type: typ}, err
}

// countingWriter counts the bytes written.
type countingWriter struct {
	io.Writer
	n int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.n += int64(n)
	return n, err
}

// ObjectFolders returns the object folders that git reads for this repository: its own, then
// those that it borrows from (objects/info/alternates).
func (r *Repo) ObjectFolders() []string {
	folders := []string{filepath.Join(r.Common, "objects")}
	for i := 0; i < len(folders) && len(folders) < 100; i++ {
		text, err := fsroot.ReadFile(filepath.Join(folders[i], "info", "alternates"), fsroot.MaxSmallFile)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSuffix(line, "\n")
			if line == "" || line[0] == '#' {
				continue
			}
			if line[0] == '"' {
				line = unquote(line)
			}
			if !filepath.IsAbs(line) {
				line = filepath.Join(folders[i], line)
			}
			if line, err = filepath.EvalSymlinks(line); err == nil && !slices.Contains(folders, line) {
				folders = append(folders, line)
			}
		}
	}
	return folders
}

// unquote parses a path in git's C-style quotes.
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
