// Package remote moves a task's record and snapshots between machines through the repository's git
// remote, below refs/belay/fleet/: it needs nothing else, and other people's clones do not fetch
// these refs.
//
// Git runs in a bare mirror of the worker. The agent may have changed the config of the clone that
// it works in, so a push from there could run any program.
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

// Prefix is the prefix of the tasks' refs on the remote.
const Prefix = task.RefPrefix

// Mirror is a bare copy of a remote on this machine.
type Mirror struct {
	Dir string // the bare repository
	URL string

	Packs  PackBytes       // since it was opened
	Report func(PackBytes) // called for each pack; may be nil
}

// ErrRecordMoved means that another worker pushed the task's record: the task continues there.
var ErrRecordMoved = errors.New("the task's record on the remote was moved by another worker")

// OpenMirror clones the mirror if it does not exist.
func OpenMirror(ctx context.Context, dir, url string) (*Mirror, error) {
	m := &Mirror{Dir: dir, URL: url}
	if _, err := os.Stat(filepath.Join(dir, "HEAD")); err != nil {
		tmp, done, err := MakeScratch(filepath.Dir(dir), "new-*")
		if err != nil {
			return nil, err
		}
		defer done() //nolint:errcheck // what stays is swept
		_, moved, err := runGitCounting(ctx, "", nil, nil, "clone", "--progress", "--bare", "--", url, filepath.Join(tmp, "m"))
		if m.Packs = moved; err != nil {
			return nil, err
		}
		if err := os.Rename(filepath.Join(tmp, "m"), dir); err != nil && !os.IsExist(err) {
			if _, serr := os.Stat(filepath.Join(dir, "HEAD")); serr != nil { // another task of this worker created it first
				return nil, err
			}
		}
	}
	return m, nil
}

// FetchCommit fetches the branches if the mirror lacks a commit. Error: CodeNotFound if it is on
// none of them.
func (m *Mirror) FetchCommit(ctx context.Context, commit string) error {
	if _, err := m.runGit(ctx, nil, "cat-file", "-e", commit+"^{commit}"); err == nil {
		return nil
	}
	if _, err := m.runGit(ctx, nil, "-c", "fetch.unpackLimit=1", "fetch", "--progress", "--no-tags", m.URL,
		"+refs/heads/*:refs/heads/*"); err != nil {
		return err
	}
	if _, err := m.runGit(ctx, nil, "cat-file", "-e", commit+"^{commit}"); err != nil {
		return belay.Refuse(belay.CodeNotFound, "push it first", "%s is on no branch of %s", commit, WithoutLogin(m.URL))
	}
	return nil
}

// Clone creates a working copy at a commit, on a branch, in a new folder.
func (m *Mirror) Clone(ctx context.Context, dir, branch, commit, author string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	if _, err := runGit(ctx, "", nil, nil, "clone", "--quiet", "--no-checkout", "--no-tags", "--", m.Dir, dir); err != nil {
		return err
	}
	steps := [][]string{
		{"remote", "set-url", "origin", WithoutLogin(m.URL)},
		{"checkout", "--quiet", "-B", branch, commit},
	}
	if name, mail, ok := strings.Cut(strings.TrimSuffix(author, ">"), " <"); ok {
		steps = append(steps, []string{"config", "user.name", name}, []string{"config", "user.email", mail})
	}
	for _, args := range steps {
		if _, err := runGit(ctx, dir, nil, nil, args...); err != nil {
			return err
		}
	}
	return nil
}

// loginPattern matches the login in a URL of HTTP. In one of ssh it is only a user name.
var loginPattern = lazyregexp.New(`(https?://)[^/@\s]+@`)

// WithoutLogin removes names and passwords from HTTP URLs in a text: each worker has its own.
func WithoutLogin(text string) string { return loginPattern.ReplaceAllString(text, "$1") }

// runGit runs git in the mirror.
func (m *Mirror) runGit(ctx context.Context, in []byte, args ...string) ([]byte, error) {
	return m.countPacks(runGitCounting(ctx, m.Dir, nil, in, args...))
}

