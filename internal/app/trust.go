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

// Item is one thing that the repository would have run: the block of commands in its
// config, a command found by detection, or a file that agents obey.
type Item struct {
	What    string   `json:"what"`
	Shows   []string `json:"shows"` // what it would run, a line each
	Trusted bool     `json:"trusted"`

	text string // as it is on the list
}

// TrustState is everything that the repository would have run, and what of it may. Block
// and Hash are of the commands in the config, "" when it names none.
type TrustState struct {
	Block   string `json:"block"`
	Hash    string `json:"hash"`
	Items   []Item `json:"items"`
	Trusted bool   `json:"trusted"` // all of it
}

// Missing gives what may not run yet.
func (s TrustState) Missing() []Item {
	return slices.DeleteFunc(slices.Clone(s.Items), func(i Item) bool { return i.Trusted })
}

// String lists items as they are shown before somebody trusts them.
func String(items []Item) string {
	var b strings.Builder
	for _, i := range items {
		fmt.Fprintf(&b, "%s:\n", i.What)
		for _, line := range i.Shows {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	return b.String()
}

// TrustState looks at what the repository would have run. It runs nothing.
func (s *Service) TrustState() (TrustState, error) {
	block, hash := config.Commands(s.Session.Config)
	st := TrustState{Block: string(block), Hash: hash, Items: s.items(), Trusted: true}
	for i := range st.Items {
		item := &st.Items[i]
		ok, err := s.Session.May.Trusted(item.text)
		if err != nil {
			return st, err
		}
		item.Trusted, st.Trusted = ok, st.Trusted && ok
	}
	return st, nil
}

func (s *Service) items() []Item {
	items := []Item{}
	if block, _ := config.Commands(s.Session.Config); len(block) > 0 {
		items = append(items, Item{What: config.File, Shows: strings.Split(strings.TrimSpace(string(block)), "\n"), text: string(block)})
	}
	items = append(items, s.detected()...)
	return append(items, s.agentFiles()...)
}

// detected gives the tests and linters that files of the tree stand for. They run the
// repository's own code.
func (s *Service) detected() (items []Item) {
	add := func(what, key string, c belay.TestCommand) {
		shown := config.Written(c)
		items = append(items, Item{What: what, Shows: []string{fmt.Sprintf("%s (%s)", shown, belay.VisibleLine(c.Why))},
			text: key + ".command: " + shown + "\n# " + belay.VisibleLine(c.Why) + "\n"})
	}
	if tests, ok := testrun.DetectTests(s.Session.Repo.Root); ok {
		add("detected tests", "detected.tests", tests)
	}
	for _, l := range testrun.DetectLinters(s.Session.Repo.Root, os.Getenv("PATH")) {
		add("detected linter "+l.Name, "detected.linters."+l.Name, l.TestCommand)
	}
	return items
}

// agentFiles gives what agents run by themselves when they are started here.
func (s *Service) agentFiles() (items []Item) {
	for _, f := range agent.FindAgentFiles(s.Session.Repo.Root) {
		items = append(items, Item{What: f.Path, Shows: f.Runs, text: f.Text()})
	}
	return items
}

// TrustAll trusts everything that TrustState gives.
func (s *Service) TrustAll() error { return s.trustItems(s.items()) }

// Distrust takes all trust of this repository away.
func (s *Service) Distrust() error { return s.Session.May.Remove() }

func (s *Service) trustItems(items []Item) error {
	var texts []string
	for _, i := range items {
		texts = append(texts, i.text)
	}
	if len(texts) == 0 {
		return nil
	}
	return s.Session.May.Add(texts...)
}

// want is what a request would have run.
type want struct {
	task      belay.TaskID // "" for a new one
	programs  [][]string
	tests     []belay.TestCommand
	reviewers []belay.Reviewer
	agents    bool // agents are started in the tree
}

// wants gives what a task runs from its start to its end.
func wants(t belay.Task) want {
	w := want{task: t.ID, programs: [][]string{t.Agent, t.Debugger, t.OnFailure}, reviewers: t.Reviewers, agents: true}
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

// recorded is what a command is called that only the task's record names.
func (w want) recorded() string {
	if w.task == "" {
		return "the task"
	}
	return "the record of " + string(w.task)
}

// missing gives what of it may not run, as items that can be trusted. The commands of the
// config are one item; a command of the task's own record is one that was frozen from a
// config that nobody trusted.
func (s *Service) missing(w want) ([]Item, error) {
	st, err := s.TrustState()
	if err != nil {
		return nil, err
	}
	if !w.agents {
		st.Items = slices.DeleteFunc(st.Items, func(i Item) bool { return strings.HasPrefix(i.text, "agent file ") })
	}
	open := st.Missing()
	var out []Item
	take := func(i Item) {
		if !slices.ContainsFunc(out, func(o Item) bool { return o.text == i.text }) {
			out = append(out, i)
		}
	}
	need := func(err error, line, text string) error {
		if !errors.Is(err, config.ErrUntrusted) {
			return err
		}
		for _, i := range open {
			if strings.Contains("\n"+i.text, ": "+line+"\n") {
				take(i)
				return nil
			}
		}
		take(Item{What: w.recorded(), Shows: []string{strings.TrimSpace(text)}, text: text})
		return nil
	}
	programs := w.programs
	if w.agents { // a task may wait at a gate
		programs = append(slices.Clip(programs), s.Session.Config.Notify.Command, s.Session.Config.Worktree.SetUp)
	}
	for _, argv := range programs {
		_, err := s.Session.May.Program(argv)
		if err := need(err, config.TrustArgs(argv), "task.command: "+config.TrustArgs(argv)+"\n"); err != nil {
			return nil, err
		}
	}
	for _, c := range w.tests {
		_, err := s.Session.May.Tests(c)
		if err := need(err, config.Written(named(c)), "task.checks.command: "+config.Written(c)+"\n"); err != nil {
			return nil, err
		}
	}
	for _, r := range w.reviewers {
		if r.Human() {
			continue
		}
		_, err := s.Session.May.Program(r.Command)
		if err := need(err, config.TrustArgs(r.Command), "task.reviewers.command: "+config.TrustArgs(r.Command)+"\n"); err != nil {
			return nil, err
		}
		text := "task.reviewers.endpoint: " + config.TrustArgs([]string{r.Endpoint}) + "\n"
		if r.KeyEnv != "" {
			text += "task.reviewers.key_env: " + config.TrustArgs([]string{r.KeyEnv}) + "\n"
		}
		_, err = s.Session.May.Model(r.Endpoint, r.KeyEnv)
		if err := need(err, config.TrustArgs([]string{r.Endpoint}), text); err != nil {
			return nil, err
		}
	}
	for _, i := range open {
		if strings.HasPrefix(i.text, "agent file ") {
			take(i)
		}
	}
	return out, nil
}

// named gives a test command as the config or detection has it: belay itself asks a plain
// go test for its event stream.
func named(c belay.TestCommand) belay.TestCommand {
	if rest, ok := strings.CutPrefix(c.Command, "go test -json"); ok && c.From != "detected" {
		c.Command = "go test" + rest
	}
	return c
}

// trusted refuses what the repository would have run and nobody let run: on a terminal the
// person is asked once, and otherwise now says that it was let run with --trust. typed says
// that the person typed the agent that is started here: it runs the project's tests anyway,
// so commands found by detection need no other question.
func (s *Service) trusted(w want, typed, now bool) error {
	items, err := s.missing(w)
	if err != nil {
		return err
	}
	return s.allowed(w, items, typed, now)
}

// mayCommit refuses a commit, a push or a signature that would start programs of the repository's own config, or hooks,
// that nobody trusted.
func (s *Service) mayCommit(ctx context.Context, hooks, now bool) error {
	lines, err := s.Session.Repo.RepoPrograms(ctx, hooks)
	if err != nil || len(lines) == 0 {
		return err
	}
	item := Item{What: "git hooks and settings", Shows: lines, text: "git: " + strings.Join(lines, "\n") + "\n"}
	if ok, err := s.Session.May.Trusted(item.text); ok || err != nil {
		return err
	}
	if now {
		return s.trustItems([]Item{item})
	}
	err = s.allowed(want{}, []Item{item}, false, false)
	var refused *belay.Error
	if errors.As(err, &refused) && errors.Is(err, config.ErrUntrusted) {
		refused.Try = "look at .git/hooks and .git/config, then repeat it with --trust"
	}
	return err
}

// allowed is trusted for items that are not trusted yet.
func (s *Service) allowed(w want, items []Item, typed, now bool) error {
	if now {
		return s.trustItems(append(s.items(), items...))
	}
	isDetected := func(i Item) bool { return strings.HasPrefix(i.text, "detected.") }
	if typed && !slices.ContainsFunc(items, func(i Item) bool { return !isDetected(i) }) {
		for _, i := range items {
			s.Session.May.Type(i.text)
		}
		return nil
	}
	switch {
	case len(items) == 0:
		return nil
	case s.ask != nil:
		if yes, asked := s.ask("this repository would have these run on your machine:\n" + String(items) + "allow them?"); yes {
			return s.trustItems(items)
		} else if asked {
			return belay.Refuse(belay.CodeInterrupted, "belay trust --show", "nothing was run: the repository is not trusted")
		}
	}
	return &belay.Error{Code: belay.CodeCannot, What: summary(items), Try: w.try(items), Err: config.ErrUntrusted}
}

// try names the command that trusts the items. Belay trust knows nothing of what only the
// record of a task names: another config, or another folder, was trusted when it was made.
func (w want) try(items []Item) string {
	if w.task != "" && slices.ContainsFunc(items, func(i Item) bool { return i.What == w.recorded() }) {
		return fmt.Sprintf("belay run --resume %s on a terminal (it shows them and asks), or with --trust in a script", w.task)
	}
	return "belay trust (it shows them and asks), or --trust in a script"
}

// summary says in one line what would run.
func summary(items []Item) string {
	var names []string
	for _, i := range items {
		if !slices.Contains(names, i.What) {
			names = append(names, i.What)
		}
	}
	if len(names) > 4 {
		names = append(names[:4], fmt.Sprintf("%d more", len(names)-4))
	}
	return "nothing was run: trust these first (" + belay.VisibleLine(strings.Join(names, ", ")) + ")"
}

// offer is trusted for a request that goes on without: what may not run is then named by
// the check that would have run it.
func (s *Service) offer(w want, now bool) error {
	err := s.trusted(w, false, now)
	if errors.Is(err, config.ErrUntrusted) || belay.CodeOf(err) == belay.CodeInterrupted {
		return nil
	}
	return err
}

// judging is what checks of a task run.
func judging(t belay.Task) want {
	w := wants(t)
	w.programs, w.reviewers, w.agents = nil, nil, false
	return w
}

// MayHand refuses what roles would run that nobody let run.
func (s *Service) MayHand(r *session.Record, agents [][]string, typed []string, now bool) error {
	s.Session.May.TypeCommand(typed)
	w := want{programs: agents, agents: true}
	if r != nil {
		w = wants(r.Task)
		w.programs = append(w.programs, agents...)
	} else if t, err := s.task(NewTask{Prose: "roles"}); err == nil {
		w = wants(t)
		w.programs = append(agents, t.Debugger, t.OnFailure)
	}
	return s.trusted(w, len(typed) > 0, now)
}

// MayAsk refuses reviewers that nobody let be asked.
func (s *Service) MayAsk(reviewers []belay.Reviewer) error {
	return s.trusted(want{reviewers: reviewers}, false, false)
}
