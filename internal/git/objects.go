package git

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/gitpack"
)

// NewObject is an object to be stored: its bytes, or a way to read them.
type NewObject = gitpack.Object

// ErrChanged is wrapped when an object's bytes are no longer those of its name.
var ErrChanged = gitpack.ErrChanged

// SyncDir makes the names in a folder survive a loss of power.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	return errors.Join(err, d.Close())
}

func unhex(s string) (string, error) {
	b, err := hex.DecodeString(s)
	return string(b), err
}

// look asks a fresh process about objects, one line for each, "" for one that is not
// there: a process that ran before a gc still answers from packs that are gone.
func (r *Repo) look(ctx context.Context, oids []string, format string) ([]string, error) {
	if len(oids) == 0 {
		return nil, nil
	}
	out, err := r.Run(ctx, strings.NewReader(strings.Join(oids, "\n")+"\n"), "cat-file", "--batch-check="+format)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != len(oids) {
		return nil, fmt.Errorf("look for %d objects: git answered for %d", len(oids), len(lines))
	}
	for i, line := range lines {
		if strings.HasSuffix(line, " missing") {
			lines[i] = ""
		}
	}
	return lines, nil
}

// Missing gives those of the objects that the repository does not hold.
func (r *Repo) Missing(ctx context.Context, oids []string) ([]string, error) {
	lines, err := r.look(ctx, oids, "%(objectname)")
	var missing []string
	for i, line := range lines {
		if line == "" {
			missing = append(missing, oids[i])
		}
	}
	return missing, err
}

// Types gives the type of each object, "" for one that is not there.
func (r *Repo) Types(ctx context.Context, oids []string) ([]string, error) {
	return r.look(ctx, oids, "%(objecttype)")
}

// Sizes gives the size of each object, -1 for one that is not there.
func (r *Repo) Sizes(ctx context.Context, oids []string) ([]int64, error) {
	lines, err := r.look(ctx, oids, "%(objectsize)")
	sizes := make([]int64, len(lines))
	for i, line := range lines {
		n, perr := strconv.ParseInt(line, 10, 64)
		if sizes[i] = n; perr != nil {
			sizes[i] = -1
		}
	}
	return sizes, err
}

// Object is one object as it is read.
type Object struct {
	OID, Type string
	Data      []byte
}

// ErrNoObject is wrapped by the error for an object that is not there.
var ErrNoObject = errors.New("the object is not there")

// Reader reads objects through one git process. It is for one goroutine.
type Reader struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	said bytes.Buffer
}

// Reader starts reading objects. Close ends the process.
func (r *Repo) Reader(ctx context.Context) (*Reader, error) {
	b := &Reader{cmd: r.Command(ctx, "cat-file", "--batch")}
	b.cmd.Stderr = &b.said
	var err error
	if b.in, err = b.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := b.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	b.out = bufio.NewReaderSize(out, 64<<10)
	return b, b.cmd.Start()
}

// Close ends the process.
func (b *Reader) Close() error {
	b.in.Close()
	_, _ = io.Copy(io.Discard, b.out)
	return b.cmd.Wait()
}

// Read gives an object whole. name is whatever git resolves on one line: an oid, or
// <commit>:<path>.
func (b *Reader) Read(name string) (Object, error) {
	var data bytes.Buffer
	o, err := b.Copy(name, &data)
	o.Data = data.Bytes()
	return o, err
}

