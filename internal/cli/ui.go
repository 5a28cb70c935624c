package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/terminal"
	"github.com/belay-dev/belay/internal/web"
)

func (a *App) uiCommand(version string) *cobra.Command {
	var p ServeFlags
	var fleet bool
	c := &cobra.Command{
		Use: "ui [DIR…]", Short: "Show tasks, diffs and gates in a browser",
		Long: `Ui shows this repository, or those in the given folders, in a browser on this machine:
tasks as they run, attempts with their checks and output, diffs, snapshots and figures. You
can answer gates there, and restore snapshots after a preview. It prints a link that works
once, in one browser, and serves until Ctrl-C. Tasks that you continue on a page keep
running after that.

It listens on the loopback interface only, and uses no other network.

With --fleet it shows the tasks of other machines, by their git remotes, and needs
belay-fleet: see belay-fleet ui --help.

Exit codes: 0 stopped · 2 could not serve, or no repository.`,
		Example: "  belay ui --open\n  belay ui ~/src/shop ~/src/api\n  belay ui --port 8018 --idle 1h\n" +
			"  belay ui --fleet https://git.example.com/team/app.git",
		RunE: func(c *cobra.Command, args []string) error {
			if fleet {
				return a.becomeFleet(fleetUI(c.Flags(), args)...)
			}
			o := web.Options{Version: version, User: os.Getenv("USER"), Act: runBelay}
			if len(args) == 0 {
				args = []string{a.Dir}
			}
			for _, dir := range args {
				r, err := a.uiRepository(c.Context(), dir)
				if err != nil {
					return err
				}
				o.Repositories = append(o.Repositories, r)
			}
			return p.Serve(a.StopRequested, a.Terminal, o)
		},
	}
	p.Add(c.Flags())
	c.Flags().BoolVar(&fleet, "fleet", false, "show the fleet's tasks of these git remotes (default: origin) instead of folders")
	return c
}

// ServeFlags are the flags about serving pages.
type ServeFlags struct {
	port int
	open bool
	idle time.Duration
}

// Add defines the flags.
func (p *ServeFlags) Add(f *pflag.FlagSet) {
	f.IntVar(&p.port, "port", 0, "listen on this `PORT` (default: a free one)")
	f.BoolVar(&p.open, "open", false, "open the browser")
	f.DurationVar(&p.idle, "idle", 0, "stop when no page was open for this long, like 30m (default: never)")
}

// Serve prints the link and serves until ctx ends, or no page was open for the time in the flags.
func (p *ServeFlags) Serve(ctx context.Context, t *terminal.Terminal, o web.Options) error {
	s, err := web.New(ctx, o, p.port)
	if err != nil {
		return err
	}
	at := struct {
		URL string `json:"url"`
	}{s.Link}
	if err := t.PrintResult(at, nil, func(w io.Writer) { fmt.Fprintln(w, at.URL) }); err != nil {
		return err
	}
	if p.open {
		if err := openBrowser(s.Link); err != nil {
			fmt.Fprintf(t.Err, "belay: no browser could be started (%v): open the link\n", err)
		}
	}
	return s.Serve(ctx, p.idle)
}

// fleetUI returns the command line of belay-fleet for the flags and arguments of belay ui.
func fleetUI(flags *pflag.FlagSet, remotes []string) []string {
	args := []string{"ui"}
	for _, name := range []string{"port", "open", "idle"} {
		if f := flags.Lookup(name); f.Changed {
			args = append(args, "--"+name+"="+f.Value.String())
		}
	}
	return append(append(args, "--"), remotes...)
}

// uiRepository returns a repository that the pages open anew for each request.
func (a *App) uiRepository(ctx context.Context, dir string) (web.Repository, error) {
	setting := a.Setting(nil)
	setting.Ask, setting.Dir = nil, dir
	svc, err := app.Open(ctx, setting)
	if err != nil {
		return web.Repository{}, err
	}
	root := svc.Session.Repo.Root
	return web.Repository{Name: filepath.Base(root), Root: root, Open: func(ctx context.Context) (*app.Service, error) {
		return a.openForRequest(ctx, setting)
	}}, nil
}

// maxAnswerTime is how long a page waits for a command's effect, if that can be seen before the
// command ends.
const maxAnswerTime = 30 * time.Second

// runBelay runs one of belay's own commands in a repository, in its own session, so that a task
// that it continues survives the server. It returns when the command has ended or, with done, when
// done returns true or maxAnswerTime is over.
func runBelay(ctx context.Context, root string, done func() bool, args ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	c := exec.Command(self, append([]string{"-C", root}, args...)...)
	// A file, not a pipe: a run that continues after the server has ended must still be able to
	// write.
	said, err := os.CreateTemp("", "belay-ui-")
	if err != nil {
		return err
	}
	defer said.Close()
	if err := os.Remove(said.Name()); err != nil {
		return err
	}
	c.Stderr, c.SysProcAttr = said, &syscall.SysProcAttr{Setsid: true} // Ctrl-C at the server must not reach it
	if err := c.Start(); err != nil {
		return &belay.Error{Code: belay.CodeCannot, What: "belay cannot be started", Err: err, Try: "belay doctor"}
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	failed, over := waitForCommand(ctx, ended, done)
	if failed == nil || !over {
		return failed
	}
	text, err := io.ReadAll(io.NewSectionReader(said, 0, 64<<10))
	if err != nil {
		return err
	}
	what, try := strings.TrimPrefix(strings.TrimSpace(string(text)), "belay: "), "belay doctor"
	if before, next, found := strings.Cut(what, "\n  try: "); found {
		what, try = before, next
	}
	code := belay.CodeUsage
	var exit *exec.ExitError
	if errors.As(failed, &exit) && exit.ExitCode() == 5 {
		code = belay.CodeBusy
	}
	return belay.Refuse(code, try, "%s", cmp.Or(what, "belay "+args[0]+" failed and said nothing"))
}

// waitForCommand waits for a command to end, or for done.
func waitForCommand(ctx context.Context, ending <-chan error, done func() bool) (err error, ended bool) {
	var look, late <-chan time.Time
	if done != nil {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		look, late = tick.C, time.After(maxAnswerTime)
	}
	for {
		select {
		case err := <-ending:
			return err, true
		case <-look:
			if done() {
				return nil, false
			}
		case <-late:
			return belay.Refuse(belay.CodeCannot, "belay status",
				"the command did not answer for %s and is still running", maxAnswerTime), false
		case <-ctx.Done():
			return ctx.Err(), false
		}
	}
}

// openBrowser opens a link in the desktop's browser.
func openBrowser(link string) error {
	program := "xdg-open"
	if runtime.GOOS == "darwin" {
		program = "open"
	}
	c := exec.Command(program, link)
	if err := c.Start(); err != nil {
		return err
	}
	go func() { _ = c.Wait() }()
	return nil
}
