package flow

import (
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
)

// trusted refuses to run commands that only the repository's own config names until
// the user has trusted that block of commands, by its hash. A cloned repository must
// not choose what runs on somebody's machine. Commands given as flags, and test
// commands detected by the toolchain's own files, need no trust.
func (d *Desk) trusted(t belay.Task, now bool) error {
	if !d.runsFromFile(t) {
		return nil
	}
	block, hash := config.Commands(d.Config)
	if now {
		return d.trust.Add(d.Repo.Common, hash, string(block))
	}
	ok, err := d.trust.Trusted(d.Repo.Common, hash)
	if err != nil || ok {
		return err
	}
	return belay.Refuse(belay.CodeCannot, "read them with belay trust --show, then belay trust (or --trust in a script)",
		"the commands in .belay/config.yaml are not trusted yet on this machine")
}

// runsFromFile reports whether any command of the task comes from the config file.
func (d *Desk) runsFromFile(t belay.Task) bool {
	if t.Checks.Tests.Set() && t.Checks.Tests.From == "config" {
		return true
	}
	for _, s := range d.Config.Settings() {
		fromFile := s.Source != "default" && s.Source != "flag" && s.Source != "env"
		if !fromFile {
			continue
		}
		if strings.HasPrefix(s.Key, "reviewers.") || strings.HasPrefix(s.Key, "linters.") {
			return true
		}
		switch s.Key {
		case "agent.command":
			if sameCommand(t.Agent, d.Config.Agent.Command) {
				return true
			}
		case "debugger.command", "on_failure":
			return true
		}
	}
	return false
}

func sameCommand(a, b []string) bool {
	return strings.Join(a, "\x00") == strings.Join(b, "\x00")
}

// TrustState is the block of commands in the config and whether it may run.
type TrustState struct {
	Block   string `json:"block"`
	Hash    string `json:"hash"`
	Trusted bool   `json:"trusted"`
}

// Trust shows the config's commands and, when add is set, trusts them.
func (d *Desk) Trust(add, remove bool) (TrustState, error) {
	block, hash := config.Commands(d.Config)
	st := TrustState{Block: string(block), Hash: hash}
	if hash == "" {
		return st, nil
	}
	var err error
	switch {
	case add:
		err = d.trust.Add(d.Repo.Common, hash, st.Block)
	case remove:
		err = d.trust.Remove(d.Repo.Common, hash)
	}
	if err != nil {
		return st, err
	}
	st.Trusted, err = d.trust.Trusted(d.Repo.Common, hash)
	return st, err
}
