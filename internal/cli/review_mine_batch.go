package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
)

// mineBatch answers each line as soon as it is read. An invalid line is reported on standard error,
// and the next ones are answered.
func (a reviewFamily) mineBatch(name string) error {
	in, err := a.openInput(name, "the batch", "give a file with one JSON object a line, or -")
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	bad, err := answerLines(in, a.Out, a.Err, answerMineLine)
	if err != nil {
		return fmt.Errorf("answer the batch: %w", err)
	}
	a.Printed = true // standard output contains only the answers
	if bad > 0 {
		lines := belay.CountOf(bad, "line of the batch")
		refusal := belay.Refuse(belay.CodeUsage, `each line is {"id","text","files":[…]}`, "%s not read", lines)
		fmt.Fprintf(a.Err, "%s\ntry: %s\n", refusal.What, refusal.Try)
		return refusal
	}
	return nil
}

type mineRequest struct {
	ID    json.RawMessage `json:"id"`
	Text  *string         `json:"text"`
	Files []string        `json:"files"`
}

// answerMineLine answers one line.
func answerMineLine(line []byte) (any, error) {
	var q mineRequest
	if err := json.Unmarshal(line, &q); err != nil {
		return nil, fmt.Errorf("not a JSON object with id, text and files: %w", err)
	}
	if q.Text == nil {
		return nil, errors.New("it has no text")
	}
	if q.ID == nil {
		return nil, errors.New("it has no id")
	}
	return struct {
		ID   json.RawMessage `json:"id"`
		Refs []placeRef      `json:"refs"`
	}{q.ID, placeRefs(app.FindPlacesAmong(*q.Text, q.Files))}, nil
}

// answerLines writes the results of answer for each line as JSON. Lines with an error are reported
// to errs and counted.
func answerLines(in io.Reader, to, errs io.Writer, answer func(line []byte) (any, error)) (bad int, err error) {
	lines, out := bufio.NewReaderSize(in, 64<<10), bufio.NewWriter(to)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for n := 1; ; n++ {
		line, rerr := lines.ReadBytes('\n')
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			answered, aerr := answer(line)
			if aerr == nil {
				err = enc.Encode(answered)
			} else {
				bad++
				err = out.Flush()
				fmt.Fprintf(errs, "line %d: %s\n", n, belay.VisibleLine(aerr.Error()))
			}
		}
		if lines.Buffered() == 0 && err == nil { // the client may wait for this answer
			err = out.Flush()
		}
		if err != nil || errors.Is(rerr, io.EOF) {
			return bad, err
		}
		if rerr != nil {
			return bad, rerr
		}
	}
}
