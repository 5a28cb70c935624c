package said

import (
	"testing"

	"github.com/belay-dev/belay/internal/review/names"
	"github.com/belay-dev/belay/internal/review/spot"
)

var tracked = []string{"api/auth/token.go", "web/auth/token.go", "web/auth/session.go", "worker/token.go", "go.mod"}

func TestOne(t *testing.T) {
	cands := []string{"api/auth/token.go", "web/auth/token.go", "worker/token.go"}
	for name, c := range map[string]struct {
		before func(*Said)
		around Around
		want   string
	}{
		"nothing said":             {func(*Said) {}, Around{}, ""},
		"folder above":             {func(*Said) {}, Around{Dir: "api"}, "api/auth/token.go"},
		"folder of the finding":    {func(s *Said) { s.Turn(3, "worker") }, Around{Finding: 3}, "worker/token.go"},
		"folder of another":        {func(s *Said) { s.Turn(3, "worker") }, Around{Finding: 4}, ""},
		"file above":               {func(*Said) {}, Around{Topic: []string{"web/auth/token.go"}}, "web/auth/token.go"},
		"named in the finding":     {func(s *Said) { s.Path(2, cands[0]); s.Path(9, cands[1]) }, Around{Finding: 2, Findings: []int{2}}, cands[0]},
		"named anywhere":           {func(s *Said) { s.Path(9, cands[1]) }, Around{Finding: 2, Findings: []int{2}}, cands[1]},
		"two named":                {func(s *Said) { s.Path(9, cands[0]); s.Path(9, cands[1]) }, Around{}, ""},
		"named around the finding": {func(s *Said) { s.Path(1, cands[2]); s.Path(9, cands[1]) }, Around{Finding: 2, Findings: []int{2, 1}}, cands[2]},
	} {
		s := New(names.New(tracked))
		c.before(s)
		if got := s.One(cands, c.around); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestResolveAndSpell(t *testing.T) {
	s := New(names.New(tracked))
	short := &spot.Mention{Spelled: "token.go", Cands: []string{"api/auth/token.go", "web/auth/token.go", "worker/token.go"}}
	if got := s.Resolve(short, Around{Dir: "worker"}); got != "worker/token.go" {
		t.Errorf("in a folder: %q", got)
	}
	gone := &spot.Mention{Spelled: "keys.go", Fresh: true}
	if got := s.Spell(gone, Around{Dir: "web/auth"}); got != "web/auth/keys.go" {
		t.Errorf("untracked, in a folder: %q", got)
	}
	s.Note(0, &spot.Mention{Spelled: "api/keys.go", Fresh: true})
	if got := s.Spell(gone, Around{}); got != "api/keys.go" {
		t.Errorf("untracked, spelled in full elsewhere: %q", got)
	}
	s.Untracked("web/keys.go")
	if got := s.Spell(gone, Around{}); got != "keys.go" {
		t.Errorf("two full spellings explain nothing: %q", got)
	}
}
