// Package look shows the tasks of a fleet on the machine of a person who answers gates. It has a
// copy of each remote's records and snapshots, without files, which it updates while somebody views
// them, and compares them with what the server knows. It runs nothing, and writes nothing but that
// copy.
package look

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/belay-dev/belay/fleet/remote"
	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/journal"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/secret"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/web"
)

// Row is a task, or a feature, in the server's list.
type Row struct {
	Task    belay.TaskID // or the feature's name
	Feature bool
	Phase   string // loop.Phase, or a phase of the fleet
	Outcome string // "" while it is open
	Worker  string
	Cost    float64 // US dollars
}

// Server is the fleet's server. belay.CodeNotFound: it does not know the task or feature.
// belay.CodeUsage, of Decide and DecideFeature: the decision is rejected.
type Server interface {
	// List returns the tasks and features of a remote, the latest first.
	List(ctx context.Context, remote string) ([]Row, error)
	// Status asks a task for its status; failed is the last error of a step that is being retried.
	Status(ctx context.Context, remote string, id belay.TaskID) (st task.Status, failed string, err error)
	// Decide returns once the decision is in the task's record.
	Decide(ctx context.Context, remote string, id belay.TaskID, d task.Decision) (task.Status, error)
	// Feature and DecideFeature are Status and Decide of a feature.
	Feature(ctx context.Context, remote, name string) (st task.FeatureStatus, failed string, err error)
	DecideFeature(ctx context.Context, remote, name string, d task.Decision) (task.FeatureStatus, error)
}

// Time limits for answers of the server and of a task, and how long an answer stays fresh.
const (
	answerTimeout = 5 * time.Second
	askTimeout    = 10 * time.Second // for one round over all tasks
	decideTimeout = 30 * time.Second
	freshTime     = 2 * time.Second
	maxParallel   = 8 // tasks asked at once
)

// Remote is a repository of the fleet. It implements web.Fleet.
type Remote struct {
	url       string // without a login, as the server knows it
	server    Server
	copy      *remote.Follower
	refresh   chan struct{} // makes Follow sync at once
	copyTried chan struct{} // closed after the first attempt to make the copy

	syncLock sync.Mutex // of Sync

	mu             sync.Mutex
	rows           map[string]Row // by the task's key
	tasks          map[string]*knownTask
	listedFeatures []Row // in the server's order
	features       map[string]*knownFeature
	problems       [2]string // of the server and of the remote
	lastFetch      time.Time // start of the last successful fetch
	changes        int       // counts changes of what Tasks and Features return
	lastSync       time.Time // start of the last Sync
}

var _ web.Fleet = (*Remote)(nil)

// statusAnswers are the answers of a task or feature about itself.
type statusAnswers[T any] struct {
	status       T
	failed       string
	answeredAt   time.Time // time of status; zero if there never was an answer
	silentReason string    // why the last question had no answer
	askAgain     bool      // ask again: a worker answers now
}

// addAnswer stores an answer, and reports whether it differs from the previous one.
func (a *statusAnswers[T]) addAnswer(asked time.Time, st T, failed string, err error, differs func(was T) bool) bool {
	silent := ""
	if err != nil {
		silent = session.ErrorLine(err)
	}
	news := silent != a.silentReason || err == nil && (failed != a.failed || differs(a.status))
	if a.silentReason, a.askAgain = silent, false; err == nil {
		a.status, a.failed, a.answeredAt = st, failed, asked
	}
	return news
}

// shouldAsk reports whether to ask: not what ended before it was ever asked, because that has its
// record.
func (a *statusAnswers[T]) shouldAsk(r Row, moved bool, synced time.Time) bool {
	switch {
	case a.answeredAt.IsZero() && r.Outcome != "":
		return false
	case a.answeredAt.IsZero() && a.silentReason == "":
		return true
	}
	return a.askAgain || moved && a.answeredAt.Before(synced)
}

