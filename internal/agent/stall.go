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

// maxCycle is how many different calls a cycle may have.
const maxCycle = 6

// maxProgressOutput is how long an output is at most that says nothing but how far something is.
const maxProgressOutput = 300

// How many times as many rounds are needed as of other calls.
const (
	surerFactor   = 2 // somebody may want to be sure, or the evidence is weaker
	patientFactor = 4 // something else may change by itself
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

// StallWatch finds the first stall in an agent's output, written to it as it comes. The zero
// value is not ready: New makes one.
type StallWatch struct {
	reader      StreamReader
	normalizer  normalizer
	repeats     int
	calls       int
	threads     map[string]*thread
	openCalls   map[string]callRef // where a call that has not ended is
	pendingCall *callRef           // the call that ended last, and was not looked at
	tree        string             // after the last call, "" when it is not known
	equalTrees  map[string]string  // trees that differ from others only by what tests left
	found       *Stall

	// Tree names the state of the working tree, "" when it is not known; nil when there is
	// none to look at. It is asked only after calls that were made before.
	Tree func() string
}

type callRef struct {
	thread *thread
	number int
}

// thread is the last calls of an agent or a sub-agent.
type thread struct {
	began int // calls so far
	last  []call
}

// call is one tool call, as far as comparing needs it.
type call struct {
	number      int // within its thread
	position    int // within the stream
	argsSum     sum
	outputSum   sum
	hasResult   bool // what came of it is known, or will not be told
	hasOutput   bool // an output was given
	opaque      bool
	testsPassed bool // a run of tests that did not fail
	offline     bool // it failed for want of a network, or of somebody who answers
	waitOver    bool // what it waits for is over
	kind        callKind
	tree        string // after it; "" is not known
	description string

	editedFile string // the file that it edits; "" when it is no edit

	// What it is but for white space and, of one that failed, what it gave but for figures.
	argsSumNoSpace, outputSumNoNumbers sum
	failed                             bool
}

type sum = [sha256.Size]byte

// New makes a watch. root is the working tree; repeats under 2 watches nothing.
func NewStallWatch(root string, repeats int) *StallWatch {
	w := &StallWatch{normalizer: normalizer{strings.TrimSuffix(root, "/")}, repeats: repeats,
		threads: map[string]*thread{}, openCalls: map[string]callRef{}}
	w.reader.Listener = w
	return w
}

// Write takes more of the output. It never fails.
func (w *StallWatch) Write(p []byte) (int, error) {
	if w.repeats < 2 || w.found != nil {
		return len(p), nil
	}
	n, err := w.reader.Write(p)
	w.checkPending(true)
	return n, err
}

// Close reads what is left of the last line.
func (w *StallWatch) Close() {
	w.reader.Close()
	w.checkPending(true)
}

// Found returns the first stall, nil when there was none so far.
func (w *StallWatch) Found() *Stall { return w.found }

// HasEvents reports whether there was any event, which need not be a call.
func (w *StallWatch) HasEvents() bool { return w.reader.HasEvents }

// Calls returns how many calls were seen.
func (w *StallWatch) Calls() int { return w.calls }

// CallBegan takes a call.
func (w *StallWatch) CallBegan(c Call) {
	w.calls++
	t := w.threads[c.Thread]
	if t == nil {
		t = &thread{}
		w.threads[c.Thread] = t
	}
	t.began++
	args := w.normalizer.normalizeArgs(c.Args)
	one := call{number: t.began, position: w.calls, kind: kindOf(c, w.normalizer), description: w.describeCall(c), opaque: c.Opaque}
	tool := strings.ToLower(c.Tool) + "\x00"
	one.argsSumNoSpace, one.editedFile = sha256.Sum256([]byte(tool+blanks.ReplaceAllString(args, ""))), w.editedFile(c)
	if c.Opaque { // no two edits are known to be the same
		args += fmt.Sprint(t.began)
	}
	one.argsSum = sha256.Sum256([]byte(tool + args))
	t.last = append(t.last, one)
	if most := maxCycle * w.repeats * patientFactor; len(t.last) > most {
		t.last = t.last[len(t.last)-most:]
	}
	if c.ID != "" {
		if len(w.openCalls) > 1024 { // calls that never end
			w.openCalls = map[string]callRef{}
		}
		w.openCalls[c.ID] = callRef{t, t.began}
	}
}

// CallEnded takes what came of a call. Calls before it whose results did not come will not get
// one any more.
func (w *StallWatch) CallEnded(e CallResult) {
	at, known := w.openCalls[e.ID]
	if !known {
		return
	}
	w.checkPending(false)
	delete(w.openCalls, e.ID)
	for i := range at.thread.last {
		if c := &at.thread.last[i]; c.number == at.number {
			w.finishCall(at.thread, c, e)
		}
	}
	w.pendingCall = &at
}

func (w *StallWatch) finishCall(in *thread, c *call, e CallResult) {
	c.hasResult, c.hasOutput = true, e.HasOutput
	c.testsPassed = c.kind&kindTests != 0 && !e.Failed && !reportsFailure(e.Output)
	c.offline = c.kind&kindTests == 0 && offlineOutput.MatchString(e.Output)
	c.waitOver = finishedOutput.MatchString(e.Output) && !pendingOutput.MatchString(e.Output)
	if len(e.Output) < maxProgressOutput && c.kind&(kindActs|kindTests) == 0 && pendingOutput.MatchString(e.Output) {
		c.kind |= kindPolls
	}
	c.outputSum = w.outputSum(in, c, e.Output)
	c.failed = e.Failed || c.kind&kindTests != 0 && !c.testsPassed || errorOutput.MatchString(e.Output)
	if c.failed {
		c.outputSumNoNumbers = sha256.Sum256([]byte(w.normalizer.withoutNumbers(e.Output)))
	}
	if e.Failed && c.editedFile != "" { // guesses at what a file holds
		c.argsSumNoSpace, c.outputSumNoNumbers = sha256.Sum256([]byte("edit\x00"+c.editedFile)), sum{}
	}
}

// checkPending looks at the call that ended last. now says that nothing came after it, so that the
// tree is still as it left it.
func (w *StallWatch) checkPending(now bool) {
	if w.pendingCall == nil || w.found != nil {
		return
	}
	in, n := w.pendingCall.thread, w.pendingCall.number
	w.pendingCall = nil
	i := slices.IndexFunc(in.last, func(c call) bool { return c.number == n })
	if i >= 0 && now && w.Tree != nil {
		c := &in.last[i]
		again := c.kind&kindWaits == 0 && slices.ContainsFunc(in.last[:i],
			func(old call) bool { return old.argsSumNoSpace == c.argsSumNoSpace })
		if again || c.opaque {
			c.tree = w.treeAfter(*c)
		}
		if c.opaque && c.tree != "" && c.tree != w.tree { // two edits that leave the same tree are the same
			c.argsSum = sha256.Sum256([]byte(c.tree + string(c.argsSumNoSpace[:])))
		}
	}
	if i >= 0 {
		w.tree = in.last[i].tree
	}
	w.findStall(in)
}

// treeAfter names the tree that a call left. What tests leave, a report or a cache, is no
// change: it is the tree that they were run on, when that is known.
func (w *StallWatch) treeAfter(c call) string {
	now := w.Tree()
	if was, same := w.equalTrees[now]; same {
		return was
	}
	if c.kind&kindTests == 0 || now == "" || w.tree == "" || w.tree == now {
		return now
	}
	if len(w.equalTrees) > 1024 {
		w.equalTrees = nil
	}
	if w.equalTrees == nil {
		w.equalTrees = map[string]string{}
	}
	w.equalTrees[now] = w.tree
	return w.tree
}

// editedFile names the file that a call edits, "" for other calls.
func (w *StallWatch) editedFile(c Call) string {
	if m, ok := c.Args.(map[string]any); ok && containsAny(strings.ToLower(c.Tool), actingTools) {
		for _, key := range []string{"file_path", "filePath", "path"} {
			if path, ok := m[key].(string); ok {
				return w.normalizer.normalizePath(path)
			}
		}
	}
	return ""
}

// reportsFailure reports whether what a run of tests said speaks of failures other than none: not
// every agent says how a command ended.
func reportsFailure(output string) bool {
	return strings.Contains(strings.ToLower(noFailures.ReplaceAllString(output, "")), "fail")
}

// outputSum names what a call gave. An agent that answers for a tool that nothing changed since
// it was used last gives what that gave.
func (w *StallWatch) outputSum(in *thread, c *call, text string) sum {
	if len(text) < maxProgressOutput && unchangedOutput.MatchString(text) {
		for _, old := range slices.Backward(in.last) {
			if old.number < c.number && old.hasOutput && old.argsSum == c.argsSum {
				return old.outputSum
			}
		}
	}
	switch {
	case c.kind&kindProcesses != 0:
		text = digits.ReplaceAllString(containerID.ReplaceAllString(w.normalizer.normalizeOutput(text), "#"), "#")
	case c.kind&kindTests != 0: // those that run side by side print in any order
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			lines[i] = w.normalizer.normalizeOutput(line)
		}
		slices.Sort(lines)
		text = strings.Join(lines, "\n")
	default:
		text = w.normalizer.normalizeOutput(text)
	}
	return sha256.Sum256([]byte(text))
}

