package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/belay-dev/belay/internal/belay"
)

const maxProblems = 100 // listed individually; the rest is counted

// Verdict is the result of Verify: OK, or a sentence for each problem. Head is the end of the valid
// part. A record that was cut after a complete entry looks valid: compare Head with one stored
// elsewhere.
type Verdict struct {
	Task     belay.TaskID `json:"task"`
	Entries  int          `json:"entries"` // complete lines
	OK       bool         `json:"ok"`
	Problems []string     `json:"problems,omitempty"`
	Torn     string       `json:"torn,omitempty"` // the problem of an incomplete last line: its writer was killed
	Head     Head         `json:"head"`

	more int
}

// Broken returns the problems except a torn last line: it was never complete, so nothing depends on
// it, and the next entry moves it aside.
func (v Verdict) Broken() []string {
	return slices.DeleteFunc(slices.Clone(v.Problems), func(p string) bool { return v.Torn != "" && p == v.Torn })
}

// Verify recomputes every hash of the record and checks each line's number, time, task and link to
// the previous line, and continues after a problem. attachments, if not nil, returns the
// attachments that an entry's data refers to; each must exist and have its hash. It fails if the
// record cannot be read: belay.CodeNotFound, or the error of reading.
func (s *Store) Verify(task belay.TaskID, attachments func(data json.RawMessage) []string) (v Verdict, err error) {
	var named []reference
	for range 3 { // a running append looks like a torn end: try again
		if v, named, err = s.verifyLines(task, attachments); err != nil || len(v.Problems) == 0 {
			break
		}
	}
	if err != nil {
		return Verdict{}, err
	}
	for _, r := range named {
		v.note(r.line, s.checkAttachment(r.sha))
	}
	if v.more > 0 {
		v.Problems = append(v.Problems, fmt.Sprintf("and %d more", v.more))
	}
	v.OK = len(v.Problems) == 0
	return v, nil
}

// reference is the first mention of an attachment.
type reference struct {
	line int
	sha  string
}

func (s *Store) verifyLines(task belay.TaskID, attachments func(data json.RawMessage) []string) (v Verdict, named []reference, err error) {
	found, err := s.scanOnce(task)
	if err != nil {
		return v, nil, err
	}
	v = Verdict{Task: found.log.Task, Head: found.log.Head}
	if v.Task == "" {
		v.Task = task
	}
	f, err := openRecord(s.taskFile(task), os.O_RDONLY)
	if err != nil {
		return v, nil, fmt.Errorf("verify %s: %w", task, err)
	}
	defer f.Close()
	seen := map[string]bool{}
	err = v.lines(f, task, func(n int, e Entry) {
		if attachments == nil {
			return
		}
		for _, sha := range attachments(e.Data) {
			if !seen[sha] {
				seen[sha] = true
				named = append(named, reference{n, sha})
			}
		}
	})
	if err != nil {
		return v, nil, fmt.Errorf("verify %s: %w", task, err)
	}
	return v, named, nil
}

func (v *Verdict) lines(r io.Reader, task belay.TaskID, each func(int, Entry)) error {
	br := bufio.NewReader(r)
	var last Line
	for n := 1; ; n++ {
		raw, size, err := ReadLine(br)
		if err != nil || size == 0 {
			return err
		}
		l, err := Next(raw, last, task)
		v.note(n, err)
		if count := len(v.Problems); err != nil && v.more == 0 && raw != nil && !bytes.HasSuffix(raw, []byte("\n")) {
			v.Torn = v.Problems[count-1]
		}
		if l.Seq == 0 || l.Hash == "" {
			continue // not an entry: compare the next line with the previous entry
		}
		v.Entries++
		if key, twice := DoubleKey(l.Data); twice {
			v.note(n, fmt.Errorf("its data has the key %q twice", key))
		}
		last = l
		each(n, l.Entry)
	}
}

func (v *Verdict) note(n int, err error) {
	switch {
	case err == nil:
	case len(v.Problems) == maxProblems:
		v.more++
	default:
		v.Problems = append(v.Problems, belay.VisibleLine(fmt.Sprintf("line %d: %v", n, err)))
	}
}

func (s *Store) checkAttachment(sha string) error {
	r, err := s.OpenAttachment(sha)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the attachment %s is missing", sha)
	}
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(io.Discard, r)
	return err
}
