package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/testrun"
)

// TrustItem is something that the repository wants to run: the block of commands in its config, a
// detected command, or a file that agents obey.
type TrustItem struct {
	Name     string   `json:"what"`
	Commands []string `json:"shows"` // what it would run, line by line
	Trusted  bool     `json:"trusted"`

	listed string // its text in the list of trusted ones
}

// TrustState lists everything that the repository wants to run, and what of it is trusted. Block
// and Hash are of the commands in the config, "" for none.
type TrustState struct {
	Block   string      `json:"block"`
	Hash    string      `json:"hash"`
	Items   []TrustItem `json:"items"`
	Trusted bool        `json:"trusted"` // everything is trusted
}

// Untrusted returns the items that are not trusted.
func (s TrustState) Untrusted() []TrustItem {
	return slices.DeleteFunc(slices.Clone(s.Items), func(i TrustItem) bool { return i.Trusted })
}

// ItemsText lists items for a person who is asked to trust them.
func ItemsText(items []TrustItem) string {
	var b strings.Builder
	for _, i := range items {
		fmt.Fprintf(&b, "%s:\n", i.Name)
		for _, line := range i.Commands {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	return b.String()
}

// TrustState reads what the repository wants to run. It runs nothing.
func (s *Service) TrustState() (TrustState, error) {
	block, hash := config.Commands(s.Session.Config)
	st := TrustState{Block: string(block), Hash: hash, Items: s.trustableItems(), Trusted: true}
	for i := range st.Items {
		item := &st.Items[i]
		ok, err := s.Session.Gate.Trusted(item.listed)
		if err != nil {
			return st, err
		}
		item.Trusted, st.Trusted = ok, st.Trusted && ok
	}
	return st, nil
}

func (s *Service) trustableItems() []TrustItem {
	items := []TrustItem{}
	if block, _ := config.Commands(s.Session.Config); len(block) > 0 {
		items = append(items, TrustItem{Name: config.File, Commands: strings.Split(strings.TrimSpace(string(block)), "\n"),
			listed: string(block)})
	}
	items = append(items, s.detectedItems()...)
	return append(items, s.agentFileItems()...)
}

// detectedItems returns the tests and linters that are detected from files of the tree. They run
// the repository's code.
func (s *Service) detectedItems() (items []TrustItem) {
	add := func(what, key string, c belay.TestCommand) {
		shown := config.Written(c)
		items = append(items, TrustItem{Name: what, Commands: []string{fmt.Sprintf("%s (%s)", shown, belay.VisibleLine(c.Why))},
			listed: key + ".command: " + shown + "\n# " + belay.VisibleLine(c.Why) + "\n"})
	}
	if tests, ok := testrun.DetectTests(s.Session.Repo.Root); ok {
		add("detected tests", "detected.tests", tests)
	}
	for _, l := range testrun.DetectLinters(s.Session.Repo.Root, os.Getenv("PATH")) {
		add("detected linter "+l.Name, "detected.linters."+l.Name, l.TestCommand)
	}
	return items
}

// agentFileItems returns the files that make agents run programs when they start here.
func (s *Service) agentFileItems() (items []TrustItem) {
	for _, f := range agent.FindAgentFiles(s.Session.Repo.Root) {
		items = append(items, TrustItem{Name: f.Path, Commands: f.Runs, listed: f.Text()})
	}
	return items
}

// TrustAll trusts everything that TrustState returns.
func (s *Service) TrustAll() error { return s.trustItems(s.trustableItems()) }

// Distrust removes all trust in this repository.
func (s *Service) Distrust() error { return s.Session.Gate.Remove() }

func (s *Service) trustItems(items []TrustItem) error {
	var texts []string
	for _, i := range items {
		texts = append(texts, i.listed)
	}
	if len(texts) == 0 {
		return nil
	}
	return s.Session.Gate.Add(texts...)
}

// programsWanted are the programs that a request wants to run.
type programsWanted struct {
	task      belay.TaskID // "" for a new one
	programs  [][]string
	tests     []belay.TestCommand
	reviewers []belay.Reviewer
	agents    bool // agents will be started in the tree
}

// programsOf returns the programs that a task runs from its start to its end.
func programsOf(t belay.Task) programsWanted {
	w := programsWanted{task: t.ID, programs: [][]string{t.Agent, t.Debugger, t.OnFailure}, reviewers: t.Reviewers, agents: true}
	skips := func(name string) bool { return slices.Contains(t.Checks.Skip, name) }
	if !skips(testrun.Name) {
		w.tests = append(w.tests, t.Checks.Tests)
	}
	if !skips("lint") {
		for _, l := range t.Checks.Linters {
			w.tests = append(w.tests, l.TestCommand)
		}
	}
	return w
}

// recordedName returns the name of an item that only the task's record contains.
func (w programsWanted) recordedName() string {
	if w.task == "" {
		return "the task"
	}
	return "the record of " + string(w.task)
}

// untrustedItems returns the programs that are not trusted, as items that can be. The commands of
// the config are one item. A command that is only in the task's record was frozen from a config
// that was never trusted.
func (s *Service) untrustedItems(w programsWanted) ([]TrustItem, error) {
	st, err := s.TrustState()
	if err != nil {
		return nil, err
	}
	if !w.agents {
		st.Items = slices.DeleteFunc(st.Items, func(i TrustItem) bool { return strings.HasPrefix(i.listed, "agent file ") })
	}
	open := st.Untrusted()
	var out []TrustItem
	take := func(i TrustItem) {
		if !slices.ContainsFunc(out, func(o TrustItem) bool { return o.listed == i.listed }) {
			out = append(out, i)
		}
	}
	need := func(err error, line, text string) error {
		if !errors.Is(err, config.ErrUntrusted) {
			return err
		}
		for _, i := range open {
			if strings.Contains("\n"+i.listed, ": "+line+"\n") {
				take(i)
				return nil
			}
		}
		take(TrustItem{Name: w.recordedName(), Commands: []string{strings.TrimSpace(text)}, listed: text})
		return nil
	}
	programs := w.programs
	if w.agents { // they also run when a task waits at a gate or a worktree is made
		programs = append(slices.Clip(programs), s.Session.Config.Notify.Command, s.Session.Config.Worktree.SetUp)
	}
	for _, argv := range programs {
		_, err := s.Session.Gate.Program(argv)
		if err := need(err, config.TrustArgs(argv), "task.command: "+config.TrustArgs(argv)+"\n"); err != nil {
			return nil, err
		}
	}
	for _, c := range w.tests {
		_, err := s.Session.Gate.Tests(c)
		if err := need(err, config.Written(withoutEventStream(c)), "task.checks.command: "+config.Written(c)+"\n"); err != nil {
			return nil, err
		}
	}
	for _, r := range w.reviewers {
		if r.Human() {
			continue
		}
		_, err := s.Session.Gate.Program(r.Command)
		if err := need(err, config.TrustArgs(r.Command), "task.reviewers.command: "+config.TrustArgs(r.Command)+"\n"); err != nil {
			return nil, err
		}
		text := "task.reviewers.endpoint: " + config.TrustArgs([]string{r.Endpoint}) + "\n"
		if r.KeyEnv != "" {
			text += "task.reviewers.key_env: " + config.TrustArgs([]string{r.KeyEnv}) + "\n"
		}
		_, err = s.Session.Gate.Model(r.Endpoint, r.KeyEnv)
		if err := need(err, config.TrustArgs([]string{r.Endpoint}), text); err != nil {
			return nil, err
		}
	}
	for _, i := range open {
		if strings.HasPrefix(i.listed, "agent file ") {
			take(i)
		}
	}
	return out, nil
}

// withoutEventStream reverses withEventStream, for comparison with the command in the config.
func withoutEventStream(c belay.TestCommand) belay.TestCommand {
	if rest, ok := strings.CutPrefix(c.Command, "go test -json"); ok && c.From != "detected" {
		c.Command = "go test" + rest
	}
	return c
}

// checkPrograms fails for programs of the repository that are not trusted. On a terminal it asks
// the person once; now means that --trust was given. typed means that the person typed the agent
// that starts here: it runs the project's tests anyway, so detected commands need no further
// question.
func (s *Service) checkPrograms(w programsWanted, typed, now bool) error {
	items, err := s.untrustedItems(w)
	if err != nil {
		return err
	}
	return s.askToTrust(w, items, typed, now)
}

// checkCommitPrograms fails if a commit, a push or a signature would run untrusted hooks or
// programs of the repository's own git config. others are more programs that it would run.
func (s *Service) checkCommitPrograms(ctx context.Context, hooks, now bool, others ...string) error {
	lines, err := s.Session.Repo.RepoPrograms(ctx, hooks)
	if lines = append(lines, others...); err != nil || len(lines) == 0 {
		return err
	}
	item := TrustItem{Name: "git hooks and settings", Commands: lines, listed: "git: " + strings.Join(lines, "\n") + "\n"}
	if ok, err := s.Session.Gate.Trusted(item.listed); ok || err != nil {
		return err
	}
	if now {
		return s.trustItems([]TrustItem{item})
	}
	err = s.askToTrust(programsWanted{}, []TrustItem{item}, false, false)
	var refused *belay.Error
	if errors.As(err, &refused) && errors.Is(err, config.ErrUntrusted) {
		refused.Try = "look at .git/hooks and .git/config, then repeat it with --trust"
	}
	return err
}

// askToTrust is checkPrograms for items known to be untrusted.
func (s *Service) askToTrust(w programsWanted, items []TrustItem, typed, now bool) error {
	if now {
		return s.trustItems(append(s.trustableItems(), items...))
	}
	isDetected := func(i TrustItem) bool { return strings.HasPrefix(i.listed, "detected.") }
	if typed && !slices.ContainsFunc(items, func(i TrustItem) bool { return !isDetected(i) }) {
		for _, i := range items {
			s.Session.Gate.Type(i.listed)
		}
		return nil
	}
	switch {
	case len(items) == 0:
		return nil
	case s.ask != nil:
		if yes, asked := s.ask("this repository would have these run on your machine:\n" + ItemsText(items) + "allow them?"); yes {
			return s.trustItems(items)
		} else if asked {
			return belay.Refuse(belay.CodeInterrupted, "belay trust --show", "nothing was run: the repository is not trusted")
		}
	}
	return &belay.Error{Code: belay.CodeCannot, What: itemsSummary(items), Try: w.trustCommand(items), Err: config.ErrUntrusted}
}

// trustCommand returns the command that trusts the items. belay trust cannot trust commands that
// are only in a task's record, because they come from another config or folder.
func (w programsWanted) trustCommand(items []TrustItem) string {
	if w.task != "" && slices.ContainsFunc(items, func(i TrustItem) bool { return i.Name == w.recordedName() }) {
		return fmt.Sprintf("belay run --resume %s on a terminal (it shows them and asks), or with --trust in a script", w.task)
	}
	return "belay trust (it shows them and asks), or --trust in a script"
}

// itemsSummary names the items in one line.
func itemsSummary(items []TrustItem) string {
	var names []string
	for _, i := range items {
		if !slices.Contains(names, i.Name) {
			names = append(names, i.Name)
		}
	}
	if len(names) > 4 {
		names = append(names[:4], fmt.Sprintf("%d more", len(names)-4))
	}
	return "nothing was run: trust these first (" + belay.VisibleLine(strings.Join(names, ", ")) + ")"
}

// offerTrust is checkPrograms for a request that also works without the programs. The check that
// needs an untrusted one reports it.
func (s *Service) offerTrust(w programsWanted, now bool) error {
	err := s.checkPrograms(w, false, now)
	if errors.Is(err, config.ErrUntrusted) || belay.CodeOf(err) == belay.CodeInterrupted {
		return nil
	}
	return err
}

// programsOfChecks returns the programs that the checks of a task run.
func programsOfChecks(t belay.Task) programsWanted {
	w := programsOf(t)
	w.programs, w.reviewers, w.agents = nil, nil, false
	return w
}

// CheckRoleTrust fails for untrusted programs of roles.
func (s *Service) CheckRoleTrust(r *session.Record, agents [][]string, typed []string, now bool) error {
	s.Session.Gate.TypeCommand(typed)
	w := programsWanted{programs: agents, agents: true}
	if r != nil {
		w = programsOf(r.Task)
		w.programs = append(w.programs, agents...)
	} else if t, err := s.newTask(NewTask{Text: "roles"}); err == nil {
		w = programsOf(t)
		w.programs = append(agents, t.Debugger, t.OnFailure)
	}
	return s.checkPrograms(w, len(typed) > 0, now)
}

// CheckReviewerTrust fails for untrusted reviewers.
func (s *Service) CheckReviewerTrust(reviewers []belay.Reviewer) error {
	return s.checkPrograms(programsWanted{reviewers: reviewers}, false, false)
}
