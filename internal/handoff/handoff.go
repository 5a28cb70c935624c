package handoff

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
)

// Entry is the type of the entries in a task's record that this package reads.
const Entry = "context"

// Status is how far a role is.
type Status string

// Statuses.
const (
	Pending    Status = "pending"
	InProgress Status = "in_progress"
	Done       Status = "done"
	Blocked    Status = "blocked"
)

// ParseStatus accepts the statuses above. Error: belay.CodeUsage.
func ParseStatus(s string) (Status, error) {
	switch st := Status(s); st {
	case Pending, InProgress, Done, Blocked:
		return st, nil
	}
	return "", belay.Refuse(belay.CodeUsage, "use pending, in_progress, done or blocked", "%q is not a status of a role", s)
}

// Role is one of those who hand on, in the order of the work. ReadOnly ones must leave the
// tree as they found it. Parts names what their export holds; empty is what its name
// stands for (see PartsOf).
type Role struct {
	Name     string   `json:"name"`
	ReadOnly bool     `json:"read_only,omitempty"`
	Parts    []string `json:"parts,omitempty"`
}

// DefaultRoles are those of a project that configures none.
func DefaultRoles() []Role {
	return []Role{{Name: "implementer"}, {Name: "reviewer"}, {Name: "validator"}}
}

// EventKind says what an entry tells of.
type EventKind string

// Kinds of entries.
const (
	EventInit       EventKind = "init"     // Block is set
	EventRebuilt    EventKind = "rebuilt"  // Block is set; the one before stays in the history
	EventStarted    EventKind = "started"  // a role begins; the tree was as the role before handed it over
	EventHandedOver EventKind = "snapshot" // Handed is set
	EventUpdated    EventKind = "update"   // Set is set
	EventBlocked    EventKind = "blocked"  // Note is a blocking finding of Role
	EventCleared    EventKind = "cleared"  // Role's blocking findings are answered
	EventTested     EventKind = "qa"       // Proof is set
	EventAttached   EventKind = "attached" // Evidence is set
	EventDrifted    EventKind = "drift"    // Drift is set
	EventResolved   EventKind = "resolved" // a person accepts the present as what Role handed over; Handed and Note are set
	EventExported   EventKind = "exported" // Exports is set
	EventRan        EventKind = "ran"      // Run is set
	EventSentBack   EventKind = "sent"     // after the last role the work was sent back to Role; Note says why, Back is set
	EventPurged     EventKind = "purged"
)

// Event is one entry's data.
type Event struct {
	Kind          EventKind    `json:"kind"`
	By            string       `json:"by,omitempty"` // who did it, as they say
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
	ForcedSecrets []string     `json:"secrets_let_in,omitempty"` // fingerprints, when a person forced them
	Masked        int          `json:"secrets_masked,omitempty"`
}

// BlockRef names a block and what it was made with. Block and Manifest are attachments.
type BlockRef struct {
	Block            string           `json:"block"`
	Manifest         string           `json:"manifest"`
	Head             string           `json:"head"`
	Base             belay.SnapshotID `json:"base,omitempty"` // the state the work begins from; the first block's stays
	Dirty            bool             `json:"dirty,omitempty"`
	Roles            []Role           `json:"roles"`
	WithoutStandards bool             `json:"without_standards,omitempty"`
	Changes          []string         `json:"changes,omitempty"` // of a rebuilt one, a sentence each
}

// Handoff is the state a role left. What it consists of is the attachment Report.
type Handoff struct {
	Snapshot     belay.SnapshotID `json:"snapshot"`
	Previous     belay.SnapshotID `json:"previous,omitempty"` // the state this role began from
	PreviousRole string           `json:"previous_role,omitempty"`
	Head         string           `json:"head,omitempty"`
	Report       string           `json:"report"` // attachment: Changes as canonical JSON
	FromBase     Diff             `json:"diff_from_base"`
	Incremental  Diff             `json:"incremental_diff"` // from Previous
	Files        int              `json:"files_changed"`
	Added        int              `json:"added"`
	Deleted      int              `json:"deleted"`
	ScopeHash    string           `json:"scope_hash"`
	OutOfScope   []string         `json:"out_of_scope,omitempty"` // changed paths out of the task's scope
	Gaps         int              `json:"gaps,omitempty"`         // paths that could not be captured
}

// Diff is a unified diff that is kept as an attachment. SHA is the SHA-256 of its text
// with LF line ends, before secrets were masked in what is kept.
type Diff struct {
	Attachment string `json:"attachment"`
	Gzip       bool   `json:"gzip,omitempty"`
	Bytes      int64  `json:"bytes"`
	SHA        string `json:"sha256"`
	Masked     int    `json:"masked,omitempty"`
	Large      bool   `json:"large,omitempty"` // over LargeDiff: look for files that do not belong
}

// LargeDiff is the size above which a diff is warned about and cut in what is printed.
const LargeDiff = 10 << 20

// StateUpdate is a change of what a role says of itself. An empty field leaves what is there.
type StateUpdate struct {
	Status  Status `json:"status,omitempty"`
	Session string `json:"session_id,omitempty"`
	QALog   string `json:"qa_log_path,omitempty"`
}