// knownTask is the last known state of a task.
type knownTask struct {
	answers statusAnswers[task.Status]

	copyError    error  // why the copy lacks the remote's record
	deleted      bool   // the remote no longer has its record
	forgottenDay string // the day on which the remote forgot its snapshots; "" if it did not
	entries      int    // number of the copy's record
	open         bool   // by the copy's record
	forked       bool   // the copy's record is not the one that the server knows
	awaitedEntry int    // the last entry that the server knows and the copy lacks
	awaitedSince time.Time
	problem      string // for people; see copyProblem
}

// New returns a remote, with its copy below home.
func New(home, url string, server Server) *Remote {
	public := remote.WithoutLogin(url)
	return &Remote{url: public, server: server, copy: remote.NewFollower(filepath.Join(home, task.RepositoryKey(public)), url),
		refresh: make(chan struct{}, 1), copyTried: make(chan struct{}), rows: map[string]Row{}, tasks: map[string]*knownTask{},
		features: map[string]*knownFeature{}}
}

// Repository returns the remote for the pages.
func (r *Remote) Repository() web.Repository {
	name := strings.TrimSuffix(strings.TrimRight(r.url, "/"), ".git")
	name = name[strings.LastIndexAny(name, "/:")+1:]
	return web.Repository{Name: name, Root: r.url, Open: r.openCopy, Fleet: r}
}

// openCopy opens the copy. CodeCannot: there is none, because the remote could not be read yet.
func (r *Remote) openCopy(ctx context.Context) (*app.Service, error) {
	r.refreshSoon()
	select { // pages may be opened as soon as they are served
	case <-r.copyTried:
	case <-time.After(answerTimeout):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if !r.copy.Exists() {
		r.mu.Lock()
		why := r.problems[1]
		r.mu.Unlock()
		return nil, belay.Refuse(belay.CodeCannot, "git ls-remote "+r.url, "%s",
			cmp.Or(why, "nothing was fetched from "+r.url+" yet"))
	}
	return app.Open(ctx, app.OpenOptions{Dir: r.copy.Root, Force: true})
}

// refreshSoon makes Follow sync soon, because somebody views the pages.
func (r *Remote) refreshSoon() {
	r.mu.Lock()
	old := time.Since(r.lastSync) > freshTime
	r.mu.Unlock()
	if old {
		select {
		case r.refresh <- struct{}{}:
		default:
		}
	}
}

// Follow syncs with the server and the remote until ctx ends: at once after a page was requested,
// otherwise less and less often while nothing changes.
func (r *Remote) Follow(ctx context.Context) {
	const least, most = 2 * time.Second, 15 * time.Second
	for wait := least; ; {
		select {
		case <-ctx.Done():
			return
		case <-r.refresh:
			wait = least
		case <-time.After(wait):
			wait = min(2*wait, most)
		}
		if r.Sync(ctx) {
			wait = least
		}
	}
}

// Sync asks the server for its tasks and fetches changed records. It keeps errors for the pages,
// beside the last known state, and reports whether there is something new to show.
func (r *Remote) Sync(ctx context.Context) (changed bool) {
	r.syncLock.Lock()
	defer r.syncLock.Unlock()
	r.mu.Lock()
	r.lastSync = time.Now()
	before := r.changes
	r.mu.Unlock()
	err := r.copy.Make(ctx)
	if err != nil { // success does not show that the remote can be read: the copy may exist already
		r.setReadable(ctx, err)
	}
	r.openPages()
	// The server is asked first: what it knows of a record was pushed before, so the remote must
	// have it by the time of the fetch.
	moved := r.listTasks(ctx)
	r.askTasks(ctx, moved, true)
	if err == nil {
		r.askTasks(ctx, r.fetchCopy(ctx), false)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range r.tasks {
		if p := r.copyProblem(k); p != k.problem {
			k.problem = p
			r.changes++
		}
	}
	return r.changes != before
}

// listTasks asks the server for its tasks, and returns the keys of those that changed.
func (r *Remote) listTasks(ctx context.Context) map[string]bool {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	rows, err := r.server.List(ctx, r.url)
	moved := map[string]bool{}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.setProblem(0, "the fleet's server does not answer, so nothing can be decided now: "+err.Error())
		return moved
	}
	r.setProblem(0, "")
	now := map[string]Row{}
	features := r.listedFeatures
	r.listedFeatures = nil
	for _, row := range rows {
		key := row.Task.Key()
		if row.Feature {
			if r.listedFeatures = append(r.listedFeatures, row); !slices.Contains(features, row) || row.Phase == string(loop.PhaseGate) {
				moved[featureKey+key] = true // a waiting feature may open another gate
				r.changes += boolToInt(!slices.Contains(features, row))
			}
			continue
		}
		if now[key] = row; r.rows[key] != row {
			moved[key] = true
			r.changes++
		}
		r.taskOf(key)
	}
	r.rows = now
	return moved
}

// setProblem sets the problem with the server (0) or the remote (1); "" for none. The caller must
// have the lock.
func (r *Remote) setProblem(of int, what string) {
	if r.problems[of] != what {
		r.problems[of] = what
		r.changes++
	}
}

// taskOf returns a known task, which it adds if needed. The caller must have the lock.
func (r *Remote) taskOf(key string) *knownTask {
	if r.tasks[key] == nil {
		r.tasks[key] = &knownTask{}
		r.changes++
	}
	return r.tasks[key]
}

// setReadable sets or clears the problem that the remote cannot be read.
func (r *Remote) setReadable(ctx context.Context, err error) {
	if err != nil && ctx.Err() != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.setProblem(1, "")
		return
	}
	text := "the remote cannot be read: " + strings.ReplaceAll(remote.WithoutLogin(session.ErrorLine(err)), `\n`, " ")
	if !r.lastFetch.IsZero() {
		text += "; shown is what it had at " + r.lastFetch.Format(time.DateTime)
	}
	r.setProblem(1, text)
}

