package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// configArgs are passed to every git process. They keep git from starting a program that the
// repository names and from doing unrequested work.
var configArgs = []string{
	"core.hooksPath=/dev/null",            // no hook, not even reference-transaction
	"core.fsmonitor=false",                // no monitor: it is a program, and its answers may be wrong
	"core.pager=cat",                      // no pager
	"core.fsync=all",                      // what was reported as done survives a power cut
	"core.quotePath=false",                // names unquoted; all output is read with -z
	"core.splitIndex=false",               // never change how the user's index is stored
	"core.logAllRefUpdates=false",         // no reflog for belay's refs
	"core.filesRefLockTimeout=2000",       // wait two seconds for another process's ref lock,
	"core.packedRefsTimeout=2000",         // and for packed-refs, then report it
	"core.multiPackIndex=false",           // git trusts these caches without reading the objects,
	"core.commitGraph=false",              // and they may be damaged
	"core.bigFileThreshold=16m",           // stream large objects instead of loading them
	"gc.auto=0", "maintenance.auto=false", // no unrequested gc
	"commit.gpgSign=false", "tag.gpgSign=false", "log.showSignature=false", // no gpg
	"protocol.allow=never",    // no network: a partial clone must not fetch
	"submodule.recurse=false", // submodules are left alone
	"color.ui=false",
	"diff.ignoreSubmodules=all", // never enter one
}

// fixedEnv is the environment of every git process, in addition to the repository's paths.
var fixedEnv = []string{
	"GIT_OPTIONAL_LOCKS=0",     // never refresh the user's index
	"GIT_NO_REPLACE_OBJECTS=1", // objects unchanged by refs/replace
	"GIT_NO_LAZY_FETCH=1",      // git 2.45: do not fetch a missing object
	"GIT_TERMINAL_PROMPT=0",    // never ask on the terminal
	"GIT_LITERAL_PATHSPECS=1",  // a file may be called *.go or :(top)
	"GIT_ATTR_NOSYSTEM=1",      // ignore the machine's attributes
	"LC_ALL=C",                 // belay parses messages
	"GIT_AUTHOR_NAME=belay", "GIT_AUTHOR_EMAIL=belay@localhost",
	"GIT_COMMITTER_NAME=belay", "GIT_COMMITTER_EMAIL=belay@localhost", // no identity needed for a reflog line
}

// droppedEnv are variables besides GIT_* that would start or load a program.
var droppedEnv = map[string]bool{
	"PAGER": true, "EDITOR": true, "VISUAL": true, "SSH_ASKPASS": true, "LD_PRELOAD": true,
	"LD_AUDIT": true, "DYLD_INSERT_LIBRARIES": true, "BASH_ENV": true, "ENV": true,
	"LANG": true, "LANGUAGE": true, "XDG_CACHE_HOME": true,
}

// keptEnv are the GIT_* variables with the paths of the user's own config. Without them belay would
// ignore other files than the user's git.
var keptEnv = map[string]bool{"GIT_CONFIG_GLOBAL": true, "GIT_CONFIG_SYSTEM": true, "GIT_CONFIG_NOSYSTEM": true}

// cleanEnv returns the environment without variables that the caller inherited from git or set for
// it. Inside a git hook GIT_DIR and GIT_INDEX_FILE are set, and would make git use another
// repository.
func cleanEnv() []string {
	var env []string
	for _, kv := range os.Environ() {
		key, _, _ := strings.Cut(kv, "=")
		git := strings.HasPrefix(key, "GIT_") && !keptEnv[key]
		if git || droppedEnv[key] || strings.HasPrefix(key, "LC_") {
			continue
		}
		env = append(env, kv)
	}
	return env
}

// repoEnv returns the environment for this repository. GIT_WORK_TREE overrides a core.worktree that
// points elsewhere; GIT_COMMON_DIR a changed commondir.
func (r *Repo) repoEnv() []string {
	env := append(append(cleanEnv(), fixedEnv...), "GIT_DIR="+r.Dir, "GIT_WORK_TREE="+r.Root)
	if r.Linked() {
		env = append(env, "GIT_COMMON_DIR="+r.Common)
	}
	return env
}

// refCommands are the commands that read all references; no other git process of belay's does.
var refCommands = map[string]bool{"for-each-ref": true, "rev-list": true}

