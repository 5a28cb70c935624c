package terminal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/term"
)

// WithPager passes write a stream that leads to the stream to. If that is a terminal and the text
// does not fit on its screen, the text goes through a pager: $GIT_PAGER, else $PAGER, else less;
// none if the variable is empty or cat. The text is not made safe: that is the caller's task.
// Errors are those of write; quitting the pager early is none.
func (t *Terminal) WithPager(ctx context.Context, to io.Writer, write func(io.Writer) error) error {
	program, file := pagerCommand(), (*os.File)(nil)
	if canRedraw(to) {
		file, _ = to.(*os.File)
	}
	if file == nil || program == "" {
		return write(to)
	}
	p := &pagerWriter{t: t, ctx: ctx, of: file, program: program}
	err := write(p)
	if cerr := p.close(); err == nil {
		err = cerr
	}
	if errors.Is(err, errPagerQuit) {
		return nil
	}
	return err
}

// PrintResultPaged is PrintResult for text that may be longer than a screen.
func (t *Terminal) PrintResultPaged(ctx context.Context, data any, text func(io.Writer)) error {
	if t.JSON {
		return t.PrintResult(data, nil)
	}
	t.printMu.Lock()
	t.Printed = true
	t.printMu.Unlock()
	return t.WithPager(ctx, t.Out, func(w io.Writer) error {
		text(w)
		return nil
	})
}

// pagerCommand returns the pager that git would use, except that it ignores core.pager: a
// repository must not choose what runs.
func pagerCommand() string {
	for _, name := range []string{"GIT_PAGER", "PAGER"} {
		if program, set := os.LookupEnv(name); set {
			if program = strings.TrimSpace(program); program == "cat" {
				return ""
			}
			return program
		}
	}
	return "less"
}

// errPagerQuit is the error of a write to a pager that the user has quit.
var errPagerQuit = errors.New("the pager was left")

// pagerWriter buffers what fits on the terminal's screen, and starts the pager with the first line
// that does not.
type pagerWriter struct {
	t       *Terminal
	ctx     context.Context
	of      *os.File
	program string
	first   []byte // written before the pager was started

	run *exec.Cmd
	in  io.WriteCloser
}

// Fd makes the writer count as the terminal.
func (p *pagerWriter) Fd() uintptr { return p.of.Fd() }

func (p *pagerWriter) Write(text []byte) (int, error) {
	if p.run == nil {
		p.first = append(p.first, text...)
		if p.fits() {
			return len(text), nil
		}
		if p.start() != nil {
			p.program = "" // no usable pager
			_, err := p.of.Write(p.first)
			p.first = nil
			return len(text), err
		}
		text = p.first
	}
	if _, err := p.in.Write(text); err != nil {
		return 0, errPagerQuit
	}
	return len(text), nil
}

// fits reports whether the text so far leaves a screen line for the prompt.
func (p *pagerWriter) fits() bool {
	if p.program == "" {
		return false
	}
	width, height, err := term.GetSize(int(p.of.Fd()))
	rows := 0
	for line := range bytes.Lines(p.first) {
		rows += 1 + len(line)/max(width, 1)
	}
	return err != nil || rows < height
}

func (p *pagerWriter) start() (err error) {
	if p.program == "" {
		return exec.ErrNotFound
	}
	c := exec.CommandContext(p.ctx, "sh", "-c", p.program)
	c.Stdout, c.Stderr, c.Env = p.of, os.Stderr, os.Environ()
	for name, value := range map[string]string{"LESS": "FRX", "LV": "-c"} { // as git does: keep colours, and leave the text on the screen
		if os.Getenv(name) == "" {
			c.Env = append(c.Env, name+"="+value)
		}
	}
	if p.in, err = c.StdinPipe(); err != nil {
		return err
	}
	if _, err := exec.LookPath(strings.Fields(p.program)[0]); err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	p.run = c
	p.t.pagerRunning.Store(true)
	return nil
}

func (p *pagerWriter) close() error {
	if p.run == nil {
		_, err := p.of.Write(p.first)
		return err
	}
	_ = p.in.Close()
	_ = p.run.Wait() // its exit status does not matter: the user may quit early
	p.t.pagerRunning.Store(false)
	return nil
}

// IsPaging reports whether a pager is running. Ctrl-C is then meant for the pager.
func (t *Terminal) IsPaging() bool { return t.pagerRunning.Load() }

// Columns returns the width of a terminal, or 0 if unknown.
func Columns(w io.Writer) int {
	file, ok := w.(interface{ Fd() uintptr })
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// wrapText breaks lines that are wider than the terminal at spaces and indents the rest. If there
// is no terminal, it changes nothing.
func (s *Screen) wrapText(text string) string { return wrap(text, Columns(s.t.Err)) }

// WrapOutput wraps text for people to the width of the terminal. If there is no terminal, it
// changes nothing.
func WrapOutput(print func(io.Writer)) func(io.Writer) {
	return func(w io.Writer) {
		if !IsTerminal(w) {
			print(w)
			return
		}
		var text bytes.Buffer
		print(wrappedScreen{&text, w})
		_, _ = io.WriteString(w, wrap(text.String(), Columns(w))) // like print, it reports no errors
	}
}

// wrappedScreen buffers text that will be written to a terminal.
type wrappedScreen struct {
	io.Writer
	screen io.Writer
}

// Fd makes the buffer count as the terminal.
func (s wrappedScreen) Fd() uintptr { return s.screen.(interface{ Fd() uintptr }).Fd() }

func wrap(text string, width int) string {
	if width < 20 {
		return text
	}
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		bare := strings.TrimLeft(line, " ")
		indent := line[:len(line)-len(bare)] + "  "
		for !strings.HasPrefix(bare, "belay ") && !strings.HasPrefix(bare, "try: ") { // do not break commands: they get copied
			cut := breakAt(line, width)
			if cut == 0 || len(indent) > width/2 {
				break
			}
			out = append(out, strings.TrimRight(line[:cut], " "))
			line = indent + line[cut+1:]
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// breakAt returns the index of the space where a line is to be broken, or 0 if it fits or has none.
func breakAt(line string, width int) (cut int) {
	start, column, escape := len(line)-len(strings.TrimLeft(line, " ")), 0, false
	for i, r := range line {
		if r == 0x1b || escape { // a colour has no width
			escape = r != 'm'
			continue
		}
		if column++; column > width {
			return cut
		}
		if r == ' ' && i > start {
			cut = i
		}
	}
	return 0
}
