// Package remote moves a task's record and snapshots between machines through the repository's own git
// remote, below refs/belay/fleet/: nothing else is needed, and no clone of anybody's fetches them.
//
// Git is run in a bare mirror that belongs to the worker. An agent may have changed the config of the
// clone that it works in, and with it what a push from there would start.
package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// Prefix is where the refs of tasks are on the remote.
const Prefix = task.RefPrefix

// Mirror is a bare copy of a remote on this machine.
type Mirror struct {
	Dir string // of the bare repository
	URL string

	Moved  Moved       // since it was opened
	Report func(Moved) // is told of each pack; nil for nobody
}

// ErrMoved says that somebody else has pushed the task meanwhile: it goes on on another machine.
var ErrMoved = errors.New("the task's record on the remote was moved by another worker")

// Open makes the mirror where it is not there yet, and fetches the branches.
func Open(ctx context.Context, dir, url string) (*Mirror, error) {
	m := &Mirror{Dir: dir, URL: url}
	if _, err := os.Stat(filepath.Join(dir, "HEAD")); err != nil {
		tmp, done, err := Scratch(filepath.Dir(dir), "new-*")
		if err != nil {
			return nil, err
		}
		defer done() //nolint:errcheck // what stays is swept
		_, moved, err := runs(ctx, "", nil, nil, "clone", "--progress", "--bare", "--", url, filepath.Join(tmp, "m"))
		if m.Moved = moved; err != nil {
			return nil, err
		}
		if err := os.Rename(filepath.Join(tmp, "m"), dir); err != nil && !os.IsExist(err) {
			if _, serr := os.Stat(filepath.Join(dir, "HEAD")); serr != nil { // another task of this worker was first
				return nil, err
			}
		}
	}
	return m, nil
}

// Has fetches what a commit needs, unless it is there.
func (m *Mirror) Has(ctx context.Context, commit string) error {
	if _, err := m.git(ctx, nil, "cat-file", "-e", commit+"^{commit}"); err == nil {
		return nil
	}
	if _, err := m.git(ctx, nil, "-c", "fetch.unpackLimit=1", "fetch", "--progress", "--no-tags", m.URL,
		"+refs/heads/*:refs/heads/*"); err != nil {
		return err
	}
	if _, err := m.git(ctx, nil, "cat-file", "-e", commit+"^{commit}"); err != nil {
		return belay.Refuse(belay.CodeNotFound, "push it first", "%s is on no branch of %s", commit, Public(m.URL))
	}
	return nil
}

// Clone makes a working copy at a commit, on a branch, in a folder that is not there.
func (m *Mirror) Clone(ctx context.Context, dir, branch, commit, author string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	if _, err := run(ctx, "", nil, nil, "clone", "--quiet", "--no-checkout", "--no-tags", "--", m.Dir, dir); err != nil {
		return err
	}
	steps := [][]string{
		{"remote", "set-url", "origin", Public(m.URL)},
		{"checkout", "--quiet", "-B", branch, commit},
	}
	if name, mail, ok := strings.Cut(strings.TrimSuffix(author, ">"), " <"); ok {
		steps = append(steps, []string{"config", "user.name", name}, []string{"config", "user.email", mail})
	}
	for _, args := range steps {
		if _, err := run(ctx, dir, nil, nil, args...); err != nil {
			return err
		}
	}
	return nil
}

// logins finds what a URL may have of a login. What is before a @ of ssh is only a name.
var logins = lazyregexp.New(`(https?://)[^/@\s]+@`)

// Public is a remote's URL, or a text with some, without names and passwords of http: a worker has its own.
func Public(text string) string { return logins.ReplaceAllString(text, "$1") }

// git runs a command in the mirror.
func (m *Mirror) git(ctx context.Context, in []byte, args ...string) ([]byte, error) {
	return m.count(runs(ctx, m.Dir, nil, in, args...))
}

