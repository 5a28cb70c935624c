package proc

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/config"
)

// run runs a shell line in its own folder and returns its ending and output.
func run(t *testing.T, ctx context.Context, grace time.Duration, line string) (Ending, *HeadTail, string) {
	t.Helper()
	dir := t.TempDir()
	var out HeadTail
	end := Program{
		Command: config.TypedCommand([]string{"sh", "-c", line}), Dir: dir, Env: os.Environ(),
		Stdout: &out, Grace: grace,
	}.Run(ctx)
	return end, &out, dir
}

func TestEndings(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		line string
		want Ending
		says string
	}{
		"well":         {"echo out; echo err >&2", Ending{}, "ended with exit code 0"},
		"badly":        {"exit 3", Ending{Code: 3}, "ended with exit code 3"},
		"not found":    {"no-such-program-here", Ending{Code: 127}, "ended with exit code 127"},
		"own signal":   {"kill -SEGV $$", Ending{Code: -1, Signal: syscall.SIGSEGV}, "was ended by signal 11 (segmentation fault)"},
		"own group":    {"trap '' TERM; kill -TERM 0; exit 4", Ending{Code: 4}, "ended with exit code 4"},
		"closes files": {"exec >&- 2>&- <&-; exit 6", Ending{Code: 6}, "ended with exit code 6"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			end, _, _ := run(t, t.Context(), time.Second, tt.line)
			if end != tt.want || end.String() != tt.says {
				t.Errorf("ended %+v (%s), want %+v (%s)", end, end, tt.want, tt.says)
			}
		})
	}
}

func TestGivesInputOutputFolderAndEnvironment(t *testing.T) {
	t.Parallel()
	end, out, dir := run(t, t.Context(), time.Second, `read x; echo "read=$?"; pwd; echo err >&2; test -n "$BELAY_CHECK"`)
	if end.Code != 0 || end.Failed != nil {
		t.Fatalf("ended %+v", end)
	}
	real, _ := filepath.EvalSymlinks(dir)
	if got := out.Last(1000); got != "read=1\n"+real+"\nerr\n" {
		t.Errorf("it wrote %q", got)
	}
}

func TestStartsNothing(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]Program{
		"no such program": {Command: config.TypedCommand([]string{"no-such-program-here"}), Dir: t.TempDir()},
		"no such folder":  {Command: config.TypedCommand([]string{"true"}), Dir: "/no/such/folder"},
		"a folder":        {Command: config.TypedCommand([]string{"/"}), Dir: t.TempDir()},
	} {
		p.Env, p.Stdout, p.Stderr = os.Environ(), io.Discard, io.Discard
		if end := p.Run(t.Context()); end.Failed == nil || end.Code != -1 {
			t.Errorf("%s: ended %+v, want a failure", name, end)
		}
	}
}

// TestAllOutputArrives: the end of a program that prints much and quickly is reported after its
// last byte.
func TestAllOutputArrives(t *testing.T) {
	t.Parallel()
	var out countWriter
	end := Program{
		Command: config.TypedCommand([]string{"sh", "-c", "head -c 200000000 /dev/zero"}), Dir: t.TempDir(), Env: os.Environ(),
		Stdout: &out, Stderr: io.Discard, Grace: time.Second,
	}.Run(t.Context())
	if end.Code != 0 || out != 200_000_000 {
		t.Errorf("%d bytes arrived, ended %+v", out, end)
	}
}

type countWriter int64

func (c *countWriter) Write(p []byte) (int, error) { *c += countWriter(len(p)); return len(p), nil }

// TestWriterThatFails: a failing writer must not block the program.
func TestWriterThatFails(t *testing.T) {
	t.Parallel()
	end := Program{
		Command: config.TypedCommand([]string{"sh", "-c", "head -c 3000000 /dev/zero; exit 7"}), Dir: t.TempDir(), Env: os.Environ(),
		Stdout: brokenWriter{}, Stderr: io.Discard, Grace: time.Second,
	}.Run(t.Context())
	if end.Code != 7 {
		t.Errorf("ended %+v", end)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestSpoolKeepsBothEnds: for any writes, HeadTail keeps the start and the end of the complete
// output.
func TestSpoolKeepsBothEnds(t *testing.T) {
	t.Parallel()
	pattern := make([]byte, 8*outputPart)
	for i := range pattern {
		pattern[i] = byte(i * 31 / 7)
	}
	rapid.Check(t, func(t *rapid.T) {
		var s HeadTail
		var whole []byte
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, outputPart+outputPart/3), 1, 5).Draw(t, "pieces") {
			s.Write(pattern[len(whole) : len(whole)+n])
			whole = pattern[:len(whole)+n]
		}
		got, err := io.ReadAll(s.Reader())
		if err != nil {
			t.Fatal(err)
		}
		want := whole
		if left := len(whole) - 2*outputPart; left > 0 {
			gap := fmt.Sprintf("\n[… %d bytes left out …]\n", left)
			want = append(append(bytes.Clone(whole[:outputPart]), gap...), whole[len(whole)-outputPart:]...)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("spool gives %d bytes, want %d", len(got), len(want))
		}
		last := s.Last(100)
		if last != string(whole[max(0, len(whole)-100):]) {
			t.Fatalf("last is wrong")
		}
	})
}

