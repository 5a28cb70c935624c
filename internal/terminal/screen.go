package terminal

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/review"
	"github.com/belay-dev/belay/internal/secret"
	"github.com/belay-dev/belay/internal/session"
)

// Screen is the terminal of one run. It shows the agent's output as it arrives, a progress line
// below it, and questions at gates. Everything goes to standard error, so that standard output
// contains only the result.
type Screen struct {
	t     *Terminal
	quiet bool
	paint Paint

	mu            sync.Mutex
	live          bool   // a progress line can be drawn
	progressDrawn bool   // a progress line is on the screen
	questionShown bool   // a question is on the screen, which must not be overwritten
	doing         string // the progress line's text
	used          string // the attempt's use, shown after it
	startedAt     time.Time
	outputColumn  int             // in the agent's output: 0 at the start of a line
	mask          *secret.Writer  // masks secrets between the agent and the terminal
	partial       []byte          // a rune or escape sequence that the end of a read has cut
	checks        map[string]bool // running checks
	checksEnded   int             // how many checks of this judgement have ended
	checksFailed  []string        // those of them that failed

	// View shows the change that a gate is about; nil if that is impossible.
	View func(context.Context, *session.Record) error

	// LastOutput returns the last output of the attempt that a gate is about; nil to show none.
	LastOutput func(*session.Record) app.LastOutput
}

// Screen returns the terminal of a run. If quiet is set, it shows only notes.
func (t *Terminal) Screen(quiet bool) *Screen {
	silent := quiet || t.JSON || t.Log != nil // nothing for people
	s := &Screen{t: t, quiet: silent, paint: PaintFor(t.Err), live: canRedraw(t.Err) && !silent, checks: map[string]bool{}}
	t.screen.Store(s)
	return s
}

// hideProgress erases the progress line until resume is called, because a question is asked. The
// time until then does not count as work.
func (s *Screen) hideProgress() (resume func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.eraseProgress()
	s.questionShown = true
	began := time.Now()
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.questionShown = false
		s.startedAt = s.startedAt.Add(time.Since(began))
		s.drawProgress()
	}
}

// Tick redraws the progress line every second until ctx ends.
func (s *Screen) Tick(ctx context.Context) {
	if !s.live {
		return
	}
	go everySecond(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.mask != nil {
			_ = s.mask.Flush()
		}
		s.drawProgress()
	})
}

func everySecond(ctx context.Context, do func()) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			do()
		}
	}
}

func (s *Screen) drawProgress() {
	if !s.live || s.questionShown || s.doing == "" || s.outputColumn != 0 {
		return
	}
	fmt.Fprintf(s.t.Err, "\r\x1b[K%s", s.paint.Dim(progressLine(s.t.Err, s.doing, s.startedAt, s.used)))
	s.progressDrawn = true
}

// progressLine returns a progress line. It must fit on one line of the terminal, because a wrapped
// line cannot be erased.
func progressLine(w io.Writer, doing string, since time.Time, used string) string {
	text := []rune(fmt.Sprintf("… %s  %s%s", doing, time.Since(since).Round(time.Second), used))
	if width := Columns(w); width > 1 && len(text) >= width {
		return string(text[:width-2]) + "…"
	}
	return string(text)
}

// canRedraw reports whether lines on this terminal can be erased.
func canRedraw(w io.Writer) bool { return IsTerminal(w) && os.Getenv("TERM") != "dumb" }

func (s *Screen) eraseProgress() {
	if s.progressDrawn {
		fmt.Fprint(s.t.Err, "\r\x1b[K")
		s.progressDrawn = false
	}
}

// SetProgress shows what is happening on the progress line.
func (s *Screen) SetProgress(doing string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.eraseProgress()
	s.doing, s.startedAt, s.used = doing, time.Now(), ""
	s.drawProgress()
}

