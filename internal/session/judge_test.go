package session

import (
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/check"
	"github.com/belay-dev/belay/internal/config"
)

// TestEveryCheckCanBeSkipped holds the config's list of names to the checks there are.
func TestEveryCheckCanBeSkipped(t *testing.T) {
	t.Parallel()
	names := append(check.Names(), "context", "plan") // the two that a run adds
	if _, err := config.Parse("", []byte("checks: {skip: ["+strings.Join(names, ", ")+"]}")); err != nil {
		t.Error(err)
	}
}