// objectCommands are the commands that read only objects.
var objectCommands = map[string]bool{"cat-file": true, "diff-tree": true, "ls-tree": true, "merge-file": true}

func (r *Repo) isolatedDir() string { return filepath.Join(r.Dir, "belay", "plain") }

// isolatedEnv returns the environment of an empty git folder of belay's own with the repository's
// objects, for two reasons. An agent that writes "* -diff" to .gitattributes would turn its change
// into "binary files differ", and diff.* settings change every diff: here there are no attributes
// and no settings. And in a partial clone git fetches a missing object, or fails: here it is only
// missing.
func (r *Repo) isolatedEnv() ([]string, error) {
	dir := r.isolatedDir()
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
	if r.Format == "sha256" {
		config = "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectFormat = sha256\n"
	}
	env := append(append(cleanEnv(), fixedEnv...), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_DIR="+dir, "GIT_COMMON_DIR="+dir, "GIT_OBJECT_DIRECTORY="+filepath.Join(r.Common, "objects"))
	if err := clearIsolated(dir); err != nil {
		return env, fmt.Errorf("create a repository to read objects from: %w", err)
	}
	for _, sub := range []string{"objects", "refs"} {
		if err := makeOwnFolder(filepath.Join(dir, sub)); err != nil {
			return env, fmt.Errorf("create a repository to read objects from: %w", err)
		}
	}
	for name, text := range map[string]string{"HEAD": "ref: refs/heads/none\n", "config": config} {
		path := filepath.Join(dir, name)
		if now, err := fsroot.ReadFile(path, fsroot.MaxSmallFile); err == nil && string(now) == text {
			continue
		}
		if err := fsroot.AtomicWrite(path, fsroot.AtomicOptions{}, []byte(text)); err != nil {
			return env, fmt.Errorf("create a repository to read objects from: %w", err)
		}
	}
	return env, nil
}

// makeOwnFolder creates a folder with the permissions that git needs. Without them git's message is
// unhelpful.
func makeOwnFolder(dir string) error {
	if err := fsroot.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := fsroot.Lstat(dir)
	if err == nil && info.Mode().Perm()&0o700 != 0o700 {
		err = fsroot.Chmod(dir, 0o700)
	}
	return err
}

// clearIsolated removes everything else from belay's own git folder: attributes and settings that
// somebody added there would apply.
func clearIsolated(dir string) error {
	list, err := fsroot.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range list {
		name, ours := e.Name(), false
		switch name {
		case "HEAD", "config":
			ours = e.Type().IsRegular()
		case "objects", "refs":
			ours = e.IsDir()
		default: // another belay may be writing one
			ours = e.Type().IsRegular() && strings.HasPrefix(name, fsroot.AtomicTempPrefix)
		}
		if !ours {
			err = errors.Join(err, fsroot.RemoveAll(filepath.Join(dir, name)))
		}
	}
	return err
}

// Command is the only place that creates a git process for this repository: with hardened settings,
// a clean environment, and the git folder and working tree named. No user input may be in args
// before "--" or "--end-of-options", unless it is an object name in hexadecimal.
//
// Commands that only read objects run without the user's config (see isolatedEnv).
func (r *Repo) Command(ctx context.Context, args ...string) *Cmd {
	if !objectCommands[args[0]] {
		cmd := r.command(ctx, r.repoEnv(), args...)
		if refCommands[args[0]] && !r.UsesReftable {
			// An agent may have changed the files since the repository was opened.
			err := r.CheckInputs()
			if err == nil {
				err = CheckLooseRefs(r.Common, r.Dir)
			}
			if err != nil {
				cmd.Err = err
			}
		}
		return cmd
	}
	env, err := r.isolatedEnv()
	cmd := r.command(ctx, env, args...)
	// In the working tree git would still read its attributes, completely if they are a device.
	cmd.Dir = r.isolatedDir()
	if err != nil {
		cmd.Dir, cmd.Err = r.Root, err
	}
	return cmd
}

func (r *Repo) command(ctx context.Context, env []string, args ...string) *Cmd {
	all := make([]string, 0, 2*len(configArgs)+len(args))
	for _, s := range configArgs {
		all = append(all, "-c", s)
	}
	cmd := newCmd(ctx, r.git, append(all, args...)...)
	cmd.Dir, cmd.Env = r.Root, env
	return cmd
}

// CommandError is a git process that failed.
type CommandError struct {
	Command string // the git command, like update-ref
	Exit    int    // its exit status, -1 when killed
	Message string // the line of its error output that explains the failure
}

// Error returns the message.
func (f *CommandError) Error() string {
	if f.Message == "" {
		return fmt.Sprintf("git %s ended with status %d", f.Command, f.Exit)
	}
	return fmt.Sprintf("git %s: %s", f.Command, f.Message)
}

// run returns what the command prints. The error is a *CommandError when git reported one.
func run(cmd *Cmd, in io.Reader) ([]byte, error) {
	var complaint bytes.Buffer
	cmd.Stdin, cmd.Stderr = in, &limitedWriter{w: &complaint, left: 64 << 10}
	out, err := cmd.Output()
	return out, newCommandError(cmd, err, complaint.String())
}

func newCommandError(cmd *Cmd, err error, complaint string) error {
	var exit *exec.ExitError
	if err == nil || !errors.As(err, &exit) {
		return err
	}
	f := &CommandError{Command: subcommand(cmd.Args), Exit: exit.ExitCode(), Message: firstComplaint(complaint)}
	if strings.Contains(complaint, "No space left on device") {
		return refuseIfFull(f)
	}
	if unreadableMessage.MatchString(complaint) {
		return &belay.Error{Code: belay.CodeCannot, What: "an object cannot be read", Try: "belay doctor finds the damage", Err: f}
	}
	return f
}

// unreadableMessage matches git's messages about damaged or missing objects, which do not name the
// place.
var unreadableMessage = lazyregexp.New(`(?i)unable to read|failed to traverse|bad object|could not read|is corrupt|` +
	`missing (blob|tree|commit) object|invalid object|mmap failed`)

// RefuseIfFull converts an error about a full disk, or an exhausted quota, to CodeCannot. Others
// stay unchanged.
func RefuseIfFull(err error) error {
	if !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT) {
		return err
	}
	return refuseIfFull(err)
}

