package agent

import (
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// Step is one step in an agent's output: text, or a tool call.
type Step struct {
	Call   string // a short description of the tool call; "" for text
	Text   string // the text, or the call's output: at most MaxStep bytes
	Cut    bool   // the output was longer
	Failed bool   // the call failed
	Nested bool   // a sub-agent did it
}

const (
	// MaxStep is the maximum length of one step in bytes.
	MaxStep = 16 << 10
	// maxSteps is the maximum number of steps that one call of Steps returns.
	maxSteps = 500
)

// Steps reads an agent's output as steps, starting with number from (the first is 0), until they
// have about most bytes. next is the number of the following step, 0 if there is none. root is the
// folder of the working tree; paths below it are shown relative to it. Output that is no stream of
// events is text. An error is one of in's.
func Steps(in io.Reader, root string, from, most int) (list []Step, next int, err error) {
	s := &stepper{skip: max(0, from), most: most, open: map[string]int{}}
	r := NewRenderer(s, root)
	r.reader.Listener = stepListener{r, s}
	_, err = io.Copy(r, in)
	if err == nil {
		err = r.Close()
	}
	if errors.Is(err, errFull) {
		err = nil
	}
	if s.full {
		next = s.skip + len(s.list)
	}
	return s.list, next, err
}

// errFull stops the reading once there are enough steps.
var errFull = errors.New("enough was read")

// stepper collects steps. Bytes written to it are text.
type stepper struct {
	skip, most   int
	at, bytes    int // steps and bytes so far
	list         []Step
	open         map[string]int // calls without a result, by ID
	late         int            // steps after it was full
	long         int            // bytes of the last step of text
	full, inText bool           // inText: the last step is text
}

// add begins a step. ok is false if the step is not on the requested page.
func (s *stepper) add(one Step) (ok bool) {
	s.at++
	if s.at <= s.skip {
		return false
	}
	if s.full = s.full || s.bytes >= s.most || len(s.list) >= maxSteps; s.full {
		s.late++
		return false
	}
	s.list = append(s.list, one)
	return true
}

// Write adds text. It fails when the page is full and its calls have ended.
func (s *stepper) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		part := p[:min(len(p), MaxStep)]
		for len(part) < len(p) && len(part) > 1 && !utf8.RuneStart(p[len(part)]) {
			part = part[:len(part)-1]
		}
		if !s.inText || s.long+len(part) > MaxStep { // long text is split into several steps, and none is cut
			s.inText, s.long = true, 0
			s.add(Step{})
		}
		if s.long += len(part); s.at > s.skip && !s.full {
			s.put(len(s.list)-1, string(part))
		}
		p = p[len(part):]
	}
	return n, s.enough()
}

// enough does not wait for results forever: a call may have none.
func (s *stepper) enough() error {
	if s.full && (len(s.open) == 0 || s.late > maxSteps) {
		return errFull
	}
	return nil
}

func (s *stepper) put(i int, text string) {
	one := &s.list[i]
	if room := MaxStep - len(one.Text); len(text) > room {
		for room > 0 && !utf8.RuneStart(text[room]) {
			room--
		}
		text, one.Cut = text[:max(room, 0)], true
	}
	one.Text += text
	s.bytes += len(text)
}

// stepListener adds calls as steps.
type stepListener struct {
	r *Renderer
	s *stepper
}

// CallBegan implements Listener.
func (t stepListener) CallBegan(c Call) {
	t.r.inText, t.s.inText = false, false
	if t.s.add(Step{Call: t.r.callLabel(c), Nested: c.Thread != ""}) {
		t.s.open[c.ID] = len(t.s.list) - 1
	}
	t.stop()
}

// CallEnded implements Listener.
func (t stepListener) CallEnded(e CallResult) {
	if i, ok := t.s.open[e.ID]; ok {
		delete(t.s.open, e.ID)
		t.s.list[i].Failed = e.Failed
		t.s.put(i, strings.TrimRight(e.Output, "\n"))
	}
	t.stop()
}

func (t stepListener) stop() {
	if t.r.err == nil {
		t.r.err = t.s.enough()
	}
}
