package telemetry

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/journal"
	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/secret"
	"github.com/belay-dev/belay/internal/session"
)

// Source is a task's record.
type Source struct {
	Log        journal.Log
	Attachment func(sha string) ([]byte, error)
	After      int // metrics count only entries after this number
}

// Options select what is sent. Resource are attributes of the sender; Content adds messages, and
// the arguments and results of tools.
type Options struct {
	Service  string
	Resource []Attr
	Content  bool
}

// Build returns the telemetry of a complete record. It leaves out the parts of missing attachments.
// Error: an entry that cannot be read.
func Build(src Source, what Options) (Data, error) {
	b := &builder{src: src, options: what, sums: newSums()}
	for _, e := range src.Log.Entries {
		b.sums.paused, b.src.Attachment = e.Seq <= src.After, src.Attachment
		if b.sums.paused {
			b.src.Attachment = nil
		}
		if err := b.addEntry(e); err != nil {
			return Data{}, fmt.Errorf("read entry %d of %s: %w", e.Seq, src.Log.Task, err)
		}
	}
	b.data.LastSeq, b.data.Resource = src.Log.Head.Seq, b.resource()
	if n := len(src.Log.Entries); n > 0 {
		b.data.Metrics = b.sums.toMetrics(src.Log.Entries[0].Time, src.Log.Entries[n-1].Time)
	}
	return b.data, nil
}

// startPoint is the entry at which a span starts.
type startPoint struct {
	hash string
	at   time.Time
}

type builder struct {
	src     Source
	options Options
	data    Data
	sums    *metricSums

	trace        string
	task         belay.Task
	state        loop.State
	taskPeriod   startPoint // start of the current task span; no hash after the task was closed, until it is reopened
	taskSpan     string     // the last task span
	commandStart startPoint // start of the current command
	gateStart    startPoint
	attemptSpan  string // the last attempt's span
}

// spanID returns a span's ID, 8 bytes in hex, from an entry's hash and the span's part of it.
func spanID(hash, part string) string {
	sum := sha256.Sum256([]byte("belay span\x00" + hash + "\x00" + part))
	return hex.EncodeToString(sum[:8])
}

// traceID returns a task's trace ID, 16 bytes in hex, from the hash of its first entry.
func traceID(hash string) string {
	sum := sha256.Sum256([]byte("belay trace\x00" + hash))
	return hex.EncodeToString(sum[:16])
}

func (b *builder) resource() []Attr {
	list := append([]Attr{}, textAttr("service.name", b.options.Service), textAttr("service.instance.id", b.trace))
	return append(append(list, b.options.Resource...), textAttr("belay.task.id", string(b.src.Log.Task)))
}

func (b *builder) addEntry(e journal.Entry) error {
	if b.trace == "" {
		b.trace = traceID(e.Hash)
	}
	if b.taskPeriod.hash == "" && (b.taskSpan == "" || e.Type == session.EntryEvent) {
		b.beginTask(e)
	}
	event, level, attrs := "belay."+safeName(e.Type), severityInfo, []Attr(nil)
	span := b.taskSpan
	switch e.Type {
	case session.EntryTask:
		if err := json.Unmarshal(e.Data, &b.task); err != nil {
			return err
		}
	case session.EntryEvent:
		var ev session.EventEntry
		if err := json.Unmarshal(e.Data, &ev); err != nil {
			return err
		}
		event += "." + safeName(string(ev.Event.Kind))
		level, attrs = levelOf(ev.Event), eventAttrs(ev)
		if id := b.addEvent(e, ev); id != "" {
			span = id
		}
	case session.EntryNote:
		var n session.Note
		if err := json.Unmarshal(e.Data, &n); err != nil {
			return err
		}
		event += "." + safeName(n.Kind)
	case session.EntryTaken:
		var taken session.TakenEntry
		if err := json.Unmarshal(e.Data, &taken); err != nil {
			return err
		}
		if c := b.state.Pending; c != nil {
			b.countSizes(taken.Sizes, *c)
		}
	}
	b.addLog(e, event, level, span, attrs)
	return nil
}

func (b *builder) beginTask(e journal.Entry) {
	b.taskPeriod = startPoint{e.Hash, e.Time}
	b.taskSpan = spanID(e.Hash, "task")
}