// findStall asks whether the thread's last calls are rounds of the same.
func (w *StallWatch) findStall(t *thread) {
	done := t.last
	for len(done) > 0 && !done[len(done)-1].hasResult {
		done = done[:len(done)-1]
	}
	if len(done) == 0 {
		return
	}
	working := slices.DeleteFunc(slices.Clone(done), func(c call) bool { return c.kind == kindNotes })
	for _, calls := range [][]call{done, working} {
		if w.found == nil {
			w.found = w.findRounds(calls, false)
		}
		if last := done[len(done)-1]; w.found == nil && last.tree != "" { // other figures may be news, but not of the same tree
			w.found = w.findRounds(calls, true)
		}
	}
}

// callFamily are the calls of a window that are the same and gave the same.
type callFamily struct {
	args, output sum
}

// familyMembers are how often it was made, for each tree that it left; "" is not known.
type familyMembers struct {
	trees       map[string]int
	description string
}

// repeatedEnough reports whether it was made n times with each tree that it left. Where a tree is
// not known it may have been any of them.
func (m familyMembers) repeatedEnough(n int) bool {
	spare, known := m.trees[""], 0
	for tree, count := range m.trees {
		if tree != "" {
			spare -= max(0, n-count)
			known++
		}
	}
	return known == 0 && spare >= n || known > 0 && spare >= 0
}

