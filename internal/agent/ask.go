package agent

import (
	"context"
	"fmt"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/fence"
)

// Keys come from the environment only and are sent to nothing but the endpoint.

// MaxAnswer is how long an answer may be, in bytes.
const MaxAnswer = 1 << 20

// Question is what is asked, and whom. Of the reviewer only the command or endpoint, model
// and key, and the time limit count: 10 minutes for all tries when it has none.
type Question struct {
	Reviewer    belay.Reviewer
	May         *config.Gate // lets that program run, or that model be asked
	Prompt      string
	CheckAnswer func(said []byte) error           // an error when the answer cannot be read
	RetryPrompt func(wrong, answer string) string // the prompt of the second try; nil asks once

	Dir      string   // the folder a program works in
	Env      []string // a program's environment, KEY=value, whole
	ReadOnly []string // folders closed to a program

	Enclose fence.Encloser // of a program; nil is no fence
}

// Reply is the answer to a question. Output is everything that was answered, in both tries.
type Reply struct {
	Output []byte
	Tries  int
}

// Ask asks. The error says why there is no answer that can be read.
func Ask(ctx context.Context, q Question) (Reply, error) {
	limit := q.Reviewer.Timeout
	if limit <= 0 {
		limit = 10 * time.Minute
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	put, err := q.asker()
	if err != nil {
		return Reply{}, err
	}
	var r Reply
	prompt := q.Prompt
	for {
		r.Tries++
		said, err := put(ctx, prompt)
		r.Output = append(r.Output, said...)
		if err != nil {
			return r, err
		}
		if err = q.CheckAnswer(said); err == nil {
			return r, nil
		}
		if r.Tries == 2 || q.RetryPrompt == nil {
			return r, fmt.Errorf("its answer cannot be read: %w", err)
		}
		prompt = q.RetryPrompt(err.Error(), string(said))
	}
}

// asker returns the way to put a prompt to the program or the model, when it may be asked.
func (q Question) asker() (func(context.Context, string) ([]byte, error), error) {
	if q.Reviewer.Endpoint != "" {
		model, err := q.May.Model(q.Reviewer.Endpoint, q.Reviewer.KeyEnv)
		return func(ctx context.Context, prompt string) ([]byte, error) { return q.askModel(ctx, model, prompt) }, err
	}
	program, err := q.May.Program(q.Reviewer.Command)
	return func(ctx context.Context, prompt string) ([]byte, error) { return q.askProgram(ctx, program, prompt) }, err
}
