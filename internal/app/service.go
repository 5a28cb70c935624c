package app

import (
	"context"
	"path/filepath"

	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/journal"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/watch"
)

// Service is an opened working tree. Its methods are the use cases: run, check, roll back, merge.
type Service struct {
	Session *session.Session
	ask     func(block string) (yes, asked bool) // nil: no person can be asked
}

// OpenOptions select how a Service is opened. Dir is any folder in the working tree. Flags are
// config keys with values that override the config file. Self is the argument vector that runs an
// agent's shim.
type OpenOptions struct {
	Dir   string
	Force bool // also open a repository that is a home folder
	Flags []Flag
	Self  []string
	// Ask shows a person what the repository wants to run, and returns whether they allow it; asked
	// is false without a person. nil asks nobody.
	Ask func(block string) (yes, asked bool)
	// Opened, if set, receives the service before it is used.
	Opened func(*Service)
}

// Flag is a config key given on the command line.
type Flag struct{ Key, Value string }

// Open finds the repository and reads the config. It writes nothing. Errors: CodeUsage lists all
// errors of the config; CodeCannot for a folder that is not a repository, or a repository that is
// bare or belongs to another user.
func Open(ctx context.Context, s OpenOptions) (*Service, error) {
	repo, err := git.Open(ctx, s.Dir, s.Force)
	if err != nil {
		return nil, err
	}
	home, err := runner.HomeRoot(repo)
	if err != nil {
		return nil, err
	}
	cfg, err := config.Load(home) // the main tree's config, so that an agent cannot change the rules in its worktree
	if err != nil {
		return nil, err
	}
	for _, f := range s.Flags {
		if err := cfg.Override(f.Key, f.Value); err != nil {
			return nil, err
		}
	}
	return open(ctx, repo, cfg, s)
}

// OpenAnyway is Open for requests that must work when the config has errors: then it uses the
// defaults and returns the config's error as the second value.
func OpenAnyway(ctx context.Context, s OpenOptions) (*Service, error, error) {
	repo, err := git.Open(ctx, s.Dir, s.Force)
	if err != nil {
		return nil, nil, err
	}
	home, err := runner.HomeRoot(repo)
	if err != nil {
		return nil, nil, err
	}
	cfg, bad := config.Load(home)
	if bad != nil {
		if cfg, err = config.Parse("", nil); err != nil {
			return nil, bad, err
		}
	}
	svc, err := open(ctx, repo, cfg, s)
	return svc, bad, err
}

func open(ctx context.Context, repo *git.Repo, cfg config.Config, s OpenOptions) (*Service, error) {
	svc := &Service{Session: &session.Session{
		Repo: repo, Config: cfg, ShimArgv: s.Self,
		Journal:  journal.Open(filepath.Join(repo.Common, "belay")),
		Registry: &snapshot.Registry{}, Memory: session.NewMemory(), Anchors: session.OpenAnchors(repo.Common, repo.Root),
		Gate: config.Open("").Gate(repo.Common),
	}, ask: s.Ask}
	svc.Session.Gate.Type(config.Typed(cfg))
	var err error
	if svc.Session.Restores, err = restore.Open(ctx, repo, runner.SnapshotOptions(svc.Session)); err != nil {
		return nil, err
	}
	svc.Session.Snaps = svc.Session.Restores.Snapshots
	svc.Session.Snaps.Watch = &watch.Client{Place: svc.Session.Snaps.Worktree}
	if s.Opened != nil {
		s.Opened(svc)
	}
	return svc, nil
}
