package app

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

// TestFleetProgram finds belay-fleet on PATH, and not in the current folder.
func TestFleetProgram(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("PATH", ".")
	if path, err := FleetProgram(); belay.CodeOf(err) != belay.CodeCannot {
		t.Errorf("without one: %q, %v", path, err)
	}
	program := filepath.Join(dir, "belay-fleet")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if path, err := FleetProgram(); belay.CodeOf(err) != belay.CodeCannot {
		t.Errorf("in the current folder: %q, %v", path, err)
	}
	t.Setenv("PATH", dir)
	if path, err := FleetProgram(); err != nil || path != program {
		t.Errorf("on PATH: %q, %v", path, err)
	}
}
