package app

import (
	"os"
	"os/exec"
	"path/filepath"

	"github.com/belay-dev/belay/internal/belay"
)

// FleetProgram finds belay-fleet: beside this program, or on PATH. CodeCannot when it is not installed.
func FleetProgram() (string, error) {
	const name = "belay-fleet"
	if self, err := os.Executable(); err == nil {
		if self, err = filepath.EvalSymlinks(self); err == nil {
			if beside, err := exec.LookPath(filepath.Join(filepath.Dir(self), name)); err == nil {
				return beside, nil
			}
		}
	}
	path, err := exec.LookPath(name) // LookPath fails for one that PATH finds in the current folder
	if err != nil {
		return "", &belay.Error{Code: belay.CodeCannot, What: name + " is not installed", Err: err,
			Try: "make fleet, and put bin/" + name + " beside belay or on PATH (docs/fleet.md)"}
	}
	return path, nil
}
