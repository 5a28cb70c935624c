package git

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// UserCommand creates a git process as the user would start it in the working tree: with their
// settings, identity, signing key, credentials and hooks. It is only for what a person requested
// explicitly: a commit, a push. RepoPrograms lists the programs of the repository that it may
// start.
func (r *Repo) UserCommand(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, r.git, args...)
	cmd.Dir = r.Root
	for _, kv := range os.Environ() {
		key, _, _ := strings.Cut(kv, "=")
		if !redirectingEnv[key] {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, "GIT_LITERAL_PATHSPECS=1")
	return cmd
}

// SigningProgram creates a process of a program that signs or verifies for git: ssh-keygen, gpg, or
// the one in the user's settings.
func SigningProgram(ctx context.Context, program string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, program, args...)
}

// redirectingEnv are variables that make git use another repository, as git sets them for hooks.
var redirectingEnv = map[string]bool{"GIT_DIR": true, "GIT_WORK_TREE": true, "GIT_COMMON_DIR": true, "GIT_INDEX_FILE": true,
	"GIT_PREFIX":           true,
	"GIT_OBJECT_DIRECTORY": true, "GIT_ALTERNATE_OBJECT_DIRECTORIES": true, "GIT_NAMESPACE": true, "GIT_QUARANTINE_PATH": true}

// RunUserCommand runs a process of UserCommand, with in as its input, and returns its output. It
// copies the error output to said, if that is not nil. The error is a *CommandError with git's
// message.
func RunUserCommand(cmd *exec.Cmd, in io.Reader, said io.Writer) ([]byte, error) {
	var out, complaint bytes.Buffer
	cmd.Stdin, cmd.Stdout = in, &out
	cmd.Stderr = &limitedWriter{w: &complaint, left: 64 << 10}
	if said != nil {
		cmd.Stderr = io.MultiWriter(said, cmd.Stderr)
	}
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = &CommandError{Command: subcommand(cmd.Args), Exit: exit.ExitCode(), Message: firstComplaint(complaint.String())}
	}
	return out.Bytes(), err
}

// startedHooks are the hooks that a commit or a push starts.
var startedHooks = []string{"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-push",
	"reference-transaction", "post-rewrite",
	"post-index-change"}

// programSettings matches settings that name a program that a commit, a push or a signature may
// start.
var programSettings = lazyregexp.New(`^(gpg\.|filter\.|credential\.|core\.(sshcommand|gitproxy|hookspath|fsmonitor|askpass|editor)$|` +
	`core\.alternaterefscommand$|remote\..*\.(uploadpack|receivepack|vcs|proxy)$|url\.|include|hook\.|` +
	`protocol\.(.*\.)?allow$|gc\.recentobjectshook$)`)

// networkAddress matches addresses of repositories on other machines that git itself connects to.
var networkAddress = lazyregexp.New(`^((https?|ssh|git|git\+ssh|ssh\+git)://|[^/:]+:(/?[^/:]|$))`)

// PushPrograms lists the addresses of a remote at which a push starts programs on this machine: the
// hooks of a repository here, or a remote helper, which may run any command.
func (r *Repo) PushPrograms(ctx context.Context, remote string) (list []string, err error) {
	out, err := RunUserCommand(r.UserCommand(ctx, "remote", "get-url", "--push", "--all", "--", remote), nil, nil)
	for address := range strings.Lines(string(out)) {
		if address = strings.TrimSuffix(address, "\n"); !networkAddress.MatchString(address) {
			list = append(list, "push to "+address)
		}
	}
	return list, err
}

// RepoPrograms lists the programs that the repository itself makes a commit or a push start: the
// settings of its own config that name programs and, with withHooks, its hooks, each with a hash of
// its bytes. Programs of the user's own config are not included.
func (r *Repo) RepoPrograms(ctx context.Context, withHooks bool) (list []string, err error) {
	perTree := false // worktrees have configs of their own; otherwise git may refuse to read one
	for _, scope := range []string{"--local", "--worktree"} {
		if scope == "--worktree" && !perTree {
			break
		}
		out, err := r.Run(ctx, nil, "config", scope, "--list", "-z", "--no-includes")
		if err != nil {
			return nil, fmt.Errorf("read the repository's config: %w", err)
		}
		for entry := range strings.SplitSeq(string(out), "\x00") {
			key, value, valued := strings.Cut(entry, "\n")
			if key == "extensions.worktreeconfig" {
				perTree = !valued || !slices.Contains([]string{"", "false", "no", "off", "0"}, strings.ToLower(value))
			}
			if line := key + " = " + value; key != "" && programSettings.MatchString(key) && !slices.Contains(list, line) {
				list = append(list, line)
			}
		}
	}
	if !withHooks {
		return list, nil
	}
	dir := filepath.Join(r.Common, "hooks")
	if settings, err := r.Settings(ctx); err == nil {
		if other := lastValue(settings, "core.hookspath"); other != "" {
			if dir = other; !filepath.IsAbs(dir) {
				dir = filepath.Join(r.Root, dir)
			}
			if strings.HasPrefix(other, "~") {
				return list, nil // the user's own
			}
		}
	}
	for _, name := range startedHooks {
		text, err := fsroot.ReadUserFile(filepath.Join(dir, name), maxHookSize)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // core.hooksPath=/dev/null: no hooks
			continue
		}
		if err != nil {
			return nil, belay.Refuse(belay.CodeCannot, "check it, or use --no-verify", "the hook %s cannot be read: %v", name, err)
		}
		list = append(list, fmt.Sprintf("hook %s (%x)", name, sha256.Sum256(text)))
	}
	return list, nil
}

const maxHookSize = 16 << 20
