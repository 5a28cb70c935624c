package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/testutil"
)

// TestMain also makes this binary the process that is killed: JOURNAL_CHILD tells the child what to
// do.
func TestMain(m *testing.M) {
	s := Open(os.Getenv("JOURNAL_DIR"))
	switch os.Getenv("JOURNAL_CHILD") {
	case "":
		os.Exit(m.Run())
	case "kill":
		n, _ := strconv.ParseInt(os.Getenv("JOURNAL_STEP"), 10, 64)
		killAt(s, n)
		exit(scenes[os.Getenv("JOURNAL_SCENE")].act(s))
	case "append":
		exit(appendMany(s, os.Getenv("JOURNAL_NAME"), 100))
	case "full":
		exit(appendBeyondLimit(s))
	case "readonly":
		exit(readOnly(s))
	}
	exit(errors.New("no such child"))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	os.Exit(0)
}

func child(dir, what string, env ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), append(env, "JOURNAL_CHILD="+what, "JOURNAL_DIR="+dir)...)
	return cmd
}

func killAt(s *Store, n int64) {
	var step atomic.Int64
	s.Fault = func(string, string) error {
		if step.Add(1) == n {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		return nil
	}
}

// scene is an operation of the store, from a state that prepare creates. done reports whether it
// was completed, and fails if the store is neither as before nor as after.
type scene struct {
	prepare func(s *Store) error
	act     func(s *Store) error
	done    func(s *Store) (bool, error)
}

var scenes = map[string]scene{
	"create": {
		prepare: func(*Store) error { return nil },
		act:     create,
		done:    created,
	},
	"create over torn": {
		prepare: func(s *Store) error {
			return errors.Join(os.MkdirAll(s.tasksDir(), 0o700), os.WriteFile(s.taskFile("T7"), []byte(tornText), 0o600),
				os.WriteFile(filepath.Join(s.tasksDir(), ".t7.jsonl.new"), []byte("left"), 0o600))
		},
		act:  create,
		done: func(s *Store) (bool, error) { ok, err := created(s); return ok, errors.Join(err, kept(s, ok)) },
	},
	"append": {prepare: create, act: appendOne, done: appended},
	"append over torn": {
		prepare: func(s *Store) error {
			if err := create(s); err != nil {
				return err
			}
			f, err := os.OpenFile(s.taskFile("T7"), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteString(tornText)
			return err
		},
		act:  appendOne,
		done: func(s *Store) (bool, error) { ok, err := appended(s); return ok, errors.Join(err, kept(s, ok)) },
	},
	"attach": {
		prepare: func(*Store) error { return nil },
		act:     func(s *Store) error { _, _, err := s.Attach(strings.NewReader(tornText)); return err },
		done: func(s *Store) (bool, error) {
			r, err := s.OpenAttachment(tornSHA)
			if belay.CodeOf(err) == belay.CodeNotFound {
				return false, nil
			}
			if err != nil {
				return false, err
			}
			defer r.Close()
			return true, s.checkAttachment(tornSHA)
		},
	},
}

const (
	tornText = `{"v":1,"seq":2,"time":"2030-01-01T00:00:00Z","ta` + "\x00\x00"
	tornSHA  = "6ed86cd505f23b59e8981a08d4904e58aa7cbe4766b9ce9db8779d5580bb28eb"
)

func create(s *Store) error {
	_, err := s.Create(context.Background(), "T7", "created", note{N: 1})
	return err
}

func created(s *Store) (bool, error) {
	l, err := s.Read("T7")
	if belay.CodeOf(err) == belay.CodeNotFound {
		return false, nil
	}
	if err == nil && (len(l.Entries) != 1 || l.Torn != 0) {
		err = fmt.Errorf("created: %+v", l)
	}
	return true, err
}

func appendOne(s *Store) error {
	l, err := s.Read("T7")
	if err != nil {
		return err
	}
	_, err = s.Append(context.Background(), "T7", l.Head, "noted", note{N: 2})
	return err
}

func appended(s *Store) (bool, error) {
	l, err := s.Read("T7")
	if err != nil {
		return false, err
	}
	if n := len(l.Entries); n < 1 || n > 2 {
		return false, fmt.Errorf("%d entries", n)
	}
	return len(l.Entries) == 2, nil
}

// kept checks that the torn bytes still exist, in the record or, if it was repaired, in a file
// beside it.
func kept(s *Store, mended bool) error {
	names, _ := filepath.Glob(s.taskFile("T7") + "*")
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		aside := strings.Contains(filepath.Base(name), ".torn-")
		if bytes.HasSuffix(text, []byte(tornText)) && (aside || !mended) {
			return nil
		}
	}
	return fmt.Errorf("the torn bytes are gone; there are %v", names)
}

// TestKillAtEveryStep: after a kill before any step, the store is as before or as after, and
// repeating the operation works.
func TestKillAtEveryStep(t *testing.T) {
	t.Parallel()
	for name, sc := range scenes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for n := 1; ; n++ {
				dir := fastDir(t)
				s := Open(dir)
				if err := sc.prepare(s); err != nil {
					t.Fatal(err)
				}
				out, err := child(dir, "kill", "JOURNAL_SCENE="+name, fmt.Sprintf("JOURNAL_STEP=%d", n)).CombinedOutput()
				var exit *exec.ExitError
				killed := errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL
				if err != nil && !killed {
					t.Fatalf("step %d: %v: %s", n, err, out)
				}
				again(t, s, sc, n)
				if !killed {
					t.Logf("%d kill points", n-1)
					if n < 4 {
						t.Error("too few steps to be true")
					}
					return
				}
			}
		})
	}
}

