package main

import (
	"context"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

// A schedule takes the arguments of submit for one task, except an ID and a commit.
func TestScheduledArgs(t *testing.T) {
	t.Parallel()
	more := []string{"--remote", "https://git.example.com/app.git", "--branch", "main"}
	in, err := parseScheduled(context.Background(), append([]string{"update it", "--files", "go.*", "--retries", "2"},
		append(more, "--", "sh", "-c", "true")...))
	if err != nil {
		t.Fatal(err)
	}
	if in.Prose != "update it" || in.ID != "" || in.Base != "" || strings.Join(in.Agent, " ") != "sh -c true" || len(in.Settings) != 2 ||
		in.Branch != "main" {
		t.Errorf("%+v", in)
	}
	for _, args := range [][]string{
		{"update it", "--task", "T1", "--", "sh"}, {"update it", "--base", "4f1c", "--", "sh"}, {"update it"}, {"--feature", "x", "--", "sh"},
		{"update it", "--what", "--", "sh"}, {"one", "two", "--", "sh"},
	} {
		if _, err := parseScheduled(context.Background(), append(more, args...)); belay.CodeOf(err) != belay.CodeUsage {
			t.Errorf("%v: %v", args, err)
		}
	}
}
