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

// Outbox stores waiting and sent messages in a folder. Several processes may share it. After a kill
// between sending and recording that, the same delivery is sent again, with the same ID and bytes.
type Outbox struct {
	Dir   string
	Quiet Quiet
	Eager bool                    // retry a failed delivery without waiting
	Now   func() time.Time        // nil is time.Now
	Step  func(name string) error // called between steps, for tests that inject faults
}

const (
	outboxFile = "outbox.json"
	remembered = 30 * 24 * time.Hour // how long a sent message is remembered after its gate was last seen
	givenUp    = 7 * 24 * time.Hour  // after this time a delivery that is not accepted is dropped
	mostWait   = 15 * time.Minute    // between two tries
	busyWait   = 2 * time.Second     // until the next try while another process is sending
)

// post is the content of the outbox's file.
type post struct {
	Version int                  `json:"version"`
	Waiting []waiting            `json:"waiting,omitempty"`
	Sending *sending             `json:"sending,omitempty"`
	Sent    map[string]time.Time `json:"sent,omitempty"` // when the gate was last seen, by message ID
}

type waiting struct {
	Message
	Quiet bool `json:"quiet,omitempty"` // it was added in quiet hours
}

// sending is a started delivery: it is repeated unchanged until it is accepted.
type sending struct {
	Delivery Delivery  `json:"delivery"`
	Tries    int       `json:"tries"`
	Next     time.Time `json:"next,omitzero"` // not before
}

// Send sends a delivery. tries counts its earlier failures.
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

// change reads the outbox, calls do, and writes it if do returns true. An unreadable file is an
// error, because it records what was sent.
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

// Add adds a message, and reports whether it did: not if the outbox has, or had, a message with the
// same ID.
func (o Outbox) Add(m Message) (added bool, err error) {
	now := o.now()
	err = o.change(func(p *post) bool {
		if seen, ok := p.Sent[m.ID]; ok { // refresh the time while the gate is open, but not with a write for each call
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

// Flush sends waiting messages, one delivery after the other, until one fails, quiet hours begin or
// ctx ends. Messages of quiet hours become one delivery; those for which open returns false are
// dropped for good. next is when to call Flush again; zero if nothing waits.
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

// begin returns the delivery to send; nil if nothing waits. If next is not zero, it must wait until
// then.
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

// choose prepares the next delivery: all messages of quiet hours, or the first message. It drops
// those of gates that are no longer open.
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

// ended records the result of the delivery. next is when to retry it.
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

// Waiting counts the messages that are not sent.
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
