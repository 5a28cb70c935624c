package watch

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/snapshot"
)

func self() []string {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return []string{exe, "_watch"}
}

func (b *box) store(t testing.TB, watched bool) *snapshot.Store {
	t.Helper()
	s, err := snapshot.Open(context.Background(), b.place.Repo, snapshot.Options{MaxFile: b.place.MaxFile})
	if err != nil {
		t.Fatal(err)
	}
	if watched {
		s.Watch = &Client{Place: s.Worktree}
	}
	return s
}

func (b *box) start(t testing.TB) Status {
	t.Helper()
	s, err := Start(context.Background(), b.place, self(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = Stop(context.Background(), b.place) })
	return s
}

func (b *box) take(t testing.TB, s *snapshot.Store) snapshot.Info {
	t.Helper()
	info, err := s.Take(context.Background(), snapshot.Meta{Kind: belay.KindManual})
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func (b *box) asked(t testing.TB) Status {
	t.Helper()
	s, err := Ask(context.Background(), b.place)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// alike takes one snapshot with the watch and one without, and checks that they are equal.
func (b *box) alike(t testing.TB) {
	t.Helper()
	with, without := b.store(t, true), b.store(t, false)
	one, two := b.take(t, with), b.take(t, without)
	if one.Tree != two.Tree || one.Files != two.Files {
		t.Fatalf("with the watch %s (%d files), without %s (%d files)", one.Tree, one.Files, two.Tree, two.Files)
	}
	m, err := with.Manifest(context.Background(), one)
	if err != nil {
		t.Fatal(err)
	}
	n, err := with.Manifest(context.Background(), two)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(m.Encode(), n.Encode()) {
		t.Fatalf("the manifests differ:\n%q\n%q", m.Encode(), n.Encode())
	}
	b.git(t, "fsck", "--strict", "--no-dangling", "--connectivity-only")
}

func TestTakesThroughTheWatch(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.start(t)
	b.take(t, b.store(t, true)) // the watch answers only once it knows the last snapshot
	steps := []func(){
		func() {},
		func() { b.write(t, "a/one", "edited") },
		func() { b.write(t, "new/deep/er/file", "x"); b.write(t, "a/.GIT", "odd") },
		func() { b.git(t, "add", "-A", "a/one") },
		func() { _ = os.RemoveAll(b.path("c")) },
		func() { _ = os.Rename(b.path("new"), b.path("old")) },
		func() { b.git(t, "commit", "-qm", "second") },
		func() { b.write(t, ".gitignore", "*.log\n"); b.write(t, "a/x.log", "x") },
		func() { _ = os.Chmod(b.path("a/one"), 0o755); _ = os.Chmod(b.path("a"), 0o700) },
		func() { b.git(t, "branch", "other"); b.write(t, "four", "4") },
	}
	for _, step := range steps {
		step()
		b.alike(t)
	}
	if s := b.asked(t); s.Answers < len(steps)-2 {
		t.Errorf("it answered %d of %d requests", s.Answers, s.Asked)
	}
}

// TestEditsUnderTheTake checks that snapshots succeed while files keep changing, and that the watch
// agrees with a scan once the changes stop.
func TestEditsUnderTheTake(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.start(t)
	s := b.store(t, true)
	b.take(t, s)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ctx.Err() == nil; i++ {
			text := string(rune('a' + i%26))
			_ = os.WriteFile(b.path("a/one"), []byte(text), 0o644)
			_ = os.WriteFile(b.path("four"), []byte(text), 0o644)
			time.Sleep(time.Millisecond)
		}
	}()
	for range 15 {
		b.take(t, s)
	}
	stop()
	<-done
	b.alike(t)
}

func TestAKilledWatchIsReplaced(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	first := b.start(t)
	b.take(t, b.store(t, true))
	if err := syscall.Kill(first.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	b.write(t, "four", "while nobody watched") // the killed watch has left its socket
	b.alike(t)
	second := b.start(t)
	if second.PID == first.PID {
		t.Fatal("the killed watch was reported")
	}
	b.write(t, "four", "again")
	b.alike(t)
	b.write(t, "four", "and again")
	b.alike(t)
	if s := b.asked(t); s.Answers == 0 {
		t.Error("the second watch answered no request")
	}
}

func TestOneWatchIsEnough(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	first := b.start(t)
	if second := b.start(t); second.PID != first.PID {
		t.Fatalf("two watches: %d and %d", first.PID, second.PID)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := Serve(b.root, Spec{Idle: time.Minute}, w); belay.CodeOf(err) != belay.CodeBusy {
		t.Fatalf("a second one: %v", err)
	}
	if err := Stop(context.Background(), b.place); err != nil {
		t.Fatal(err)
	}
	if _, err := Ask(context.Background(), b.place); belay.CodeOf(err) != belay.CodeNotFound {
		t.Fatalf("after it was stopped: %v", err)
	}
}

func TestItEndsByItself(t *testing.T) {
	t.Parallel()
	for name, reason := range map[string]func(*box){
		"unused":        func(*box) {},
		"folder gone":   func(b *box) { _ = os.RemoveAll(b.place.Dir) },
		"worktree gone": func(b *box) { _ = os.Rename(b.root, b.root+"-gone") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t)
			dir, err := b.place.MakeScratchDir("watch")
			if err != nil {
				t.Fatal(err)
			}
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- Serve(b.root, Spec{MaxFile: b.place.MaxFile, Idle: 400 * time.Millisecond}, w) }()
			if line, err := io.ReadAll(r); err != nil || string(line) != "ready\n" {
				t.Fatalf("%q %v", line, err)
			}
			reason(b)
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
			if _, err := os.Lstat(socket(dir)); err == nil {
				t.Error("its socket still exists")
			}
		})
	}
}

