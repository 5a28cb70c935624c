package review

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/proc"
)

// A claim is a file in belay's own folder and outlives the process that made it, because a
// review is the work of a person or of an agent that calls belay now and then. So a claim
// names the process that stands for the reviewer, by its id and start, its machine and
// the time.

// Claim is a review that somebody is at.
type Claim struct {
	Task     belay.TaskID `json:"task"`
	Reviewer string       `json:"reviewer"`
	Key      string       `json:"key,omitempty"` // what keeps it apart from others; "" is from nothing
	Process  proc.ID      `json:"process"`       // who stands for the reviewer; PID 0 is nobody
	Boot     string       `json:"boot,omitempty"`
	Host     string       `json:"host"`
	Since    time.Time    `json:"since"`
}

// String says who is at what, for people.
func (c Claim) String() string {
	who := c.Reviewer
	if who == "" {
		who = "somebody"
	}
	text := fmt.Sprintf("%s reviews %s", who, c.Task)
	if c.Process.PID != 0 {
		return text + fmt.Sprintf(" (process %d on %s, since %s)", c.Process.PID, c.Host, c.Since.Local().Format("2006-01-02 15:04:05"))
	}
	return text + fmt.Sprintf(" (on %s, since %s)", c.Host, c.Since.Local().Format("2006-01-02 15:04:05"))
}

// ClaimBook is where the claims of one working tree lie. Stale is after how long one counts as
// given up whose process cannot be looked at: it is of another machine, or names none; 0
// is never.
type ClaimBook struct {
	Dir   string
	Stale time.Duration

	// An environment variable with a value of its own for each review keeps them apart;
	// "" has one review at a time.
	Variable, Value string

	// Tests say who and when they are.
	Now  func() time.Time
	Host string
	Boot string
	Live func(proc.ID) bool
}

// OpenClaims returns the book in a folder, which need not exist yet.
func OpenClaims(dir string, stale time.Duration) ClaimBook {
	host, _ := os.Hostname()
	return ClaimBook{Dir: dir, Stale: stale, Now: time.Now, Host: host, Boot: proc.BootID(), Live: func(id proc.ID) bool {
		now, err := proc.Identify(id.PID)
		return err == nil && now == id
	}}
}

// ForVariable is the book with a variable that keeps reviews apart.
func (b ClaimBook) ForVariable(variable, value string) ClaimBook {
	b.Variable, b.Value = variable, value
	return b
}

// KeyAndEnv is what keeps a reviewer of a task apart from others: the claim's key, and KEY=value
// for the reviewer's environment. Both are empty where nothing does.
func (b ClaimBook) KeyAndEnv(reviewer string, task belay.TaskID) (key string, env []string) {
	if b.Variable == "" {
		return "", nil
	}
	key = FillPattern(b.Value, reviewer, task)
	return key, []string{b.Variable + "=" + key}
}

// Claim claims the reviews that this process asks reviewers for, one for all of them or,
// where they are kept apart, one for each.
func (b ClaimBook) Claim(task belay.TaskID, reviewers []string) (release func(), err error) {
	self, _ := proc.Identify(os.Getpid()) // without it the claim's age decides
	if b.Variable == "" {
		reviewers = []string{strings.Join(reviewers, ", ")}
	}
	var held []string
	release = func() {
		for _, name := range held {
			_, _ = b.EndClaims(task, name) // left behind, it ends with this process
		}
	}
	for _, name := range reviewers {
		key, _ := b.KeyAndEnv(name, task)
		if _, err := b.BeginClaim(Claim{Task: task, Reviewer: name, Key: key, Process: self}); err != nil {
			release()
			return nil, err
		}
		held = append(held, name)
	}
	return release, nil
}

// BeginClaim claims a review. CodeBusy says who holds it where another keeps it from being
// begun: one with the same key, or where either has none. The same reviewer of the same
// task claims it again.
func (b ClaimBook) BeginClaim(c Claim) (Claim, error) {
	c.Host, c.Boot, c.Since = b.Host, b.Boot, b.Now().UTC().Truncate(time.Second)
	unlock, err := b.lock()
	if err != nil {
		return c, err
	}
	defer unlock()
	all, err := b.read()
	if err != nil {
		return c, err
	}
	kept := all[:0]
	for _, other := range all {
		same := other.Task.Key() == c.Task.Key() && other.Reviewer == c.Reviewer
		switch {
		case same || b.expired(other):
		case other.Key == c.Key || other.Key == "" || c.Key == "":
			return c, belay.Refuse(belay.CodeBusy,
				fmt.Sprintf("wait for it; if it was abandoned: belay review end %s --reviewer %q", other.Task, other.Reviewer),
				"one review at a time: %s", other)
		default:
			kept = append(kept, other)
		}
	}
	return c, b.write(append(kept, c))
}

