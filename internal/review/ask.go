package review

import (
	"context"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/fence"
)

// ReviewerQuestion is the question to one reviewer.
type ReviewerQuestion struct {
	Reviewer belay.Reviewer
	May      *config.Gate // decides whether it may be asked
	Prompt   string
	// RetryPrompt returns the prompt of the second try, from the error in the answer and the
	// answer.
	RetryPrompt func(wrong, answer string) string

	// FallbackAnswer returns what the reviewer wrote to a file; nil for nothing. It is used if the
	// output has no answer.
	FallbackAnswer func() []byte

	Dir      string         // the checkout that a program works in
	Env      []string       // a program's complete environment, KEY=value
	ReadOnly []string       // folders that a program may not write to
	Enclose  fence.Encloser // fences a program; nil for no fence
}

// Reply is the answer. Output is everything that the reviewer printed, in both tries.
type Reply struct {
	Opinion Opinion
	Output  []byte
}

// Ask asks within the reviewer's time limit (default 10 minutes). The error says why there is no
// opinion: a reviewer that fails is a failed review.
func Ask(ctx context.Context, q ReviewerQuestion) (Reply, error) {
	var r Reply
	var late []byte
	said, err := agent.Ask(ctx, agent.Question{
		Reviewer: q.Reviewer, May: q.May, Prompt: q.Prompt, RetryPrompt: q.RetryPrompt,
		Dir: q.Dir, Env: q.Env, ReadOnly: q.ReadOnly, Enclose: q.Enclose,
		CheckAnswer: func(said []byte) (err error) {
			if r.Opinion, err = ParseOpinion(said); err == nil || q.FallbackAnswer == nil {
				return err
			}
			written := q.FallbackAnswer()
			o, werr := ParseOpinion(written)
			if werr == nil {
				r.Opinion, late, err = o, append([]byte("\n"), written...), nil
			}
			return err
		},
	})
	r.Output = append(said.Output, late...)
	return r, err
}
