package git

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Object is an object that was read.
type Object struct {
	OID, Type string
	Data      []byte
}

// ErrNoObject is wrapped by the error for a missing object.
var ErrNoObject = errors.New("the object is missing")

// ErrDamaged is wrapped by the error for an object that exists but cannot be read, or has bytes
// that do not match its name.
var ErrDamaged = errors.New("the object is damaged")

// Reader reads objects through one git process. It must be used by one goroutine at a time.
type Reader struct {
	repo         *Repo
	ctx          context.Context //nolint:containedctx // of who reads now; its end ends the process
	quit         context.CancelCauseFunc
	detach       func() bool // separates ctx from the process
	cmd          *Cmd
	stdin        io.WriteCloser
	stdout       *bufio.Reader
	stderr       bytes.Buffer
	isUnfinished bool // an answer was not read completely
	hasExited    bool // git exited, as it does at an unreadable object
}

// sharedReaders are shared by requests: processes that read objects, and cached outputs.
type sharedReaders struct {
	mu        sync.Mutex
	users     int
	idle      []*Reader
	idleTimer *time.Timer // ends the idle ones
	answers   []cachedAnswer
}

const (
	maxIdle       = 4           // the number of checks that read at the same time
	idleTimeout   = time.Second // tests may run for a long time in between
	maxAnswers    = 8
	maxAnswerSize = 256 << 10 // bytes of a cached answer
)

// ShareReader makes all sequential readers of objects use one process, until end is called. It is
// for one request, not for a program's lifetime: a long-running process still answers from what gc
// deleted.
func (r *Repo) ShareReader() (end func()) {
	r.shared.mu.Lock()
	defer r.shared.mu.Unlock()
	r.shared.users++
	return func() {
		r.shared.mu.Lock()
		defer r.shared.mu.Unlock()
		if r.shared.users--; r.shared.users == 0 {
			r.shared.endIdle()
		}
	}
}

// endIdle ends the idle processes. s.mu is locked.
func (s *sharedReaders) endIdle() {
	for _, b := range s.idle {
		_ = b.endProcess()
	}
	s.idle = nil
	if s.idleTimer != nil {
		s.idleTimer.Stop()
		s.idleTimer = nil
	}
}

// keepIdle keeps a process for the next reader, for a while. s.mu is locked.
func (s *sharedReaders) keepIdle(b *Reader) {
	s.idle = append(s.idle, b)
	if s.idleTimer != nil {
		s.idleTimer.Stop()
	}
	var t *time.Timer
	t = time.AfterFunc(idleTimeout, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.idleTimer == t { // not used since
			s.endIdle()
		}
	})
	s.idleTimer = t
}

// Reader starts a reader of objects. It ends with Close or when ctx is done.
func (r *Repo) Reader(ctx context.Context) (*Reader, error) {
	var b *Reader
	r.shared.mu.Lock()
	if n := len(r.shared.idle); n > 0 {
		b, r.shared.idle = r.shared.idle[n-1], r.shared.idle[:n-1]
	}
	r.shared.mu.Unlock()
	if b == nil {
		b = &Reader{repo: r, ctx: ctx}
		return b, b.start()
	}
	b.attach(ctx)
	return b, nil
}

// attach makes the process end when ctx is done.
func (b *Reader) attach(ctx context.Context) {
	quit := b.quit
	b.ctx, b.detach = ctx, context.AfterFunc(ctx, func() { quit(ctx.Err()) })
}

func (b *Reader) start() error {
	b.hasExited = true // until it runs
	if err := b.ctx.Err(); err != nil {
		return err
	}
	ctx, quit := context.WithCancelCause(context.WithoutCancel(b.ctx)) // the process may be shared after b.ctx is done
	b.cmd = b.repo.Command(ctx, "cat-file", "--batch-command")
	b.stderr.Reset()
	b.cmd.Stderr = &b.stderr
	in, err1 := b.cmd.StdinPipe()
	out, err2 := b.cmd.StdoutPipe()
	err := errors.Join(err1, err2)
	if err == nil {
		err = b.cmd.Start()
	}
	if err != nil {
		quit(err)
		return err
	}
	b.stdin, b.stdout, b.quit = in, bufio.NewReaderSize(out, 64<<10), quit
	b.isUnfinished, b.hasExited = false, false
	b.attach(b.ctx)
	return nil
}

// handleExit ends a process that failed in the middle of an answer, and returns the cause. The next
// question starts another one.
func (b *Reader) handleExit(name string, err error) error {
	b.hasExited = true
	_ = b.endProcess()
	said := firstComplaint(b.stderr.String())
	var silence *SilenceError // not about the object
	if b.ctx.Err() != nil || said == "" || errors.As(err, &silence) {
		return fmt.Errorf("read %s: %w", name, errors.Join(err, b.ctx.Err()))
	}
	return fmt.Errorf("read %s: %w: %s", name, ErrDamaged, said)
}

// Close ends the reader, and its process unless that is shared.
func (b *Reader) Close() error {
	b.repo.shared.mu.Lock()
	defer b.repo.shared.mu.Unlock()
	if b.hasExited {
		return nil
	}
	if b.repo.shared.users > 0 && len(b.repo.shared.idle) < maxIdle && !b.isUnfinished && b.detach() {
		b.repo.shared.keepIdle(b)
		return nil
	}
	return b.endProcess()
}

