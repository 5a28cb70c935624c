package handoff

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
)

// Entry is the type of the record's entries that this package reads.
const Entry = "context"

// Status is the progress of a role.
type Status string

// Statuses.
const (
	Pending    Status = "pending"
	InProgress Status = "in_progress"
	Done       Status = "done"
	Blocked    Status = "blocked"
)

// ParseStatus parses a status. Errors: belay.CodeUsage.
func ParseStatus(s string) (Status, error) {
	switch st := Status(s); st {
	case Pending, InProgress, Done, Blocked:
		return st, nil
	}
	return "", belay.Refuse(belay.CodeUsage, "use pending, in_progress, done or blocked", "%q is not a status of a role", s)
}

// Role is one of the agents that work on a task in turn. A ReadOnly role must not change the tree.
// Parts are the parts of its export; empty for the default of its name, see PartsOf.
type Role struct {
	Name     string   `json:"name"`
	ReadOnly bool     `json:"read_only,omitempty"`
	Parts    []string `json:"parts,omitempty"`
}

// DefaultRoles returns the roles of a project that configures none.
func DefaultRoles() []Role {
	return []Role{{Name: "implementer"}, {Name: "reviewer"}, {Name: "validator"}}
}

// EventKind is the kind of an entry.
type EventKind string

// Kinds of entries, with the fields of Event that they set.
const (
	EventInit       EventKind = "init"     // Block
	EventRebuilt    EventKind = "rebuilt"  // Block; the previous one stays in the history
	EventStarted    EventKind = "started"  // Role starts, and the tree is as the previous role handed it over; the first time with Handoff
	EventHandedOver EventKind = "snapshot" // Handoff
	EventUpdated    EventKind = "update"   // Update
	EventBlocked    EventKind = "blocked"  // Note is a blocking finding of Role
	EventCleared    EventKind = "cleared"  // Role's blocking findings are resolved
	EventTested     EventKind = "qa"       // Proof
	EventAttached   EventKind = "attached" // Evidence
	EventDrifted    EventKind = "drift"    // Drift
	EventResolved   EventKind = "resolved" // a person accepts the current state as handed over: Handoff, and Note with the reason
	EventExported   EventKind = "exported" // Exports
	EventRan        EventKind = "ran"      // Run
	EventSentBack   EventKind = "sent"     // after the last role, the work goes back to Role: SentBack, and Note with the reason
	EventPurged     EventKind = "purged"
)

// Event is the data of one entry.
type Event struct {
	Kind          EventKind    `json:"kind"`
	By            string       `json:"by,omitempty"` // who did it, by their own account
	Role          string       `json:"role,omitempty"`
	Note          string       `json:"note,omitempty"`
	Block         *BlockRef    `json:"block,omitempty"`
	Handoff       *Handoff     `json:"handed,omitempty"`
	Update        *StateUpdate `json:"set,omitempty"`
	Proof         *Proof       `json:"proof,omitempty"`
	Evidence      *Evidence    `json:"evidence,omitempty"`
	Drift         *Drift       `json:"drift,omitempty"`
	Run           *Run         `json:"run,omitempty"`
	SentBack      *SentBack    `json:"back,omitempty"`
	Exports       []ExportRef  `json:"exports,omitempty"`
	ForcedSecrets []string     `json:"secrets_let_in,omitempty"` // fingerprints of secrets that a person allowed
	Masked        int          `json:"secrets_masked,omitempty"`
}

// BlockRef identifies a block. Block and Manifest are attachments.
type BlockRef struct {
	Block            string           `json:"block"`
	Manifest         string           `json:"manifest"`
	Head             string           `json:"head"`
	Base             belay.SnapshotID `json:"base,omitempty"` // the snapshot that the work starts from; a rebuild keeps it
	Dirty            bool             `json:"dirty,omitempty"`
	Roles            []Role           `json:"roles"`
	WithoutStandards bool             `json:"without_standards,omitempty"`
	Changes          []string         `json:"changes,omitempty"` // of a rebuild, one sentence each
}