func (b *builder) addLog(e journal.Entry, event string, level severity, span string, attrs []Attr) {
	attrs = append([]Attr{intAttr("belay.entry.seq", int64(e.Seq)), textAttr("log.record.uid", e.Hash)}, attrs...)
	b.data.Logs = append(b.data.Logs, LogRecord{
		Time: nanos(e.Time), Observed: nanos(e.Time), Severity: level.number, Level: level.text, Event: event,
		Body: Value{Text: &event}, Attrs: attrs, Trace: b.trace, Span: span, seq: e.Seq,
	})
}

type severity struct {
	number int
	text   string
}

var (
	severityInfo  = severity{9, "INFO"}
	severityWarn  = severity{13, "WARN"}
	severityError = severity{17, "ERROR"}
)

func levelOf(e loop.Event) severity {
	switch {
	case e.Kind == loop.EvBroken:
		return severityError
	case e.Kind == loop.EvLost, e.Kind == loop.EvStalled, e.Kind == loop.EvLimited, e.Verdict == belay.VerdictFail,
		e.Verdict == belay.VerdictUnknown:
		return severityWarn
	}
	return severityInfo
}

// eventAttrs returns the attributes of an event without texts: numbers, and belay's own words.
func eventAttrs(ev session.EventEntry) (list []Attr) {
	add := func(key, v string) {
		if v != "" {
			list = append(list, textAttr(key, safeName(v)))
		}
	}
	add("belay.verdict", string(ev.Event.Verdict))
	add("belay.attempt.ended", string(ev.Event.Ended))
	add("belay.decision", string(ev.Event.Decision))
	if n := len(ev.State.Attempts); n > 0 {
		list = append(list, intAttr("belay.attempt", int64(n)))
	}
	if n := len(ev.Event.Findings); n > 0 {
		list = append(list, intAttr("belay.findings", int64(n)))
	}
	add("belay.phase", string(ev.State.Phase))
	if g := ev.State.Gate; g != nil {
		add("belay.gate.kind", string(g.Kind))
	}
	return list
}

// addEvent adds the spans that end with an event, and returns the ID of the one that the event
// belongs to.
func (b *builder) addEvent(e journal.Entry, ev session.EventEntry) (id string) {
	was := b.state
	b.state = ev.State
	if c := was.Pending; c != nil && ev.Event.Command == c.ID && c.ID != "" {
		id = b.addStep(e, ev, *c)
	}
	if was.Gate != nil && (ev.State.Gate == nil || ev.State.Gate.Number != was.Gate.Number) {
		g := b.newSpan(e, "gate", "gate", b.gateStart.at)
		g.Attrs = append(g.Attrs, textAttr("belay.gate.kind", safeName(string(was.Gate.Kind))),
			intAttr("belay.gate.number", int64(was.Gate.Number)))
		if ev.Event.Decision != "" {
			g.Attrs = append(g.Attrs, textAttr("belay.decision", safeName(string(ev.Event.Decision))))
		}
		b.sums.addValue(gatesMetric, 1, textAttr("belay.gate.kind", safeName(string(was.Gate.Kind))))
		id = b.addSpan(g)
	}
	if g := ev.State.Gate; g != nil && (was.Gate == nil || was.Gate.Number != g.Number) {
		b.gateStart = startPoint{e.Hash, e.Time}
	}
	if p := ev.State.Pending; p != nil && (was.Pending == nil || was.Pending.ID != p.ID) {
		b.commandStart = startPoint{e.Hash, e.Time}
	}
	if ev.State.Phase == loop.PhaseClosed && was.Phase != loop.PhaseClosed {
		b.addTaskSpan(e, ev.State)
	}
	return id
}

func (b *builder) newSpan(e journal.Entry, part, title string, start time.Time) Span {
	return Span{Trace: b.trace, ID: spanID(e.Hash, part), Parent: b.taskSpan, Name: title, Kind: internal, Start: nanos(start),
		End: nanos(e.Time), seq: e.Seq}
}

func (b *builder) addSpan(s Span) string {
	b.data.Spans = append(b.data.Spans, s)
	return s.ID
}

