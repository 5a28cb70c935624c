package handoff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// Parts are the possible parts of an export.
var Parts = []string{"task", "scope", "criteria", "citations", "commands", "qa", "paths", "changes", "findings", "evidence"}

// PartsOf returns the parts of a role's export: those configured, or else those for its name, or
// else all.
func PartsOf(r Role) []string {
	if len(r.Parts) > 0 {
		return r.Parts
	}
	switch strings.ToLower(r.Name) {
	case "implementer": // first: nothing was changed or tested yet, but a later round has findings
		return []string{"task", "scope", "criteria", "citations", "commands", "paths", "findings", "evidence"}
	case "reviewer": // judges the change by the rules, not by test results
		return []string{"task", "scope", "criteria", "citations", "changes", "findings", "evidence"}
	case "validator": // runs the commands against the criteria
		return []string{"scope", "criteria", "commands", "qa", "changes", "findings", "evidence"}
	}
	return Parts
}

// ParseParts checks a list of parts. Error: belay.CodeUsage.
func ParseParts(list []string) error {
	for _, p := range list {
		if !slices.Contains(Parts, p) {
			return belay.Refuse(belay.CodeUsage, "some of "+strings.Join(Parts, ", "), "%q is not a part of an export", p)
		}
	}
	return nil
}

// Export is the part of a context that one role receives. Fields that it does not need are empty.
type Export struct {
	Version     int                 `json:"version"`
	Role        string              `json:"role"`
	TaskID      belay.TaskID        `json:"task_id"`
	Title       string              `json:"title"`
	Block       string              `json:"block"` // the first 16 hex digits of the block's SHA-256
	Head        string              `json:"head"`
	ReadOnly    bool                `json:"read_only,omitempty"`
	Description string              `json:"description,omitempty"`
	Area        string              `json:"area,omitempty"`
	Priority    string              `json:"priority,omitempty"`
	ScopeIn     []string            `json:"scope_in,omitempty"`
	ScopeOut    []string            `json:"scope_out,omitempty"`
	Acceptance  []string            `json:"acceptance_criteria,omitempty"`
	Preserve    []string            `json:"preserve,omitempty"`
	Citations   map[string][]string `json:"standards_citations,omitempty"` // by file: "section L1-L9 sha: requirement"
	Commands    []Command           `json:"validation_commands,omitempty"`
	QA          []QAPart            `json:"qa,omitempty"`
	Paths       []string            `json:"repo_paths,omitempty"`
	MorePaths   int                 `json:"repo_paths_not_listed,omitempty"`
	Changes     *ChangesPart        `json:"changes,omitempty"`
	Blocking    map[string][]string `json:"blocking_findings,omitempty"`
	Evidence    []EvidencePart      `json:"evidence,omitempty"`
	HowToRead   string              `json:"how_to_read,omitempty"`
}

// QAPart is a summary of a role's test results.
type QAPart struct {
	Role    string `json:"role"`
	Status  string `json:"status"`
	Summary string `json:"summary,omitempty"`
	Log     string `json:"log"` // a command that prints it
}

// ChangesPart is what changed since the work started.
type ChangesPart struct {
	By             string   `json:"handed_over_by"`
	Snapshot       string   `json:"snapshot"`
	Stat           string   `json:"stat"`
	Files          []string `json:"files"` // "M path +1 -2"
	FilesNotListed int      `json:"files_not_listed,omitempty"`
	OutOfScope     []string `json:"out_of_scope,omitempty"`
	FromBase       string   `json:"diff_from_base"`   // a command that prints it
	Incremental    string   `json:"diff_incremental"` // likewise
}

// EvidencePart identifies an excerpt without its text.
type EvidencePart struct {
	ID    string `json:"id"`
	Type  string `json:"type"`
	Path  string `json:"path"`
	Lines string `json:"line_span,omitempty"`
	SHA   string `json:"sha256"`
}

// maxChanges limits the changed files that an export lists.
const maxChanges = 100

// maxPaths limits the paths in scope that an export lists.
const maxPaths = 100

// ExportFor returns a role's export of a block, its context, and the changes of the last handover.
func ExportFor(role Role, b Block, c Context, changes *Changes) Export {
	e := Export{Version: Version, Role: role.Name, TaskID: b.Task.ID, Title: b.Task.Title,
		Block: c.Block.Block[:min(16, len(c.Block.Block))],
		Head:  b.Git.Head, ReadOnly: role.ReadOnly,
		HowToRead: fmt.Sprintf("the named files contain the cited rules; belay context get %s --json has everything", b.Task.ID)}
	for _, part := range PartsOf(role) {
		e.fill(part, b, c, changes)
	}
	return e
}