// printLine prints a line from belay, on a new line if the agent's last one is not complete.
func (s *Screen) printLine(format string, args ...any) {
	if s.quiet {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mask != nil {
		_ = s.mask.Flush()
	}
	s.eraseProgress()
	if s.outputColumn != 0 {
		fmt.Fprintln(s.t.Err)
		s.outputColumn = 0
	}
	fmt.Fprintf(s.t.Err, format+"\n", args...)
	s.drawProgress()
}

// Write shows the agent's output. It drops colours and makes other control sequences visible: an
// agent must not be able to move the cursor or set a title.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := append(s.partial, p...)
	whole := len(text) - unfinishedBytes(text)
	s.partial = append([]byte(nil), text[whole:]...)
	if _, err := io.WriteString(s.masker(), Sanitise(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// masker returns the writer for the agent's output after Sanitise has made it plain text: a colour
// inside a secret would hide it from the masking.
func (s *Screen) masker() *secret.Writer {
	if s.mask == nil {
		s.mask = secret.NewWriter(agentText{s}, nil)
	}
	return s.mask
}

// agentText prints the agent's output. The screen must be locked.
type agentText struct{ s *Screen }

func (a agentText) Write(p []byte) (int, error) {
	s, clean := a.s, string(p)
	if clean == "" {
		return 0, nil
	}
	s.eraseProgress()
	if _, err := io.WriteString(s.t.Err, clean); err != nil {
		return 0, err
	}
	if i := strings.LastIndexByte(clean, '\n'); i >= 0 {
		s.outputColumn = len(clean) - i - 1
	} else {
		s.outputColumn += len(clean)
	}
	return len(p), nil
}

// unfinishedBytes returns how many bytes at the end of b may belong to a rune or escape sequence
// that the next read completes.
func unfinishedBytes(b []byte) int {
	for n := 1; n <= min(len(b), 32); n++ {
		c := b[len(b)-n]
		if c == 0x1b { // an escape sequence
			if isCompleteCSI(b[len(b)-n:]) {
				return 0
			}
			return n
		}
		if n < utf8.UTFMax && utf8.RuneStart(c) && c >= 0x80 && !utf8.FullRune(b[len(b)-n:]) {
			return n
		}
	}
	return 0
}

// isCompleteCSI reports whether the escape sequence that b starts with is complete.
func isCompleteCSI(b []byte) bool {
	if len(b) < 2 || b[1] != '[' {
		return len(b) >= 2
	}
	for _, c := range b[2:] {
		if c < '0' || c > ';' { // no digit, colon or semicolon
			return true
		}
	}
	return false
}

// Sanitise drops colour sequences, turns carriage returns into line ends, and makes all other
// control characters visible.
func Sanitise(s string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, "\x1b[")
		if i < 0 {
			break
		}
		j := i + 2
		for j < len(s) && s[j] >= '0' && s[j] <= ';' { // a digit, colon or semicolon
			j++
		}
		b.WriteString(s[:i])
		if j < len(s) && (s[j] == 'm' || s[j] == 'K') {
			s = s[j+1:]
			continue
		}
		b.WriteString(`\x1b[`)
		s = s[i+2:]
	}
	b.WriteString(s)
	text := strings.ReplaceAll(b.String(), "\r\n", "\n")
	return belay.Visible(strings.ReplaceAll(text, "\r", "\n"))
}

// Begins shows that a command starts.
func (s *Screen) Begins(r *session.Record, c loop.Command) {
	s.t.setWork(r.Task.ID, c.Kind)
	doing := prompt.CommandText(c)
	if s.t.Log != nil {
		s.t.Log.logCommand(r, c)
	}
	s.SetProgress(string(r.Task.ID) + " " + doing)
	if c.Kind == loop.CmdAttempt || c.Kind == loop.CmdRestore || c.Kind == loop.CmdDebug {
		s.printLine("%s %s", s.paint.Bold(string(r.Task.ID)), belay.VisibleLine(doing))
	}
}

// Happened shows a recorded event.
func (s *Screen) Happened(r *session.Record, e loop.Event) {
	s.mu.Lock()
	if s.mask != nil {
		_ = s.mask.Close() // shows the agent's last line, which may have no line end
	}
	s.mu.Unlock()
	s.t.ringBell(r)
	if s.t.Log != nil {
		s.t.Log.logEvent(r, e)
	}
	text := prompt.EventText(r.State, e)
	if text == "" {
		return
	}
	color := s.paint.forEvent(e)
	for l := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		s.printLine("%s", color(s.wrapText(belay.VisibleLine(l))))
	}
}

