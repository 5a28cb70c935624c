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
	After      int // metrics are of the entries after the one with this number
}

// What says what of the record is told. Resource are attributes of the sender; Content adds messages and the
// arguments and results of tools.
type What struct {
	Service  string
	Resource []Attr
	Content  bool
}

// Build makes the telemetry of a record, all of it. An attachment that is gone leaves its part out. Error: an entry
// that cannot be read.
func Build(src Source, what What) (Data, error) {
	b := &builder{src: src, what: what, sums: newSums()}
	for _, e := range src.Log.Entries {
		b.sums.off, b.src.Attachment = e.Seq <= src.After, src.Attachment
		if b.sums.off {
			b.src.Attachment = nil
		}
		if err := b.entry(e); err != nil {
			return Data{}, fmt.Errorf("read entry %d of %s: %w", e.Seq, src.Log.Task, err)
		}
	}
	b.data.Seq, b.data.Resource = src.Log.Head.Seq, b.resource()
	if n := len(src.Log.Entries); n > 0 {
		b.data.Metrics = b.sums.metrics(src.Log.Entries[0].Time, src.Log.Entries[n-1].Time)
	}
	return b.data, nil
}

// moment is an entry from which something lasts.
type moment struct {
	hash string
	at   time.Time
}

type builder struct {
	src  Source
	what What
	data Data
	sums *sums

	trace   string
	task    belay.Task
	state   loop.State
	period  moment // of the task span under way; no hash between a close and what reopens the task
	root    string // the last task span
	pending moment // of the command under way
	gate    moment
	attempt string // the last attempt's span
}

// ID makes a span's id, 8 bytes in hex, of an entry's hash and of what the span is about.
func spanID(hash, part string) string {
	sum := sha256.Sum256([]byte("belay span\x00" + hash + "\x00" + part))
	return hex.EncodeToString(sum[:8])
}

// TraceID makes a task's trace id, 16 bytes in hex, of its first entry: what the task is, and when it was recorded.
func traceID(hash string) string {
	sum := sha256.Sum256([]byte("belay trace\x00" + hash))
	return hex.EncodeToString(sum[:16])
}

func (b *builder) resource() []Attr {
	list := append([]Attr{}, text("service.name", b.what.Service), text("service.instance.id", b.trace))
	return append(append(list, b.what.Resource...), text("belay.task.id", string(b.src.Log.Task)))
}

func (b *builder) entry(e journal.Entry) error {
	if b.trace == "" {
		b.trace = traceID(e.Hash)
	}
	if b.period.hash == "" && (b.root == "" || e.Type == session.EntryEvent) {
		b.begin(e)
	}
	event, level, attrs := "belay."+name(e.Type), severityInfo, []Attr(nil)
	span := b.root
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
		event += "." + name(string(ev.Event.Kind))
		level, attrs = levelOf(ev.Event), eventAttrs(ev)
		if id := b.event(e, ev); id != "" {
			span = id
		}
	case session.EntryNote:
		var n session.Note
		if err := json.Unmarshal(e.Data, &n); err != nil {
			return err
		}
		event += "." + name(n.Kind)
	case session.EntryTaken:
		var taken session.Taken
		if err := json.Unmarshal(e.Data, &taken); err != nil {
			return err
		}
		if c := b.state.Pending; c != nil {
			b.sizes(taken.Sizes, *c)
		}
	}
	b.log(e, event, level, span, attrs)
	return nil
}

func (b *builder) begin(e journal.Entry) {
	b.period = moment{e.Hash, e.Time}
	b.root = spanID(e.Hash, "task")
}