// openPages allows the pages to open.
func (r *Remote) openPages() {
	select {
	case <-r.copyTried:
	default:
		close(r.copyTried)
	}
}

// fetchCopy updates the copy, and returns the keys of the tasks with a new record.
func (r *Remote) fetchCopy(ctx context.Context) map[string]bool {
	began := time.Now()
	moved := map[string]bool{}
	records, gone, failed, err := r.copy.Fetch(ctx)
	if err == nil && len(records) > 0 {
		var refused map[belay.TaskID]error
		if refused, err = r.adoptRecords(ctx, records); err == nil {
			maps.Copy(failed, refused)
		}
	}
	if r.setReadable(ctx, err); err != nil {
		return moved
	}
	r.mu.Lock()
	r.lastFetch = began
	for id := range records {
		moved[id.Key()] = true
		r.changes++
		r.taskOf(id.Key()).copyError = nil
	}
	for id, err := range failed {
		r.taskOf(id.Key()).copyError = err
	}
	for _, k := range r.tasks {
		k.deleted = false
	}
	for _, id := range gone {
		r.taskOf(id.Key()).deleted = true
	}
	var compare []string
	for key, k := range r.tasks {
		k.forgottenDay = r.copy.Forgotten(belay.TaskID(key))
		if moved[key] || k.entries == 0 {
			compare = append(compare, key)
		}
	}
	r.mu.Unlock()
	for _, key := range compare {
		r.compareRecord(belay.TaskID(key))
	}
	return moved
}

func (r *Remote) adoptRecords(ctx context.Context, records map[belay.TaskID]string) (map[belay.TaskID]error, error) {
	s, err := app.Open(ctx, app.OpenOptions{Dir: r.copy.Root, Force: true})
	if err != nil {
		return nil, err
	}
	return r.copy.Adopt(ctx, s, records)
}

