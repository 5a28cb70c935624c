package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/proc"
)

// askProgram runs the command with the prompt on its standard input and in the file named by
// BELAY_PROMPT_FILE, both outside the folder it works in.
func (q Question) askProgram(ctx context.Context, command config.Command, prompt string) ([]byte, error) {
	f, err := os.CreateTemp("", "belay-prompt-*.md")
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
	var out, complaints boundedWriter
	ask := proc.Program{
		Command: command, Dir: q.Dir, Env: append(append([]string{}, q.Env...), "BELAY_PROMPT_FILE="+f.Name(), "PWD="+q.Dir),
		Stdin: f, Stdout: &out, Stderr: &complaints, Grace: 2 * time.Second, ReadOnly: q.ReadOnly,
	}
	if q.Enclose != nil {
		policy, more, done, err := q.Enclose(command.Argv(), ask.Env, q.Dir)
		if err != nil {
			return nil, err
		}
		defer done()
		ask.Fence, ask.Env = policy, append(ask.Env, more...)
	}
	end := ask.Run(ctx)
	switch {
	case ctx.Err() != nil || end.Cut:
		return out.Bytes(), timeoutError(ctx, q.Reviewer.Timeout)
	case end.Failed != nil:
		return out.Bytes(), fmt.Errorf("it could not be run: %w", end.Failed)
	case out.overflowed:
		return out.Bytes(), fmt.Errorf("its answer is over %d KiB", MaxAnswer>>10)
	case end.Code != 0 || end.Signal != 0:
		return out.Bytes(), fmt.Errorf("it %s: %s", end, lastLine(complaints.Bytes()))
	}
	return out.Bytes(), nil
}

func timeoutError(ctx context.Context, limit time.Duration) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	return fmt.Errorf("it did not answer within %s", limit)
}

// lastLine returns the last line of a program's error output, safe to print.
func lastLine(text []byte) string {
	text = bytes.TrimSpace(text)
	if i := bytes.LastIndexByte(text, '\n'); i >= 0 {
		text = text[i+1:]
	}
	if len(text) > 300 {
		text = text[:300]
	}
	if len(text) == 0 {
		return "it gave no reason"
	}
	return belay.VisibleLine(string(text))
}

// boundedWriter keeps the first bytes written to it and discards the rest.
type boundedWriter struct {
	bytes.Buffer
	overflowed bool
}

func (b *boundedWriter) Write(p []byte) (int, error) {
	if room := MaxAnswer + 1 - b.Len(); len(p) > room {
		b.overflowed = true
		b.Buffer.Write(p[:max(0, room)])
		return len(p), nil
	}
	return b.Buffer.Write(p)
}