// again checks the state after an accident at step n, repeats an incomplete operation, and checks
// that no files are left over.
func again(t *testing.T, s *Store, sc scene, n int) {
	t.Helper()
	ok, err := sc.done(s)
	if err != nil {
		t.Fatalf("after step %d: %v", n, err)
	}
	if !ok {
		if err := sc.act(s); err != nil {
			t.Fatalf("again after step %d: %v", n, err)
		}
		if ok, err := sc.done(s); !ok || err != nil {
			t.Fatalf("again after step %d: %v %v", n, ok, err)
		}
	}
	if tasks, err := s.Tasks(); err != nil || len(tasks) > 1 {
		t.Fatal(tasks, err)
	} else if len(tasks) == 1 {
		if v, err := s.Verify("T7", nil); err != nil || !v.OK {
			t.Fatalf("after step %d: %+v %v", n, v, err)
		}
	}
	for _, pattern := range []string{s.tasksDir() + "/.*", s.newFiles() + "/*"} {
		if left, _ := filepath.Glob(pattern); len(left) > 0 && !ok {
			t.Errorf("step %d left %v", n, left)
		}
	}
}

// TestFaultAtEveryStep: if the disk is full at any step, once or from then on, the operation fails
// with an error that names the path, and works once there is space again.
func TestFaultAtEveryStep(t *testing.T) {
	t.Parallel()
	for name, sc := range scenes {
		for _, lasting := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, lasting %v", name, lasting), func(t *testing.T) {
				t.Parallel()
				for n := int64(1); ; n++ {
					s := Open(fastDir(t))
					if err := sc.prepare(s); err != nil {
						t.Fatal(err)
					}
					step, failed := int64(0), ""
					s.Fault = func(op, path string) error {
						step++
						if step == n || lasting && step > n {
							if failed == "" {
								failed = path
							}
							return &os.PathError{Op: op, Path: path, Err: syscall.ENOSPC}
						}
						return nil
					}
					err := sc.act(s)
					s.Fault = nil
					if failed == "" {
						t.Logf("%d fault points", n-1)
						return
					}
					wantCode(t, err, belay.CodeCannot, "the disk is full", failed)
					if !lasting {
						if l, rerr := s.Read("T7"); rerr == nil && len(l.Entries) == 2 {
							t.Errorf("step %d failed, and its entry stands", n)
						}
					}
					again(t, s, sc, int(n))
				}
			})
		}
	}
}

