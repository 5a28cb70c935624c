// Package ask puts a prompt to one reviewer, a program or a model behind an
// OpenAI-compatible endpoint, and gives back what it answers, asking once more when the
// answer cannot be read.
//
// It writes no prompt, judges nothing and keeps nothing. Keys come from the environment
// only and go nowhere but to the endpoint.
package ask

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check/hold"
	"github.com/belay-dev/belay/internal/review/opinion"
)

// Question is what one reviewer is asked.
type Question struct {
	Reviewer belay.Reviewer
	Prompt   string
	// Mend makes the prompt of the second try, from what was wrong with the answer and
	// the answer itself.
	Mend func(wrong, answer string) string

	// Else gives what the reviewer wrote down instead of saying it; nil is nothing. It is
	// read where what it said is no answer.
	Else func() []byte

	Dir      string   // the checkout a program works in
	Env      []string // a program's environment, KEY=value, whole
	ReadOnly []string // folders closed to a program
}

// Reply is what came back. Said is everything it said, both tries.
type Reply struct {
	Opinion  opinion.Opinion
	Said     []byte
	Tries    int
	Writable bool // a program could have written to the folders of ReadOnly
}

// Ask asks, within the reviewer's time limit (10 minutes when it has none). The error
// says why there is no opinion: a reviewer that fails is a failed review.
func Ask(ctx context.Context, q Question) (Reply, error) {
	limit := q.Reviewer.Timeout
	if limit <= 0 {
		limit = 10 * time.Minute
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	put := q.program
	if q.Reviewer.Endpoint != "" {
		put = q.model
	}
	var r Reply
	prompt := q.Prompt
	for {
		r.Tries++
		said, err := put(ctx, &r, prompt)
		r.Said = append(r.Said, said...)
		if err != nil {
			return r, err
		}
		o, err := opinion.Parse(said)
		if err == nil {
			r.Opinion = o
			return r, nil
		}
		if q.Else != nil {
			written := q.Else()
			if o, werr := opinion.Parse(written); werr == nil {
				r.Opinion, r.Said = o, append(append(r.Said, '\n'), written...)
				return r, nil
			}
		}
		if r.Tries == 2 || q.Mend == nil {
			return r, fmt.Errorf("its answer cannot be read: %w", err)
		}
		prompt = q.Mend(err.Error(), string(said))
	}
}

// program runs the reviewer's command with the prompt on its standard input and in the
// file named by BELAY_PROMPT_FILE, both outside of the checkout.
func (q Question) program(ctx context.Context, r *Reply, prompt string) ([]byte, error) {
	f, err := os.CreateTemp("", "belay-review-*.md")
	if err != nil {
		return nil, fmt.Errorf("write its prompt: %w", err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if _, err = f.WriteString(prompt); err == nil {
		_, err = f.Seek(0, 0)
	}
	if err != nil {
		return nil, fmt.Errorf("write its prompt: %w", err)
	}
	var out, complaints bounded
	end := hold.Program{
		Args: q.Reviewer.Command, Dir: q.Dir, Env: append(append([]string{}, q.Env...), "BELAY_PROMPT_FILE="+f.Name(), "PWD="+q.Dir),
		Stdin: f, Stdout: &out, Stderr: &complaints, Grace: 2 * time.Second, ReadOnly: q.ReadOnly,
	}.Run(ctx)
	r.Writable = r.Writable || end.Writable
	switch {
	case ctx.Err() != nil || end.Cut:
		return out.Bytes(), timeUp(ctx, q.Reviewer.Timeout)
	case end.Failed != nil:
		return out.Bytes(), fmt.Errorf("it could not be run: %w", end.Failed)
	case out.over:
		return out.Bytes(), fmt.Errorf("it said more than %d KiB", opinion.Most>>10)
	case end.Code != 0 || end.Signal != 0:
		return out.Bytes(), fmt.Errorf("it %s: %s", end, tail(complaints.Bytes()))
	}
	return out.Bytes(), nil
}

func timeUp(ctx context.Context, limit time.Duration) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	return fmt.Errorf("it did not answer within %s", limit)
}

// tail is the last line of what a program complained of, safe to show.
func tail(text []byte) string {
	text = bytes.TrimSpace(text)
	if i := bytes.LastIndexByte(text, '\n'); i >= 0 {
		text = text[i+1:]
	}
	if len(text) > 300 {
		text = text[:300]
	}
	if len(text) == 0 {
		return "it said nothing of why"
	}
	return belay.VisibleLine(string(text))
}

// bounded keeps the first bytes written to it and swallows the rest.
type bounded struct {
	bytes.Buffer
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := opinion.Most + 1 - b.Len(); len(p) > room {
		b.over = true
		b.Buffer.Write(p[:max(0, room)])
		return len(p), nil
	}
	return b.Buffer.Write(p)
}
