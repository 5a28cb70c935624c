package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// Outbox keeps in a folder which messages wait to be sent, and which were. Several processes may use one; a kill
// between sending and writing that down has the same delivery sent again, with the same id and bytes.
type Outbox struct {
	Dir   string
	Quiet Quiet
	Eager bool                    // a delivery that failed is tried again at once
	Now   func() time.Time        // nil is time.Now
	Step  func(name string) error // called around what is done, for tests that make it fail there
}

const (
	outboxFile = "outbox.json"
	remembered = 30 * 24 * time.Hour // how long after a gate was last seen its message is known as sent
	givenUp    = 7 * 24 * time.Hour  // how long a delivery that is not accepted is tried
	mostWait   = 15 * time.Minute    // between two tries
	busyWait   = 2 * time.Second     // until looking again at what another process is sending
)

// post is the content of the outbox.
type post struct {
	Version int                  `json:"version"`
	Waiting []waiting            `json:"waiting,omitempty"`
	Sending *sending             `json:"sending,omitempty"`
	Sent    map[string]time.Time `json:"sent,omitempty"` // by message, when its gate was seen last
}

type waiting struct {
	Message
	Quiet bool `json:"quiet,omitempty"` // it came in quiet hours
}

// sending is a delivery that was begun: until it is accepted it is sent again as it is.
type sending struct {
	Delivery Delivery  `json:"delivery"`
	Tries    int       `json:"tries"`
	Next     time.Time `json:"next,omitzero"` // not before
}

// Send sends a delivery. tries is how often that failed before.
type Send func(ctx context.Context, d Delivery, tries int) error

func (o Outbox) now() time.Time {
	if o.Now != nil {
		return o.Now()
	}
	return time.Now()
}

func (o Outbox) step(name string) error {
	if o.Step != nil {
		return o.Step(name)
	}
	return nil
}

