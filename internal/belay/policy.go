package belay

import "time"

// RetryMode is what happens to the tree between two attempts.
type RetryMode string

// Retry modes. RetryAuto repairs findings inside the task's own files and rolls back for scope,
// protected paths, secrets, weakened tests, and for a finding that was repeated.
const (
	RetryAuto     RetryMode = "auto"
	RetryRollback RetryMode = "rollback"
	RetryRepair   RetryMode = "repair"
)

// Policy is the limits of one task's loop. The zero value allows one attempt and nothing else;
// DefaultPolicy is the default for users.
type Policy struct {
	Retries     int           `json:"retries"`                // automatic retries after the first attempt
	Retry       RetryMode     `json:"retry"`                  // what happens to the tree before a retry
	MaxAttempts int           `json:"max_attempts,omitempty"` // maximum number of attempts, including those of a person; 0 is no limit
	WallTime    time.Duration `json:"wall_time_ns,omitempty"` // of all attempts together; 0 is no limit
	Cost        float64       `json:"cost,omitempty"`         // reported by agents or priced, in US dollars; 0 is no limit
	Tokens      int64         `json:"tokens,omitempty"`       // reported by agents, cached ones included; 0 is no limit
	Stalls      int           `json:"stalls"`                 // recoveries from a stall before the task fails
	Lost        int           `json:"lost"`                   // lost attempts that are restarted without a person
	Baseline    bool          `json:"baseline,omitempty"`     // run the tests on the before snapshot first
	Review      bool          `json:"review,omitempty"`       // ask a reviewer after the checks
	Persons     []string      `json:"persons,omitempty"`      // persons who must approve work that passed
	AcceptExit  []int         `json:"accept_exit,omitempty"`  // exit statuses of an agent, besides 0, after which its work is checked
	Reviews     int           `json:"reviews,omitempty"`      // rejecting reviews before a person decides; 0 is no limit
	// ReviewRetries means that attempts after a rejecting review do not count as Retries, so that
	// Reviews is reached even if the checks reject other attempts.
	ReviewRetries bool `json:"review_retries,omitempty"`
}

// Modes maps each mode to how often reviewers may reject before a person decides.
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

// DefaultPolicy returns three retries in RetryAuto, two recoveries from stalls and two restarts of
// lost attempts.
func DefaultPolicy() Policy {
	return Policy{Retries: 3, Retry: RetryAuto, MaxAttempts: 20, Reviews: 3, ReviewRetries: true, Stalls: 2, Lost: 2}
}

// What happens to destructive commands in an agent's own session.
const (
	DestructiveDeny     = "deny"
	DestructiveSnapshot = "snapshot" // allow what a snapshot can restore
	DestructiveAllow    = "allow"
)
