package session

import (
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/check"
	"github.com/belay-dev/belay/internal/config"
)

// TestEveryCheckCanBeSkipped compares the config's list of names with the existing checks.
func TestEveryCheckCanBeSkipped(t *testing.T) {
	t.Parallel()
	names := append(check.Names(), "context", "plan") // the two that only a run adds
	if _, err := config.Parse("", []byte("checks: {skip: ["+strings.Join(names, ", ")+"]}")); err != nil {
		t.Error(err)
	}
}