func (b *Reader) endProcess() error {
	defer b.quit(nil)
	b.detach()
	b.stdin.Close()
	_, _ = io.Copy(io.Discard, b.stdout)
	return b.cmd.Wait()
}

// Read returns a complete object. name is anything that git resolves, on one line: an oid, or
// <commit>:<path>.
func (b *Reader) Read(name string) (Object, error) {
	var data bytes.Buffer
	o, err := b.Copy(name, &data)
	o.Data = data.Bytes()
	return o, err
}

// Copy writes an object's bytes to w. If w fails the rest is still read, so that the next object
// can be. The bytes are compared with the object name that name resolves to: the error wraps
// ErrDamaged when they do not match; some of them may have been written to w.
func (b *Reader) Copy(name string, w io.Writer) (o Object, err error) {
	out := &countingWriter{Writer: w}
	o, err = b.copyObject(name, out)
	if errors.Is(err, ErrDamaged) && out.n == 0 && IsOID(name) {
		if saved, failed := b.readSoundCopy(name, w); failed == nil {
			return saved, nil
		}
	}
	return o, err
}

func (b *Reader) copyObject(name string, w io.Writer) (o Object, err error) {
	o, size, err := b.query("contents", name)
	if err != nil {
		return o, err
	}
	b.isUnfinished = true
	h := b.repo.NewHash()
	fmt.Fprintf(h, "%s %d\x00", o.Type, size)
	body := io.TeeReader(io.LimitReader(b.stdout, size), h)
	_, werr := io.Copy(w, body)
	if _, err := io.Copy(io.Discard, body); err != nil {
		return o, b.handleExit(name, err)
	}
	if _, err := b.stdout.ReadByte(); err != nil {
		return o, b.handleExit(name, err)
	}
	b.isUnfinished = false
	if werr == nil && hex.EncodeToString(h.Sum(nil)) != o.OID {
		return o, fmt.Errorf("read %s: %w: its content does not match its name", name, ErrDamaged)
	}
	return o, werr
}

// query sends one question and reads the header of its answer.
func (b *Reader) query(what, name string) (Object, int64, error) {
	if strings.ContainsRune(name, '\n') {
		return Object{}, 0, fmt.Errorf("read %q: a line end in the name of an object", name)
	}
	if b.hasExited {
		if err := b.start(); err != nil {
			return Object{}, 0, fmt.Errorf("read %s: %w", name, err)
		}
	}
	b.isUnfinished = true
	if _, err := io.WriteString(b.stdin, what+" "+name+"\n"); err != nil {
		return Object{}, 0, b.handleExit(name, err)
	}
	return b.readHead(name)
}

func (b *Reader) readHead(name string) (Object, int64, error) {
	head, err := b.stdout.ReadString('\n')
	if err != nil {
		return Object{}, 0, b.handleExit(name, err)
	}
	b.isUnfinished = false
	f := strings.Fields(head)
	if len(f) != 3 || len(f[0]) != 40 && len(f[0]) != 64 {
		return Object{}, 0, fmt.Errorf("read %s: %w", name, ErrNoObject)
	}
	size, err := strconv.ParseInt(f[2], 10, 64)
	if err != nil {
		return Object{}, 0, fmt.Errorf("read %s: git printed %q", name, head)
	}
	return Object{OID: f[0], Type: f[1]}, size, nil
}

// readInfos reads the types and sizes of many objects.
func (b *Reader) readInfos(oids []string, found func(i int, o Object, size int64)) error {
	if b.hasExited {
		if err := b.start(); err != nil {
			return err
		}
	}
	b.isUnfinished = true
	sent := make(chan error, 1)
	go func() {
		_, err := io.WriteString(b.stdin, "info "+strings.Join(oids, "\ninfo ")+"\n")
		sent <- err
	}()
	for i, oid := range oids {
		o, size, err := b.readHead(oid)
		if err == nil {
			found(i, o, size)
		} else if !errors.Is(err, ErrNoObject) {
			b.isUnfinished = true
			_ = b.stdin.Close() // this also ends the sender
			return errors.Join(err, <-sent)
		}
	}
	return <-sent
}

// Walk lists all files below a tree, by path.
func (b *Reader) Walk(tree string) ([]TreeEntry, error) {
	return b.walkTree(tree, "", nil)
}

func (b *Reader) walkTree(tree, prefix string, list []TreeEntry) ([]TreeEntry, error) {
	entries, err := b.Folder(tree)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		e.Path = prefix + e.Path
		if e.Type != "tree" {
			list = append(list, e)
		} else if list, err = b.walkTree(e.OID, e.Path+"/", list); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Folder lists the direct entries of a tree.
func (b *Reader) Folder(tree string) ([]TreeEntry, error) {
	o, err := b.Read(tree)
	if err != nil {
		return nil, err
	}
	entries, err := ParseTree(o.Data, b.repo.HashSize())
	if err != nil || o.Type != "tree" {
		return nil, fmt.Errorf("list tree %s: it is a %s: %w", tree, o.Type, err)
	}
	return entries, nil
}

// Verify reads an object completely and checks that its bytes, or those of another copy that Copy
// would use, match its name.
func (b *Reader) Verify(oid string) error {
	_, err := b.Copy(oid, io.Discard)
	return err
}
