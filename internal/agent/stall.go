package agent

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// Real work repeats itself, too, and is let be: waiting for a job, reading on through a
// long file, testing again after an edit, a call that says something new each time or
// leaves other files.

// Repeats is how often a call, or a cycle of calls, is made in a row before it is a stall.
const Repeats = 3

// longest is how many different calls a cycle may have.
const longest = 6

// brief is how long an output is at most that says nothing but how far something is.
const brief = 300

// How many times as many rounds are needed as of other calls.
const (
	surer   = 2 // somebody may want to be sure, or the evidence is weaker
	patient = 4 // something else may change by itself
)

// Stall is what was repeated.
type Stall struct {
	Calls []string `json:"calls"` // one cycle, each call as a person reads it: "Read src/a.ts"
	Times int      `json:"times"`
	At    int      `json:"at"` // the number of the call, from 1, that completed the last round
}

// String says it in one line.
func (s Stall) String() string {
	if len(s.Calls) == 1 {
		return fmt.Sprintf("the same call %d times in a row: %s", s.Times, s.Calls[0])
	}
	return fmt.Sprintf("the same %d calls repeated %d times: %s", len(s.Calls), s.Times, strings.Join(s.Calls, " → "))
}

// Watch finds the first stall in an agent's output, written to it as it comes. The zero
// value is not ready: New makes one.
type Watch struct {
	reader  Reader
	canon   canon
	repeats int
	calls   int
	threads map[string]*thread
	of      map[string]outputPlace // where a call that has not ended is
	due     *outputPlace           // the call that ended last, and was not looked at
	tree    string                 // after the last call, "" when it is not known
	same    map[string]string      // trees that differ from others only by what tests left
	found   *Stall

	// Tree names the state of the working tree, "" when it is not known; nil when there is
	// none to look at. It is asked only after calls that were made before.
	Tree func() string
}

type outputPlace struct {
	in *thread
	n  int
}

// thread is the last calls of an agent or a sub-agent.
type thread struct {
	began int // calls so far
	last  []call
}

// call is one tool call, as far as comparing needs it.
type call struct {
	n         int // within its thread
	at        int // within the stream
	sign      sum
	output    sum
	settled   bool // what came of it is known, or will not be told
	hasOutput bool // an output was given
	opaque    bool
	passed    bool // a run of tests that did not fail
	offline   bool // it failed for want of a network, or of somebody who answers
	over      bool // what it waits for is over
	kind      kind
	tree      string // after it; "" is not known
	says      string

	edits string // the file that it edits; "" when it is no edit

	// What it is but for white space and, of one that failed, what it gave but for figures.
	blank, figureless sum
	failed            bool
}

type sum = [sha256.Size]byte

// New makes a watch. root is the working tree; repeats under 2 watches nothing.
func NewStallWatch(root string, repeats int) *Watch {
	w := &Watch{canon: canon{strings.TrimSuffix(root, "/")}, repeats: repeats, threads: map[string]*thread{}, of: map[string]outputPlace{}}
	w.reader.To = w
	return w
}

// Write takes more of the output. It never fails.
func (w *Watch) Write(p []byte) (int, error) {
	if w.repeats < 2 || w.found != nil {
		return len(p), nil
	}
	n, err := w.reader.Write(p)
	w.settle(true)
	return n, err
}

// Close reads what is left of the last line.
func (w *Watch) Close() {
	w.reader.Close()
	w.settle(true)
}

// Found returns the first stall, nil when there was none so far.
func (w *Watch) Found() *Stall { return w.found }

// Typed reports whether there was any event, which need not be a call.
func (w *Watch) Typed() bool { return w.reader.Typed }

// Calls returns how many calls were seen.
func (w *Watch) Calls() int { return w.calls }

// Began takes a call.
func (w *Watch) Began(c Call) {
	w.calls++
	t := w.threads[c.Thread]
	if t == nil {
		t = &thread{}
		w.threads[c.Thread] = t
	}
	t.began++
	args := w.canon.canonical(c.Args)
	one := call{n: t.began, at: w.calls, kind: kindOf(c, w.canon), says: w.says(c), opaque: c.Opaque}
	tool := strings.ToLower(c.Tool) + "\x00"
	one.blank, one.edits = sha256.Sum256([]byte(tool+blanks.ReplaceAllString(args, ""))), w.edited(c)
	if c.Opaque { // no two edits are known to be the same
		args += fmt.Sprint(t.began)
	}
	one.sign = sha256.Sum256([]byte(tool + args))
	t.last = append(t.last, one)
	if most := longest * w.repeats * patient; len(t.last) > most {
		t.last = t.last[len(t.last)-most:]
	}
	if c.ID != "" {
		if len(w.of) > 1024 { // calls that never end
			w.of = map[string]outputPlace{}
		}
		w.of[c.ID] = outputPlace{t, t.began}
	}
}

