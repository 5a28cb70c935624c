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

// A claim is a file in belay's own folder that outlives the process that made it, because the
// reviewer may be a person, or an agent that calls belay now and then. So a claim names the process
// that acts for the reviewer, by its ID and start time, its machine and the time.

// Claim is a review in progress.
type Claim struct {
	Task     belay.TaskID `json:"task"`
	Reviewer string       `json:"reviewer"`
	Key      string       `json:"key,omitempty"` // allows parallel reviews with different keys; "" allows none
	Process  proc.ID      `json:"process"`       // the process that acts for the reviewer; PID 0 for none
	Boot     string       `json:"boot,omitempty"`
	Host     string       `json:"host"`
	Since    time.Time    `json:"since"`
}

// String describes the claim for people.
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

// ClaimBook has the claims of one working tree. Stale is the time after which a claim expires if
// its process cannot be checked, because it is on another machine or there is none; 0 is never.
type ClaimBook struct {
	Dir   string
	Stale time.Duration

	// An environment variable with a different value for each review allows parallel reviews; ""
	// allows one at a time.
	Variable, Value string

	// Tests replace these.
	Now  func() time.Time
	Host string
	Boot string
	Live func(proc.ID) bool
}

// OpenClaims returns the claims in a folder, which need not exist yet.
func OpenClaims(dir string, stale time.Duration) ClaimBook {
	host, _ := os.Hostname()
	return ClaimBook{Dir: dir, Stale: stale, Now: time.Now, Host: host, Boot: proc.BootID(), Live: func(id proc.ID) bool {
		now, err := proc.Identify(id.PID)
		return err == nil && now == id
	}}
}

// ForVariable returns the ClaimBook with a variable that allows parallel reviews.
func (b ClaimBook) ForVariable(variable, value string) ClaimBook {
	b.Variable, b.Value = variable, value
	return b
}

// KeyAndEnv returns the key of a reviewer's claim, and KEY=value for the reviewer's environment.
// Both are empty without a variable.
func (b ClaimBook) KeyAndEnv(reviewer string, task belay.TaskID) (key string, env []string) {
	if b.Variable == "" {
		return "", nil
	}
	key = FillPattern(b.Value, reviewer, task)
	return key, []string{b.Variable + "=" + key}
}

// Claim claims the reviews that this process asks for: one claim for all reviewers, or one for each
// if they may run in parallel.
func (b ClaimBook) Claim(task belay.TaskID, reviewers []string) (release func(), err error) {
	self, _ := proc.Identify(os.Getpid()) // without it the claim expires by age
	if b.Variable == "" {
		reviewers = []string{strings.Join(reviewers, ", ")}
	}
	var held []string
	release = func() {
		for _, name := range held {
			_, _ = b.EndClaims(task, name) // on failure it expires with this process
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

// BeginClaim claims a review. CodeBusy names the claim that prevents it: one with the same key, or
// any if one of the two has no key. A claim of the same reviewer for the same task is replaced.
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

// EndClaims removes the claims of one reviewer of a task, or all with "". It returns how many it
// removed.
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

// List returns the reviews in progress.
func (b ClaimBook) List() ([]Claim, error) {
	all, err := b.read()
	return slices.DeleteFunc(all, b.expired), err
}

// expired reports whether a claim no longer counts. On this machine its process decides, identified
// by its start and the boot, because process IDs are reused. On another machine, or without a
// process, its age decides, in either direction, because a clock may have been ahead.
func (b ClaimBook) expired(c Claim) bool {
	if c.Host == b.Host && c.Process.PID != 0 {
		return c.Boot != b.Boot || !b.Live(c.Process)
	}
	return b.Stale > 0 && b.Now().Sub(c.Since).Abs() > b.Stale
}

func (b ClaimBook) file() string { return filepath.Join(b.Dir, "reviews.json") }

// lock locks the claims for one change, never for a review.
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

// read returns all claims; none if the file is invalid, because it is not a record.
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

// shells are programs that end with the command that they run.
var shells = []string{"sh", "bash", "dash", "zsh", "fish", "ksh", "ash", "busybox", "env", "timeout", "nice", "sudo",
	"xargs", "time", "make"}

// Claimant returns the process that acts for whoever runs process pid: its nearest ancestor that is
// not a shell, because an agent's shell ends with the command. If there is none it is zero, and the
// claim expires by age.
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

// FillPattern returns a claim's key, with {agent} and {task} filled in.
func FillPattern(pattern, agent string, task belay.TaskID) string {
	plain := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && isWordByte(byte(r)) || r == '-' || r == '.' {
			return r
		}
		return '_'
	}, agent)
	return strings.NewReplacer("{agent}", plain, "{task}", string(task)).Replace(pattern)
}
