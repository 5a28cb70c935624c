package app_test

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestAgentFrom: a typed path of an agent means what it means to a shell there, and a program of the repository is taken from the
// worktree of the task.
func TestAgentFrom(t *testing.T) {
	t.Parallel()
	root, _ := project(t, "")
	s := open(t, root)
	for _, c := range []struct{ dir, program, want string }{
		{".", "agent", "agent"},
		{".", "./agent.sh", "./agent.sh"},
		{".", "../agent.sh", filepath.Join(filepath.Dir(root), "agent.sh")},
		{"sub", "./agent.sh", "./sub/agent.sh"},
		{"sub", "../agent.sh", "./agent.sh"},
		{"sub", "/bin/agent", "/bin/agent"},
	} {
		got := s.AgentFrom(filepath.Join(root, c.dir), []string{c.program, "./x"})
		if !slices.Equal(got, []string{c.want, "./x"}) {
			t.Errorf("%s in %s: %v, want %s", c.program, c.dir, got, c.want)
		}
	}
}