// TestOrderOfSteps: the order of steps must survive a power cut: a file is synced before it gets
// its name, and the folder after that.
func TestOrderOfSteps(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"create":           "mkdir store, syncdir, mkdir tasks, syncdir store, create .t7.jsonl.new, write .t7.jsonl.new, sync .t7.jsonl.new, rename t7.jsonl, syncdir tasks",
		"create over torn": "rename t7.jsonl.torn-1, syncdir tasks, remove .t7.jsonl.new, create .t7.jsonl.new, write .t7.jsonl.new, sync .t7.jsonl.new, rename t7.jsonl, syncdir tasks",
		"append":           "syncdir tasks, write t7.jsonl, sync t7.jsonl",
		"append over torn": "create t7.jsonl.torn-1, write t7.jsonl.torn-1, sync t7.jsonl.torn-1, syncdir tasks, truncate t7.jsonl, syncdir tasks, write t7.jsonl, sync t7.jsonl",
		"attach":           "mkdir store, syncdir, mkdir files, syncdir store, mkdir .new, syncdir files, create .new, write *, sync *, rename " + tornSHA + ", syncdir files",
	}
	for name, sc := range scenes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := fastDir(t)
			s := Open(filepath.Join(top, "store"))
			if err := sc.prepare(s); err != nil {
				t.Fatal(err)
			}
			var steps []string
			s.Fault = func(op, path string) error {
				base := " " + filepath.Base(path)
				if path == top {
					base = ""
				} else if filepath.Dir(path) == s.newFiles() {
					base = " *"
				}
				steps = append(steps, op+base)
				return nil
			}
			if err := sc.act(s); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(strings.Split(want[name], ", "), steps); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestCutAtEveryByte: a record may be cut anywhere: complete entries are read, the rest is kept,
// and the next append follows the last complete entry.
func TestCutAtEveryByte(t *testing.T) {
	t.Parallel()
	s := Open(fastDir(t))
	fill(t, s, 5)
	whole := mustRead(t, s, "T7")
	text, err := os.ReadFile(s.taskFile("T7"))
	if err != nil {
		t.Fatal(err)
	}
	dir := fastDir(t)
	for cut := 0; cut <= len(text); cut++ {
		s := Open(filepath.Join(dir, strconv.Itoa(cut)))
		if err := errors.Join(os.MkdirAll(s.tasksDir(), 0o700), os.WriteFile(s.taskFile("T7"), text[:cut], 0o600)); err != nil {
			t.Fatal(err)
		}
		lines := bytes.Count(text[:cut], []byte("\n"))
		torn := cut - bytes.LastIndexByte(text[:cut], '\n') - 1
		l, err := s.Read("T7")
		if lines == 0 {
			wantCode(t, err, belay.CodeNotFound)
			if _, err := s.Create(t.Context(), "T7", "created", nil); err != nil {
				t.Fatalf("cut at %d: %v", cut, err)
			}
		} else {
			want := Log{Task: "T7", Entries: whole.Entries[:lines], Head: Head{Seq: lines, Hash: whole.Entries[lines-1].Hash}, Torn: int64(torn)}
			if d := cmp.Diff(want, l); err != nil || d != "" {
				t.Fatalf("cut at %d: %v %s", cut, err, d)
			}
			if _, err := s.Append(t.Context(), "T7", l.Head, "noted", nil); err != nil {
				t.Fatalf("cut at %d: %v", cut, err)
			}
		}
		if l = mustRead(t, s, "T7"); l.Torn != 0 || len(l.Entries) != lines+1 {
			t.Fatalf("cut at %d: %d entries, %d torn", cut, len(l.Entries), l.Torn)
		}
		if torn > 0 {
			if aside, err := os.ReadFile(tornName(s.taskFile("T7"), 1)); err != nil || !bytes.Equal(aside, text[cut-torn:cut]) {
				t.Fatalf("cut at %d: the torn bytes are not kept: %q %v", cut, aside, err)
			}
		}
	}
	t.Logf("%d cuts", len(text)+1)
}

// TestFlipEveryByte: no byte of a record can change unnoticed, and an append after such a change
// either fails or keeps every byte that it removes.
func TestFlipEveryByte(t *testing.T) {
	t.Parallel()
	s := Open(fastDir(t))
	fill(t, s, 4)
	path := s.taskFile("T7")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	flips := 0
	for i := range text {
		for _, c := range []byte{text[i] ^ 1, text[i] ^ 0x80, '\n'} {
			if c == text[i] {
				continue
			}
			flips++
			changed := bytes.Clone(text)
			changed[i] = c
			if err := os.WriteFile(path, changed, 0o600); err != nil {
				t.Fatal(err)
			}
			v, err := s.Verify("T7", nil)
			if err == nil && v.OK {
				t.Fatalf("byte %d as %q went unnoticed", i, c)
			}
			l, err := s.Read("T7")
			if err != nil {
				continue
			}
			if _, err := s.Append(t.Context(), "T7", l.Head, "noted", nil); err != nil {
				t.Fatalf("byte %d as %q: %v", i, c, err)
			}
			aside, err := os.ReadFile(tornName(path, 1))
			if err != nil || !bytes.HasSuffix(changed, aside) || int64(len(aside)) != l.Torn {
				t.Fatalf("byte %d as %q: %d bytes kept of %d: %v", i, c, len(aside), l.Torn, err)
			}
			os.Remove(tornName(path, 1))
		}
	}
	t.Logf("%d flips", flips)
}