// TestTheNextSocketStays checks that a watch whose folder was deleted does not remove the socket of
// the watch after it.
func TestTheNextSocketStays(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- Serve(b.root, Spec{MaxFile: b.place.MaxFile, Idle: 400 * time.Millisecond}, w) }()
	if line, err := io.ReadAll(r); err != nil || string(line) != "ready\n" {
		t.Fatalf("%q %v", line, err)
	}
	next := filepath.Join(b.place.Dir, "next")
	if err := errors.Join(os.Mkdir(next, 0o700), os.WriteFile(socket(next), nil, 0o600), os.RemoveAll(folder(b.place)),
		os.Rename(next, folder(b.place))); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(socket(folder(b.place))); err != nil {
		t.Error(err)
	}
}

func TestAForeignSocketIsRefused(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	dir, err := b.place.MakeScratchDir("watch")
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan struct{}, 9)
	l, err := net.Listen("unix", socket(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			asked <- struct{}{}
			_, _ = c.Write([]byte("{\"v\":1}\n{\"v\":1,\"sure\":true,\"parts\":[-1,0,0]}\n"))
			_ = c.Close()
		}
	}()
	if err := os.Chmod(dir, 0o755); err != nil { // other users may read it
		t.Fatal(err)
	}
	if _, _, _, err := dial(context.Background(), dir); !errors.Is(err, errForeign) {
		t.Fatalf("a folder that others may read: %v", err)
	}
	if os.Geteuid() == 0 {
		if err := errors.Join(os.Chmod(dir, 0o700), os.Chown(dir, 12345, -1)); err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := dial(context.Background(), dir); !errors.Is(err, errForeign) {
			t.Fatalf("a folder of another user: %v", err)
		}
		_ = os.Chown(dir, 0, -1)
	}
	if len(asked) > 0 {
		t.Error("it was asked anyway")
	}
	_ = os.Chmod(dir, 0o700)
	b.alike(t) // the socket is our own, but its answers are invalid
}

