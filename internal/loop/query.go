package loop

import "github.com/belay-dev/belay/internal/belay"

// Open reports whether the task still waits for something.
func (s State) Open() bool { return s.Phase != PhaseClosed }

// Overrides reports whether to accept the work at this gate is to override a verdict, which
// needs a reason: neither work that passed nor what was only asked about.
func (g Gate) Overrides() bool { return g.Kind != GateReview && g.Kind != GateQuestion }

// Noun names what the command does in a sentence: "the check could not be done".
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

// Current gives a copy of the newest attempt's record, nil before the first.
func (s State) Current() *Attempt {
	if len(s.Attempts) == 0 {
		return nil
	}
	return copyOf(&s.Attempts[len(s.Attempts)-1])
}

// Reasons gives the findings that refused the newest attempt; none while it is not
// judged or when it passed.
func (s State) Reasons() []belay.Finding {
	if len(s.Attempts) == 0 {
		return nil
	}
	return s.Attempts[len(s.Attempts)-1].Reasons()
}

// Reasons gives the findings that kept the attempt from being accepted: those that refused
// it, and questions. A finding without a severity refuses: what a driver sends as a reason
// is one unless it says otherwise.
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

// Asks reports whether nothing but questions kept the attempt from being accepted.
func (a Attempt) Asks() bool { return a.Verdict == belay.VerdictUnknown && len(a.Reasons()) > 0 }

// Repeated gives those of Reasons that refused the judged attempt before already:
// the repair did not touch them. Attempts in between that were lost or stopped said
// nothing and are passed over.
func (s State) Repeated() []belay.Finding {
	reasons := s.Reasons()
	if len(reasons) == 0 {
		return nil
	}
	before := map[string]bool{}
	for i := len(s.Attempts) - 2; i >= 0; i-- {
		if s.Attempts[i].Verdict != belay.VerdictFail && !s.Attempts[i].Asks() {
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

// Reviews counts the attempts that configured reviewers refused and passed.
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
