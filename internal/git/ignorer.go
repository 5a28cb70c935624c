package git

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
)

// Process is a git process, started or not. It must not block forever: reading its output fails
// when it does not answer.
type Process interface {
	StdinPipe() (io.WriteCloser, error)
	StdoutPipe() (io.Reader, error)
	Start() error
	Wait() error
}

// GitDirAndTree names a git folder and a tree to use instead of the repository's own; the zero
// value means its own.
type GitDirAndTree struct{ GitDir, Tree string }

// Ignorer asks git which paths are ignored. It is safe for concurrent use.
type Ignorer struct {
	start  func(in GitDirAndTree, said io.Writer) Process
	target GitDirAndTree

	mu     sync.Mutex
	cmd    Process
	stdin  io.WriteCloser
	stdout *bufio.Reader
	stderr bytes.Buffer
	err    error
}

// NewIgnorer returns an Ignorer. start returns its process, with the error output going to said;
// the first question starts it. It is "git check-ignore -z -v -n --stdin --no-index", without
// literal pathspecs.
func NewIgnorer(start func(in GitDirAndTree, said io.Writer) Process) *Ignorer {
	return &Ignorer{start: start}
}

// In makes questions refer to another git folder and tree than the repository's own.
func (g *Ignorer) In(gitDir, tree string) *Ignorer {
	g.target = GitDirAndTree{gitDir, tree}
	return g
}

// Ask reports for each path, in order, whether the rules ignore it, tracked or not. A final slash
// marks a folder. An error never means "not ignored".
func (g *Ignorer) Ask(ctx context.Context, paths []string) ([]bool, error) {
	rules, err := g.Sources(ctx, paths)
	if err != nil {
		return nil, err
	}
	answers := make([]bool, len(rules))
	for i, r := range rules {
		answers[i] = r != ""
	}
	return answers, nil
}

// Sources is Ask with the file of the rule that ignores each path, as git prints it: relative to
// the tree for a .gitignore in it, "" for a path that is not ignored.
func (g *Ignorer) Sources(_ context.Context, paths []string) ([]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err == nil {
		g.err = g.startProcess()
	}
	if g.err != nil {
		return nil, g.err
	}
	// Write and read at the same time: git answers each path immediately, and both pipes are small.
	sent := make(chan error, 1)
	go func() {
		var b bytes.Buffer
		for _, p := range paths {
			b.WriteString("./")                       // a name like :(top) is not pathspec magic
			b.WriteString(strings.TrimSuffix(p, "/")) // with the slash git would ask the folder's own rules
			b.WriteByte(0)
		}
		_, err := g.stdin.Write(b.Bytes())
		sent <- err
	}()
	answers, err := g.readAnswers(len(paths))
	if err != nil {
		g.stdin.Close()
		<-sent
		_ = g.cmd.Wait() // completes its error output
		g.cmd = nil
		if said := strings.TrimSpace(g.stderr.String()); said != "" {
			err = fmt.Errorf("%w: %s", err, said)
		}
		g.err = fmt.Errorf("ask git what is ignored: %w", err)
		return nil, g.err
	}
	return answers, <-sent
}

func (g *Ignorer) startProcess() (err error) {
	if g.cmd != nil {
		return nil
	}
	g.cmd = g.start(g.target, &g.stderr)
	if g.stdin, err = g.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := g.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	g.stdout = bufio.NewReader(out)
	return g.cmd.Start()
}

// readAnswers reads n answers: source, line, pattern, path. A path is ignored if a pattern matched
// and is not a negation.
func (g *Ignorer) readAnswers(n int) ([]string, error) {
	answers := make([]string, n)
	for i := range n {
		var f [4]string
		for j := range f {
			s, err := g.stdout.ReadString(0)
			if err != nil {
				return nil, err
			}
			f[j] = strings.TrimSuffix(s, "\x00")
		}
		if f[2] != "" && f[2][0] != '!' {
			answers[i] = f[0]
		}
	}
	return answers, nil
}

// Close ends the process, if one was started.
func (g *Ignorer) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.cmd == nil || g.stdin == nil {
		return nil
	}
	g.stdin.Close()
	_, _ = io.Copy(io.Discard, g.stdout)
	_ = g.cmd.Wait() // exits with 1 when nothing was ignored
	return nil
}
