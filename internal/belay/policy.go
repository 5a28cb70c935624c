package belay

import "time"

// RetryMode says what happens to the tree between two attempts.
type RetryMode string

// The ways of retrying. RetryAuto repairs findings inside the task's own files and
// rolls back for scope, protected paths, secrets, weakened tests, and for a finding
// that came back unchanged.
const (
	RetryAuto     RetryMode = "auto"
	RetryRollback RetryMode = "rollback"
	RetryRepair   RetryMode = "repair"
)

// Policy is the limits of one task's loop. The zero value allows one attempt and
// nothing else; DefaultPolicy is what a user gets.
type Policy struct {
	Retries     int           `json:"retries"`                // automatic retries after the first attempt
	Retry       RetryMode     `json:"retry"`                  //
	MaxAttempts int           `json:"max_attempts,omitempty"` // all attempts, a person's included; 0 is no limit
	WallTime    time.Duration `json:"wall_time_ns,omitempty"` // of all attempts together; 0 is no limit
	Cost        float64       `json:"cost,omitempty"`         // reported by agents or priced, in US dollars; 0 is no limit
	Tokens      int64         `json:"tokens,omitempty"`       // reported by agents, cached ones included; 0 is no limit
	Stalls      int           `json:"stalls"`                 // recoveries from a stall before the task fails
	Lost        int           `json:"lost"`                   // attempts lost to a crash that are made again without a person
	Baseline    bool          `json:"baseline,omitempty"`     // run the tests on the before state first
	Review      bool          `json:"review,omitempty"`       // ask a reviewer after the checks
	Persons     []string      `json:"persons,omitempty"`      // who has to approve what passed
	AcceptExit  []int         `json:"accept_exit,omitempty"`  // exit statuses of an agent, besides 0, after which its work is judged
	Reviews     int           `json:"reviews,omitempty"`      // reviews that refuse before a person decides; 0 is no limit
	// ReviewRetries has attempts after a review that refused not count as Retries, so that
	// Reviews is reached however many attempts the checks refuse.
	ReviewRetries bool `json:"review_retries,omitempty"`
}

// Modes are the ways of working and how often reviewers may refuse in each before a
// person decides.
var Modes = map[string]int{"hotfix": 1, "quick": 2, "standard": 3, "full": 5}

// ModeOf returns the name of the mode with this number of reviews, "" for none.
func ModeOf(reviews int) string {
	for name, n := range Modes {
		if n == reviews {
			return name
		}
	}
	return ""
}

// DefaultPolicy is three retries, chosen automatically, two recoveries from stalls
// and two attempts lost to crashes made again.
func DefaultPolicy() Policy {
	return Policy{Retries: 3, Retry: RetryAuto, MaxAttempts: 20, Reviews: 3, ReviewRetries: true, Stalls: 2, Lost: 2}
}

// What becomes of commands that destroy work, in an agent's own session.
const (
	DestructiveDeny     = "deny"
	DestructiveSnapshot = "snapshot" // allow what a snapshot can bring back
	DestructiveAllow    = "allow"
)