// Handoff is the state that a role handed over. Report lists its changes.
type Handoff struct {
	Snapshot     belay.SnapshotID `json:"snapshot"`
	Previous     belay.SnapshotID `json:"previous,omitempty"` // the state that this role started from
	PreviousRole string           `json:"previous_role,omitempty"`
	Head         string           `json:"head,omitempty"`
	Report       string           `json:"report"` // attachment: Changes as canonical JSON
	FromBase     Diff             `json:"diff_from_base"`
	Incremental  Diff             `json:"incremental_diff"` // from Previous
	Files        int              `json:"files_changed"`
	Added        int              `json:"added"`
	Deleted      int              `json:"deleted"`
	ScopeHash    string           `json:"scope_hash"`
	OutOfScope   []string         `json:"out_of_scope,omitempty"` // changed paths outside of the task's scope
	Gaps         int              `json:"gaps,omitempty"`         // number of paths that could not be captured
}

// Diff is a unified diff in an attachment. SHA is the SHA-256 of its text with LF line ends, before
// secrets were masked.
type Diff struct {
	Attachment string `json:"attachment"`
	Gzip       bool   `json:"gzip,omitempty"`
	Bytes      int64  `json:"bytes"`
	SHA        string `json:"sha256"`
	Masked     int    `json:"masked,omitempty"`
	Large      bool   `json:"large,omitempty"` // over LargeDiff: it may include files by mistake
}

// LargeDiff is the size in bytes above which a diff causes a warning and is truncated in output.
const LargeDiff = 10 << 20

// StateUpdate changes a role's status, session or log. Empty fields change nothing.
type StateUpdate struct {
	Status  Status `json:"status,omitempty"`
	Session string `json:"session_id,omitempty"`
	QALog   string `json:"qa_log_path,omitempty"`
}

// Proof is the result of a role's tests and linters.
type Proof struct {
	Path       string `json:"path"` // of the log, as given
	Attachment string `json:"attachment"`
	Gzip       bool   `json:"gzip,omitempty"`
	Bytes      int64  `json:"bytes"`
	Status     string `json:"status"` // pass, fail or unknown
	Summary    string `json:"summary,omitempty"`
	Masked     int    `json:"masked,omitempty"`
	Block      string `json:"block"` // the block at that time
}

// Evidence is a file, or an excerpt of one, stored for later roles.
type Evidence struct {
	ID         string `json:"id"` // E1, E2, …
	Type       string `json:"type"`
	Path       string `json:"path"`
	Lines      string `json:"line_span,omitempty"`
	Attachment string `json:"attachment"`
	Gzip       bool   `json:"gzip,omitempty"`
	Bytes      int64  `json:"bytes"`
	SHA        string `json:"sha256"`
	Masked     int    `json:"masked,omitempty"`
}

// Drift is a state that differs from the one handed over. Found is a snapshot of it.
type Drift struct {
	Expected belay.SnapshotID `json:"expected"`
	Found    belay.SnapshotID `json:"found,omitempty"`
	Report   Report           `json:"report"`
}

// Run is how the agent of a role ended. Log is an attachment with its output.
type Run struct {
	Round  int    `json:"round"` // number of the role's run, from 1
	Ended  string `json:"ended"`
	Exit   int    `json:"exit"`
	Millis int64  `json:"millis"`
	Log    string `json:"log,omitempty"`

	Limit string `json:"limit,omitempty"` // the limit that ended it
	belay.Use
}

// SentBack is the attempt of the task's loop that the roles work on now. FromStart: the before
// state was restored, and all roles start over.
type SentBack struct {
	Attempt   int  `json:"attempt"`
	FromStart bool `json:"anew,omitempty"`
}

// ExportRef is an export that a role received, as an attachment.
type ExportRef struct {
	Role       string `json:"role"`
	Attachment string `json:"attachment"`
	Bytes      int    `json:"bytes"`
	Tokens     int    `json:"tokens_estimated"`
}

// Context is a task's context, folded from its record. The zero Context means that there is none.
type Context struct {
	Task           belay.TaskID
	Block          BlockRef
	Created        time.Time
	By             string
	History        []PastBlock
	Roles          []State // in the order in which they work
	ActiveRole     string  // the role that is working; "" for none
	LastHandoff    *Handoff
	LastHandoffBy  string // the role that made LastHandoff
	Proofs         []ProofOf
	Evidence       []Evidence
	Drifts         []DriftOf
	Exports        map[string]ExportRef // the latest one of each role
	EarlierExports map[string]ExportRef // the ones before those
	UpdatedAt      time.Time
	UpdatedBy      string // author of the last entry
	Updates        int
	ForcedSecrets  int       // number of secrets that a person allowed
	Attempt        int       // of the task's loop; 0 is the first
	Used           belay.Use // by the agents of all roles in that attempt
	Deleted        bool
}