// EndClaims takes claims of a task away: those of one reviewer, or with "" all of them. It gives
// how many there were.
func (b ClaimBook) EndClaims(task belay.TaskID, reviewer string) (int, error) {
	if _, err := fsroot.Lstat(b.file()); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	unlock, err := b.lock()
	if err != nil {
		return 0, err
	}
	defer unlock()
	all, err := b.read()
	if err != nil {
		return 0, err
	}
	kept := slices.DeleteFunc(slices.Clone(all), func(c Claim) bool {
		return c.Task.Key() == task.Key() && (reviewer == "" || c.Reviewer == reviewer)
	})
	if len(kept) == len(all) {
		return 0, nil
	}
	return len(all) - len(kept), b.write(kept)
}

// List returns the reviews that are under way.
func (b ClaimBook) List() ([]Claim, error) {
	all, err := b.read()
	return slices.DeleteFunc(all, b.expired), err
}

// expired reports whether a claim counts no more. On this machine its process decides, by its
// start and the machine's, so that a number used again keeps nobody out; on another one,
// and where no process stands for the reviewer, its age does; a clock that was far ahead
// keeps nobody out either.
func (b ClaimBook) expired(c Claim) bool {
	if c.Host == b.Host && c.Process.PID != 0 {
		return c.Boot != b.Boot || !b.Live(c.Process)
	}
	return b.Stale > 0 && b.Now().Sub(c.Since).Abs() > b.Stale
}

func (b ClaimBook) file() string { return filepath.Join(b.Dir, "reviews.json") }

// lock is held for the moment of a change, never for a review.
func (b ClaimBook) lock() (func(), error) {
	if err := fsroot.MkdirAll(b.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make %s: %w", b.Dir, err)
	}
	l := fsroot.NewLock(filepath.Join(b.Dir, "reviews.lock"))
	if err := l.Lock(); err != nil {
		return nil, fmt.Errorf("lock the reviews: %w", err)
	}
	return func() { _ = l.Unlock() }, nil
}

type claimsFile struct {
	V      int     `json:"v"`
	Claims []Claim `json:"claims"`
}

// read returns all claims. What cannot be read claims nothing: it is never the record.
func (b ClaimBook) read() ([]Claim, error) {
	text, err := fsroot.ReadFile(b.file(), fsroot.MaxSmallFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read who reviews: %w", err)
	}
	var p claimsFile
	if json.Unmarshal(text, &p) != nil || p.V != 1 {
		return nil, nil
	}
	return p.Claims, nil
}

func (b ClaimBook) write(list []Claim) error {
	text, err := json.Marshal(claimsFile{1, list})
	if err != nil {
		return err
	}
	if err := fsroot.AtomicWrite(b.file(), fsroot.AtomicOptions{}, text); err != nil {
		return fmt.Errorf("write who reviews: %w", err)
	}
	return nil
}

// shells are programs that come and go for a command of somebody else's.
var shells = []string{"sh", "bash", "dash", "zsh", "fish", "ksh", "ash", "busybox", "env", "timeout", "nice", "sudo",
	"xargs", "time", "make"}

// Claimant returns the process that stands for whoever runs this one: its nearest ancestor
// that is no shell, since an agent's shell ends with the command. Without one it is
// nobody, and the claim's age decides.
func Claimant(pid int) proc.ID {
	all, err := proc.List()
	if err != nil {
		return proc.ID{}
	}
	by := map[int]proc.Process{}
	for _, p := range all {
		by[p.PID] = p
	}
	at := by[pid].PPID
	for range len(all) {
		p, ok := by[at]
		if !ok || at <= 1 {
			return proc.ID{}
		}
		if !slices.Contains(shells, strings.TrimPrefix(filepath.Base(p.Name), "-")) {
			return p.ID
		}
		at = p.PPID
	}
	return proc.ID{}
}

// FillPattern makes the value that keeps a review apart, with {agent} and {task} filled in.
func FillPattern(pattern, agent string, task belay.TaskID) string {
	plain := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && isWordByte(byte(r)) || r == '-' || r == '.' {
			return r
		}
		return '_'
	}, agent)
	return strings.NewReplacer("{agent}", plain, "{task}", string(task)).Replace(pattern)
}
