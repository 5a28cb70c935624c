package app

import (
	"bytes"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/secret"
	"github.com/belay-dev/belay/internal/session"
)

// maxLastOutput is how many bytes of an agent's output are searched for its last message.
const maxLastOutput = 64 << 10

// LastOutput is the output that a person should read before deciding on the last attempt, with
// secrets masked.
type LastOutput struct {
	Errors []belay.Finding // failing tests and linters, with their output as the detail
	Agent  string          // the agent's last message, or the end of its output if it prints no events
}

// LastOutput collects the output of the last attempt. Unreadable parts are left out, because a
// person can decide without them.
func (s *Service) LastOutput(r *session.Record) (said LastOutput) {
	if len(r.State.Attempts) == 0 {
		return said
	}
	last := r.State.Attempts[len(r.State.Attempts)-1]
	checks, _ := s.checksOf(last.Report)
	for _, c := range checks {
		for _, f := range c.Findings {
			if f.Detail != "" && (c.Check == "tests" || c.Check == "lint") {
				f.Detail = secret.Mask(f.Detail)
				said.Errors = append(said.Errors, f)
			}
		}
	}
	if last.Log == "" {
		return said
	}
	if output, err := s.Session.Journal.Attachment(last.Log); err == nil {
		text, stream := agent.FinalMessage(bytes.NewReader(output))
		if !stream {
			text = string(output[max(0, len(output)-maxLastOutput):])
		}
		said.Agent = secret.Mask(text)
	}
	return said
}
