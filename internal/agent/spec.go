package agent

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/fence"
	"github.com/belay-dev/belay/internal/fsroot"
)

// DefaultLimit is how many bytes of output are kept at each end by default.
const DefaultLimit = 1 << 20

// DefaultGrace is the default time from TERM to KILL. Tests change it.
var DefaultGrace = 5 * time.Second

// Spec is a command to run and the limits it runs under.
type Spec struct {
	Command   config.Command // its program is resolved by LookPath
	Dir       string         // working folder, absolute
	Env       []string       // the complete environment, KEY=value; see BuildEnviron
	Prompt    []byte         // passed on standard input and as the file $BELAY_PROMPT_FILE; if empty, standard input is /dev/null
	Timeout   time.Duration  // of the whole run; 0 is none
	Quiet     time.Duration  // end the run after no output for so long; 0 is never
	Grace     time.Duration  // from TERM to KILL; 0 is DefaultGrace
	HeadLimit int64          // bytes of output kept from the start; 0 is DefaultLimit
	TailLimit int64          // bytes of output kept from the end; 0 is DefaultLimit
	Label     string         // the run's name in messages
	Fence     *fence.Policy  // what it may write; nil for no fence
}

// specFile is spec.json. The command's words are base64 in it ([]byte in Go), because JSON strings
// silently replace bytes that are not UTF-8. The environment is left out, because it contains
// people's keys; the shim inherits it.
type specFile struct {
	Version int           `json:"version"`
	Token   string        `json:"token"` // value of $BELAY_RUN, which identifies leftover processes
	Argv    [][]byte      `json:"argv"`
	Dir     []byte        `json:"dir"`
	Timeout time.Duration `json:"timeout_ns,omitempty"`
	Quiet   time.Duration `json:"quiet_ns,omitempty"`
	Grace   time.Duration `json:"grace_ns"`
	Head    int64         `json:"head"`
	Tail    int64         `json:"tail"`
	Label   string        `json:"label,omitempty"`
	Fence   *fence.Policy `json:"fence,omitempty"`
}

const specVersion = 1

// markerName is the variable that every process of a run inherits.
const markerName = "BELAY_RUN"

// complete validates s and returns its form on disk, with a new token.
func (s Spec) complete() (specFile, error) {
	if err := s.check(); err != nil {
		return specFile{}, err
	}
	d := specFile{
		Version: specVersion, Token: rand.Text(), Dir: []byte(s.Dir), Timeout: s.Timeout,
		Quiet: s.Quiet, Grace: s.Grace, Head: s.HeadLimit, Tail: s.TailLimit, Label: s.Label, Fence: s.Fence,
	}
	for _, a := range s.Command.Argv() {
		d.Argv = append(d.Argv, []byte(a))
	}
	if d.Grace == 0 {
		d.Grace = DefaultGrace
	}
	if d.Head == 0 {
		d.Head = DefaultLimit
	}
	if d.Tail == 0 {
		d.Tail = DefaultLimit
	}
	return d, nil
}

func (s Spec) check() error {
	argv := s.Command.Argv()
	if len(argv) == 0 || argv[0] == "" {
		return belay.Refuse(belay.CodeUsage, "name the agent's command", "there is no command to run")
	}
	if !filepath.IsAbs(s.Dir) {
		return belay.Refuse(belay.CodeUsage, "give an absolute path", "%q is not a folder in which an agent can run", s.Dir)
	}
	if s.Timeout < 0 || s.Quiet < 0 || s.Grace < 0 || s.HeadLimit < 0 || s.TailLimit < 0 {
		return belay.Refuse(belay.CodeUsage, "use 0 for the default", "a limit of the agent's run is negative")
	}
	// The kernel ends a word at NUL: the rest would be lost silently.
	for _, words := range [][]string{argv, s.Env, {s.Dir}} {
		for _, w := range words {
			if strings.ContainsRune(w, 0) {
				return belay.Refuse(belay.CodeUsage, "remove it",
					"a NUL byte in the agent's command or environment: %s", belay.VisibleLine(w))
			}
		}
	}
	return nil
}

// environment returns the environment of the shim and of the agent.
func (s Spec) environment(runDir, token string) []string {
	env := make([]string, 0, len(s.Env)+3)
	for _, kv := range s.Env {
		switch name, _, _ := strings.Cut(kv, "="); name {
		case "PWD", "OLDPWD", markerName, promptName, roleName:
		default:
			env = append(env, kv)
		}
	}
	return append(env, "PWD="+s.Dir, markerName+"="+token, promptName+"="+filepath.Join(runDir, "prompt"))
}

const (
	promptName = "BELAY_PROMPT_FILE"
	roleName   = "BELAY_RUN_ROLE" // the guard's process ID, set for the shim only
)

// marker returns the entry in the environment of every process of the run.
func (d specFile) marker() string { return markerName + "=" + d.Token }

func (d specFile) argv() []string {
	words := make([]string, len(d.Argv))
	for i, w := range d.Argv {
		words[i] = string(w)
	}
	return words
}

// readSpec returns fs.ErrNotExist if the folder contains no run.
func readSpec(runDir string) (specFile, error) {
	var d specFile
	path := filepath.Join(runDir, "spec.json")
	data, err := fsroot.ReadFile(path, fsroot.MaxSmallFile)
	if err != nil {
		return d, err
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return d, fmt.Errorf("reading %s: %w", path, err)
	}
	if d.Version != specVersion || len(d.Argv) == 0 || d.Token == "" {
		return d, belay.Refuse(belay.CodeCannot, "use the version of belay that started it",
			"%s was not written by this version of belay", path)
	}
	return d, nil
}
