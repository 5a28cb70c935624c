package proc

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/testutil"
)

func TestLaunchRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, c := range map[string]struct {
		text string
		args []string
		why  error
		says string
	}{
		"no-program":     {"hello\n", nil, nil, "is not a program for this machine"},
		"no-interpreter": {"#!/no/such/sh\n", nil, ErrInterpreter, "interpreter"},
		"too-long":       {"#!/bin/sh\n", []string{strings.Repeat("x", 4<<20)}, nil, "too long"},
		"missing":        {"", nil, ErrMissing, "no such program"},
	} {
		path := filepath.Join(dir, name)
		if c.text != "" {
			if err := testutil.WriteProgram(path, []byte(c.text)); err != nil {
				t.Fatal(err)
			}
		}
		pid, err := Launch(append([]string{"./" + name}, c.args...), os.ProcAttr{Dir: dir}, nil)
		if pid != 0 || belay.CodeOf(err) != belay.CodeCannot || !strings.Contains(err.Error(), c.says) || c.why != nil && !errors.Is(err, c.why) {
			t.Errorf("%s: %d %v", name, pid, err)
		}
	}
}