// Proof is what a role's tests and linters said.
type Proof struct {
	Path       string `json:"path"` // of the log, as it was given
	Attachment string `json:"attachment"`
	Gzip       bool   `json:"gzip,omitempty"`
	Bytes      int64  `json:"bytes"`
	Status     string `json:"status"` // pass, fail or unknown
	Summary    string `json:"summary,omitempty"`
	Masked     int    `json:"masked,omitempty"`
	Block      string `json:"block"` // the block it was recorded under
}

// Evidence is a file, or an excerpt of one, kept for those who come later.
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

// Drift is a state that is not the one handed over. Found is a snapshot of it.
type Drift struct {
	Expected belay.SnapshotID `json:"expected"`
	Found    belay.SnapshotID `json:"found,omitempty"`
	Report   Report           `json:"report"`
}

// Run is how the agent of a role ended. Log is the attachment with what it said.
type Run struct {
	Round  int    `json:"round"` // of the role, from 1
	Ended  string `json:"ended"`
	Exit   int    `json:"exit"`
	Millis int64  `json:"millis"`
	Log    string `json:"log,omitempty"`

	Limit     string `json:"limit,omitempty"` // the limit that it was ended at
	belay.Use        // what it used
}

// SentBack says for which attempt of the task's loop the roles work now. Anew: the before state
// was restored, and all begin as if nothing had been handed over.
type SentBack struct {
	Attempt   int  `json:"attempt"`
	FromStart bool `json:"anew,omitempty"`
}

// ExportRef is what a role was given, an attachment.
type ExportRef struct {
	Role       string `json:"role"`
	Attachment string `json:"attachment"`
	Bytes      int    `json:"bytes"`
	Tokens     int    `json:"tokens_estimated"`
}

// Context is a task's context as its record tells it. The zero Context is none.
type Context struct {
	Task           belay.TaskID
	Block          BlockRef
	Created        time.Time
	By             string
	History        []PastBlock
	Roles          []State // in the order of the work
	ActiveRole     string  // the role that is at work; "" is nobody
	LastHandoff    *Handoff
	LastHandoffBy  string // whose Last is
	Proofs         []ProofOf
	Evidence       []Evidence
	Drifts         []DriftOf
	Exports        map[string]ExportRef // the latest of each role
	EarlierExports map[string]ExportRef // those before
	UpdatedAt      time.Time
	UpdatedBy      string // who wrote last
	Updates        int
	ForcedSecrets  int       // secrets that a person let in
	Attempt        int       // of the task's loop that the roles work for; 0 is the first
	Used           belay.Use // by the agents of all roles for that attempt
	Deleted        bool
}

// PastBlock is a block that was replaced.
type PastBlock struct {
	BlockRef
	Until time.Time `json:"until"`
	By    string    `json:"replaced_by,omitempty"`
}

// State is what a role has done.
type State struct {
	Role
	Status      Status    `json:"status"`
	Completed   time.Time `json:"completed_at,omitzero"`
	Session     string    `json:"session_id,omitempty"`
	QALog       string    `json:"qa_log_path,omitempty"`
	Blocking    []string  `json:"blocking_findings"`
	Snapshot    *Handoff  `json:"worktree_snapshot,omitempty"`
	Rounds      int       `json:"rounds,omitempty"` // how often it handed over
	Order       int       `json:"-"`                // the number of the entry with which it handed over last
	Run         *Run      `json:"run,omitempty"`    // of its agent, when belay runs it
	SentBackFor string    `json:"told,omitempty"`   // why the work was sent back to it, until it hands over again
	Drift       int       `json:"drift_budget"`     // failed verifications of what it handed over, not resolved yet
}

// ProofOf is a proof with its role and time.
type ProofOf struct {
	Role string    `json:"role"`
	Time time.Time `json:"time"`
	Proof
}

// DriftOf is a drift with whose handover it failed, and the note that resolved it.
type DriftOf struct {
	Role     string    `json:"role"`
	Time     time.Time `json:"time"`
	Resolved string    `json:"resolved,omitempty"`
	Drift
}

// IsSet reports whether there is a context.
func (c *Context) IsSet() bool { return c.Block.Block != "" && !c.Deleted }

// RoleState returns a role's state. Error: belay.CodeUsage with the roles there are.
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

// DriftCount is how many failed verifications nobody has resolved.
func (c *Context) DriftCount() int {
	n := 0
	for _, r := range c.Roles {
		n += r.Drift
	}
	return n
}

// RoleBefore returns the role that hands over to role, "" for the first.
func (c *Context) RoleBefore(role string) string {
	i := slices.IndexFunc(c.Roles, func(s State) bool { return strings.EqualFold(s.Name, role) })
	if i <= 0 {
		return ""
	}
	return c.Roles[i-1].Name
}

// Expected is the state that whoever begins next has to find: what was handed over last,
// "" when nothing was.
func (c *Context) Expected() belay.SnapshotID {
	if c.LastHandoff == nil {
		return ""
	}
	return c.LastHandoff.Snapshot
}

// Attachments names those that the context rests on as it stands: its block, what was
// handed over last, and what each role was given.
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

// AttachmentsOf names the attachments that an entry's data speaks of; nothing for data of
// another entry.
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
