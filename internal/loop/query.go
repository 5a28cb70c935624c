package loop

import "github.com/belay-dev/belay/internal/belay"

// Open reports whether the task still waits for something.
func (s State) Open() bool { return s.Phase != PhaseClosed }

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

// Reasons gives the findings that refused the attempt. A finding without a severity
// refuses: what a driver sends as a reason is one unless it says otherwise.
func (a Attempt) Reasons() []belay.Finding {
	if a.Verdict != belay.VerdictFail {
		return nil
	}
	var reasons []belay.Finding
	for _, f := range a.Findings {
		if f.Severity == belay.SeverityError || f.Severity == "" {
			reasons = append(reasons, f)
		}
	}
	return reasons
}

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
		if s.Attempts[i].Verdict != belay.VerdictFail {
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
