package review

import (
	"context"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/fence"
)

// Question is what one reviewer is asked.
type ReviewerQuestion struct {
	Reviewer belay.Reviewer
	May      *config.Gate // lets it be asked, or not
	Prompt   string
	// Mend makes the prompt of the second try, from what was wrong with the answer and
	// the answer itself.
	RetryPrompt func(wrong, answer string) string

	// Else gives what the reviewer wrote down instead of saying it; nil is nothing. It is
	// read where what it said is not an answer.
	FallbackAnswer func() []byte

	Dir      string         // the checkout a program works in
	Env      []string       // a program's environment, KEY=value, whole
	ReadOnly []string       // folders closed to a program
	Enclose  fence.Encloser // of a program; nil is no fence
}

// Reply is what came back. Said is everything it said, both tries.
type Reply struct {
	Opinion Opinion
	Output  []byte
}

// Ask asks, within the reviewer's time limit (10 minutes when it has none). The error
// says why there is no opinion: a reviewer that fails is a failed review.
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