// PastBlock is a block that was replaced.
type PastBlock struct {
	BlockRef
	Until time.Time `json:"until"`
	By    string    `json:"replaced_by,omitempty"`
}

// State is the state of a role.
type State struct {
	Role
	Status      Status    `json:"status"`
	Completed   time.Time `json:"completed_at,omitzero"`
	Session     string    `json:"session_id,omitempty"`
	QALog       string    `json:"qa_log_path,omitempty"`
	Blocking    []string  `json:"blocking_findings"`
	Snapshot    *Handoff  `json:"worktree_snapshot,omitempty"`
	Rounds      int       `json:"rounds,omitempty"` // number of handovers
	Order       int       `json:"-"`                // number of the entry of its last handover
	Run         *Run      `json:"run,omitempty"`    // of its agent, if belay ran it
	SentBackFor string    `json:"told,omitempty"`   // why the work was sent back to it; "" after its next handover
	Drift       int       `json:"drift_budget"`     // failed verifications of its handover that are not resolved
}

// ProofOf is a proof with its role and time.
type ProofOf struct {
	Role string    `json:"role"`
	Time time.Time `json:"time"`
	Proof
}

// DriftOf is a drift with the role that handed over, and the note that resolved it.
type DriftOf struct {
	Role     string    `json:"role"`
	Time     time.Time `json:"time"`
	Resolved string    `json:"resolved,omitempty"`
	Drift
}

// IsSet reports whether there is a context.
func (c *Context) IsSet() bool { return c.Block.Block != "" && !c.Deleted }

// RoleState returns a role's state. Errors: belay.CodeUsage, with the existing roles.
func (c *Context) RoleState(role string) (*State, error) {
	var names []string
	for i := range c.Roles {
		if strings.EqualFold(c.Roles[i].Name, role) {
			return &c.Roles[i], nil
		}
		names = append(names, c.Roles[i].Name)
	}
	return nil, belay.Refuse(belay.CodeUsage, "one of "+strings.Join(names, ", ")+"; roles: in .belay/config.yaml names others",
		"%s has no role %q", c.Task, role)
}

// DriftCount returns the number of unresolved failed verifications.
func (c *Context) DriftCount() int {
	n := 0
	for _, r := range c.Roles {
		n += r.Drift
	}
	return n
}

// RoleBefore returns the role that hands over to role; "" for the first role.
func (c *Context) RoleBefore(role string) string {
	i := slices.IndexFunc(c.Roles, func(s State) bool { return strings.EqualFold(s.Name, role) })
	if i <= 0 {
		return ""
	}
	return c.Roles[i-1].Name
}

// Expected returns the snapshot that the next role must find, of the last handover; "" without one.
func (c *Context) Expected() belay.SnapshotID {
	if c.LastHandoff == nil {
		return ""
	}
	return c.LastHandoff.Snapshot
}

// Attachments returns the attachments that the current context needs: its block, the last handover,
// and the exports.
func (c *Context) Attachments() []string {
	all := []string{c.Block.Block, c.Block.Manifest}
	if c.LastHandoff != nil {
		all = append(all, c.LastHandoff.Report, c.LastHandoff.FromBase.Attachment, c.LastHandoff.Incremental.Attachment)
	}
	for _, x := range c.Exports {
		all = append(all, x.Attachment)
	}
	return all
}

// AttachmentsOf returns the attachments that an entry's data names; nil for data of another kind of
// entry.
func AttachmentsOf(data []byte) []string {
	var e Event
	if json.Unmarshal(data, &e) != nil {
		return nil
	}
	var all []string
	if e.Block != nil {
		all = append(all, e.Block.Block, e.Block.Manifest)
	}
	if e.Handoff != nil {
		all = append(all, e.Handoff.Report, e.Handoff.FromBase.Attachment, e.Handoff.Incremental.Attachment)
	}
	if e.Proof != nil {
		all = append(all, e.Proof.Attachment)
	}
	if e.Evidence != nil {
		all = append(all, e.Evidence.Attachment)
	}
	if e.Run != nil {
		all = append(all, e.Run.Log)
	}
	for _, x := range e.Exports {
		all = append(all, x.Attachment)
	}
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}
