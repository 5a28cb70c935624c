package web

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/secret"
	"github.com/belay-dev/belay/internal/session"
)

// templateFunctions are the functions of the templates. html/template escapes their results;
// belay.Visible shows characters that would reorder or hide text.
var templateFunctions = template.FuncMap{
	"line":     belay.VisibleLine,
	"cost":     func(dollars float64) string { return belay.Use{Cost: dollars}.CostText() },
	"text":     func(s string) string { return belay.Visible(secret.Mask(s)) },
	"took":     prompt.Duration,
	"count":    belay.CountOf,
	"short":    func(id any) string { return belay.SnapshotID(fmt.Sprint(id)).Short() },
	"when":     func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 MST") },
	"ago":      func(t time.Time) string { return ageText(time.Since(t)) },
	"attr":     func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"used":     usedText,
	"state":    stateMark,
	"check":    checkMark,
	"step":     stepMark,
	"verdict":  verdictMark,
	"lower":    strings.ToLower,
	"severity": func(s belay.Severity) string { return string(s) },
	"list":     func(v ...string) []string { return v },
	"dict":     dict,
	"asset":    assetAddress,
	"query":    url.QueryEscape, // for form values that may have any bytes; formValue decodes them
	"add":      func(a, b int) int { return a + b },
}

// dict returns a map of alternating names and values, as the data of a part of a page.
func dict(pairs ...any) map[string]any {
	out := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		out[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	return out
}

// mark shows a state as a sign and a word, so that it does not depend on the colour alone.
type mark struct{ Class, Sign, Word string }

func stateMark(phase string, outcome loop.Outcome, waits, problem string) mark {
	switch {
	case problem != "":
		return mark{"bad", "!", "record problem"}
	case waits != "":
		return mark{"waits", "?", "waits for you"}
	case outcome == loop.OutcomePassed:
		return mark{"good", "✓", "accepted"}
	case outcome != loop.OutcomeNone:
		return mark{"ended", "–", string(outcome)}
	case phase == string(loop.PhaseNew):
		return mark{"plain", "○", "not started"}
	case phase == paused:
		return mark{"plain", "○", paused}
	}
	return mark{"runs", "▸", cmp.Or(phaseText[loop.Phase(phase)], phase, "unknown")}
}

// paused is the state of a task in the middle of its run that no process works on. It is unknown
// for a task on another machine.
const paused = "paused"

// phaseText describes what is done in a phase.
var phaseText = map[loop.Phase]string{loop.PhaseSnapshot: "taking a snapshot", loop.PhaseBaseline: "testing before",
	loop.PhaseAttempt: "agent works",
	loop.PhaseCapture: "taking a snapshot", loop.PhaseCheck: "checking", loop.PhaseReview: "in review", loop.PhaseRestore: "rolling back",
	loop.PhaseDebug: "diagnosing", loop.PhaseClosing: "closing"}

// checkMark returns the mark of a check, in the terminal's words. A pass with a warning is shown as
// a warning.
func checkMark(r belay.CheckResult) mark {
	switch word := prompt.CheckMark(r); word {
	case "skipped":
		return mark{"ended", "–", "not run"}
	case "warn":
		return mark{"waits", "!", word}
	case "asks":
		return mark{"waits", "?", word}
	}
	return verdictMark(r.Verdict)
}

func verdictMark(v belay.Verdict) mark {
	switch {
	case v == belay.VerdictPass:
		return mark{"good", "✓", "pass"}
	case v == belay.VerdictFail:
		return mark{"bad", "✗", "fail"}
	case v == "":
		return mark{"plain", "○", "none"}
	}
	return mark{"waits", "?", string(v)}
}

func usedText(u *belay.Use) string {
	if u == nil {
		return "–"
	}
	cost, tokens := u.CostText(), u.TokensText()
	if cost == "unknown" && tokens == "unknown" {
		return "cost unknown"
	}
	return cost + " · " + tokens + " tokens"
}

// ageText formats a time since an event: "12s", "5m", "3h", "4d".
func ageText(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", max(0, int(d.Seconds())))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

// perPage is how many tasks and snapshots a page lists.
const perPage = 200

// pageOf returns the requested page of a list, and its number for the links to other pages.
func pageOf[T any](q *request, all []T) (part []T, where paging) { return pageOfSize(q, all, perPage) }

func pageOfSize[T any](q *request, all []T, size int) (part []T, where paging) {
	n, err := strconv.Atoi(q.FormValue("page"))
	if err != nil || n < 1 {
		n = 1
	}
	where = paging{Pages: max(1, (len(all)+size-1)/size), All: len(all)}
	where.Page = min(n, where.Pages)
	from := (where.Page - 1) * size
	values := q.URL.Query()
	values.Del("page")
	where.Query = values.Encode()
	return all[from:min(len(all), from+size)], where
}

type paging struct {
	Page, Pages, All int
	Query            string
}

// overview lists the tasks, those at a gate first.
func (q *request) overview() error {
	status, lines, err := q.svc.Overview(q.Context())
	if err != nil {
		return err
	}
	data := struct {
		Status   app.Status
		Waiting  []taskRow
		Features []featureView // the fleet's features
		Tasks    []taskRow
		Trees    []treeLine
		Queued   int // number of trees ready to be merged
		Paging   paging
		State    string
		Search   string
		Total    string
		Fleet    bool
		Wrong    []string // problems of the fleet's server or remote
		Asked    bool     // something waits for a person
	}{Status: status, State: q.FormValue("state"), Search: q.FormValue("q"), Fleet: q.repo.Fleet != nil}
	if q.repo.Fleet == nil {
		for i, l := range lines {
			if l.Paused != "" {
				lines[i].Phase = paused
			}
		}
	}
	rows, wrong := q.rows(lines)
	data.Features = q.features()
	if data.Wrong = wrong; !data.Fleet {
		data.Trees, data.Queued = worktreeLines(lines)
	}
	var total belay.Use
	known := false
	slices.SortStableFunc(rows, func(a, b taskRow) int { return b.Changed.Compare(a.Changed) })
	for _, l := range rows {
		if l.Used != nil {
			total, known = belay.Use.With(total, *l.Used), true
		}
		if l.Waits != "" {
			data.Waiting = append(data.Waiting, l)
		}
	}
	data.Asked = len(data.Waiting) > 0 || slices.ContainsFunc(data.Features, func(f featureView) bool { return len(f.Gates) > 0 })
	if known {
		data.Total = usedText(&total)
	}
	matching := slices.DeleteFunc(rows, func(l taskRow) bool { return !matchesFilter(l, data.State, data.Search) })
	data.Tasks, data.Paging = pageOf(q, matching)
	return q.show("overview", "Tasks", data)
}

// treeLine is a task with its own worktree.
type treeLine struct {
	app.TaskLine
	Place int            // position in the order of belay merge --all; 0: not ready
	Waits []belay.TaskID // tasks that have to be merged first
}

// worktreeLines returns the tasks that have a worktree or unmerged work, in order of creation, and
// how many are ready to be merged.
func worktreeLines(lines []app.TaskLine) (list []treeLine, queued int) {
	at := map[string]int{} // index in list
	var ready []int
	for _, l := range lines {
		if l.Tree != "" || l.Unmerged {
			if l.Unmerged {
				ready = append(ready, len(list))
			}
			at[l.ID.Key()] = len(list)
			list = append(list, treeLine{TaskLine: l})
		}
	}
	for i := range list {
		for _, after := range list[i].After {
			if _, is := at[after.Key()]; is {
				list[i].Waits = append(list[i].Waits, after)
			}
		}
	}
	for queued < len(ready) { // dependencies first
		next := slices.IndexFunc(ready, func(i int) bool {
			return list[i].Place == 0 && !slices.ContainsFunc(list[i].Waits, func(t belay.TaskID) bool {
				w := list[at[t.Key()]]
				return w.Unmerged && w.Place == 0
			})
		})
		if next < 0 { // a cycle
			next = slices.IndexFunc(ready, func(i int) bool { return list[i].Place == 0 })
		}
		queued++
		list[ready[next]].Place = queued
	}
	return list, queued
}

func matchesFilter(l taskRow, state, search string) bool {
	ended := l.Phase == string(loop.PhaseClosed)
	switch state {
	case "open":
		if ended {
			return false
		}
	case "waiting":
		if l.Waits == "" {
			return false
		}
	case "ended":
		if !ended {
			return false
		}
	}
	text := strings.ToLower(string(l.ID) + " " + l.Title + " " + l.Feature + " " + l.Worker)
	return strings.Contains(text, strings.ToLower(search))
}

// maxNotes is how many notes a task's page shows, the newest.
const maxNotes = 50

// attempt is an attempt in the form that a task's page shows.
type attempt struct {
	app.AttemptView
	Used string
	From belay.SnapshotID // snapshot that it started from: before the task, or after the previous attempt
	Last belay.SnapshotID // snapshot after the previous attempt, if From is another one
	Mark mark
	Live bool // its agent is running
	More int  // number of findings not shown
}

// How describes how the agent ended.
func (a attempt) How() string { return prompt.EndText(a.Attempt) }

// maxFindings is how many findings of an attempt a task's page shows.
const maxFindings = 500

// choice is a possible decision and its effect.
type choice struct {
	Decision loop.Decision
	Key      string
	Meaning  string
	Final    bool // it ends the task, so the page asks for confirmation
}

func (q *request) task(id belay.TaskID) error {
	var fleet *FleetTask
	known := false
	if q.repo.Fleet != nil {
		fleet = new(FleetTask) // stays empty for a copy that the server and the remote do not know yet
		*fleet, known = q.repo.Fleet.Task(q.Context(), id)
	}
	shown, r, err := q.svc.Show(id)
	if known && belay.CodeOf(err) == belay.CodeNotFound {
		return q.remoteTask(*fleet)
	}
	if err != nil {
		return err
	}
	data := struct {
		app.TaskView
		Result   prompt.Result
		Said     app.LastOutput
		Attempts []attempt
		Asks     *gateQuestion
		Fleet    *FleetTask // nil: the task is on this machine
		Latest   belay.SnapshotID
		Output   string
		Picture  template.HTML
		ownReview
		Earlier int // number of notes shown only on the record page
	}{TaskView: shown, ownReview: q.ownReview(r, fleet), Result: q.svc.Result(q.Context(), r),
		Asks: newGateQuestion(r, fleet), Fleet: fleet}
	if fleet == nil && data.Paused != "" {
		data.Phase = paused
	}
	if fleet != nil {
		data.Unmerged, data.Snapshots = false, ""
		if data.Problem = cmp.Or(data.Problem, fleet.Problem); fleet.Phase != "" {
			data.Phase, data.Outcome = fleet.Phase, fleet.Outcome
		}
	}
	if data.Earlier = len(data.Notes) - maxNotes; data.Earlier > 0 {
		data.Notes = data.Notes[data.Earlier:]
	}
	from := r.State.Before
	for i, a := range shown.Attempts {
		one := attempt{AttemptView: a, From: from, Mark: verdictMark(a.Verdict), Used: usedText(&a.Use)}
		if one.More = len(one.Findings) - maxFindings; one.More > 0 {
			one.Findings = one.Findings[:maxFindings]
		}
		one.Live = i == len(shown.Attempts)-1 && r.State.Phase == loop.PhaseAttempt && data.Phase != paused
		if one.From != data.Latest {
			one.Last = data.Latest
		}
		if a.Snapshot != "" {
			data.Latest = a.Snapshot
			if from = a.Snapshot; a.Then == loop.ThenRollback {
				from = r.State.Before
			}
		}
		data.Attempts = append(data.Attempts, one)
	}
	if r.State.Phase == loop.PhaseAttempt && r.State.Pending != nil {
		data.Output = q.liveOutput(r)
	}
	if data.Asks != nil && r.State.Gate != nil {
		data.Said = q.svc.LastOutput(r)
	}
	data.Picture = drawTimeline(data.Attempts)
	return q.show("task", string(id)+" "+shown.Task.Title, data)
}

// maxOutput is how much output a page shows at a time, in rendered bytes.
const maxOutput = 256 << 10

// liveOutput returns the end of a running agent's output.
func (q *request) liveOutput(r *session.Record) string {
	run, err := agent.Attach(q.svc.Session.RunDir(r.Task.ID, r.State.Pending.ID))
	if err != nil {
		return ""
	}
	var out tailBuffer
	render := agent.NewRenderer(&out, r.Task.Worktree)
	_, _ = run.Output(render)
	_ = render.Close()
	return string(out.text)
}

// tailBuffer keeps the last bytes written to it.
type tailBuffer struct{ text []byte }

const maxTail = 16 << 10

func (t *tailBuffer) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	if len(t.text) > 2*maxTail {
		t.text = slices.Clone(t.text[len(t.text)-maxTail:])
	}
	return len(p), nil
}

// output shows the prompt of an attempt and the steps of its agent, in parts.
func (q *request) output(id belay.TaskID) error {
	r, err := q.svc.Session.LoadUnchecked(id)
	if err != nil {
		return err
	}
	n, _ := strconv.Atoi(q.FormValue("attempt"))
	from, _ := strconv.Atoi(q.FormValue("from"))
	data := struct {
		Task    belay.TaskID
		Attempt int
		Kind    loop.PromptKind
		Prompt  string // "" if it was not stored
		Cut     bool   // Prompt is truncated
		Steps   []agent.Step
		From    int
		Next    int
	}{Task: id, Attempt: n, From: max(0, from)}
	i := slices.IndexFunc(r.State.Attempts, func(a loop.Attempt) bool { return a.N == n && a.Log+a.Sent != "" })
	if i < 0 {
		return belay.Refuse(belay.CodeNotFound, "belay show "+string(id), "%s has no output of attempt %d", id, n)
	}
	a := r.State.Attempts[i]
	data.Kind = a.Prompt
	if a.Sent != "" && data.From == 0 {
		if data.Prompt, data.Cut, err = q.readBeginning(a.Sent, maxPrompt); err != nil {
			return err
		}
	}
	if a.Log != "" {
		in, err := q.svc.Session.Journal.OpenAttachment(a.Log)
		if err != nil {
			return err
		}
		defer in.Close()
		if data.Steps, data.Next, err = agent.Steps(in, r.Task.Worktree, data.From, maxOutput); err != nil {
			return err
		}
	}
	return q.show("output", fmt.Sprintf("%s attempt %d: output", id, n), data)
}

// maxPrompt is how much of a prompt a page shows, in bytes.
const maxPrompt = 256 << 10

// readBeginning reads the first bytes of an attachment. cut reports whether there are more.
func (q *request) readBeginning(sha string, most int64) (text string, cut bool, err error) {
	in, err := q.svc.Session.Journal.OpenAttachment(sha)
	if err != nil {
		return "", false, err
	}
	defer in.Close()
	b, err := io.ReadAll(io.LimitReader(in, most+1))
	if int64(len(b)) > most {
		return string(b[:most]), true, err
	}
	return string(b), false, err
}

// record lists the entries of a task's record, and whether it is intact.
func (q *request) record(id belay.TaskID) error {
	r, err := q.svc.Session.LoadUnchecked(id)
	if err != nil {
		return err
	}
	type entry struct {
		Seq  int
		Time time.Time
		Text string
	}
	data := struct {
		Task    belay.TaskID
		Title   string
		Proof   app.VerifiedRecord
		Entries []entry
		Paging  paging
	}{Task: id, Title: r.Task.Title, Proof: app.VerifyRecord(q.svc.Session, id)}
	entries, where := pageOf(q, r.Log.Entries)
	data.Paging = where
	for _, e := range entries {
		line := prompt.EntryLine(e.Seq, e.Time, e.Type, e.Data)
		_, text, _ := strings.Cut(line, "Z  ")
		data.Entries = append(data.Entries, entry{Seq: e.Seq, Time: e.Time, Text: text})
	}
	return q.show("record", string(id)+": record", data)
}

// pull shows the text of the task's pull request.
func (q *request) pull(id belay.TaskID) error {
	p, err := q.svc.Pull(q.Context(), string(id), q.s.Version)
	if err != nil {
		return err
	}
	text, _ := p.Markdown(0)
	return q.show("pull", string(id)+": pull request", struct {
		Task  belay.TaskID
		Title string
		Text  string
		Fleet bool
	}{id, p.Title, text, q.repo.Fleet != nil})
}

// restoredText returns a message about the restore that led to this page, and the command that
// reverses it.
func (q *request) restoredText() (text, back string) {
	switch q.FormValue("done") {
	case "snapshot":
		return "Restored.", "undo"
	case "prune":
		return "The old snapshots were deleted.", ""
	case "turn", "tool":
		return "The changes were reversed. The agent is told with your next prompt.", "redo"
	case "undo":
		return "The last restore was undone.", "redo"
	case "redo":
		return "The last restore was repeated.", "undo"
	}
	return "", ""
}

// snapshots lists them, newest first.
func (q *request) snapshots() error {
	all, bad, err := q.svc.Session.Snaps.ListAll(q.Context())
	if err != nil {
		return err
	}
	usage, err := q.svc.Session.Snaps.Usage(q.Context())
	if err != nil {
		return err
	}
	slices.Reverse(all)
	list, where := pageOf(q, all)
	done, back := q.restoredText()
	return q.show("snapshots", "Snapshots", struct {
		List       any
		Paging     paging
		Bad        []error
		Size       string
		Done, Back string
		Picture    template.HTML
	}{list, where, bad, belay.RoundSize(usage.Bytes), done, back, drawSnapshots(list)})
}
