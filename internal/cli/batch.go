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

// mineBatch answers each line as soon as it is read. A line that is no request is named
// on standard error; the others are answered all the same.
func (a reviewFamily) mineBatch(name string) error {
	in, err := a.open(name, "the batch", "give a file with one JSON object a line, or -")
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out := bufio.NewWriter(a.Out)
	bad, err := answerAll(in, out, a.Err)
	if ferr := out.Flush(); err == nil {
		err = ferr
	}
	if err != nil {
		return fmt.Errorf("answer the batch: %w", err)
	}
	a.Told = true // standard output has the answers alone
	if bad > 0 {
		lines := belay.CountOf(bad, "line of the batch")
		refusal := belay.Refuse(belay.CodeUsage, `each line is {"id","text","files":[…]}`, "%s not read", lines)
		fmt.Fprintf(a.Err, "%s\ntry: %s\n", refusal.What, refusal.Try)
		return refusal
	}
	return nil
}

type request struct {
	ID    json.RawMessage `json:"id"`
	Text  *string         `json:"text"`
	Files []string        `json:"files"`
}

func answerAll(in io.Reader, out *bufio.Writer, errs io.Writer) (bad int, err error) {
	lines := bufio.NewReaderSize(in, 64<<10)
	for n := 1; ; n++ {
		line, rerr := lines.ReadBytes('\n')
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			answer, aerr := answerOne(line)
			if aerr != nil {
				bad++
				if err := out.Flush(); err != nil {
					return bad, err
				}
				fmt.Fprintf(errs, "line %d: %s\n", n, belay.VisibleLine(aerr.Error()))
			} else if _, err := out.Write(append(answer, '\n')); err != nil {
				return bad, err
			}
			if lines.Buffered() == 0 { // whoever waits for the answer gets it
				if err := out.Flush(); err != nil {
					return bad, err
				}
			}
		}
		if errors.Is(rerr, io.EOF) {
			return bad, nil
		}
		if rerr != nil {
			return bad, rerr
		}
	}
}

func answerOne(line []byte) ([]byte, error) {
	var q request
	if err := json.Unmarshal(line, &q); err != nil {
		return nil, fmt.Errorf("not a JSON object with id, text and files: %w", err)
	}
	if q.Text == nil {
		return nil, errors.New("it has no text")
	}
	if q.ID == nil {
		return nil, errors.New("it has no id")
	}
	refs := []ref{}
	for _, p := range app.MineText(*q.Text, q.Files) {
		refs = append(refs, ref{p.Path, orNull(p.Start), orNull(p.End), string(p.Severity)})
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(struct {
		ID   json.RawMessage `json:"id"`
		Refs []ref           `json:"refs"`
	}{q.ID, refs})
	return bytes.TrimSpace(out.Bytes()), err
}
