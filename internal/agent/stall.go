package agent

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// Normal work also repeats calls and is not a stall: waiting for a job, paging through a long file,
// testing again after an edit, a call that prints something new each time or changes other files.

// Repeats is how often a call, or a cycle of calls, is repeated in a row before it counts as a
// stall.
const Repeats = 3

// maxCycle is the maximum number of different calls in a cycle.
const maxCycle = 6

// maxProgressOutput is the maximum length in bytes of an output that only reports progress.
const maxProgressOutput = 300

// Factors of the number of rounds that make a stall.
const (
	surerFactor   = 2 // the agent may want to be sure, or the evidence is weaker
	patientFactor = 4 // something else may change by itself
)

// Stall is a repeated cycle of calls.
type Stall struct {
	Calls []string `json:"calls"` // one cycle, each call in readable form: "Read src/a.ts"
	Times int      `json:"times"`
	At    int      `json:"at"` // the number of the call, from 1, that completed the last round
}

// String returns it as one line.
func (s Stall) String() string {
	if len(s.Calls) == 1 {
		return fmt.Sprintf("the same call %d times in a row: %s", s.Times, s.Calls[0])
	}
	return fmt.Sprintf("the same %d calls repeated %d times: %s", len(s.Calls), s.Times, strings.Join(s.Calls, " → "))
}

// StallWatch finds the first stall in an agent's output, which is written to it. Use NewStallWatch;
// the zero value does not work.
type StallWatch struct {
	reader      StreamReader
	normalizer  normalizer
	repeats     int
	calls       int
	threads     map[string]*thread
	openCalls   map[string]callRef // position of each call that has not ended
	pendingCall *callRef           // the call that ended last, if not checked yet
	tree        string             // after the last call; "" is unknown
	equalTrees  map[string]string  // maps a tree to one that differs only by files that tests left
	found       *Stall

	// Tree returns an ID of the state of the working tree, "" if unknown; nil without a working
	// tree. It is only called after a repeated call, because it is expensive.
	Tree func() string
}

type callRef struct {
	thread *thread
	number int
}

// thread has the last calls of an agent or a sub-agent.
type thread struct {
	began int // calls so far
	last  []call
}

// call is one tool call, reduced to what is compared.
type call struct {
	number      int // within its thread
	position    int // within the stream
	argsSum     sum
	outputSum   sum
	hasResult   bool // its result is known, or will not be reported
	hasOutput   bool // an output was given
	opaque      bool
	testsPassed bool // a run of tests without failures
	offline     bool // it failed because the network or a server did not answer
	waitOver    bool // the awaited event happened
	kind        callKind
	tree        string // after the call; "" is unknown
	description string

	editedFile string // the file that it edits; "" if it is no edit

	// The arguments without white space and, of a failed call, the output without figures.
	argsSumNoSpace, outputSumNoNumbers sum
	failed                             bool
}

type sum = [sha256.Size]byte

// NewStallWatch makes a watch. root is the working tree; with repeats under 2 it finds nothing.
func NewStallWatch(root string, repeats int) *StallWatch {
	w := &StallWatch{normalizer: normalizer{strings.TrimSuffix(root, "/")}, repeats: repeats,
		threads: map[string]*thread{}, openCalls: map[string]callRef{}}
	w.reader.Listener = w
	return w
}

// Write reads more of the output. It never fails.
func (w *StallWatch) Write(p []byte) (int, error) {
	if w.repeats < 2 || w.found != nil {
		return len(p), nil
	}
	n, err := w.reader.Write(p)
	w.checkPending(true)
	return n, err
}

// Close reads an unfinished last line.
func (w *StallWatch) Close() {
	w.reader.Close()
	w.checkPending(true)
}

// Found returns the first stall, nil if there is none so far.
func (w *StallWatch) Found() *Stall { return w.found }

// HasEvents reports whether there was any event, not only calls.
func (w *StallWatch) HasEvents() bool { return w.reader.HasEvents }

// Calls returns the number of calls so far.
func (w *StallWatch) Calls() int { return w.calls }

// CallBegan adds a call.
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
	if c.Opaque { // no two edits are known to be equal
		args += fmt.Sprint(t.began)
	}
	one.argsSum = sha256.Sum256([]byte(tool + args))
	t.last = append(t.last, one)
	if most := maxCycle * w.repeats * patientFactor; len(t.last) > most {
		t.last = t.last[len(t.last)-most:]
	}
	if c.ID != "" {
		if len(w.openCalls) > 1024 { // some calls never end
			w.openCalls = map[string]callRef{}
		}
		w.openCalls[c.ID] = callRef{t, t.began}
	}
}

// CallEnded adds the result of a call.
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
	if e.Failed && c.editedFile != "" { // attempts to guess the content of a file count as equal
		c.argsSumNoSpace, c.outputSumNoNumbers = sha256.Sum256([]byte("edit\x00"+c.editedFile)), sum{}
	}
}

// checkPending checks the call that ended last. now means that no event followed it, so the tree is
// unchanged since.
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
		if c.opaque && c.tree != "" && c.tree != w.tree { // two edits that lead to the same tree are equal
			c.argsSum = sha256.Sum256([]byte(c.tree + string(c.argsSumNoSpace[:])))
		}
	}
	if i >= 0 {
		w.tree = in.last[i].tree
	}
	w.findStall(in)
}

// treeAfter returns the ID of the tree after a call. Files that tests leave, such as a report or a
// cache, do not count as a change: the result is then the tree that was tested, if known.
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

// editedFile returns the file that a call edits, "" for other calls.
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

// reportsFailure reports whether the output of tests mentions failures, other than "0 failed": not
// every agent reports the exit status of a command.
func reportsFailure(output string) bool {
	return strings.Contains(strings.ToLower(noFailures.ReplaceAllString(output, "")), "fail")
}

// outputSum returns the hash of a call's output. If the output only states that nothing changed
// since the same call, it returns the hash of that call's output.
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
	case c.kind&kindTests != 0: // tests that run in parallel print in any order
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

// findStall checks whether the thread's last calls are repeated rounds.
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
		if last := done[len(done)-1]; w.found == nil && last.tree != "" { // other figures may be progress, but not on an unchanged tree
			w.found = w.findRounds(calls, true)
		}
	}
}

// callFamily identifies calls with the same arguments and the same output.
type callFamily struct {
	args, output sum
}

// familyMembers counts such calls by the tree after them; "" is unknown.
type familyMembers struct {
	trees       map[string]int
	description string
}

// repeatedEnough reports whether there were n calls with each of their trees. A call with an
// unknown tree counts for any of them.
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

// findRounds searches back from the last call for a window in which every call was made often
// enough with the same result and the same tree. The order within a round does not count. loose
// ignores white space, and figures in the output, of failed calls.
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

// windowEvidence is what is known about the calls of a window.
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

// factor returns the factor of the required number of rounds; 0 means that no number is enough.
func (e *windowEvidence) factor() int {
	act := e.kinds&(kindActs|kindTests) != 0
	switch {
	case e.offline && !e.onlineActs:
		return patientFactor // trying again may help
	case e.waitOpen && !act:
		return 0
	case e.kinds&kindPolls != 0 && !act:
		return patientFactor
	case e.loose, e.passed, e.kinds&kindWaits != 0:
		return surerFactor
	}
	return 1
}

// describeCall returns a call in readable form.
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
