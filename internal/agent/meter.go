package agent

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/belay-dev/belay/internal/belay"
)

// An unknown cost is reported as unknown and never counted as 0.

// CostNotReported is the reason why a cost is unknown when the agent does not report it.
const CostNotReported = "the agent reports none"

// rememberedSteps is the number of steps that are remembered, in case they are reported again.
const rememberedSteps = 64

// Meter reads the tokens and cost that an agent used from its output. NewMeter makes one.
type Meter struct {
	prices []belay.Price
	reader StreamReader
	state  meterState

	session    string       // the continued session
	usedBefore belay.Tokens // the tokens that it had used before

	hopelessReason string // why the agent cannot succeed
}

// meterState is the state of a meter that is saved and restored.
type meterState struct {
	Names    Names               `json:"names"`
	Counters map[string]*counter `json:"counters,omitempty"`
	Turns    int                 `json:"turns,omitempty"` // reported ends of turns
	Working  bool                `json:"works,omitempty"` // there was activity since the last one
	Gap      bool                `json:"gap,omitempty"`   // part of the output was not read
}

// counter counts one session or thread.
type counter struct {
	Done         belay.Use  `json:"done"`            // of counters of the same name before they restarted
	Total        *belay.Use `json:"total,omitempty"` // the latest total
	EarlierSteps belay.Use  `json:"old"`             // steps since the total that will not be reported again
	Steps        []step     `json:"steps,omitempty"` // the last steps since the total
	Working      bool       `json:"works,omitempty"` // calls or steps since the total
	Invalid      string     `json:"odd,omitempty"`   // an impossible number since the total
}

type step struct {
	ID    string `json:"id"`
	Usage Usage  `json:"usage"`
}

// NewMeter makes a meter. The first matching price counts.
func NewMeter(prices []belay.Price) *Meter {
	m := &Meter{prices: prices}
	m.state.Counters = map[string]*counter{}
	m.reader.Listener, m.reader.OnUsage = m, m.addReport
	m.reader.onRetry = func(r modelRetry) { m.hopelessReason = firstText(m.hopelessReason, r.hopelessReason()) }
	return m
}

// ContinueSession makes the meter subtract what a continued session had used before. Codex and Qwen
// Code report the total of a session, also in a later run of it; the others count each run by
// itself (make agents measures it).
func (m *Meter) ContinueSession(session string, used belay.Use) {
	m.session = session
	if used.Tokens != nil {
		m.usedBefore = *used.Tokens
	}
}

// subtractBefore subtracts from a report what the session had used before this run.
func (m *Meter) subtractBefore(u Usage) Usage {
	whole := u.Total && (u.Agent == "codex" || u.Agent == "qwen")
	if m.session == "" || u.Counter != m.session || !whole || len(u.Models) != 1 {
		return u
	}
	t, b := u.Models[0].Tokens, m.usedBefore
	if t.Sum() < b.Sum() {
		return u // the counter restarted
	}
	u.Models = singleModel(u.Models[0].Model, belay.Tokens{
		Input: max(0, t.Input-b.Input), CacheRead: max(0, t.CacheRead-b.CacheRead),
		CacheWrite: max(0, t.CacheWrite-b.CacheWrite), Output: max(0, t.Output-b.Output),
	})
	return u
}

// Write reads more of the output. It never fails.
func (m *Meter) Write(p []byte) (int, error) { return m.reader.Write(p) }

// Close reads an unfinished last line.
func (m *Meter) Close() { m.reader.Close() }

// NoteGap records that a part of the output is missing here.
func (m *Meter) NoteGap() {
	m.reader.BreakLine()
	m.state.Gap = true
}

// Pending returns how many bytes were written and not parsed yet because their line is
// unfinished; ok is false when they were not kept.
func (m *Meter) Pending() (n int, ok bool) { return m.reader.Pending() }