// forEvent returns the colour of an event.
func (p Paint) forEvent(e loop.Event) func(string) string {
	switch {
	case e.Verdict == belay.VerdictPass:
		return p.Good
	case e.Verdict == belay.VerdictFail:
		return p.Bad
	case e.Verdict == belay.VerdictUnknown || e.Kind == loop.EvBroken || e.Kind == loop.EvLost:
		return p.Warn
	}
	return p.Dim
}

// ringBell rings the terminal's bell when a task starts to wait for a person.
func (t *Terminal) ringBell(r *session.Record) {
	if t.Bell && r.State.Gate != nil && canRedraw(t.Err) {
		fmt.Fprint(t.Err, "\a")
	}
}

// Checking shows which checks are running, how many have ended, and which of those failed.
func (s *Screen) Checking(p check.Progress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.checks) == 0 && !p.Done { // the first check of a judgement
		s.startedAt, s.checksEnded, s.checksFailed = time.Now(), 0, nil
	}
	if p.Done {
		delete(s.checks, p.Check)
		s.checksEnded++
		if p.Result != nil && p.Result.Verdict == belay.VerdictFail {
			s.checksFailed = append(s.checksFailed, p.Check)
		}
	} else {
		s.checks[p.Check] = true
	}
	var names []string
	for _, n := range slices.Backward(check.Names()) { // the slowest first
		if s.checks[n] {
			names = append(names, n)
		}
	}
	if len(names) == 0 {
		return
	}
	if more := len(names) - 3; more > 0 { // a wrapped line cannot be erased
		names = append(names[:3], fmt.Sprintf("%d more", more))
	}
	s.eraseProgress()
	s.doing = fmt.Sprintf("checking: %s (%d done", strings.Join(names, ", "), s.checksEnded)
	if len(s.checksFailed) > 0 {
		s.doing += ", " + strings.Join(s.checksFailed, ", ") + " failed"
	}
	s.doing += ")"
	s.drawProgress()
}

// Used shows what the running attempt has used.
func (s *Screen) Used(_ belay.TaskID, used belay.Use) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = "  " + prompt.UseText(used)
	s.drawProgress()
}

// Output returns the writer for the agent's output; nil if it is not shown.
func (s *Screen) Output() io.Writer {
	if s.quiet {
		return nil
	}
	return s
}

// Note prints a message.
func (s *Screen) Note(text string) {
	if s.t.Log != nil {
		s.t.Log.Warn(text)
		return
	}
	if s.t.JSON || s.quiet {
		fmt.Fprintf(s.t.Err, "belay: %s\n", belay.VisibleLine(text))
		return
	}
	s.printLine("%s", s.paint.Warn(s.wrapText(belay.VisibleLine(text))))
}

// Stop erases the progress line.
func (s *Screen) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.eraseProgress()
	s.doing = ""
	if s.outputColumn != 0 {
		fmt.Fprintln(s.t.Err)
		s.outputColumn = 0
	}
}

