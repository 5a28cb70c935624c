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

// Terminal is where a command prints its output and asks its questions.
type Terminal struct {
	Out           io.Writer
	Err           io.Writer
	In            *os.File
	JSON          bool            // print one object instead of text
	StopRequested context.Context // ends when a person wants to stop
	Bell          bool            // ring the bell when a task starts to wait
	Printed       bool            // a result or error has been printed
	Log           *Log            // where progress and errors go; nil for text

	OnFirstWork func() // called when the first task starts; may be nil

	printMu      sync.Mutex             // held while a result is printed
	screen       atomic.Pointer[Screen] // the one made last
	pagerRunning atomic.Bool            // a pager is running
	work         taskWork
}

// answer is the object that --json prints; its form is always the same.
type answer struct {
	Success bool     `json:"success"`
	Data    any      `json:"data"`
	Error   *Problem `json:"error"`
}

// Problem is an error in JSON output: what happened and what to try.
type Problem struct {
	Code string `json:"code"`
	What string `json:"what"`
	Try  string `json:"try,omitempty"`
}

// PrintResult prints a command's result, data with --json and text otherwise, and the error if
// there is one. It returns that error, for the command to return.
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

// EncodeJSON encodes a value as one line of JSON output: durations are in seconds, and invisible
// characters are escaped.
func EncodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return belay.VisibleJSON(durationsInSeconds(b.Bytes())), nil
}

// NewProblem returns what JSON output and the terminal say about an error.
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

// Paint colours text if true.
type Paint bool

// set by NoColor
var noColor atomic.Bool

// NoColor turns colours off for this process, as NO_COLOR does.
func NoColor() { noColor.Store(true) }

// PaintFor returns the Paint for a stream: true on a terminal, unless NO_COLOR is set.
func PaintFor(w io.Writer) Paint {
	return Paint(canRedraw(w) && os.Getenv("NO_COLOR") == "" && !noColor.Load())
}

func (p Paint) escape(code, s string) string {
	if !p {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// Good colours what succeeded.
func (p Paint) Good(s string) string { return p.escape("32", s) }

// Bad colours what failed.
func (p Paint) Bad(s string) string { return p.escape("31", s) }

// Warn colours what needs attention.
func (p Paint) Warn(s string) string { return p.escape("33", s) }

// Dim makes less important text faint.
func (p Paint) Dim(s string) string { return p.escape("2", s) }

// Bold emphasises text.
func (p Paint) Bold(s string) string { return p.escape("1", s) }

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(w any) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// PrintTable prints rows as aligned columns, two spaces apart.
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

// AskLine asks for a line of text. ok is false if nobody can answer.
func (t *Terminal) AskLine(question string) (answer string, ok bool) {
	if t.JSON || !IsTerminal(t.In) || !IsTerminal(t.Err) {
		return "", false
	}
	fmt.Fprintf(t.Err, "%s ", belay.Visible(question))
	answer, ok = readLine(t.StopRequested, t.In)
	return strings.TrimSpace(answer), ok
}

// Confirm asks a yes-or-no question. Without a terminal the answer is yes: a script has chosen the
// command, and everything that asks can be undone.
func (t *Terminal) Confirm(question string, yes bool) bool {
	if yes || t.JSON || !IsTerminal(t.In) || !IsTerminal(t.Err) {
		return true
	}
	fmt.Fprintf(t.Err, "%s [y/N] ", belay.Visible(question))
	line, _ := readLine(t.StopRequested, t.In)
	line = strings.ToLower(strings.TrimSpace(line))
	return line == "y" || line == "yes"
}

// AskConfirmation shows what would happen and asks whether to do it. Only input after the question
// counts, and only yes confirms. asked is false if nobody can answer.
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

// AskText asks for a line of text. asked is false if nobody can answer.
func (t *Terminal) AskText(question string) (words string, asked bool) {
	if t.JSON || !IsTerminal(t.In) || !IsTerminal(t.Err) {
		return "", false
	}
	fmt.Fprintf(t.Err, "%s ", belay.Visible(question))
	line, _ := readLine(t.StopRequested, t.In)
	return strings.TrimSpace(line), true
}