// compareRecord compares a task's record in the copy with what the server knows of it.
func (r *Remote) compareRecord(id belay.TaskID) {
	log, err := journal.Open(filepath.Join(r.copy.Mirror.Dir, "belay")).Read(id)
	rec, bad := session.Fold(log)
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.taskOf(id.Key())
	if err != nil || bad != nil { // the task's page shows the error
		log, rec = journal.Log{}, &session.Record{}
	}
	n := k.answers.status.Head.Seq
	k.entries, k.open = len(log.Entries), len(log.Entries) > 0 && rec.Open()
	k.forked = n > 0 && n <= k.entries && log.Entries[n-1].Hash != k.answers.status.Head.Hash
	if k.awaitedEntry <= k.entries && n > k.entries {
		k.awaitedEntry, k.awaitedSince = n, k.answers.answeredAt
	}
}

// askTasks asks the tasks that changed or never answered for their status, those that wait for a
// person first. If time runs out, the others are asked the next time.
func (r *Remote) askTasks(ctx context.Context, moved map[string]bool, probe bool) {
	r.mu.Lock()
	if r.problems[0] != "" {
		r.mu.Unlock()
		return
	}
	var first, later, silent []func(context.Context)
	sort := func(row Row, wanted bool, why string, hear func(context.Context)) {
		switch {
		case wanted && (row.Phase == string(loop.PhaseGate) || row.Phase == task.PhaseQuarantined):
			first = append(first, hear)
		case wanted:
			later = append(later, hear)
		case why != "" && row.Outcome == "":
			silent = append(silent, hear)
		}
	}
	for _, row := range r.listedFeatures {
		key := row.Task.Key()
		f := r.featureOf(key)
		sort(row, f.answers.shouldAsk(row, moved[featureKey+key], r.lastSync), f.answers.silentReason,
			func(ctx context.Context) { r.askFeature(ctx, key) })
	}
	for key, row := range r.rows {
		k := r.tasks[key]
		sort(row, k.answers.shouldAsk(row, moved[key], r.lastSync), k.answers.silentReason,
			func(ctx context.Context) { r.askTask(ctx, belay.TaskID(key)) })
	}
	r.mu.Unlock()
	if probe { // one of the silent ones shows whether a worker is back
		later = append(later, silent[:min(1, len(silent))]...)
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	var all sync.WaitGroup
	slots := make(chan struct{}, maxParallel)
	for _, hear := range slices.Concat(first, later) {
		slots <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		all.Go(func() {
			defer func() { <-slots }()
			hear(ctx)
		})
	}
	all.Wait()
}

// askTask asks one task for its status. Any connected worker can answer, not only the task's own.
func (r *Remote) askTask(ctx context.Context, id belay.TaskID) {
	one, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	asked := time.Now()
	st, failed, err := r.server.Status(one, r.url, id)
	if err != nil && ctx.Err() != nil {
		return // the round's time ran out first
	}
	defer r.compareRecord(id)
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.taskOf(id.Key())
	was := t.answers.silentReason
	if t.answers.addAnswer(asked, st, failed, err, func(was task.Status) bool {
		return st.Head != was.Head || st.Phase != was.Phase || st.Waits != was.Waits || len(st.Lines) != len(was.Lines)
	}) {
		r.changes++
	}
	r.askSilentAgain(was, t.answers.silentReason)
}

// askSilentAgain marks everything silent to be asked again, since a worker answers now. The caller
// must have the lock.
func (r *Remote) askSilentAgain(was, now string) {
	if was == "" || now != "" {
		return
	}
	for _, k := range r.tasks {
		k.answers.askAgain = k.answers.silentReason != ""
	}
	for _, f := range r.features {
		f.answers.askAgain = f.answers.silentReason != ""
	}
}

// Mark returns a text that changes with every change.
func (r *Remote) Mark() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return fmt.Sprintf("%x", r.changes)
}

// Tasks returns all known tasks by key, and the problems with the server and the remote.
func (r *Remote) Tasks() (list []web.FleetTask, problems []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(r.tasks)) {
		t := r.taskForPages(key)
		t.Happened = nil // not shown in a list
		list = append(list, t)
	}
	for _, w := range r.problems {
		if w != "" {
			problems = append(problems, w)
		}
	}
	return list, problems
}