func (e *Export) fill(part string, b Block, c Context, changes *Changes) {
	switch part {
	case "task":
		e.Description, e.Area, e.Priority, e.Preserve = b.Task.Description, b.Task.Area, b.Task.Priority, b.Task.Preserve
	case "scope":
		e.ScopeIn, e.ScopeOut = b.Task.ScopeIn, b.Task.ScopeOut
	case "criteria":
		e.Acceptance = b.Task.Acceptance
	case "citations":
		e.Citations = map[string][]string{}
		for _, one := range b.Citations {
			line := fmt.Sprintf("%s %s %s: %s", one.Section, one.Lines, one.SHA, one.Requirement)
			e.Citations[one.File] = append(e.Citations[one.File], strings.TrimSpace(line))
		}
	case "commands":
		e.Commands = b.Baseline.Commands
	case "qa":
		for _, p := range latestProofs(c.Proofs) {
			e.QA = append(e.QA, QAPart{Role: p.Role, Status: p.Status, Summary: p.Summary,
				Log: fmt.Sprintf("belay context get %s --qa %s", b.Task.ID, p.Role)})
		}
	case "paths":
		e.Paths, e.MorePaths = b.Paths, b.MorePaths
		keep := maxPaths
		if len(b.Task.ScopeIn) == 0 { // all files are in scope: no need to list them
			keep = 0
		}
		if n := len(b.Paths); n > keep {
			e.Paths, e.MorePaths = b.Paths[:keep], b.MorePaths+n-keep
		}
	case "changes":
		e.Changes = changesPart(b, c, changes)
	case "findings":
		for _, r := range c.Roles {
			if len(r.Blocking) > 0 {
				if e.Blocking == nil {
					e.Blocking = map[string][]string{}
				}
				e.Blocking[r.Name] = r.Blocking
			}
		}
	case "evidence":
		for _, x := range c.Evidence {
			e.Evidence = append(e.Evidence,
				EvidencePart{ID: x.ID, Type: x.Type, Path: PathText(x.Path), Lines: x.Lines, SHA: x.SHA[:min(16, len(x.SHA))]})
		}
	}
}

// latestProofs returns the last proof of each role, sorted by role.
func latestProofs(all []ProofOf) []ProofOf {
	last := map[string]ProofOf{}
	for _, p := range all {
		last[p.Role] = p
	}
	var out []ProofOf
	for _, p := range last {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b ProofOf) int { return strings.Compare(a.Role, b.Role) })
	return out
}

func changesPart(b Block, c Context, changes *Changes) *ChangesPart {
	if c.LastHandoff == nil || changes == nil {
		return nil
	}
	p := &ChangesPart{By: c.LastHandoffBy, Snapshot: string(c.LastHandoff.Snapshot),
		Stat:  fmt.Sprintf("%s, +%d -%d", belay.Count(c.LastHandoff.Files, "file", "files"), c.LastHandoff.Added, c.LastHandoff.Deleted),
		Files: []string{}, OutOfScope: jsonTexts(c.LastHandoff.OutOfScope),
		FromBase:    fmt.Sprintf("belay context diff %s --role %s", b.Task.ID, c.LastHandoffBy),
		Incremental: fmt.Sprintf("belay context diff %s --role %s --type incremental", b.Task.ID, c.LastHandoffBy)}
	for i, f := range changes.Files {
		if i == maxChanges {
			p.FilesNotListed = len(changes.Files) - i
			break
		}
		p.Files = append(p.Files, fmt.Sprintf("%s %s +%d -%d", f.Status, f.Path, f.Added, f.Deleted))
	}
	return p
}

// Changes describes a handover: every file that differs from the base.
type Changes struct {
	Snapshot belay.SnapshotID `json:"snapshot"`
	Base     belay.SnapshotID `json:"base"`
	Previous belay.SnapshotID `json:"previous,omitempty"`
	Commit   string           `json:"base_commit"`
	Files    []ChangedFile    `json:"files_changed"`
	Status   []string         `json:"status_report"` // lines as in git status --porcelain: "XY path"
	Stat     string           `json:"diff_stat"`
}

// ChangedFile is a file of Changes. Mode is the permissions on disk in octal, or "link".
type ChangedFile struct {
	Path     string `json:"path"`
	Status   string `json:"status"`
	Mode     string `json:"mode,omitempty"`
	Size     int64  `json:"size"`
	SHA      string `json:"sha256,omitempty"`
	Previous string `json:"previous_sha256,omitempty"` // in the state that this role started from
	Added    int    `json:"added"`
	Deleted  int    `json:"deleted"`
}

// Tokens estimates the number of tokens of a text: a quarter of its bytes, rounded up. Models
// differ, and code takes about a fifth more tokens than prose.
func Tokens(bytes int) int { return (bytes + 3) / 4 }