// Ask asks the gate's question, which one key answers. Only keys pressed after the question count,
// and a decision that rolls back has to be confirmed. Without a terminal it asks nothing and ok is
// false.
func (s *Screen) Ask(ctx context.Context, r *session.Record) (loop.Decision, string, bool, error) {
	s.Stop()
	if s.t.JSON || !IsTerminal(s.t.In) || !IsTerminal(s.t.Err) {
		return "", "", false, nil
	}
	question := strings.TrimRight(prompt.Gate(r.State, r.Task), "\n")
	if s.LastOutput != nil {
		s.printLastOutput(s.LastOutput(r))
	}
	menu := max(0, strings.LastIndex(question, "\nDecide from")) // the rest says how to decide from elsewhere
	fmt.Fprintln(s.t.Err, s.wrapText(question[:menu]))
	if s.View != nil && len(r.State.Attempts) > 0 {
		fmt.Fprintln(s.t.Err, "  v  view      read the change")
	}
	fmt.Fprintln(s.t.Err, "  q  quit      leave; the task waits")
	fmt.Fprintf(s.t.Err, "%s\n\n", s.wrapText(strings.TrimPrefix(question[menu:], "\n")))
	options := r.State.Gate.Options
	for {
		discardInput(int(s.t.In.Fd()))
		key, ok := s.askKey(ctx, s.paint.Bold("decide: "))
		fmt.Fprintln(s.t.Err, belay.VisibleLine(key))
		if !ok || key == "q" {
			return "", "", false, nil
		}
		if key == "v" && s.View != nil {
			if err := s.View(ctx, r); err != nil {
				fmt.Fprintln(s.t.Err, " ", session.ErrorLine(err))
			}
			continue
		}
		at := slices.IndexFunc(options, func(o loop.Decision) bool { return prompt.Key(o) == strings.ToLower(key) })
		if at < 0 {
			fmt.Fprintln(s.t.Err, s.wrapText("  press one of: "+s.keysHelp(options)))
			continue
		}
		d, words := options[at], ""
		switch {
		case d == loop.DecideGuide:
			fmt.Fprint(s.t.Err, "what should it do differently? ")
			if words, ok = readLines(ctx, s.t.In); !ok {
				return "", "", false, nil
			}
			if strings.TrimSpace(words) == "" {
				continue
			}
		case d == loop.DecideSkip || d == loop.DecideAbort:
			question := "end the task"
			if r.State.Before != "" {
				question = "roll back and end the task"
			}
			discardInput(int(s.t.In.Fd())) // before the question is shown, because it may be answered immediately
			if yes, ok := s.askKey(ctx, question+"? [y/N] "); !ok || strings.ToLower(yes) != "y" {
				fmt.Fprintln(s.t.Err)
				if !ok {
					return "", "", false, nil
				}
				continue
			}
			fmt.Fprintln(s.t.Err, "y")
		case d == loop.DecideApprove && r.State.Gate.Overrides():
			if words, ok = s.askOverrule(); !ok {
				continue
			}
		}
		return d, strings.TrimSpace(words), true, nil
	}
}

// Limits for what is repeated at a gate.
const (
	maxLastErrors = 3
	maxLastLines  = 6
)

// printLastOutput prints the output of failed programs and the end of the agent's output.
func (s *Screen) printLastOutput(said app.LastOutput) {
	fmt.Fprintln(s.t.Err)
	for i, f := range said.Errors {
		if i == maxLastErrors {
			fmt.Fprintf(s.t.Err, "and %d more: belay check\n", len(said.Errors)-i)
			break
		}
		lines := nonBlankLines(f.Detail)
		fmt.Fprintln(s.t.Err, s.wrapText(s.paint.Bold(belay.VisibleLine(f.Title))))
		for _, line := range lines[:min(len(lines), maxLastLines)] {
			fmt.Fprintln(s.t.Err, s.wrapText("  "+line))
		}
		if more := len(lines) - maxLastLines; more > 0 {
			fmt.Fprintf(s.t.Err, "  and %d more lines\n", more)
		}
	}
	if lines := nonBlankLines(said.Agent); len(lines) > 0 {
		fmt.Fprintln(s.t.Err, s.paint.Bold("the agent said last"))
		for _, line := range lines[max(0, len(lines)-maxLastLines):] {
			fmt.Fprintln(s.t.Err, s.wrapText("  "+line))
		}
	}
	fmt.Fprintln(s.t.Err)
}

// nonBlankLines returns the non-blank lines of untrusted text.
func nonBlankLines(text string) (lines []string) {
	for line := range strings.Lines(Sanitise(text)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, belay.Clip(line, 300))
		}
	}
	return lines
}

// keysHelp lists the keys that may be pressed.
func (s *Screen) keysHelp(options []loop.Decision) string {
	var list []string
	for _, o := range options {
		list = append(list, prompt.Key(o)+" "+string(o))
	}
	if s.View != nil {
		list = append(list, "v view")
	}
	list = append(list, "q quit")
	return strings.Join(list, ", ")
}

