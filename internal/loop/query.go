package loop

import "github.com/belay-dev/belay/internal/belay"

// Open reports whether the task has not ended.
func (s State) Open() bool { return s.Phase != PhaseClosed }

// Overrides reports whether accepting the work at this gate overrides a verdict, which needs a
// reason. It does not if the work passed, or has only questions.
func (g Gate) Overrides() bool { return g.Kind != GateReview && g.Kind != GateQuestion }

// Noun returns the name of the command in a sentence: "the check could not be done".
func (k CommandKind) Noun() string {
	switch k {
	case CmdBaseline:
		return "baseline test run"
	case CmdDebug:
		return "diagnosis"
	case CmdClose:
		return "closing of the task"
	}
	return string(k)
}

// Current returns a copy of the newest attempt's record, nil before the first.
func (s State) Current() *Attempt {
	if len(s.Attempts) == 0 {
		return nil
	}
	return clonePointer(&s.Attempts[len(s.Attempts)-1])
}

// Reasons returns the findings that rejected the newest attempt; none if it was not checked or
// passed.
func (s State) Reasons() []belay.Finding {
	if len(s.Attempts) == 0 {
		return nil
	}
	return s.Attempts[len(s.Attempts)-1].Reasons()
}

// Reasons returns the findings that kept the attempt from being accepted: those that rejected
// it, and questions. A finding without a severity rejects.
func (a Attempt) Reasons() []belay.Finding {
	if a.Verdict != belay.VerdictFail && a.Verdict != belay.VerdictUnknown {
		return nil
	}
	var reasons []belay.Finding
	for _, f := range a.Findings {
		refuses := f.Severity == belay.SeverityError || f.Severity == ""
		if f.Severity == belay.SeverityQuestion || refuses && a.Verdict == belay.VerdictFail {
			reasons = append(reasons, f)
		}
	}
	return reasons
}

// OnlyAsks reports whether only questions kept the attempt from being accepted.
func (a Attempt) OnlyAsks() bool { return a.Verdict == belay.VerdictUnknown && len(a.Reasons()) > 0 }

// Repeated returns those of Reasons that also rejected the previous checked attempt: the repair did
// not fix them. Lost and stopped attempts in between are skipped.
func (s State) Repeated() []belay.Finding {
	reasons := s.Reasons()
	if len(reasons) == 0 {
		return nil
	}
	before := map[string]bool{}
	for i := len(s.Attempts) - 2; i >= 0; i-- {
		if s.Attempts[i].Verdict != belay.VerdictFail && !s.Attempts[i].OnlyAsks() {
			continue
		}
		for _, f := range s.Attempts[i].Reasons() {
			before[signature(f)] = true
		}
		break
	}
	var repeated []belay.Finding
	for _, f := range reasons {
		if before[signature(f)] {
			repeated = append(repeated, f)
		}
	}
	return repeated
}

func signature(f belay.Finding) string {
	if f.Signature == "" {
		f = f.Sign()
	}
	return f.Signature
}

// Reviews counts the attempts that configured reviewers rejected and passed.
func (s State) Reviews() (refused, passed int) {
	for _, a := range s.Attempts {
		switch {
		case a.Review == "" || a.Reviewer != "":
		case a.Verdict == belay.VerdictFail:
			refused++
		case a.Verdict == belay.VerdictPass:
			passed++
		}
	}
	return refused, passed
}