// Task returns a task, after asking for its status unless that is fresh.
func (r *Remote) Task(ctx context.Context, id belay.TaskID) (web.FleetTask, bool) {
	r.mu.Lock()
	t, ok := r.tasks[id.Key()]
	asking := ok && r.problems[0] == "" && time.Since(t.answers.answeredAt) > freshTime
	r.mu.Unlock()
	if !ok {
		return web.FleetTask{}, false
	}
	if asking {
		r.askTask(ctx, id)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	t.problem = r.copyProblem(t)
	shown := r.taskForPages(id.Key())
	return shown, true
}

// taskForPages returns a task for the pages. The caller must have the lock.
func (r *Remote) taskForPages(key string) web.FleetTask {
	k, row := r.tasks[key], r.rows[key]
	st := k.answers.status
	t := web.FleetTask{ID: cmp.Or(st.Task.ID, row.Task, belay.TaskID(key)), Title: belay.TitleOf(st.Task.Prose),
		Worker: cmp.Or(row.Worker, st.Worker)}
	for _, l := range slices.Backward(st.Lines) {
		t.Happened = append(t.Happened, web.FleetLine(l))
	}
	_, listed := r.rows[key]
	switch {
	case r.problems[0] != "": // its last answer may be out of date
	case !listed && !k.open: // it ended so long ago that the server no longer has it
	case !listed:
		t.Notes = append(t.Notes, "the server has no task of this name and remote: "+
			"give the remote as belay-fleet submit was given it")
	case k.answers.silentReason != "":
		listedOnly(&t, row)
		t.Notes = append(t.Notes, "the task does not say where it stands: "+k.answers.silentReason)
	case !k.answers.answeredAt.IsZero():
		t.Phase, t.Outcome, t.Worker = st.Phase, loop.Outcome(st.Outcome), st.Worker
		r.setGate(&t, st)
	default:
		listedOnly(&t, row)
	}
	if k.forgottenDay != "" {
		t.Notes = append(t.Notes, "its snapshots were forgotten on "+k.forgottenDay+": its record is all that is left")
	}
	if st.Waits != "" && t.Phase != "" {
		t.Notes = append(t.Notes, st.Waits)
	}
	if k.answers.failed != "" && t.Phase != "" {
		t.Notes = append(t.Notes, "failed: "+k.answers.failed)
	}
	if st.Omitted != nil && k.entries < st.Head.Seq && t.Phase != "" {
		t.Notes = append(t.Notes, "in part: "+st.OmittedNote())
	}
	if st.Unpushed && k.entries < st.Head.Seq && t.Phase != "" {
		t.Notes = append(t.Notes, fmt.Sprintf("not pushed: the last %d entries of its record are on worker %s alone, "+
			"so this page is behind", st.Head.Seq-k.entries, st.Worker))
	}
	// No decision on what may be another record, except to continue the task.
	if t.Problem = k.problem; t.Problem != "" {
		t.Decisions = slices.DeleteFunc(t.Decisions, func(d loop.Decision) bool { return d != task.Resume })
	}
	return t
}

// listedOnly sets what the server's list shows of a task that does not answer. Only its record then
// shows what a gate asks.
func listedOnly(t *web.FleetTask, row Row) {
	if row.Phase == string(loop.PhaseGate) {
		return
	}
	if t.Phase, t.Outcome = row.Phase, loop.Outcome(row.Outcome); row.Phase == task.PhaseQuarantined {
		t.Waits = row.Phase
	}
}

// setGate sets what a task waits for, and which decisions it accepts.
func (r *Remote) setGate(t *web.FleetTask, st task.Status) {
	if st.State != nil {
		t.State = *st.State
	}
	switch {
	case st.Phase == task.PhaseQuarantined:
		t.Waits, t.Decisions = "quarantined", []loop.Decision{task.Resume}
		for _, l := range slices.Backward(st.Lines) {
			if strings.HasPrefix(l.Text, task.PhaseQuarantined+": ") {
				t.Waits = l.Text
				break
			}
		}
	case st.Phase == string(loop.PhaseGate) && st.Gate != nil:
		t.Waits, t.Gate = st.Gate.Why, st.Gate.Number
		t.Decisions = slices.Clone(st.Gate.Options)
		if st.Gate.Kind == loop.GateCancelled {
			t.Decisions = append(t.Decisions, task.Resume)
		}
	}
}

// copyProblem returns why the record in the copy is not the task's; "" if it seems to be. The
// caller must have the lock.
func (r *Remote) copyProblem(k *knownTask) string {
	head := k.answers.status.Head
	switch {
	case k.copyError != nil:
		return "the record that the remote has now is not shown: " + session.ErrorLine(k.copyError)
	case k.forked:
		return fmt.Sprintf("the record on the remote is not the one that the server knows: entry %d differs", head.Seq)
	case k.deleted && k.open, k.awaitedEntry > k.entries && !k.answers.status.Unpushed && r.lastFetch.After(k.awaitedSince):
		return fmt.Sprintf("the remote has not the whole record: the server knows of %d entries, and %d are here",
			head.Seq, k.entries)
	}
	return ""
}

// Decide sends a person's answer to the task, and then fetches its record.
func (r *Remote) Decide(ctx context.Context, id belay.TaskID, a web.Answer) error {
	ctx, cancel := context.WithTimeout(ctx, decideTimeout)
	defer cancel()
	d := newDecision(a)
	st, err := r.server.Decide(ctx, r.url, id, d)
	if belay.CodeOf(err) == belay.CodeUsage {
		if now, _, serr := r.server.Status(ctx, r.url, id); serr == nil {
			err = cmp.Or(overtakenError(now, d), reviewedError(now, d), err)
		}
	}
	if err != nil {
		return err
	}
	defer r.Sync(ctx)
	return cmp.Or(overtakenError(st, d), ineffectiveError(st, d))
}

// ineffectiveError returns an error for a review that the task accepted without effect: the files
// on its worker changed since they were checked. The worker's note gives the reason.
func ineffectiveError(st task.Status, d task.Decision) error {
	if d.Verdict == "" || st.State == nil || st.State.Gate == nil || st.State.Gate.Number != d.Gate {
		return nil
	}
	why := "its gate is still open"
	if n := len(st.Lines); n > 0 {
		why = st.Lines[n-1].Text
	}
	return belay.Refuse(belay.CodeDrift, "belay-fleet decide "+string(st.Task.ID)+" recheck", "%s", why)
}

// reviewedError returns an error if a review has answered the gate, else nil.
func reviewedError(st task.Status, d task.Decision) error {
	if st.State == nil || st.State.Gate != nil && st.State.Gate.Number == d.Gate || d.Decision == task.Resume {
		return nil
	}
	for _, l := range slices.Backward(st.Lines) {
		if strings.HasPrefix(l.Text, "reviewed: ") {
			return belay.Refuse(belay.CodeBusy, "belay-fleet show "+string(st.Task.ID), "%s was answered meanwhile: %s", st.Task.ID, l.Text)
		}
	}
	return nil
}

// newDecision converts an answer for the fleet. A history keeps it, so known secrets are masked.
func newDecision(a web.Answer) task.Decision {
	return task.Decision{Gate: a.Gate, Decision: a.Decision, Note: secret.Mask(a.Words), By: a.By, Category: a.Category, Verdict: a.Verdict}
}

// overtakenError returns an error if somebody else has answered the gate, else nil: the task
// accepts both of two simultaneous answers and carries out the first.
func overtakenError(st task.Status, d task.Decision) error {
	if st.State == nil || d.Decision == task.Resume {
		return nil
	}
	for _, a := range st.State.Decisions {
		if a.Gate == d.Gate && (a.Decision != d.Decision || a.By != d.By || d.Decision == loop.DecideGuide && a.Note != d.Note) {
			return belay.Refuse(belay.CodeBusy, "belay-fleet show "+string(st.Task.ID), "%s was answered meanwhile: %s, by %s", st.Task.ID,
				a.Decision, cmp.Or(a.By, "somebody"))
		}
	}
	return nil
}