// MarshalJSON saves what was read so far, without an unfinished line.
func (m *Meter) MarshalJSON() ([]byte, error) {
	m.state.Names = m.reader.Names
	return json.Marshal(m.state)
}

// UnmarshalJSON restores what MarshalJSON saved.
func (m *Meter) UnmarshalJSON(data []byte) error {
	var s meterState
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	for name, c := range s.Counters {
		if c == nil {
			return fmt.Errorf("the counter %q is empty", name)
		}
	}
	if s.Counters == nil {
		s.Counters = map[string]*counter{}
	}
	m.state, m.reader.Names = s, s.Names
	return nil
}

// Turns returns the number of turns reported as ended. over is true while there was no activity
// since the last one: the agent may be about to exit.
func (m *Meter) Turns() (n int, over bool) {
	return m.state.Turns, m.state.Turns > 0 && !m.state.Working
}

// Session returns the id of the agent's session, "" when its output names none.
func (m *Meter) Session() string { return m.reader.Names.Session }

// HopelessReason returns why the agent cannot succeed and should be ended; "" if it may.
func (m *Meter) HopelessReason() string { return m.hopelessReason }

// Used returns what was used so far.
func (m *Meter) Used() belay.Use {
	var sum belay.Use
	odd := ""
	for _, name := range slices.Sorted(maps.Keys(m.state.Counters)) {
		c := m.state.Counters[name]
		sum = sum.Plus(c.Done)
		if c.Total != nil {
			sum = sum.Plus(*c.Total)
		}
		sum = sum.Plus(m.usedSinceTotal(c))
		if odd == "" {
			odd = c.Invalid
		}
	}
	switch {
	case len(m.state.Counters) == 0:
		sum.CostUnknown = CostNotReported
	case odd != "":
		sum = partlyKnown(sum, "it reports impossible numbers: "+odd)
	}
	if m.state.Gap {
		sum = partlyKnown(sum, "part of its output was not read")
	}
	return sum
}

// partlyKnown marks u as incomplete: more was used than is known.
func partlyKnown(u belay.Use, why string) belay.Use {
	if u.CostUnknown == "" {
		u.CostUnknown = why
	}
	if u.Tokens != nil {
		t := *u.Tokens
		t.AtLeast = true
		u.Tokens = &t
	}
	return u
}

// usedSinceTotal returns what the counter used since its last total.
func (m *Meter) usedSinceTotal(c *counter) belay.Use {
	sum := c.EarlierSteps
	for _, s := range c.Steps {
		sum = sum.Plus(m.priceReport(s.Usage))
	}
	return sum
}

// CallBegan records activity.
func (m *Meter) CallBegan(Call) {
	m.state.Working = true
	for _, c := range m.state.Counters {
		c.Working = true
	}
}

// CallEnded implements Listener.
func (m *Meter) CallEnded(CallResult) {}

func (m *Meter) addReport(u Usage) {
	u = m.subtractBefore(u)
	c := m.counterOf(u)
	if u.Total {
		m.setTotal(c, u)
	} else {
		m.addStep(c, u)
	}
	if u.Last {
		m.state.Turns++
	}
	m.state.Working = !u.Last
}

// counterOf returns the counter of a report. A counter without a session becomes that of the first
// session that is named.
func (m *Meter) counterOf(u Usage) *counter {
	name, unnamed := u.Agent+" "+u.Counter, u.Agent+" "
	c := m.state.Counters[name]
	if c == nil {
		if c = m.state.Counters[unnamed]; c != nil {
			delete(m.state.Counters, unnamed)
		} else {
			c = &counter{}
		}
		m.state.Counters[name] = c
	}
	return c
}

