//go:build !portable && (amd64 || arm64)

package proc

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/fence"
)

// TestFence: a program in a fence, and its children in their own sessions, can write only where the
// fence allows it, even in a folder that no mount can close; it does not see the variable with its
// fence.
func TestFence(t *testing.T) {
	if err := fence.Probe(); err != nil {
		t.Skip(err)
	}
	open, closed := t.TempDir(), t.TempDir()
	policy := &fence.Policy{Rules: append(fence.System(), fence.Rule{Path: open, Kind: fence.Write})}
	var out bytes.Buffer
	end := Program{
		Command: config.TypedCommand([]string{"sh", "-c",
			`echo in > in; echo evil > "$CLOSED/f"; setsid sh -c 'echo evil > "$CLOSED/g"'; env | grep CHECK_FENCE; exit 7`}),
		Dir: open, Env: append(os.Environ(), "CLOSED="+closed), Stdout: &out, ReadOnly: []string{closed}, Fence: policy,
	}.Run(t.Context())
	if end.Code != 7 || end.Failed != nil || end.Writable {
		t.Errorf("ended %+v: %s", end, out.String())
	}
	if text, err := os.ReadFile(filepath.Join(open, "in")); string(text) != "in\n" {
		t.Errorf("it could not work: %q, %v", text, err)
	}
	if list, _ := os.ReadDir(closed); len(list) > 0 || strings.Contains(out.String(), "CHECK_FENCE") {
		t.Errorf("%v, %s", list, out.String())
	}
}