// Copy writes an object's bytes to w. When w fails the rest is still read, so that
// the next object can be.
func (b *Reader) Copy(name string, w io.Writer) (Object, error) {
	if strings.ContainsRune(name, '\n') {
		return Object{}, fmt.Errorf("read %q: a line end in the name of an object", name)
	}
	if _, err := io.WriteString(b.in, name+"\n"); err != nil {
		return Object{}, fmt.Errorf("read %s: %w: %s", name, err, b.said.String())
	}
	head, err := b.out.ReadString('\n')
	if err != nil {
		return Object{}, fmt.Errorf("read %s: %w: %s", name, err, b.said.String())
	}
	f := strings.Fields(head)
	if len(f) != 3 || len(f[0]) != 40 && len(f[0]) != 64 {
		return Object{}, fmt.Errorf("read %s: %w", name, ErrNoObject)
	}
	size, err := strconv.ParseInt(f[2], 10, 64)
	if err != nil {
		return Object{}, fmt.Errorf("read %s: git printed %q", name, head)
	}
	o := Object{OID: f[0], Type: f[1]}
	body := io.LimitReader(b.out, size)
	_, werr := io.Copy(w, body)
	if _, err := io.Copy(io.Discard, body); err != nil {
		return o, fmt.Errorf("read %s: %w", name, err)
	}
	if _, err := b.out.ReadByte(); err != nil {
		return o, fmt.Errorf("read %s: %w", name, err)
	}
	return o, werr
}

// TreeEntry is one file of a tree, its path from the tree's top.
type TreeEntry struct {
	Path string
	Mode uint32
	OID  string // hex
	Type string
}

// ListTree lists all files of a tree, by path.
func (r *Repo) ListTree(ctx context.Context, tree string) ([]TreeEntry, error) {
	out, err := r.Run(ctx, nil, "ls-tree", "-r", "-z", "--full-tree", tree)
	if err != nil {
		return nil, err
	}
	var entries []TreeEntry
	for f := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		head, path, ok := strings.Cut(f, "\t")
		parts := strings.Fields(head)
		if f == "" {
			continue
		}
		if !ok || len(parts) != 3 {
			return nil, fmt.Errorf("list tree %s: git printed %q", tree, f)
		}
		mode, err := strconv.ParseUint(parts[0], 8, 32)
		if err != nil {
			return nil, fmt.Errorf("list tree %s: git printed %q", tree, f)
		}
		entries = append(entries, TreeEntry{Path: path, Mode: uint32(mode), OID: parts[2], Type: parts[1]})
	}
	return entries, nil
}

// TreeNames gives the names of a tree, or a commit's, and of everything in it.
func (r *Repo) TreeNames(ctx context.Context, tree string) (map[string]bool, error) {
	out, err := r.Run(ctx, nil, "ls-tree", "-r", "-t", "-z", "--full-tree", "--format=%(objectname)", tree)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for oid := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		names[oid] = true
	}
	return names, nil
}

// Difference is one path that differs between two trees. A mode of 0 says that the
// path is not there on that side.
type Difference struct {
	Path             string
	OldMode, NewMode uint32
	OldOID, NewOID   string // hex
	Status           byte   // A, M, D or T
}

// DiffTrees compares two trees by path: names, modes and object names, nothing is
// read and no program is started.
func (r *Repo) DiffTrees(ctx context.Context, from, to string) ([]Difference, error) {
	if from == to {
		return nil, nil
	}
	out, err := r.Run(ctx, nil, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-abbrev", from, to)
	if err != nil {
		return nil, err
	}
	return parseRaw(string(out))
}

func parseRaw(out string) ([]Difference, error) {
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	if len(fields) == 1 && fields[0] == "" {
		return nil, nil
	}
	var list []Difference
	for i := 0; i+1 < len(fields); i += 2 {
		parts := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(parts) != 5 || parts[4] == "" {
			return nil, fmt.Errorf("compare trees: git printed %q", fields[i])
		}
		from, err1 := strconv.ParseUint(parts[0], 8, 32)
		to, err2 := strconv.ParseUint(parts[1], 8, 32)
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("compare trees: git printed %q", fields[i])
		}
		list = append(list, Difference{Path: fields[i+1], OldMode: uint32(from), NewMode: uint32(to),
			OldOID: parts[2], NewOID: parts[3], Status: parts[4][0]})
	}
	return list, nil
}