// with runs a command in the mirror that sees the objects of a clone as well, by its git folder.
func (m *Mirror) with(ctx context.Context, common string, in []byte, args ...string) ([]byte, error) {
	env := []string{"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + filepath.Join(common, "objects")}
	return m.count(runs(ctx, m.Dir, env, in, args...))
}

// progressOption has a push say how large its pack is, but not over HTTP: there the other side would tell of its own progress as well,
// which is 4 KB of a push of 100 files (git 2.39 passes --quiet to the server only without --progress).
func (m *Mirror) progressOption() string {
	if strings.HasPrefix(m.URL, "http:") || strings.HasPrefix(m.URL, "https:") {
		return "--quiet"
	}
	return "--progress"
}

func (m *Mirror) count(out []byte, moved Moved, err error) ([]byte, error) {
	m.Moved.Sent += moved.Sent
	m.Moved.Received += moved.Received
	if m.Report != nil && moved != (Moved{}) {
		m.Report(moved)
	}
	return out, err
}

// refs gives those of the mirror below a prefix, with the objects that they name.
func (m *Mirror) refs(ctx context.Context, below string) (map[string]string, error) {
	out, err := m.git(ctx, nil, "for-each-ref", "--format=%(objectname) %(refname)", below)
	return listed(out), err
}

// Drop takes a task out of the mirror. The remote keeps what it has.
func (m *Mirror) Drop(ctx context.Context, id belay.TaskID) error {
	all, err := m.refs(ctx, refs(id))
	if err != nil || len(all) == 0 {
		return err
	}
	var text bytes.Buffer
	for ref, oid := range all {
		fmt.Fprintf(&text, "delete %s %s\n", ref, oid)
	}
	_, err = m.git(ctx, text.Bytes(), "update-ref", "--stdin")
	return err
}

// grace is how long git may take to end when it is to.
const grace = 10 * time.Second

func run(ctx context.Context, dir string, env []string, in []byte, args ...string) ([]byte, error) {
	out, _, err := runs(ctx, dir, env, in, args...)
	return out, err
}

// runs runs git, and says which packs it moved where it is asked for its progress.
func runs(ctx context.Context, dir string, env []string, in []byte, args ...string) ([]byte, Moved, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	cmd.Env = append(cmd.Env, env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = grace
	if in != nil {
		cmd.Stdin = bytes.NewReader(in)
	}
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	moved, rest := progress(said.Bytes())
	if err != nil {
		err = fmt.Errorf("git %s: %w: %s", args[0], err, belay.VisibleLine(Public(rest)))
	}
	return out.Bytes(), moved, err
}

// Merge is a commit of the files of a clone, as a merge of work onto what a branch of the remote has.
type Merge struct {
	Branch  string
	Tip     string // what the branch is at; "" when it is not there
	Onto    string // the first parent
	Work    string // the second parent: its date is the merge's, so that the same merge is the same commit
	Message string
}

// Merge commits all files of a clone and pushes the commit, on the condition that the branch is still at its tip. A push
// that was made before is found. CodeRefused: the branch is elsewhere.
func (m *Mirror) Merge(ctx context.Context, clone string, q Merge) (string, error) {
	if _, err := run(ctx, clone, nil, nil, "add", "--all", "--force", "--", "."); err != nil {
		return "", err
	}
	tree, err := run(ctx, clone, nil, nil, "write-tree")
	if err != nil {
		return "", err
	}
	date, err := run(ctx, clone, nil, nil, "show", "--no-patch", "--format=%cI", q.Work)
	if err != nil {
		return "", err
	}
	when := strings.TrimSpace(string(date))
	made, err := run(ctx, clone, []string{"GIT_AUTHOR_DATE=" + when, "GIT_COMMITTER_DATE=" + when}, []byte(q.Message),
		"commit-tree", strings.TrimSpace(string(tree)), "-p", q.Onto, "-p", q.Work)
	if err != nil {
		return "", err
	}
	commit, ref := strings.TrimSpace(string(made)), "refs/heads/"+q.Branch
	_, err = m.with(ctx, filepath.Join(clone, ".git"), nil, "push", m.progressOption(), "--no-verify",
		"--force-with-lease="+ref+":"+q.Tip, "--", m.URL, commit+":"+ref)
	if err == nil {
		return commit, nil
	}
	now, lerr := m.list(ctx, ref)
	switch at := now[ref]; {
	case lerr != nil || at == q.Tip:
		return "", err
	case at == commit:
		return commit, nil
	case at != "" && m.same(ctx, at, strings.TrimSpace(string(tree)), q):
		return at, nil
	case at == "":
		return "", belay.Refuse(belay.CodeRefused, "push "+q.Tip+" there, then decide merge",
			"the branch %s on the remote was deleted", q.Branch)
	default:
		return "", belay.Refuse(belay.CodeRefused, "move it away on the remote, then decide merge",
			"the branch %s on the remote has other work (%.12s)", q.Branch, at)
	}
}

// same reports whether a commit is the same merge as another worker makes it, whose user has another name.
func (m *Mirror) same(ctx context.Context, commit, tree string, q Merge) bool {
	if m.Has(ctx, commit) != nil {
		return false
	}
	out, err := m.git(ctx, nil, "show", "--no-patch", "--format=%T %P", commit)
	return err == nil && strings.TrimSpace(string(out)) == tree+" "+q.Onto+" "+q.Work
}

// Tip asks the remote for the commit of a branch. CodeRefused: it has none of that name.
func (m *Mirror) Tip(ctx context.Context, branch string) (string, error) {
	ref := "refs/heads/" + branch
	all, err := m.list(ctx, ref)
	if err == nil && all[ref] == "" {
		err = belay.Refuse(belay.CodeRefused, "push it, or make the schedule again with --branch", "%s has no branch %s", m.URL,
			belay.VisibleLine(branch))
	}
	return all[ref], err
}
