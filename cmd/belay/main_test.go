package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/fence"
)

func TestMain(m *testing.M) {
	// Stories mostly wait for processes and disks. -parallel on the command line is parsed later,
	// and wins.
	if err := flag.Set("test.parallel", strconv.Itoa(3*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	testscript.Main(totalled{m}, map[string]func(){
		"belay":  func() { installCrash(); hurryGit(); longGrace(); app.Slack = patience; os.Exit(Main()) },
		"agent":  func() { os.Exit(scriptedAgent()) },
		"gh":     func() { os.Exit(loggedInGH()) },
		"server": serveTask,
	})
}

// TestStories runs the scripts of testdata/script with the real binary and the real git. Each shows
// one feature; they are examples for readers.
func TestStories(t *testing.T) {
	t.Parallel()
	testscript.Run(t, stories("testdata/script"))
}

// stories are the scripts of a folder, with their own home and their common commands.
func stories(dir string) testscript.Params {
	return testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: false,
		RequireUniqueNames:  true,
		Condition: func(cond string) (bool, error) {
			if cond == "fence" {
				return fence.Probe() == nil, nil
			}
			return false, fmt.Errorf("no condition %s", cond)
		},
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, ".home")
			if err := os.MkdirAll(home, 0o755); err != nil {
				return err
			}
			for k, v := range map[string]string{
				"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, ".config"), "GIT_CONFIG_NOSYSTEM": "1",
				"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com",
				"NO_COLOR": "1", "USER": "tester", "GOCACHE": goCache(), "GOFLAGS": "-buildvcs=false -vet=off -ldflags=-s", "GOPATH": os.Getenv("GOPATH"),
				"GOMODCACHE": os.Getenv("GOMODCACHE"),
				// The agents of most stories write beside the repository. Stories about the fence
				// set this to auto.
				"BELAY_FENCE": "off",
			} {
				e.Setenv(k, v)
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"repo":    cmdRepo,
			"id":      cmdID,
			"same":    cmdSame,
			"appears": cmdAppears,
			"noproc":  cmdNoProc,
			"code":    cmdCode,
			"killall": cmdKillAll,
			"killat":  cmdKillAt,
		},
	}
}

func goCache() string {
	if c := os.Getenv("GOCACHE"); c != "" {
		return c
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "go-build")
}

// scriptedAgent carries out the lines for this attempt in the file $SCRIPT: blocks headed "== N =="
// (N an attempt, or * for any other) of lines "write PATH TEXT", "append PATH TEXT", "rm PATH",
// "say TEXT", "sh COMMAND", "exit CODE", "prompt PATH".
func scriptedAgent() int {
	text, err := os.ReadFile(os.Getenv("SCRIPT"))
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		return 2
	}
	return play(block(string(text), os.Getenv("BELAY_ATTEMPT")))
}

func block(text, attempt string) []string {
	var lines, any []string
	at := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if head, ok := strings.CutPrefix(line, "== "); ok {
			at = strings.TrimSuffix(head, " ==")
			continue
		}
		switch at {
		case attempt:
			lines = append(lines, line)
		case "*":
			any = append(any, line)
		}
	}
	if lines == nil {
		return any
	}
	return lines
}