// Ended takes what came of a call. Calls before it whose results did not come will not get
// one any more.
func (w *Watch) Ended(e Ended) {
	at, known := w.of[e.ID]
	if !known {
		return
	}
	w.settle(false)
	delete(w.of, e.ID)
	for i := range at.in.last {
		if c := &at.in.last[i]; c.n == at.n {
			w.ended(at.in, c, e)
		}
	}
	w.due = &at
}

func (w *Watch) ended(in *thread, c *call, e Ended) {
	c.settled, c.hasOutput = true, e.HasOutput
	c.passed = c.kind&tests != 0 && !e.Failed && !saysFailing(e.Output)
	c.offline = c.kind&tests == 0 && offline.MatchString(e.Output)
	c.over = over.MatchString(e.Output) && !pending.MatchString(e.Output)
	if len(e.Output) < brief && c.kind&(acts|tests) == 0 && pending.MatchString(e.Output) {
		c.kind |= polls
	}
	c.output = w.output(in, c, e.Output)
	c.failed = e.Failed || c.kind&tests != 0 && !c.passed || erred.MatchString(e.Output)
	if c.failed {
		c.figureless = sha256.Sum256([]byte(w.canon.figureless(e.Output)))
	}
	if e.Failed && c.edits != "" { // guesses at what a file holds
		c.blank, c.figureless = sha256.Sum256([]byte("edit\x00"+c.edits)), sum{}
	}
}

// settle looks at the call that ended last. now says that nothing came after it, so that the
// tree is still as it left it.
func (w *Watch) settle(now bool) {
	if w.due == nil || w.found != nil {
		return
	}
	in, n := w.due.in, w.due.n
	w.due = nil
	i := slices.IndexFunc(in.last, func(c call) bool { return c.n == n })
	if i >= 0 && now && w.Tree != nil {
		c := &in.last[i]
		again := c.kind&waits == 0 && slices.ContainsFunc(in.last[:i], func(old call) bool { return old.blank == c.blank })
		if again || c.opaque {
			c.tree = w.treeAfter(*c)
		}
		if c.opaque && c.tree != "" && c.tree != w.tree { // two edits that leave the same tree are the same
			c.sign = sha256.Sum256([]byte(c.tree + string(c.blank[:])))
		}
	}
	if i >= 0 {
		w.tree = in.last[i].tree
	}
	w.look(in)
}

// treeAfter names the tree that a call left. What tests leave, a report or a cache, is no
// change: it is the tree that they were run on, when that is known.
func (w *Watch) treeAfter(c call) string {
	now := w.Tree()
	if was, same := w.same[now]; same {
		return was
	}
	if c.kind&tests == 0 || now == "" || w.tree == "" || w.tree == now {
		return now
	}
	if len(w.same) > 1024 {
		w.same = nil
	}
	if w.same == nil {
		w.same = map[string]string{}
	}
	w.same[now] = w.tree
	return w.tree
}

// edited names the file that a call edits, "" for other calls.
func (w *Watch) edited(c Call) string {
	if m, ok := c.Args.(map[string]any); ok && anyIn(strings.ToLower(c.Tool), acting) {
		for _, key := range []string{"file_path", "filePath", "path"} {
			if path, ok := m[key].(string); ok {
				return w.canon.plain(path)
			}
		}
	}
	return ""
}

// saysFailing reports whether what a run of tests said speaks of failures other than none: not
// every agent says how a command ended.
func saysFailing(output string) bool {
	return strings.Contains(strings.ToLower(noFailures.ReplaceAllString(output, "")), "fail")
}

// output names what a call gave. An agent that answers for a tool that nothing changed since
// it was used last gives what that gave.
func (w *Watch) output(in *thread, c *call, text string) sum {
	if len(text) < brief && unchanged.MatchString(text) {
		for _, old := range slices.Backward(in.last) {
			if old.n < c.n && old.hasOutput && old.sign == c.sign {
				return old.output
			}
		}
	}
	switch {
	case c.kind&processes != 0:
		text = digits.ReplaceAllString(containerID.ReplaceAllString(w.canon.result(text), "#"), "#")
	case c.kind&tests != 0: // those that run side by side print in any order
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			lines[i] = w.canon.result(line)
		}
		slices.Sort(lines)
		text = strings.Join(lines, "\n")
	default:
		text = w.canon.result(text)
	}
	return sha256.Sum256([]byte(text))
}