// TestTenProcesses: ten processes append a hundred entries each, and none is lost.
func TestTenProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := Open(dir)
	fill(t, s, 1)
	var all []*exec.Cmd
	for i := range 10 {
		cmd := child(dir, "append", fmt.Sprintf("JOURNAL_NAME=p%d", i))
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, cmd)
	}
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	next := map[string]int{}
	for _, e := range mustRead(t, s, "T7").Entries[1:] {
		if string(e.Data) != strconv.Itoa(next[e.Type]) {
			t.Fatalf("entry %d is %s of %s, expected %d", e.Seq, e.Data, e.Type, next[e.Type])
		}
		next[e.Type]++
	}
	if len(next) != 10 {
		t.Errorf("%v", next)
	}
	for name, n := range next {
		if n != 100 {
			t.Errorf("%s wrote %d", name, n)
		}
	}
}

func appendMany(s *Store, name string, n int) error {
	l, err := s.Read("T7")
	if err != nil {
		return err
	}
	for i := 0; i < n; {
		head, err := s.Append(context.Background(), "T7", l.Head, name, i)
		var moved *MovedError
		switch {
		case errors.As(err, &moved):
			l.Head = moved.Head
			continue
		case err != nil:
			return err
		}
		l.Head = head
		i++
	}
	return nil
}

// TestShortWrite: a short write is removed again.
func TestShortWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := Open(dir)
	head := fill(t, s, 2)
	before, _ := os.ReadFile(s.taskFile("T7"))
	if out, err := child(dir, "full").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	after, err := os.ReadFile(s.taskFile("T7"))
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the record has changed: %v\n%s", err, after)
	}
	if _, err := s.Append(t.Context(), "T7", head, "noted", nil); err != nil {
		t.Error(err)
	}
}

func appendBeyondLimit(s *Store) error {
	signal.Ignore(syscall.SIGXFSZ)
	info, err := os.Stat(s.taskFile("T7"))
	if err != nil {
		return err
	}
	room := uint64(info.Size()) + 40
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: room, Max: room}); err != nil {
		return err
	}
	l, err := s.Read("T7")
	if err != nil {
		return err
	}
	if _, err = s.Append(context.Background(), "T7", l.Head, "noted", nil); !errors.Is(err, syscall.EFBIG) {
		return fmt.Errorf("append beyond the limit: %v", err)
	}
	return nil
}

// TestReadOnlyFolder: in a read-only folder, reading works and the error of a write says what to
// do.
func TestReadOnlyFolder(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "belay-journal-ro-*") // t.TempDir's parents are closed to others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { exec.Command("chmod", "-R", "u+w", dir).Run(); os.RemoveAll(dir) })
	exe := filepath.Join(dir, "journal.test")
	bin, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := testutil.WriteProgram(exe, bin); err != nil {
		t.Fatal(err)
	}
	s := Open(filepath.Join(dir, "store"))
	fill(t, s, 2)
	if out, err := exec.Command("chmod", "-R", "a+rX,a-w", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := child(s.dir, "readonly")
	cmd.Path = exe
	if os.Getuid() == 0 { // root may write anywhere
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 12345, Gid: 12345}}
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

func readOnly(s *Store) error {
	l, err := s.Read("T7")
	if err != nil || len(l.Entries) != 2 {
		return fmt.Errorf("read: %v", err)
	}
	if v, err := s.Verify("T7", nil); err != nil || !v.OK {
		return fmt.Errorf("verify: %v %v", v, err)
	}
	_, aerr := s.Append(context.Background(), "T7", l.Head, "noted", nil)
	_, cerr := s.Create(context.Background(), "T8", "created", nil)
	_, _, ferr := s.Attach(strings.NewReader("x"))
	for _, err := range []error{aerr, cerr, ferr} {
		if belay.CodeOf(err) != belay.CodeCannot || !strings.Contains(fmt.Sprint(err), "is not writable") || !strings.Contains(err.Error(), s.dir) {
			return fmt.Errorf("got %v", err)
		}
	}
	return nil
}
