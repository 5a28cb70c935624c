package runner

import (
	"context"
	"encoding/json"
	"path/filepath"
	"time"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// outputMonitor reads the output of a run, from its start and each time that it is waited for:
// it shows every byte once, and passes it once to the stall watch and the meter.
type outputMonitor struct {
	renderer *agent.Renderer // nil for nowhere
	stall    *agent.StallWatch
	meter    *agent.Meter
	limit    func(belay.Use) string
	onUse    func(belay.Use)
	stop     context.CancelFunc // somebody found a reason to end the run

	offset, seen int64 // where in the output this is, and how far it was taken
	meteredTo    int64 // up to here the meter has read it in another process

	meterPath    string // where the meter is written down; "" for nowhere
	savedTo      int64
	use          belay.Use
	reachedLimit string // the limit that is reached; "" for none
	blocked      string // why the agent cannot work; "" while it may
	turnTimer    *time.Timer
	turnEndsWait time.Duration
}

// What the head of an output keeps for ever need not be written down; of the rest, at most
// savedEvery bytes are read again after a crash.
const (
	keptHead   = agent.DefaultLimit / 2
	savedEvery = 32 << 10
)

// Write implements io.Writer. It never fails: when the output is no longer shown, the stall
// watch and the meter still read it.
func (s *outputMonitor) Write(p []byte) (int, error) {
	n := len(p)
	old := min(max(0, s.seen-s.offset), int64(n))
	s.offset += int64(n)
	if p = p[old:]; len(p) == 0 {
		return n, nil
	}
	from := s.offset - int64(len(p))
	s.seen = s.offset
	s.show(p)
	if s.stall != nil {
		_, _ = s.stall.Write(p)
		if s.stall.Found() != nil {
			s.stop()
		}
	}
	if s.meter != nil {
		if known := s.meteredTo - from; known > 0 { // another process has read them
			p = p[min(known, int64(len(p))):]
		}
		_, _ = s.meter.Write(p)
		s.checkLimit()
		s.saveMeter()
	}
	return n, nil
}

// BytesMissed implements agent.LossWriter.
func (s *outputMonitor) BytesMissed(bytes int64) error {
	s.offset += bytes
	if s.offset <= s.seen {
		return nil
	}
	if s.renderer != nil {
		s.renderer.BytesMissed(s.offset - s.seen)
	}
	if s.meter != nil && s.offset > s.meteredTo {
		s.meter.NoteGap()
	}
	s.seen = s.offset
	return nil
}

func (s *outputMonitor) show(p []byte) {
	if s.renderer == nil {
		return
	}
	if _, err := s.renderer.Write(p); err != nil {
		s.renderer = nil
	}
}

// checkLimit checks whether the use reaches a limit. Then the agent is ended, unless it has
// just reported the end of its first turn: most agents are about to exit then, with all of
// their work done, and get a moment for that.
func (s *outputMonitor) checkLimit() {
	use := s.meter.Used()
	if s.onUse != nil && (use.Cost != s.use.Cost || use.CostUnknown != s.use.CostUnknown || use.TokenSum() != s.use.TokenSum()) {
		s.onUse(use)
	}
	s.use = use
	if s.limit == nil {
		return
	}
	if s.blocked = s.meter.HopelessReason(); s.blocked != "" {
		s.stop()
		return
	}
	if why := s.limit(use); why != "" {
		s.reachedLimit = why
	}
	turns, over := s.meter.Turns()
	switch {
	case s.reachedLimit == "":
	case turns == 1 && over:
		if s.turnTimer == nil {
			s.turnTimer = time.AfterFunc(s.turnEndsWait, s.stop)
		}
	default:
		s.stop()
	}
}

// savedMeter is the content of a meter file.
type savedMeter struct {
	At    int64        `json:"at"` // how much of the output it has read
	Meter *agent.Meter `json:"meter"`
}

// saveMeter saves the meter, so that a process that continues the run counts output that is
// deleted by then. A failure is ignored: it costs only that count, and is reported then.
func (s *outputMonitor) saveMeter() {
	held, ok := s.meter.Pending()
	at := s.seen - int64(held)
	if s.meterPath == "" || !ok || at < keptHead || at-s.savedTo < savedEvery || s.meteredTo > s.seen {
		return
	}
	s.savedTo = at
	if data, err := json.Marshal(savedMeter{at, s.meter}); err == nil {
		_ = fsroot.AtomicWrite(s.meterPath, fsroot.AtomicOptions{}, data)
	}
}

// loadMeter loads what another process has saved. A damaged file is ignored: then the output
// is read from its start, as far as it is kept.
func (s *outputMonitor) loadMeter(fresh *agent.Meter) {
	data, err := fsroot.ReadFile(s.meterPath, fsroot.MaxSmallFile)
	was := savedMeter{Meter: fresh}
	if err == nil && json.Unmarshal(data, &was) == nil && was.Meter == fresh && was.At > 0 {
		s.meter, s.meteredTo, s.savedTo = was.Meter, was.At, was.At
	}
}

// path returns the path of a file in a run's folder.
func (r Run) path(name string) string { return filepath.Join(r.Dir, name) }

var _ agent.LossWriter = (*outputMonitor)(nil)
