package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// repository is a clone that is only read, with git's plumbing.
type repository struct {
	dir string

	mu    sync.Mutex // one question at a time
	cat   *exec.Cmd
	ask   io.WriteCloser
	reply *bufio.Reader
}

// safe keeps git from running or fetching anything: a clone brings its own config.
func safe() []string {
	var env []string
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "GIT_") {
			env = append(env, e)
		}
	}
	return append(env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0",
		"GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
}

func (r *repository) git(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git",
		append([]string{"-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-C", r.dir}, args...)...)
	cmd.Env = safe()
	return cmd
}

// open starts the process that reads objects.
func open(ctx context.Context, dir string) (*repository, error) {
	r := &repository{dir: dir}
	if out, err := r.git(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}").Output(); err != nil || len(out) == 0 {
		return nil, errors.New("no repository with commits is there")
	}
	r.cat = r.git(ctx, "cat-file", "--batch")
	var err error
	if r.ask, err = r.cat.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := r.cat.StdoutPipe()
	if err != nil {
		return nil, err
	}
	r.reply = bufio.NewReaderSize(out, 1<<16)
	return r, r.cat.Start()
}

func (r *repository) close() {
	_ = r.ask.Close()
	_ = r.cat.Wait()
}

// blob returns an object's bytes; false if it is missing or is not a blob.
func (r *repository) blob(oid string) ([]byte, bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := io.WriteString(r.ask, oid+"\n"); err != nil {
		return nil, false, err
	}
	head, err := r.reply.ReadString('\n')
	if err != nil {
		return nil, false, err
	}
	words := strings.Fields(head)
	if len(words) != 3 {
		return nil, false, nil // missing
	}
	size, err := strconv.Atoi(words[2])
	if err != nil {
		return nil, false, fmt.Errorf("git cat-file said %q", head)
	}
	text := make([]byte, size+1) // with the line end that follows
	if _, err := io.ReadFull(r.reply, text); err != nil {
		return nil, false, err
	}
	return text[:size], words[1] == "blob", nil
}

// files returns the regular files of a commit: objects by path.
func (r *repository) files(ctx context.Context, commit string) (map[string]string, error) {
	out, err := r.git(ctx, "ls-tree", "-r", "-z", "--full-tree", commit).Output()
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for line := range strings.SplitSeq(string(out), "\x00") {
		head, path, ok := strings.Cut(line, "\t")
		words := strings.Fields(head)
		if ok && len(words) == 3 && strings.HasPrefix(words[0], "100") {
			files[path] = words[2]
		}
	}
	return files, nil
}