// look asks whether the thread's last calls are rounds of the same.
func (w *Watch) look(t *thread) {
	done := t.last
	for len(done) > 0 && !done[len(done)-1].settled {
		done = done[:len(done)-1]
	}
	if len(done) == 0 {
		return
	}
	working := slices.DeleteFunc(slices.Clone(done), func(c call) bool { return c.kind == notes })
	for _, calls := range [][]call{done, working} {
		if w.found == nil {
			w.found = w.rounds(calls, false)
		}
		if last := done[len(done)-1]; w.found == nil && last.tree != "" { // other figures may be news, but not of the same tree
			w.found = w.rounds(calls, true)
		}
	}
}

// family are the calls of a window that are the same and gave the same.
type family struct {
	what, gave sum
}

// members are how often it was made, for each tree that it left; "" is not known.
type members struct {
	trees map[string]int
	says  string
}

// enough reports whether it was made n times with each tree that it left. Where a tree is
// not known it may have been any of them.
func (m members) enough(n int) bool {
	spare, known := m.trees[""], 0
	for tree, count := range m.trees {
		if tree != "" {
			spare -= max(0, n-count)
			known++
		}
	}
	return known == 0 && spare >= n || known > 0 && spare >= 0
}

// rounds looks back from the last call for a window in which no call did or said anything
// new: each was made as often as is needed, with the same result and the same tree. The order
// within a round does not count. loose forgives failed calls other figures and white space.
func (w *Watch) rounds(calls []call, loose bool) *Stall {
	all, order, seen := map[family]*members{}, []family(nil), evidence{loose: loose}
	for i := len(calls) - 1; i >= 0; i-- {
		c := calls[i]
		f := family{c.sign, c.output}
		if loose && c.failed {
			f = family{c.blank, c.figureless}
		}
		if !c.hasOutput {
			if c.kind&advances != 0 {
				return nil
			}
			f.gave = sum{}
		}
		m := all[f]
		if m == nil {
			if m = (&members{map[string]int{}, c.says}); len(all) == longest {
				return nil
			}
			all[f], order = m, append(order, f)
		}
		m.trees[c.tree]++
		seen.add(c)
		need := w.repeats * seen.factor()
		if len(calls)-i < need*len(all) || need == 0 {
			continue
		}
		if !slices.ContainsFunc(order, func(f family) bool { return !all[f].enough(need) }) {
			s := &Stall{Times: need, At: calls[len(calls)-1].at}
			for _, f := range slices.Backward(order) {
				s.Calls = append(s.Calls, all[f].says)
			}
			return s
		}
	}
	return nil
}

// evidence is what the calls of a window are.
type evidence struct {
	kinds                     kind
	loose, passed             bool
	offline, onlineActs, open bool
}

func (e *evidence) add(c call) {
	e.kinds |= c.kind
	e.passed = e.passed || c.passed
	e.offline = e.offline || c.offline
	e.onlineActs = e.onlineActs || c.kind&acts != 0 && !c.offline
	e.open = e.open || c.kind&waits != 0 && !c.over
}

// factor is how many times as many rounds are needed; 0 is however many.
func (e *evidence) factor() int {
	act := e.kinds&(acts|tests) != 0
	switch {
	case e.offline && !e.onlineActs:
		return patient // it is tried again, and that may help
	case e.open && !act:
		return 0
	case e.kinds&polls != 0 && !act:
		return patient
	case e.loose, e.passed, e.kinds&waits != 0:
		return surer
	}
	return 1
}

// says is a call as a person reads it.
func (w *Watch) says(c Call) string {
	m, _ := c.Args.(map[string]any)
	for _, key := range []string{"command", "cmd", "file_path", "filePath", "path", "absolute_path", "pattern", "query", "url", "prompt"} {
		switch v := m[key].(type) {
		case string:
			return clip(c.Tool + " " + w.canon.line(v))
		case []any:
			return clip(c.Tool + " " + w.canon.line(strings.Join(texts(v), " ")))
		}
	}
	return clip(c.Tool + " " + w.canon.canonical(c.Args))
}

func clip(s string) string {
	if r := []rune(s); len(r) > 160 {
		return string(r[:159]) + "…"
	}
	return s
}

func texts(list []any) []string {
	var out []string
	for _, v := range list {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
