package review

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/proc"
)

// book returns the claims on a machine where only process 7, started at "a", is alive.
func book(t *testing.T) *ClaimBook {
	t.Helper()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return &ClaimBook{Dir: filepath.Join(t.TempDir(), "belay"), Stale: time.Hour, Host: "here", Boot: "b1",
		Now: func() time.Time { return now }, Live: func(id proc.ID) bool { return id == proc.ID{PID: 7, Start: "a"} }}
}

func held(by, key string) Claim {
	return Claim{Task: "T1", Reviewer: by, Key: key, Process: proc.ID{PID: 7, Start: "a"}}
}

func TestOneAtATime(t *testing.T) {
	t.Parallel()
	b := book(t)
	if _, err := b.BeginClaim(held("ana", "")); err != nil {
		t.Fatal(err)
	}
	_, err := b.BeginClaim(Claim{Task: "T2", Reviewer: "bo"})
	if belay.CodeOf(err) != belay.CodeBusy || !strings.Contains(err.Error(), "ana reviews T1 (process 7 on here, since 2026-01-02") {
		t.Errorf("%v", err)
	}
	if _, err := b.BeginClaim(held("ana", "")); err != nil {
		t.Errorf("her own: %v", err)
	}
	if n, err := b.EndClaims("t1", "bo"); n != 0 || err != nil {
		t.Error(n, err)
	}
	if n, err := b.EndClaims("t1", ""); n != 1 || err != nil {
		t.Error(n, err)
	}
	if _, err := b.BeginClaim(Claim{Task: "T2", Reviewer: "bo"}); err != nil {
		t.Error(err)
	}
}

func TestGone(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*Claim)
		later  time.Duration
		gone   bool
	}{
		"alive, however long":     {func(*Claim) {}, 100 * time.Hour, false},
		"its process ended":       {func(c *Claim) { c.Process.PID = 8 }, 0, true},
		"its number used again":   {func(c *Claim) { c.Process.Start = "z" }, 0, true},
		"before a reboot":         {func(c *Claim) { c.Boot = "b0" }, 0, true},
		"another machine":         {func(c *Claim) { c.Host, c.Process.PID = "there", 8 }, time.Minute, false},
		"another machine, and so": {func(c *Claim) { c.Host = "there" }, 2 * time.Hour, true},
		"nobody stands for it":    {func(c *Claim) { c.Process = proc.ID{} }, time.Minute, false},
		"another clock, ahead":    {func(c *Claim) { c.Host = "there" }, -2 * time.Hour, true},
		"another clock, a little": {func(c *Claim) { c.Host = "there" }, -2 * time.Minute, false},
		"nobody, and long ago":    {func(c *Claim) { c.Process = proc.ID{} }, 2 * time.Hour, true},
	} {
		b := book(t)
		c, err := b.BeginClaim(held("ana", ""))
		if err != nil {
			t.Fatal(err)
		}
		tt.change(&c)
		if err := b.write([]Claim{c}); err != nil {
			t.Fatal(err)
		}
		now := b.Now().Add(tt.later)
		b.Now = func() time.Time { return now }
		_, err = b.BeginClaim(Claim{Task: "T2", Reviewer: "bo"})
		if (err == nil) != tt.gone {
			t.Errorf("%s: %v", name, err)
		}
		list, err := b.List()
		if err != nil || len(list) != 1 || (list[0].Reviewer == "bo") != tt.gone {
			t.Errorf("%s: %v %v", name, list, err)
		}
	}
	b := book(t)
	b.Stale = 0
	now := b.Now().Add(1000 * time.Hour)
	if b.Now = func() time.Time { return now }; b.expired(Claim{Host: "there"}) {
		t.Error("it is never given up, and was")
	}
}