// addStep adds one step, or updates it: the counts of a message only grow while it is reported.
func (m *Meter) addStep(c *counter, u Usage) {
	c.Working = true
	if u.Invalid != "" {
		c.Invalid = u.Invalid
	}
	if u.ID == "" {
		c.EarlierSteps = c.EarlierSteps.Plus(m.priceReport(u))
		return
	}
	if i := slices.IndexFunc(c.Steps, func(s step) bool { return s.ID == u.ID }); i >= 0 {
		c.Steps[i].Usage = largerCounts(c.Steps[i].Usage, u)
		return
	}
	if len(c.Steps) == rememberedSteps {
		c.EarlierSteps = c.EarlierSteps.Plus(m.priceReport(c.Steps[0].Usage))
		c.Steps = slices.Delete(c.Steps, 0, 1)
	}
	c.Steps = append(c.Steps, step{u.ID, u})
}

func largerCounts(was, is Usage) Usage {
	if len(was.Models) != 1 || len(is.Models) != 1 {
		return is
	}
	a, b := was.Models[0].Tokens, is.Models[0].Tokens
	is.Models = []ModelTokens{{Model: is.Models[0].Model, Tokens: belay.Tokens{
		Input: max(a.Input, b.Input), CacheRead: max(a.CacheRead, b.CacheRead),
		CacheWrite: max(a.CacheWrite, b.CacheWrite), Output: max(a.Output, b.Output),
	}}}
	return is
}

// setTotal sets the total of a counter, which replaces all that was counted before.
func (m *Meter) setTotal(c *counter, u Usage) {
	if u.Invalid != "" {
		c.Invalid = u.Invalid
		return
	}
	is, since := m.priceReport(u), m.usedSinceTotal(c)
	if c.Total != nil && hasRestarted(*c.Total, is, since, c.Working && u.Last) {
		c.Done, c.Total = c.Done.Plus(*c.Total), nil
	}
	if is.Tokens == nil { // it reports the cost alone
		before := belay.Use{Tokens: since.Tokens}
		if c.Total != nil {
			before = belay.Use{Tokens: c.Total.Tokens}.Plus(before)
		}
		is.Tokens = before.Tokens
	}
	c.Total, c.EarlierSteps, c.Steps, c.Working, c.Invalid = &is, belay.Use{}, nil, false, ""
	m.state.Gap = false // the total includes what was not read
}

// hasRestarted reports whether a total belongs to a counter that started from zero, and does not
// continue the previous total: the same session, resumed by another process, may count from zero.
// worked means that there was activity which the end of a turn must have counted.
func hasRestarted(was, is, since belay.Use, worked bool) bool {
	a, b, s := was.TokenSum(), is.TokenSum(), since.TokenSum()
	switch {
	case b < a && is.Tokens != nil, is.Cost < was.Cost && is.CostKnown():
		return true
	case b == a && is.Cost == was.Cost:
		return worked
	case is.Tokens == nil || s == 0:
		return false
	}
	return saturate(b-s) < saturate(b-a-s)
}

func saturate(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}

// priceReport returns a report with its cost: the reported one, or one computed from the prices.
func (m *Meter) priceReport(u Usage) (use belay.Use) {
	for _, one := range u.Models {
		t := one.Tokens
		use = use.Plus(belay.Use{Tokens: &t})
	}
	switch {
	case u.Priced:
		use.Cost = u.Cost
		return use
	case len(u.Models) == 0:
		use.CostUnknown = CostNotReported
		return use
	}
	for _, one := range u.Models {
		if one.Tokens.Sum() == 0 {
			continue
		}
		model := one.Model
		if model == "" {
			model = u.Agent
		}
		part := belay.Use{}
		if i := slices.IndexFunc(m.prices, func(p belay.Price) bool { return p.For(model) }); i < 0 {
			part.CostUnknown = "no price for " + belay.VisibleLine(model)
		} else if cost, missing := m.prices[i].Cost(one.Tokens); missing != "" {
			part.Cost, part.CostUnknown = cost, fmt.Sprintf("no price for %s: prices.%s.%s", belay.VisibleLine(model),
				m.prices[i].Name, missing)
		} else {
			part.Cost = cost
		}
		use = use.Plus(part)
	}
	return use
}
