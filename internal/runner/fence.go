package runner

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/fence"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/proc"
	"github.com/belay-dev/belay/internal/session"
)

// FenceVar is the environment variable for fence.enabled when neither the config nor a flag
// sets it.
const FenceVar = "BELAY_FENCE"

// Fence is the fence of one run; its Policy is nil when there is none.
type Fence struct {
	Policy *fence.Policy
	Env    map[string]string // added to the program's environment
	Notes  []string          // for the person
	Temp   string            // its own temporary folder, created by StartAgent; "" for none
}

// tempFolder returns the temporary folder of a run that cannot use the shared ones.
func tempFolder(run string) string {
	sum := sha256.Sum256([]byte(run))
	return filepath.Join(os.TempDir(), "belay-tmp-"+hex.EncodeToString(sum[:6]))
}

// makeTemp creates that folder. It fails if the folder belongs to another user.
func makeTemp(dir string) error {
	if dir == "" {
		return nil
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !info.IsDir() || ok && int(st.Uid) != os.Getuid() {
		return fmt.Errorf("%s is not this user's folder", dir)
	}
	return nil
}

// StartAgent starts an agent in the fence that the config asks for, and reports the fence's
// notes through say.
func StartAgent(ctx context.Context, sess *session.Session, dir string, s agent.Spec, q FenceRequest,
	say func(string)) (*agent.Run, error) {
	q.Argv, q.Env, q.Run = s.Command.Argv(), s.Env, dir
	e, err := NewFence(ctx, sess, q)
	if err != nil {
		return nil, err
	}
	if s.Fence = e.Policy; s.Fence != nil {
		s.Env = agent.BuildEnviron(s.Env, []string{"*"}, e.Env)
		argv, note := agent.WithoutSandbox(q.Argv)
		if note != "" {
			s.Command, e.Notes = s.Command.Narrowed(argv), append(e.Notes, note)
		}
	}
	for _, note := range e.Notes {
		say(note)
	}
	if err := makeTemp(e.Temp); err != nil {
		return nil, fmt.Errorf("make a temporary folder for the agent: %w", err)
	}
	return agent.Start(ctx, dir, sess.ShimArgv, s)
}

// FenceRequest describes the program to fence and its folders.
type FenceRequest struct {
	Argv     []string // its command
	Env      []string // its environment
	Dir      string   // "" for the working tree, else a copy, the only folder that it may write
	Run      string   // the folder of its run, from which the name of its temporary folder is derived
	ShowOnly bool     // only for display, so also on a system without fences
	Role     bool     // a role of a pipeline, which reports through belay

	ReadOnly, Writable []string // in the working tree: what a read-only role may not write, and exceptions within that
}

// fenceSetting returns the config's setting for the fence: auto, on or off.
func fenceSetting(s *session.Session) (wanted string, notes []string) {
	wanted = s.Config.Fence.Enabled
	if v := os.Getenv(FenceVar); wanted == config.FenceAuto && slices.Contains([]string{config.FenceOn, config.FenceOff}, v) {
		return v, nil
	}
	if wanted == config.FenceOff {
		if ok, err := s.Gate.Setting("fence.enabled", config.FenceOff); err != nil || !ok {
			return config.FenceAuto, []string{"fence.enabled: off is not trusted here (belay trust); the fence stays on"}
		}
	}
	return wanted, nil
}

// UsesFence reports whether agents are started in a fence here.
func UsesFence(s *session.Session) bool {
	wanted, _ := fenceSetting(s)
	return wanted != config.FenceOff && fence.Probe() == nil
}

// NewFence makes the fence that the config asks for. With fence.enabled: on, it is an error if
// the system has none.
func NewFence(ctx context.Context, s *session.Session, q FenceRequest) (e Fence, err error) {
	wanted, notes := fenceSetting(s)
	if e.Notes = notes; wanted == config.FenceOff {
		return e, nil
	}
	if err := fence.Probe(); err != nil && !q.ShowOnly {
		if wanted == config.FenceOn {
			return e, &belay.Error{Code: belay.CodeCannot, What: "the agent was not started: there is no fence here",
				Try: "--fence=auto to run without", Err: err}
		}
		e.Notes = append(e.Notes, fmt.Sprintf("no fence: %v; the agent can write wherever you can (docs/fence.md)", err))
		return e, nil
	}
	return e, e.addPolicy(ctx, s, q)
}

func (e *Fence) addPolicy(ctx context.Context, s *session.Session, q FenceRequest) error {
	repo, conf := s.Repo, s.Config.Fence
	home := proc.Variable(q.Env, "HOME")
	get := func(name string) string { return proc.Variable(q.Env, name) }
	p := &fence.Policy{Rules: fence.System()}
	if q.Dir != "" {
		p.Rules = append(p.Rules, fence.Rule{Path: q.Dir, Kind: fence.Write, Why: "its own copy of the files"})
	} else {
		refs, own, err := sharedRefs(ctx, s)
		if err != nil {
			return err
		}
		p.Rules = append(p.Rules, fence.Repository(repo.Root, repo.Dir, repo.Common, refs, own)...)
		if repo.UsesReftable {
			p.Rules = append(p.Rules, fence.Rule{Path: filepath.Join(repo.Common, "reftable"), Kind: fence.Write,
				Why: "refs, which all are in one table"})
		}
	}
	own := tempFolder(q.Run)
	temp, env := fence.Temp(own, repo.Root, repo.Common, home, q.Dir)
	if len(env) > 0 {
		e.Temp, e.Env = own, map[string]string{"TMPDIR": own}
	}
	p.Rules = slices.Concat(p.Rules, temp, fence.Caches(home, get), agent.StateRules(q.Argv, q.Env))
	if q.Role {
		for _, dir := range []string{filepath.Join(repo.Common, "belay"), filepath.Join(repo.Dir, "belay")} {
			p.Rules = slices.DeleteFunc(p.Rules, func(r fence.Rule) bool { return r.Path == dir })
			p.Rules = append(p.Rules, fence.Rule{Path: dir, Kind: fence.Write, Why: "a role of a pipeline reports through belay"})
		}
	}
	for _, dir := range q.ReadOnly {
		p.Rules = append(p.Rules, fence.Rule{Path: dir, Kind: fence.Closed, Why: "read only for this role"})
	}
	for _, dir := range q.Writable {
		p.Rules = append(p.Rules, fence.Rule{Path: dir, Kind: fence.Write, Why: "what tests and builds write"})
	}
	if err := e.addAllowed(s, p, home); err != nil {
		return err
	}
	if conf.Read == config.ReadDeny {
		p.Hide = slices.Concat(fence.Secrets(home), agent.OtherAgentFolders(q.Argv, q.Env))
	} else if sock := get("SSH_AUTH_SOCK"); filepath.IsAbs(sock) {
		p.Rules = append(p.Rules, fence.Rule{Path: sock, Kind: fence.Socket, Why: "ssh's agent, for git"})
	}
	var err error
	if p.Ports, p.Alone, err = conf.Ports(); err != nil {
		return err
	}
	if e.Policy = p; q.Dir == "" { // automatic maintenance would fail in folders closed to it and report that from then on
		e.Env = mergeEnv(e.Env, map[string]string{"GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "gc.auto", "GIT_CONFIG_VALUE_0": "0",
			"GIT_CONFIG_KEY_1": "maintenance.auto", "GIT_CONFIG_VALUE_1": "false"})
	}
	return nil
}

func mergeEnv(a, b map[string]string) map[string]string {
	out := map[string]string{}
	for _, m := range []map[string]string{a, b} {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}

// addAllowed adds what the config allows, if the config is trusted.
func (e *Fence) addAllowed(s *session.Session, p *fence.Policy, home string) error {
	list := s.Config.Fence.Allow
	if len(list) == 0 {
		return nil
	}
	switch ok, err := s.Gate.Setting("fence.allow", list...); {
	case err != nil:
		return err
	case !ok:
		e.Notes = append(e.Notes, "fence.allow is not trusted here (belay trust); it has no effect")
		return nil
	}
	for _, path := range list {
		if below, is := strings.CutPrefix(path, "~/"); is {
			path = filepath.Join(home, below)
		} else {
			path = fsroot.From(s.Repo.Root, path)
		}
		r := fence.Rule{Path: path, Kind: fence.Write, Why: "fence.allow"}
		if info, err := os.Stat(path); err == nil && info.Mode().Type() == fs.ModeSocket {
			r.Kind = fence.Socket
		}
		p.Rules = append(p.Rules, r)
	}
	return nil
}

// Encloser returns a function that makes the fences of programs that work in a copy of the
// files, like reviewers.
func Encloser(ctx context.Context, s *session.Session) fence.Encloser {
	return func(argv, env []string, dir string) (*fence.Policy, []string, func(), error) {
		e, err := NewFence(ctx, s, FenceRequest{Argv: argv, Env: env, Dir: dir, Run: dir})
		if err == nil && e.Policy != nil {
			err = makeTemp(e.Temp)
		}
		if err != nil || e.Temp == "" {
			return e.Policy, nil, func() {}, err
		}
		return e.Policy, []string{"TMPDIR=" + e.Temp}, func() { _ = os.RemoveAll(e.Temp) }, nil
	}
}

// sharedRefs returns the branches and tags that a linked worktree shares with the others, and
// the branch that it has checked out.
func sharedRefs(ctx context.Context, s *session.Session) (names []string, own string, err error) {
	if !s.Repo.Linked() {
		return nil, "", nil
	}
	refs, _, err := s.Repo.AllRefs(ctx)
	if err != nil {
		return nil, "", err
	}
	for _, r := range refs {
		names = append(names, r.Name)
	}
	head, err := os.ReadFile(filepath.Join(s.Repo.Dir, "HEAD"))
	if err == nil {
		own, _ = strings.CutPrefix(strings.TrimSpace(string(head)), "ref: ")
	}
	return names, own, nil
}

// DenialsLine lists in one line what a fence denied, "" for nothing.
func DenialsLine(list []fence.Denial) string {
	if len(list) == 0 {
		return ""
	}
	const most = 3
	var parts []string
	for i, d := range list {
		if i == most {
			parts = append(parts, fmt.Sprintf("%d more", len(list)-most))
			break
		}
		parts = append(parts, fmt.Sprintf("%s %s (%s)", d.What, belay.VisibleLine(d.Path), belay.VisibleLine(cmp.Or(d.Program, "?"))))
	}
	return "the fence refused: " + strings.Join(parts, ", ")
}
