package mcp

import (
	"crypto/rand"
	"crypto/sha256"
	"slices"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/belay-dev/belay/internal/belay"
)

// A question for a person goes to the client, not to the model. The tool's result asks for input;
// the client shows a form, and calls the tool again with the person's answer and the state it got.
// An answer counts once, only for what was asked, and only with a state that this server created.
// So a model cannot answer through a tool's arguments.

const (
	questionName     = "person"         // the question's name in a request
	maxQuestions     = 64               // open questions; if there are more, the oldest is dropped
	questionLifetime = 15 * time.Minute // how long an answer is accepted
)

// questions are the open questions.
type questions struct {
	mu   sync.Mutex
	open []question
}

type question struct {
	state   string
	about   [sha256.Size]byte
	expires time.Time
}

// ask adds a question about something and returns its state.
func (q *questions) ask(about string) string {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.open) == maxQuestions {
		q.open = q.open[1:]
	}
	one := question{rand.Text(), sha256.Sum256([]byte(about)), time.Now().Add(questionLifetime)}
	q.open = append(q.open, one)
	return one.state
}

// remove removes a question. known: the question is open; same: it is about the same thing.
func (q *questions) remove(state, about string) (known, same bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.IndexFunc(q.open, func(one question) bool { return one.state == state })
	if i < 0 {
		return false, false
	}
	one := q.open[i]
	q.open = slices.Delete(q.open, i, i+1)
	return time.Now().Before(one.expires), one.about == sha256.Sum256([]byte(about))
}

// form is a question for a person. about says what exactly the answer applies to; if it has changed
// by the time of the answer, the answer is void. command is what the person can run instead.
type form struct {
	about, message, command string
	schema                  map[string]any
}

// askPerson asks a person. It returns the answer, or a result that makes the client ask, or an
// error: the client cannot ask, the person declined, or what was asked about has changed.
func (s *server) askPerson(req *sdk.CallToolRequest, f form) (answer map[string]any, ask *sdk.CallToolResult, err error) {
	if !canAsk(req.ClientCapabilities()) {
		return nil, nil, belay.Refuse(belay.CodeWaiting, "ask the person to run: "+f.command,
			"this needs a person's answer, and this client cannot ask for one; nothing was changed")
	}
	if req.Params.RequestState != "" {
		known, same := s.questions.remove(req.Params.RequestState, f.about)
		if known && !same {
			return nil, nil, belay.Refuse(belay.CodeDrift, "call the tool again: the person is asked about what it would do now",
				"this changed while the person was asked; nothing was done")
		}
		if given, ok := req.Params.InputResponses[questionName].(*sdk.ElicitResult); ok && known {
			if given.Action != "accept" {
				return nil, nil, actionError(given.Action)
			}
			return given.Content, nil, nil
		}
		return nil, nil, belay.Refuse(belay.CodeUsage, "call the tool again without it",
			"the answer is to no question that waits here; nothing was changed")
	}
	return nil, &sdk.CallToolResult{
		InputRequests: sdk.InputRequestMap{questionName: &sdk.ElicitParams{Mode: "form", Message: f.message, RequestedSchema: f.schema}},
		RequestState:  s.questions.ask(f.about),
	}, nil
}

func actionError(action string) error {
	what := "the person declined; nothing was changed"
	if action != "decline" {
		what = "the person closed the question without an answer; nothing was changed"
	}
	return belay.Refuse(belay.CodeRefused, "ask the person what to do instead", "%s", what)
}

// canAsk reports whether a client can show forms to a person.
func canAsk(c *sdk.ClientCapabilities) bool {
	if c == nil || c.Elicitation == nil {
		return false
	}
	return c.Elicitation.Form != nil || c.Elicitation.URL == nil // if it names neither, it is an older client, which supports only forms
}
