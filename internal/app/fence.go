package app

import (
	"context"
	"os"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/fence"
	"github.com/belay-dev/belay/internal/runner"
)

// FencePath is a path in a fence's rules and the reason for it.
type FencePath struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// FenceReport lists what an agent's fence allows in this working tree.
type FenceReport struct {
	Command   []string    `json:"command"`
	Fenced    bool        `json:"fenced"`
	Version   int         `json:"landlock"` // the kernel's Landlock ABI, 0 for none
	Notes     []string    `json:"notes"`
	Write     []FencePath `json:"write"`
	Append    []FencePath `json:"append"`
	Closed    []FencePath `json:"closed"`
	Sockets   []FencePath `json:"sockets"`
	Hidden    []FencePath `json:"hidden"`
	Ports     []uint16    `json:"ports"`
	NoNetwork bool        `json:"no_network"`
	Gaps      []string    `json:"gaps"`
}

// fenceGaps lists what the fence covers on no kernel; docs/fence.md has the reasons.
var fenceGaps = []string{"UDP, such as DNS", "datagrams to Unix sockets", "text written to your other terminals",
	"what belay itself runs: tests, linters, on_failure, notify.command"}

// ExplainFence returns what the fence of an agent's command allows in this working tree. It starts and writes nothing.
func (s *Service) ExplainFence(ctx context.Context, argv []string) (FenceReport, error) {
	if len(argv) == 0 {
		argv = s.Session.Config.Agent.Command
	}
	x := FenceReport{Command: argv, Version: fence.Version(), Notes: []string{}, Write: []FencePath{}, Append: []FencePath{},
		Closed: []FencePath{}, Sockets: []FencePath{}, Hidden: []FencePath{}, Ports: []uint16{}, Gaps: []string{}}
	if x.Command == nil {
		x.Command = []string{}
	}
	e, err := runner.NewFence(ctx, s.Session, runner.FenceRequest{Argv: argv, ShowOnly: true, Env: agent.BuildEnviron(os.Environ(),
		nil, nil)})
	if err != nil {
		return x, err
	}
	x.Notes = append(x.Notes, e.Notes...)
	if e.Policy == nil {
		return x, nil
	}
	if _, note := agent.WithoutSandbox(argv); note != "" {
		x.Notes = append(x.Notes, note)
	}
	if err := fence.Probe(); err != nil {
		x.Notes = append(x.Notes, "there is no fence on this system: "+err.Error()+"; this is what it would allow")
	}
	x.Fenced, x.NoNetwork = fence.Probe() == nil, e.Policy.Alone
	x.Gaps, x.Ports = append(append(x.Gaps, fence.Gaps()...), fenceGaps...), append(x.Ports, e.Policy.Ports...)
	for _, r := range e.Policy.Rules {
		p := FencePath{r.Path, r.Why}
		if r.Prefix {
			p.Path += "*"
		}
		switch r.Kind {
		case fence.Write, fence.Device:
			x.Write = append(x.Write, p)
		case fence.Append:
			x.Append = append(x.Append, p)
		case fence.Socket:
			x.Sockets = append(x.Sockets, p)
		case fence.Closed:
			x.Closed = append(x.Closed, p)
		}
	}
	for _, path := range e.Policy.Hide {
		x.Hidden = append(x.Hidden, FencePath{path, "fence.read: deny"})
	}
	return x, nil
}