// listen listens where a watch of the repository would.
func (b *box) listen(t *testing.T) net.Listener {
	t.Helper()
	dir, err := b.place.MakeScratchDir("watch")
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", socket(dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// TestASilentWatchIsBusy checks that a watch that does not answer, or not in this protocol, is not
// reported as missing, and no second one is started.
func TestASilentWatchIsBusy(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{"silent": "", "another version": "{\"v\":99}\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t)
			l := b.listen(t)
			go func() {
				for {
					c, err := l.Accept()
					if err != nil {
						return
					}
					defer c.Close()
					_, _ = io.WriteString(c, answer)
				}
			}()
			ctx := context.Background()
			_, asked := Ask(ctx, b.place)
			_, started := Start(ctx, b.place, []string{"false"}, time.Minute)
			for _, err := range []error{asked, started, Stop(ctx, b.place)} {
				if belay.CodeOf(err) != belay.CodeBusy {
					t.Errorf("%v", err)
				}
			}
		})
	}
}

// TestAnotherVersionIsStopped checks that a watch of another version is asked to stop in its version,
// and nothing else.
func TestAnotherVersionIsStopped(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	l := b.listen(t)
	var asked []request
	served := make(chan struct{})
	go func() {
		defer close(served)
		for range 2 {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = writeLine(c, greeting{V: protocol + 1, PID: 1})
			var q request
			if readLine(bufio.NewReader(c), &q) == nil {
				asked = append(asked, q)
				_ = writeLine(c, reply{V: protocol + 1})
			}
			_ = c.Close()
		}
	}()
	_, err := Ask(context.Background(), b.place)
	var why *belay.Error
	if !errors.As(err, &why) || why.Try != "belay watch --stop" {
		t.Errorf("%v", err)
	}
	if err := Stop(context.Background(), b.place); err != nil {
		t.Error(err)
	}
	<-served
	if len(asked) != 1 || asked[0].V != protocol+1 || asked[0].Ask != "stop" {
		t.Errorf("it was asked %+v", asked)
	}
}

func TestALongPath(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	long := filepath.Join(b.root, "0123456789012345678901234567890123456789", "0123456789012345678901234567890123456789", "r")
	if err := os.MkdirAll(long, 0o755); err != nil {
		t.Fatal(err)
	}
	inner := &box{root: long}
	inner.git(t, "init", "-q")
	repo, err := git.Open(context.Background(), long, true)
	if err != nil {
		t.Fatal(err)
	}
	inner.place = &snapshot.Worktree{Repo: repo, Dir: filepath.Join(repo.Dir, "belay")}
	if s := inner.start(t); !s.Sure {
		t.Fatalf("%+v", s)
	}
	if _, err := os.Lstat(filepath.Join(folder(inner.place), "socket")); err != nil {
		t.Fatal(err)
	}
}

func FuzzDecode(f *testing.F) {
	repo := &git.Repo{Format: "sha1"}
	seen := &snapshot.WatchAnswer{
		Tree: repo.HashObject("tree", nil), Count: 1, IndexKey: "k", RulesKey: "r", Manifest: &snapshot.Manifest{FilePerm: 0o644, Ignored: []string{"x/"}},
		Blobs: map[string]*snapshot.BlobSource{repo.HashObject("blob", nil): {Path: "a\nb", Size: 7}},
		Trees: []git.NewObject{{OID: repo.HashObject("tree", nil), Type: "tree"}},
	}
	r, body := encode(seen)
	f.Add(r.Tree, 1, r.Parts[0], r.Parts[1], r.Parts[2], body)
	f.Add("", -1, -1, 1<<40, 0, []byte("x"))
	f.Fuzz(func(t *testing.T, tree string, count, one, two, three int, body []byte) {
		got, err := decode(reply{Tree: tree, Count: count, Parts: [3]int{one, two, three}}, bytes.NewReader(body), repo)
		if err != nil {
			return
		}
		again, body := encode(got)
		if back, err := decode(again, bytes.NewReader(body), repo); err != nil || back.Tree != got.Tree || len(back.Blobs) != len(got.Blobs) || len(back.Trees) != len(got.Trees) {
			t.Fatalf("a decoded answer cannot be encoded and decoded again: %v", err)
		}
	})
}
