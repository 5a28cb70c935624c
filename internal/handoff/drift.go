package handoff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// Kind names a difference.
type DriftKind string

// Kinds of what happened to the tree as a whole.
const (
	HeadMoved         DriftKind = "head-moved"   // HEAD is another commit: a pull, a merge, a rebase, another branch's
	Committed         DriftKind = "committed"    // the work, or part of it, was committed
	Reset             DriftKind = "reset"        // HEAD went back to an earlier commit
	Amended           DriftKind = "amended"      // the last commit was replaced by another one
	Switched          DriftKind = "switched"     // another branch is checked out, or none
	Stashed           DriftKind = "stashed"      // a stash entry came
	StashRemoved      DriftKind = "stash-gone"   // a stash entry went
	Discarded         DriftKind = "discarded"    // uncommitted work is gone: the paths are as HEAD has them
	Operation         DriftKind = "operation"    // a merge, rebase or the like began or ended
	GitConfig         DriftKind = "git-config"   // git's config, hooks or exclude file changed
	ScopeFiles        DriftKind = "scope"        // the set of files in the task's scope changed
	RecordEdited      DriftKind = "record"       // the task's record was edited
	AttachmentChanged DriftKind = "attachment"   // an attachment of belay's was edited or is gone
	HandoffMissing    DriftKind = "handoff-gone" // the snapshot that was handed over is gone
	BelayFileEdited   DriftKind = "belay-file"   // a file that belay wrote for agents was edited
)

// Kinds of what happened to a path.
const (
	Content     DriftKind = "content"      // other bytes
	LineEndings DriftKind = "line-endings" // other bytes, but the same lines
	Mode        DriftKind = "mode"         // another mode, the same bytes
	Renamed     DriftKind = "rename"       // the same bytes under another path
	Deleted     DriftKind = "deletion"
	Added       DriftKind = "addition"
	TypeChanged DriftKind = "type"       // a file became a link, or a link a file
	LinkTarget  DriftKind = "link"       // a link leads elsewhere
	Index       DriftKind = "index"      // staged, unstaged or untracked; the file itself is the same
	IndexFlag   DriftKind = "index-flag" // skip-worktree, assume-unchanged or intent-to-add was set or taken away
	EmptyFolder DriftKind = "folder"     // an empty folder came or went
	NowIgnored  DriftKind = "ignored"    // it is there, but ignored now
	Unreadable  DriftKind = "unreadable" // it can no longer be captured
	Nested      DriftKind = "nested"     // a repository of its own came, went or has another commit
)

// Difference is one of them. Path is "" for the tree as a whole.
type Difference struct {
	Kind       DriftKind `json:"kind"`
	Path       string    `json:"path,omitempty"`
	From       string    `json:"from,omitempty"` // of a rename: the path before
	Was        string    `json:"was,omitempty"`
	Is         string    `json:"is,omitempty"`
	OutOfScope bool      `json:"out_of_scope,omitempty"` // the path is not in the task's scope
	IsNote     bool      `json:"note,omitempty"`         // told, but no drift
}

// Sentence says a difference to a person, on one line.
func (d Difference) Sentence() string {
	var b strings.Builder
	b.WriteString(string(d.Kind))
	if d.Path != "" {
		b.WriteString("  " + d.Path)
	}
	if d.From != "" {
		b.WriteString(" (was " + d.From + ")")
	}
	if d.Was != "" || d.Is != "" {
		fmt.Fprintf(&b, ": %s → %s", cmp.Or(d.Was, "none"), cmp.Or(d.Is, "none"))
	}
	if d.OutOfScope {
		b.WriteString("  [out of scope]")
	}
	if d.IsNote {
		b.WriteString("  (note, not drift)")
	}
	return belay.VisibleLine(b.String())
}

// Report is everything that differs, the tree as a whole first, then by path.
type Report struct {
	Differences []Difference `json:"differences"`
	NotListed   int          `json:"more,omitempty"` // that many are not listed
}

// HasDrift reports whether anything is more than a note.
func (r Report) HasDrift() bool {
	return slices.ContainsFunc(r.Differences, func(d Difference) bool { return !d.IsNote })
}

// Kinds returns the kinds of drift that a report has, each once, sorted.
func (r Report) Kinds() []DriftKind {
	var all []DriftKind
	for _, d := range r.Differences {
		if !d.IsNote {
			all = append(all, d.Kind)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// CountOutOfScope counts the differences out of the task's scope.
func (r Report) CountOutOfScope() int {
	n := 0
	for _, d := range r.Differences {
		if d.OutOfScope && !d.IsNote {
			n++
		}
	}
	return n
}

// Summary says a report in a few words, the kinds with their counts.
func (r Report) Summary() string {
	counts := map[DriftKind]int{}
	for _, d := range r.Differences {
		if !d.IsNote {
			counts[d.Kind]++
		}
	}
	var words []string
	for _, k := range r.Kinds() {
		if counts[k] == 1 {
			words = append(words, string(k))
			continue
		}
		words = append(words, fmt.Sprintf("%s ×%d", k, counts[k]))
	}
	if n := r.CountOutOfScope(); n > 0 {
		words = append(words, fmt.Sprintf("%d out of scope", n))
	}
	if len(words) == 0 {
		return "nothing drifted"
	}
	return strings.Join(words, ", ")
}

// MaxListed bounds the differences that a report lists: a record has to stay readable.
const MaxListed = 1000

// Truncate returns the report with at most MaxListed differences and the number of the others.
func (r Report) Truncate() Report {
	if n := len(r.Differences); n > MaxListed {
		return Report{Differences: r.Differences[:MaxListed:MaxListed], NotListed: r.NotListed + n - MaxListed}
	}
	return r
}
