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

// WithPager gives write a stream. What it writes goes to the stream to, and through a pager once it does not fit on the
// screen of a terminal: $GIT_PAGER, else $PAGER, else less; none where that is empty or cat. The text is shown as it
// is written: the caller makes it harmless. Errors: those of write, unless the pager was left early.
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

// PrintResultPaged is Tell for a text that may be longer than a screen.
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

// pagerCommand names the program as git would, but for core.pager: a repository must not choose what runs.
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

// errPagerQuit is the result of writing to a pager that is gone: it has shown enough.
var errPagerQuit = errors.New("the pager was left")

// pagerWriter keeps what fits on the screen of a terminal, and starts the pager with the first line that does not.
type pagerWriter struct {
	t       *Terminal
	ctx     context.Context
	of      *os.File
	program string
	first   []byte // what was written before the pager was started

	run *exec.Cmd
	in  io.WriteCloser
}

// Fd makes it count as the terminal that it stands for.
func (p *pagerWriter) Fd() uintptr { return p.of.Fd() }

func (p *pagerWriter) Write(text []byte) (int, error) {
	if p.run == nil {
		p.first = append(p.first, text...)
		if p.fits() {
			return len(text), nil
		}
		if p.start() != nil {
			p.program = "" // nothing to page with
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

// fits reports whether all that was written leaves a line of the screen for the prompt.
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
	for name, value := range map[string]string{"LESS": "FRX", "LV": "-c"} { // as git does: colours, and the screen stays
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
	_ = p.run.Wait() // a pager that is left early has shown enough
	p.t.pagerRunning.Store(false)
	return nil
}

// IsPaging reports whether a pager has the terminal: Ctrl-C is for it.
func (t *Terminal) IsPaging() bool { return t.pagerRunning.Load() }

// Columns is how many characters fit on a line of a terminal; 0 where that is not known.
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

// wrapText breaks lines that are wider than the terminal between words, and sets the rest in. Elsewhere lines stay whole.
func (s *Screen) wrapText(text string) string { return wrap(text, Columns(s.t.Err)) }

// WrapOutput makes a text for people fit on the terminal that it is printed on. Elsewhere lines stay whole.
func WrapOutput(print func(io.Writer)) func(io.Writer) {
	return func(w io.Writer) {
		if !IsTerminal(w) {
			print(w)
			return
		}
		var text bytes.Buffer
		print(wrappedScreen{&text, w})
		_, _ = io.WriteString(w, wrap(text.String(), Columns(w))) // as print would: nobody can be told
	}
}

// wrappedScreen is a text for a terminal that somebody else writes there.
type wrappedScreen struct {
	io.Writer
	screen io.Writer
}

// Fd makes it count as the terminal.
func (s wrappedScreen) Fd() uintptr { return s.screen.(interface{ Fd() uintptr }).Fd() }

func wrap(text string, width int) string {
	if width < 20 {
		return text
	}
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		bare := strings.TrimLeft(line, " ")
		indent := line[:len(line)-len(bare)] + "  "
		for !strings.HasPrefix(bare, "belay ") && !strings.HasPrefix(bare, "try: ") { // a command stays whole: it is copied
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

// breakAt gives the place of the space at which a line is broken; 0 where it fits, or has none.
func breakAt(line string, width int) (cut int) {
	start, column, escape := len(line)-len(strings.TrimLeft(line, " ")), 0, false
	for i, r := range line {
		if r == 0x1b || escape { // a colour takes no room
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