func (b *builder) log(e journal.Entry, event string, level severity, span string, attrs []Attr) {
	attrs = append([]Attr{count("belay.entry.seq", int64(e.Seq)), text("log.record.uid", e.Hash)}, attrs...)
	b.data.Logs = append(b.data.Logs, Record{
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

// eventAttrs are what is safe to tell of an event: numbers, and words of belay's own.
func eventAttrs(ev session.EventEntry) (list []Attr) {
	add := func(key, v string) {
		if v != "" {
			list = append(list, text(key, name(v)))
		}
	}
	add("belay.verdict", string(ev.Event.Verdict))
	add("belay.attempt.ended", string(ev.Event.Ended))
	add("belay.decision", string(ev.Event.Decision))
	if n := len(ev.State.Attempts); n > 0 {
		list = append(list, count("belay.attempt", int64(n)))
	}
	if n := len(ev.Event.Findings); n > 0 {
		list = append(list, count("belay.findings", int64(n)))
	}
	add("belay.phase", string(ev.State.Phase))
	if g := ev.State.Gate; g != nil {
		add("belay.gate.kind", string(g.Kind))
	}
	return list
}

// event makes the spans that end with an event, and gives the one that the event is about.
func (b *builder) event(e journal.Entry, ev session.EventEntry) (id string) {
	was := b.state
	b.state = ev.State
	if c := was.Pending; c != nil && ev.Event.Command == c.ID && c.ID != "" {
		id = b.step(e, ev, *c)
	}
	if was.Gate != nil && (ev.State.Gate == nil || ev.State.Gate.Number != was.Gate.Number) {
		g := b.span(e, "gate", "gate", b.gate.at)
		g.Attrs = append(g.Attrs, text("belay.gate.kind", name(string(was.Gate.Kind))), count("belay.gate.number", int64(was.Gate.Number)))
		if ev.Event.Decision != "" {
			g.Attrs = append(g.Attrs, text("belay.decision", name(string(ev.Event.Decision))))
		}
		b.sums.add(gates, 1, text("belay.gate.kind", name(string(was.Gate.Kind))))
		id = b.emit(g)
	}
	if g := ev.State.Gate; g != nil && (was.Gate == nil || was.Gate.Number != g.Number) {
		b.gate = moment{e.Hash, e.Time}
	}
	if p := ev.State.Pending; p != nil && (was.Pending == nil || was.Pending.ID != p.ID) {
		b.pending = moment{e.Hash, e.Time}
	}
	if ev.State.Phase == loop.PhaseClosed && was.Phase != loop.PhaseClosed {
		b.closed(e, ev.State)
	}
	return id
}

func (b *builder) span(e journal.Entry, part, title string, start time.Time) Span {
	return Span{Trace: b.trace, ID: spanID(e.Hash, part), Parent: b.root, Name: title, Kind: internal, Start: nanos(start),
		End: nanos(e.Time), seq: e.Seq}
}

func (b *builder) emit(s Span) string {
	b.data.Spans = append(b.data.Spans, s)
	return s.ID
}

// closed makes the span of the task. One that is reopened has another, with a link to the first.
func (b *builder) closed(e journal.Entry, st loop.State) {
	s := b.span(e, "", "task", b.period.at)
	s.ID, s.Parent = b.root, ""
	s.Attrs = []Attr{
		text("belay.task.id", string(b.src.Log.Task)), text("belay.outcome", name(string(st.Outcome))),
		count("belay.attempts", int64(len(st.Attempts))), count("belay.rollbacks", int64(st.Rollbacks)),
	}
	s.Attrs = append(s.Attrs, usage(st.Use)...)
	if b.what.Content {
		s.Attrs = append(s.Attrs, text("belay.task.title", content(b.task.Title)))
	}
	if st.Outcome != loop.OutcomePassed {
		s.Status.Code = statusError
		s.Attrs = append(s.Attrs, text("error.type", name(string(st.Outcome))))
	}
	for _, other := range b.data.Spans {
		if other.Name == "task" {
			s.Links = []Link{{Trace: b.trace, ID: other.ID, Attrs: []Attr{text("belay.link", "reopened")}}}
		}
	}
	b.sums.add(tasks, 1, text("belay.outcome", name(string(st.Outcome))))
	b.emit(s)
	b.period = moment{}
}

// sizes counts what snapshots added that were taken for a command.
func (b *builder) sizes(all []session.Size, c loop.Command) {
	for _, z := range all {
		b.sums.observe(sizes, float64(z.Added), text("belay.step", name(string(c.Kind))))
	}
}

// step makes the span of a command of the loop: from the entry that asked for it to the one with its result.
func (b *builder) step(e journal.Entry, ev session.EventEntry, c loop.Command) string {
	seconds := e.Time.Sub(b.pending.at).Seconds()
	b.sums.observe(stepTime, seconds, text("belay.step", name(string(c.Kind))))
	b.sizes(ev.Sizes, c)
	if c.Kind == loop.CmdAttempt || c.Kind == loop.CmdDebug {
		return b.invoked(e, ev, c)
	}
	s := b.span(e, "step", name(string(c.Kind)), b.pending.at)
	s.Attrs = append(s.Attrs, text("belay.step", name(string(c.Kind))))
	if c.Attempt > 0 {
		s.Attrs = append(s.Attrs, count("belay.attempt", int64(c.Attempt)))
	}
	if ev.Event.Snapshot != "" {
		s.Attrs = append(s.Attrs, text("belay.snapshot.id", name(string(ev.Event.Snapshot))))
		b.sums.add(snapshots, 1, text("belay.step", name(string(c.Kind))))
	}
	for _, z := range ev.Sizes {
		if z.ID == ev.Event.Snapshot {
			s.Attrs = append(s.Attrs, count("belay.snapshot.size", z.Added), count("belay.snapshot.files", int64(z.Files)))
		}
	}
	if ev.Event.Verdict != "" {
		s.Attrs = append(s.Attrs, text("belay.verdict", name(string(ev.Event.Verdict))))
	}
	if ev.Event.Kind == loop.EvBroken {
		s.Status.Code = statusError
		s.Attrs = append(s.Attrs, text("error.type", "broken"))
	}
	if b.attempt != "" && c.Attempt > 0 {
		s.Links = []Link{{Trace: b.trace, ID: b.attempt, Attrs: []Attr{text("belay.link", "attempt")}}}
	}
	switch c.Kind {
	case loop.CmdCheck:
		b.checks(e, ev, s)
	case loop.CmdReview:
		s.Attrs = append(s.Attrs, usage(ev.Event.Use)...)
		b.findings(ev.Event.Findings)
		b.sums.add(verdicts, 1, text("belay.check.name", "review"), text("belay.verdict", name(string(ev.Event.Verdict))))
	}
	return b.emit(s)
}

// judged is what is read of the report of a check. Its other fields have names and texts of the project.
type judged struct {
	Checks []struct {
		Check    string          `json:"check"`
		Verdict  belay.Verdict   `json:"verdict"`
		Skipped  bool            `json:"skipped"`
		Millis   int64           `json:"millis"`
		Findings []belay.Finding `json:"findings"`
	} `json:"checks"`
}

// checks makes a span for each check. The report has how long each took, and not when it began: the time of the span is
// the step's, and an attribute says so.
func (b *builder) checks(e journal.Entry, ev session.EventEntry, step Span) {
	var report judged
	if !b.read(ev.Event.Report, &report) {
		b.findings(ev.Event.Findings)
		return
	}
	for i, c := range report.Checks {
		if c.Skipped {
			continue
		}
		s := b.span(e, fmt.Sprintf("check %d", i), "check "+name(c.Check), b.pending.at)
		s.Parent = step.ID
		s.Attrs = []Attr{
			text("belay.check.name", name(c.Check)), text("belay.verdict", name(string(c.Verdict))),
			float("belay.check.duration", float64(c.Millis)/1000), count("belay.findings", int64(len(c.Findings))),
			text("belay.time.source", "step"),
		}
		if b.what.Content {
			for _, f := range c.Findings {
				s.Attrs = append(s.Attrs, text("belay.finding.title", content(f.Title)))
			}
		}
		b.emit(s)
		b.findings(c.Findings)
		b.sums.add(verdicts, 1, text("belay.check.name", name(c.Check)), text("belay.verdict", name(string(c.Verdict))))
		b.sums.observe(checkTime, float64(c.Millis)/1000, text("belay.check.name", name(c.Check)))
	}
}

func (b *builder) findings(list []belay.Finding) {
	for _, f := range list {
		b.sums.add(found, 1, text("belay.check.name", name(f.Check)), text("belay.finding.severity", name(string(f.Severity))))
	}
}

// read reads an attachment; false when it is not there or not of this form.
func (b *builder) read(sha string, into any) bool {
	if sha == "" || b.src.Attachment == nil {
		return false
	}
	data, err := b.src.Attachment(sha)
	return err == nil && json.Unmarshal(data, into) == nil
}

func usage(u belay.Use) (list []Attr) {
	if t := u.Tokens; t != nil {
		list = append(list, count("gen_ai.usage.input_tokens", t.Input+t.CacheRead+t.CacheWrite),
			count("gen_ai.usage.output_tokens", t.Output))
		if t.CacheRead > 0 {
			list = append(list, count("gen_ai.usage.cache_read.input_tokens", t.CacheRead))
		}
		if t.CacheWrite > 0 {
			list = append(list, count("gen_ai.usage.cache_creation.input_tokens", t.CacheWrite))
		}
	}
	if u.CostKnown() || u.Cost > 0 {
		list = append(list, float("belay.cost.usd", u.Cost), truth("belay.cost.complete", u.CostKnown()))
	}
	return list
}

// agentName is the name of an agent that belay knows, and "other" for any command.
func agentName(argv []string) string {
	if p, _, ok := agent.Recognise(argv); ok {
		return p.Name
	}
	return "other"
}

// providers are the conventions' names of those whose models an agent uses by its own.
var providers = map[string]string{"claude": "anthropic", "codex": "openai", "gemini": "gcp.gemini"}

var plainName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_./:@-]{0,79}$`)

// name lets a name through, and nothing that looks like a text, a path or a secret: such names come from agents' streams and
// from configs.
func name(s string) string {
	if !plainName.MatchString(s) || strings.Count(s, "/") > 1 || secret.Mask(s) != s {
		return "other"
	}
	return s
}

// mostContent is how many bytes of one text are sent when messages are asked for.
const mostContent = 16 << 10

// content is a text of a person or an agent, without the secrets that are known by their form.
func content(s string) string { return belay.Clip(secret.Mask(s), mostContent) }