// runGitIn runs git in the mirror with the objects of a clone available. common is the clone's git
// folder.
func (m *Mirror) runGitIn(ctx context.Context, common string, in []byte, args ...string) ([]byte, error) {
	env := []string{"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + filepath.Join(common, "objects")}
	return m.countPacks(runGitCounting(ctx, m.Dir, env, in, args...))
}

// progressOption makes a push print the size of its pack, except over HTTP: there the server would
// send its own progress as well, 4 KB for a push of 100 files (git 2.39 passes --quiet to it only
// without --progress).
func (m *Mirror) progressOption() string {
	if strings.HasPrefix(m.URL, "http:") || strings.HasPrefix(m.URL, "https:") {
		return "--quiet"
	}
	return "--progress"
}

func (m *Mirror) countPacks(out []byte, moved PackBytes, err error) ([]byte, error) {
	m.Packs.Sent += moved.Sent
	m.Packs.Received += moved.Received
	if m.Report != nil && moved != (PackBytes{}) {
		m.Report(moved)
	}
	return out, err
}

// listRefs lists the mirror's refs below a prefix, with their objects.
func (m *Mirror) listRefs(ctx context.Context, below string) (map[string]string, error) {
	out, err := m.runGit(ctx, nil, "for-each-ref", "--format=%(objectname) %(refname)", below)
	return parseRefs(out), err
}

// DropTask deletes a task from the mirror, not from the remote.
func (m *Mirror) DropTask(ctx context.Context, id belay.TaskID) error {
	all, err := m.listRefs(ctx, taskRefPrefix(id))
	if err != nil || len(all) == 0 {
		return err
	}
	var text bytes.Buffer
	for ref, oid := range all {
		fmt.Fprintf(&text, "delete %s %s\n", ref, oid)
	}
	_, err = m.runGit(ctx, text.Bytes(), "update-ref", "--stdin")
	return err
}

// endGrace is how long git may take to exit after an interrupt.
const endGrace = 10 * time.Second

func runGit(ctx context.Context, dir string, env []string, in []byte, args ...string) ([]byte, error) {
	out, _, err := runGitCounting(ctx, dir, env, in, args...)
	return out, err
}

// runGitCounting runs git, and returns the packs that it moved if args ask for progress.
func runGitCounting(ctx context.Context, dir string, env []string, in []byte, args ...string) ([]byte, PackBytes, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	cmd.Env = append(cmd.Env, env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = endGrace
	if in != nil {
		cmd.Stdin = bytes.NewReader(in)
	}
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	moved, rest := parseProgress(said.Bytes())
	if err != nil {
		err = fmt.Errorf("git %s: %w: %s", args[0], err, belay.VisibleLine(WithoutLogin(rest)))
	}
	return out.Bytes(), moved, err
}

// Merge describes a merge commit of a clone's files onto a branch of the remote.
type Merge struct {
	Branch  string
	Tip     string // the branch's commit; "" if there is no branch
	Onto    string // the first parent
	Work    string // the second parent; its date is the merge's, so that a repeated merge has the same hash
	Message string
}

// Merge commits all files of a clone and pushes the commit, if the branch is still at its tip. It
// recognises an earlier push of the same merge. Error: CodeRefused if the branch is at another
// commit.
func (m *Mirror) Merge(ctx context.Context, clone string, q Merge) (string, error) {
	if _, err := runGit(ctx, clone, nil, nil, "add", "--all", "--force", "--", "."); err != nil {
		return "", err
	}
	tree, err := runGit(ctx, clone, nil, nil, "write-tree")
	if err != nil {
		return "", err
	}
	date, err := runGit(ctx, clone, nil, nil, "show", "--no-patch", "--format=%cI", q.Work)
	if err != nil {
		return "", err
	}
	when := strings.TrimSpace(string(date))
	made, err := runGit(ctx, clone, []string{"GIT_AUTHOR_DATE=" + when, "GIT_COMMITTER_DATE=" + when}, []byte(q.Message),
		"commit-tree", strings.TrimSpace(string(tree)), "-p", q.Onto, "-p", q.Work)
	if err != nil {
		return "", err
	}
	commit, ref := strings.TrimSpace(string(made)), "refs/heads/"+q.Branch
	_, err = m.runGitIn(ctx, filepath.Join(clone, ".git"), nil, "push", m.progressOption(), "--no-verify",
		"--force-with-lease="+ref+":"+q.Tip, "--", m.URL, commit+":"+ref)
	if err == nil {
		return commit, nil
	}
	now, lerr := m.listRemote(ctx, ref)
	switch at := now[ref]; {
	case lerr != nil || at == q.Tip:
		return "", err
	case at == commit:
		return commit, nil
	case at != "" && m.isSameMerge(ctx, at, strings.TrimSpace(string(tree)), q):
		return at, nil
	case at == "":
		return "", belay.Refuse(belay.CodeRefused, "push "+q.Tip+" there, then decide merge",
			"the branch %s on the remote was deleted", q.Branch)
	default:
		return "", belay.Refuse(belay.CodeRefused, "move it away on the remote, then decide merge",
			"the branch %s on the remote has other work (%.12s)", q.Branch, at)
	}
}

// isSameMerge reports whether a commit is the same merge, made by a worker with another user name.
func (m *Mirror) isSameMerge(ctx context.Context, commit, tree string, q Merge) bool {
	if m.FetchCommit(ctx, commit) != nil {
		return false
	}
	out, err := m.runGit(ctx, nil, "show", "--no-patch", "--format=%T %P", commit)
	return err == nil && strings.TrimSpace(string(out)) == tree+" "+q.Onto+" "+q.Work
}

// Tip asks the remote for the commit of a branch. Error: CodeRefused if there is no such branch.
func (m *Mirror) Tip(ctx context.Context, branch string) (string, error) {
	ref := "refs/heads/" + branch
	all, err := m.listRemote(ctx, ref)
	if err == nil && all[ref] == "" {
		err = belay.Refuse(belay.CodeRefused, "push it, or make the schedule again with --branch", "%s has no branch %s", m.URL,
			belay.VisibleLine(branch))
	}
	return all[ref], err
}