// findRounds looks back from the last call for a window in which no call did or said anything
// new: each was made as often as is needed, with the same result and the same tree. The order
// within a round does not count. loose forgives failed calls other figures and white space.
func (w *StallWatch) findRounds(calls []call, loose bool) *Stall {
	all, order, seen := map[callFamily]*familyMembers{}, []callFamily(nil), windowEvidence{loose: loose}
	for i := len(calls) - 1; i >= 0; i-- {
		c := calls[i]
		f := callFamily{c.argsSum, c.outputSum}
		if loose && c.failed {
			f = callFamily{c.argsSumNoSpace, c.outputSumNoNumbers}
		}
		if !c.hasOutput {
			if c.kind&kindAdvances != 0 {
				return nil
			}
			f.output = sum{}
		}
		m := all[f]
		if m == nil {
			if m = (&familyMembers{map[string]int{}, c.description}); len(all) == maxCycle {
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
		if !slices.ContainsFunc(order, func(f callFamily) bool { return !all[f].repeatedEnough(need) }) {
			s := &Stall{Times: need, At: calls[len(calls)-1].position}
			for _, f := range slices.Backward(order) {
				s.Calls = append(s.Calls, all[f].description)
			}
			return s
		}
	}
	return nil
}

// windowEvidence is what the calls of a window are.
type windowEvidence struct {
	kinds                         callKind
	loose, passed                 bool
	offline, onlineActs, waitOpen bool
}

func (e *windowEvidence) add(c call) {
	e.kinds |= c.kind
	e.passed = e.passed || c.testsPassed
	e.offline = e.offline || c.offline
	e.onlineActs = e.onlineActs || c.kind&kindActs != 0 && !c.offline
	e.waitOpen = e.waitOpen || c.kind&kindWaits != 0 && !c.waitOver
}

// factor is how many times as many rounds are needed; 0 is however many.
func (e *windowEvidence) factor() int {
	act := e.kinds&(kindActs|kindTests) != 0
	switch {
	case e.offline && !e.onlineActs:
		return patientFactor // it is tried again, and that may help
	case e.waitOpen && !act:
		return 0
	case e.kinds&kindPolls != 0 && !act:
		return patientFactor
	case e.loose, e.passed, e.kinds&kindWaits != 0:
		return surerFactor
	}
	return 1
}

// describeCall is a call as a person reads it.
func (w *StallWatch) describeCall(c Call) string {
	m, _ := c.Args.(map[string]any)
	for _, key := range []string{"command", "cmd", "file_path", "filePath", "path", "absolute_path", "pattern", "query", "url", "prompt"} {
		switch v := m[key].(type) {
		case string:
			return clip(c.Tool + " " + w.normalizer.displayCommand(v))
		case []any:
			return clip(c.Tool + " " + w.normalizer.displayCommand(strings.Join(textBlocks(v), " ")))
		}
	}
	return clip(c.Tool + " " + w.normalizer.normalizeArgs(c.Args))
}

func clip(s string) string {
	if r := []rune(s); len(r) > 160 {
		return string(r[:159]) + "…"
	}
	return s
}

func textBlocks(list []any) []string {
	var out []string
	for _, v := range list {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
