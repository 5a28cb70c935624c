package terminal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/term"

	"github.com/belay-dev/belay/internal/belay"
)

// Terminal is where a command speaks and is answered.
type Terminal struct {
	Out           io.Writer
	Err           io.Writer
	In            *os.File
	JSON          bool            // print one object instead of text
	StopRequested context.Context // ends when a person wants to stop
	Bell          bool            // ring when a task begins to wait
	Printed       bool            // something was printed, the error if there was one included
	Log           *Log            // progress and errors are written to it, and not as text; nil is text

	OnFirstWork func() // called when the first task is worked on; may be nil

	printMu      sync.Mutex             // held while a result is printed
	screen       atomic.Pointer[Screen] // the last one made
	pagerRunning atomic.Bool            // a pager has the terminal
	work         taskWork
}

// answer is what --json prints: one object, always the same shape.
type answer struct {
	Success bool     `json:"success"`
	Data    any      `json:"data"`
	Error   *Problem `json:"error"`
}

// Problem is an error as JSON has it: what happened, and what to try.
type Problem struct {
	Code string `json:"code"`
	What string `json:"what"`
	Try  string `json:"try,omitempty"`
}

// PrintResult prints a command's result: data as JSON, or text for people, and the error
// if there is one. It gives the error back, so that a command ends with it.
func (t *Terminal) PrintResult(data any, err error, text ...func(io.Writer)) error {
	t.printMu.Lock()
	defer t.printMu.Unlock()
	t.Printed = true
	if t.JSON {
		ans := answer{Success: err == nil, Data: data}
		if err != nil {
			ans.Error = NewProblem(err)
		}
		if werr := t.PrintJSONLine(ans); err == nil {
			return werr
		}
		return err
	}
	for _, print := range text {
		print(t.Out)
	}
	if err != nil {
		p := NewProblem(err)
		if t.Log != nil {
			t.Log.logProblem(p)
			return err
		}
		fmt.Fprintln(t.Err, wrap("belay: "+belay.Visible(p.What), Columns(t.Err)))
		if p.Try != "" {
			fmt.Fprintf(t.Err, "  try: %s\n", belay.Visible(p.Try))
		}
	}
	return err
}

// PrintJSONLine prints a value as one line of JSON.
func (t *Terminal) PrintJSONLine(v any) error {
	text, err := EncodeJSON(v)
	if err != nil {
		return err
	}
	_, err = t.Out.Write(text)
	return err
}

// EncodeJSON gives a value as one line of JSON for others: durations in seconds, nothing invisible.
func EncodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return belay.VisibleJSON(durationsInSeconds(b.Bytes())), nil
}

// NewProblem says of an error what JSON and the terminal say of it.
func NewProblem(err error) *Problem {
	p := &Problem{Code: string(belay.CodeOf(err)), What: err.Error()}
	var e *belay.Error
	if errors.As(err, &e) {
		p.Try = e.Try
	}
	var odd interface{ Try() string }
	if p.Try == "" && errors.As(err, &odd) {
		p.Try = odd.Try()
	}
	if p.Try == "" && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)) {
		p.Try = "check its owner and permissions, then belay doctor"
	}
	return p
}

// Paint colours a word when the stream is a terminal and NO_COLOR is not set.
type Paint bool

// noColor is set by NoColor.
var noColor atomic.Bool

// NoColor leaves colours out in this process, as NO_COLOR does.
func NoColor() { noColor.Store(true) }

// PaintFor gives colours for a stream.
func PaintFor(w io.Writer) Paint {
	return Paint(canRedraw(w) && os.Getenv("NO_COLOR") == "" && !noColor.Load())
}

func (p Paint) escape(code, s string) string {
	if !p {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// Good colours what went well.
func (p Paint) Good(s string) string { return p.escape("32", s) }

// Bad colours what did not.
func (p Paint) Bad(s string) string { return p.escape("31", s) }

// Warn colours what needs a person's eye.
func (p Paint) Warn(s string) string { return p.escape("33", s) }

// Dim sets back what is there to be passed over.
func (p Paint) Dim(s string) string { return p.escape("2", s) }

// Bold sets forth what is looked for.
func (p Paint) Bold(s string) string { return p.escape("1", s) }

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(w any) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// PrintTable prints rows in columns that fit, two spaces apart.
func PrintTable(w io.Writer, rows [][]string) {
	var width []int
	for _, r := range rows {
		for i, c := range r {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], len([]rune(belay.VisibleLine(c))))
		}
	}
	for _, r := range rows {
		var line strings.Builder
		for i, c := range r {
			c = belay.VisibleLine(c)
			line.WriteString(c)
			if i < len(r)-1 {
				line.WriteString(strings.Repeat(" ", width[i]-len([]rune(c))+2))
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}

// AskLine asks for a line of words; ok is false where nobody is there to answer.
func (t *Terminal) AskLine(question string) (answer string, ok bool) {
	if t.JSON || !IsTerminal(t.In) || !IsTerminal(t.Err) {
		return "", false
	}
	fmt.Fprintf(t.Err, "%s ", belay.Visible(question))
	answer, ok = readLine(t.StopRequested, t.In)
	return strings.TrimSpace(answer), ok
}

// Confirm asks a yes-or-no question. Without a terminal the answer is yes: scripts
// say what they mean, and everything that is confirmed can be undone.
func (t *Terminal) Confirm(question string, yes bool) bool {
	if yes || t.JSON || !IsTerminal(t.In) || !IsTerminal(t.Err) {
		return true
	}
	fmt.Fprintf(t.Err, "%s [y/N] ", belay.Visible(question))
	line, _ := readLine(t.StopRequested, t.In)
	line = strings.ToLower(strings.TrimSpace(line))
	return line == "y" || line == "yes"
}

// AskConfirmation shows what would happen and asks whether it may. Only an answer typed after the
// question counts, and only a yes is one. asked is false where nobody is there to answer.
func (t *Terminal) AskConfirmation(question string) (yes, asked bool) {
	if t.JSON || !IsTerminal(t.In) || !IsTerminal(t.Err) {
		return false, false
	}
	if s := t.screen.Load(); s != nil {
		defer s.hideProgress()()
	}
	discardInput(int(t.In.Fd()))
	return t.Confirm(question, false), true
}

// AskText asks for a line of words. Without a terminal there is nobody to ask: asked is
// false.
func (t *Terminal) AskText(question string) (words string, asked bool) {
	if t.JSON || !IsTerminal(t.In) || !IsTerminal(t.Err) {
		return "", false
	}
	fmt.Fprintf(t.Err, "%s ", belay.Visible(question))
	line, _ := readLine(t.StopRequested, t.In)
	return strings.TrimSpace(line), true
}
