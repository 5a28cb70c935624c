package loop

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/belay"
)

// event makes the event for a word of a story, in answer to s:
//
//	ok            the natural result of the pending command; a pass for check and review
//	fail:cat      a failed verdict with one finding of the category (tests by default)
//	fail:cat:t    the same, with the title t
//	ask:t         nothing but a question with the title t
//	unknown, none the verdict unknown, and no verdict at all
//	exit=3 timeout stall lost blocked broken cancel stop resume
//	debug guide skip abort recheck   a decision at the open gate
//
// @40m and $1.5 after a word add elapsed time and cost, #4/5 the feature's retries.
func event(t testing.TB, s State, word string) Event {
	t.Helper()
	word, e := extras(t, word)
	name, arg, _ := strings.Cut(word, ":")
	if s.Pending != nil {
		e.Command = s.Pending.ID
	}
	e.Snapshot = belay.SnapshotID(fmt.Sprintf("snap%d", s.Seq))
	switch name {
	case "ok":
		e.Kind = resultOf[s.Pending.Kind]
		e.Ended, e.Verdict, e.Note = EndedExit, belay.VerdictPass, "a note"
	case "fail":
		category, title, _ := strings.Cut(arg, ":")
		if category == "" {
			category = "tests"
		}
		f := belay.Finding{Check: "c", Category: belay.Category(category), Severity: belay.SeverityError, Title: category + title + strconv.Itoa(s.Seq)}
		if title != "" {
			f.Title = title
		}
		// Titles that differ only in numbers are the same finding, so use letters.
		f.Title = strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return r + 'a' - '0'
			}
			return r
		}, f.Title)
		e.Kind, e.Verdict, e.Findings = resultOf[s.Pending.Kind], belay.VerdictFail, []belay.Finding{f.Sign()}
	case "ask":
		f := belay.Finding{Check: "c", Category: belay.CategoryIntegrity, Severity: belay.SeverityQuestion, Title: arg}
		e.Kind, e.Verdict, e.Findings = resultOf[s.Pending.Kind], belay.VerdictUnknown, []belay.Finding{f.Sign()}
	case "unknown":
		e.Kind, e.Verdict, e.Note = resultOf[s.Pending.Kind], belay.VerdictUnknown, "no test runner"
	case "none":
		e.Kind = resultOf[s.Pending.Kind]
	case "timeout":
		e.Kind, e.Ended = EvAttempted, EndedTimeout
	case "stall":
		e.Kind, e.Note = EvStalled, "the same call 3 times"
	case "blocked":
		e.Kind, e.Ended, e.Blocked = EvAttempted, EndedExit, "no tool was allowed"
	case "limited":
		e.Kind, e.Note = EvLimited, "cost $2.00 reached (limits.cost): $2.50 used"
	case "lost":
		e.Kind, e.Note = EvLost, "the machine went down"
	case "broken":
		e.Kind, e.Note = EvBroken, "no space"
	case "cancel":
		e.Kind, e.By = EvCancelled, "ann"
	case "stop":
		e.Kind, e.Ended, e.By = EvCancelled, EndedStopped, "ann"
	case "resume":
		e.Kind = EvResumed
	case "start":
		e.Kind = EvStarted
	case "debug", "guide", "skip", "abort", "recheck":
		e.Kind, e.Decision, e.Note, e.By, e.Gate, e.Rules = EvDecided, Decision(name), "words", "ann", s.Gates, DecisionRules
	default:
		n, ok := strings.CutPrefix(name, "exit=")
		if !ok {
			t.Fatalf("no event is called %q", word)
		}
		e.Kind, e.Ended = EvAttempted, EndedExit
		e.Exit, _ = strconv.Atoi(n)
	}
	return e
}

func extras(t testing.TB, word string) (string, Event) {
	var e Event
	word, feature, ok := strings.Cut(word, "#")
	if ok {
		if _, err := fmt.Sscanf(feature, "%d/%d", &e.FeatureRetries, &e.FeatureLimit); err != nil {
			t.Fatal(err)
		}
	}
	word, cost, _ := strings.Cut(word, "$")
	e.Cost, _ = strconv.ParseFloat(cost, 64)
	word, elapsed, _ := strings.Cut(word, "@")
	e.Elapsed, _ = time.ParseDuration(elapsed)
	return word, e
}

var resultOf = map[CommandKind]EventKind{
	CmdSnapshot: EvSnapshot, CmdBaseline: EvBaseline, CmdAttempt: EvAttempted, CmdCapture: EvCaptured,
	CmdCheck: EvChecked, CmdReview: EvReviewed, CmdRestore: EvRestored, CmdDebug: EvDebugged, CmdClose: EvClosed,
}

// tell runs a story and returns one word for the effect of each event: the command issued, the gate
// opened, the end, "-" for nothing, or the error.
func tell(t testing.TB, p belay.Policy, story string) (State, []string) {
	t.Helper()
	var s State
	var trace []string
	for _, word := range strings.Fields("start " + story) {
		if word == "ok" && s.Pending == nil {
			t.Fatalf("after %v nothing is pending", trace)
		}
		next, commands, err := Step(p, s, event(t, s, word))
		trace = append(trace, outcomeOf(t, s, next, commands, err))
		s = next
	}
	return s, trace
}

func outcomeOf(t testing.TB, before, s State, commands []Command, err error) string {
	t.Helper()
	var known *belay.Error
	switch {
	case err != nil && !errors.As(err, &known):
		t.Fatalf("not an error for people: %v", err)
	case err != nil:
		return "!" + reasonOf(err)
	case len(commands) > 1:
		t.Fatalf("%d commands at once", len(commands))
	case len(commands) == 1:
		c := commands[0]
		if s.Pending == nil || *s.Pending != c {
			t.Fatalf("%+v is not pending", c)
		}
		switch c.Kind {
		case CmdAttempt:
			return fmt.Sprintf("attempt%d/%s", c.Attempt, c.Prompt)
		case CmdCapture:
			return "capture/" + string(c.Capture)
		}
		return string(c.Kind)
	case s.Phase == PhaseClosed:
		return "=" + string(s.Outcome)
	case s.Gate != nil && s.Gates > before.Gates:
		return "?" + string(s.Gate.Kind)
	}
	return "-"
}

func reasonOf(err error) string {
	for name, reason := range map[string]error{"stale": ErrStale, "notnow": ErrNotNow, "decision": ErrDecision, "event": ErrEvent, "state": ErrState} {
		if errors.Is(err, reason) {
			return name
		}
	}
	return "?"
}
