package task_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/converter"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
)

type converterValue = converter.EncodedValue

var (
	anyContext, anyAsk = mock.Anything, mock.Anything
	dataConverter      = converter.GetDefaultDataConverter()
)

// silent is a logger that prints nothing.
type silent struct{}

func (silent) Debug(string, ...any) {}
func (silent) Info(string, ...any)  {}
func (silent) Warn(string, ...any)  {}
func (silent) Error(string, ...any) {}

func TestRepositoryKey(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for remote, prefix := range map[string]string{
		"https://git.example.com/team/app.git": "app-", "https://git.example.com/other/app.git": "app-", "git@example.com:team/app.git": "app-",
		"/srv/git/app/": "app-", "file:///srv/a b'c\"d": "a-b-c-d-", "": "-", "https://git.example.com/" + strings.Repeat("x", 300): "xxx",
	} {
		key := task.RepositoryKey(remote)
		odd := strings.Trim(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
		if !strings.HasPrefix(key, prefix) || odd != "" || len(key) > 60 {
			t.Errorf("%s: %s", remote, key)
		}
		if was, twice := seen[key]; twice {
			t.Errorf("%s and %s are both %s", remote, was, key)
		}
		seen[key] = remote
	}
}

// SlimEvent and StateHash leave out long texts, and keep what the rules read.
func TestSlim(t *testing.T) {
	t.Parallel()
	f := belay.Finding{Check: "tests", Title: "TestAdd", Detail: "long", Recommendation: "more"}.Sign()
	e := loop.Event{Kind: loop.EvChecked, Findings: []belay.Finding{f}}
	slim := task.SlimEvent(e)
	if got := slim.Findings[0]; got.Detail != "" || got.Recommendation != "" || got.Signature != f.Signature || got.Title != f.Title {
		t.Errorf("%+v", got)
	}
	if e.Findings[0].Detail != "long" {
		t.Error("the event itself was changed")
	}
	sum := func(s loop.State) string {
		text, err := task.StateHash(s)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	whole := loop.State{Attempts: []loop.Attempt{{N: 1, Findings: e.Findings}}}
	if sum(whole) != sum(loop.State{Attempts: []loop.Attempt{{N: 1, Findings: slim.Findings}}}) {
		t.Error("the hash depends on long texts")
	}
	if sum(whole) == sum(loop.State{Attempts: []loop.Attempt{{N: 2, Findings: e.Findings}}}) {
		t.Error("two states have the same hash")
	}
	if whole.Attempts[0].Findings[0].Detail != "long" {
		t.Error("the state itself was changed")
	}
}
