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

// screen takes the output of a run, from its start and each time that it is waited for: it
// shows every byte once, and lets the watch and the meter read it once.
type screen struct {
	to    *agent.Renderer // nil for nowhere
	stall *agent.StallWatch
	meter *agent.Meter
	limit func(belay.Use) string
	told  func(belay.Use)
	found context.CancelFunc // somebody found a reason to end the run

	at, seen int64 // where in the output this is, and how far it was taken
	metered  int64 // up to here the meter has read it in another process

	file         string // where the meter is written down; "" for nowhere
	saved        int64
	use          belay.Use
	over         string // the limit that is reached; "" for none
	blocked      string // why the agent cannot work; "" while it may
	wait         *time.Timer
	turnEndsWait time.Duration
}

// What the head of an output keeps for ever need not be written down; of the rest, at most
// savedEvery bytes are read again after a crash.
const (
	unsaved    = agent.DefaultLimit / 2
	savedEvery = 32 << 10
)

// Write implements io.Writer. It fails never: when nobody looks any more, the watch and the
// meter still do.
func (s *screen) Write(p []byte) (int, error) {
	n := len(p)
	old := min(max(0, s.seen-s.at), int64(n))
	s.at += int64(n)
	if p = p[old:]; len(p) == 0 {
		return n, nil
	}
	from := s.at - int64(len(p))
	s.seen = s.at
	s.show(p)
	if s.stall != nil {
		_, _ = s.stall.Write(p)
		if s.stall.Found() != nil {
			s.found()
		}
	}
	if s.meter != nil {
		if known := s.metered - from; known > 0 { // another process has read them
			p = p[min(known, int64(len(p))):]
		}
		_, _ = s.meter.Write(p)
		s.look()
		s.save()
	}
	return n, nil
}

// Missed implements agent.LossWriter.
func (s *screen) Missed(bytes int64) error {
	s.at += bytes
	if s.at <= s.seen {
		return nil
	}
	if s.to != nil {
		s.to.BytesMissed(s.at - s.seen)
	}
	if s.meter != nil && s.at > s.metered {
		s.meter.NoteGap()
	}
	s.seen = s.at
	return nil
}

func (s *screen) show(p []byte) {
	if s.to == nil {
		return
	}
	if _, err := s.to.Write(p); err != nil {
		s.to = nil
	}
}

// look asks whether what was used reaches a limit. The agent is ended then, unless it has
// just said for the first time that its turn is over: most are about to end by themselves
// then, with all of their work done, and get a moment for that.
func (s *screen) look() {
	use := s.meter.Used()
	if s.told != nil && (use.Cost != s.use.Cost || use.CostUnknown != s.use.CostUnknown || use.TokenSum() != s.use.TokenSum()) {
		s.told(use)
	}
	s.use = use
	if s.limit == nil {
		return
	}
	if s.blocked = s.meter.HopelessReason(); s.blocked != "" {
		s.found()
		return
	}
	if why := s.limit(use); why != "" {
		s.over = why
	}
	turns, over := s.meter.Turns()
	switch {
	case s.over == "":
	case turns == 1 && over:
		if s.wait == nil {
			s.wait = time.AfterFunc(s.turnEndsWait, s.found)
		}
	default:
		s.found()
	}
}

// saved is what is written down of a meter.
type saved struct {
	At    int64        `json:"at"` // how much of the output it has read
	Meter *agent.Meter `json:"meter"`
}

// save writes the meter down, so that a process that takes up the run knows of output that is
// deleted by then. That it cannot be written costs as much, and is said then.
func (s *screen) save() {
	held, ok := s.meter.Pending()
	at := s.seen - int64(held)
	if s.file == "" || !ok || at < unsaved || at-s.saved < savedEvery || s.metered > s.seen {
		return
	}
	s.saved = at
	if data, err := json.Marshal(saved{at, s.meter}); err == nil {
		_ = fsroot.AtomicWrite(s.file, fsroot.AtomicOptions{}, data)
	}
}

// load takes up what another process has written down. What is damaged is left: the output
// is read from its start then, as far as it is kept.
func (s *screen) load(fresh *agent.Meter) {
	data, err := fsroot.ReadFile(s.file, fsroot.MaxSmallFile)
	was := saved{Meter: fresh}
	if err == nil && json.Unmarshal(data, &was) == nil && was.Meter == fresh && was.At > 0 {
		s.meter, s.metered, s.saved = was.Meter, was.At, was.At
	}
}

// file is a file of a run's folder.
func (r Run) file(name string) string { return filepath.Join(r.Dir, name) }