// change reads the outbox, has do change it, and writes it where do says so. A file that cannot be read is an error: it
// says what was sent.
func (o Outbox) change(do func(*post) (write bool)) error {
	if err := fsroot.MkdirAll(o.Dir, 0o700); err != nil {
		return err
	}
	lock := fsroot.NewLock(filepath.Join(o.Dir, "lock"))
	if err := lock.Lock(); err != nil {
		return err
	}
	defer lock.Unlock()
	path := filepath.Join(o.Dir, outboxFile)
	data, err := fsroot.ReadFile(path, fsroot.MaxSmallFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	p, err := parse(data)
	if err != nil {
		return &belay.Error{Code: belay.CodeCannot, What: "the outbox of notifications cannot be read",
			Try: fmt.Sprintf("rm %q", path), Err: err}
	}
	if !do(p) {
		return nil
	}
	if data, err = json.Marshal(p); err != nil {
		return err
	}
	return fsroot.AtomicWrite(path, fsroot.AtomicOptions{Synced: true}, append(data, '\n'))
}

func parse(data []byte) (*post, error) {
	p := &post{Version: 1}
	if len(data) > 0 {
		if err := json.Unmarshal(data, p); err != nil {
			return nil, err
		}
		if p.Version != 1 {
			return nil, fmt.Errorf("it has version %d", p.Version)
		}
	}
	if p.Sent == nil {
		p.Sent = map[string]time.Time{}
	}
	return p, nil
}

// Add takes a message, unless one of its gate was taken before: added says which. Errors: the folder cannot be written.
func (o Outbox) Add(m Message) (added bool, err error) {
	now := o.now()
	err = o.change(func(p *post) bool {
		if seen, ok := p.Sent[m.ID]; ok { // remember for as long as the gate is open, without a write each time it is seen
			if now.Sub(seen) < remembered/4 {
				return false
			}
			p.Sent[m.ID] = now
			return true
		}
		same := func(other Message) bool { return other.ID == m.ID }
		if slices.ContainsFunc(p.Waiting, func(w waiting) bool { return same(w.Message) }) ||
			p.Sending != nil && slices.ContainsFunc(p.Sending.Delivery.Messages, same) {
			return false
		}
		p.Waiting = append(p.Waiting, waiting{m, o.Quiet.In(now)})
		maps.DeleteFunc(p.Sent, func(_ string, seen time.Time) bool { return now.Sub(seen) > remembered })
		added = true
		return true
	})
	return added, err
}

// Flush sends what waits, one delivery after the other, until one fails, the quiet hours begin or ctx ends. What came in
// quiet hours is one delivery; gates that open says are answered are left out of it. next is when to call Flush again,
// zero when nothing waits.
func (o Outbox) Flush(ctx context.Context, open func(Message) bool, send Send) (next time.Time, err error) {
	if err := fsroot.MkdirAll(o.Dir, 0o700); err != nil {
		return time.Time{}, err
	}
	one := fsroot.NewLock(filepath.Join(o.Dir, "sending"))
	if got, err := one.TryLock(); !got {
		return o.now().Add(busyWait), err
	}
	defer one.Unlock()
	for {
		s, next, err := o.begin(open)
		if err != nil || s == nil || !next.IsZero() {
			return next, err
		}
		if err := ctx.Err(); err != nil {
			return o.now(), err
		}
		if err := o.step("begun"); err != nil {
			return o.now(), err
		}
		failed := send(ctx, s.Delivery, s.Tries)
		if err := o.step("sent"); err != nil {
			return o.now(), err
		}
		if next, err = o.ended(failed); err != nil || failed != nil {
			return next, errors.Join(failed, err)
		}
	}
}

// begin gives the delivery to send; nil when nothing waits, or when that has to wait until next.
func (o Outbox) begin(open func(Message) bool) (s *sending, next time.Time, err error) {
	now := o.now()
	err = o.change(func(p *post) bool {
		changed := false
		if p.Sending == nil && len(p.Waiting) > 0 && !o.Quiet.In(now) {
			p.choose(now, open)
			changed = true
		}
		switch {
		case p.Sending == nil && len(p.Waiting) == 0:
		case o.Quiet.In(now):
			next = o.Quiet.End(now)
		case p.Sending != nil && p.Sending.Next.After(now) && !o.Eager:
			next = p.Sending.Next
		}
		s = p.Sending
		return changed
	})
	return s, next, err
}

// choose makes the next delivery: all that came in quiet hours, or the first message. Of gates that were answered
// meanwhile none is made.
func (p *post) choose(now time.Time, open func(Message) bool) {
	var these []Message
	quiet := false
	p.Waiting = slices.DeleteFunc(p.Waiting, func(w waiting) bool {
		switch {
		case open != nil && !open(w.Message):
			p.Sent[w.ID] = now
		case len(these) == 0:
			these, quiet = []Message{w.Message}, w.Quiet
		case quiet && w.Quiet:
			these = append(these, w.Message)
		default:
			return false
		}
		return true
	})
	if len(these) > 0 {
		p.Sending = &sending{Delivery: deliver(these, now)}
	}
}

// ended writes down what became of the delivery. next is when to try it again.
func (o Outbox) ended(failed error) (next time.Time, err error) {
	now := o.now()
	err = o.change(func(p *post) bool {
		s := p.Sending
		if s == nil {
			return false
		}
		if failed != nil && now.Sub(s.Delivery.Time) < givenUp {
			s.Tries++
			s.Next = now.Add(min(mostWait, time.Second<<min(s.Tries-1, 20)))
			next = s.Next
			return true
		}
		for _, m := range s.Delivery.Messages {
			p.Sent[m.ID] = now
		}
		p.Sending = nil
		return true
	})
	return next, err
}

// Waiting is how many messages are not sent.
func (o Outbox) Waiting() (n int, err error) {
	err = o.change(func(p *post) bool {
		n = len(p.Waiting)
		if p.Sending != nil {
			n += len(p.Sending.Delivery.Messages)
		}
		return false
	})
	return n, err
}