func refuseIfFull(err error) error {
	return &belay.Error{Code: belay.CodeCannot, What: "the disk is full", Try: "free some space and try again", Err: err}
}

func subcommand(args []string) string {
	for i := 1; i < len(args); i++ {
		if args[i] == "-c" || args[i] == "-C" {
			i++
			continue
		}
		return args[i]
	}
	return ""
}

// firstComplaint returns git's fatal message, or the first line of other output.
func firstComplaint(text string) string {
	first := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "fatal: "); ok {
			return rest
		}
		if first == "" {
			first = strings.TrimPrefix(line, "error: ")
		}
	}
	return first
}

type limitedWriter struct {
	w    io.Writer
	left int
}

func (l *limitedWriter) Write(p []byte) (int, error) {
	n := len(p)
	if l.left < n {
		p = p[:l.left]
	}
	l.left -= len(p)
	_, err := l.w.Write(p)
	return n, err
}

// Stream runs git and writes its output to w.
func (r *Repo) Stream(ctx context.Context, in io.Reader, w io.Writer, args ...string) error {
	cmd := r.Command(ctx, args...)
	var complaint bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, w, &limitedWriter{w: &complaint, left: 64 << 10}
	return newCommandError(cmd, cmd.Run(), complaint.String())
}

// Output runs a command created by Command and returns its output, like Run.
func Output(cmd *Cmd) ([]byte, error) { return run(cmd, nil) }

// Run runs git in this repository and returns its output. If git fails the error is a
// *CommandError.
func (r *Repo) Run(ctx context.Context, in io.Reader, args ...string) ([]byte, error) {
	return run(r.Command(ctx, args...), in)
}

// retryLocked repeats a change while another process has a lock on it, for about two seconds; git
// itself waits as long for the locks of refs. A lock that belay did not create is never removed:
// the error (CodeBusy) names it.
func retryLocked(ctx context.Context, change func() error) error {
	for wait, end := 10*time.Millisecond, time.Now().Add(2*time.Second); ; wait *= 2 {
		err := change()
		var f *CommandError
		if !errors.As(err, &f) || !strings.Contains(f.Message, ".lock': File exists") {
			return err
		}
		if time.Now().After(end) {
			return &belay.Error{Code: belay.CodeBusy, What: "another program has a git lock", Err: err,
				Try: "wait for it to finish; if none is running, remove its lock"}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}
