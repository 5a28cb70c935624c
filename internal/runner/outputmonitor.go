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

// outputMonitor reads the output of a run from its start. It may read it repeatedly, but shows
// every byte once, and passes it once to the stall watch and the meter.
type outputMonitor struct {
	renderer *agent.Renderer // nil to show nothing
	stall    *agent.StallWatch
	meter    *agent.Meter
	limit    func(belay.Use) string
	onUse    func(belay.Use)
	stop     context.CancelFunc // ends the run

	offset, seen int64 // position in the output, and how far it was processed
	meteredTo    int64 // how far the meter of another process has read

	meterPath    string // where the meter is saved; "" for nowhere
	savedTo      int64
	use          belay.Use
	reachedLimit string // the limit that is reached; "" for none
	blocked      string // why the agent cannot work; "" while it may
	turnTimer    *time.Timer
	turnEndsWait time.Duration
}

// The start of an output is never deleted, so the meter is saved only after that; at most
// savedEvery bytes are read again after a crash.
const (
	keptHead   = agent.DefaultLimit / 2
	savedEvery = 32 << 10
)

// Write implements io.Writer. It never fails: if the output can no longer be shown, the stall watch
// and the meter still read it.
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

// checkLimit ends the agent if its use reaches a limit. If the agent has just reported the end of
// its first turn, it gets a moment to exit: most agents exit then with all of their work done.
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
	At    int64        `json:"at"` // bytes of the output that it has read
	Meter *agent.Meter `json:"meter"`
}

// saveMeter saves the meter, so that a process that takes over the run counts output that was
// deleted meanwhile. An error is ignored: it only loses that count, which is reported then.
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

// loadMeter loads the meter that another process saved. A damaged file is ignored: the output is
// then read from its start, as far as it is kept.
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