func TestKeptApart(t *testing.T) {
	t.Parallel()
	b := book(t)
	for _, by := range []string{"ana", "bo"} {
		if _, err := b.BeginClaim(held(by, FillPattern("db_{agent}_{task}", by, "T1"))); err != nil {
			t.Fatal(by, err)
		}
	}
	if _, err := b.BeginClaim(Claim{Task: "T9", Reviewer: "cy", Key: "db_ana_T1"}); belay.CodeOf(err) != belay.CodeBusy {
		t.Error("the same key", err)
	}
	if _, err := b.BeginClaim(Claim{Task: "T9", Reviewer: "cy"}); belay.CodeOf(err) != belay.CodeBusy {
		t.Error("no key", err)
	}
	if list, err := b.List(); err != nil || len(list) != 2 {
		t.Error(list, err)
	}
	if got := FillPattern("x_{agent}_{task}", "a b/../$(c)", "T1"); got != "x_a_b_..___c__T1" {
		t.Error(got)
	}
}

func TestHold(t *testing.T) {
	t.Parallel()
	b := *book(t)
	b.Live = func(proc.ID) bool { return true }
	release, err := b.Claim("T1", []string{"spec", "quality"})
	if err != nil {
		t.Fatal(err)
	}
	if list, _ := b.List(); len(list) != 1 || list[0].Reviewer != "spec, quality" {
		t.Errorf("%+v", list)
	}
	if _, err := b.Claim("T2", []string{"spec"}); belay.CodeOf(err) != belay.CodeBusy {
		t.Error(err)
	}
	release()
	b = b.ForVariable("DB", "db_{agent}_{task}")
	if release, err = b.Claim("T1", []string{"spec", "quality"}); err != nil {
		t.Fatal(err)
	}
	if key, env := b.KeyAndEnv("spec", "T1"); key != "db_spec_T1" || len(env) != 1 || env[0] != "DB=db_spec_T1" {
		t.Error(key, env)
	}
	if list, _ := b.List(); len(list) != 2 {
		t.Errorf("%+v", list)
	}
	if _, err := b.Claim("T1", []string{"new", "quality", "quality"}); err != nil {
		t.Error("her own again:", err)
	}
	if _, err := b.BeginClaim(Claim{Task: "T2", Reviewer: "x", Key: "db_new_T1"}); belay.CodeOf(err) != belay.CodeBusy {
		t.Error(err)
	}
	release()
	if list, _ := b.List(); len(list) != 1 || list[0].Reviewer != "new" {
		t.Errorf("%+v", list)
	}
}

// TestManyAtOnce: of simultaneous claims one succeeds.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	b := book(t)
	var got atomic.Int32
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			_, err := b.BeginClaim(held(fmt.Sprint("r", i), ""))
			if err == nil {
				got.Add(1)
			} else if belay.CodeOf(err) != belay.CodeBusy {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got.Load() != 1 {
		t.Errorf("%d got it", got.Load())
	}
}

func TestRubbishClaimsNothing(t *testing.T) {
	t.Parallel()
	b := book(t)
	if n, err := b.EndClaims("T1", ""); n != 0 || err != nil {
		t.Error(n, err)
	}
	if err := os.MkdirAll(b.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "{", `{"v":2,"claims":[{}]}`, "\x00"} {
		if err := os.WriteFile(b.file(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if list, err := b.List(); err != nil || len(list) != 0 {
			t.Errorf("%q: %v %v", text, list, err)
		}
	}
	if _, err := b.BeginClaim(held("ana", "")); err != nil {
		t.Error(err)
	}
}

// TestHolder: a claimant is not the process itself, and a claim of a process that is alive counts.
func TestHolder(t *testing.T) {
	t.Parallel()
	id := Claimant(os.Getpid())
	if id.PID == os.Getpid() {
		t.Error("the process is its own claimant")
	}
	b := OpenClaims(t.TempDir(), time.Hour)
	me, err := proc.Identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.BeginClaim(Claim{Task: "T1", Reviewer: "ana", Process: me}); err != nil {
		t.Fatal(err)
	}
	if list, err := b.List(); err != nil || len(list) != 1 || list[0].Host == "" {
		t.Errorf("%v %v", list, err)
	}
	if Claimant(-1) != (proc.ID{}) {
		t.Error("a claimant without a process")
	}
}