// askOverrule asks why rejected work may be accepted. ok is false if no reason is given.
func (s *Screen) askOverrule() (words string, ok bool) {
	answers := map[string]bool{}
	for _, q := range review.Questions() {
		line, ok := s.t.AskLine("  " + q.Text + " [y/n]")
		if !ok {
			return "", false
		}
		answers[q.Key] = strings.HasPrefix(strings.ToLower(line), "y")
	}
	note, _ := s.t.AskLine("  why may it be accepted?")
	d, err := review.Decide("", answers, note)
	if err != nil {
		fmt.Fprintln(s.t.Err, " ", session.ErrorLine(err))
		return "", false
	}
	return d.String(), true
}

// OptionsText returns a list of decisions for people.
func OptionsText(options []loop.Decision) string {
	var names []string
	for _, o := range options {
		names = append(names, string(o))
	}
	return strings.Join(names, ", ")
}

// Results of askKey that are not single characters: Enter, and several characters at once. They
// answer no question.
const (
	keyEnter  = ""
	keyPasted = "…"
)

// askKey prints a question and reads one key when it is pressed. Pasted text does not count as a key, and keys that send
// an escape sequence, such as arrows, are ignored. ok is false if ctx ends, at Ctrl-D, or at the
// end of the input. If the terminal cannot deliver single keys, the first character of a line
// counts.
func (s *Screen) askKey(ctx context.Context, question string) (key string, ok bool) {
	f := s.t.In
	restore, err := readSingleKeys(int(f.Fd()))
	fmt.Fprint(s.t.Err, question) // now: before, the terminal would take a Ctrl-D for itself
	if err != nil {
		line, ok := readLine(ctx, f)
		line = strings.TrimSpace(line)
		_, size := utf8.DecodeRuneInString(line)
		return line[:size], ok
	}
	defer restore()
	for {
		pressed, ok := waitKey(ctx, f)
		if !ok || pressed == "\x04" {
			return "", false
		}
		r, size := utf8.DecodeRuneInString(pressed)
		switch {
		case r == 0x1b:
		case size < len(pressed):
			discardPasted(ctx, f)
			return keyPasted, true
		case r == '\r' || r == '\n':
			return keyEnter, true
		case r > ' ' && r != 0x7f:
			return pressed, true
		}
	}
}

// pasteGap is how long no input arrives after the end of a paste.
const pasteGap = 50 * time.Millisecond

// discardPasted drops the rest of a paste.
func discardPasted(ctx context.Context, f *os.File) {
	buf := make([]byte, 4096)
	for ctx.Err() == nil {
		if more, err := waitInput(int(f.Fd()), pasteGap); err != nil || !more {
			return
		}
		if n, err := f.Read(buf); n == 0 || err != nil {
			return
		}
	}
}

// waitKey reads what one key sends. It reads only once input is there: a read still waiting when
// ctx ends would take what is typed next.
func waitKey(ctx context.Context, f *os.File) (string, bool) {
	buf := make([]byte, 64)
	n, ok := waitRead(ctx, f, buf)
	return string(buf[:n]), ok
}

func waitRead(ctx context.Context, f *os.File, buf []byte) (int, bool) {
	for ctx.Err() == nil {
		ready, err := waitInput(int(f.Fd()), 100*time.Millisecond)
		if err != nil {
			return 0, false
		}
		if !ready {
			continue
		}
		n, err := f.Read(buf)
		if n > 0 {
			return n, true
		}
		if err != nil {
			return 0, false
		}
	}
	return 0, false
}

// readLine reads one line. It returns early if ctx ends.
func readLine(ctx context.Context, f *os.File) (string, bool) {
	var line []byte
	one := make([]byte, 1)
	for {
		n, ok := waitRead(ctx, f, one)
		switch {
		case !ok || n == 0:
			return string(line), ctx.Err() == nil && len(line) > 0
		case one[0] == '\n':
			return string(line), true
		}
		line = append(line, one[0])
	}
}

// readLines reads a line and, if it was pasted, the lines pasted with it.
func readLines(ctx context.Context, f *os.File) (string, bool) {
	text, ok := readLine(ctx, f)
	for ok && ctx.Err() == nil {
		more, err := waitInput(int(f.Fd()), pasteGap)
		if err != nil || !more {
			break
		}
		line, another := readLine(ctx, f)
		if !another {
			break
		}
		text += "\n" + line
	}
	return text, ok
}
