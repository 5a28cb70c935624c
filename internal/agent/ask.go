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

// MaxAnswer is the maximum length of an answer in bytes.
const MaxAnswer = 1 << 20

// Question is a prompt for a reviewer. Only the reviewer's command, or its endpoint, model and key,
// and its time limit are used: without a limit, 10 minutes for both tries.
type Question struct {
	Reviewer    belay.Reviewer
	May         *config.Gate // decides whether the program may run or the model may be asked
	Prompt      string
	CheckAnswer func(said []byte) error           // returns an error when the answer cannot be parsed
	RetryPrompt func(wrong, answer string) string // builds the prompt of the second try; nil asks once

	Dir      string   // the working folder of a program
	Env      []string // the complete environment of a program, KEY=value
	ReadOnly []string // folders that a program cannot write to

	Enclose fence.Encloser // for a program; nil is no fence
}

// Reply is the answer to a question. Output is the text of both tries.
type Reply struct {
	Output []byte
	Tries  int
}

// Ask asks the question, and once more if the answer cannot be parsed. The error says why there is
// no valid answer.
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

// asker returns the function that sends a prompt to the program or the model, if May allows it.
func (q Question) asker() (func(context.Context, string) ([]byte, error), error) {
	if q.Reviewer.Endpoint != "" {
		model, err := q.May.Model(q.Reviewer.Endpoint, q.Reviewer.KeyEnv)
		return func(ctx context.Context, prompt string) ([]byte, error) { return q.askModel(ctx, model, prompt) }, err
	}
	program, err := q.May.Program(q.Reviewer.Command)
	return func(ctx context.Context, prompt string) ([]byte, error) { return q.askProgram(ctx, program, prompt) }, err
}