// addTaskSpan adds the span of the task. A reopened task gets another one, with a link to the
// previous one.
func (b *builder) addTaskSpan(e journal.Entry, st loop.State) {
	s := b.newSpan(e, "", "task", b.taskPeriod.at)
	s.ID, s.Parent = b.taskSpan, ""
	s.Attrs = []Attr{
		textAttr("belay.task.id", string(b.src.Log.Task)), textAttr("belay.outcome", safeName(string(st.Outcome))),
		intAttr("belay.attempts", int64(len(st.Attempts))), intAttr("belay.rollbacks", int64(st.Rollbacks)),
	}
	s.Attrs = append(s.Attrs, usageAttrs(st.Use)...)
	if b.options.Content {
		s.Attrs = append(s.Attrs, textAttr("belay.task.title", safeContent(b.task.Title)))
	}
	if st.Outcome != loop.OutcomePassed {
		s.Status.Code = statusError
		s.Attrs = append(s.Attrs, textAttr("error.type", safeName(string(st.Outcome))))
	}
	for _, other := range b.data.Spans {
		if other.Name == "task" {
			s.Links = []Link{{Trace: b.trace, ID: other.ID, Attrs: []Attr{textAttr("belay.link", "reopened")}}}
		}
	}
	b.sums.addValue(tasksMetric, 1, textAttr("belay.outcome", safeName(string(st.Outcome))))
	b.addSpan(s)
	b.taskPeriod = startPoint{}
}

// countSizes counts the bytes that a command's snapshots added.
func (b *builder) countSizes(all []session.Size, c loop.Command) {
	for _, z := range all {
		b.sums.observe(sizesMetric, float64(z.Added), textAttr("belay.step", safeName(string(c.Kind))))
	}
}

// addStep adds the span of a command of the loop: from the entry that started it to the one with
// its result.
func (b *builder) addStep(e journal.Entry, ev session.EventEntry, c loop.Command) string {
	seconds := e.Time.Sub(b.commandStart.at).Seconds()
	b.sums.observe(stepTimeMetric, seconds, textAttr("belay.step", safeName(string(c.Kind))))
	b.countSizes(ev.Sizes, c)
	if c.Kind == loop.CmdAttempt || c.Kind == loop.CmdDebug {
		return b.addAgentRun(e, ev, c)
	}
	s := b.newSpan(e, "step", safeName(string(c.Kind)), b.commandStart.at)
	s.Attrs = append(s.Attrs, textAttr("belay.step", safeName(string(c.Kind))))
	if c.Attempt > 0 {
		s.Attrs = append(s.Attrs, intAttr("belay.attempt", int64(c.Attempt)))
	}
	if ev.Event.Snapshot != "" {
		s.Attrs = append(s.Attrs, textAttr("belay.snapshot.id", safeName(string(ev.Event.Snapshot))))
		b.sums.addValue(snapshotsMetric, 1, textAttr("belay.step", safeName(string(c.Kind))))
	}
	for _, z := range ev.Sizes {
		if z.ID == ev.Event.Snapshot {
			s.Attrs = append(s.Attrs, intAttr("belay.snapshot.size", z.Added), intAttr("belay.snapshot.files", int64(z.Files)))
		}
	}
	if ev.Event.Verdict != "" {
		s.Attrs = append(s.Attrs, textAttr("belay.verdict", safeName(string(ev.Event.Verdict))))
	}
	if ev.Event.Kind == loop.EvBroken {
		s.Status.Code = statusError
		s.Attrs = append(s.Attrs, textAttr("error.type", "broken"))
	}
	if b.attemptSpan != "" && c.Attempt > 0 {
		s.Links = []Link{{Trace: b.trace, ID: b.attemptSpan, Attrs: []Attr{textAttr("belay.link", "attempt")}}}
	}
	switch c.Kind {
	case loop.CmdCheck:
		b.addChecks(e, ev, s)
	case loop.CmdReview:
		s.Attrs = append(s.Attrs, usageAttrs(ev.Event.Use)...)
		b.countFindings(ev.Event.Findings)
		b.sums.addValue(verdictsMetric, 1, textAttr("belay.check.name", "review"), textAttr("belay.verdict",
			safeName(string(ev.Event.Verdict))))
	}
	return b.addSpan(s)
}