// TestCutIsToldFirst: Cut is called before the program is signalled, so that the reader can ignore
// what the program prints about its own end.
func TestCutIsToldFirst(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var out watched
	out.seen = func() { cancel() }
	cut := make(chan string, 1)
	end := Program{
		Command: config.TypedCommand([]string{"sh", "-c", "trap 'echo ended; exit 1' TERM; echo ready; while :; do sleep 0.02; done"}),
		Dir:     t.TempDir(), Env: os.Environ(), Stdout: &out, Stderr: io.Discard, Grace: 2 * time.Second,
		Cut: func() { cut <- out.String() },
	}.Run(ctx)
	if !end.Cut || end.Code != 1 {
		t.Errorf("ended %+v", end)
	}
	if at := <-cut; at != "ready\n" || out.String() != "ready\nended\n" {
		t.Errorf("at the cut %q, in the end %q", at, out.String())
	}
}

// watched calls seen when the first bytes arrive.
type watched struct {
	HeadTail
	seen func()
}

func (w *watched) Write(p []byte) (int, error) {
	n, err := w.HeadTail.Write(p)
	w.seen()
	return n, err
}

func (w *watched) String() string { return strings.Clone(w.Last(1000)) }

// TestPrintedInTime: everything printed before the timeout is passed on before Cut is called, even
// if the program prints without a pause.
func TestPrintedInTime(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ before, after string }{
		"and no more":         {"printf %60000d 7", "exec sleep 60"},
		"and more and more":   {"printf %60000d 7", "exec yes"},
		"and the pipe closed": {"printf %60000d 7", "exec >&- 2>&-; exec sleep 60"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 20 {
				said := filepath.Join(t.TempDir(), "said")
				ctx, cancel := context.WithCancel(t.Context())
				slow := slowWriter{}
				cut := -1
				go func() {
					for {
						if _, err := os.Stat(said); err == nil || t.Context().Err() != nil {
							cancel()
							return
						}
						time.Sleep(time.Millisecond)
					}
				}()
				Program{
					Command: config.TypedCommand([]string{"sh", "-c", tt.before + "; : > '" + said + "'; " + tt.after}),
					Env:     os.Environ(), Stdout: &slow, Grace: time.Second,
					Cut: func() { cut = int(slow.n.Load()) },
				}.Run(ctx)
				cancel()
				if cut < 60000 {
					t.Fatalf("%d bytes of 60000 were passed on when the time was up", cut)
				}
			}
		})
	}
}

// TestPrintedLast: everything that a program printed before it ended is passed on, however late it
// is read.
func TestPrintedLast(t *testing.T) {
	t.Parallel()
	said := filepath.Join(t.TempDir(), "said")
	late := lateWriter{said: said}
	end := Program{
		Command: config.TypedCommand([]string{"sh", "-c", "echo first; until test -e '" + said + "'; do sleep 0.01; done; printf %60000d 7"}),
		Env:     os.Environ(), Stdout: &late, Grace: time.Second,
	}.Run(t.Context())
	if end.Code != 0 || late.n != len("first\n")+60000 {
		t.Errorf("%d bytes of %d were passed on: %s", late.n, len("first\n")+60000, end)
	}
}

// lateWriter accepts the first bytes long after the program has ended.
type lateWriter struct {
	said string
	n    int
}

func (w *lateWriter) Write(p []byte) (int, error) {
	if w.n == 0 {
		_ = os.WriteFile(w.said, nil, 0o600)
		time.Sleep(3 * outputGrace)
	}
	w.n += len(p)
	return len(p), nil
}

// slowWriter is slow for each write, like a parser on a busy machine.
type slowWriter struct{ n atomic.Int64 }

func (w *slowWriter) Write(p []byte) (int, error) {
	time.Sleep(5 * time.Millisecond)
	w.n.Add(int64(len(p)))
	return len(p), nil
}
