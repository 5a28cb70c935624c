package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/belay-dev/belay/internal/belay"
)

// answer is what --json prints: one object, always the same shape.
type answer struct {
	Success bool     `json:"success"`
	Data    any      `json:"data"`
	Error   *problem `json:"error"`
}

type problem struct {
	Code string `json:"code"`
	What string `json:"what"`
	Try  string `json:"try,omitempty"`
}

// tell prints a command's result: data as JSON, or text for people, and the error
// if there is one. It gives the error back, so that a command ends with it.
func (a *app) tell(data any, err error, text ...func(io.Writer)) error {
	a.told = true
	if a.json {
		ans := answer{Success: err == nil, Data: data}
		if err != nil {
			ans.Error = problemOf(err)
		}
		e := json.NewEncoder(a.out)
		e.SetEscapeHTML(false)
		if werr := e.Encode(ans); err == nil {
			return werr
		}
		return err
	}
	for _, t := range text {
		t(a.out)
	}
	if err != nil {
		p := problemOf(err)
		fmt.Fprintf(a.errs, "belay: %s\n", belay.Visible(p.What))
		if p.Try != "" {
			fmt.Fprintf(a.errs, "  try: %s\n", belay.Visible(p.Try))
		}
	}
	return err
}

func problemOf(err error) *problem {
	p := &problem{Code: string(belay.CodeOf(err)), What: err.Error()}
	var e *belay.Error
	if errors.As(err, &e) {
		p.Try = e.Try
	}
	return p
}

// paint colours a word when the stream is a terminal and NO_COLOR is not set.
type paint bool

func paintFor(w io.Writer) paint {
	return paint(isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb")
}

func (p paint) as(code, s string) string {
	if !p {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p paint) good(s string) string { return p.as("32", s) }
func (p paint) bad(s string) string  { return p.as("31", s) }
func (p paint) warn(s string) string { return p.as("33", s) }
func (p paint) dim(s string) string  { return p.as("2", s) }
func (p paint) bold(s string) string { return p.as("1", s) }

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// table prints rows in columns that fit, two spaces apart.
func table(w io.Writer, rows [][]string) {
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

// size writes bytes as people read them.
func size(n int64) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	div, exp := int64(unit), 0
	for m := n / unit; m >= unit; m /= unit {
		div *= unit
		exp++
	}
	return fmt.Sprintf("%.1f %ciB", float64(n)/float64(div), "KMGTPE"[exp])
}

// confirm asks a yes-or-no question. Without a terminal the answer is yes: scripts
// say what they mean, and everything that is confirmed can be undone.
func (a *app) confirm(question string, yes bool) bool {
	if yes || a.json || !isTerminal(a.in) || !isTerminal(a.errs) {
		return true
	}
	fmt.Fprintf(a.errs, "%s [y/N] ", belay.Visible(question))
	line, _ := readLine(a.soft, a.in)
	line = strings.ToLower(strings.TrimSpace(line))
	return line == "y" || line == "yes"
}