// checkReport is the part of a check report that is used. Its other fields have names and texts of
// the project.
type checkReport struct {
	Checks []struct {
		Check    string          `json:"check"`
		Verdict  belay.Verdict   `json:"verdict"`
		Skipped  bool            `json:"skipped"`
		Millis   int64           `json:"millis"`
		Findings []belay.Finding `json:"findings"`
	} `json:"checks"`
}

// addChecks adds a span for each check. The report has each check's duration but not its start, so
// the span has the times of the step, and an attribute that marks that.
func (b *builder) addChecks(e journal.Entry, ev session.EventEntry, step Span) {
	var report checkReport
	if !b.readAttachment(ev.Event.Report, &report) {
		b.countFindings(ev.Event.Findings)
		return
	}
	for i, c := range report.Checks {
		if c.Skipped {
			continue
		}
		s := b.newSpan(e, fmt.Sprintf("check %d", i), "check "+safeName(c.Check), b.commandStart.at)
		s.Parent = step.ID
		s.Attrs = []Attr{
			textAttr("belay.check.name", safeName(c.Check)), textAttr("belay.verdict", safeName(string(c.Verdict))),
			floatAttr("belay.check.duration", float64(c.Millis)/1000), intAttr("belay.findings", int64(len(c.Findings))),
			textAttr("belay.time.source", "step"),
		}
		if b.options.Content {
			for _, f := range c.Findings {
				s.Attrs = append(s.Attrs, textAttr("belay.finding.title", safeContent(f.Title)))
			}
		}
		b.addSpan(s)
		b.countFindings(c.Findings)
		b.sums.addValue(verdictsMetric, 1, textAttr("belay.check.name", safeName(c.Check)), textAttr("belay.verdict",
			safeName(string(c.Verdict))))
		b.sums.observe(checkTimeMetric, float64(c.Millis)/1000, textAttr("belay.check.name", safeName(c.Check)))
	}
}

func (b *builder) countFindings(list []belay.Finding) {
	for _, f := range list {
		b.sums.addValue(findingsMetric, 1, textAttr("belay.check.name", safeName(f.Check)),
			textAttr("belay.finding.severity", safeName(string(f.Severity))))
	}
}

// readAttachment decodes an attachment; false if it is missing or has another form.
func (b *builder) readAttachment(sha string, into any) bool {
	if sha == "" || b.src.Attachment == nil {
		return false
	}
	data, err := b.src.Attachment(sha)
	return err == nil && json.Unmarshal(data, into) == nil
}

func usageAttrs(u belay.Use) (list []Attr) {
	if t := u.Tokens; t != nil {
		list = append(list, intAttr("gen_ai.usage.input_tokens", t.Input+t.CacheRead+t.CacheWrite),
			intAttr("gen_ai.usage.output_tokens", t.Output))
		if t.CacheRead > 0 {
			list = append(list, intAttr("gen_ai.usage.cache_read.input_tokens", t.CacheRead))
		}
		if t.CacheWrite > 0 {
			list = append(list, intAttr("gen_ai.usage.cache_creation.input_tokens", t.CacheWrite))
		}
	}
	if u.CostKnown() || u.Cost > 0 {
		list = append(list, floatAttr("belay.cost.usd", u.Cost), boolAttr("belay.cost.complete", u.CostKnown()))
	}
	return list
}

// agentName returns the name of a known agent, and "other" for any other command.
func agentName(argv []string) string {
	if p, _, ok := agent.Recognise(argv); ok {
		return p.Name
	}
	return "other"
}

// providers are the conventions' names of the model providers that agents use by default.
var providers = map[string]string{"claude": "anthropic", "codex": "openai", "gemini": "gcp.gemini"}

var plainName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_./:@-]{0,79}$`)

// safeName returns a name unchanged, and "other" for anything that looks like a text, a path or a
// secret: such names come from agents' streams and from configs.
func safeName(s string) string {
	if !plainName.MatchString(s) || strings.Count(s, "/") > 1 || secret.Mask(s) != s {
		return "other"
	}
	return s
}

// maxContent limits a text that is sent because of Options.Content, in bytes.
const maxContent = 16 << 10

// safeContent masks the secrets in a text that are recognisable by their form, and limits its
// length.
func safeContent(s string) string { return belay.Clip(secret.Mask(s), maxContent) }
